"""What a reader of results should know before believing them: remarks on whole results and tables, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopscope.errors import counted, ranges
from hopscope.results import stacks

if TYPE_CHECKING:
    from hopscope.results.points import BaseResult, PointResult
    from hopscope.results.samples import Table

#: Larger networks are not looked at again.
_MANY = 10_000

#: The key by which flows start at random.
START_JITTER = "flow.*.start_jitter"

#: Share of the time, per cent, from which the receiver's window is said to limit a flow.
MOST_OF_THE_TIME = 50.0


def remarks(result: BaseResult) -> list[str]:
    """The remarks on a result, of real stacks first whether to trust them."""
    return around(result, [])


def around(result: BaseResult, answer: Sequence[str]) -> list[str]:
    """The answer with the remarks around it: before it whether to trust real stacks, behind it all others."""
    return [*stacks.sentences(result), *answer, *others(result)]


def others(result: BaseResult) -> list[str]:
    """What was left out, ranges of another rate, flows whose receiver's window decides."""
    left_out = dict.fromkeys(
        text for point in result.scenario.points if result.live is None and (text := point.remark_on_programs)
    )
    return [*left_out, *_ranges(result), *_windows(result), *_replications(result)]


def _replications(result: BaseResult) -> list[str]:
    """Points whose replications are one run, which an interval of no width would hide."""
    same = [point for point in result.points if point.is_one_run]
    if not same:
        return []
    where = f" at {len(same)} of {counted(len(result.points), 'point')}" if len(same) < len(result.points) else ""
    return [
        f"the {counted(len(same[0].runs), 'seed')} give the same run{where} (nothing in it is random): no interval. "
        f"Random start times ({START_JITTER}), losses of a link or wire, or random places would make them differ"
    ]


def _ranges(result: BaseResult) -> list[str]:
    """Points whose rate is not that of their receive range, a remark a rate."""
    nodes = next((len(point.runs[0]["nodes"]) for point in result.points if point.runs), 0)
    if nodes > _MANY:
        return []
    return list(dict.fromkeys(text for point in result.scenario.points if (text := point.remark_on_ranges)))


def _windows(result: BaseResult) -> list[str]:
    """Flows limited by ``max_window`` most of the time; a sweep over it shows as much and needs no remark."""
    if any(axis.endswith(".max_window") for axis in result.scenario.axes):
        return []
    shares: dict[int, list[float]] = {}
    points: set[int] = set()
    for point in result.points:
        for flow, share in _limited(point):
            shares.setdefault(flow, []).append(share)
            points.add(point.index)
    if not shares:
        return []
    every = [share for of in shares.values() for share in of]
    low, high = min(every), max(every)
    reported = f"{low:.0f}" if round(low) == round(high) else f"{low:.0f} to {high:.0f}"
    alone = all(len(point.runs[0]["flows"]) == 1 for point in result.points if point.runs)
    flows = "the flow" if alone else f"flow{'s' * (len(shares) > 1)} {ranges(sorted(shares))}"
    where = f" at {len(points)} of {counted(len(result.points), 'point')}" if len(points) < len(result.points) else ""
    return [
        f"the receiver's window (max_window) limits {flows} for {reported} % of the time{where}: what a congestion "
        f"control would do above it does not show; raise flow.*.max_window to see it"
    ]


def _limited(point: PointResult) -> list[tuple[int, float]]:
    """The flows of a point that are limited, with the share of their time."""
    found = []
    for flow in point.runs[0]["flows"] if point.runs else []:
        share = point.summary.get(f"flow.{flow['id']}.window_limited_pct", {}).get("mean")
        if share is not None and share > MOST_OF_THE_TIME:
            found.append((flow["id"], share))
    return found


def silent_flows(tables: Sequence[Table]) -> list[str]:
    """One remark for each table in which a flow carried nothing, with the first place and the engine's reason."""
    remarks = []
    for table in tables:
        silent = [
            (where, run["seed"], flow)
            for where, runs in table.points
            for run in runs
            for flow in run["flows"]
            if not flow["received_packets"]
        ]
        if not silent:
            continue
        where, seed, flow = silent[0]
        total = sum(len(runs) for _, runs in table.points)
        place = "".join(f"{key} = {value}, " for key, value in where.items())
        reason = f": {flow['note']}" if flow.get("note") else ""
        count = len({(str(w), s) for w, s, _ in silent})
        remarks.append(
            f"{table.label}: a flow carried nothing in {count} of {total} runs "
            f"(first: {place}seed {seed}, flow {flow.get('id', 0)}{reason})"
        )
    return remarks
