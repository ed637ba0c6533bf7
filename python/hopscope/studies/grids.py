"""Measured and published numbers as a grid of text, for the page and the terminal."""

from __future__ import annotations

from hopscope.reporting.wording import Column, Grid
from hopscope.results.samples import show
from hopscope.results.stats import number
from hopscope.studies.reproduce import EntryOutcome, Measured

# More studies than this and each gets a line of its own instead of a column.
_WIDE = 3


def measured_grid(outcome: EntryOutcome) -> Grid:
    """Quantities of an entry next to the published values.

    With few studies each is a column; with many, or when a quantity belongs to one study only, each is a line.
    """
    labels = list(dict.fromkeys(label for row in outcome.measured for label, _ in row.values))
    everywhere = all(len(row.values) == len(labels) for row in outcome.measured)
    if len(labels) <= _WIDE and everywhere:
        names = ["Quantity", *(f"measured, {label}" for label in labels), "published", "published in"]
        cells = [
            [
                with_unit(row),
                *(_with_difference(row, at) for at in range(len(labels))),
                published(row),
                row.quantity.source,
            ]
            for row in outcome.measured
        ]
    else:
        names = ["Quantity", "Setting", "measured", "published", "difference", "published in"]
        cells = [
            [with_unit(row), label, _measured(row, at), published(row), _difference(row, at), row.quantity.source]
            for row in outcome.measured
            for at, (label, _) in enumerate(row.values)
        ]
    words = ("Quantity", "Setting", "published in")
    return Grid([Column(name, number=name not in words) for name in names], cells)


def with_unit(row: Measured) -> str:
    """A quantity with its unit."""
    return f"{row.quantity.label} ({row.quantity.unit})" if row.quantity.unit else row.quantity.label


def published(row: Measured) -> str:
    """The published value with its spread; a dash for none."""
    if row.quantity.published is None:
        return "-"
    spread = f" ± {number(row.quantity.spread)}" if row.quantity.spread is not None else ""
    return f"{number(row.quantity.published)}{spread}{_span(row.quantity.extremes)}"


def _measured(row: Measured, index: int) -> str:
    """The estimate; with its smallest and largest sample where the source prints those of its own."""
    value = row.values[index][1]
    return show(value) + (_span((value.min, value.max)) if row.quantity.extremes else "")


def _span(extremes: tuple[float, float] | None) -> str:
    return f" ({number(extremes[0])} to {number(extremes[1])})" if extremes else ""


def _with_difference(row: Measured, index: int) -> str:
    gap = _difference(row, index)
    return _measured(row, index) + (f" ({gap})" if gap else "")


def _difference(row: Measured, index: int) -> str:
    """The deviation from the published value in percent; empty where that means nothing."""
    published = row.quantity.published
    if not published:
        return ""
    return f"{100 * (row.values[index][1].mean / published - 1):+z.1f} %"
