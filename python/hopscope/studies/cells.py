"""Cells measured by another simulator as settings: `[experiment.cells]` of a study folder.

The CSV has one mean a row; the columns of `by` distinguish the cells. Every cell becomes a setting: a scenario in which
`{column}` stands for the value of the cell, changed by the rules that match it. Each metric becomes a quantity with the
other simulator's mean, each judged one a statement, and one figure shows how far all of them deviate.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hopscope.errors import did_you_mean
from hopscope.io.columns import read_csv
from hopscope.reporting.chart import Chart, Panel
from hopscope.reporting.curves import line
from hopscope.results.comparisons import between
from hopscope.results.samples import MEASURED, Data, NoSamplesError, Table, show
from hopscope.results.stats import number, quantile, rounded
from hopscope.scenario.merging import deep_merge, filled, removed
from hopscope.studies.entry import Entry, Quantity, Setting, Statement
from hopscope.studies.folder import Part
from hopscope.studies.measures import Measure
from hopscope.studies.published import Row
from hopscope.studies.settings import Context
from hopscope.studies.statements import evaluated
from hopscope.studies.verdict import Finding, Outcome

_WITHIN = re.compile(r"\+-\d+(\.\d+)?")
_BEYOND = re.compile(r"(\d+(?:\.\d+)?) % beyond both intervals")
_MEASURED = ("metric", "n", "mean", "min", "max", "sd")
INTERVAL, SPREAD, WITHIN = "interval", "spread", "+-"
"""Instead of a share in per cent: within the other simulator's own 95 % interval, between its smallest and largest
run, or at most so far off (`"+-0.03"`)."""


def _bounds(row: Row, limit: float | str) -> tuple[float, float]:
    """The smallest and the largest value that agrees with the other simulator's."""
    mean = row.value or 0.0
    if limit == SPREAD and row.extremes is not None:
        return row.extremes
    if isinstance(limit, str):
        margin = row.half or 0.0
        if beyond := _BEYOND.fullmatch(limit):
            margin += float(beyond[1]) / 100 * abs(mean)
        elif limit != INTERVAL:
            margin = float(limit.removeprefix(WITHIN))
    else:
        margin = limit / 100 * abs(mean)
    return mean - margin, mean + margin


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        names: its columns by name, and what rules found in them.
        label: of its setting.
        mark: as the figure names it.
        numbers: what the other simulator measured, by metric.
        document: the scenario that repeats it.
        measures: how each metric is measured here.
        rule: how it is judged and shown.
    """

    names: Mapping[str, str]
    label: str
    mark: str
    numbers: Mapping[str, Row]
    document: Mapping[str, Any]
    measures: Mapping[str, Measure]
    rule: Rule


@dataclass(frozen=True)
class Rule:
    """What is changed in the cells whose columns match `where` (regular expressions).

    `cause` is why such a cell disagrees, where it does: it explains a disagreement and hides none. `noisy` takes the
    other simulator's own interval into account.
    """

    where: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    changes: Mapping[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    call: Callable[[Mapping[str, str]], Mapping[str, Any]] | None = None
    label: str = ""
    limits: Mapping[str, float | str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    panel: str = ""
    cause: str = ""
    noisy: bool = False

    def match(self, names: Mapping[str, str]) -> dict[str, str] | None:
        """What the named groups of its expressions found, or `None` when a column does not match."""
        found: dict[str, str] = {}
        for column, pattern in self.where.items():
            matching = pattern.fullmatch(names[column])
            if matching is None:
                return None
            found |= matching.groupdict("")
        return found


def _quantities(cells: Sequence[Cell]) -> list[Quantity]:
    """Every metric of every cell, with the other simulator's mean."""
    return [
        Quantity(
            measure.label,
            measure.unit,
            lambda table, own=measure: table.find(own),  # type: ignore[misc]
            row.value,
            row.source,
            spread=row.half,
            settings=lambda label, own=cell.label: label == own,  # type: ignore[misc]
        )
        for cell in cells
        for metric, row in cell.numbers.items()
        if (measure := cell.measures.get(metric)) is not None
    ]


