"""Figures: one function for each kind of chart, each takes data and returns a matplotlib figure.

The figures use the Agg canvas and no global state, so they can be drawn in any thread and without a display. Colours
follow Okabe and Ito's palette, which colour-blind readers can distinguish; markers, dashes and patterns do the same in
grey print.
"""

from __future__ import annotations

import io
import math
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.io.extras import need
from hopscope.io.files import make_folder, write_whole
from hopscope.reporting.chart import Chart, Line, Panel
from hopscope.reporting.style import PANEL, wanted_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")
#: What a quick run writes: PDF takes longest and is for printing.
QUICK_FORMATS = ("png", "svg")
# Dots per inch of a PNG.
_DPI = 200

#: Okabe and Ito's colours and two more.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A5195", "#555555")
# Markers of a line with more points than this would hide it.
_MARKED = 64
# Height of one of several time series below one another, in lines of `dots`.
_ROW = 5
# Room below zero of a time series, as a share of what is above.
_ROOM = 0.03
# Dashes of lines without markers, one for each colour: on and off lengths in units of the line's width.
_SOLID: Any = "-"
_BROKEN: tuple[Any, ...] = (
    _SOLID,
    (0, (6, 1.5)),
    (0, (1.5, 1)),
    (0, (8, 1.5, 1.5, 1.5)),
    (0, (3, 1)),
    (0, (12, 2)),
    (0, (6, 1.5, 1.5, 1.5, 1.5, 1.5)),
    (0, (1, 2)),
)
# More letters than these in the names of groups do not fit side by side.
_WIDE = 60
# Patterns of bars side by side, one for each colour.
_PATTERNS = ("", "///", "..", "\\\\\\", "xx", "---", "++", "oo")
# Patterns of the parts of a stack, one for each round of colours; what comes after them (the idle time) is pale.
_HATCHES, _PALE = ("", "////"), "#E4E4E4"
# The most names that stand upright below a stack.
_UPRIGHT = 12
# The axis reaches at most so many times as far as the largest value: intervals of two seeds may be ten times as wide.
_REACH = 2.0
# Whole positions are each marked on the axis when they are at most so many, of together at most so many letters.
_TICKS, _LETTERS = 12, 30
# Inches: a bold letter of a title, a letter of an axis, and names turned by 30 degrees next to each other.
_TITLE, _LABEL, _TURNED = 0.095, 0.09, 0.3
# Inches: a row of the legend, its handle with the space around, a letter; and most columns.
LEGEND_ROW, _HANDLE, _LETTER, _COLUMNS = 0.19, 0.62, 0.075, 6
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")
# Lines of references: models and bounds.
_DASHES = ("--", ":", "-.")
_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.labelsize": 10.5,
    "axes.edgecolor": "#444444",
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "legend.fontsize": 9,
    "legend.title_fontsize": 9,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "hatch.linewidth": 0.7,
    "svg.hashsalt": "hopscope",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}


def draw(chart: Chart) -> Figure:
    """Draw a chart of any kind.

    Raises:
        ValueError: for a chart without values.
    """
    if chart.is_empty:
        raise ValueError(f"chart {chart.name!r} has nothing to draw")
    kinds: dict[str, Callable[[Chart], Figure]] = {
        "lines": lines,
        "bars": bars,
        "stack": stack,
        "dots": dots,
        "steps": steps,
        "cdf": cdf,
    }
    return kinds[chart.kind](wanted_style().of(chart))


def lines(chart: Chart) -> Figure:
    """Values over a swept quantity, with 95 % error bars; references dashed, published values as hollow stars."""
    with _figure(chart) as (figure, axes):
        for ax, panel, styles in zip(axes, chart.panels, _styles(chart), strict=True):
            for index, line in zip(styles, panel.lines, strict=True):
                if line.reference:
                    style = _DASHES[index % len(_DASHES)]
                    ax.plot(line.x, line.y, ls=style, color="#666666", lw=1.2, label=line.label, zorder=1.5)
                    continue
                ax.errorbar(
                    line.x,
                    line.y,
                    yerr=_bars_of(line),
                    color=COLOURS[index % len(COLOURS)],
                    marker=_marker(line, index),
                    ms=_size(line),
                    lw=1.4 if len(line.x) <= _MARKED else 0.8,
                    ls="none" if not line.joined else _SOLID if len(line.x) <= _MARKED else _dashes(index),
                    elinewidth=1,
                    capsize=2,
                    label=line.label,
                    zorder=2,
                )
            _publish(ax, panel)
            _shade(ax, panel)
            _guide(ax, panel)
        _scale(axes, chart)
        _legend(figure, axes, chart)
        return figure


