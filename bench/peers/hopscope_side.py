"""Hopscope's side of the comparison: loads a scenario, runs it once in the engine, prints what that cost.

    python hopscope_side.py scenario.toml profile routing seed

Prints one JSON object: CPU seconds of the engine call (building the network, simulating, returning the result) and the
payload bytes each flow delivered. Loading Python and the scenario is outside the engine's figure; the caller sees the
whole process.
"""

from __future__ import annotations

import json
import resource
import sys

from hopscope import _core
from hopscope.scenario import load


def cpu_seconds() -> float:
    """User and system CPU seconds of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    path, profile, routing, seed = sys.argv[1:]
    scenario = load(path, set={"profile": profile, "routing.protocol": routing})
    config = scenario.points[0].engine_config(int(seed))
    before = cpu_seconds()
    found = _core.run(config)
    engine = cpu_seconds() - before
    result = found.values()
    delivered = [flow["received_bytes"] for flow in result["flows"]]
    print(json.dumps({"engine_cpu_s": engine, "delivered": delivered, "events": result["engine"]["events"]}))


if __name__ == "__main__":
    main()