def _deviations(cells: Sequence[Cell], simulator: str, data: Data) -> list[Chart]:
    """How far the first judged metric of each cell deviates, or its first one, one mark a cell, by panel."""
    panels = []
    for name in dict.fromkeys(cell.rule.panel for cell in cells):
        points = []
        limits = set()
        for cell in cells:
            metric, limit = next(iter(cell.rule.limits.items()), (next(iter(cell.measures)), INTERVAL))
            mean = cell.numbers[metric].value or 0.0
            found = data[cell.label].find(cell.measures[metric]) if cell.label in data else None
            if cell.rule.panel == name and found is not None:
                half = None if found.ci95 is None else 100 * found.ci95 / mean
                points.append((cell.mark, replace(found, mean=100 * (found.mean / mean - 1), ci95=half)))
                limits.add(limit)
        limit = limits.pop() if len(limits) == 1 else INTERVAL
        band = None if isinstance(limit, str) else (-limit, limit)
        title = f"{name}, tolerance ±{band[1]:.0f} %" if band else name
        panels.append(Panel(title, [line("", points)], band=band))
    caption = f"Deviation of the means from those of {simulator} with 95 % intervals; the band is the tolerance."
    return [Chart("deviation", caption, "deviation (%)", "", panels, kind="dots")]


def _far(limit: float | str) -> str:
    """How far a mean may be off, in words."""
    if not isinstance(limit, str):
        return f"{limit:g} %"
    named = {INTERVAL: "the 95 % interval", SPREAD: "the spread of the runs"}
    return named.get(limit) or limit.removeprefix(WITHIN)


def _agrees(cell: Cell, metric: str, limit: float | str) -> Callable[[Data], list[Finding]]:
    """Whether a mean lies near enough to the other simulator's."""
    row, measure = cell.numbers[metric], cell.measures[metric]
    mean, half = row.value or 0.0, row.half or 0.0
    low, high = _bounds(row, limit)

    def check(table: Table) -> tuple[bool | None, str]:
        measured = table.interval(measure)
        unit = f" {measure.unit}" if measure.unit else ""
        words = f"{show(measured)} against {rounded(mean, half)}{unit}"
        if limit == SPREAD:
            words += f" ({number(low)} to {number(high)})"
        elif isinstance(limit, str) and limit.startswith(WITHIN):
            words += f": {measured.mean - mean:+.3f}"
        else:
            words += f": {100 * (measured.mean / mean - 1):+.2f} %"
        if isinstance(limit, str) and _BEYOND.fullmatch(limit):
            own = measured.ci95 or 0.0
            return low - own <= measured.mean <= high + own, words
        holds = between(measured, low, high)
        apart = replace(measured, ci95=math.hypot(measured.ci95 or 0.0, half))
        if holds is False and cell.rule.noisy and between(apart, low, high) is not False:
            return None, f"{words}; the other simulator's own interval leaves it open"
        return holds, words

    def evaluate(data: Data) -> list[Finding]:
        if cell.label not in data:
            return []
        found = evaluated(check, data[cell.label])
        if cell.rule.cause and found.outcome is Outcome.NOT_REPRODUCED:
            found = replace(found, outcome=Outcome.KNOWN, reason=cell.rule.cause)
        return [found]

    return evaluate


def _ranked(pairs: Sequence[tuple[Cell, Cell]], metric: str) -> Callable[[Data], list[Finding]]:
    """Whether of each pair the cell that carried more in the other simulator does so here."""

    def evaluate(data: Data) -> list[Finding]:
        wrong = []
        try:
            for better, worse in pairs:
                high, low = (data[cell.label].mean(cell.measures[metric]) for cell in (better, worse))
                if high <= low:
                    wrong.append(f"{better.label} {number(high)}, {worse.label} {number(low)}")
        except NoSamplesError as missing:
            return [Finding(Outcome.UNDECIDED, "", reason=str(missing))]
        words = f"{len(pairs) - len(wrong)} of {len(pairs)} pairs"
        return [Finding(Outcome.NOT_REPRODUCED if wrong else Outcome.REPRODUCED, "; ".join([words, *wrong]))]

    return evaluate


# --- Reading ----------------------------------------------------------------------------------------------------------


