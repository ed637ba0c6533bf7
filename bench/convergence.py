"""How long routing protocols take to go around a dead node, and to use it again when it returns.

    python bench/convergence.py [--seeds 20] [--only babel]

Two paths lead from node 0 to node 2, over two hops and over four; node 1, on the short one, is off from 200 s to 350 s.
Then the same on the short path alone, where nothing arrives meanwhile.  A packet of 200 bytes goes out each 0.1 s, so
times are that exact.  The flow begins at another instant in each run: paths that are renewed by use have their phase
from it.  Exit status: 0 packets arrived again in every run, 1 they did not.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import hopscope as hs
from hopscope.results.stats import interval, interval_text
from measure import note, table

PLACES = [[0, 300], [200, 300], [400, 300], [0, 60], [200, 0], [400, 60]]
"""Metres; nodes hear each other up to 250 m. The first three are the short path."""
BEGINS_S, DIES_S, RETURNS_S, ENDS_S = 150, 200, 350, 450
"""Seconds: of the flow at the earliest, of the outage of node 1, and of the run."""
PHASES_S = 10
GOLDEN = 0.618034
"""Its multiples spread evenly over the unit interval, however many there are."""
SHORT_HOPS = 2


@dataclass(frozen=True)
class Case:
    """A protocol with a set of parameters.

    Attributes:
        protocol: value of ``routing.protocol``.
        parameters: the set.
        timers: what its times follow from.
    """

    protocol: str
    parameters: str
    timers: str


CASES = [
    Case("aodv", "rfc3561", "a link is lost when the MAC gives up; then a search, ring by ring"),
    Case("aodv", "aodv-uu", "HELLO 1 s, 2 missing; then a search, ring by ring"),
    Case("olsr", "rfc3626", "HELLO 2 s, valid for 6 s; TC 5 s"),
    Case("olsr", "olsr-etx", "HELLO 2 s, share of 32 s; TC 5 s"),
    Case("olsr", "olsrd", "HELLO 2 s, share of 32 s; TC 5 s, valid for 300 s"),
    Case("babel", "rfc8966", "Hello 4 s, half-life 4 s, update 16 s"),
    Case("babel", "babeld", "Hello 4 s, half-life 4 s, update 16 s"),
    Case("batman_iv", "batman-adv", "OGM 1 s, 5 missing; windows of 64 OGMs"),
    Case("batman_v", "batman-adv", "OGM 1 s, 5 missing; ELP 0.5 s"),
    Case("hwmp", "ieee80211s", "14 packets given up in a row; beacon 1.024 s"),
    Case("hwmp", "linux", "the same; paths of 5.12 s renewed 1 s before their end"),
]


def arrivals(case: Case, seed: int, places: list[list[int]]) -> list[tuple[float, int]]:
    """Instants in seconds at which packets arrived at node 2, with their hops."""
    start = BEGINS_S + PHASES_S * (seed * GOLDEN % 1)
    document = {
        "duration": f"{ENDS_S}s",
        "topology": {"kind": "positions", "positions": places},
        "routing": {"protocol": case.protocol, "parameters": case.parameters},
        "outage": [{"node": 1, "from": DIES_S, "to": RETURNS_S}],
        "flow": [
            {"from": 0, "to": 2, "transport": "udp", "app": "cbr", "rate": "16kbps", "packet": 200, "start": start}
        ],
    }
    records = hs.trace(document, seed=seed, nodes=[2], kinds=["PacketArrived"])
    assert not isinstance(records, int)  # only with a file is it a count
    return [(record["time"] / 1e9, record["hops"]) for record in records if record.get("flow") == 0]


def first(arrived: list[tuple[float, int]], after: float, until: float, hops: int | None = None) -> float | None:
    """Seconds from ``after`` to the first packet, of so many hops if they are given; None: there is none."""
    found = (at for at, took in arrived if after < at < until and hops in (None, took))
    at = next(found, None)
    return None if at is None else at - after


def around(case: Case, seed: int) -> tuple[float | None, float | None]:
    """Seconds until packets go around the dead node, and until they take the short path when it is back."""
    arrived = arrivals(case, seed, PLACES)
    return first(arrived, DIES_S, RETURNS_S), first(arrived, RETURNS_S, ENDS_S, SHORT_HOPS)


def again(case: Case, seed: int) -> float | None:
    """Seconds until packets arrive once the only path is back."""
    return first(arrivals(case, seed, PLACES[: SHORT_HOPS + 1]), RETURNS_S, ENDS_S)


def shown(times: list[float | None]) -> str:
    """Mean, 95 % interval and largest of the times; how many there are, if some lack."""
    found = [one for one in times if one is not None]
    if not found:
        return f"not within {ENDS_S - RETURNS_S} s"
    lacking = "" if len(found) == len(times) else f", {len(found)} of {len(times)} runs"
    return f"{interval_text(interval(found).as_dict())} (at most {max(found):.1f}{lacking})"


def row(case: Case, seeds: int) -> tuple[list[str], bool]:
    """A line of the table, and whether packets arrived again in every run."""
    note(f"{case.protocol} {case.parameters}")
    both: list[Any] = [around(case, seed) for seed in range(1, seeds + 1)]
    death, short = ([one[place] for one in both] for place in (0, 1))
    only = [again(case, seed) for seed in range(1, seeds + 1)]
    cells = [f"{case.protocol} ({case.parameters})", case.timers, shown(death), shown(short), shown(only)]
    return cells, None not in death + only


def main() -> int:
    parser = argparse.ArgumentParser(description="How long routing protocols take after a death and a return.")
    parser.add_argument("--seeds", type=int, default=20, help="runs of each (20)")
    parser.add_argument("--only", choices=sorted({case.protocol for case in CASES}), help="only this protocol")
    options = parser.parse_args()
    rows = [row(case, options.seeds) for case in CASES if options.only in (None, case.protocol)]
    heads = [
        "protocol (set)",
        "its timers",
        "around the dead node",
        "on the short path again",
        "over the only path again",
    ]
    print(table(heads, [cells for cells, _ in rows]))
    return 0 if all(sound for _, sound in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
