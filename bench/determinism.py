"""The same scenarios again, with one and with several workers: results must agree to the last digit.

    python bench/determinism.py

Exit status 1, with the scenario named, when two results differ in anything but the wall time.
"""

from __future__ import annotations

import json
import sys

import hopscope as hs

SCENARIOS = [
    {
        "title": "chain, TCP variants",
        "topology": {"kind": "chain", "hops": 7},
        "flow": [{"from": 0, "to": 7}],
        "sweep": {
            "profile": ["standard", "ns2"],
            "flow.0.transport": ["tcp-tahoe", "tcp-reno", "tcp-newreno", "tcp-sack", "tcp-vegas", "udp"],
        },
    },
    {
        "title": "grid, 4 flows",
        "topology": {"kind": "grid", "rows": 7, "cols": 7},
        "flow": [{"from": 14, "to": 20}, {"from": 28, "to": 34}, {"from": 2, "to": 44}, {"from": 4, "to": 46}],
        "sweep": {"profile": ["standard", "ns2"], "radio.interference": ["capture", "range", "sinr"]},
    },
    {
        "title": "random field, errors",
        "topology": {"kind": "random", "nodes": 60, "area": [1200, 800], "connected": True},
        "radio": {"error": {"kind": "uniform", "per": 0.05}},
        "flow": [{"from": i, "to": i + 30, "transport": "tcp-newreno" if i % 2 else "udp"} for i in range(8)],
        "sweep": {"mac.rts_threshold": [0, "off"], "profile": ["standard", "ns2"]},
    },
]


def outcome(document: dict[str, object], jobs: int) -> str:
    """The result of a scenario as text, without the wall times."""
    result = hs.run(hs.Scenario({**document, "duration": "20s", "seeds": 2}), jobs=jobs).to_json()
    for point in result["points"]:
        for run in point["runs"]:
            del run["engine"]["wall_s"]
    return json.dumps(result, sort_keys=True)


def main() -> int:
    different = 0
    for document in SCENARIOS:
        first = outcome(document, 1)
        for label, jobs in (("again", 1), ("with 4 workers", 4)):
            same = outcome(document, jobs) == first
            print(f"{document['title']}, {label}: {'identical' if same else 'DIFFERENT'}")
            different += not same
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
