"""CSV files by column, each row with its line."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from hopscope.errors import Problem, did_you_mean


def read_csv(
    file: Path, needed: Sequence[str], problems: list[Problem], known: Sequence[str] = ()
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a CSV by column, each with its line; none when it is not there. Lines after # are remarks.

    Args:
        file: the CSV.
        needed: columns that it cannot do without.
        problems: takes what is wrong, with file and line.
        known: all columns that it may have; empty for any.
    """
    if not file.is_file():
        return
    with file.open(encoding="utf-8-sig", newline="") as text:
        # A remark stays as an empty line, for the number of those after it.
        rows = csv.reader("\n" if line.startswith("#") else line for line in text)
        header: list[str] = next(filter(None, rows), [])
        hints = [(name, did_you_mean(name, known)) for name in header if known and name not in known]
        wrong = [f"column {name!r}{hint}; allowed: {', '.join(known)}" for name, hint in hints]
        wrong += [f"column {name!r} is missing" for name in needed if name not in header]
        problems += [at_line(file, rows.line_num, message) for message in wrong]
        for cells in filter(None, rows if not wrong else ()):
            if len(cells) > len(header):
                problems.append(at_line(file, rows.line_num, f"has more cells than the {len(header)} columns"))
            else:
                found = dict(zip(header, map(str.strip, cells), strict=False))
                yield rows.line_num, {**dict.fromkeys((*known, *header), ""), **found}


def at_line(file: Path, line: int, message: str) -> Problem:
    """What is wrong with a line of a file."""
    return Problem("", message, f"{file}:{line}:1", (line, 1))
