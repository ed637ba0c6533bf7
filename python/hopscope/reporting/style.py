"""How wide figures are, how large their letters, and which axes are logarithmic: what a paper asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Literal

from hopscope.errors import InputError
from hopscope.reporting.chart import Chart

#: Inches of the columns of IEEE's journals, the most usual ones.
WIDTHS = {"single": 3.5, "double": 7.16}

#: Widths and sizes of letters that can be drawn.
_INCHES, _POINTS = (2.0, 20.0), (4.0, 24.0)

#: Points of the letters at the usual width of a figure, and in a column of a paper.
USUAL_FONT, _PAPER_FONT = 10.0, 8.0

#: Inches that one of several panels needs at least.
PANEL = 1.7


@dataclass(frozen=True)
class FigureStyle:
    """What a user wants of figures.

    Attributes:
        width: in inches; None: each as wide as it is usually.
        font: points of its letters.
        log: axes that are logarithmic where all of their numbers are above zero: "", "x", "y", "xy".
    """

    width: float | None = None
    font: float = USUAL_FONT
    log: Literal["", "x", "y", "xy"] = ""

    @property
    def scale(self) -> float:
        """The size of letters over the usual one."""
        return self.font / USUAL_FONT

    def style(self, usual: Mapping[str, Any]) -> Any:
        """A style of matplotlib with letters of this size."""
        return {key: value * self.scale if key.endswith("size") else value for key, value in usual.items()}

    def of(self, chart: Chart) -> Chart:
        """The chart with its axes as wanted."""
        if chart.kind != "lines" or not self.log:
            return chart
        drawn = [(line.x, line.y) for panel in chart.panels for line in panel.lines]
        drawn += [(mark.x, mark.y) for panel in chart.panels for mark in panel.marks]
        log_x = all(isinstance(x, (int, float)) and x > 0 for places, _ in drawn for x in places)
        log_y = all(y > 0 for _, values in drawn for y in values)
        return replace(
            chart,
            log_x=chart.log_x or ("x" in self.log and log_x),
            log_y=chart.log_y or ("y" in self.log and log_y),
        )


_USUAL = FigureStyle()
_STYLE_WANTED: ContextVar[FigureStyle] = ContextVar("figure_style", default=_USUAL)


def wanted_style() -> FigureStyle:
    """How figures are drawn here."""
    return _STYLE_WANTED.get()


@contextmanager
def styled_as(wanted: FigureStyle) -> Iterator[None]:
    """Figures that are drawn inside have this style."""
    before = _STYLE_WANTED.set(wanted)
    try:
        yield
    finally:
        _STYLE_WANTED.reset(before)


def read(width: str | None, font: float | None, log: Literal["", "x", "y", "xy"]) -> FigureStyle:
    """The style that options ask for.

    Raises:
        InputError: a width or a size that cannot be drawn.
    """
    inches = None if width is None else WIDTHS.get(width) or _number(width)
    if inches is not None and not _INCHES[0] <= inches <= _INCHES[1]:
        raise InputError(f"--figure-width {width}: expected single, double or {_INCHES[0]:g} to {_INCHES[1]:g} inches")
    if font is not None and not _POINTS[0] <= font <= _POINTS[1]:
        raise InputError(f"--font-size {font:g}: expected {_POINTS[0]:g} to {_POINTS[1]:g} points")
    return FigureStyle(inches, font or (USUAL_FONT if inches is None else _PAPER_FONT), log)


def _number(text: str) -> float:
    """Inches; a number that no figure has for other text."""
    try:
        return float(text.removesuffix("in"))
    except ValueError:
        return 0.0
