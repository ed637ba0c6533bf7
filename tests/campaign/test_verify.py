"""Verification of stores: what is proved, and what is found out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hopscope as hs
from hopscope import _core
from hopscope.campaign import manifest as manifests
from hopscope.campaign.store import Store
from hopscope.campaign.verify import difference, verify
from hopscope.cli import main
from hopscope.errors import InputError
from runfiles import remove

OWN = "import hopscope as hs\n\nclass Own(hs.CongestionControl):\n    def on_loss(self, flow):\n        return 2.0\n"


def forge(store: Path, change: Callable[[dict[str, Any]], object]) -> str:
    """Changes a run under a right checksum; returns its key."""
    opened = hs.open_store(store)
    key = str(opened.manifest["scenarios"][0]["points"][1]["keys"][0])
    run = opened.read(key)
    assert run is not None
    change(run)
    Store(store).keep(key, json.dumps(run, default=pa.Table.to_pydict))
    opened.repair_tables(opened.results())
    return key


def test_a_sound_store_is_proved(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    before = {path: path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file()}
    found = verify(hs.open_store(tmp_path / "store"), sample=3)
    assert (found.is_proved, found.wanted, found.there, found.sampled) == (True, 4, 4, 3)
    assert (found.version, found.engine, found.same_build) == (_core.version(), _core.build_id(), True)
    assert {path: path.read_bytes() for path in before} == before


def test_a_sample_larger_than_the_store_is_all_of_it(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    assert verify(hs.open_store(tmp_path / "store"), sample=99).sampled == 4
    assert verify(hs.open_store(tmp_path / "store"), sample=0).is_proved
    with pytest.raises(InputError, match="at least 0"):
        verify(hs.open_store(tmp_path / "store"), sample=-1)


def test_a_value_changed_under_a_right_checksum_is_found_by_doing_the_run_again(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    forge(tmp_path / "store", lambda run: run["flows"][0].update(delay_ms=1.25))
    found = verify(hs.open_store(tmp_path / "store"), sample=4)
    [line] = found.differing
    assert "point 1 (flow.0.packet = 1000), seed 1: flows.0.delay_ms is 1.25, and " in line
    assert not found.is_proved


def test_a_missing_run_and_old_tables_are_found_and_left_alone(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    remove(tmp_path / "store")
    found = verify(hs.open_store(tmp_path / "store"))
    assert (found.is_proved, found.there) == (False, 3)
    assert found.problems == ("the tables are not up to date",)


def test_another_build_is_named(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    file = tmp_path / "store" / "manifest.json"
    manifest = json.loads(file.read_text()) | {"engine": "0123456789abcdef", "hopscope": "0.0.1"}
    file.write_text(json.dumps(manifest | {"sha256": manifests.digest(manifest)}))
    opened = hs.open_store(tmp_path / "store")
    opened.repair_tables(opened.results())
    found = verify(opened)
    assert (found.is_proved, found.same_build, found.version) == (True, False, "0.0.1")


def test_code_that_a_store_names_is_run_with_trust_alone(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    flow = {"from": 0, "to": 2, "transport": f"tcp:{tmp_path / 'own.py'}:Own"}
    hs.run({"duration": "2s", "topology": {"kind": "chain", "hops": 2}, "flow": [flow]}, out=tmp_path / "store")
    (tmp_path / "own.py").write_text(OWN + f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    found = verify(hs.open_store(tmp_path / "store"))
    assert (found.sampled, found.not_sampled, (tmp_path / "ran").exists()) == (0, 1, False)
    (tmp_path / "own.py").write_text(OWN)
    found = verify(hs.open_store(tmp_path / "store"), trust=True)
    assert (found.sampled, found.not_sampled, found.is_proved) == (1, 0, True)


def test_the_command_proves_and_refuses(
    chain: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["hopscope", "verify", str(tmp_path / "store"), *words])
        with pytest.raises(SystemExit) as end:
            main.main()
        said = capsys.readouterr()
        return int(end.value.code or 0), said.out, said.err

    hs.run(chain, out=tmp_path / "store")
    status, out, err = call("--sample", "2")
    assert (status, err) == (0, "")
    assert f"engine build {_core.build_id()}: the build that verifies" in out
    assert "4 of 4 runs there with the right checksum" in out
    assert "2 runs done again: 0 differ" in out
    forge(tmp_path / "store", lambda run: run["network"].update(jain=0.5))
    status, out, err = call("--json")
    assert (status, json.loads(out)["is_proved"]) == (1, False)
    assert "network.jain is 0.5, and 1.0 when done again" in err
    assert "1 run gave another result" in err
    assert call("--sample", "-1")[0] == 2


@pytest.mark.parametrize(
    ("kept", "now", "place"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "a.1.b is 2, and 3 when done again"),
        ({"a": 1}, {}, 'a is 1, and "absent" when done again'),
        ({}, {"a": None}, 'a is "absent", and null when done again'),
        ({"a": 1}, {"a": 1.0}, "a is 1, and 1.0 when done again"),
        ({"a": [1]}, {"a": [1, 2]}, "a is [1], and [1, 2] when done again"),
        ({"engine": {"wall_s": 1}}, {"engine": {"wall_s": 2}}, None),
        ({"flows": [{"wall_s": 1}]}, {"flows": [{"wall_s": 2}]}, "flows.0.wall_s is 1, and 2 when done again"),
    ],
)
def test_the_first_difference_is_named(kept: object, now: object, place: str | None) -> None:
    assert difference(kept, now) == place
