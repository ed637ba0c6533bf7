"""What a notebook shows of a result or a comparison: a sentence, a table, and on request a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hopscope.errors import NotFound, instead
from hopscope.reporting import contrasts as compared
from hopscope.reporting import tables
from hopscope.reporting.page import rendered
from hopscope.reporting.wording import Grid
from hopscope.results import metrics
from hopscope.results.remarks import around

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hopscope.results import Result
    from hopscope.results.contrasts import Contrasts

#: Rows of a table in a notebook; `Result.summary` has the rest.
_ROWS = 24


def result(shown: Result) -> str:
    """A result as HTML: what was run, its flows with means and intervals, what to know of them."""
    found = tables.grids(shown, "FILE.toml")
    grid = next((grid for grid in found if grid.caption == "Flows"), None)
    missing = [f"{len(shown.failures)} runs failed"] if shown.failures else []
    return _html(shown.scenario.title, [*around(shown, [tables.described(shown)]), *missing], grid)


def contrasts(shown: Contrasts) -> str:
    """Comparisons as HTML: the verdicts and the table."""
    return _html(shown.title, compared.sentences(shown), compared.grid(shown))


def figure(shown: Result, metric: str | None = None) -> Figure:
    """The figure of a metric of the flows, as the report draws it: over the swept key, or as bars.

    Args:
        shown: the result.
        metric: such as ``delay_ms``; default: throughput.

    Raises:
        NotFound: flows have no such metric, or no run has a sample of it.
    """
    from hopscope.reporting import plots

    known = [entry for entry in metrics.metrics("flow") if entry.kind == "sample"]
    name = (metric or metrics.shown("flow", "drawn")[0].name).rpartition(".")[2]
    wanted = next((entry for entry in known if entry.name == name), None)
    if wanted is None:
        names = [entry.name for entry in known]
        raise NotFound(f'no metric "{metric}"{instead(name, names, "flows have {}")}')
    charts = tables.of_metrics(shown, [(wanted.name, wanted.label)])
    if not charts or charts[0].is_empty:
        raise NotFound(f'no run has a sample of "{name}"')
    return plots.draw(charts[0])


def _html(title: str, sentences: list[str], grid: Grid | None) -> str:
    context: dict[str, Any] = {"title": title, "sentences": sentences, "grid": grid, "more": 0}
    if grid is not None and len(grid.rows) > _ROWS:
        context |= {"grid": Grid(grid.columns, grid.rows[:_ROWS], grid.caption), "more": len(grid.rows) - _ROWS}
    return rendered("notebook.html.j2", context)
