"""Results in words: the grids that the HTML page and the terminal share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hopscope.results.samples import show
from hopscope.results.stats import number

if TYPE_CHECKING:
    from hopscope.catalog.reproduce import EntryOutcome, Measured
    from hopscope.results import Result

# More studies than this and each gets a line of its own instead of a column.
_WIDE = 3


@dataclass(frozen=True)
class Column:
    """A column of a grid.

    Attributes:
        name: heading.
        number: it holds numbers, aligned to the right.
        code: it holds something to type.
        tight: its text stays on one line.
    """

    name: str
    number: bool = False
    code: bool = False
    tight: bool = False


@dataclass(frozen=True)
class Grid:
    """A table as text."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    caption: str = field(default="")


def measured_grid(outcome: EntryOutcome) -> Grid:
    """Quantities of an entry beside the published values.

    With few studies each is a column; with many, or when a quantity belongs to one study only, each is a line.
    """
    labels = list(dict.fromkeys(label for row in outcome.measured for label, _ in row.values))
    everywhere = all(len(row.values) == len(labels) for row in outcome.measured)
    if len(labels) <= _WIDE and everywhere:
        columns = [
            Column("Quantity"),
            *(Column(f"measured, {label}", number=True) for label in labels),
            Column("published", number=True),
            Column("published in"),
        ]
        rows = [
            [
                _with_unit(row),
                *(_beside(row, index) for index in range(len(labels))),
                _published(row),
                row.quantity.source,
            ]
            for row in outcome.measured
        ]
        return Grid(columns, rows)
    columns = [
        Column("Quantity"),
        Column("Setting"),
        Column("measured", number=True),
        Column("published", number=True),
        Column("difference", number=True),
        Column("published in"),
    ]
    rows = [
        [_with_unit(row), label, _measured(row, index), _published(row), _difference(row, index), row.quantity.source]
        for row in outcome.measured
        for index, (label, _) in enumerate(row.values)
    ]
    return Grid(columns, rows)


def seeds(result: Result) -> str:
    """The seeds of a result: "1 to 5"."""
    first, count = result.scenario.seed, result.scenario.seeds
    return str(first) if count == 1 else f"{first} to {first + count - 1}"


def compact_json(value: Any, indent: int = 0) -> str:
    """Indented JSON in which anything that fits into 100 characters stays on one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= 100 or not isinstance(value, (dict, list)) or not value:
        return flat
    inner, outer = " " * (indent + 2), " " * indent
    if isinstance(value, dict):
        items = [f"{inner}{json.dumps(k)}: {compact_json(v, indent + 2)}" for k, v in value.items()]
        return "{\n" + ",\n".join(items) + f"\n{outer}}}"
    if all(not isinstance(item, (dict, list)) for item in value):
        return flat
    items = [f"{inner}{compact_json(item, indent + 2)}" for item in value]
    return "[\n" + ",\n".join(items) + f"\n{outer}]"


def _with_unit(row: Measured) -> str:
    return f"{row.quantity.label} ({row.quantity.unit})" if row.quantity.unit else row.quantity.label


def _published(row: Measured) -> str:
    if row.quantity.published is None:
        return "-"
    spread = f" ± {row.quantity.spread:.2g}" if row.quantity.spread is not None else ""
    return f"{number(row.quantity.published)}{spread}{_span(row.quantity.extremes)}"


def _measured(row: Measured, index: int) -> str:
    """The estimate; with its smallest and largest sample where the source prints those of its own."""
    value = row.values[index][1]
    return show(value) + (_span((value.min, value.max)) if row.quantity.extremes else "")


def _span(extremes: tuple[float, float] | None) -> str:
    return f" ({number(extremes[0])} to {number(extremes[1])})" if extremes else ""


def _beside(row: Measured, index: int) -> str:
    gap = _difference(row, index)
    return _measured(row, index) + (f" ({gap})" if gap else "")


def _difference(row: Measured, index: int) -> str:
    """The deviation from the published value in percent; empty where that means nothing."""
    published = row.quantity.published
    if published is None or published == 0 or not row.quantity.relative:
        return ""
    return f"{100 * (row.values[index][1].mean / published - 1):+z.1f} %"
