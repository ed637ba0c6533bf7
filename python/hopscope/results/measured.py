"""Values that a user has measured, as a file or a table has them: what each column means, and its numbers.

The first line names the columns: swept keys, metrics with their units, half widths of 95 % intervals
(``delay_ms.ci95``), the number of a ``flow``. Every other line is a measurement; lines with equal keys are repetitions.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError, instead, listed, shown
from hopscope.results.headings import Column, Names, in_base_unit
from hopscope.results.samples import Estimate, estimate
from hopscope.scenario import units
from hopscope.scenario.sweep import written

if TYPE_CHECKING:
    from hopscope.scenario import Scenario


@dataclass(frozen=True)
class Row:
    """One measurement.

    Attributes:
        line: its line in the file.
        place: value of each key that the file has, as the sweep writes it.
        values: metric by dotted name.
        half_widths: half width of the 95 % interval of those that have one.
    """

    line: int
    place: Mapping[str, Any]
    values: Mapping[str, float]
    half_widths: Mapping[str, float]


@dataclass(frozen=True)
class Measured:
    """What a user has measured.

    Attributes:
        name: of the file.
        keys: swept keys that it has.
        rows: the measurements in order.
    """

    name: str
    keys: Sequence[str]
    rows: Sequence[Row] = field(repr=False)

    @property
    def metrics(self) -> list[str]:
        """Dotted names of what was measured."""
        return list(dict.fromkeys(name for row in self.rows for name in row.values))

    def places(self) -> list[Mapping[str, Any]]:
        """Where something was measured, each place once."""
        return [
            row.place for at, row in enumerate(self.rows) if all(row.place != other.place for other in self.rows[:at])
        ]

    def at(self, values: Mapping[str, Any], metric: str) -> Estimate | None:
        """The metric at a point of the sweep; None where it was not measured there.

        Raises:
            InputError: several lines of one place have intervals of their own.
        """
        rows = [row for row in self.rows if metric in row.values and self._is_at(row, values)]
        if not rows:
            return None
        given = [row for row in rows if metric in row.half_widths]
        if given and len(rows) > 1:
            lines = ", ".join(str(row.line) for row in rows)
            raise InputError(
                f"{self.name}: lines {lines} are of one place, and have intervals of {metric}; give one line with the "
                "interval, or each measurement without"
            )
        found = estimate([row.values[metric] for row in rows])
        return Estimate(found.mean, given[0].half_widths[metric], found.min, found.max, 1) if given else found

    def _is_at(self, row: Row, values: Mapping[str, Any]) -> bool:
        return all(values.get(key) == value for key, value in row.place.items())


def read(what: str | Path | Any, scenario: Scenario, columns: Mapping[str, str] | None = None) -> Measured:
    """Reads what was measured of a scenario.

    Args:
        what: a file of comma-, semicolon- or tab-separated values, or a pandas table.
        scenario: what it is set against: its swept keys and flows give names to columns.
        columns: name of a column -> key or metric that it holds, ``"-"`` to leave it out; others are found by name.

    Raises:
        InputError: it cannot be read, or holds something that has no meaning here; the message names line and column.
    """
    name = str(what) if isinstance(what, (str, Path)) else "the table"
    lines = _lines(name, what)
    if len(lines) < 2:
        raise InputError(f"{name}: expected a line of names and at least one measurement, found {len(lines)} lines")
    (head, headings), *body = lines
    given = {heading.strip(): meant for heading, meant in (columns or {}).items()}
    if absent := next((heading for heading in given if heading not in headings), None):
        raise InputError(f"{name}:{head}: no column {shown(absent)}{instead(absent, headings, 'the columns are {}')}")
    names = Names(scenario)
    found = [Column(f"{name}:{head}", heading, *names.meaning(name, head, heading, given)) for heading in headings]
    _check(name, head, found, names)
    for at, column in enumerate(found):
        column.take_units(name, [(line, cells[at]) for line, cells in body])
    rows = [row for line, cells in body if (row := _row(name, line, found, cells, names)) is not None]
    return Measured(name, [column.name for column in found if column.kind == "key"], rows)


def _lines(name: str, what: Any) -> list[tuple[int, list[str]]]:
    """The lines of a file that hold something, as cells, with their numbers."""
    if not isinstance(what, (str, Path)):
        text = what.to_csv(index=False)
    else:
        try:
            text = Path(what).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"{name}: is no text in UTF-8") from error
        except OSError as error:
            raise InputError(f"{name}: cannot be read: {error.strerror}") from error
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    lines: list[tuple[int, list[str]]] = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                lines.append((reader.line_num, [cell.strip() for cell in cells]))
    except csv.Error as error:
        raise InputError(f"{name}:{reader.line_num}: is no line of separated values: {error}") from error
    for line, cells in lines:
        if len(cells) != len(lines[0][1]):
            raise InputError(
                f"{name}:{line}: found {len(cells)} cells; the first line names {len(lines[0][1])} columns"
            )
    return lines


def _check(name: str, head: int, found: Sequence[Column], names: Names) -> None:
    """Refuses columns that do not go together."""
    seen: dict[tuple[str, str], str] = {}
    for column in found:
        if column.kind in ("label", "none"):
            continue
        if (same := seen.setdefault((column.kind, column.name), column.heading)) != column.heading:
            raise InputError(f'{name}:{head}: columns "{same}" and "{column.heading}" both hold {column.name}')
    headings = [column.heading for column in found]
    if twice := next((heading for heading in headings if headings.count(heading) > 1), None):
        raise InputError(f"{name}:{head}: column {shown(twice)} stands twice")
    measured = {column.name for column in found if column.kind == "metric"}
    if not measured:
        raise InputError(f"{name}:{head}: no column holds a metric; found {listed(headings)}")
    for column in found:
        if column.kind == "half width" and column.name not in measured:
            raise InputError(f'{name}:{head}: column "{column.heading}": no column holds {column.name} itself')
        bare = column.kind == "metric" and "." not in column.name
        if bare and names.flows > 1 and not any(other.kind == "flow" for other in found):
            raise InputError(
                f'{name}:{head}: column "{column.heading}": the scenario has {names.flows} flows; name one, as in '
                f'flow.0.{column.name}, or add a column "flow"'
            )


def _row(name: str, line: int, found: Sequence[Column], cells: Sequence[str], names: Names) -> Row | None:
    """A line as a measurement; None where it has no value."""
    place: dict[str, Any] = {}
    values: dict[str, float] = {}
    half_widths: dict[str, float] = {}
    flow = 0
    for column, cell in zip(found, cells, strict=True):
        if column.kind == "flow":
            if not cell.isdecimal() or int(cell) >= names.flows:
                raise column.refusal(name, line, f"found {shown(cell)}; allowed: 0 to {names.flows - 1}")
            flow = int(cell)
        elif column.kind == "key":
            place[column.name] = _swept(name, line, column, cell, names.axes[column.name])
    for column, cell in zip(found, cells, strict=True):
        if column.kind in ("metric", "half width") and cell:
            dotted = column.name if "." in column.name else f"flow.{flow}.{column.name}"
            (values if column.kind == "metric" else half_widths)[dotted] = column.number(name, line, cell)
    return Row(line, place, values, half_widths) if values else None


def _swept(name: str, line: int, column: Column, cell: str, values: Sequence[Any]) -> Any:
    """The value of a swept key that a cell means, as the sweep has it; another number in the unit of the sweep."""
    for value in values:
        if cell.casefold() in (written(value).casefold(), str(value).casefold()) and not column.unit:
            return value
    there = f"the sweep has {', '.join(written(value) for value in values)}"
    sizes = [in_base_unit(value, column.target) for value in values]
    number = in_base_unit(f"{cell}{column.unit or ''}", column.target)
    if None in sizes:
        raise column.refusal(name, line, f"found {shown(cell)}{instead(cell, [str(v) for v in values], there)}")
    if number is None:
        raise column.refusal(name, line, f"found {shown(cell)}; expected a number; {there}")
    for value, size in zip(values, sizes, strict=True):
        if size is not None and math.isclose(size, number, rel_tol=1e-9, abs_tol=1e-15):
            return value
    endings = {units.split(value)[1] if isinstance(value, str) else "" for value in values}
    unit = endings.pop() if len(endings) == 1 else ""
    if unit:
        return f"{number / (in_base_unit(f'1{unit}', column.target) or 1):.12g}{unit}"
    return int(number) if number.is_integer() else number
