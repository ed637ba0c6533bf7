"""What grows with its input: flows, copies, points, nodes and runs, each in a process of its own.

    python bench/growth.py [--runs 100000]

Prints processor time and memory (growth of the largest resident set, libraries included) of loading scenarios with many
flows, copies, points and nodes, and of opening and showing stores. The store is made quickly: one run of the engine
stands for all, each under its own key and checksum with other numbers, so that it is a store in every respect but where
its numbers come from. Exit status 1 when a store of 100,000 runs takes longer or more than is promised.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measure import machine, note, run_child, table

#: Promises for a store of 100,000 runs: seconds to open and to show it, bytes of memory a run.
OPENS_S, SHOWS_S, A_RUN = 2.0, 5.0, 2_000
SEEDS = 100
GRID = {"kind": "grid", "rows": 10, "cols": 10}


# --- What is measured, in a process of its own ------------------------------------------------------------------------


def flows(count: int) -> None:
    load(
        [
            {"from": index % 99, "to": index % 99 + 1, "transport": "udp", "app": "cbr", "rate": "8kbps"}
            for index in range(count)
        ]
    )


def copies(count: int, points: int = 1) -> None:
    # A node has ports for 16,384 flows that begin there.
    each = [min(16_384, count - begin) for begin in range(0, count, 16_384)]
    udp = {"transport": "udp", "app": "cbr", "rate": "8kbps"}
    tables = [{"from": index, "to": 99 - index, **udp, "copies": of} for index, of in enumerate(each)]
    load(tables, {} if points == 1 else {"sweep": {"mac.queue": list(range(1, points + 1))}})


def points(count: int) -> None:
    load([{"from": 0, "to": 99}], {"sweep": {"mac.queue": list(range(1, count + 1))}})


def nodes(count: int) -> None:
    """A crowded field at six points: each node of 21,000 hears 5,000 others."""
    field = {"kind": "random", "nodes": count, "area": [2500, 1000]}
    sweep = {"profile": ["standard", "ns2", "as-ns3"], "routing.protocol": ["static", "aodv"]}
    load([{"pattern": "random", "copies": 20}], {"topology": field, "sweep": sweep})


def load(tables: list[dict[str, Any]], more: dict[str, Any] | None = None) -> None:
    from hopscope import Scenario

    scenario = Scenario({"duration": "1s", "topology": GRID, "flow": tables, **(more or {})})
    assert scenario.points


def open_store(store: str) -> None:
    from hopscope.campaign.store import open_store as opened

    assert opened(store).title


def show(store: str) -> None:
    from hopscope.cli.main import build

    with contextlib.redirect_stdout(io.StringIO()) as shown:
        build()(["show", store], standalone_mode=False)
    assert len(shown.getvalue().splitlines()) > Path(store, "runs").stat().st_nlink


def work(name: str, argument: str) -> None:
    """Does one of these and prints its processor time in seconds and the bytes by which it made the process grow."""
    import hopscope  # noqa: F401 (what every user of it has loaded)

    doers: dict[str, Callable[[], None]] = {
        "flows": lambda: flows(int(argument)),
        "copies": lambda: copies(*map(int, argument.split("x"))),
        "points": lambda: points(int(argument)),
        "nodes": lambda: nodes(int(argument)),
        "open": lambda: open_store(argument),
        "show": lambda: show(argument),
    }
    before, begun = largest(), time.process_time()
    doers[name]()
    took = time.process_time() - begun
    print(json.dumps([took, largest() - before]))


def largest() -> int:
    """The largest resident set of this process so far, in bytes; what `getrusage` gives is that of its parent too."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def measured(name: str, argument: object) -> tuple[float, int]:
    note(f"{name} {argument}")
    done = run_child([sys.executable, __file__, "--work", name, str(argument)])
    seconds, grown = json.loads(done.stdout)
    return seconds, grown


# --- A large store ----------------------------------------------------------------------------------------------------


def make_store(folder: Path, runs: int) -> None:
    """Makes a store of so many runs, 100 seeds a point."""
    from hopscope import Scenario, _core
    from hopscope.campaign.plan import make_plan
    from hopscope.campaign.store import Store

    chain = {"duration": "1s", "topology": {"kind": "chain", "hops": 3}, "flow": [{"from": 0, "to": "last"}]}
    sweep = {"mac.queue": list(range(1, runs // SEEDS + 1))}
    scenario = Scenario({"title": "many runs", "seeds": SEEDS, **chain, "sweep": sweep})
    plan = make_plan([scenario])
    model, dice = _core.run(scenario.points[0].engine_config(1)).values(), random.Random(1)
    store = Store(folder)
    store.prepare(plan, scenario.title)
    with store.keeping():
        for run in plan.unique():
            flow = {**model["flows"][0], "throughput_kbps": 1000 * dice.random(), "delay_ms": 100 * dice.random()}
            store.keep(run.key, json.dumps({**model, "seed": run.seed, "flows": [flow]}, separators=(",", ":")))
    results = store.results()
    assert not store.problems
    store.write_tables(results)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100_000, help="runs of the larger store, at least 10000 (100000)")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.work is not None:
        work(*chosen.work)
        return 0
    if chosen.runs < 10_000:
        parser.error(f"--runs: found {chosen.runs}; expected at least 10000")
    loads: list[tuple[str, str, object]] = [
        *((f"{count:,} `[[flow]]` tables", "flows", count) for count in (10_000, 30_000, 100_000)),
        ("10,000 copies of a flow at 4 points of a sweep", "copies", "10000x4"),
        ("65,536 copies", "copies", "65536x1"),
        ("65,536 copies at 4 points", "copies", "65536x4"),
        *((f"{count:,} points of a sweep", "points", count) for count in (1_000, 10_000)),
        *((f"{count:,} nodes in 2.5 km2 at 6 points", "nodes", count) for count in (2_100, 21_000)),
    ]
    found = [(title, *measured(name, argument)) for title, name, argument in loads]
    late = []
    with tempfile.TemporaryDirectory() as folder:
        shows = {}
        for runs in (chosen.runs // 10, chosen.runs):
            store = Path(folder) / str(runs)
            note(f"making a store of {runs:,} runs")
            make_store(store, runs)
            opened, shows[runs] = measured("open", store), measured("show", store)
            found.append((f"a store of {runs:,} runs: `hopscope.open_store`", *opened))
            found.append(("the same: `hopscope show`", *shows[runs]))
            late += [f"open_store: {opened[0]:.1f} s"] if opened[0] > OPENS_S else []
        a_run = (shows[chosen.runs][1] - shows[chosen.runs // 10][1]) / (chosen.runs - chosen.runs // 10)
        late += [f"show: {shows[chosen.runs][0]:.1f} s"] if shows[chosen.runs][0] > SHOWS_S else []
        late += [f"{a_run:.0f} bytes a run"] if a_run > A_RUN else []
    print(f"{machine()}\n")
    rows = [[title, f"{seconds:.2f} s", f"{grown / 1e6:.0f} MB"] for title, seconds, grown in found]
    print(table(["work", "processor", "memory"], rows))
    print(f"\n`hopscope show`: {a_run:.0f} bytes of memory for each run more")
    for text in late:
        print(f"more than promised: {text}", file=sys.stderr)
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
