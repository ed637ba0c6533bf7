"""Benchmarks of the engine, one table: instructions, events per second, cost per frame, memory, speed-up, start-up.

    python bench/run.py [--repeats 5] [--skip-instructions] [--record] [--history]

Numbers that depend on the load of the machine are medians, all sides measured in turn in one session. Instruction
counts do not depend on it; they are compared with bench/instructions.json, which `--record` rewrites. The figures that
the history keeps of each commit go into bench/history.jsonl; `--history` measures those alone. Exit status 0 unless
something could not be measured at all.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import history
from measure import ChildError, alternate, machine, median, note, run_child, spread, table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
STORED = HERE / "instructions.json"
SCENARIOS = {"chain": "7-hop chain", "grid": "13x13 grid, 4 flows", "random": "200 random nodes, 20 flows"}
"""Fixed scenarios of the benchmark binary, by its subcommand."""
LEDGER_SECONDS = {"chain": "30", "grid": "5"}
HOLD_EVENTS = "10000000"
FIELDS = {100: ("1000", 10), 10_000: ("10", 1)}
"""Seconds simulated and number of placements, by number of nodes.

As many frames in each run, as the first ones find empty caches; and many small fields, as how many nodes hear a frame
differs much from one placement of 100 nodes to the next.
"""


def build_binary(example: str, package: str = "hopscope-engine") -> Path:
    """Builds a measuring program of a crate and returns its path."""
    command = ["cargo", "build", "--quiet", "--release", "--locked", "-p", package, "--example", example]
    subprocess.run(command, cwd=ROOT, check=True, stdin=subprocess.DEVNULL)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release" / "examples" / example


# --- Instructions -----------------------------------------------------------------------------------------------------


def find_valgrind() -> str | None:
    """Path of valgrind; installs Debian's package when run as root, otherwise says how to get it."""
    found = shutil.which("valgrind")
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = ["apt-get", "install", "-y", "-q", "valgrind"]
        subprocess.run(install, env=environment, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        found = shutil.which("valgrind")
    if found is None:
        note("instructions left out: valgrind is not installed (Debian: apt install valgrind)")
    return found


def count_instructions(valgrind: str, binary: Path, *scenario: str) -> int:
    """Instructions of one scenario, start-up of the process included."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        command = [valgrind, "--tool=callgrind", f"--callgrind-out-file={out}", binary, *scenario]
        run_child(command)
        for line in out.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(("summary:", "totals:")):
                return int(line.split()[1])
    raise ChildError(f"callgrind counted nothing for {' '.join(scenario)}")


def instruction_rows(valgrind: str, binary: Path, record: bool) -> list[list[str]]:
    """Instruction counts compared with the stored ones."""
    stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    found = {}
    rows = []
    for scenario, title in SCENARIOS.items():
        note(f"counting instructions: {title}")
        count = found[scenario] = count_instructions(valgrind, binary, scenario)
        old = stored.get(scenario)
        change = f"{100 * (count / old - 1):+.2f} % against stored {old / 1e6:.1f}" if old else "nothing stored"
        rows.append([f"instructions, {title}", f"{count / 1e6:.1f}", "million", change])
    if record:
        STORED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return rows


def ledger_rows(valgrind: str, binary: Path) -> list[list[str]]:
    """Instructions of short runs with the airtime ledger over those without."""
    with_ledger = build_binary("ledger")
    rows = []
    for scenario, seconds in LEDGER_SECONDS.items():
        note(f"counting instructions of the airtime ledger: {SCENARIOS[scenario]}")
        off, on = (count_instructions(valgrind, program, scenario, seconds) for program in (binary, with_ledger))
        ratio = f"{on / off:.3f} times the {off / 1e6:.1f} without"
        rows.append([f"instructions with the ledger, {scenario}, {seconds} s", f"{on / 1e6:.1f}", "million", ratio])
    return rows


def capture_instruction_rows(valgrind: str, binary: Path) -> list[list[str]]:
    """Instructions of a short run with a capture of everything over those without."""
    note("counting instructions of a capture")
    with_capture = build_binary("capture", "hopscope-capture")
    off, on = (count_instructions(valgrind, program, "chain", "30") for program in (binary, with_capture))
    ratio = f"{on / off:.3f} times the {off / 1e6:.1f} without"
    return [["instructions with a capture, chain, 30 s", f"{on / 1e6:.1f}", "million", ratio]]


# --- Events per second ------------------------------------------------------------------------------------------------


def event_rows(binary: Path, repeats: int) -> list[list[str]]:
    """Events per second of the engine compared with a bare heap with as many entries of the same size.

    Two counts: queue events alone, and with the radio edges (start and end of each frame at each hearer), which other
    simulators queue and this engine applies without a queue entry.
    """
    rows = []
    for scenario, title in SCENARIOS.items():
        note(f"events per second: {title}")
        pending = str(max(1, figures([binary, scenario])["pending"]))
        runs: list[dict[str, float]] = []

        def engine(_n: int, s: str = scenario, runs: list[dict[str, float]] = runs) -> float:
            runs.append(figures([binary, s]))
            return runs[-1]["events_per_s"]

        rates = alternate(
            {
                "engine": engine,
                "heap": lambda _n, p=pending: figures([binary, "hold", p, HOLD_EVENTS])["events_per_s"],
            },
            repeats,
        )
        queued, heap = median(rates["engine"]), median(rates["heap"])
        steps = median([run["steps_per_s"] for run in runs])
        of_heap = f"of a bare heap's {heap / 1e6:.1f} ({pending} entries of the same size)"
        rows.append([f"events per second, {title}", f"{steps / 1e6:.2f}", "million/s", f"{steps / heap:.2f} {of_heap}"])
        rows.append(
            ["  of them through the queue", f"{queued / 1e6:.2f}", "million/s", f"{queued / heap:.2f} {of_heap}"]
        )
    return rows


def figures(command: list[str | Path]) -> dict[str, float]:
    """What the benchmark binary measured, by name."""
    found: dict[str, float] = json.loads(run_child(command).stdout)
    return found


# --- Fields -----------------------------------------------------------------------------------------------------------


def field_rows(binary: Path, repeats: int) -> list[list[str]]:
    """Time per frame at 100 and 10,000 nodes of the same density, and what the larger field takes."""
    note("fields of 100 and 10,000 nodes")
    samples: dict[int, list[dict[str, float]]] = {nodes: [] for nodes in FIELDS}

    def measure(nodes: int) -> float:
        seconds, placements = FIELDS[nodes]
        runs = [figures([binary, "field", str(nodes), seconds, str(place)]) for place in range(1, placements + 1)]
        samples[nodes] += runs
        return 1e6 * sum(run["run_s"] for run in runs) / sum(run["frames"] for run in runs)

    costs = alternate({str(nodes): lambda _n, count=nodes: measure(count) for nodes in FIELDS}, repeats)
    small, large = (median(costs[str(nodes)]) for nodes in FIELDS)
    build = median([sample["build_s"] for sample in samples[10_000]])
    memory = median([sample["node_bytes"] for sample in samples[10_000]])
    return [
        ["time per frame, 100 nodes", f"{small:.2f}", "us", f"spread {100 * spread(costs['100']):.0f} %"],
        ["time per frame, 10,000 nodes", f"{large:.2f}", "us", f"{large / small:.2f} times that at 100"],
        ["building 10,000 nodes", f"{build:.3f}", "s", ""],
        ["memory of a node at 10,000", f"{memory / 1000:.2f}", "kB", "neighbour lists left out"],
    ]


# --- The package ------------------------------------------------------------------------------------------------------

SWEEP_SIDE = """
import sys, time
import hopscope as hs
from hopscope.running.runner import run
scenario = hs.Scenario(
    title="sweep", duration="300s", seeds=8, topology={"kind": "chain", "hops": 7},
    flow=[{"from": 0, "to": 7}], sweep={"flow.0.max_window": [1, 2, 3, 4, 8, 32]},
)
begin = time.perf_counter()
run(scenario, jobs=int(sys.argv[1]))
print(time.perf_counter() - begin)
"""


def package_rows(repeats: int) -> list[list[str]]:
    """Speed-up by a second worker, and start-up times."""
    note("two workers and start-up")
    python = sys.executable
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    sweep = alternate(
        {jobs: lambda _n, j=jobs: float(run_child([python, "-c", SWEEP_SIDE, j]).stdout) for jobs in ("1", "2")},
        repeats,
    )
    one, two = median(sweep["1"]), median(sweep["2"])
    started = alternate(
        {
            "hopscope --help": lambda _n: run_child([python, "-m", "hopscope", "--help"]).wall_s,
            "import hopscope": lambda _n: run_child([python, "-c", "import hopscope"]).wall_s,
            "bare python": lambda _n: run_child([python, "-c", "pass"]).wall_s,
        },
        repeats,
    )
    rows = [["sweep of 48 runs, 1 worker", f"{one:.2f}", "s", f"2 workers {two:.2f} s: {one / two:.2f} times faster"]]
    if cores < 2:
        rows[0][3] += " (this machine has one core)"
    rows += [[name, f"{median(values):.3f}", "s", ""] for name, values in started.items()]
    return rows


CONTROL_SIDE = """
import json, sys, time
import hopscope as hs
from hopscope.campaign.controls import run

class Mine(hs.CongestionControl):
    def on_ack(self, flow):
        if not flow.window_limited:
            return None
        return flow.cwnd + (min(flow.acked, 1.0) if flow.cwnd < flow.ssthresh else 1.0 / flow.cwnd)

    def on_loss(self, flow):
        return max(flow.in_flight / 2, 2.0)

    def on_timeout(self, flow):
        return 1.0

    def on_rtt(self, flow):
        self.least = flow.min_rtt_s

transport = Mine if sys.argv[1] == "python" else "tcp-newreno"
flow = {"from": 0, "to": "last", "transport": transport}
scenario = hs.Scenario(duration="300s", topology={"kind": "chain", "hops": int(sys.argv[2])}, flow=[flow])
config, controls = scenario.points[0].engine_config(1), scenario.points[0].controls()
begin = time.process_time()
run(config, controls, 1)
print(time.process_time() - begin)
"""


def control_rows(repeats: int) -> list[list[str]]:
    """CPU time of NewReno written in Python, all methods overridden, over that of the engine's."""
    note("a congestion control in Python")
    rows = []
    for hops in ("7", "1"):
        times = alternate(
            {
                side: lambda _n, s=side, h=hops: float(run_child([sys.executable, "-c", CONTROL_SIDE, s, h]).stdout)
                for side in ("python", "engine")
            },
            repeats,
        )
        mine, engine = median(times["python"]), median(times["engine"])
        about = f"{mine / engine:.2f} times the engine's NewReno ({engine:.3f} s)"
        rows.append([f"congestion control in Python, 300 s, hops: {hops}", f"{mine:.3f}", "CPU s", about])
    return rows


CAPTURE_SIDE = """
import sys, tempfile, time
import hopscope as hs
from hopscope import _core

flow = {"from": 0, "to": "last", "transport": "tcp-newreno"}
config = hs.Scenario(duration="60s", topology={"kind": "chain", "hops": 7}, flow=[flow]).points[0].engine_config(1)
with tempfile.TemporaryDirectory() as folder:
    begin = time.process_time()
    if sys.argv[1] == "capture":
        _core.capture(config, folder + "/chain.pcapng", {}, "chain")
    else:
        _core.run(config)
    print(time.process_time() - begin)
"""


def capture_rows(repeats: int) -> list[list[str]]:
    """CPU time of a run with a capture of every frame over that of the run."""
    note("a capture")
    times = alternate(
        {
            side: lambda _n, s=side: float(run_child([sys.executable, "-c", CAPTURE_SIDE, s]).stdout)
            for side in ("capture", "run")
        },
        repeats,
    )
    captured, plain = median(times["capture"]), median(times["run"])
    about = f"{captured / plain:.2f} times the run ({plain:.3f} s)"
    return [["capture of the 7-hop chain, 60 s", f"{captured:.3f}", "CPU s", about]]


def history_rows(valgrind: str | None, binary: Path, repeats: int) -> list[list[str]]:
    """Measures what the history keeps of this commit, and adds it there."""
    found = {}
    if valgrind is not None:
        found = history.instructions_a_frame(binary, lambda *words: count_instructions(valgrind, *words), figures)
        # The run of a second behind the build is a tenth of it.
        crowd = count_instructions(valgrind, binary, "dense", "4000", "1")
        found["4,000 nodes in mutual reach, million instructions"] = crowd / 1e6
    with tempfile.TemporaryDirectory() as folder:
        found |= history.package_figures(repeats, Path(folder))
    field = figures([binary, "field", "10000", "1"])
    found |= {"building 10,000 nodes, s": field["build_s"], "memory of a node, kB": field["node_bytes"] / 1000}
    kept = history.record(found)["figures"]
    shown = {name: f"{value:,.0f}" if value >= 1000 else f"{value:.3g}" for name, value in kept.items()}
    return [[name, shown[name], "", "kept in bench/history.jsonl"] for name in found]


def main() -> int:
    parser = argparse.ArgumentParser(description="Benchmarks of the engine.")
    parser.add_argument("--repeats", type=int, default=5, help="measurements of each number; medians are reported (5)")
    parser.add_argument("--skip-instructions", action="store_true", help="leave out valgrind, which takes a minute")
    parser.add_argument("--record", action="store_true", help="store the instruction counts in bench/instructions.json")
    parser.add_argument("--history", action="store_true", help="measure what bench/history.jsonl keeps, and no more")
    options = parser.parse_args()
    if options.repeats < 1:
        parser.error(f"--repeats {options.repeats}: must be 1 or more")
    try:
        binary = build_binary("bench")
        rows = []
        valgrind = None if options.skip_instructions else find_valgrind()
        if valgrind is not None and not options.history:
            rows += instruction_rows(valgrind, binary, options.record)
            rows += ledger_rows(valgrind, binary)
            rows += capture_instruction_rows(valgrind, binary)
        if not options.history:
            rows += event_rows(binary, options.repeats)
            rows += field_rows(binary, options.repeats)
            rows += control_rows(options.repeats)
            rows += capture_rows(options.repeats)
            rows += package_rows(options.repeats)
        rows += history_rows(valgrind, binary, options.repeats)
    except (ChildError, subprocess.CalledProcessError) as failure:
        note(str(failure))
        return 1
    print(f"{machine()}; medians of {options.repeats}\n")
    print(table(["what", "measured", "unit", "remark"], rows))
    if not options.history:
        (HERE / "latest.json").write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
