"""Two swept keys as a heat map: a cell for each pair of values, with the best of each row and of each column."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope.errors import ranges
from hopscope.io.extras import need
from hopscope.reporting import wording
from hopscope.reporting.axis import headings
from hopscope.results import metrics
from hopscope.results.comparisons import Best, best_among
from hopscope.results.samples import NoSamplesError, Table
from hopscope.results.wide import SweptAxis, axes
from hopscope.scenario.naming import names
from hopscope.scenario.sweep import written

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table as TerminalTable

    from hopscope.results import Result

#: More rows or columns than these are no picture.
_MOST = 64
#: The smallest letters that can be read, in points; how wide a bold digit is, in letters; inches of labels and scale.
_LEAST_POINTS, _EM, _MARGIN = 5.0, 0.65, 1.5
#: Groups of values that a sentence names.
_GROUPS = 6
#: Metrics of which less is better.
_LEAST = frozenset({"delay_ms", "loss_pct"})
#: Colours of a terminal from the worst to the best cell, as of matplotlib's viridis, each with that of its letters.
_SHADES = (
    ("#440154", "#ffffff"), ("#443983", "#ffffff"), ("#31688e", "#ffffff"), ("#21918c", "#ffffff"),
    ("#35b779", "#000000"), ("#90d743", "#000000"), ("#fde725", "#000000"),
)  # fmt: skip


@dataclass(frozen=True)
class HeatMap:
    """A metric over two swept keys.

    Attributes:
        name: file stem of the figure.
        caption: one or two sentences under the figure.
        metric: the metric by its dotted name.
        label: the metric with its unit.
        axes: the two directions of the sweep, that of the rows first.
        down, across: names of the keys with their units.
        rows, columns: their values in words.
        cells: the metric, row by row; None where no run has a sample.
        best_of_row: column of the best value of each row, None for an empty one.
        best_of_column: row of the best value of each column.
        least: less is better.
    """

    name: str
    caption: str
    metric: str
    label: str
    axes: tuple[SweptAxis, SweptAxis]
    down: str
    across: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[float | None]]
    best_of_row: Sequence[int | None]
    best_of_column: Sequence[int | None]
    least: bool

    @functools.cached_property
    def extent(self) -> tuple[float, float]:
        """The smallest and the largest value."""
        there = [value for line in self.cells for value in line if value is not None]
        return min(there), max(there)

    def text(self, row: int, column: int) -> str:
        """A cell as text, all with the decimals of the largest."""
        value, size = self.cells[row][column], max(map(abs, self.extent))
        digits = next((digits for digits, least in enumerate((1000, 10, 1)) if size >= least), 3)
        return "-" if value is None else f"{value:.{digits}f}"

    def shade(self, row: int, column: int) -> float | None:
        """Where a cell stands between the worst, 0, and the best, 1."""
        value, (low, high) = self.cells[row][column], self.extent
        if value is None:
            return None
        share = (value - low) / (high - low) if high > low else 1.0
        return 1 - share if self.least else share


def of_result(result: Result) -> list[HeatMap]:
    """The heat maps of a sweep over two keys: throughput and delay, of several flows the total and the fairness."""
    pair = _pair(result)
    if pair is None:
        return []
    found = [_map(result, pair, metric) for metric in _metrics(result)]
    return [one for one in found if any(value is not None for line in one.cells for value in line)]


def sentences(result: Result) -> list[str]:
    """The best value of each key for each value of the other one; nothing for another sweep than over two keys."""
    pair = _pair(result)
    if pair is None:
        return []
    metric = _metrics(result)[0]
    words = metrics.in_words(metric, 1)
    return [text for down, across in (pair, pair[::-1]) if (text := _sentence(result, metric, words, down, across))]


def terminal(shown: HeatMap) -> TerminalTable:
    """A heat map as a table of a terminal."""
    from rich import box
    from rich.table import Table as TerminalTable
    from rich.text import Text

    table = TerminalTable(
        title=Text(f"{shown.label} over {shown.across}"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False
    )
    table.add_column(Text(shown.down), justify="right", no_wrap=True)
    for column in shown.columns:
        table.add_column(Text(column), justify="right", no_wrap=True)
    for at, row in enumerate(shown.rows):
        cells = []
        for place in range(len(shown.columns)):
            marks = ("r" if shown.best_of_row[at] == place else "") + ("c" if shown.best_of_column[place] == at else "")
            shade = shown.shade(at, place)
            style = "" if shade is None else "{1} on {0}".format(*_SHADES[round(shade * (len(_SHADES) - 1))])
            cells.append(Text(f"{shown.text(at, place)} {marks:<2}", style=style))
        table.add_row(Text(row), *cells)
    return table


#: What the letters of a terminal mean.
MARKS = "(r: best of its row, c: best of its column)"


def draw(shown: HeatMap) -> Figure:
    """The figure: bold is the best of its row, framed that of its column."""
    need("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as MatplotlibFigure
    from matplotlib.patches import Rectangle

    from hopscope.reporting.plots import styled
    from hopscope.reporting.style import wanted_style

    wanted = wanted_style()
    height, width = len(shown.rows), len(shown.columns)
    with styled():
        across = wanted.width or min(12.0, max(4.8, 2.2 + 0.62 * width))
        down = min(12.0, max(2.6, 1.3 + 0.38 * height)) if wanted.width is None else wanted.scale * (0.9 + 0.3 * height)
        figure = MatplotlibFigure(figsize=(across, down), layout="constrained")
        FigureCanvasAgg(figure)
        points = _letters(shown, across, wanted.scale)
        ax = figure.add_subplot()
        values = [[math.nan if value is None else value for value in line] for line in shown.cells]
        image = ax.imshow(values, aspect="auto", origin="lower", cmap="viridis_r" if shown.least else "viridis")
        ax.grid(visible=False)
        every = max(1, -(-width // 24)), max(1, -(-height // 24))
        ax.set_xticks(range(0, width, every[0]), shown.columns[:: every[0]])
        ax.set_yticks(range(0, height, every[1]), shown.rows[:: every[1]])
        ax.set_xlabel(shown.across)
        ax.set_ylabel(shown.down)
        for row, column in _cells(shown):
            light = (shown.shade(row, column) or 0) > 0.6
            is_best = shown.best_of_row[row] == column
            text = shown.text(row, column) if points is not None else "•" if is_best else ""
            weight = "bold" if is_best else "normal"
            ink = "black" if light else "white"
            ax.text(column, row, text, ha="center", va="center", color=ink, fontsize=points or 8, fontweight=weight)
        for column, best in enumerate(shown.best_of_column):
            if best is not None:
                ax.add_patch(Rectangle((column - 0.48, best - 0.46), 0.96, 0.92, fill=False, ec="#D55E00", lw=1.6))
        figure.colorbar(image, label=shown.label)
        return figure


# --- Parts ----------------------------------------------------------------------------------------------------------


def _letters(shown: HeatMap, inches: float, scale: float) -> float | None:
    """Points of the numbers in the cells of a figure so wide; None where they cannot be read."""
    longest = max(len(shown.text(row, column)) for row, column in _cells(shown))
    room = 72 * (inches - _MARGIN * scale) / len(shown.columns)
    fitting = min(8 * scale, room / (_EM * longest))
    return fitting if fitting >= _LEAST_POINTS else None


def _cells(shown: HeatMap) -> Iterator[tuple[int, int]]:
    """The cells that have a value: row, column."""
    for row, line in enumerate(shown.cells):
        yield from ((row, column) for column, value in enumerate(line) if value is not None)


def _pair(result: Result) -> tuple[SweptAxis, SweptAxis] | None:
    """The two directions of a sweep, that with more values down; None for another sweep."""
    free = [axis for axis in axes(result.scenario) if len(axis.labels) > 1]
    if len(free) != 2 or any(len(axis.labels) > _MOST for axis in free):
        return None
    down, across = sorted(free, key=lambda axis: -len(axis.labels))
    return down, across


def _metrics(result: Result) -> list[str]:
    """What is drawn, the answer first."""
    several = any(len(run["flows"]) > 1 for point in result.points for run in point.runs[:1])
    return ["network.aggregate_kbps", "network.jain"] if several else ["flow.0.throughput_kbps", "flow.0.delay_ms"]


def _map(result: Result, pair: tuple[SweptAxis, SweptAxis], metric: str) -> HeatMap:
    down, across = pair
    found = {
        (down.of(point.set), across.of(point.set)): Table("", [(point.set, point.runs)]).find(metric)
        for point in result.points
    }
    cells = [[None if (of := found.get((r, c))) is None else of.mean for c in across.labels] for r in down.labels]
    entry = metrics.of(metric)
    least = entry is not None and entry.name in _LEAST
    label = metrics.label(metric, 1)
    keys = _names(result, pair)
    meant = "means" if any(len(point.runs) > 1 for point in result.points) else wording.meant(several=False)
    return HeatMap(
        f"{metric.rpartition('.')[2].replace('_', '-')}-heat-map",
        f"{label[:1].upper()}{label[1:]} over {keys[0]} and {keys[1]}, {meant}. "
        f"Bold: {'least' if least else 'most'} of its row; framed: of its column.",
        metric,
        label,
        pair,
        *keys,
        [written(value, 24) for value in down.labels],
        [written(value, 24) for value in across.labels],
        cells,
        [_best(line, least=least) for line in cells],
        [_best([line[place] for line in cells], least=least) for place in range(len(across.labels))],
        least,
    )


def _best(values: Sequence[float | None], *, least: bool) -> int | None:
    """The place of the best value."""
    there = [place for place, value in enumerate(values) if value is not None]
    return (min if least else max)(there, key=lambda place: values[place], default=None)  # type: ignore[arg-type, return-value]


def _names(result: Result, pair: tuple[SweptAxis, SweptAxis]) -> tuple[str, str]:
    """The keys in words, with their units."""
    called = headings(result.scenario.axes)
    first, second = (called.get(axis.name, axis.name) for axis in pair)
    return first, second


def _sentence(result: Result, metric: str, words: str, down: SweptAxis, across: SweptAxis) -> str:
    """The best value of the one key for each value of the other."""
    table = Table("", [(point.set, point.runs) for point in result.points])
    groups: list[tuple[Any, list[Any]]] = []
    alike = 0
    for label in down.labels:
        there = {across.of(point.set): point.set for point in result.points if down.of(point.set) == label}
        try:
            found: Best = best_among(table, metric, there)
        except NoSamplesError:
            continue
        alike += len(found.ties) > 1
        if groups and groups[-1][0] == found.at:
            groups[-1][1].append(label)
        else:
            groups.append((found.at, [label]))
    called = names((down.name, across.name))
    of_each = f"best {called[across.name]} for each {called[down.name]}, by {words}"
    count = sum(len(values) for _, values in groups)
    noise = f"; at {alike} of {count} another one cannot be distinguished from it" if alike else ""
    if len(groups) == 1:
        return f"{of_each}: {written(groups[0][0])} throughout{noise}"
    parts = [
        f"{written(at)} at {ranges([written(v) if isinstance(v, str) else v for v in values])}" for at, values in groups
    ]
    more = f" and {len(parts) - _GROUPS} more changes" if len(parts) > _GROUPS else ""
    return f"{of_each}: {', '.join(parts[:_GROUPS])}{more}{noise}" if parts else ""
