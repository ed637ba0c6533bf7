"""Tables as Parquet files, written without a library that takes longer to load than a short run takes.

A file has plain values, compressed with gzip, in groups of rows with one page a column; each page has its checksum.
Every column may have rows without a value.

Source: Apache Parquet format 2, https://parquet.apache.org/docs/file-format; its metadata are in Thrift's compact
protocol, https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
"""

from __future__ import annotations

import itertools
import operator
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["flag", "whole", "number", "text"]
"""What the values of a column are: truths, signed numbers of 64 bits, floating-point numbers of 64 bits, or words."""

#: Rows of a group.
_ROWS = 1 << 20

_MAGIC = b"PAR1"

# Words of the format, as its Thrift definition numbers them.
_TYPES = {"flag": 0, "whole": 2, "number": 5, "text": 6}
_OPTIONAL, _UTF8, _PLAIN, _RLE, _GZIP, _DATA_PAGE = 1, 0, 0, 3, 2, 0

# Types of Thrift's compact protocol.
_I32, _I64, _BINARY, _LIST, _STRUCT = 5, 6, 8, 9, 12


@dataclass(frozen=True)
class Column:
    """A column: what its values are, and the value of each row, None where there is none."""

    kind: Kind
    values: Sequence[Any]


def column(values: Sequence[Any], kind: Kind | None = None) -> Column:
    """A column of a kind, or of that which its values are of.

    Where there is no value, and where real numbers are among whole ones, or a whole one is missing, they are numbers;
    those of several kinds are words, as are whole numbers of more than 64 bits.
    """
    kinds = set(map(type, values))
    there = kinds - {type(None)}
    if kind is None and there == {bool}:
        kind = "flag"
    elif kind is None and there <= {int, float} and not _is_too_large(there, values):
        kind = "whole" if kinds == {int} else "number"
    if kind is None or kind == "text":
        return Column("text", [value if value is None else str(value) for value in values])
    return Column(kind, values)


def _is_too_large(kinds: Set[type], values: Sequence[Any]) -> bool:
    whole = [value for value in values if value is not None] if kinds == {int} else [0]
    return bool(min(whole) < -(2**63) or max(whole) >= 2**63)


def encoded(columns: Mapping[str, Column], rows: int) -> bytes:
    """Returns the file that holds columns of so many rows."""
    data = bytearray(_MAGIC)
    groups = []
    for start in range(0, rows, _ROWS):
        part = {name: Column(of.kind, of.values[start : start + _ROWS]) for name, of in columns.items()}
        groups.append(_group(data, part, min(_ROWS, rows - start)))
    root = _struct((4, _BINARY, b"schema"), (5, _I32, len(columns)))
    schema = [root, *(_element(name, of.kind) for name, of in columns.items())]
    footer = _struct(
        (1, _I32, 2),
        (2, _LIST, (_STRUCT, schema)),
        (3, _I64, rows),
        (4, _LIST, (_STRUCT, groups)),
        (6, _BINARY, b"hopscope"),
    )
    return bytes(data + footer + struct.pack("<I", len(footer)) + _MAGIC)


def _element(name: str, kind: Kind) -> bytes:
    """What the file says of a column."""
    fields = [(1, _I32, _TYPES[kind]), (3, _I32, _OPTIONAL), (4, _BINARY, name.encode())]
    if kind == "text":
        fields += [(6, _I32, _UTF8), (10, _STRUCT, _struct((1, _STRUCT, _struct())))]
    return _struct(*fields)


def _group(data: bytearray, columns: Mapping[str, Column], rows: int) -> bytes:
    """Appends the pages of a group of rows; returns what the file says of the group."""
    chunks, size = [], 0
    for name, column in columns.items():
        start, page = len(data), _levels(column.values) + _plain(column)
        header, body = _page(page, rows)
        data += header + body
        of = _struct(
            (1, _I32, _TYPES[column.kind]),
            (2, _LIST, (_I32, [_varint(_zigzag(word)) for word in (_PLAIN, _RLE)])),
            (3, _LIST, (_BINARY, [_varint(len(name.encode())) + name.encode()])),
            (4, _I32, _GZIP),
            (5, _I64, rows),
            (6, _I64, len(header) + len(page)),
            (7, _I64, len(header) + len(body)),
            (9, _I64, start),
        )
        chunks.append(_struct((2, _I64, start), (3, _STRUCT, of)))
        size += len(header) + len(page)
    return _struct((1, _LIST, (_STRUCT, chunks)), (2, _I64, size), (3, _I64, rows))


def _page(page: bytes, rows: int) -> tuple[bytes, bytes]:
    """The header of a page, and the page compressed."""
    press = zlib.compressobj(level=1, wbits=31)  # 31: with the header of gzip
    body = press.compress(page) + press.flush()
    [checksum] = struct.unpack("<i", struct.pack("<I", zlib.crc32(body)))
    about = _struct((1, _I32, rows), (2, _I32, _PLAIN), (3, _I32, _RLE), (4, _I32, _RLE))
    fields = ((1, _I32, _DATA_PAGE), (2, _I32, len(page)), (3, _I32, len(body)), (4, _I32, checksum))
    return _struct(*fields, (5, _STRUCT, about)), body


def _levels(values: Iterable[Any]) -> bytes:
    """Which rows have a value, in runs of the same."""
    there = map(operator.is_not, values, itertools.repeat(None))
    runs = b"".join(_varint(len(list(of)) << 1) + bytes([is_there]) for is_there, of in itertools.groupby(there))
    return struct.pack("<I", len(runs)) + runs


def _plain(column: Column) -> bytes:
    """The values that are there, one after the other."""
    there = [value for value in column.values if value is not None]
    if column.kind == "text":
        encoded = {value: value.encode(errors="replace") for value in set(there)}
        words = {value: struct.pack("<I", len(word)) + word for value, word in encoded.items()}
        return b"".join(map(words.__getitem__, there))
    if column.kind == "flag":
        bits = "".join("1" if value else "0" for value in reversed(there))
        return int(bits or "0", 2).to_bytes((len(there) + 7) // 8, "little")
    return struct.pack(f"<{len(there)}{'q' if column.kind == 'whole' else 'd'}", *there)


def _struct(*fields: tuple[int, int, Any]) -> bytes:
    """Fields of Thrift, each its number, type and value; those that are structs are bytes already."""
    found, last = bytearray(), 0
    for number, kind, value in fields:
        found.append((number - last) << 4 | kind)
        last = number
        if kind in (_I32, _I64):
            found += _varint(_zigzag(value))
        elif kind == _BINARY:
            found += _varint(len(value)) + value
        elif kind == _LIST:
            of, items = value
            found += bytes([len(items) << 4 | of]) if len(items) < 15 else bytes([0xF0 | of]) + _varint(len(items))
            found += b"".join(items)
        else:
            found += value
    return bytes(found) + b"\0"


def _zigzag(number: int) -> int:
    return 2 * number if number >= 0 else -2 * number - 1


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])
