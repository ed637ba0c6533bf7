"""TAP devices and live runs of the engine, as Python has them."""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from hopscope import _core

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="live runs need Linux")

MS = 1_000_000


def config(**changes: Any) -> dict[str, Any]:
    """Three nodes in a row, 200 m apart, without flows."""
    base = {key: of for key, of in _core.base_config("standard", "wavelan-2M").items() if key != "tcp"}
    nodes = [[200.0 * node, 0.0] for node in range(3)]
    return {**base, "nodes": nodes, "duration": 10_000 * MS, "seed": 1, "flows": [], **changes}


@pytest.fixture
def name() -> str:
    """The name of no interface, where TAP devices can be made."""
    name = f"hs{os.getpid()}"
    try:
        _core.Tap.open(name).close()
    except OSError as error:
        pytest.skip(f"no TAP devices here: {error}")
    return name


def interfaces() -> list[str]:
    return [path.name for path in Path("/sys/class/net").iterdir()]


@pytest.mark.parametrize("wrong", ["", "a/b", "rad%d", "a b", "sixteen-letters-"])
def test_a_name_of_no_interface_is_refused(wrong: str) -> None:
    with pytest.raises(OSError, match="Invalid argument") as raised:
        _core.Tap.open(wrong)
    assert raised.value.errno == errno.EINVAL


def test_an_interface_is_there_until_its_device_is_closed(name: str) -> None:
    tap = _core.Tap.open(name)
    assert tap.name == name
    assert name in interfaces()
    with pytest.raises(FileExistsError):
        _core.Tap.open(name)
    tap.close()
    assert name not in interfaces()
    tap.close()
    _core.Tap.open(name)
    assert name not in interfaces(), "nobody holds it"


def test_a_run_has_its_devices_alone(name: str) -> None:
    tap = _core.Tap.open(name)
    live = _core.Live(config(), [None, tap], fifo=False)
    with pytest.raises(ValueError, match=f'taps: "{name}" is closed, or a run has it already'):
        _core.Live(config(), [tap])
    tap.close()
    live.run(20 * MS)
    assert name in interfaces()
    del live
    assert name not in interfaces()


def test_a_run_keeps_the_time_of_the_wall() -> None:
    live = _core.Live(config(), [None, None, None], fifo=False)
    begun = time.monotonic()
    live.run(60 * MS)
    first = time.monotonic() - begun
    # The clock goes on between calls.
    time.sleep(0.05)
    live.run(100 * MS)
    both = time.monotonic() - begun
    assert first >= 0.06
    assert both >= 0.11
    assert live.now == 100 * MS
    report = live.report()
    assert report["verdict"] in ("ok", "missed"), "an idle run delivers nothing late"
    assert report["frames"] == {
        "in": 0, "out": 0, "delivered": 0, "lost": {}, "under_way": 0, "unknown_destination": {},
    }  # fmt: skip
    assert report["lateness_us"]["count"] == 0
    assert 0 <= report["core_share"] <= 1.5
    assert live.end_capture() is None


def test_other_threads_change_and_stop_a_run() -> None:
    live = _core.Live(config(), [], fifo=False)
    ended: list[float] = []

    def run() -> None:
        live.run(10_000 * MS)
        ended.append(time.monotonic())

    thread = threading.Thread(target=run)
    thread.start()
    live.change({"kind": "move", "node": 2, "position": [390.0, 5.0]})
    assert live.positions() == [[0.0, 0.0], [200.0, 0.0], [390.0, 5.0]]
    with pytest.raises(_core.EngineError, match="node: node 7 does not exist"):
        live.change({"kind": "node-down", "node": 7})
    live.stop()
    thread.join(5)
    assert ended
    assert live.now < 10_000 * MS
    # Also where it does not run.
    live.change({"kind": "node-down", "node": 1})
    assert live.results().values()["flows"] == []


def test_simulated_flows_give_what_a_run_gives(tmp_path: Path) -> None:
    base = _core.base_config("standard", "wavelan-2M")
    flow = {
        "from": 0, "to": 2, "transport": "udp", "app": {"kind": "cbr", "rate": 200_000.0}, "packet": 500,
        "max_window": 4, "start": 0, "ack": "every", "ack_delay": 1, "tcp": base["tcp"],
    }  # fmt: skip
    wanted = config(flows=[flow], duration=300 * MS, explain=True)
    path = tmp_path / "live.pcapng"
    live = _core.Live(wanted, [], fifo=False, capture=(path, {"lost": True}, "a test", False))
    live.run(1_000 * MS)
    simulated = _core.run(wanted).values()
    found = live.results().values()
    assert found["flows"] == simulated["flows"]
    assert found["ledger"] == simulated["ledger"]
    summary = live.end_capture()
    assert summary is not None
    assert summary["packets"] > 0
    assert path.stat().st_size == summary["octets"]
    with pytest.raises(FileExistsError):
        _core.Live(wanted, [], capture=(path, {}, "a test", False))


def test_what_cannot_be_run_is_named() -> None:
    with pytest.raises(ValueError, match='on_late: found "never"; allowed are warn and abort'):
        _core.Live(config(), [], on_late="never")
    with pytest.raises(_core.EngineError, match="taps: found 4; there are 3 nodes"):
        _core.Live(config(), [None] * 4)
    with pytest.raises(_core.EngineError, match="nodes"):
        _core.Live(config(nodes=[]), [])
