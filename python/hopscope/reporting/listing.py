"""Chosen metrics of results as one table: sorted, for the terminal, and as CSV, Markdown, LaTeX or Parquet.

One row a point and flow where a metric of every flow is chosen (``delay_ms``), else one row a point (``network.jain``,
``flow.0.delay_ms``).  Each metric is its mean over the seeds with the half width of its 95 % interval.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError, NotFound, instead, listed, visible
from hopscope.io import parquet
from hopscope.reporting.axis import heading
from hopscope.reporting.wording import Column, Grid
from hopscope.results import metrics
from hopscope.results.metrics import Metric
from hopscope.results.samples import read
from hopscope.results.stats import Interval, fewer, interval, interval_text
from hopscope.scenario.sweep import written

if TYPE_CHECKING:
    from hopscope.results import PointResult, Result

#: What has metrics with dotted names.
_SCOPES = ("flow", "network", "group", "node", "wire")

#: What a table can be written as, by the ending of its file.
FORMATS = {".csv": "CSV", ".md": "Markdown", ".tex": "LaTeX with booktabs", ".parquet": "Parquet"}


@dataclass(frozen=True)
class Row:
    """One row.

    Attributes:
        scenario: title of its scenario.
        place: its swept values.
        flow: number, ends and transport of its flow; None for a row that is of no flow.
        values: each chosen metric over the seeds.
        runs: finished runs of the point.
    """

    scenario: str
    place: dict[str, Any]
    flow: tuple[int, int, int, str] | None
    values: dict[str, Interval]
    runs: int


@dataclass(frozen=True)
class Listing:
    """A table of chosen metrics.

    Attributes:
        results: what it is of.
        names: the metrics as they were asked for.
        rows: in order.
    """

    results: Sequence[Result]
    names: Sequence[str]
    rows: Sequence[Row]

    @property
    def keys(self) -> dict[str, list[Any]]:
        """The swept keys with their values."""
        found: dict[str, list[Any]] = {}
        for result in self.results:
            for key, values in result.scenario.axes.items():
                found.setdefault(key, []).extend(values)
        return found

    @property
    def has_flows(self) -> bool:
        """Whether rows are of flows."""
        return any(row.flow is not None for row in self.rows)

    def of(self, result: Result) -> Grid:
        """The table of one of the results as text."""
        rows = [row for row in self.rows if row.scenario == result.scenario.title]
        return replace(Listing([result], self.names, rows).grid(), caption="Chosen metrics")

    def columns(self) -> dict[str, list[Any]]:
        """The table with numbers, by name: for each metric its mean, ``NAME.ci95`` and ``NAME.n``."""
        rows = [self._numbers(row) for row in self.rows]
        return {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}

    def _numbers(self, row: Row) -> dict[str, Any]:
        found: dict[str, Any] = {"scenario": row.scenario} if len(self.results) > 1 else {}
        found |= {
            key: written(row.place[key]) if isinstance(row.place.get(key), (list, dict)) else row.place.get(key)
            for key in self.keys
        }
        if row.flow is not None:
            found |= dict(zip(("flow", "from", "to", "transport"), row.flow, strict=True))
        for name in self.names:
            value = row.values.get(name) or interval([])
            found |= {name: value.mean, f"{name}.ci95": value.ci95, f"{name}.n": value.n}
        return found

    def grid(self) -> Grid:
        """The table as text: mean ± half width, headings with units."""
        several = len(self.results) > 1
        columns = [
            *([Column("scenario")] if several else []),
            *(Column(heading(key, values)) for key, values in self.keys.items()),
            *([Column("flow", tight=True)] if self.has_flows else []),
            *(Column(_label(name), number=True) for name in self.names),
            Column("n", number=True),
        ]
        rows = []
        for row in self.rows:
            cells = [row.scenario] if several else []
            cells += [written(row.place[key]) if key in row.place else "" for key in self.keys]
            if self.has_flows and row.flow is not None:
                number, source, target, transport = row.flow
                cells.append(f"{number}: {source} to {target} {transport}")
            for name in self.names:
                value = row.values.get(name)
                of = value.n if value is not None and value.mean is not None else row.runs
                cells.append(interval_text(value.as_dict() if value is not None else None) + fewer(of, row.runs))
            rows.append([*cells, str(row.runs)])
        return Grid(columns, rows)


def listing(
    results: Sequence[Result], names: Sequence[str], *, sort: str | None = None, descending: bool = False
) -> Listing:
    """Return the table of these metrics.

    Args:
        results: of which scenarios.
        names: ``delay_ms`` (of every flow), ``network.jain``, ``flow.0.delay_ms``, ``group.G.NAME``, ``node.3.NAME``.
        sort: a swept key or one of the metrics; default: the order of the sweep.
        descending: the largest first.

    Raises:
        NotFound: no such metric.
        InputError: nothing to sort by that name.
    """
    rows = [row for result in results for row in _rows(result, names)]
    found = Listing(results, names, rows)
    if sort is None:
        return found
    if sort not in names and sort not in found.keys:
        known = [*found.keys, *names]
        raise InputError(f'--sort: no column "{sort}"{instead(sort, known, "there are {}")}')
    known_rows = [row for row in rows if _place(row, sort) is not None]
    unknown = [row for row in rows if _place(row, sort) is None]
    ordered = sorted(known_rows, key=lambda row: _place(row, sort), reverse=descending)
    return Listing(results, names, [*ordered, *unknown])


def check_names(names: Sequence[str]) -> None:
    """Refuse names that no run can have.

    Raises:
        NotFound: with the name that is closest.
    """
    known = [metric.name for metric in metrics.metrics("flow") if metric.kind == "sample"]
    for name in names:
        if "." not in name and name not in known:
            others = "of others: network.NAME, group.G.NAME, node.N.NAME"
            raise NotFound(f'no metric "{name}"{instead(name, known, f"flows have {{}}; {others}")}')
        if "." in name and (scope := name.partition(".")[0]) not in _SCOPES:
            raise NotFound(f'no metric "{name}"{instead(scope, _SCOPES, f"dotted names begin with {listed(_SCOPES)}")}')


def check_format(option: str, path: Path) -> None:
    """Refuse a file whose ending names no format.

    Raises:
        InputError: with the endings that do.
    """
    if path.suffix.lower() not in FORMATS:
        allowed = ", ".join(f"{ending} ({what})" for ending, what in FORMATS.items())
        raise InputError(f"{option} {path}: the ending names the format; allowed: {allowed}")


def document(found: Listing, ending: str) -> bytes:
    """The table as a file of a format."""
    if ending == ".parquet":
        return parquet.encoded({name: parquet.column(of) for name, of in found.columns().items()}, len(found.rows))
    if ending == ".csv":
        buffer = io.StringIO()
        lines = csv.writer(buffer, lineterminator="\n")
        lines.writerow(found.columns())
        lines.writerows([_no_formula(cell) for cell in row] for row in zip(*found.columns().values(), strict=True))
        return buffer.getvalue().encode()
    return (markdown(found.grid()) if ending == ".md" else latex(found.grid())).encode()


def markdown(grid: Grid) -> str:
    """A grid as a Markdown table."""
    lines = [
        [column.name for column in grid.columns],
        ["---:" if column.number else "---" for column in grid.columns],
        *grid.rows,
    ]
    return "".join("| " + " | ".join(map(_plain, line)) + " |\n" for line in lines)


def latex(grid: Grid) -> str:
    """A grid as a LaTeX table with the rules of booktabs."""
    form = "".join("r" if column.number else "l" for column in grid.columns)
    head = " & ".join(_escaped(column.name) for column in grid.columns)
    body = [" & ".join(map(_escaped, row)) + r" \\" for row in grid.rows]
    lines = [rf"\begin{{tabular}}{{{form}}}", r"\toprule", rf"{head} \\", r"\midrule", *body, r"\bottomrule"]
    return "\n".join([r"% needs \usepackage{booktabs}", *lines, r"\end{tabular}"]) + "\n"


def default_metrics(result: Result) -> list[Metric]:
    """The metrics of flows that a table shows unasked."""
    flows = [flow for point in result.points for run in point.runs[:1] for flow in run["flows"]]
    has_tcp = any(flow["transport"].startswith("tcp") for flow in flows)
    there = {"always": True, "tcp": has_tcp, "several": has_several(result)}
    return [metric for metric in metrics.shown("flow", "terminal") if there[metric.applies]]


def chosen(results: Sequence[Result], names: Sequence[str] | None) -> list[str]:
    """The metrics that were asked for, or those that are shown unasked."""
    if names:
        return list(dict.fromkeys(names))
    usual = dict.fromkeys(metric for result in results for metric in default_metrics(result))
    return [metric.name for metric in usual if any(has_samples(result, metric) for result in results)]


def intervals(result: Result, metric: Metric) -> Iterator[str]:
    """The cells of a metric, one a point and flow."""
    for point in result.points:
        for flow in point.runs[0]["flows"] if point.runs else []:
            yield interval_text(point.summary.get(f"flow.{flow['id']}.{metric.name}"), point.samples_a_metric)


def has_samples(result: Result, metric: Metric) -> bool:
    """Whether any flow has a sample of a metric; without runs everything may come."""
    cells = list(intervals(result, metric))
    return not cells or any(cell != "-" for cell in cells)


def has_several(result: Result) -> bool:
    """Whether runs have several flows."""
    return any(len(run["flows"]) > 1 for point in result.points for run in point.runs[:1])


# --- Parts ----------------------------------------------------------------------------------------------------------

#: What may begin a formula of a spreadsheet; a quantity, such as "-90 dBm", is none.
_FORMULA = re.compile(r"[=@\t\r]|[+-](?![0-9.]+(e[+-]?[0-9]+)? ?[A-Za-z/%]*$)")

#: What Markdown would not show as it stands: signs of its own, and of HTML, which it lets through.
_MARKS = re.compile(r"[\\`*|<\[\]]|&(?=#?\w+;)")

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", "→": r"$\rightarrow$",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip


def _no_formula(cell: Any) -> Any:
    """A cell with an apostrophe in front of what a spreadsheet would calculate, or run, rather than show."""
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def _in_a_line(cell: str) -> str:
    return visible(" ".join(cell.splitlines()))


def _plain(cell: str) -> str:
    """A cell of a Markdown table that is shown as it is, in one line."""
    return _MARKS.sub(r"\\\g<0>", _in_a_line(cell))


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in _in_a_line(text))


def _label(name: str) -> str:
    if "." in name:
        return metrics.label(name)
    return next(metric.label for metric in metrics.metrics("flow") if metric.name == name)


def _place(row: Row, sort: str) -> Any:
    """What a row is sorted by: a number before a word."""
    value = row.values[sort].mean if sort in row.values else row.place.get(sort)
    return value if value is None else (isinstance(value, str), value if isinstance(value, (int, float, str)) else 0)


def _rows(result: Result, names: Sequence[str]) -> Iterator[Row]:
    of_flows = [name for name in names if "." not in name]
    check_names(of_flows)
    for point in result.points:
        if not point.runs:
            continue
        whole = {name: _over(point, name) for name in names if "." in name}
        flows = point.runs[0]["flows"] if of_flows else [None]
        for flow in flows:
            own = {name: _over(point, f"flow.{flow['id']}.{name}") for name in of_flows} if flow else {}
            about = (flow["id"], flow["from"], flow["to"], flow["transport"]) if flow else None
            yield Row(result.scenario.title, dict(point.set), about, whole | own, len(point.runs))


def _over(point: PointResult, metric: str) -> Interval:
    """A metric over the seeds; one that the first run does not have is none."""
    read(point.runs[0], metric)
    return point.interval(metric)
