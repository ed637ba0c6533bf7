"""Hopscope compared with ns-2 and ns-3 on the same scenarios: CPU seconds, medians, all simulators in turn.

    python bench/peers/run.py [--repeats 5] [--only chain] [--full] [--plain]

Hopscope is measured as the build of this environment, which is what `make demo` gives, and as its release
wheel, which is built first; with `--plain`, or without llvm-tools, the wheel is left out.

Writes bench/peers/latest.json and prints the table; `--record` also puts it into bench/peers/results.md, which
docs/performance.md shows, and a short form into the README. Exit status: 0 measured, 1 a simulator failed, 2 no peer
could be measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from install import NS3_VERSION, MissingPeerError, find_ns2, find_ns3, ns2_version, release_build  # noqa: E402
from scenarios import ALL, Scenario  # noqa: E402

from measure import ChildError, alternate, machine, median, note, run_child, spread, table  # noqa: E402
from release_wheel import BuildError, MissingToolError  # noqa: E402

LONG = {"chain": 300, "long-chain": 300, "grid": 100, "busy-grid": 100, "field": 100}
"""Seconds of traffic simulated by Hopscope and ns-2."""
SHORT = {"chain": 20, "long-chain": 20, "grid": 10, "busy-grid": 10, "field": 10}
"""Seconds of traffic simulated by ns-3, which needs minutes for the long ones."""
WARM = 1
"""The first flow starts after this many seconds."""

OURS = (
    ("Hopscope `ns2`, AODV", "ns2", "aodv"),
    ("Hopscope `ns2`, static", "ns2", "static"),
    ("Hopscope `standard`, static", "standard", "static"),
)
"""Label, profile and routing of Hopscope's rows."""
WHEEL = ", release wheel"
"""Follows the label of a row of the release wheel."""
NS2 = (("ns-2, AODV", "stock"), ("ns-2, AODV, headers trimmed", "trimmed"))
"""Label and packet headers of ns-2's rows."""
NS3 = "ns-3, static"
LIKE = {NS2[0][0]: OURS[0][0], NS2[1][0]: OURS[0][0], NS3: OURS[2][0]}
"""The row of Hopscope that simulates the same thing as the peer's."""


@dataclass
class Side:
    """One simulator on one scenario, with a sample per repetition."""

    label: str
    seconds: int
    cpu: list[float] = field(default_factory=list)
    process_cpu: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)

    @property
    def cpu_per_100s(self) -> float:
        """Median CPU seconds for 100 s of simulated traffic."""
        return 100 * median(self.cpu) / self.seconds

    @property
    def cpu_per_megabyte(self) -> float:
        """Median CPU seconds per megabyte of payload delivered."""
        delivered = median(self.megabytes)
        return median(self.cpu) / delivered if delivered else float("inf")

    @property
    def kbps(self) -> float:
        """Median aggregate payload rate in kbit/s."""
        return median(self.megabytes) * 8000 / self.seconds

    def add(self, cpu: float, process_cpu: float, delivered: list[int]) -> float:
        self.cpu.append(cpu)
        self.process_cpu.append(process_cpu)
        self.megabytes.append(sum(delivered) / 1e6)
        return cpu


def delivered_bytes(stdout: str) -> list[int]:
    """The `flow <index> <bytes>` lines of the ns-2 and ns-3 scripts."""
    return [int(line.split()[2]) for line in stdout.splitlines() if line.startswith("flow ")]


PLAIN = "Hopscope as `make` builds it"
BOTH = f"{PLAIN} and its release wheel (profile-guided)"
"""What the head of the report calls the measured builds."""


