"""From tables to charts: the two shapes most entries draw, a sweep and groups of bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hopscope.report.chart import Chart, Error, Line, Mark, Panel
from hopscope.results.samples import Data, Estimate, Metric, NoSamplesError, Table, Where

Value = Callable[[Table, Where], Estimate | None]
"""The value of one point of a chart: for an optimum or another quantity that is not the mean of a metric."""


def sweep(
    data: Data,
    *,
    name: str,
    caption: str,
    x: str,
    xlabel: str,
    ylabel: str,
    y: Metric | None = None,
    value: Value | None = None,
    by: tuple[str, str] | None = None,
    lines: Mapping[str, Where] | None = None,
    only: Callable[[str], bool] = lambda _label: True,
    at: Callable[[Any, Table], Where] = lambda _x, _table: {},
    position: Callable[[Any], float] = float,
    reference: tuple[str, Callable[[float], float]] | None = None,
    marks: Sequence[Mark] = (),
    guides: Sequence[tuple[float, str]] = (),
    log_x: bool = False,
    log_y: bool = False,
    legend_title: str = "",
) -> Chart:
    """A chart of a metric over a swept key, with 95 % intervals.

    Args:
        data: tables of the entry.
        name: file stem.
        caption: text under the figure.
        x: swept key on the horizontal axis.
        xlabel: its label with unit.
        ylabel: label of the vertical axis with unit.
        y: metric whose mean is drawn; or
        value: computes the point instead, from the table and the point's swept values.
        by: (swept key, legend format): one line for each of its values and one panel for each study; without it one
            panel with one line for each study.
        lines: legend -> swept values that select the points of a line: these lines in one panel for each study.
        only: which studies, by label.
        at: further swept values that select the runs of a point.
        position: turns a swept value into a position on the axis.
        reference: (label, function of the position): a model drawn as a dashed line.
        marks: published values.
        guides: vertical guide lines.
        log_x: logarithmic horizontal axis.
        log_y: logarithmic vertical axis.
        legend_title: heading of the legend.

    Raises:
        ValueError: unless exactly one of `y` and `value`, and at most one of `by` and `lines`, is given.
    """
    if (y is None) == (value is None):
        raise ValueError("give either y or value")
    if by is not None and lines is not None:
        raise ValueError("give either by or lines")

    def point(table: Table, where: Where) -> Estimate | None:
        if value is not None:
            return value(table, where)
        assert y is not None
        return table.find(y, where)

    def line(table: Table, label: str, fixed: Where) -> Line:
        places: list[float] = []
        found: list[Estimate] = []
        for swept in _swept(table, x):
            reached = point(table, {**fixed, **at(swept, table), x: swept})
            if reached is not None:
                places.append(position(swept))
                found.append(reached)
        return Line(label, places, [i.mean for i in found], [error_bar(i) for i in found])

    tables = [table for table in data if only(table.label)]
    if by is None and lines is None:
        drawn = [line(table, table.label, {}) for table in tables]
        drawn += _reference_lines(drawn, reference)
        panels = [Panel("", drawn, marks, guides)]
    else:
        panels = []
        for table in tables:
            selected = lines if lines is not None else _one_line_each(table, by)
            drawn = [line(table, label, where) for label, where in selected.items()]
            panels.append(Panel(table.label, [*drawn, *_reference_lines(drawn, reference)], marks, guides))
    return Chart(name, caption, xlabel, ylabel, panels, log_x=log_x, log_y=log_y, legend_title=legend_title)


def bars(
    data: Data,
    *,
    name: str,
    caption: str,
    groups: Sequence[tuple[str, Metric]],
    xlabel: str,
    ylabel: str,
    marks: Sequence[Mark] = (),
) -> Chart:
    """A chart of bars: one group for each named metric, one bar in it for each study."""
    lines = []
    for table in data:
        found = {label: value for label, metric in groups if (value := table.find(metric)) is not None}
        means, errors = [i.mean for i in found.values()], [error_bar(i) for i in found.values()]
        lines.append(Line(table.label, list(found), means, errors))
    return Chart(name, caption, xlabel, ylabel, [Panel("", lines, marks)], kind="bars")


def error_bar(value: Estimate) -> Error:
    """The error bar of an estimate: its 95 % half width, or nothing for a single sample."""
    return value.ci95


def _one_line_each(table: Table, by: tuple[str, str] | None) -> dict[str, Where]:
    if by is None:
        return {}
    key, form = by
    return {form.format(value): {key: value} for value in _swept(table, key)}


def _swept(table: Table, key: str) -> list[Any]:
    try:
        return table.values(key)
    except NoSamplesError:
        return []


def _reference_lines(lines: Sequence[Line], reference: tuple[str, Callable[[float], float]] | None) -> list[Line]:
    if reference is None:
        return []
    label, model = reference
    places = sorted({float(place) for line in lines for place in line.x})
    return [Line(label, places, [model(place) for place in places], reference=True)]
