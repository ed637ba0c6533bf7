"""Hopscope compared with ns-3 where stations aggregate: CPU seconds, medians, both simulators in turn.

    python bench/peers/aggregates.py [--repeats 5]

Three of the cells of `studies/validation/ns3-ht.csv`: profile `as-ns3` against ns-3 with the settings of that file. For
Hopscope the CPU time is that of the engine call, for ns-3 that of the process less that of one that simulates nothing.
Exit status: 0 measured, 1 a simulator failed, 2 ns-3 is not there.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from install import MissingPeerError, find_ns3  # noqa: E402

from measure import ChildError, alternate, machine, median, note, run_child, spread, table  # noqa: E402

OURS, NS3 = "Hopscope `as-ns3`", "ns-3"


@dataclass(frozen=True)
class Cell:
    """One flow over a chain of 802.11n stations, MCS 7 over 20 MHz, A-MPDUs of at most 65,535 bytes."""

    name: str
    title: str
    hops: int
    metres: float
    transport: str
    amount: float
    """UDP: offered kbit/s; TCP: window in segments."""
    seconds: float

    def peer(self) -> list[str]:
        """Arguments of the ns-3 program, the seed left out."""
        return [str(self.hops), str(self.metres), self.transport, str(self.amount), str(self.seconds)]

    def as_toml(self) -> str:
        """The scenario for Hopscope; its radio is that of `studies/validation/1b-ns3-ht.toml`."""
        if self.transport == "udp":
            flow = f'transport = "udp"\napp = "cbr"\nrate = "{self.amount}kbps"\npacket = 1472'
        else:
            flow = TCP.format(window=self.amount)
        # Static routes follow the nodes where a run begins: 45 m apart a hop reaches one node on.
        apart = 45.0 if self.hops > 1 else self.metres
        positions = ", ".join(f"[{apart * n}, 0]" for n in range(self.hops + 1))
        moved = range(1, self.hops + 1) if self.hops > 1 else []
        moves = "".join(MOVE.format(node=n, x=self.metres * n) for n in moved)
        queue = 500 if self.hops == 1 else 100
        head = SCENARIO.format(seconds=self.seconds, positions=positions, queue=queue, last=self.hops)
        return head + flow + "\n" + moves


TCP = """\
transport = "tcp"
control = "newreno"
app = "bulk"
recovery = "sack"
max_window = {window}
ack = "every"
tcp = {{ initial_window = 10, timestamps = false, min_rto = "200ms" }}"""

MOVE = """
[[event]]
at = 0
kind = "move"
node = {node}
position = [{x}, 0]
"""

SCENARIO = """\
duration = "{seconds}s"
profile = "as-ns3"

[topology]
kind = "positions"
positions = [{positions}]

[radio]
preset = "ofdm-54M"
ppdu_format = "ht"
channel_width = 20
mcs = 7
basic_rate = "24Mbps"
frequency = 5146308761.709787
propagation = "log-distance"
path_loss_exponent = 3.0
tx_power = "16.0206dBm"
tx_range = "51.455m"
energy_range = "51.455m"
noise_floor = -93.97
cs_range = "221.19m"

[mac]
qos = true
ampdu = 65535
queue = {queue}
rts_threshold = "off"

[[flow]]
from = 0
to = {last}
start = "100ms"
"""

CELLS = (
    Cell("h008", "one hop, saturated UDP", 1, 2, "udp", 66202.5, 10),
    Cell("h107", "8 hops, saturated UDP", 8, 15, "udp", 27202.5, 12),
    Cell("h151", "4 hops, TCP with window 64", 4, 15, "tcp", 64, 10),
)


class Side:
    """One simulator on one cell: CPU seconds and payload bytes of each run."""

    def __init__(self) -> None:
        self.cpu: list[float] = []
        self.delivered: list[int] = []

    def add(self, cpu: float, delivered: int) -> float:
        self.cpu.append(cpu)
        self.delivered.append(delivered)
        return cpu

    def kbps(self, seconds: float) -> float:
        """Median payload rate over the whole run."""
        return median(self.delivered) * 8 / seconds / 1000


def hopscope(side: Side, toml: Path, seed: int) -> float:
    child = run_child([sys.executable, HERE / "hopscope_side.py", toml, "as-ns3", "static", str(seed)])
    answer = json.loads(child.stdout)
    return side.add(answer["engine_cpu_s"], sum(answer["delivered"]))


def ns3(side: Side, program: Path, cell: Cell, seed: int) -> float:
    *what, seconds = cell.peer()
    start = run_child([str(program), *what, "0.001", str(seed)])
    child = run_child([str(program), *what, seconds, str(seed)])
    delivered = [int(line.split()[2]) for line in child.stdout.splitlines() if line.startswith("flow ")]
    return side.add(child.cpu_s - start.cpu_s, sum(delivered))


def measure(cell: Cell, program: Path, work: Path, repeats: int) -> list[str]:
    """A row of the table."""
    toml = work / f"{cell.name}.toml"
    toml.write_text(cell.as_toml(), encoding="utf-8")
    ours, theirs = Side(), Side()
    alternate({OURS: partial(hopscope, ours, toml), NS3: partial(ns3, theirs, program, cell)}, repeats)
    return [
        f"{cell.title} ({cell.name})",
        f"{median(ours.cpu) / cell.seconds:.4f}",
        f"{median(theirs.cpu) / cell.seconds:.3f}",
        f"{100 * max(spread(ours.cpu), spread(theirs.cpu)):.0f} %",
        f"{median(theirs.cpu) / median(ours.cpu):.0f}",
        f"{ours.kbps(cell.seconds):.0f}",
        f"{theirs.kbps(cell.seconds):.0f}",
    ]


HEAD = ["cell", OURS, NS3, "spread", "ratio", f"kbit/s, {OURS}", f"kbit/s, {NS3}"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Hopscope compared with ns-3 where stations aggregate.")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each simulator, medians are reported (5)")
    options = parser.parse_args()
    if options.repeats < 1:
        parser.error(f"--repeats {options.repeats}: must be 1 or more")
    work = HERE / "work"
    work.mkdir(parents=True, exist_ok=True)
    try:
        program = find_ns3(work, "ns3_ht")
    except MissingPeerError as reason:
        note(str(reason))
        return 2
    try:
        rows = [measure(cell, program, work, options.repeats) for cell in CELLS]
    except ChildError as failure:
        note(str(failure))
        return 1
    print(f"CPU s for one simulated second; {machine()}.\n")
    print(table(HEAD, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
