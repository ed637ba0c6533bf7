"""From tables to lines of charts: a metric over a swept key, with 95 % intervals; for stores and for studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from hopscope.errors import NotFound
from hopscope.reporting.chart import Line
from hopscope.results.samples import Estimate, Metric, NoSamplesError, Table, Where


def curve(
    table: Table,
    key: str,
    metric: Metric,
    where: Where,
    *,
    label: str,
    place: Callable[[Any], float] = float,
    joined: bool = True,
) -> Line:
    """The means of a metric over the swept values of a key; points without a sample are left out."""
    points = ((place(value), sample(table, metric, {**where, key: value})) for value in table.values(key))
    return line(label, points, joined=joined)


def line(label: str, points: Iterable[tuple[float | str, Estimate | None]], *, joined: bool = True) -> Line:
    """A line through estimates with their intervals; a position without one is left out."""
    kept = [(place, value) for place, value in points if value is not None]
    means, errors = [value.mean for _, value in kept], [value.ci95 for _, value in kept]
    return Line(label, [place for place, _ in kept], means, errors, joined=joined)


def sample(table: Table, metric: Metric, where: Where | None = None) -> Estimate | None:
    """The estimate of a metric; `None` where a point has no sample, or not this flow or node."""
    try:
        return table.interval(metric, where)
    except (NoSamplesError, NotFound):
        return None