def bars(chart: Chart) -> Figure:
    """Groups of bars with 95 % error bars; published values as hollow stars over their group."""
    with _figure(chart) as (figure, axes):
        for ax, panel, styles in zip(axes, chart.panels, _styles(chart), strict=True):
            groups = list(dict.fromkeys(str(x) for line in panel.lines for x in line.x))
            width = 0.8 / max(1, len(panel.lines))
            for place, (index, line) in enumerate(zip(styles, panel.lines, strict=True)):
                shift = (place - (len(panel.lines) - 1) / 2) * width
                ax.bar(
                    [groups.index(str(x)) + shift for x in line.x],
                    line.y,
                    width * 0.92,
                    yerr=_bars_of(line),
                    color=COLOURS[index % len(COLOURS)],
                    hatch=_PATTERNS[index % len(_PATTERNS)],
                    edgecolor="white",
                    linewidth=0,
                    error_kw={"elinewidth": 1, "capsize": 2, "ecolor": "#222222"},
                    label=line.label,
                )
            # Names that would run into one another are turned.
            wide = len("".join(groups)) > _WIDE
            crowded = figure.get_figwidth() / len(axes) < _TURNED * len(groups)
            turn = {"rotation": 60 if crowded else 30, "ha": "right", "rotation_mode": "anchor"}
            turned: dict[str, Any] = turn if wide else {}
            ax.set_xticks(range(len(groups)), groups, **turned)
            ax.grid(visible=False, axis="x")
            _publish(ax, panel, place=lambda x, known=tuple(groups): known.index(str(x)))  # type: ignore[misc]
        _reach(axes, chart)
        _legend(figure, axes, chart)
        return figure


def stack(chart: Chart) -> Figure:
    """Bars of parts that add up, one for each name; more parts than colours are distinguished by hatching."""
    with _figure(chart) as (figure, axes):
        for ax, panel, styles in zip(axes, chart.panels, _styles(chart), strict=True):
            names = list(dict.fromkeys(str(x) for line in panel.lines for x in line.x))
            below = [0.0] * len(names)
            for index, line in zip(styles, panel.lines, strict=True):
                values = dict(zip(map(str, line.x), line.y, strict=True))
                heights = [values.get(name, 0.0) for name in names]
                turn, colour = divmod(index, len(COLOURS))
                ax.bar(
                    range(len(names)),
                    heights,
                    0.86,
                    bottom=below,
                    color=COLOURS[colour] if turn < len(_HATCHES) else _PALE,
                    hatch=_HATCHES[turn] if turn < len(_HATCHES) else "",
                    edgecolor="white",
                    linewidth=0.4,
                    label=line.label,
                )
                below = [low + height for low, height in zip(below, heights, strict=True)]
            ax.set_xticks(range(len(names)), names, rotation=90 if len(names) > _UPRIGHT else 0)
            ax.grid(visible=False, axis="x")
        _legend(figure, axes, chart)
        return figure


def dots(chart: Chart) -> Figure:
    """One value with its 95 % interval for each name, listed downwards; the band is a tolerance.

    The horizontal axis is the value, so `Chart.xlabel` labels the values and the names need no label.
    """
    heights = [max(2, sum(len(line.x) for line in panel.lines)) for panel in chart.panels]
    with _figure(chart, rows=heights) as (figure, axes):
        for ax, panel, styles in zip(axes, chart.panels, _styles(chart), strict=True):
            names = [str(x) for line in panel.lines for x in line.x]
            for index, line in zip(styles, panel.lines, strict=True):
                ax.errorbar(
                    line.y,
                    [names.index(str(x)) for x in line.x],
                    xerr=_bars_of(line, signed=True),
                    fmt=_MARKERS[index % len(_MARKERS)],
                    color=COLOURS[index % len(COLOURS)],
                    ms=4,
                    elinewidth=1,
                    capsize=2,
                    label=line.label,
                )
            ax.axvline(0, color="#444444", lw=0.8)
            if panel.band:
                ax.axvspan(*panel.band, color="#0072B2", alpha=0.10, lw=0)
            ax.set_yticks(range(len(names)), names, fontsize=8 * wanted_style().scale)
            ax.set_ylim(len(names) - 0.5, -0.5)
        return figure


