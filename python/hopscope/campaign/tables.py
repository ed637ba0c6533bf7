"""The Parquet tables of a store: made from its runs, proved by checksums, made again when they do not fit.

``tables.sha256`` lists the SHA-256 of each table as ``sha256sum --check`` reads it. Its first line, a comment, has the
checksum of what the tables were made from, so that tables of other runs are found out too. The pages of the tables have
checksums of their own, which other readers of Parquet can verify.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hopscope.errors import RunFailed
from hopscope.files import read_whole, reason, write_whole
from hopscope.results import Result

if TYPE_CHECKING:
    import pandas as pd

CHECKSUMS = "tables.sha256"

#: Tables of a store, by file name.
TABLES = ("flows", "nodes", "wires", "network", "runs", "summary", "series")

#: Tables that are written only when they have rows.
_RARE = frozenset({"series", "wires"})

_MAX_CHECKSUMS_BYTES = 10_000
_LINE = re.compile(r"([0-9a-f]{64})  ([a-z]+)\.parquet")


def made_from(manifest_digest: str, results: Sequence[Result]) -> str:
    """Returns the checksum of what tables are made from: the manifest, and which of its runs are there."""
    there = [[[run["seed"] for run in point.runs] for point in result.points] for result in results]
    return hashlib.sha256(f"{manifest_digest} {json.dumps(there)}".encode()).hexdigest()


def write(folder: Path, results: Sequence[Result], made: str) -> None:
    """Writes the tables of results and their checksums; ``made`` is what :func:`made_from` returns.

    Raises:
        RunFailed: the folder cannot be written; the runs themselves are kept.
    """
    lines = [f"# made from {made}"]
    for name in TABLES:
        data = _parquet(name, results)
        file = folder / f"{name}.parquet"
        if data is None:
            file.unlink(missing_ok=True)  # that of other scenarios
            continue
        _write(file, data)
        lines.append(f"{hashlib.sha256(data).hexdigest()}  {file.name}")
    _write(folder / CHECKSUMS, "\n".join(lines).encode() + b"\n")


def faults(folder: Path, results: Sequence[Result], made: str) -> list[str]:
    """What is wrong with the tables of a store, a line each; nothing when they are those of its results."""
    try:
        first, *rest = read_whole(folder / CHECKSUMS, _MAX_CHECKSUMS_BYTES).decode().splitlines()
    except FileNotFoundError:
        absent = [name for name in TABLES if name not in _RARE and not (folder / f"{name}.parquet").exists()]
        return [f"{name}.parquet is missing" for name in absent] or ["the checksums of the tables are missing"]
    except (OSError, ValueError):
        return ["the checksums of the tables are damaged"]
    found = [_LINE.fullmatch(line) for line in rest]
    listed = {match[2]: match[1] for match in found if match is not None}
    if len(listed) != len(rest) or not {name for name in TABLES if name not in _RARE} <= listed.keys():
        return ["the checksums of the tables are damaged"]
    if first != f"# made from {made}":
        return ["the tables are not up to date"]
    wrong = [(name, _fault(folder / f"{name}.parquet", digest)) for name, digest in listed.items()]
    return [f"{name}.parquet {why}" for name, why in wrong if why]


def _fault(file: Path, digest: str) -> str:
    try:
        with file.open("rb") as data:
            return "" if hashlib.file_digest(data, "sha256").hexdigest() == digest else "is damaged"
    except FileNotFoundError:
        return "is missing"
    except OSError:
        return "is damaged"


def _parquet(name: str, results: Sequence[Result]) -> bytes | None:
    """A table as a file; None for a rare one without rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    frame = _frame(name, results)
    if name in _RARE and frame.empty:
        return None
    swept = {key for result in results for key in result.scenario.axes}
    for column in swept & set(frame.columns):
        if frame[column].map(type).nunique() > 1:  # a column of a Parquet file has one type
            frame[column] = frame[column].map(str)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    # What is empty in every row is text: the tables give columns of numbers their type themselves.
    types = [pa.field(f.name, pa.large_string()) if pa.types.is_null(f.type) else f for f in table.schema]
    sink = pa.BufferOutputStream()
    pq.write_table(table.cast(pa.schema(types, table.schema.metadata)), sink, write_page_checksum=True)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _frame(name: str, results: Sequence[Result]) -> pd.DataFrame:
    from hopscope.results import tables

    return {
        "flows": tables.flows, "nodes": tables.nodes, "wires": tables.wires, "network": tables.network,
        "runs": tables.runs, "summary": tables.summary, "series": tables.all_series,
    }[name](results)  # fmt: skip


def _write(file: Path, data: bytes) -> None:
    try:
        write_whole(file, data)
    except OSError as error:
        raise RunFailed(f"{file.parent}: {file.name} cannot be written: {reason(error)}; the runs are kept") from error