def read_cells(part: Part, context: Context) -> Entry | None:
    """What `[experiment.cells]` adds to an entry; `None` when something in it is wrong, which is noted."""
    columns, measures, name = part.texts("by"), context.measures, part.text("scenario")
    simulator, samples = part.text("simulator"), part.text("samples", "seeds")
    found = _rows(part, columns, f"{simulator}, {{}} {samples}")
    if name not in context.scenarios:
        part.problem("scenario", f"no scenario {name!r}{did_you_mean(name, context.scenarios)}")
    first = Rule(limits=_limits(part), panel=part.text("panel", ""))
    rules = [first, *(_rule(inner, columns, measures) for inner in part.array("rule"))]
    pattern = part.text("label")
    maker = _Maker(context, name, pattern, part.text("mark", pattern), frozenset(part.texts("per_second")), rules)
    wanted = [_ranking(inner, columns) for inner in part.array("ranking")]
    part.done("cells")
    if part.folder.problems:
        return None
    cells = [maker.cell(dict(zip(columns, values, strict=True)), numbers) for values, numbers in found]
    _check(part, cells, measures)
    if part.folder.problems:
        return None
    evaluations = [*_agreements(cells, simulator.rpartition(".")[0] or simulator)]
    evaluations += [(text, _ranked(_pairs(cells, where, same, metric), metric)) for text, where, same, metric in wanted]
    return Entry(
        "", "", simulator, "", "",
        settings=[Setting(cell.label, cell.document) for cell in cells],
        quantities=_quantities(cells),
        statements=[Statement(f"c{place}", text, evaluate) for place, (text, evaluate) in enumerate(evaluations, 1)],
        charts=lambda data: _deviations(cells, simulator, data),
    )  # fmt: skip


@dataclass(frozen=True)
class _Maker:
    """Makes a cell of the values of its columns.

    Attributes:
        scenario: name of the scenario that every cell changes.
        label: pattern of the labels of settings.
        mark: pattern of the names in the figure.
        per_second: metrics that are divided by the time measured.
        rules: what is changed, in this order; the first matches every cell.
    """

    context: Context
    scenario: str
    label: str
    mark: str
    per_second: frozenset[str]
    rules: Sequence[Rule]

    def cell(self, names: dict[str, str], numbers: Mapping[str, Row]) -> Cell:
        label, settled, measures = self.label, self.rules[0], self.context.measures
        document: dict[str, Any] = dict(self.context.scenarios[self.scenario])
        own = {metric: measures[metric] for metric in numbers if metric in measures}
        for rule in self.rules:
            groups = rule.match(names)
            if groups is None:
                continue
            names |= groups
            label += rule.label
            document = deep_merge(removed(document, rule.without), rule.changes)
            if rule.call is not None:
                document = deep_merge(document, rule.call(names))
            own |= {metric: measures[other] for metric, other in rule.metrics.items() if metric in own}
            given = {key: own_ for key in ("limits", "panel", "cause", "noisy") if (own_ := getattr(rule, key))}
            settled = replace(settled, **given)
        label = label.format(**names)
        document = filled(document, names) | {"title": f"{self.context.study} {label}"}
        own |= {metric: _per_second(own[metric]) for metric in self.per_second & own.keys()}
        mark = self.mark.format(**names) if self.mark != self.label else label
        return Cell(names, label, mark, numbers, document, own, settled)


def _check(part: Part, cells: Sequence[Cell], measures: Mapping[str, Measure]) -> None:
    """Notes what is judged without a measure, and cells that have one label."""
    for cell in cells:
        for metric in cell.rule.limits.keys() - cell.measures.keys():
            why = "not measured" if metric in measures else "no metric"
            part.problem("", f"{cell.label}: {metric!r} is judged, but {why}")
    labels = [cell.label for cell in cells]
    for label in {label for label in labels if labels.count(label) > 1}:
        part.problem("label", f"{label!r} stands twice: the label has to distinguish the cells")


def _agreements(cells: Sequence[Cell], family: str) -> Iterator[tuple[str, Callable[[Data], list[Finding]]]]:
    """The statement that each judged metric of each cell agrees, and its check."""
    for cell in cells:
        for metric, limit in cell.rule.limits.items():
            text = f"{cell.label}: {cell.measures[metric].label} within {_far(limit)} of {family}."
            yield text, _agrees(cell, metric, limit)


