"""Comparisons as a table and figures: the values of each side, and the differences with their intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hopscope.reporting import wording
from hopscope.reporting.axis import Axis, axis_of, headings, numeric
from hopscope.reporting.chart import Chart, Line, Panel
from hopscope.reporting.wording import Column, Grid
from hopscope.results.contrasts import Contrast, Contrasts, across, default_metrics
from hopscope.results.result import Result
from hopscope.results.samples import Estimate, show
from hopscope.results.stats import relative, rounded
from hopscope.scenario.naming import spoken
from hopscope.scenario.sweep import written

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Rows of one figure of differences, and comparisons given as sentences; more are in the table alone.
_ROWS, _SENTENCES = 40, 12
#: Sentences behind a headline.
_APART = 3
#: Groups of bars side by side, and lines or bars in each.
_GROUPS, _SIDES = 12, 8
#: Rows of the table in a report.
MOST_ROWS = 60
#: Metrics with a figure of their values.
_METRICS = 4


def of_result(result: Result) -> list[Contrasts]:
    """The comparisons that a report makes unasked: for each swept key whose values are words, against the first."""
    found = []
    for key, values in result.scenario.axes.items():
        if len(values) < 2 or numeric(values) or _follows(result, key):
            continue
        if not any(point.runs for point in result.points) or not default_metrics(result):
            continue
        pair = [point for value in values[:2] for point in result.points if point.set[key] == value]
        if sum(bool(point.runs) for point in pair) > 1:
            found.append(across(result, key))
    return found


def sentences(found: Contrasts) -> list[str]:
    """The verdicts in words, a dozen at most, and what a reader should know of them.

    Behind a headline, which counts them, stand those that differ alone, and few.
    """
    if found.headline:
        apart = [row.sentence for row in found.rows if row.verdict not in ("within noise", "equal")]
        return [found.headline, *apart[:_APART], *found.remarks]
    reported = found.sentences[:_SENTENCES]
    more = len(found.rows) - len(reported)
    further = [f"{more} further comparisons stand in the table"] if more else []
    return [*reported, *further, *found.remarks]


def grid(found: Contrasts, most: int | None = None) -> Grid:
    """All comparisons as a table, at most so many rows."""
    keys = list(dict.fromkeys(key for row in found.rows for key in row.place))
    names = headings({key: [row.place[key] for row in found.rows if key in row.place] for key in keys})
    sides = {(row.first, row.second) for row in found.rows}
    first, second = next(iter(sides)) if len(sides) == 1 else ("first", "second")
    named = [] if len(sides) == 1 else [Column("sides", tight=True)]
    columns = [
        Column("metric", tight=True),
        *(Column(name, key=key) for key, name in names.items()),
        *named,
        Column(first, number=True),
        Column(second, number=True),
        Column("difference", number=True),
        Column("%", number=True),
        Column("verdict", tight=True),
        Column("pairs" if found.is_paired else "n", number=True),
    ]
    rows = [
        [
            row.heading + (f" ({row.unit})" if row.unit else ""),
            *(written(row.place[key]) if key in row.place else "" for key in keys),
            *([f"{row.first} - {row.second}"] if named else []),
            show(row.ours),
            show(row.theirs),
            rounded(row.difference.mean, row.difference.ci95),
            "-" if row.percent is None else relative(row.percent).removesuffix(" %"),
            row.verdict,
            f"{row.ours.n} / {row.theirs.n}" if row.samples else str(row.n),
        ]
        for row in found.rows[:most]
    ]
    cut = (
        f"; {len(rows)} of {len(found.rows)} comparisons, all with hopscope compare"
        if len(rows) < len(found.rows)
        else ""
    )
    how = "paired by seed" if found.is_paired else "n: seeds / measurements"
    return Grid(columns, rows, f"{found.title[:1].upper()}{found.title[1:]}, {how}{cut}")


def charts(found: Contrasts, stem: str = "compare") -> list[Chart]:
    """The differences of all metrics in one figure, and the values of each metric."""
    drawn = [differences(found, f"{stem}-differences"), *values(found, stem)]
    return [chart for chart in drawn if not chart.is_empty]


def values(found: Contrasts, stem: str) -> Iterator[Chart]:
    """The values of each side: over a key with numbers where only one is left, otherwise as bars."""
    metrics = list(dict.fromkeys(row.metric for row in found.rows))
    for number, metric in enumerate(metrics[:_METRICS], 1):
        rows = [row for row in found.rows if row.metric == metric]
        label = rows[0].heading + (f" ({rows[0].unit})" if rows[0].unit else "")
        keys = list(dict.fromkeys(key for row in rows for key in row.place))
        places = [row.place[keys[0]] for row in rows] if len(keys) == 1 else []
        name = f"{stem}-{metric.replace('.', '-').replace('_', '-')}"
        caption = f"{label[:1].upper()}{label[1:]}, {wording.meant(several=any(row.n > 1 for row in rows))}."
        sides = _sides(rows)
        if len(sides) > _SIDES:
            caption += f" {_SIDES} of {len(sides)} sides, all in the table."
        if number == _METRICS < len(metrics):
            caption += f" {_METRICS} of {len(metrics)} metrics are drawn, all are in the table."
        if len(set(map(repr, places))) > 1 and numeric(places):
            axis = axis_of(keys[0], places)
            lines = [
                _line(side, _in_order(axis, keys[0], of), joined=found.is_paired or side == rows[0].first)
                for side, of in sides
            ]
            yield Chart(name, caption, axis.label, label, [Panel("", lines[:_SIDES])])
        elif keys:
            lines = [_line(side, [(spoken(place), value) for place, value in of[:_GROUPS]]) for side, of in sides]
            most = max(len(of) for _, of in sides)
            caption += f" {_GROUPS} of {most} places, all in the table." if most > _GROUPS else ""
            yield Chart(name, caption, "", label, [Panel("", lines[:_SIDES])], kind="bars")
        else:
            line = _line("", [(side, value) for side, of in sides for _, value in of])
            yield Chart(name, caption, "", label, [Panel("", [line])], kind="bars")


def differences(found: Contrasts, name: str = "compare-differences") -> Chart:
    """Each difference in per cent of the second side, with its 95 % interval."""
    relative = [row for row in found.rows if row.percent is not None]
    # Of a share, such as a loss of nearly nothing, a per cent says little.
    rows = [row for row in relative if row.unit != "%"] or relative
    left = list(dict.fromkeys(row.heading for row in relative if row not in rows))
    base = _only([row.second for row in rows])
    pairs = len({(row.first, row.second) for row in rows}) > 1
    names, values, errors = [], [], []
    for row in rows[:_ROWS]:
        of = ", ".join(filter(None, [row.first if pairs else "", spoken(row.place)]))
        names.append(f"{row.heading}: {of}" if of else row.heading)
        values.append(row.percent or 0.0)
        half = row.difference.ci95
        errors.append(None if half is None else 100 * half / abs(row.theirs.mean))
    about = f" {_ROWS} of {len(rows)} comparisons." if len(rows) > _ROWS else ""
    about += f" Shares are in the table: {', '.join(left)}." if left else ""
    how = "paired by seed" if found.is_paired else "of means"
    return Chart(
        name,
        f"{found.title[:1].upper()}{found.title[1:]}: differences {how}, with 95 % intervals. "
        f"An interval that holds zero is within noise.{about}",
        f"difference (% of {base})" if base else "difference (%)",
        "",
        [Panel("", [Line("", names, values, errors)])],
        kind="dots",
    )


def figure(found: Contrasts) -> Figure:
    """The figure of the differences."""
    from hopscope.reporting import plots

    return plots.draw(differences(found))


# --- Parts ----------------------------------------------------------------------------------------------------------


def _sides(rows: Sequence[Contrast]) -> list[tuple[str, list[tuple[Any, Estimate]]]]:
    """The values of each side by place, what the others are set against first."""
    found: dict[str, list[tuple[Any, Estimate]]] = {}
    for row in rows:
        for side, value in ((row.second, row.theirs), (row.first, row.ours)):
            of = found.setdefault(side, [])
            if all(place != row.place for place, _ in of):
                of.append((row.place, value))
    return list(found.items())


def _in_order(axis: Axis, key: str, of: Sequence[tuple[Any, Estimate]]) -> list[tuple[float, Estimate]]:
    """Values by their position on an axis."""
    return sorted(((axis.place(place[key]), value) for place, value in of), key=lambda pair: pair[0])


def _line(label: str, points: Sequence[tuple[Any, Estimate]], *, joined: bool = True) -> Line:
    means, errors = [value.mean for _, value in points], [value.ci95 for _, value in points]
    return Line(label, [x for x, _ in points], means, errors, joined=joined)


def _only(names: Sequence[str]) -> str:
    """The name that all are; empty where they differ."""
    return names[0] if len(set(names)) == 1 else ""


def _follows(result: Result, key: str) -> bool:
    """Whether a key changes together with one that stands before it, which is compared in its place."""
    axes = list(result.scenario.axes)
    return any(axes.index(other) < axes.index(key) for other in result.scenario.swept_with(key))
