"""The history of figures: what `make bench` measures of a commit, a line each in bench/history.jsonl.

Instructions a frame and memory do not depend on the load of the machine; the other figures are processor time, which
depends on it little, and are medians. The documentation draws them (tools/benchmarks.py).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from measure import alternate, machine, median, note, run_child

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "bench" / "history.jsonl"

#: Name -> scenario of the benchmark binary, its seconds (a short and a long run), and its routing. What a run takes
#: before its first frame is in both and drops out.
FRAMES: dict[str, tuple[str, int, int, str]] = {
    "chain": ("chain", 5, 30, "static"),
    "grid": ("grid", 3, 8, "static"),
    "random": ("random", 3, 8, "static"),
    "AODV over random": ("random", 3, 8, "aodv"),
    "AODV, moving": ("moving", 3, 8, "aodv"),
}
RUNS = 1000

STORE_SIDE = f"""
import sys, tempfile, time
import hopscope as hs
scenario = hs.Scenario(
    duration="1s", seeds={RUNS}, topology={{"kind": "chain", "hops": 7}}, flow=[{{"from": 0, "to": 7}}]
)
hs.run(scenario.replace({{"seeds": 1}}), jobs=1, progress=False)
with tempfile.TemporaryDirectory() as folder:
    begin = time.process_time()
    hs.run(scenario, jobs=1, progress=False, out=folder + "/store" if sys.argv[1] == "store" else None)
    print(time.process_time() - begin)
"""

SHORT = 'duration = "1s"\n[topology]\nkind = "chain"\nhops = 2\n[[flow]]\nfrom = 0\nto = 2\n'


def instructions_a_frame(
    binary: Path, count: Callable[..., int], figures: Callable[..., Mapping[str, float]]
) -> dict[str, float]:
    """Instructions for each frame on the air of every scenario; `count` counts those of a run of the binary."""
    found = {}
    for name, (scenario, short, long, routing) in FRAMES.items():
        note(f"instructions a frame: {name}")
        os.environ["ROUTING"] = routing
        frames, counted = (
            [measure(scenario, str(seconds)) for seconds in (short, long)]
            for measure in (lambda *words: figures([binary, *words])["frames"], lambda *words: count(binary, *words))
        )
        found[f"instructions a frame, {name}"] = (counted[1] - counted[0]) / (frames[1] - frames[0])
    del os.environ["ROUTING"]
    return found


def package_figures(repeats: int, folder: Path) -> dict[str, float]:
    """What a store costs a run, and what the command and an import cost."""
    note("what a store costs, and the start of the command")
    (folder / "short.toml").write_text(SHORT, encoding="utf-8")
    python, command = sys.executable, [sys.executable, "-m", "hopscope", "run", folder / "short.toml"]
    sides = alternate(
        {
            "store": lambda _n: float(run_child([python, "-c", STORE_SIDE, "store"]).stdout),
            "none": lambda _n: float(run_child([python, "-c", STORE_SIDE, "none"]).stdout),
            "import": lambda _n: run_child([python, "-c", "import hopscope"]).cpu_s,
            "command": lambda n: run_child([*command, "--out", folder / f"store-{n}"]).cpu_s,
        },
        repeats,
    )
    cost = {side: median(samples) for side, samples in sides.items()}
    return {
        "run of 1 s, CPU ms": 1000 * cost["none"] / RUNS,
        "store a run, CPU ms": 1000 * (cost["store"] - cost["none"]) / RUNS,
        "import hopscope, CPU s": cost["import"],
        "hopscope run of a short scenario, CPU s": cost["command"],
    }


def record(figures: Mapping[str, float], file: Path = FILE) -> dict[str, Any]:
    """Adds the figures of this commit, in place of earlier ones of it on the same machine; those not measured stay."""
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
    commit, date = (_git("log", "-1", "--abbrev=7", f"--format={form}") for form in ("%h", "%cs"))
    if _git("status", "--porcelain", "--untracked-files=no", "--", ".", f":!{FILE.relative_to(ROOT)}"):
        commit += "+"  # with changes that are not committed
    here = {"commit": commit, "date": date, "measured": f"{datetime.now(UTC):%Y-%m-%d}", "machine": machine()}
    same = [line for line in lines if (line["commit"], line["machine"]) == (commit, here["machine"])]
    before = same[-1]["figures"] if same else {}
    rounded = {name: float(f"{value:.4g}") for name, value in figures.items()}
    line = {**here, "figures": {**before, **rounded}}
    lines = [*(line for line in lines if line not in same), line]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return line


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, check=False, capture_output=True, text=True)
    return done.stdout.strip() or ("unknown" if words[0] == "log" else "")
