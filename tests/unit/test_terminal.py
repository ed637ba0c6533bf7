"""Tables in narrow terminals: every number stands whole, in as many tables as it takes."""

from __future__ import annotations

import io
import itertools

import pytest
from rich import box
from rich.console import Console
from rich.table import Table

from hopscope.reporting.terminal import print_table

NUMBERS = [[f"{row}{column}.{column * 111:03d} ± {row}.125" for column in range(6)] for row in range(1, 4)]


def printed(width: int, keep: int = 1) -> str:
    table = Table(title="of numbers", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("a place with a long name")
    for column in range(6):
        table.add_column(f"metric-{column}\nkbit/s", justify="right")
    for row, cells in enumerate(NUMBERS):
        table.add_row(f"place {row}", *cells)
    page = io.StringIO()
    print_table(Console(file=page, width=width), table, keep=keep)
    return page.getvalue()


@pytest.mark.parametrize("width", [20, 30, 45, 60, 80, 200])
def test_no_number_is_cut_at_any_width(width: int) -> None:
    text = printed(width)
    assert "…" not in text
    for cell in itertools.chain.from_iterable(NUMBERS):
        assert text.count(cell) == 1
    assert all(text.count(f"metric-{column}") == 1 for column in range(6))
    tables = text.count("a place")
    assert ("the terminal is too narrow" in text) == (tables > 1)
    assert text.count("of numbers") == 1
    if width >= 45:
        assert max(map(len, text.splitlines())) <= width


def test_a_table_with_room_is_printed_as_it_is() -> None:
    assert printed(200).count("a place with a long name") == 1


def test_kept_columns_stand_in_every_table() -> None:
    assert printed(60, keep=2).count("metric-0") > 1
