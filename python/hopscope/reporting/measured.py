"""What a user has measured, over the figures of a result and as a comparison with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError
from hopscope.reporting import contrasts, tables
from hopscope.reporting.axis import axis_of
from hopscope.reporting.chart import Chart, Mark, Panel
from hopscope.results import metrics
from hopscope.results.against import MEASURED, SIMULATED, against
from hopscope.results.contrasts import Contrasts, Side
from hopscope.results.measured import Measured, read
from hopscope.results.samples import Estimate
from hopscope.scenario.naming import spoken

if TYPE_CHECKING:
    from hopscope.results import Result


@dataclass(frozen=True)
class Measurement:
    """What was measured of a result, and how the two compare."""

    measured: Measured
    found: Contrasts

    @classmethod
    def of(cls, results: Sequence[Result], what: str | Path | Any, columns: Mapping[str, str] | None) -> Measurement:
        """Reads what was measured of the only result.

        Raises:
            InputError: several results, a file that cannot be read, or nothing that was simulated.
        """
        if len(results) != 1:
            raise InputError(f"{what}: the store holds {len(results)} scenarios; what was measured belongs to one")
        [result] = results
        measured = read(what, result.scenario, columns)
        return cls(measured, against(Side(result.scenario.title, result, result.points), measured))


def over(charts: Sequence[Chart], result: Result, measured: Measured) -> list[Chart]:
    """The charts with what was measured over those whose axes it has."""
    return [_over(chart, result, measured) for chart in charts]


def charts(found: Contrasts, result: Result, measured: Measured, drawn: Sequence[Chart] = ()) -> list[Chart]:
    """The figures of a comparison with measurements: differences, and values of each metric that ``drawn`` has not."""
    have = {chart.over[1] for chart in drawn if chart.over is not None and _has_marks(chart)}
    shown: list[Chart] = []
    for name in dict.fromkeys(row.metric for row in found.rows):
        metric = metrics.of(name)
        if metric is None or metric.name in have:
            continue
        own = over(tables.of_metrics(result, [(metric.name, metric.label)]), result, measured)
        marked = [chart for chart in own if _has_marks(chart)] if metric.scope == "flow" else []
        have |= {metric.name} if marked else set()
        only = Contrasts(found.title, [row for row in found.rows if row.metric == name])
        shown += marked or contrasts.values(only, "measured")
    return [chart for chart in [*shown, contrasts.differences(found, "measured-differences")] if not chart.is_empty]


def _has_marks(chart: Chart) -> bool:
    return any(panel.marks for panel in chart.panels)


def _over(chart: Chart, result: Result, measured: Measured) -> Chart:
    """A chart with marks; the same where the measurements have no place on its axis."""
    if chart.over is None or chart.over[0] not in measured.keys:
        return chart
    along, name = chart.over
    flows = [f"flow.{flow}.{name}" for flow in range(len(result.scenario.points[0].resolved["flow"]))]
    found = [(flow, metric) for flow, metric in enumerate(flows) if metric in measured.metrics]
    panels = list(chart.panels)
    for flow, metric in found:
        for rest in _rests(measured, along):
            for at, label, style in _lines(panels, result, along, rest, flow if len(flows) > 1 else None):
                if (mark := _mark(result, measured, along, metric, rest, label, style)) is not None:
                    panels[at] = replace(panels[at], marks=[*panels[at].marks, mark])
    if panels == list(chart.panels):
        return chart
    named = [
        replace(panel, lines=[replace(line, label=line.label or SIMULATED) for line in panel.lines]) for panel in panels
    ]
    return replace(chart, panels=named, caption=f"{chart.caption} Stars: measured, with 95 % intervals where known.")


def _rests(measured: Measured, along: str) -> list[dict[str, Any]]:
    """The values of the other keys that were measured, each combination once."""
    rests = [{key: value for key, value in place.items() if key != along} for place in measured.places()]
    return [rest for at, rest in enumerate(rests) if rest not in rests[:at]]


def _lines(
    panels: Sequence[Panel], result: Result, along: str, rest: Mapping[str, Any], flow: int | None
) -> Iterator[tuple[int, str, int | None]]:
    """The panels in which measurements stand, with their label and the number of the line that they belong to."""
    of_flow = "" if flow is None else f"flow {flow}"
    keys = [key for key in result.scenario.axes if key in rest]
    first, others = ({key: rest[key] for key in part} for part in (keys[:1], keys[1:]))
    whole = ", ".join(filter(None, [spoken(rest), of_flow]))
    short = ", ".join(filter(None, [spoken(first), of_flow]))
    label = ", ".join(filter(None, [MEASURED, whole]))
    for at, panel in enumerate(panels):
        names = [line.label for line in panel.lines]
        if whole in names:
            yield at, label, names.index(whole) if whole else None
        elif panel.title and panel.title == spoken(others) and short in names:
            yield at, ", ".join(filter(None, [MEASURED, short])), names.index(short)
        elif len(keys) < len(result.scenario.axes) - 1 or len(panels) == 1:
            yield at, label, None


def _mark(
    result: Result,
    measured: Measured,
    along: str,
    metric: str,
    rest: Mapping[str, Any],
    label: str,
    style: int | None,
) -> Mark | None:
    """The measurements of a metric over a swept key; None where there are none."""
    axis = axis_of(along, result.scenario.axes[along])
    points: list[tuple[float, Estimate]] = []
    for place in measured.places():
        if {key: value for key, value in place.items() if key != along} == dict(rest):
            found = measured.at(place, metric)
            if found is not None:
                points.append((axis.place(place[along]), found))
    if not points:
        return None
    ends = [None if of.ci95 is None else (of.mean - of.ci95, of.mean + of.ci95) for _, of in points]
    return Mark(label, [x for x, _ in points], [of.mean for _, of in points], ends, style)