def steps(chart: Chart) -> Figure:
    """A time series that holds each value until the next."""
    with _figure(chart) as (figure, axes):
        for ax, panel, styles in zip(axes, chart.panels, _styles(chart), strict=True):
            for index, line in zip(styles, panel.lines, strict=True):
                colour = COLOURS[index % len(COLOURS)]
                ax.step(line.x, line.y, where="post", color=colour, ls=_dashes(index), lw=1.0, label=line.label)
            _shade(ax, panel)
            _guide(ax, panel)
        _scale(axes, chart)
        _legend(figure, axes, chart)
        return figure


def cdf(chart: Chart) -> Figure:
    """The share of the samples (`Line.y`) at or below each value."""
    with _figure(chart) as (figure, axes):
        for ax, panel, styles in zip(axes, chart.panels, _styles(chart), strict=True):
            for index, line in zip(styles, panel.lines, strict=True):
                ax.ecdf(list(line.y), color=COLOURS[index % len(COLOURS)], lw=1.4, label=line.label)
            ax.set_ylim(0, 1.02)
            _guide(ax, panel)
        _legend(figure, axes, chart)
        return figure


# --- Saving ---------------------------------------------------------------------------------------------------------


def image(figure: Figure, form: str) -> bytes:
    """The figure as a file of format `png`, `svg` or `pdf`; the same figure gives the same bytes.

    The canvases are called directly: `savefig` would draw each figure twice, and lay it out twice. The layout found for
    the first file serves the others.
    """
    need("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = io.BytesIO()
    dpi, width = figure.dpi, wanted_style().width
    if width is not None and figure.get_figwidth() != width:
        figure.set_size_inches(width, figure.get_figheight() * width / figure.get_figwidth())
    with styled():
        figure.dpi = _DPI
        if form == "png":
            FigureCanvasAgg(figure).print_png(buffer, metadata={"Software": None})  # type: ignore[no-untyped-call]
        elif form == "svg":
            FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None, "Creator": None})  # type: ignore[no-untyped-call]
        else:
            metadata = {"CreationDate": None, "Producer": None, "Creator": None}
            FigureCanvasPdf(figure).print_pdf(buffer, metadata=metadata)  # type: ignore[no-untyped-call]
        figure.dpi = dpi
        figure.set_layout_engine("none")
    return buffer.getvalue()


def save(figure: Figure, folder: Path, stem: str, formats: Sequence[str] = FORMATS) -> dict[str, Path]:
    """Write the figure in these formats; return the files by format."""
    make_folder(folder)
    written = {}
    for form in formats:
        path = folder / f"{stem}.{form}"
        write_whole(path, image(figure, form))
        written[form] = path
    return written


# --- Parts ----------------------------------------------------------------------------------------------------------


@contextmanager
def styled() -> Iterator[None]:
    """Figures made and drawn inside look like all others."""
    need("matplotlib")
    import matplotlib as mpl

    with mpl.rc_context(wanted_style().style(_STYLE)):
        yield


