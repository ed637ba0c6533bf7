"""Figures that run again in a page, as data: which values stand where, and what the report has there.

``web/src/rerun/data.ts`` has the same shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from hopscope.reporting import curves
from hopscope.reporting.chart import Chart
from hopscope.reporting.heatmap import HeatMap
from hopscope.reporting.series import LINES
from hopscope.reporting.tables import table_of
from hopscope.results import distributions

if TYPE_CHECKING:
    from hopscope.results import Result
    from hopscope.results.samples import Table
    from hopscope.results.wide import SweptAxis


def runs_again(picture: object) -> bool:
    """Whether a page can run what a picture shows: means or distributions at points of a sweep."""
    return isinstance(picture, HeatMap) or (isinstance(picture, Chart) and bool(picture.metric or picture.distribution))


def figures(result: Result, pictures: Sequence[Chart | HeatMap], stem: str) -> list[dict[str, Any]]:
    """Returns the figures of a scenario that a page can run.

    Args:
        result: its runs.
        pictures: all its figures.
        stem: with what their identifiers begin.
    """
    return [{"id": f"{stem}{picture.name}", **_of(result, picture)} for picture in pictures if runs_again(picture)]


def _of(result: Result, picture: Chart | HeatMap) -> dict[str, Any]:
    if isinstance(picture, HeatMap):
        return _map(result, picture)
    return _distribution(result, picture) if picture.distribution else _curves(result, picture)


def _curves(result: Result, chart: Chart) -> dict[str, Any]:
    """The key along the axis, and the means of each point and flow."""
    table = table_of(result)
    flows = range(_flows(result))
    return {
        "kind": "curves",
        "metric": chart.metric,
        "label": chart.ylabel,
        "along": chart.over[0] if chart.over else None,
        "stored": [
            [_mean(table, f"flow.{flow}.{chart.metric}", point.set) for flow in flows]
            for point in result.scenario.points
        ],
    }


def _map(result: Result, shown: HeatMap) -> dict[str, Any]:
    """The two directions, the cell of each point, and its mean."""
    table = table_of(result)
    down, across = shown.axes
    points = [point.set for point in result.scenario.points]
    return {
        "kind": "map",
        "metric": shown.metric,
        "label": shown.label,
        "least": shown.least,
        "down": _direction(result, down, shown.down, shown.rows),
        "across": _direction(result, across, shown.across, shown.columns),
        "at": [[axis.labels.index(axis.of(point)) for axis in (down, across)] for point in points],
        "stored": [_mean(table, shown.metric, point) for point in points],
    }


def _direction(result: Result, axis: SweptAxis, label: str, names: Sequence[str]) -> dict[str, Any]:
    """A direction; keys that change together may have none that names it."""
    return {"key": axis.name if axis.name in result.scenario.axes else None, "label": label, "names": list(names)}


def _distribution(result: Result, chart: Chart) -> dict[str, Any]:
    """The counts that the report draws, by point and flow; the others would make a page large."""
    drawn = {
        (point.index, flow): {"low": found.low_ms, "high": found.high_ms, "count": found.count}
        for point, flow, found in islice(distributions.curves(result, chart.distribution), LINES)
    }
    flows = range(_flows(result))
    return {
        "kind": "distribution",
        "metric": chart.distribution,
        "label": chart.xlabel,
        "stored": [[drawn.get((point.index, flow)) for flow in flows] for point in result.scenario.points],
    }


def _mean(table: Table, metric: str, point: Mapping[str, Any]) -> list[float | None] | None:
    found = curves.sample(table, metric, point)
    return None if found is None else [found.mean, found.ci95]


def _flows(result: Result) -> int:
    return max((len(run["flows"]) for point in result.points for run in point.runs[:1]), default=0)
