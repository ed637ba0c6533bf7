"""The Parquet tables of a store: made from its runs, proved by checksums, made again when they do not fit.

``tables.sha256`` lists the SHA-256 of each table as ``sha256sum --check`` reads it. Its first line, a comment, has the
checksum of what the tables were made from: the checksums of the manifest and of each run. Tables of other runs are
found out so, and where tables fit no run needs to be parsed. The pages of the tables have checksums of their own, which
other readers of Parquet can verify.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.errors import RunFailed
from hopscope.io import parquet
from hopscope.io.extras import need
from hopscope.io.files import open_regular, read_whole, reason, reports_damage, write_whole
from hopscope.results import PointResult, Result, rows
from hopscope.results.stored import Reported

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

CHECKSUMS = "tables.sha256"

#: Tables of a store, by file name.
TABLES = ("flows", "nodes", "wires", "network", "runs", "summary", "series")

#: Tables that are written only when they have rows.
_RARE = frozenset({"series", "wires"})

#: Begins the first line of the checksums. That of earlier versions, without the runs' own checksums, had one word less.
_MADE_FROM = "# made from runs "

#: Columns of the table of means, as an interval has them.
_REAL = ("mean", "ci95", "min", "max")
_STATISTICS = (*_REAL, "n")

#: Stands for the checksum of a run that is not there.
_ABSENT = bytes(32)

_MAX_CHECKSUMS_BYTES = 10_000
#: A larger table is taken for a damaged one: that of 100,000 runs has some 10 MB, series have more.
_MAX_TABLE_BYTES = 20_000_000_000
#: Tables that say they hold more are not opened: a thousand points have some million rows of means.
_MAX_ROWS, _MAX_OPENED_BYTES = 100_000_000, 4_000_000_000
_LINE = re.compile(r"([0-9a-f]{64})  ([a-z]+)\.parquet")


def made_from(manifest_digest: str, sums: Iterable[bytes | None]) -> str:
    """Returns the checksum of what tables are made from.

    Args:
        manifest_digest: checksum of the manifest.
        sums: the checksum of each run that it names, in order; None for one that is not there.
    """
    runs = b"".join(_ABSENT if found is None else found for found in sums)
    return hashlib.sha256(manifest_digest.encode() + runs).hexdigest()


def write(folder: Path, results: Sequence[Result], made: str) -> None:
    """Writes the tables of results and their checksums; ``made`` is what :func:`made_from` returns.

    Raises:
        RunFailed: the folder cannot be written; the runs themselves are kept.
    """
    lines = [f"{_MADE_FROM}{made}"]
    for name in TABLES:
        data = _parquet(name, results)
        file = folder / f"{name}.parquet"
        if data is None:
            file.unlink(missing_ok=True)  # that of other scenarios
            continue
        _write(file, data)
        lines.append(f"{hashlib.sha256(data).hexdigest()}  {file.name}")
    _write(folder / CHECKSUMS, "\n".join(lines).encode() + b"\n")


def faults(folder: Path, made: str) -> list[str]:
    """What is wrong with the tables of a store, a line each; nothing when they are sound and made from ``made``."""
    try:
        first, *rest = read_whole(folder / CHECKSUMS, _MAX_CHECKSUMS_BYTES).decode().splitlines()
    except FileNotFoundError:
        absent = [name for name in TABLES if name not in _RARE and not (folder / f"{name}.parquet").exists()]
        return [f"{name}.parquet is missing" for name in absent] or ["the checksums of the tables are missing"]
    except OSError as error:
        return [f"the checksums of the tables {_unreadable(error, 'are')}"]
    except ValueError:
        return ["the checksums of the tables are damaged"]
    found = [_LINE.fullmatch(line) for line in rest]
    listed = {match[2]: match[1] for match in found if match is not None}
    if len(listed) != len(rest) or not {name for name in TABLES if name not in _RARE} <= listed.keys():
        return ["the checksums of the tables are damaged"]
    if re.fullmatch(r"# made from [0-9a-f]{64}", first):
        return ["the tables, of an earlier version, do not say which runs they were made from"]
    if first != f"{_MADE_FROM}{made}":
        return ["the tables are not up to date"]
    wrong = [(name, _fault(folder / f"{name}.parquet", digest)) for name, digest in listed.items()]
    return [f"{name}.parquet {why}" for name, why in wrong if why]


def reported(folder: Path, results: Sequence[Sequence[PointResult]]) -> list[tuple[PointResult, Reported]] | None:
    """Returns what sound tables say of each point that has runs.

    None where rows and points cannot be matched.

    Args:
        folder: the store.
        results: the points of each of its scenarios.
    """
    import pyarrow as pa

    points = [point for of in results for point in of if point.runs]
    try:
        file = _opened(folder / "summary.parquet", "metric")
        summary = file.read(columns=["point", "metric", *_STATISTICS])
        begins = _blocks(summary, [point.index for point in points])
        notes = _notes(folder, several=len(results) > 1)
    except (pa.ArrowException, OSError, ValueError, KeyError):
        return None
    if begins is None or notes is None:
        return None
    if not begins:
        return []
    ends = [*begins[1:], len(summary)]
    return [
        (point, Reported(_Rows(summary.slice(begin, end - begin)), notes.get(point.index, {})))
        for point, begin, end in zip(points, begins, ends, strict=True)
    ]


def _blocks(summary: pa.Table, indices: Sequence[int]) -> list[int] | None:
    """Where the rows of each point begin, which lie in the order of the points; None when they are others."""
    import numpy as np

    of = summary.column("point").to_numpy()
    begins = np.flatnonzero(np.diff(of, prepend=-1)) if len(of) else np.zeros(0, int)
    return list(map(int, begins)) if of[begins].tolist() == list(indices) else None


def _notes(folder: Path, *, several: bool) -> dict[int, dict[int, tuple[int, str]]] | None:
    """The notes on flows by point and flow, each with the first seed that has it; None where several scenarios do."""
    import pyarrow.compute as pc

    file = _opened(folder / "flows.parquet", "note")
    if "note" not in file.schema_arrow.names:
        return {}
    table = file.read(columns=["point", "seed", "flow", "note"])
    table = table.filter(pc.and_(pc.is_valid(table["note"]), pc.not_equal(table["note"], "")))
    if several and len(table):
        return None
    found: dict[int, dict[int, tuple[int, str]]] = {}
    for row in table.to_pylist():
        found.setdefault(row["point"], {}).setdefault(row["flow"], (row["seed"], row["note"]))
    return found


def _opened(file: Path, words: str) -> pq.ParquetFile:
    """A table with a bound of what it opens to; its column of ``words`` stays a dictionary, as short as in the file.

    Raises:
        ValueError: it says that it would be larger.
    """
    import pyarrow.parquet as pq

    found = pq.ParquetFile(file, read_dictionary=[words])
    about = found.metadata
    size = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
    if about.num_rows > _MAX_ROWS or size > _MAX_OPENED_BYTES:
        raise ValueError(f"{file}: {about.num_rows} rows of {size} bytes")
    return found


class _Rows(Mapping[str, dict[str, float | int | None]]):
    """The rows of a point in the table of means, by metric, each when it is asked for."""

    def __init__(self, rows: pa.Table) -> None:
        self._rows = rows

    @functools.cached_property
    def _found(self) -> dict[str, dict[str, float | int | None]]:
        columns = self._rows.to_pydict()
        values = (columns[name] for name in _STATISTICS)
        return {
            metric: dict(zip(_STATISTICS, row, strict=True))
            for metric, *row in zip(columns["metric"], *values, strict=True)
        }

    def __getitem__(self, metric: str) -> dict[str, float | int | None]:
        return self._found[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._rows)


def _fault(file: Path, digest: str) -> str:
    try:
        with open_regular(file, _MAX_TABLE_BYTES) as data:
            return "" if hashlib.file_digest(data, "sha256").hexdigest() == digest else "is damaged"
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return _unreadable(error, "is")


def _unreadable(error: OSError, verb: str) -> str:
    return f"{verb} damaged" if reports_damage(error) else f"cannot be read ({error.strerror or error})"


def _parquet(name: str, results: Sequence[Result]) -> bytes | None:
    """A table as a file; None for a rare one without rows."""
    if name == "series":
        return _series(results)
    made = {
        "flows": rows.flows, "nodes": rows.nodes, "wires": rows.wires, "network": rows.network,
        "runs": rows.runs, "summary": rows.summary,
    }[name](results)  # fmt: skip
    length = len(next(iter(made.values()), ()))
    if name in _RARE and not length:
        return None
    return parquet.encoded({column: _typed(column, values) for column, values in made.items()}, length)


def _typed(name: str, values: Sequence[Any]) -> parquet.Column:
    """A column with the type that it has in every store, whatever samples there are."""
    if name in rows.TEXTS:
        return parquet.column(values, "text")
    return parquet.column(values, "number" if name in _REAL else None)


def _series(results: Sequence[Result]) -> bytes | None:
    """The table of time series, which are tables of Arrow; None where there is none."""
    if not any("series" in run for result in results for point in result.points for run in point.runs):
        return None
    need("pandas", "pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    from hopscope.results.tables import all_series

    frame = all_series(results)
    if frame.empty:
        return None
    for column in {key for result in results for key in result.scenario.axes} & set(frame.columns):
        if frame[column].map(type).nunique() > 1:  # a column of a Parquet file has one type
            frame[column] = frame[column].map(str)
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), sink, write_page_checksum=True)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _write(file: Path, data: bytes) -> None:
    try:
        write_whole(file, data, commit=False)  # what is lost of it is noticed, and made again
    except OSError as error:
        raise RunFailed(f"{file.parent}: {file.name} cannot be written: {reason(error)}; the runs are kept") from error