class Bench:
    """The simulators that are present and the folder for their files."""

    def __init__(self, work: Path) -> None:
        work.mkdir(parents=True, exist_ok=True)
        self.work = work
        self.ns2: str | None = None
        self.ns3: Path | None = None
        self.build = PLAIN
        self.environments = {"": dict(os.environ)}
        try:
            self.ns2 = find_ns2()
        except MissingPeerError as reason:
            note(f"left out: {reason}")
        try:
            self.ns3 = find_ns3(work)
        except MissingPeerError as reason:
            note(f"left out: {reason}")

    def use_release_build(self) -> None:
        """Measures the release wheel besides the package of this environment, or says why it cannot be had.

        Raises BuildError.
        """
        note("Hopscope: release build, made first when there is none of these sources (minutes)")
        try:
            package = release_build(self.work)
        except MissingToolError as reason:
            note(f"the release wheel is left out: {reason}")
            return
        self.build = BOTH
        self.environments[WHEEL] = {**os.environ, "PYTHONPATH": str(package)}

    def measure(self, word: str, repeats: int, full: bool) -> tuple[Scenario, list[Side]]:
        """All simulators in turn on one scenario."""
        scenario = ALL[word]()
        text = scenario.write(self.work)
        long = 300 if full else LONG[word]
        short = long if full else SHORT[word]
        toml = self.work / f"{scenario.name}.toml"
        toml.write_text(scenario.as_toml(long + WARM), encoding="utf-8")
        calls: dict[str, tuple[Side, Callable[[int], float]]] = {}
        for label, profile, routing in OURS:
            for build, environment in self.environments.items():
                side = Side(label + build, long)
                calls[side.label] = (side, partial(self._hopscope, side, toml, (profile, routing), environment))
        if self.ns2:
            for label, headers in NS2:
                side = Side(label, long)
                calls[label] = (side, partial(self._ns2, side, text, headers))
        if self.ns3:
            side = Side(NS3, short)
            calls[NS3] = (side, partial(self._ns3, side, text))
        alternate({label: call for label, (_, call) in calls.items()}, repeats)
        return scenario, [side for side, _ in calls.values()]

    def _hopscope(self, side: Side, toml: Path, what: tuple[str, str], environment: dict[str, str], seed: int) -> float:
        command = [sys.executable, HERE / "hopscope_side.py", toml, *what, str(seed)]
        child = run_child(command, env=environment)
        answer = json.loads(child.stdout)
        return side.add(answer["engine_cpu_s"], child.cpu_s, answer["delivered"])

    def _ns2(self, side: Side, text: Path, headers: str, seed: int) -> float:
        seconds = str(side.seconds + WARM)
        child = run_child([str(self.ns2), HERE / "ns2.tcl", text, seconds, "AODV", str(seed), headers])
        return side.add(child.cpu_s, child.cpu_s, delivered_bytes(child.stdout))

    def _ns3(self, side: Side, text: Path, seed: int) -> float:
        child = run_child([str(self.ns3), text, str(side.seconds + WARM), str(seed)])
        return side.add(child.cpu_s, child.cpu_s, delivered_bytes(child.stdout))


def rows_of(scenario: Scenario, sides: list[Side]) -> list[list[str]]:
    """Table rows of one scenario; a peer's ratio is against the row of Hopscope that simulates the same."""
    by_label = {side.label: side for side in sides}
    rows = []
    for side in sides:
        ours = by_label.get(LIKE.get(side.label, ""))
        rows.append(
            [
                f"{scenario.title}: {side.label}",
                str(side.seconds),
                f"{median(side.cpu):.3f}",
                f"{100 * spread(side.cpu):.0f} %",
                f"{side.cpu_per_100s:.4f}",
                f"{side.kbps:.0f}",
                f"{side.cpu_per_100s / ours.cpu_per_100s:.1f}" if ours else "",
                f"{side.cpu_per_megabyte / ours.cpu_per_megabyte:.1f}" if ours else "",
            ]
        )
    return rows


HEAD = ["scenario: simulator", "simulated s", "CPU s", "spread", "CPU s / 100 s", "kbit/s", "ratio", "ratio per byte"]

EXPLANATION = """\
CPU s: user and system seconds, median of {repeats} runs (seeds 1 to {repeats}), all simulators in turn in one session.
For Hopscope it is the engine call (building, simulating, returning the result) on one core; starting Python and
reading the scenario comes on top once per command, however many runs it makes (here {startup:.2f} s of CPU). For
ns-2 and ns-3 it is the whole process.

ratio: CPU per simulated second of the peer over that of Hopscope, as `make` builds it, on the same routing: profile
`ns2` over AODV against ns-2, profile `standard` over static routes against ns-3. ratio per byte: the same per payload
byte delivered.

ns-2 is Debian's package with all traces off. "ns-2, AODV" is the program as distributed, where every packet carries
every header the program knows; "headers trimmed" is the same with only the headers in use
(`remove-all-packet-headers`), its best case. ns-2 has no static wireless routing, so Hopscope's row "`ns2`, static" has
no counterpart: AODV takes lost frames for broken links and delivers, and simulates, less than static routes do. ns-3
({ns3}) runs static host routes and a shorter time, scaled.
"""


