"""What a run on real stacks gave, in words: one sentence, the lateness, the books of frames, the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hopscope.errors import counted
from hopscope.results.stacks import trust


def answer(found: Mapping[str, Any]) -> str:
    """The run in one sentence."""
    flows = found["flows"]
    total = sum(flow["throughput_kbps"] for flow in flows)
    carried = f"{counted(len(flows), 'flow')} carried {total:.1f} kbit/s together" if len(flows) > 1 else ""
    if len(flows) == 1:
        carried = f"the flow carried {total:.1f} kbit/s"
    what = carried or f"{counted(len(found['programs']), 'program')} used the network"
    return f"In {found['seconds']:.3g} s of {found['clock']} time {what}; {trust(found)}."


def lateness(radio: Mapping[str, Any]) -> str:
    """How late frames were delivered, and what that took of a core."""
    late = radio["lateness_us"]
    figures = ", ".join(f"{key} {late[key]:.0f}" for key in ("p50", "p99", "max"))
    share, core = 100 * radio["share_above_1ms"], 100 * radio["core_share"]
    return (
        f"lateness of {counted(late['count'], 'arrival')}: {figures} us; {share:.2g} % above 1 ms; "
        f"{core:.1f} % of a core under {radio['scheduling']}"
    )


def books(radio: Mapping[str, Any]) -> str:
    """Where the frames of the nodes have gone."""
    frames = radio["frames"]
    lost = sum(frames["lost"].values())
    reasons = ", ".join(f"{number} {reason}" for reason, number in frames["lost"].items() if number)
    parts = f"{frames['out']} arrived, {lost} lost{f' ({reasons})' if reasons else ''}, {frames['under_way']} under way"
    return f"frames: {frames['in']} came from the nodes: {parts}"
