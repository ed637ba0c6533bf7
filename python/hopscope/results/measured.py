"""Values that a user has measured, as a file or a table has them: what each column means, and its numbers.

The first line names the columns: swept keys, metrics with their units, half widths of 95 % intervals
(``delay_ms.ci95``), the number of a ``flow``. Every other line is a measurement; lines with equal keys are repetitions.
"""

from __future__ import annotations

import csv
import io
import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hopscope.errors import InputError, instead, listed, shown
from hopscope.results import metrics
from hopscope.results.samples import Estimate, estimate
from hopscope.scenario import units
from hopscope.scenario.keys import field_of
from hopscope.scenario.naming import in_words
from hopscope.scenario.sweep import written

if TYPE_CHECKING:
    from hopscope.scenario import Scenario

#: Units by their base unit, as messages list them; others that a scenario file takes are read too.
_UNITS = {
    "s": ("ns", "us", "ms", "s", "min", "h"),
    "bit/s": ("bit/s", "kbit/s", "Mbit/s", "Gbit/s"),
    "bytes": ("bytes", "kB", "MB", "GB", "KiB", "MiB", "GiB"),
    "probability": ("%",),
    "m": ("mm", "cm", "m", "km"),
    "m/s": ("m/s", "km/s"),
    "Hz": ("Hz", "kHz", "MHz", "GHz"),
}
#: Units at the end of a name: ``throughput_mbps``.
_ENDINGS = {
    "bps": "bit/s", "kbps": "kbit/s", "mbps": "Mbit/s", "gbps": "Gbit/s", "ns": "ns", "us": "us", "ms": "ms", "s": "s",
    "min": "min", "pct": "%", "percent": "%", "bytes": "bytes", "kb": "kB", "mb": "MB", "m": "m", "km": "km",
}  # fmt: skip
#: Columns that number repetitions, whose seeds are nobody's here.
_LABELS = ("seed", "run", "repetition", "trial")
#: Behind the name of a metric: half width of its 95 % interval.
_HALF_WIDTH = re.compile(r"[._ ]ci95$")
#: What ``--map`` names in place of a key or metric for a column that is left out.
LEFT_OUT = "-"


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
    names = _Names(scenario)
    found = [_Column(f"{name}:{head}", heading, *names.meaning(name, head, heading, given)) for heading in headings]
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


def _check(name: str, head: int, found: Sequence[_Column], names: _Names) -> None:
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


# --- Columns --------------------------------------------------------------------------------------------------------

_Kind = Literal["key", "metric", "half width", "flow", "label", "none"]


@dataclass
class _Column:
    """A column: what it holds, and the unit of its numbers (None: not known yet)."""

    place: str
    heading: str
    kind: _Kind
    name: str
    target: str = ""
    unit: str | None = ""

    def refusal(self, name: str, line: int, message: str) -> InputError:
        return InputError(f'{name}:{line}: column "{self.heading}": {message}')

    def take_units(self, name: str, cells: Sequence[tuple[int, str]]) -> None:
        """Finds the unit in which the cells are written, where the heading has none."""
        if self.kind == "key" and self.unit and _size(f"1{self.unit}", self.target) is None:
            raise InputError(f'{self.place}: column "{self.heading}": {self._no_unit()}')
        if self.kind not in ("metric", "half width"):
            return
        first: tuple[int, str] | None = None
        for line, cell in cells:
            own = _unit_of(cell)
            if own is None:
                continue
            if own.startswith(","):
                raise self.refusal(name, line, f"found {shown(cell)}; numbers have a decimal point")
            if first is None:
                first = line, own
            elif own != first[1]:
                before, here = (shown(unit) if unit else "no unit" for unit in (first[1], own))
                raise self.refusal(
                    name, line, f"mixed units: {before} in line {first[0]}, {here} here; write all in one"
                )
        line, own = first or (0, "")
        if own and self.unit and _factor(own, self.unit) != 1:
            raise self.refusal(name, line, f"mixed units: {shown(self.unit)} in its name and {shown(own)} here")
        if own:
            self.unit = own
            self.factor(name, line)  # refuses what is no unit of it
        if self.unit is None:
            raise InputError(
                f'{self.place}: column "{self.heading}": has no unit; name it "{self.heading} ({self.target})", '
                f"with one of {', '.join(_known(self.target))}"
            )

    def factor(self, name: str, line: int) -> float:
        """What a number of the column is multiplied by."""
        found = _factor(self.unit or self.target, self.target)
        if found is None:
            raise self.refusal(name, line, self._no_unit())
        return found

    def _no_unit(self) -> str:
        allowed = ", ".join(_known(self.target)) or self.target or "none, it is a count"
        return f"found the unit {shown(self.unit or '')}; allowed: {allowed}"

    def number(self, name: str, line: int, cell: str) -> float:
        """The number of a cell in the unit of the metric."""
        try:
            value = float(units.split(cell)[0])
        except units.QuantityError:
            message = f"found {shown(cell)}; expected a number, or an empty cell where there is none"
            raise self.refusal(name, line, message) from None
        if not math.isfinite(value):
            raise self.refusal(name, line, f"found {shown(cell)}; expected a finite number")
        return value * self.factor(name, line)


