"""Columns of what a user has measured: which key or metric a heading means, and the unit of its numbers."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hopscope.errors import InputError, instead, shown
from hopscope.results import metrics
from hopscope.scenario import units
from hopscope.scenario.keys import field_of
from hopscope.scenario.naming import in_words

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

Kind = Literal["key", "metric", "half width", "flow", "label", "none"]
"""What a column holds; "none" is left out."""


@dataclass
class Column:
    """A column: what it holds, and the unit of its numbers (None: not known yet)."""

    place: str
    heading: str
    kind: Kind
    name: str
    target: str = ""
    unit: str | None = ""

    def refusal(self, name: str, line: int, message: str) -> InputError:
        """An error about a cell of this column."""
        return InputError(f'{name}:{line}: column "{self.heading}": {message}')

    def take_units(self, name: str, cells: Sequence[tuple[int, str]]) -> None:
        """Finds the unit in which the cells are written, where the heading has none."""
        if self.kind == "key" and self.unit and in_base_unit(f"1{self.unit}", self.target) is None:
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


class Names:
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
    ) -> tuple[Kind, str, str, str | None]:
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


def in_base_unit(value: Any, base: str) -> float | None:
    """A value in the base unit of its key; None for a word, a flag or a list."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(units.parse(value, base)) if isinstance(value, str) else float(value)
    except units.QuantityError:
        return None
