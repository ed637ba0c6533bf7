"""What the page of undecodable frames shows: a chain with each treatment of frames heard and not decoded."""

from __future__ import annotations

from pathlib import Path

import hopscope as hs

TREATMENTS = (
    ("energy-only", "strongest"),
    ("locks", "strongest"),
    ("locks", "first-comes"),
)
"""`radio.undecodable` and `radio.capture_rule` of the columns of the table."""


def undecodable(runs: Path) -> tuple[list[str], list[list[str]]]:
    """The 7-hop chain with each treatment of undecodable frames, in both profiles."""
    scenario = hs.Scenario(
        title="effect of undecodable frames",
        topology={"kind": "chain", "hops": 7},
        flow=[{"from": 0, "to": 7, "start": "1s"}],
        duration="301s",
        seeds=5,
        sweep={
            "profile": ["standard", "ns2"],
            "flow.0.max_window": [3, 32],
            "radio.undecodable": ["energy-only", "locks"],
            "radio.capture_rule": ["strongest", "first-comes"],
        },
    )
    result = hs.run(scenario, out=runs / "undecodable")
    rows = []
    for profile in ("standard", "ns2"):
        for window in (3, 32):
            found = []
            for undecodable, rule in TREATMENTS:
                place = {"profile": profile, "flow.0.max_window": window}
                place |= {"radio.undecodable": undecodable, "radio.capture_rule": rule}
                found.append(result.interval("flow.0.throughput_kbps", point=result.find(place).index))
            cells = [f"{interval.mean:.1f} ± {interval.ci95:.1f}" for interval in found]
            change = [f" ({100 * (interval.mean / found[0].mean - 1):+.0f} %)" for interval in found[1:]]
            rows.append([f"`{profile}`", str(window), cells[0], cells[1] + change[0], cells[2] + change[1]])
    return ["profile", "window", *(f"`{a}`, `{b}`" for a, b in TREATMENTS)], rows
