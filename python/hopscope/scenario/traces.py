"""Video traces from files: one frame a line, with its time or its number, and its size in bytes."""

from __future__ import annotations

import csv
import functools
import math
from pathlib import Path

from hopscope.scenario.fields import NS, TIME_MAX_NS, U32_MAX
from hopscope.scenario.units import is_number

Frames = list[tuple[int, int]]
"""(time since the start of the flow in nanoseconds, bytes), in order of time."""

#: Larger files are refused before they are read.
MAX_BYTES = 200_000_000

#: Words of a header for each column.
_TIMES, _NUMBERS, _SIZES = ("time", "time_s", "t", "t_s"), ("frame", "number", "frame_number"), ("bytes", "size")


class TraceError(ValueError):
    """The file is no trace; the message names file and line."""


def read_trace(path: Path, frame_rate: float) -> Frames:
    """Returns the frames of a CSV file.

    Columns are separated by comma, semicolon, tab or blank. A header names them: ``time`` (seconds) or ``frame`` (whole
    numbers, at ``frame_rate`` frames per second from the first one on), and ``bytes``; without a header the two columns
    are time and bytes. Lines that begin with # are passed over.

    Raises:
        TraceError: the file cannot be read, or a line is no frame.
    """
    try:
        stat = path.stat()
        if path.is_dir():
            raise TraceError(f"{path}: is a folder; expected a CSV file")
        if stat.st_size > MAX_BYTES:
            raise TraceError(f"{path}: larger than {MAX_BYTES // 1_000_000} MB")
        return _read(path, frame_rate, stat.st_mtime_ns)
    except OSError as error:
        raise TraceError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise TraceError(f"{path}: is no text file (UTF-8)") from error
    except ValueError as error:  # such as a zero byte in the path
        raise error if isinstance(error, TraceError) else TraceError(f"{path}: {error}") from error


@functools.lru_cache(maxsize=16)
def _read(path: Path, frame_rate: float, _changed: int) -> Frames:
    """Reads once what many points of a sweep ask for."""
    rows = _rows(path)
    if not rows:
        raise TraceError(f"{path}: holds no frames")
    at_column, size_column, numbered = _columns(path, *rows[0])
    if not is_number(rows[0][1][0]):
        rows = rows[1:]
        if not rows:
            raise TraceError(f"{path}: holds no frames")
    frames: Frames = []
    first: float | None = None
    last: float | None = None
    for line, row in rows:
        if len(row) <= max(at_column, size_column):
            raise TraceError(f"{path}:{line}: found {len(row)} columns; expected {max(at_column, size_column) + 1}")
        text = row[at_column]
        place = _whole(path, line, text, "a frame number") if numbered else _seconds(path, line, text)
        if last is not None and place < last:
            what = "frame" if numbered else "time"
            raise TraceError(f"{path}:{line}: {what} {text} comes after a later one; expected ascending order")
        last = place
        first = place if first is None else first
        at = _nanoseconds(path, line, text, (place - first) / frame_rate if numbered else place)
        frames.append((at, _whole(path, line, row[size_column], "a number of bytes")))
    return frames


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """Lines with anything on them, as (number, cells)."""
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    mark = next((mark for mark in ";,\t" if mark in first), " ")
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                cells = line.split() if mark == " " else next(csv.reader([line], delimiter=mark))
            except csv.Error as error:
                raise TraceError(f"{path}:{number}: {error}") from error
            found.append((number, [cell.strip() for cell in cells]))
    return found


def _columns(path: Path, line: int, cells: list[str]) -> tuple[int, int, bool]:
    """Columns of the time or number and of the size, and whether frames are numbered."""
    if is_number(cells[0]):
        if len(cells) != 2:
            raise TraceError(
                f"{path}:{line}: found {len(cells)} columns without a header; expected time and bytes, or a header "
                "that names the columns"
            )
        return 0, 1, False
    names = [cell.lower().partition(" ")[0].partition("(")[0] for cell in cells]
    times = [i for i, name in enumerate(names) if name in _TIMES]
    numbers = [i for i, name in enumerate(names) if name in _NUMBERS]
    sizes = [i for i, name in enumerate(names) if name in _SIZES]
    if not sizes or not (times or numbers):
        raise TraceError(
            f"{path}:{line}: the header needs the columns time or frame, and bytes; found {', '.join(cells)[:100]}"
        )
    return (times or numbers)[0], sizes[0], not times


def _seconds(path: Path, line: int, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise TraceError(f'{path}:{line}: found "{text[:40]}"; expected a time in seconds') from None


def _nanoseconds(path: Path, line: int, text: str, seconds: float) -> int:
    if not math.isfinite(seconds) or seconds < 0 or seconds * NS > TIME_MAX_NS // 2:
        raise TraceError(f'{path}:{line}: found "{text[:40]}"; expected a time of at least 0 s')
    return round(seconds * NS)


def _whole(path: Path, line: int, text: str, what: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = -1
    if not 0 <= value <= U32_MAX:
        raise TraceError(f'{path}:{line}: found "{text[:40]}"; expected {what} (a whole number from 0 to {U32_MAX})')
    return value
