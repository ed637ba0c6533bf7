"""Lines as ns-2 writes them, beside lines that ns-2.35 has written of the same set-up (Debian's package, `data/`)."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs

DATA = Path(__file__).parent / "data"

CBR = {"from": 0, "to": 2, "transport": "udp", "app": "cbr", "rate": "100kbps", "packet": 512, "start": "1s"}
TCP = {"from": 0, "to": 2, "transport": "tcp-newreno", "packet": 1460, "max_window": 32, "start": "1s"}
CHAIN = {
    "duration": "2s",
    "profile": "ns2",
    "topology": {"kind": "positions", "positions": [[1, 1], [201, 1], [401, 1]]},
    "routing": {"protocol": "aodv"},
}
WIRES = {
    "duration": "1s",
    "profile": "ns2",
    "topology": {"kind": "wired", "wired": 3},
    # The limit of ns-2 counts the packet that is being sent.
    "wire": [
        {"from": 0, "to": 1, "rate": "2Mbps", "delay": "5ms", "queue": 49},
        {"from": 1, "to": 2, "rate": "1Mbps", "delay": "5ms", "queue": 4},
    ],
    "flow": [{**TCP, "start": "0.1s"}],
}


def traced(scenario: dict[str, Any], folder: Path, style: str = "old") -> list[str]:
    """The lines of a scenario."""
    file = folder / f"{style}.tr"
    hs.trace(scenario, out=file, form=f"ns2-{style}", force=True)
    return file.read_text().splitlines()


def stored(name: str) -> list[str]:
    """The lines that ns-2 wrote."""
    return (DATA / name).read_text().splitlines()


def from_packet(number: int, lines: list[str]) -> list[str]:
    """The lines from the first one of a packet on; those before show the search for a route."""
    is_its = re.compile(rf"AGT  --- {number} |-Nl AGT .* -Ii {number} ").search
    return lines[next(place for place, line in enumerate(lines) if is_its(line)) :]


def without_ports(line: str) -> str:
    """A line without port numbers, which ns-2 counts from 0, and without the flag of a reduced window."""
    line = re.sub(r"\[(\d+):\d+ (\d+):\d+", r"[\1 \2", line)
    line = re.sub(r"-(I[sd]) (\d+)\.\d+", r"-\1 \2", line)
    line = re.sub(r" (\d+)\.\d+ (\d+)\.\d+ (-?\d+) (\d+)$", r" \1 \2 \3 \4", line)
    return line.replace("---A---", "-------")


def without_time(line: str) -> str:
    """A line without its instant, which back-off draws, and the time to live, which here is 30 from the start."""
    line = re.sub(r"^(.) (-t )?[\d.]+ ", r"\1 ", without_ports(line))
    line = re.sub(r"^(. _0_ (?:AGT|RTR) .*\[0 2) \d+ ", r"\1 ", line)
    return re.sub(r"(-Nl (?:AGT|RTR) .*-Iv) \d+ ", r"\1 ", line)


def test_a_trace_of_wires_is_that_of_ns2_to_the_last_digit(tmp_path: Path) -> None:
    theirs = stored("wired.tr")
    ours = traced(WIRES, tmp_path)[: len(theirs)]
    assert sum(line.startswith("d ") for line in theirs) == 8
    assert [without_ports(line) for line in ours] == [without_ports(line) for line in theirs]


@pytest.mark.parametrize("style", ["old", "new"])
def test_a_trace_of_two_radio_hops_is_that_of_ns2_line_for_line(style: str, tmp_path: Path) -> None:
    theirs = stored(f"wireless-{style}.tr")
    ours = from_packet(1, traced({**CHAIN, "flow": [CBR]}, tmp_path, style))[: len(theirs)]
    assert [without_time(line) for line in ours] == [without_time(line) for line in theirs]


def shape(line: str) -> str:
    """A line with every number as `#`: which fields stand where."""
    line = without_ports(line)
    line = re.sub(r"\[[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ (0|800|806)\]", r"[# # # \1]", line)
    line = re.sub(r"-(M[ads]) [0-9a-f]+", r"-\1 #", line)
    return re.sub(r"(?<![\dx])-?\d+(\.\d+)?(?![\dx])", "#", line)


#: What is written otherwise, see docs/reference/ns2-trace.md: a packet that the MAC has given up has one line, of the
#: router where that drops it, and its RTS none; a node that passes an AODV reply on sends one of its own.
OTHERWISE = re.compile(r"MAC  RET|-Nl MAC -Nw RET|^f .*REPLY")


@pytest.mark.parametrize("style", ["old", "new"])
def test_every_kind_of_line_has_its_fields_where_ns2_has_them(style: str, tmp_path: Path) -> None:
    ours = set()
    overload = {**CBR, "rate": "3Mbps"}
    broken = {**CHAIN, "duration": "9s", "outage": [{"node": 1, "from": "2s", "to": "9s"}]}
    for scenario in (
        {**CHAIN, "flow": [CBR]},
        {**CHAIN, "duration": "6s", "flow": [TCP]},
        {**CHAIN, "flow": [overload]},
        {**broken, "flow": [CBR]},
    ):
        ours |= {shape(line) for line in traced(scenario, tmp_path, style)}
    theirs = {shape(line) for line in stored(f"shapes-{style}.tr")}
    assert len(theirs) > 30
    assert {line for line in theirs - ours if not OTHERWISE.search(line)} == set()


@pytest.mark.parametrize(
    ("flow", "kind", "header"), [(CBR, "cbr", 20), ({**CBR, "rate": "900kbps"}, "cbr", 20), (TCP, "tcp", 40)]
)
def test_an_awk_script_finds_the_figures_of_the_result(
    flow: dict[str, Any], kind: str, header: int, tmp_path: Path
) -> None:
    scenario = {**CHAIN, "duration": "10s", "flow": [flow]}
    traced(scenario, tmp_path)
    awk = shutil.which("awk")
    assert awk is not None, "no awk: apt-get install mawk"
    given = {"from": 0, "to": 2, "type": kind, "header": header, "seconds": 10}
    values = [part for name, value in given.items() for part in ("-v", f"{name}={value}")]
    script = Path(__file__).with_name("flow.awk")
    done = subprocess.run(
        [awk, *values, "-f", script, tmp_path / "old.tr"], capture_output=True, text=True, check=True, timeout=60
    )
    throughput, delay, loss = map(float, done.stdout.split())
    [run] = hs.run(scenario, seeds=1).points[0].runs
    [result] = run["flows"]
    assert result["received_packets"] > 100
    assert throughput == pytest.approx(result["throughput_kbps"], rel=1e-6)
    assert delay == pytest.approx(result["delay_ms"], rel=1e-6)
    # The script counts what was never received, as ns-2's users do: what is in flight at the end, too.
    missing = result["lost_packets"] + result["in_flight"]
    assert loss == pytest.approx(100 * missing / result["sent_packets"], abs=1e-6)
