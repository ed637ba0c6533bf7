"""Node positions from files: CSV of x,y, ns-2 setdest scripts and BonnMotion traces, in which no node may move."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path

from hopscope.scenario.units import is_number

#: Larger files are refused before they are read.
MAX_BYTES = 500_000_000

_NS2_LINE = re.compile(r"\$node_\((\d{1,9})\)\s+set\s+([XYZ])_\s+(\S+)")
_NS2_MOVE = re.compile(r"\$node_\(\d+\)\s+setdest\b")


def read_positions(path: Path, form: str = "auto") -> list[list[float]]:
    """Returns the positions of a file in metres.

    Args:
        path: the file.
        form: ``csv`` (x,y a line, separated by comma, semicolon, tab or blank; more columns need a header that names
            x and y), ``ns2`` (lines ``$node_(i) set X_ value``), ``bonnmotion`` (one node a line: ``time x y ...``;
            the node must not move), or ``auto``.

    Raises:
        OSError: the file cannot be read.
        ValueError: it holds no positions of that form; the message names file and line.
    """
    if path.is_dir():
        raise ValueError(f"{path}: is a folder; expected a file of positions")
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"{path}: larger than {MAX_BYTES // 1_000_000} MB")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: is no text file (UTF-8)") from error
    if form == "auto":
        form = _form(text)
    reader = {"csv": _read_csv, "ns2": _read_ns2, "bonnmotion": _read_bonnmotion}[form]
    return reader(path, text)


def _form(text: str) -> str:
    if "$node_(" in text:
        return "ns2"
    first = next((line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")), "")
    # A line of a BonnMotion trace has at least three numbers with blanks between them.
    return "csv" if _delimiter(first) else "bonnmotion"


def _delimiter(line: str) -> str:
    """Returns what separates the columns of a table; empty when the line is none."""
    found = next((mark for mark in ";,\t" if mark in line), "")
    return found or (" " if len(line.split()) <= 2 else "")


def _number(path: Path, line: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f'{path}:{line}: found "{text[:40]}"; expected a number of metres')
    return value


def _read_csv(path: Path, text: str) -> list[list[float]]:
    lines = text.splitlines()
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    rows = [
        (number, [cell.strip() for cell in row])
        for number, row in _csv_rows(path, lines, _delimiter(first) or ",")
        if any(cell.strip() for cell in row) and not row[0].lstrip().startswith("#")
    ]
    if not rows:
        raise ValueError(f"{path}: holds no positions")
    x_column, y_column = 0, 1
    header = [cell.lower() for cell in rows[0][1]]
    if not is_number(header[0]):
        names = [re.sub(r"[_ (\[].*", "", cell) for cell in header]
        if "x" not in names or "y" not in names:
            raise ValueError(f"{path}:{rows[0][0]}: the header has no columns x and y, but {', '.join(header)[:100]}")
        x_column, y_column = names.index("x"), names.index("y")
        rows = rows[1:]
    elif len(header) > 2:  # x,y,z and number,x,y look alike
        raise ValueError(
            f"{path}:{rows[0][0]}: found {len(header)} columns without a header; expected x and y, or a header that "
            "names the columns x and y"
        )
    positions = []
    for number, row in rows:
        if len(row) <= max(x_column, y_column):
            raise ValueError(f"{path}:{number}: found {len(row)} columns; expected x and y")
        if any(row[len(header) :]):  # a decimal comma makes two columns of a number
            raise ValueError(f"{path}:{number}: found {len(row)} columns; the first line has {len(header)}")
        positions.append([_number(path, number, row[x_column]), _number(path, number, row[y_column])])
    return positions


def _csv_rows(path: Path, lines: list[str], delimiter: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    try:
        return [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise ValueError(f"{path}:{reader.line_num}: {error}") from error


def _read_ns2(path: Path, text: str) -> list[list[float]]:
    found: dict[int, dict[str, float]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        if _NS2_MOVE.search(line):
            raise ValueError(f"{path}:{number}: a node moves (setdest); only static positions are modelled")
        if match := _NS2_LINE.search(line):
            found.setdefault(int(match[1]), {})[match[2]] = _number(path, number, match[3].strip('";'))
    if not found:
        raise ValueError(f"{path}: holds no line of the form $node_(0) set X_ 100.0")
    missing = next((i for i in range(len(found)) if i not in found), None)
    if missing is not None:
        raise ValueError(f"{path}: node {missing} has no position, but node {max(found)} has one")
    for index in sorted(found):
        if not {"X", "Y"} <= found[index].keys():
            raise ValueError(f"{path}: node {index} needs both X_ and Y_")
    return [[found[i]["X"], found[i]["Y"]] for i in range(len(found))]


def _read_bonnmotion(path: Path, text: str) -> list[list[float]]:
    positions = []
    for number, line in enumerate(text.splitlines(), 1):
        cells = line.split()
        if not cells or cells[0].startswith("#"):
            continue
        if len(cells) % 3:
            raise ValueError(f"{path}:{number}: found {len(cells)} numbers; expected groups of time, x and y")
        values = [_number(path, number, cell) for cell in cells]
        if any(values[i : i + 2] != values[1:3] for i in range(1, len(values), 3)):
            raise ValueError(f"{path}:{number}: the node moves; only static positions are modelled")
        positions.append(values[1:3])
    if not positions:
        raise ValueError(f"{path}: holds no positions")
    return positions