@contextmanager
def _figure(chart: Chart, rows: Sequence[int] | None = None) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure with one pair of axes for each panel: side by side, or below one another with relative heights."""
    need("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as MatplotlibFigure

    count = len(chart.panels)
    if chart.stacked:
        rows = [_ROW] * count
    with styled():
        wanted, scale = wanted_style().width, wanted_style().scale
        across = count if wanted is None or rows is not None else max(1, min(count, int(wanted / PANEL)))
        down = -(-count // across)
        if rows is None:
            size = (6.4, 4.0) if count == 1 else (min(4.4 * count, 13.0), 4.0)
            if wanted is not None:
                size = (wanted, 0.7 * wanted if count == 1 else (0.75 * wanted / across + 0.9 * scale) * down)
            figure = MatplotlibFigure(figsize=size, layout="constrained")
            grid = figure.subplots(down, across, sharey=not chart.own_axes, squeeze=False)
            for unused in list(grid.flat)[count:]:
                unused.remove()
        else:
            size = (8.4 if wanted is None else wanted, 0.9 * count + 0.19 * scale * sum(rows))
            figure = MatplotlibFigure(figsize=size, layout="constrained")
            alike = chart.stacked and bool(chart.ylabel)
            grid = figure.subplots(count, 1, sharex=True, sharey=alike, squeeze=False, height_ratios=list(rows))
        FigureCanvasAgg(figure)
        axes = list(grid.flat)[:count]
        for ax, panel in zip(axes, chart.panels, strict=True):
            if chart.stacked and not chart.ylabel:
                ax.set_ylabel(panel.title)
            if panel.title and (chart.ylabel or not chart.stacked):
                room = figure.get_figwidth() / (across if rows is None else 1) - 0.3
                ax.set_title(_broken(panel.title, room / (_TITLE * scale)), loc="left")
        if rows is None or count == 1:
            for ax in axes[::across]:
                ax.set_ylabel(_broken(chart.ylabel, 0.75 * figure.get_figheight() / down / (_LABEL * scale)))
        elif chart.stacked:
            # One label for all: a row is too low for a long one.
            figure.supylabel(chart.ylabel, fontsize=scale * _STYLE["axes.labelsize"])
        for ax in axes[-across:] if rows is None else axes[-1:]:
            ax.set_xlabel(_broken(chart.xlabel, figure.get_figwidth() / across / (_LABEL * scale)))
        yield figure, axes


def _styles(chart: Chart) -> list[list[int]]:
    """The number of the colour of each line of each panel: one for a label in all panels, so that one legend serves.

    Lines of one panel with the same label (mostly none) are distinguished; references are counted for themselves.
    """
    numbers: dict[bool, dict[tuple[str, int], int]] = {False: {}, True: {}}
    found = []
    for panel in chart.panels:
        seen: Counter[tuple[bool, str]] = Counter()
        styles = []
        for line in panel.lines:
            known = numbers[line.reference]
            number = known.setdefault((line.label, seen[line.reference, line.label]), len(known))
            seen[line.reference, line.label] += 1
            styles.append(number if line.style is None else line.style)
        found.append(styles)
    return found


def _bars_of(line: Line, *, signed: bool = False) -> Any:
    """Error bars as matplotlib takes them; a value without an interval gets a bar of no length.

    Of a quantity that cannot be negative the bar ends at zero: the interval of few seeds may reach further.
    """
    if not any(line.error):
        return None
    pairs = [e if isinstance(e, tuple) else ((e or 0.0), (e or 0.0)) for e in line.error]
    below = [low if signed else min(low, max(y, 0.0)) for (low, _), y in zip(pairs, line.y, strict=True)]
    return [below, [above for _, above in pairs]]


def _dashes(index: int) -> Any:
    return _BROKEN[index % len(_BROKEN)]


def _marker(line: Line, index: int) -> str:
    """The marker of a line; those that would hide a long curve are left out."""
    return "none" if line.joined and len(line.x) > _MARKED else _MARKERS[index % len(_MARKERS)]


def _size(line: Line) -> float:
    """The size of its markers: large where nothing else is drawn, small where they are many."""
    if line.joined:
        return 4
    return 6 if len(line.x) <= _MARKED else 2


def _reach(axes: Sequence[Axes], chart: Chart) -> None:
    """Let error bars run out of the figure where they would press everything else flat."""
    heights = [
        [
            y
            for y in (*(y for line in panel.lines for y in line.y), *(y for mark in panel.marks for y in mark.y))
            if y > 0
        ]
        for panel in chart.panels
    ]
    for ax, own in zip(axes, heights, strict=True):
        largest = max(own if chart.own_axes else [y for panel in heights for y in panel], default=0.0)
        if largest > 0 and ax.get_ylim()[1] > _REACH * largest:
            ax.set_ylim(top=_REACH * largest)


def _whole_ticks(ax: Axes, places: Sequence[float]) -> None:
    """Mark whole positions, such as hops: each of them where there is room."""
    closest = min((high - low for low, high in pairwise(places)), default=0.0)
    letters = len(places) * max(len(f"{place:g}") for place in places)
    if closest * _TICKS >= places[-1] - places[0] and letters <= _LETTERS:
        ax.set_xticks(places)
    else:
        ax.locator_params(axis="x", integer=True)


def _scale(axes: Sequence[Axes], chart: Chart) -> None:
    """Set the axes; called when every panel is drawn, since fixing one end of a shared axis fixes the other."""
    if chart.kind == "lines" and not chart.log_y:
        _reach(axes, chart)
    for ax, panel in zip(axes, chart.panels, strict=True):
        if chart.log_x:
            ax.set_xscale("log", base=2)
            places = sorted({float(x) for line in panel.lines for x in line.x})
            ax.set_xticks(places, [f"{place:g}" for place in places])
            ax.minorticks_off()
        elif chart.kind == "lines" and all(float(x).is_integer() for line in panel.lines for x in line.x):
            # Hops and windows are whole.
            _whole_ticks(ax, sorted({float(x) for line in panel.lines for x in line.x}))
        # A gap in a time series is no number.
        drawn = [*(line.y for line in panel.lines), *(mark.y for mark in panel.marks)]
        values = [y for heights in drawn for y in heights if not math.isnan(y)]
        if chart.kind == "steps" and all(float(y).is_integer() for y in values):
            # A route is there or not, a queue holds whole packets.
            ax.locator_params(axis="y", integer=True)
        if chart.log_y:
            ax.set_yscale("log")
            of = [panel] if chart.own_axes else chart.panels
            heights = [*(line.y for one in of for line in one.lines), *(mark.y for one in of for mark in one.marks)]
            _plain_numbers(ax, [y for values in heights for y in values])
        elif values and min(values) >= 0:
            # A step along zero needs room, or the axis hides it.
            ax.set_ylim(bottom=-_ROOM * ax.get_ylim()[1] if chart.kind == "steps" else 0)
        if chart.limits:
            ax.set_xlim(chart.limits)


def _plain_numbers(ax: Axes, values: Sequence[float]) -> None:
    """Label a logarithmic axis with numbers as they are written, at round ones where it has no power of ten."""
    from matplotlib.ticker import MaxNLocator

    if values and max(values) < 10 * min(values):
        ax.yaxis.set_major_locator(MaxNLocator(5))
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.yaxis.minorticks_off()


def _publish(ax: Axes, panel: Panel, place: Callable[[Any], float] = float) -> None:
    for mark in panel.marks:
        colour = "#111111" if mark.style is None else COLOURS[mark.style % len(COLOURS)]
        ax.plot(
            [place(x) for x in mark.x],
            mark.y,
            linestyle="none",
            marker="*",
            ms=11,
            mfc="white",
            mec=colour,
            mew=1.1,
            label=mark.label,
            zorder=3,
        )
        for x, span in zip(mark.x, mark.extremes, strict=False):
            if span is not None:
                ax.vlines(place(x), *span, colors=colour, lw=1.1, zorder=2.9)


def _shade(ax: Axes, panel: Panel) -> None:
    for begin, end, text in panel.spans:
        ax.axvspan(begin, end, color="#888888", alpha=0.22, lw=0, zorder=0.5, label=text)


def _guide(ax: Axes, panel: Panel) -> None:
    """Vertical lines with their texts over the axes, where no curve can be."""
    for position, text in panel.guides:
        ax.axvline(position, color="#666666", lw=0.9, ls=":", zorder=1)
        ax.annotate(
            text,
            (position, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            textcoords="offset points",
            fontsize=8.5 * wanted_style().scale,
            color="#444444",
            ha="center",
            va="bottom",
        )
    if panel.guides and panel.title:
        ax.set_title(ax.get_title(loc="left"), loc="left", pad=18)


def _broken(text: str, letters: float) -> str:
    """A title or a label in as many lines as it needs."""
    return textwrap.fill(text, max(8, int(letters)), break_long_words=False)


def _legend(figure: Figure, axes: Sequence[Axes], chart: Chart) -> None:
    """One legend for all panels, below them where it hides nothing; none for a single unnamed line."""
    entries: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    entries.pop("", None)
    entries = {label: entries[label] for label in sorted(entries, key=_order(chart).__getitem__)}
    if not entries or (len(entries) == 1 and not any(p.marks or p.spans for p in chart.panels) and _single(chart)):
        return
    columns = _columns(list(entries), figure.get_figwidth())
    rows = -(-len(entries) // columns)
    figure.set_figheight(figure.get_figheight() + LEGEND_ROW * wanted_style().scale * (rows - 1))
    title = chart.legend_title or None
    figure.legend(entries.values(), entries.keys(), title=title, loc="outside lower center", ncols=columns)


def _order(chart: Chart) -> Mapping[str, tuple[int, int]]:
    """Places in the legend: lines by colour, then models and bounds, what is shaded, and what was published."""
    places: dict[str, tuple[int, int]] = {}
    for panel, styles in zip(chart.panels, _styles(chart), strict=True):
        for style, line in zip(styles, panel.lines, strict=True):
            places.setdefault(line.label, (int(line.reference), style))
        for _, _, text in panel.spans:
            places.setdefault(text, (2, len(places)))
        for mark in panel.marks:
            places[mark.label] = (3, len(places))
    return places


def legend_columns(labels: Sequence[str], width: float) -> int:
    """Columns of a legend: one row where that fits into the width of the figure, in inches."""
    if wanted_style().scale * sum(_HANDLE + _LETTER * len(label) for label in labels) <= width:
        return max(1, len(labels))
    return _columns(labels, width)


def _columns(labels: Sequence[str], width: float) -> int:
    """Columns of a legend: as many as fit into the width of the figure, in inches."""
    longest = wanted_style().scale * (_HANDLE + _LETTER * max(map(len, labels)))
    return max(1, min(len(labels), int(width / longest), _COLUMNS))


def _single(chart: Chart) -> bool:
    return sum(len(panel.lines) for panel in chart.panels) == 1
