"""Tables in a terminal of any width, of which no number is cut."""

from __future__ import annotations

import copy
import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table


def print_table(console: Console, table: Table, *, keep: int = 1) -> None:
    """Prints a table of which no number is cut.

    Text folds. Columns for which there is still no room stand in further tables below, each with the first ``keep``
    columns again, and a line says so.
    """
    for column in table.columns:
        if column.justify == "right" or column.no_wrap:
            column.no_wrap = True
            column.min_width = max(_width(console, text) for text in (column.header, *column.cells))
        else:
            column.overflow = "fold"
    blocks = _blocks(console, table, keep)
    for number, places in enumerate(blocks):
        block = _columns(table, places)
        if number:
            block.title = None
        console.width = max(console.width, _least_width(console, block))
        console.print(block)
    if len(blocks) > 1:
        console.print(
            f"(the terminal is too narrow for one table: its columns stand in {len(blocks)}, one below the other)"
        )


def _blocks(console: Console, table: Table, keep: int) -> list[list[int]]:
    """The columns of each table that fits; at least one besides those that are kept."""
    kept, rest = list(range(keep)), list(range(keep, len(table.columns)))
    blocks = []
    while rest:
        count = len(rest)
        while count > 1 and _least_width(console, _columns(table, [*kept, *rest[:count]])) > console.width:
            count -= 1
        blocks.append([*kept, *rest[:count]])
        rest = rest[count:]
    return blocks or [kept]


def _columns(table: Table, places: list[int]) -> Table:
    """These columns of a table as a table of their own."""
    block = copy.copy(table)
    block.columns = [dataclasses.replace(table.columns[place], _index=index) for index, place in enumerate(places)]
    return block


def _least_width(console: Console, table: Table) -> int:
    """Width below which something of a table would be cut."""
    from rich.measure import Measurement

    return Measurement.get(console, console.options.update(max_width=10_000), table).minimum


def _width(console: Console, cell: RenderableType) -> int:
    """Width of a cell that does not wrap."""
    from rich.measure import Measurement

    return Measurement.get(console, console.options.update(max_width=10_000), cell).maximum
