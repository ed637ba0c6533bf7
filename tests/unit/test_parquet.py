"""The Parquet files that this package writes: another reader has the same values, and finds damage by the checksums."""

from __future__ import annotations

import io
import math
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopscope.io import parquet
from hopscope.io.parquet import Column

KINDS: dict[parquet.Kind, Any] = {
    "flag": st.booleans(),
    "whole": st.integers(-(2**63), 2**63 - 1),
    "number": st.floats(allow_nan=False),
    "text": st.text(st.characters(codec="utf-8")),
}

TYPES = {"flag": "bool", "whole": "int64", "number": "double", "text": "string"}


def read(data: bytes) -> pa.Table:
    return pq.read_table(io.BytesIO(data), page_checksum_verification=True)


@given(st.data(), st.integers(0, 40), st.integers(1, 50))
def test_another_reader_has_the_same_values(data: st.DataObject, rows: int, group: int) -> None:
    values = {kind: st.lists(st.none() | of, min_size=rows, max_size=rows) for kind, of in KINDS.items()}
    columns = {f"{kind}.a": Column(kind, data.draw(of)) for kind, of in values.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "_ROWS", group)
        table = read(parquet.encoded(columns, rows))
    assert {name: str(table.schema.field(name).type) for name in columns} == {f"{k}.a": v for k, v in TYPES.items()}
    assert table.to_pydict() == {name: list(column.values) for name, column in columns.items()}


def test_many_columns_and_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_ROWS", 1000)
    columns = {f"column {n}": Column("number", [n + math.sqrt(row) for row in range(2500)]) for n in range(40)}
    data = parquet.encoded(columns, 2500)
    assert pq.ParquetFile(io.BytesIO(data)).metadata.num_row_groups == 3
    assert read(data).to_pydict() == {name: column.values for name, column in columns.items()}


def test_a_column_that_repeats_is_short() -> None:
    columns = {"word": Column("text", ["tcp-newreno"] * 100_000), "none": Column("whole", [None] * 100_000)}
    assert len(parquet.encoded(columns, 100_000)) < 10_000


def test_damage_is_found_by_the_checksum_of_the_page() -> None:
    data = bytearray(parquet.encoded({"n": Column("number", [n / 7 for n in range(1000)])}, 1000))
    data[len(data) // 2] ^= 1
    with pytest.raises(OSError, match="CRC"):
        read(bytes(data))
