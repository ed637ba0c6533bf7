"""What the paths among moving nodes would allow, and what TCP carries: the second curve of zhang2006, figure 2-3.

    python bench/paths.py [--seeds N] [--jobs N]

Holland and Vaidya (1999), whom the thesis quotes, take the throughput of static chains and weigh each with the time in
which the shortest path between source and destination is as long. Here the chains are measured with the same flow and
routing protocol, and the paths are those of the same movement patterns as in `zhang2006.fig2-3`. One line for each
setting: what is carried, what is allowed, and the paired difference, as means with 95 % intervals in kbit/s.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from functools import cache
from statistics import fmean
from typing import Any

import hopscope
from hopscope import _core
from hopscope.results.samples import estimate, show
from hopscope.studies.registry import find

#: Seconds between two looks at the positions: two nodes at 33 m/s come 17 m nearer in it.
STEP = 0.25
#: Hops of the longest chain measured; longer paths count like it: ten hops carry 90 % of what six do.
LONGEST = 10
#: Seeds of the static chains.
REPETITIONS = 5


@cache
def chains(document: str) -> Sequence[float]:
    """What a flow carries over a static chain of no hop (nothing), one hop, two and so on, kbit/s.

    `document`: profile, routing and flow of a scenario, as JSON.
    """
    given = json.loads(document)
    flow = {key: value for key, value in given["flow"][0].items() if key not in ("pattern", "copies")}
    chain = {
        **given,
        "duration": "60s",
        "seeds": REPETITIONS,
        "topology": {"kind": "chain", "spacing": "200m"},
        "flow": [{**flow, "from": 0, "to": "last"}],
        "sweep": {"topology.hops": list(range(1, LONGEST + 1))},
    }
    points = hopscope.run(chain, jobs=1).points
    return 0.0, *(fmean(run["flows"][0]["throughput_kbps"] for run in point.runs) for point in points)


@cache
def hops(document: str, seed: int, start: int, end: int) -> Sequence[int]:
    """Hops of the shortest path between two nodes at every step of a run; 0: there is none.

    `document`: a scenario without routing and flows, as JSON.
    """
    given = json.loads(document)
    # Only the movement counts: as little traffic as a scenario must have, by routes that need not be there.
    idle = {"from": start, "to": end, "transport": "udp", "app": "cbr", "rate": "1kbps", "packet": 1000}
    simulation = hopscope.Simulation({**given, "routing": {"protocol": "dsr"}, "flow": [idle]}, seed=seed)
    reach = float(_core.base_config(given["profile"], "wavelan-2M")["radio"]["tx_range"])
    found = []
    while not simulation.is_over:
        found.append(distance(_core.near(simulation.positions, reach), start, end))
        simulation.run_until(simulation.now + STEP)
    return found


def distance(near: Sequence[Sequence[int]], start: int, end: int) -> int:
    """Hops between two nodes whose neighbours are known; 0: they do not reach each other."""
    reached, edge, count = {start}, [start], 0
    while edge and end not in reached:
        edge = sorted({node for at in edge for node in near[at]} - reached)
        reached.update(edge)
        count += 1
    return count if end in reached else 0


def allowed(document: Mapping[str, Any], run: Mapping[str, Any]) -> float:
    """What the paths of one run of a scenario would allow its flow, kbit/s."""
    carried = chains(json.dumps({key: document[key] for key in ("profile", "routing", "flow")}))
    still = json.dumps({key: value for key, value in document.items() if key not in ("routing", "flow", "title")})
    [flow] = run["flows"]
    found = hops(still, run["seed"], flow["from"], flow["to"])
    return fmean(carried[min(number, LONGEST)] for number in found)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, help="movement patterns; default: those of the entry")
    parser.add_argument("--jobs", type=int, help="runs at a time; default: all cores")
    given = parser.parse_args(arguments)
    [entry] = find(["zhang2006.fig2-3"])
    for setting in entry.settings:
        document = setting.document()
        [point] = hopscope.run(document, seeds=given.seeds, jobs=given.jobs).points
        measured = [float(run["flows"][0]["throughput_kbps"]) for run in point.runs]
        limits = [allowed(document, run) for run in point.runs]
        gap = [limit - rate for limit, rate in zip(limits, measured, strict=True)]
        shown = (show(estimate(values), "kbit/s") for values in (measured, limits, gap))
        print("{}: carried {}, allowed {}, difference {}".format(setting.label, *shown))


if __name__ == "__main__":
    main()
