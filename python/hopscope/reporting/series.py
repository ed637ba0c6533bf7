"""Time series of a result as figures: one run of each chosen point, from the start of the run to its end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError, ranges
from hopscope.reporting.chart import Chart, Kind, Line, Panel
from hopscope.reporting.wording import seeds
from hopscope.results import metrics
from hopscope.scenario.naming import spoken
from hopscope.scenario.sweep import is_named

if TYPE_CHECKING:
    import pandas as pd

    from hopscope.results import Result
    from hopscope.results.points import PointResult
    from hopscope.results.stored import RunResult

    Runs = Sequence[tuple[PointResult, RunResult]]

#: A legend with more lines than this cannot be read; further flows and nodes are left to the tables.
LINES = 8
# A curve is thinned to this many samples: more than a printed page resolves.
_SAMPLES = 4000
# With more outages than these the legend does not name their nodes.
_NAMED = 4


@dataclass(frozen=True)
class Selection:
    """The runs whose time series are drawn.

    Attributes:
        points: points of the sweep, each by its number, counted from 0, or by ``key=value`` for all that have it;
            empty: the first with a run.
        seeds: seeds, of each of these points; empty: the first of the point.
    """

    points: Sequence[str] = ()
    seeds: Sequence[int] = ()

    def of(self, result: Result) -> list[tuple[PointResult, RunResult]]:
        """The chosen runs with their points, in the order of the sweep; points of another scenario are passed over."""
        found = [(point, runs) for point in self._named(result) if (runs := self._runs(point))]
        return [(point, run) for point, runs in (found if self.points else found[:1]) for run in runs]

    def check(self, results: Sequence[Result]) -> None:
        """Refuses what no scenario of the store has.

        Raises:
            InputError: a point or a seed that is not there; the message names those that are.
        """
        points = [point for result in results for point in result.points if point.runs]
        for text in self.points:
            if not any(is_named(text, point.index, point.set) for point in points):
                last = max((point.index for point in points), default=None)
                numbers = "the store has no finished run" if last is None else f"the store has points 0 to {last}"
                swept = list(dict.fromkeys(key for point in points for key in point.set))
                keys = f", which differ in {', '.join(swept)}" if swept else ""
                raise InputError(f"--point {text}: found no such point; {numbers}{keys}")
        known = sorted({int(run["seed"]) for result in results for p in self._named(result) for run in p.runs})
        for seed in self.seeds:
            if seed not in known:
                raise InputError(f"--seed {seed}: found no such run; allowed: {ranges(known) or 'none'}")

    def _named(self, result: Result) -> list[PointResult]:
        """The points with runs that are named; all where none is."""
        return [
            p
            for p in result.points
            if p.runs and (not self.points or any(is_named(text, p.index, p.set) for text in self.points))
        ]

    def _runs(self, point: PointResult) -> Sequence[RunResult]:
        return [run for run in point.runs if run["seed"] in self.seeds] if self.seeds else point.runs[:1]


def charts(result: Result, selection: Selection) -> list[Chart]:
    """A figure for each kept series, a panel for each chosen run; runs with one line each lie over one another."""
    runs = selection.of(result)
    kept = dict.fromkeys(name for _, run in runs for name in run.get("series", {}))
    found = [_chart(result, name, runs) for name in kept]
    return [chart for chart in found if not chart.is_empty]


def held(times: Sequence[float], values: Sequence[float], end: float) -> tuple[list[float], list[float]]:
    """A series of changes as steps to the end of the run: the last value holds until then."""
    if not times:
        return [], []
    return [*times, max(end, times[-1])], [*values, values[-1]]


def over_intervals(ends: Sequence[float], values: Sequence[float], interval: float) -> tuple[list[float], list[float]]:
    """A series of intervals, each named by its end, as steps that begin where the interval begins.

    Where intervals are missing there is a gap; the last may be shorter than the others.
    """
    times: list[float] = []
    steps: list[float] = []
    last = -math.inf
    for end, value in zip(ends, values, strict=True):
        begin = max(end - interval, last)
        if times and begin > last + interval / 1000:
            times.append(last)
            steps.append(math.nan)
        times.append(begin)
        steps.append(value)
        last = end
    return ([*times, last], [*steps, steps[-1]]) if times else ([], [])


def _chart(result: Result, name: str, runs: Runs) -> Chart:
    entry = metrics.series(name)
    owner = entry.owner
    panels, cut, shaded = [], "", False
    for (point, run), title in zip(runs, _titles(runs), strict=True):
        scenario = result.scenario.points[point.index]
        frame: pd.DataFrame = result.series(name, point=point.index, seed=run["seed"])
        owned: list[tuple[Any, pd.DataFrame]] = list(frame.groupby(owner)) if owner in frame else [("", frame)]
        shown = _fullest(owned) if owner == "node" else owned[:LINES]
        if len(shown) < len(owned):
            which = "with the fullest queues" if owner == "node" else "that come first"
            cut = f" The {len(shown)} of {len(owned)} {owner}s {which}."
        interval = float(scenario.resolved["series"].get("interval", 0))  # none where no series has intervals
        # A node keeps its colour in every panel, whichever are drawn.
        numbers = [number for number, _ in owned]
        lines = []
        for number, group in shown:
            times, values = list(group["t_s"]), list(group["value"])
            if entry.course == "intervals":
                times, values = over_intervals(times, values, interval)
            elif entry.course != "samples":
                times, values = held(times, values, scenario.duration_s)
            step = max(1, len(times) // _SAMPLES)
            # The end stays where it is.
            kept = sorted({*range(0, len(times), step), *range(len(times))[-2:]})
            thinned = [times[place] for place in kept], [values[place] for place in kept]
            joined = entry.course != "samples"
            lines.append(Line(f"{owner} {number}".strip(), *thinned, joined=joined, style=numbers.index(number)))
        spans = _outages(scenario.resolved, scenario.duration_s)
        shaded = shaded or bool(spans)
        panels.append(Panel(title, lines, spans=spans))
    panels = _overlaid(panels)
    kind: Kind = "steps" if entry.course != "samples" else "lines"
    end = max((result.scenario.points[point.index].duration_s for point, _ in runs), default=0.0)
    return Chart(
        f"{name}-over-time",
        f"{entry.heading[:1].upper()}{entry.heading[1:]} over time, {_of(result, runs)}.{cut}"
        + (" Shaded: outages." if shaded else ""),
        "time (s)",
        entry.label,
        panels,
        kind=kind,
        stacked=len(panels) > 1,
        limits=(0.0, end),
    )


def _overlaid(panels: list[Panel]) -> list[Panel]:
    """The runs over each other where each has one line, so that they can be compared; else as they are."""
    lone = all(len(panel.lines) == 1 and panel.spans == panels[0].spans for panel in panels)
    if not 1 < len(panels) <= LINES or not lone:
        return panels
    lines = [replace(panel.lines[0], label=panel.title, style=None) for panel in panels]
    return [Panel("", lines, spans=panels[0].spans)]


def _fullest(owned: Sequence[tuple[Any, pd.DataFrame]]) -> list[tuple[Any, pd.DataFrame]]:
    """The nodes with most packets queued on average, in the order of their numbers."""
    means = {node: float(group["value"].mean()) for node, group in owned}
    chosen = sorted(means, key=lambda node: (-means[node], node))[:LINES]
    return [(node, group) for node, group in owned if node in chosen]


def _outages(resolved: dict[str, Any], end: float) -> list[tuple[float, float, str]]:
    outages = resolved.get("outage", [])
    named = len({outage["node"] for outage in outages}) <= _NAMED
    return [
        (
            float(outage["from"]),
            min(end, float(outage.get("to", end))),
            f"node {outage['node']} off" if named else "a node off",
        )
        for outage in outages
        if float(outage["from"]) < end
    ]


def _of(result: Result, runs: Runs) -> str:
    """Which of the runs a figure shows, and how many there are."""
    chosen = _seeds(runs)
    words = f"seed{'s' * (len(chosen) > 1)} {ranges(chosen)}"
    words += f" of {seeds(result)}" if result.scenario.seeds > 1 else ""
    points = {point.index: point for point, _ in runs}
    total = len(result.points)
    if total == 1:
        return words
    if len(points) == 1:
        [(index, point)] = points.items()
        return f"{words}, point {index} of 0 to {total - 1} ({spoken(point.set)})"
    return f"{words}, points {', '.join(map(str, points))} of 0 to {total - 1}"


def _seeds(runs: Runs) -> list[int]:
    return sorted({int(run["seed"]) for _, run in runs})


def _titles(runs: Runs) -> list[str]:
    """What distinguishes the runs."""
    points = len({point.index for point, _ in runs}) > 1
    several = len(_seeds(runs)) > 1
    return [
        ", ".join(([spoken(point.set)] if points else []) + ([f"seed {run['seed']}"] if several else []))
        for point, run in runs
    ]
