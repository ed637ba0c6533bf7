"""The figures of a study folder: curves over a swept key, groups of bars, or a function of its own Python.

Published numbers of the tables of the experiment are drawn over them where they belong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hopscope.report.chart import Chart, Line, Mark, Panel
from hopscope.results.samples import Data, Estimate, NoSamplesError, Table, Where
from hopscope.studies.charts import error_bar, sweep
from hopscope.studies.folder import Part
from hopscope.studies.measures import OF, Measure, Reading, position
from hopscope.studies.published import Row
from hopscope.studies.settings import Built, matches
from hopscope.studies.statements import Context

Draw = Callable[[Data], Sequence[Chart]]


def read_figure(part: Part, context: Context) -> Draw:
    """One `[[experiment.figure]]`: `kind` is curves, bars or python."""
    kind = part.text("kind", "curves", choices=("curves", "bars", "python"))
    if kind == "python":
        call = part.folder.functions.get(part.text("function"))
        label = part.text("in", "")
        part.done("a figure")
        if call is None:
            part.problem("function", "checks.py has no such function")
            return lambda _data: ()
        return lambda data: call(data, label)
    name, caption = part.text("name"), part.text("caption")
    metrics = []
    for metric in part.texts("metric"):
        if metric in context.measures:
            metrics.append(context.measures[metric])
        else:
            part.problem("metric", f"no metric {metric!r}")
    x, by = part.text("x"), part.text("by", "")
    xlabel, ylabel = part.text("xlabel", x), part.text("ylabel", "")
    each = part.text("each", f"{by} = {{}}")
    log_x = part.flag("log_x", False)
    guides = [(float(at), str(text)) for at, text in part.values_of("guides")]
    scale = part.number("x_scale", 1.0) or 1.0
    form, along = part.text("of", "mean", choices=OF), part.text("along", "")
    rule = part.table("rule")
    at = context.where(part.table("at"))
    lines = {name: context.where(inside.values) for name, inside in part.parts("lines")} if part.has("lines") else None
    wanted = part.texts("in") or ["*"]
    part.done("a figure")
    chosen = [built for built in context.settings if matches(built.setting.label, wanted)]
    labels = {built.setting.label for built in chosen}
    if not metrics:
        return lambda _data: ()
    if kind == "bars":
        return lambda data: [_bars(data, name, caption, metrics, x, xlabel, chosen, context)]

    def value(measure: Measure) -> Callable[[Table, Where], Estimate | None]:
        def take(table: Table, where: Where) -> Estimate | None:
            try:
                return Reading(measure, where, form, context.key(along) if along else "").take(table)
            except NoSamplesError:
                return None

        return take

    return lambda data: [
        sweep(
            data,
            name=f"{measure.name}-{name}" if len(metrics) > 1 else name,
            caption=f"{measure.label[:1].upper()}{measure.label[1:]} {caption}" if len(metrics) > 1 else caption,
            x=context.key(x),
            value=value(measure),
            at=lambda _x, _table: at,
            lines=lines,
            position=lambda place: scale * position(place),
            reference=(str(rule["label"]), lambda place: float(rule["times"]) * place) if rule else None,
            by=(context.key(by), each) if by and lines is None else None,
            xlabel=xlabel,
            ylabel=ylabel or (f"{measure.label} ({measure.unit})" if measure.unit else measure.label),
            only=lambda label: label in labels,
            marks=_marks(context, chosen, measure, x, by, bars=False),
            guides=guides,
            log_x=log_x,
            legend_title=by,
        )
        for measure in metrics
    ]


def _marks(
    context: Context, chosen: Sequence[Built], measure: Measure, x: str, by: str = "", *, bars: bool
) -> list[Mark]:
    """The published points over `x`, with the smallest and largest published run."""
    places = {built.published for built in chosen if built.published is not None}
    rows: list[Row] = []
    for row in context.published:
        known = row.metric == measure.name and row.value is not None
        if known and any(at <= row.at and {name for name, _ in row.at - at} <= {x, by} for at in places):
            rows.append(row)
    found = [(dict(row.at).get(x), row) for row in rows]
    kept = [(at, row) for at, row in found if at is not None]
    if not kept:
        return []
    xs: list[float | str] = [f"{x} {at}" if bars else position(at) for at, _ in kept]
    return [Mark("published", xs, [row.value or 0.0 for _, row in kept], [row.extremes for _, row in kept])]


def _bars(
    data: Data,
    name: str,
    caption: str,
    metrics: Sequence[Measure],
    x: str,
    xlabel: str,
    chosen: Sequence[Built],
    context: Context,
) -> Chart:
    key = context.key(x)
    labels = [built.setting.label for built in chosen if built.setting.label in data]

    def line(table: Table, measure: Measure) -> Line:
        values = [] if not any(key in where for where, _ in table.points) else table.values(key)
        found = {f"{x} {value}": table.find(measure, {key: value}) for value in values}
        kept = {group: value for group, value in found.items() if value is not None}
        return Line(table.label, list(kept), [e.mean for e in kept.values()], [error_bar(e) for e in kept.values()])

    panels = [
        Panel(
            f"{measure.label} ({measure.unit})" if measure.unit else measure.label,
            [line(data[label], measure) for label in labels],
            _marks(context, chosen, measure, x, bars=True),
        )
        for measure in metrics
    ]
    return Chart(name, caption, xlabel, "", panels, kind="bars", own_axes=True)