def _rows(part: Part, columns: Sequence[str], source: str) -> list[tuple[tuple[str, ...], dict[str, Row]]]:
    """The cells of the CSV in its order: values of the columns, numbers by metric."""
    file = part.folder.path / part.text("file")
    found: dict[tuple[str, ...], dict[str, Row]] = {}
    if not file.is_file():
        part.problem("file", f"{file}: no such file")
    for place, row in read_csv(file, _MEASURED, part.folder.problems):
        if unknown := [column for column in columns if column not in row]:
            part.problem("by", f"{file.name} has no column {unknown[0]!r}{did_you_mean(unknown[0], row)}")
            break
        try:
            mean, sd, low, high, n = (float(row[name]) for name in ("mean", "sd", "min", "max", "n"))
        except ValueError:
            part.problem("file", f"{file.name}:{place}: mean, sd, min, max and n have to be numbers")
            break
        half = quantile(int(n) - 1) * sd / math.sqrt(n) if n > 1 else 0.0
        own = Row("", row["metric"], frozenset(), mean, (low, high), half, False, source.format(int(n)))
        found.setdefault(tuple(row[column] for column in columns), {})[own.metric] = own
    return list(found.items())


def _rule(part: Part, columns: Sequence[str], measures: Mapping[str, Measure]) -> Rule:
    metrics = {metric: str(other) for metric, other in part.table("metrics").items()}
    for other in metrics.values():
        if other not in measures:
            part.problem("metrics", f"no metric {other!r}{did_you_mean(other, measures)}")
    call = part.function("python", required=False)
    rule = Rule(
        _where(part, columns), part.table("set"), tuple(part.texts("without")), call, part.text("label", ""),
        _limits(part), metrics, part.text("panel", ""), part.text("cause", ""), part.flag("noisy"),
    )  # fmt: skip
    part.done("a rule")
    return rule


def _limits(part: Part) -> Mapping[str, float | str]:
    """How far the metrics may be off."""
    limits = part.table("limits")
    for metric, limit in limits.items():
        words = isinstance(limit, str) and (
            limit in {INTERVAL, SPREAD} or _WITHIN.fullmatch(limit) or _BEYOND.fullmatch(limit)
        )
        if not words and (isinstance(limit, bool) or not isinstance(limit, (int, float))):
            allowed = (
                f'a share in %, "N % beyond both intervals", "{INTERVAL}", "{SPREAD}" or a number after "{WITHIN}"'
            )
            part.problem("limits", f"{metric}: found {limit!r}; allowed: {allowed}")
    return limits


def _where(part: Part, columns: Sequence[str]) -> dict[str, re.Pattern[str]]:
    """Columns with the regular expressions that their values have to match."""
    found: dict[str, re.Pattern[str]] = {}
    for column, expression in part.table("where").items():
        if column not in columns:
            part.problem("where", f"no column {column!r}{did_you_mean(column, columns)}; allowed: {', '.join(columns)}")
            continue
        try:
            found[column] = re.compile(str(expression))
        except re.error as error:
            part.problem("where", f"{column}: {expression!r} is no regular expression: {error}")
    return found


def _ranking(part: Part, columns: Sequence[str]) -> tuple[str, dict[str, re.Pattern[str]], list[str], str]:
    """`[[experiment.cells.ranking]]`: which cells are compared, what they have to share, by which metric."""
    found = part.text("text"), _where(part, columns), part.texts("same"), part.text("metric")
    part.done("a ranking")
    return found


def _pairs(
    cells: Sequence[Cell], where: Mapping[str, re.Pattern[str]], same: Sequence[str], metric: str
) -> list[tuple[Cell, Cell]]:
    """Pairs whose means the other simulator's own spread keeps apart, the better cell first."""
    rule = Rule(where)
    chosen = [cell for cell in cells if rule.match(cell.names) is not None and metric in cell.numbers]
    pairs = []
    for pair in itertools.combinations(chosen, 2):
        worse, better = sorted(pair, key=lambda cell: cell.numbers[metric].value or 0.0)
        first, second = better.numbers[metric], worse.numbers[metric]
        apart = _bounds(first, INTERVAL)[0] > _bounds(second, INTERVAL)[1]
        if apart and all(better.names[column] == worse.names[column] for column in same):
            pairs.append((better, worse))
    return pairs


def _per_second(measure: Measure) -> Measure:
    def value(run: Mapping[str, Any]) -> float | None:
        found = measure.value(run)
        return None if found is None else found / run[MEASURED]

    return replace(measure, value=value)
