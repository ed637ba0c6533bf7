"""What a figure shows, as plain data: panels of lines or bars with error bars and published marks.

A catalogue entry or a store turns its tables into a `Chart`; `hopscope.reporting.plots` turns a `Chart` into a
matplotlib figure. Nothing here imports matplotlib, so charts can be built and tested without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["lines", "bars", "stack", "dots", "steps", "cdf"]
"""`lines`: values over a swept quantity; `bars`: values over named groups; `stack`: the same on
top of each other; `dots`: one value for each name,
listed downwards; `steps`: a time series that holds its value;
`cdf`: the share of samples at or below a value."""

Error = float | tuple[float, float] | None
"""An error bar: half width of the 95 % interval, (below, above) for an uneven one, `None` for no bar."""


@dataclass(frozen=True)
class Line:
    """One curve, or one group of bars.

    Attributes:
        label: text in the legend.
        x: positions; for bars, the names of the groups.
        y: values, one for each position.
        error: error bars, one for each value; empty for none.
        reference: drawn as a thin dashed line: a model or a bound rather than a measurement.
        joined: whether a line joins the values; without it only markers are drawn.
        style: number of its colour and pattern or marker, the same wherever the same thing is drawn; `None`: that of
            its label among the labels of the chart.
    """

    label: str
    x: Sequence[float | str]
    y: Sequence[float]
    error: Sequence[Error] = ()
    reference: bool = False
    joined: bool = True
    style: int | None = None

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y):
            raise ValueError(f"line {self.label!r}: {len(self.x)} positions but {len(self.y)} values")
        if self.error and len(self.error) != len(self.y):
            raise ValueError(f"line {self.label!r}: {len(self.y)} values but {len(self.error)} intervals")


@dataclass(frozen=True)
class Mark:
    """Values from elsewhere, published or measured, drawn as hollow markers over the curves of the simulation.

    Attributes:
        label: text in the legend; names the source.
        x: positions (for bars, names of groups).
        y: the values.
        extremes: ends of a bar through each value, where known: smallest and largest run, or of an interval; empty for
            none.
        style: number of its colour; `None`: black.
    """

    label: str
    x: Sequence[float | str]
    y: Sequence[float]
    extremes: Sequence[tuple[float, float] | None] = ()
    style: int | None = None


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Attributes:
        title: short heading over the axes; empty for none.
        lines: what was measured.
        marks: what was published or measured elsewhere.
        guides: vertical guide lines: (position, text).
        band: shaded range of values (a tolerance), in the units of the value axis.
        spans: shaded stretches of the horizontal axis: (begin, end, text in the legend).
    """

    title: str
    lines: Sequence[Line]
    marks: Sequence[Mark] = ()
    guides: Sequence[tuple[float, str]] = ()
    band: tuple[float, float] | None = None
    spans: Sequence[tuple[float, float, str]] = ()


@dataclass(frozen=True)
class Chart:
    """A figure with one or more panels that share their labels.

    Attributes:
        name: file stem of the figure.
        caption: one or two sentences under the figure.
        xlabel, ylabel: axis labels with units.
        panels: side by side, sharing the vertical axis.
        kind: how the lines are drawn, see `Kind`.
        log_x, log_y: logarithmic axes.
        legend_title: heading of the legend.
        own_axes: each panel has a vertical axis of its own.
        stacked: panels stand below one another over one horizontal axis; without `ylabel` their titles label the
            vertical axes, which are then their own.
        over: swept key and metric of the axes, where a model can be drawn over the curves.
        metric: metric of flows of which it shows means, at points of a sweep; empty: it shows something else.
        distribution: what it shows the distributions of, at points of a sweep; empty: it shows something else.
        limits: ends of the horizontal axis; without them it ends with the data.
    """

    name: str
    caption: str
    xlabel: str
    ylabel: str
    panels: Sequence[Panel]
    kind: Kind = "lines"
    log_x: bool = False
    log_y: bool = False
    legend_title: str = ""
    own_axes: bool = False
    stacked: bool = False
    over: tuple[str, str] | None = None
    metric: str = ""
    distribution: str = ""
    limits: tuple[float, float] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(line.y for panel in self.panels for line in panel.lines)
