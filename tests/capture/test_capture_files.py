"""Files of captures: names, compression, filters, what exists, what breaks."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chains import Capture
from chains import chain as scene

import hopscope as hs
from hopscope.errors import InputError, RunFailed
from runfiles import names

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]

#: How a file of pcapng begins.
MAGIC = b"\x0a\x0d\x0d\x0a"


@pytest.fixture
def command(chain: Path) -> Run:
    def start(*arguments: str, before: str = "") -> subprocess.CompletedProcess[bytes]:
        call = ["sh", "-c", f'{before} exec "$0" -m hopscope "$@"', sys.executable, *arguments]
        return subprocess.run(call, cwd=chain.parent, capture_output=True, timeout=600, check=False)

    return start


def test_a_file_for_each_run(command: Run, chain: Path) -> None:
    done = command("run", "chain.toml", "--out", "store", "--pcap", "shots")
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in (chain.parent / "shots").iterdir())
    assert names == [f"point-{point}-seed-{seed}.pcapng" for point in (0, 1) for seed in (1, 2)]
    assert all((chain.parent / "shots" / name).read_bytes().startswith(MAGIC) for name in names)
    assert b"point-1-seed-2.pcapng: " in done.stderr
    again = command("run", "chain.toml", "--out", "store", "--pcap", "shots")
    assert (again.returncode, again.stdout) == (2, b"")
    assert b"point-0-seed-1.pcapng: is there already; --force replaces it" in again.stderr
    assert command("run", "chain.toml", "--out", "store", "--pcap", "shots", "--force").returncode == 0


def test_a_stored_run_done_again_is_the_same(command: Run, chain: Path) -> None:
    assert command("run", "chain.toml", "--out", "store", "--pcap", "shots").returncode == 0
    done = command("pcap", "store", "--point", "flow.0.packet=1000", "--seed", "2", "--out", "again.pcapng")
    assert done.returncode == 0, done.stderr
    assert b"not the stored one" not in done.stderr
    again = (chain.parent / "again.pcapng").read_bytes()
    assert again == (chain.parent / "shots" / "point-1-seed-2.pcapng").read_bytes()


def test_compression_by_the_name(capture: Capture, command: Run, chain: Path) -> None:
    import pyarrow as pa

    scenario = scene(flow={"transport": "udp"}, duration="1s")
    plain = capture(scenario, "a.pcapng").path.read_bytes()
    assert gzip.decompress(capture(scenario, "a.pcapng.gz").path.read_bytes()) == plain
    packed = capture(scenario, "a.pcapng.zst").path
    assert packed.stat().st_size < len(plain) / 5
    assert pa.input_stream(str(packed), compression="zstd").read() == plain
    done = command("run", "chain.toml", "--out", "store", "--pcap", "shots", "--compress", "gz", "--seeds", "1")
    assert done.returncode == 0, done.stderr
    assert gzip.decompress((chain.parent / "shots" / "point-0-seed-1.pcapng.gz").read_bytes()).startswith(MAGIC)


def test_filters(capture: Capture) -> None:
    scenario = scene(flow={"transport": "udp"}, duration="1s")
    everything = capture(scenario, "all.pcapng").packets
    radios = capture(scenario, "radios.pcapng", host=False).packets
    hosts = capture(scenario, "hosts.pcapng", radio=False).packets
    assert radios + hosts == everything
    nodes = [capture(scenario, f"{node}.pcapng", node=node).packets for node in range(4)]
    assert sum(nodes) == everything
    assert capture(scenario, "flow.pcapng", flow=0).packets == everything, "there is nothing else"
    assert capture(scenario, "lost.pcapng", lost=True).packets > everything
    assert capture(scenario, "monitor.pcapng", monitor=True).packets > everything


def test_a_filter_keeps_the_frames_around_the_packets_of_a_flow(capture: Capture) -> None:
    scenario = scene(flow={"transport": "udp"}, duration="1s")
    scenario["flow"].append({**scenario["flow"][0], "from": 3, "to": 0, "app": "cbr", "rate": "50kbps", "packet": 100})
    both = [capture(scenario, f"flow{flow}.pcapng", flow=flow).packets for flow in (0, 1)]
    assert min(both) > 0
    assert sum(both) == capture(scenario, "both.pcapng").packets


def test_nothing_matches_is_said_and_no_error(command: Run, chain: Path) -> None:
    done = command("pcap", "chain.toml", "--node", "1", "--host", "--out", "none.pcapng")
    assert done.returncode == 0
    assert b"none.pcapng: nothing of the run matches; the capture has no packets" in done.stderr
    assert (chain.parent / "none.pcapng").read_bytes().startswith(MAGIC)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--node", "3"), "--node: found 3; the scenario has nodes 0 to 2"),
        (("--flow", "1"), "--flow: found 1; the scenario has flow 0 alone"),
        (("--point", "5"), "point 5: there is none; the points are 0 to 1, which differ in "),
        (("--out", "."), "--out .: is a folder; expected the name of a file"),
        (("--out", "-", "--json"), "--json: standard output has the capture itself"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(
    options: tuple[str, ...], message: str, command: Run, chain: Path
) -> None:
    before = sorted(chain.parent.iterdir())
    done = command("pcap", "chain.toml", *options)
    assert (done.returncode, done.stdout) == (2, b"")
    assert message in done.stderr.decode()
    assert sorted(chain.parent.iterdir()) == before


def test_options_of_a_capture_without_one_are_refused(command: Run) -> None:
    done = command("run", "chain.toml", "--node", "1")
    assert done.returncode == 2
    assert b"say what --pcap DIR writes" in done.stderr


def test_standard_output_may_break(command: Run, chain: Path) -> None:
    done = command("pcap", "chain.toml", "--out", "-")
    assert done.returncode == 0
    assert done.stdout.startswith(MAGIC)
    piped = subprocess.run(
        ["sh", "-c", '"$0" -m hopscope pcap chain.toml --set duration=60s --out - | head -c 1000', sys.executable],
        cwd=chain.parent, capture_output=True, timeout=600, check=True,
    )  # fmt: skip
    assert len(piped.stdout) == 1000
    message = piped.stderr.decode()
    assert "the capture ended at " in message
    assert "the run did not: Broken pipe" in message
    assert "Traceback" not in message


def test_a_full_disk_ends_the_capture_and_not_the_run(command: Run, chain: Path) -> None:
    room = 200  # blocks of 512 bytes that a file may have
    done = command(
        *("run", "chain.toml", "--set", "duration=20s", "--out", "store", "--pcap", "shots", "--json"),
        before=f"ulimit -f {room};",
    )
    assert done.returncode == 1
    message = done.stderr.decode()
    assert "the run did not: File too large" in message
    assert "a capture is not whole; the runs are, and are kept" in message
    result = json.loads(done.stdout)
    assert all(len(point["runs"]) == 2 for point in result["points"])
    assert len(names(chain.parent / "store")) == 4


def test_devices_and_pipes_are_written_to(capture: Capture, tmp_path: Path) -> None:
    scenario = scene(flow={"transport": "udp"}, duration="1s")
    assert hs.run(scenario, seeds=1).pcap("/dev/null").packets > 0
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["wc", "-c", tmp_path / "pipe"], stdout=subprocess.PIPE) as reader:
        captured = capture(scenario, "pipe")
        assert reader.stdout is not None
        assert int(reader.stdout.read().split()[0]) == captured.octets


def test_results_refuse_what_they_have_not(tmp_path: Path) -> None:
    result = hs.run(scene(flow={"transport": "udp"}, duration="200ms"), seeds=1)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"point": 1}, "point: found 1"),
        ({"seed": 7}, "seed: found 7"),
        ({"node": 4}, "node: found 4; the scenario has nodes 0 to 3"),
        ({"flow": -1}, "flow: found -1"),
    ]
    for arguments, message in cases:
        with pytest.raises(InputError, match=message):
            result.pcap(tmp_path / "x.pcapng", **arguments)
    with pytest.raises(RunFailed, match="cannot be written"):
        result.pcap(tmp_path / "no" / "x.pcapng")
    assert not (tmp_path / "x.pcapng").exists()
