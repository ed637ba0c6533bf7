"""Trajectories of random scenarios, to hold two versions of the project against each other.

    OLD/.venv/bin/python bench/trajectories.py > old.txt
    NEW/.venv/bin/python bench/trajectories.py --against old.txt

Each version reads the scenarios itself, so that a default that changed shows as well. A line has the number of a
scenario, the hash of its trajectory (every frame: instant, transmitter, kind, receiver) and the words that it was drawn
from. With `--against` the scenarios that moved are counted by these words, which points at the rule that moved them.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.scenario import Scenario

CONTROLS = ["tahoe", "reno", "newreno", "sack", "vegas", "veno", "westwood", "fast", "cubic", "htcp", "bbr", "bbr3"]
ACKS = ["every", "every", "every", "delayed", "linux", "linux-modern", "mda", "daa", "fixed"]
APPS = [{"app": "bulk"}, {"app": "file", "bytes": 50_000}, {"app": "cbr", "rate": "300kbps"}]
PRESETS = {
    "standard": ["wavelan-2M", "dsss-2M", "wavelan-11M", "erp-ofdm-24M"],
    "ns2": ["wavelan-2M", "wavelan-11M"],
    "as-ns3": ["dsss-2M", "wavelan-11M"],
}


def drawn(dice: random.Random) -> tuple[list[str], dict[str, Any]]:
    """One scenario of three seconds and the words that it was drawn from."""
    profile = dice.choices(["standard", "ns2", "as-ns3"], [4, 4, 2])[0]
    preset = dice.choice(PRESETS[profile])
    routing = dice.choices(["static", "aodv", "dsdv", "dsr", "olsr"], [6, 3, 1, 1, 1])[0]
    kind, topology = dice.choice(
        [
            ("chain", {"kind": "chain", "hops": dice.randint(1, 7)}),
            ("cross", {"kind": "cross", "hops": 4}),
            ("grid", {"kind": "grid", "rows": 3, "cols": 4}),
            (
                "random",
                {"kind": "random", "nodes": 12, "area": [400, 300], "connected": True, "seed": dice.randint(1, 99)},
            ),
        ]
    )
    words = [profile, preset, routing, kind]
    scenario: dict[str, Any] = {
        "duration": "3s",
        "seed": dice.randint(1, 1000),
        "profile": profile,
        "topology": topology,
        "radio": {"preset": preset},
        "mac": {"rts_threshold": dice.choice([0, 0, 500, "off"]), "queue": dice.choice([5, 20, 50])},
        "routing": {"protocol": routing},
    }
    if dice.random() < 0.2:
        scenario["radio"]["error"] = {"kind": "uniform", "per": dice.choice([0.02, 0.2])}
        words.append("errors")
    if kind == "random" and dice.random() < 0.4:
        scenario["mobility"] = {"model": "random-waypoint"}
        words.append("moving")
    if dice.random() < 0.15:
        scenario["mac"]["link"] = dice.choice(["lred", "pacing", "red", "codel", "fq-codel"])
        words.append(scenario["mac"]["link"])
    count = {"chain": topology.get("hops", 0) + 1, "cross": 9, "grid": 12, "random": 12}[kind]
    scenario["flow"] = []
    for _ in range(dice.choices([1, 2, 3], [4, 2, 1])[0]):
        source, sink = dice.sample(range(count), 2)
        flow: dict[str, Any] = {"from": source, "to": sink, "start": f"{dice.randint(0, 500)}ms"}
        if dice.random() < 0.25:
            flow |= {"transport": "udp", **dice.choice(APPS[1:])}
            words.append("udp")
        else:
            control = dice.choice(CONTROLS)
            flow |= {"transport": f"tcp-{control}", "max_window": dice.choice([4, 32]), **dice.choice(APPS)}
            flow["ack"] = dice.choice(ACKS)
            words += [f"tcp-{control}", f"ack-{flow['ack']}"]
        scenario["flow"].append(flow)
    return words, scenario


def hashes(count: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    """The hash of each scenario, with its words."""
    dice = random.Random(seed)
    for _ in range(count):
        words, values = drawn(dice)
        scenario = Scenario(values)
        yield f"{_core.trajectory(scenario.points[0].engine_config(scenario.seed)):016x}", words


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--against", type=Path, help="what another version printed")
    options = parser.parse_args()
    lines = [
        f"{number} {found} {' '.join(words)}"
        for number, (found, words) in enumerate(hashes(options.count, options.seed))
    ]
    if options.against is None:
        print("\n".join(lines))
        return 0
    before = options.against.read_text().splitlines()
    if [line.split()[2:] for line in before] != [line.split()[2:] for line in lines]:
        print(f"{options.against}: has other scenarios (--count, --seed)", file=sys.stderr)
        return 2
    moved = [new.split() for old, new in zip(before, lines, strict=True) if old != new]
    print(f"{len(moved)} of {len(lines)} moved")
    every = collections.Counter(word for line in lines for word in set(line.split()[2:]))
    for word, number in collections.Counter(word for line in moved for word in set(line[2:])).most_common():
        print(f"  {word}: {number} of {every[word]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