def report(results: list[tuple[Scenario, list[Side]]], repeats: int, builds: str) -> str:
    """The whole text: head, table, explanation."""
    rows = [row for scenario, sides in results for row in rows_of(scenario, sides)]
    ours = [side for _, sides in results for side in sides if side.label in {label for label, _, _ in OURS}]
    startup = median([p - c for side in ours for p, c in zip(side.process_cpu, side.cpu, strict=True)])
    head = f"Measured {time.strftime('%Y-%m-%d')} on {machine()}; {builds}.\n"
    return "\n".join(
        [head, table(HEAD, rows), "", EXPLANATION.format(repeats=repeats, startup=startup, ns3=NS3_VERSION)]
    )


def short(results: list[tuple[Scenario, list[Side]]]) -> str:
    """One line for each scenario, for the README: Hopscope as built, ns-2 at its best."""
    (ns2, static), trimmed = (OURS[0][0], OURS[2][0]), NS2[-1][0]
    rows = []
    for scenario, sides in results:
        cost = {side.label: side.cpu_per_100s for side in sides}
        rows.append([scenario.title, figures(cost[ns2]), cell(cost, trimmed), figures(cost[static]), cell(cost, NS3)])
    head = ["CPU s for 100 simulated s", ns2, "ns-2 2.35, AODV", static, "ns-3 3.44, static"]
    return table(head, rows)


def cell(cost: dict[str, float], peer: str) -> str:
    """A peer's cost and how many times Hopscope's it is."""
    return f"{figures(cost[peer])} ({cost[peer] / cost[LIKE[peer]]:.1f} times)" if peer in cost else "not measured"


def figures(seconds: float) -> str:
    """Three significant digits."""
    return f"{seconds:.3g}"


def origin() -> str:
    """When, where and of what the figures of the README are."""
    command = ["git", "-C", HERE, "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"
    at = f"Recorded {time.strftime('%Y-%m-%d')} at commit {commit} on {machine()}"
    return f"{at}; Hopscope as `make` builds it, ns-2 with its packet headers trimmed to those in use.\n"


def record(text: str, summary: str) -> None:
    """Writes the table of the documentation and the one between the markers of the README."""
    (HERE / "results.md").write_text(text, encoding="utf-8")
    readme = HERE.parents[1] / "README.md"
    begin, end = "<!-- peers: written by bench/peers/run.py --record -->\n", "<!-- /peers -->"
    before, _, rest = readme.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    readme.write_text(f"{before}{begin}{summary}\n{end}{after}", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description="Hopscope compared with ns-2 and ns-3.")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each simulator, medians are reported (5)")
    parser.add_argument("--only", choices=sorted(ALL), action="append", help="only this scenario (repeatable)")
    parser.add_argument(
        "--full", action="store_true", help="300 simulated seconds for every simulator and scenario (hours)"
    )
    parser.add_argument("--plain", action="store_true", help="measure Hopscope as built in this environment")
    parser.add_argument("--record", action="store_true", help="write the tables of documentation and README")
    options = parser.parse_args()
    if options.repeats < 1:
        parser.error(f"--repeats {options.repeats}: must be 1 or more")

    bench = Bench(HERE / "work")
    if bench.ns2 is None and bench.ns3 is None:
        return 2
    results = []
    try:
        if not options.plain:
            bench.use_release_build()
        for word in options.only or list(ALL):
            note(f"measuring {word}")
            results.append(bench.measure(word, options.repeats, options.full))
    except BuildError as failure:
        note(f"{failure}\nthe release wheel cannot be built; --plain measures the build of this environment")
        return 1
    except ChildError as failure:
        note(str(failure))
        return 1
    peers = f"ns-2 {ns2_version() if bench.ns2 else 'left out'}, ns-3 {NS3_VERSION if bench.ns3 else 'left out'}"
    text = report(results, options.repeats, f"{bench.build}, {peers}")
    print(text)
    raw = {
        "machine": machine(),
        "build": bench.build,
        "peers": peers,
        "scenarios": {scenario.name: [vars(side) for side in sides] for scenario, sides in results},
    }
    (HERE / "latest.json").write_text(json.dumps(raw, indent=1), encoding="utf-8")
    if options.record:
        record(text, f"{origin()}\n{short(results)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
