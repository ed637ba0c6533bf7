"""The figures of a study folder: a metric over swept keys, axes of settings or other metrics; or its own Python.

Along the horizontal axis (`x`), among the lines (`by`) and the panels (`panels`) stands a swept key, an axis, `setting`
or `metric`, along `x` also what a metric is at the values of the key `along`; `lines` names places instead of `by`.
Published numbers are drawn over the panels they belong to, models next to what they describe.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hopscope.reporting.chart import Chart, Line, Mark, Panel
from hopscope.reporting.curves import line
from hopscope.results.samples import Data, Estimate, NoSamplesError
from hopscope.scenario.merging import matches
from hopscope.studies.folder import Part
from hopscope.studies.measures import OF, Measure, Reading, position
from hopscope.studies.published import Row
from hopscope.studies.settings import Context
from hopscope.studies.timeline import over_time

Draw = Callable[[Data], Sequence[Chart]]

#: Points of a model's curve between swept numbers.
_CURVE = 41


class Figure:
    """A figure of an experiment: one `[[experiment.figure]]` of curves or bars."""

    def __init__(self, part: Part, context: Context, *, bars: bool) -> None:
        self.context = context
        self.chosen = [built for built in context.settings if matches(built.setting.label, part.texts("in") or ["*"])]
        # Without `metric` along an axis, among lines or panels, a chart each.
        self.metrics = [context.measures[name] for name in part.names("metric", context.measures)]
        self.lines = {n: context.where(i.values) for n, i in part.parts("lines")} if part.has("lines") else {}
        by = part.text("by", "")
        self.x = part.text("x")
        usual = "metric" if bars and self.x != "metric" else "setting" if by or self.lines else ""
        self.panels = part.text("panels", usual)
        # No `by`: the settings, or nothing.
        self.by = "lines" if self.lines else by or ("" if self.panels == "setting" else "setting")
        self.each = part.text("each", f"{by} = {{}}" if by else "{}")
        self.at = context.where(part.table("at"))
        self.of, self.along = part.text("of", "mean", choices=OF), part.text("along", "")
        self.over = context.measures.get(self.x) if self.along else None
        self.scale = part.number("x_scale", 1.0)
        self.models = [context.formulas[name] for name in part.names("models", context.formulas)]
        self.rule = part.table("rule")
        self.guides = [(float(at), str(text)) for at, text in part.values_of("guides")]
        ylabel = part.text("ylabel", self.metrics[0].heading if len(self.metrics) == 1 else "")
        self.chart = Chart(
            part.text("name"),
            part.text("caption"),
            part.text("xlabel", self.x),
            "" if self.panels == "metric" else ylabel,
            (),
            "bars" if bars else "lines",
            log_x=part.flag("log_x"),
            log_y=part.flag("log_y"),
            legend_title=by,
            own_axes=part.flag("own_axes", self.panels == "metric"),
        )
        part.done("a figure")

    def draw(self, data: Data) -> list[Chart]:
        """The charts: one for each metric, or one for all."""
        if len(self.metrics) == 1 or "metric" in (self.x, self.by, self.panels):
            return [replace(self.chart, panels=self._panels(data, self.metrics))]
        return [
            replace(
                self.chart,
                name=f"{one.name}-{self.chart.name}",
                caption=f"{one.label[:1].upper()}{one.label[1:]} {self.chart.caption}",
                ylabel=self.chart.ylabel or one.heading,
                panels=self._panels(data, [one]),
            )
            for one in self.metrics
        ]

    def _panels(self, data: Data, metrics: Sequence[Measure]) -> list[Panel]:
        found: dict[str, dict[str, list[tuple[Any, Estimate]]]] = {}
        named: dict[str, Mapping[str, Any]] = {}
        for names, value in self._points(data, metrics):
            title = str(names[self.panels]) if self.panels else ""
            label = self.each.format(names[self.by]) if self.by else "simulated"
            found.setdefault(title, {}).setdefault(label, []).append((self._place(names[self.x]), value))
            named.setdefault(title, names)
        marks = {one.heading: self._marks(one) for one in metrics}
        shown = [mark for one in marks.values() for mark in one]
        panels = []
        for title, lines in found.items():
            for points in lines.values() if self.over is not None else ():
                points.sort(key=lambda point: float(point[0]))
            drawn = [line(label, points, joined=not self.models) for label, points in lines.items()]
            places = [] if self.chart.kind == "bars" else sorted({x for points in lines.values() for x, _ in points})
            drawn += self._references(named[title], drawn, places)
            panels.append(Panel(title, drawn, marks.get(title, []) if self.panels == "metric" else shown, self.guides))
        return panels

    def _points(self, data: Data, metrics: Sequence[Measure]) -> Iterator[tuple[dict[str, Any], Estimate]]:
        """Every value that is drawn, with what axes and swept keys have there, by name."""
        places = self.lines or {"": {}}
        for built, measure, (chosen, place) in itertools.product(self.chosen, metrics, places.items()):
            if built.setting.label not in data:
                continue
            table = data[built.setting.label]
            axes = (self.panels, self.by, self.along if self.over else self.x)
            swept = [name for name in axes if self.context.key(name) in built.sweep]
            metric = measure.heading if self.panels == "metric" else measure.label
            known = {**built.names, "setting": table.label, "metric": metric, "lines": chosen}
            along = self.context.key(self.along) if self.along else ""
            for values in itertools.product(*(built.sweep[self.context.key(name)] for name in swept)):
                names = {**known, **dict(zip(swept, values, strict=True))}
                where = {**self.at, **place, **self.context.where(dict(zip(swept, values, strict=True)))}
                try:
                    if self.over is not None:
                        names[self.x] = table.mean(self.over, where)
                    if self.x in names:
                        yield names, Reading(measure, where, self.of, along).take(table)
                except NoSamplesError:
                    continue

    def _place(self, value: Any) -> Any:
        """A position on the axis; for bars the name of a group."""
        if self.chart.kind != "bars":
            return self.scale * position(value)
        return value if isinstance(value, str) else f"{self.x} {value}"

    def _references(self, names: Mapping[str, Any], drawn: Sequence[Line], places: list[Any]) -> list[Line]:
        """The models next to the bars or over the curves of a panel, and the straight line."""
        if self.chart.kind == "bars":
            return [
                Line(
                    f"{formula.label}, {one.label}",
                    one.x,
                    [formula.value({**names, self.by: one.label, self.x: place}) for place in one.x],
                )
                for one, formula in itertools.product(drawn, self.models)
            ]
        found = []
        if self.rule:
            values = [float(self.rule["times"]) * place for place in places]
            found.append(Line(str(self.rule["label"]), places, values, reference=True))
        if not self.models:
            return found
        whole = all(float(place).is_integer() for place in places)
        dense = np.arange(places[0], places[-1] + 1) if whole else np.geomspace(places[0], places[-1], _CURVE)
        for formula in self.models:
            at = [int(place) if whole else float(place) for place in dense]
            values = [formula.value({**names, self.x: place / self.scale}) for place in at]
            found.append(Line(formula.label, at, values, reference=True))
        return found

    def _marks(self, measure: Measure) -> list[Mark]:
        """The published points over `x`, with the smallest and largest published run."""
        places = {built.published for built in self.chosen if built.published is not None}
        open_names = {self.x, self.by}
        # A CSV has the value of an axis without its blanks.
        groups = {built.names.get(self.x, "").replace(" ", "-"): built.names.get(self.x, "") for built in self.chosen}
        rows: list[tuple[Any, Row]] = []
        for row in self.context.published:
            at = dict(row.at).get(self.x)
            own = any(place <= row.at and {name for name, _ in row.at - place} <= open_names for place in places)
            if row.metric == measure.name and row.value is not None and own:
                if self.x == "metric":
                    rows.append((measure.label, row))
                elif at is not None:
                    group = groups.get(at, f"{self.x} {at}")
                    rows.append((group if self.chart.kind == "bars" else position(at), row))
        if not rows:
            return []
        values, extremes = [row.value or 0.0 for _, row in rows], [row.extremes for _, row in rows]
        return [Mark("published", [place for place, _ in rows], values, extremes)]


def read_figure(part: Part, context: Context) -> Draw:
    """One `[[experiment.figure]]`: `kind` is curves, bars, time (series of one run) or python."""
    kind = part.text("kind", "curves", choices=("curves", "bars", "time", "python"))
    wanted = next(iter(part.texts("in")), "*")
    if kind == "time":
        empty = Chart(part.text("name"), part.text("caption"), "time (s)", "", (), kind="steps", stacked=True)
        series = {name: str(heading) for name, heading in part.table("series").items()}
        part.done("a figure")
        return lambda data: over_time(data, wanted, empty, series)
    if kind == "python":
        call = part.function("function")
        part.done("a figure")
        return lambda data: call(data, wanted) if call is not None else ()
    figure = Figure(part, context, bars=kind == "bars")
    return figure.draw if figure.metrics else lambda _data: ()