class _Names:
    """The names that columns may have: swept keys, metrics, and what numbers flows and repetitions."""

    def __init__(self, scenario: Scenario) -> None:
        self.axes = scenario.axes
        self.flows = len(scenario.points[0].resolved["flow"])
        # Keys by the names that are those of one alone.
        self._keys: dict[str, set[str]] = {}
        for key in self.axes:
            for name in (key, key.rpartition(".")[2], in_words(key)):
                self._keys.setdefault(name.casefold(), set()).add(key)

    def meaning(
        self, name: str, line: int, heading: str, given: Mapping[str, str]
    ) -> tuple[_Kind, str, str, str | None]:
        """What a column of this heading holds: kind, name, unit of that, unit of its numbers."""
        meant = given.get(heading, heading).strip()
        if meant == LEFT_OUT:
            return "none", heading, "", ""
        text, unit = _split_unit(meant)
        half = _HALF_WIDTH.search(text)
        text = text[: half.start()] if half else text
        if not half and text.casefold() == "flow" and not unit:
            return "flow", "flow", "", ""
        for spelt, own in _spellings(text, unit):
            if not half and len(keys := self._keys.get(spelt.casefold(), set())) == 1:
                [key] = keys
                entry = field_of(key)
                return "key", key, entry.unit if entry is not None else "", own
            if (found := _metric(spelt, own)) is not None:
                return ("half width" if half else "metric"), *found
        if text.casefold() in _LABELS:
            return "label", text, "", ""
        mapped = "" if meant == heading else f" as {shown(meant)}"
        leave = shlex.quote(f"{heading}={LEFT_OUT}")
        swept = f"keys: {', '.join(self.axes)}; " if self.axes else "nothing is swept; "
        choices = [*self.axes, *self._keys, *_metric_names()]
        allowed = f"{swept}metrics: hopscope list metrics; leave it out: --map {leave}"
        raise InputError(
            f'{name}:{line}: column "{heading}"{mapped}: no key or metric{instead(text, choices, allowed)}'
        )


def _split_unit(text: str) -> tuple[str, str]:
    """A name and the unit in brackets behind it."""
    found = re.fullmatch(r"(.*\S)\s*[(\[]([^()\[\]]*)[)\]]", text)
    if found is None or any(metric.heading == text for metric in _samples()):
        return text, ""
    return found[1], found[2].strip()


def _spellings(text: str, unit: str) -> Iterator[tuple[str, str]]:
    """A name as it stands, and without a unit at its end."""
    yield text, _spelt(unit)
    stem, _, ending = text.rpartition("_")
    if stem and not unit and ending.casefold() in _ENDINGS:
        yield stem, _ENDINGS[ending.casefold()]


def _metric(text: str, unit: str) -> tuple[str, str, str | None] | None:
    """The metric of a name: its own, that without its unit, or its heading; with both units."""
    place, dot, last = text.rpartition(".")
    scope = place.partition(".")[0]
    first = None
    for metric in _samples():
        if metric.scope != scope if dot else metric.scope not in ("flow", "network"):
            continue
        whole = metric.name == last
        if not whole and last.casefold() not in (_stem(metric.name), metric.heading.casefold()):
            continue
        name = f"{place}.{metric.name}" if dot else metric.name if metric.scope == "flow" else f"network.{metric.name}"
        found = name, metric.unit, unit or (metric.unit if whole or not _known(metric.unit) else None)
        if not unit or _factor(unit, metric.unit) is not None:
            return found
        first = first or found  # of several metrics of one heading, that whose unit it is
    return first


def _samples() -> Iterator[metrics.Metric]:
    """The metrics that are numbers; those without a place are a flow's, then the network's."""
    for scope in ("flow", "network", "group", "node", "wire"):
        yield from (metric for metric in metrics.metrics(scope) if metric.kind == "sample")


def _metric_names() -> list[str]:
    return [name for metric in _samples() for name in (metric.name, _stem(metric.name))]


def _stem(name: str) -> str:
    """The name of a metric without its unit."""
    stem, _, ending = name.rpartition("_")
    return stem if stem and ending in _ENDINGS else name


# --- Units ----------------------------------------------------------------------------------------------------------


def _spelt(unit: str) -> str:
    """A unit as the tables have it."""
    return {"pct": "%", "percent": "%"}.get(unit, unit)


def _unit_of(cell: str) -> str | None:
    """The unit behind a number; None for what is no number."""
    try:
        return _spelt(units.split(cell)[1])
    except units.QuantityError:
        return None


def _known(target: str) -> tuple[str, ...]:
    """The units of the same quantity; none for a count."""
    return next((names for names in _UNITS.values() if target in names), ())


def _factor(unit: str, target: str) -> float | None:
    """How many of one unit another one is; None where they are no units of one quantity."""
    if unit == target:
        return 1.0
    base = next((base for base, names in _UNITS.items() if target in names), None)
    try:
        return None if base is None else float(units.parse(f"1{unit}", base) / units.parse(f"1{target}", base))
    except units.QuantityError:
        return None


# --- Rows -----------------------------------------------------------------------------------------------------------


def _row(name: str, line: int, found: Sequence[_Column], cells: Sequence[str], names: _Names) -> Row | None:
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


def _swept(name: str, line: int, column: _Column, cell: str, values: Sequence[Any]) -> Any:
    """The value of a swept key that a cell means, as the sweep has it; another number in the unit of the sweep."""
    for value in values:
        if cell.casefold() in (written(value).casefold(), str(value).casefold()) and not column.unit:
            return value
    there = f"the sweep has {', '.join(written(value) for value in values)}"
    sizes = [_size(value, column.target) for value in values]
    number = _size(f"{cell}{column.unit or ''}", column.target)
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
        return f"{number / (_size(f'1{unit}', column.target) or 1):.12g}{unit}"
    return int(number) if number.is_integer() else number


def _size(value: Any, base: str) -> float | None:
    """A value in the base unit of its key; None for a word, a flag or a list."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(units.parse(value, base)) if isinstance(value, str) else float(value)
    except units.QuantityError:
        return None
