"""The keys that are varied: which values they take, and which values lie between them and next to them.

An axis starts from at most :data:`MOST` values.  Where its range holds more, the values between are looked at near the
best one only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from hopscope.errors import InputError, instead, shown
from hopscope.scenario import keys, ranges, sweep
from hopscope.scenario.fields import Field

#: An axis starts from at most so many values; a range of real numbers without a step from :data:`REAL`.
MOST, REAL = 64, 17

#: A range of real numbers without a step is divided into at most so many parts.
FINEST = 1024

Number = int | float


@dataclass
class Axis:
    """One key with its values.

    Attributes:
        key: dotted key; ``flow.*`` sets all flows together.
        text: the values as given.
        values: values looked at from the start, in the order of their size for a range.
        whole: only whole numbers.
        step: distance of the finest values of a range; None for a list, which has nothing between.
        full: number of values that a full sweep would take.
    """

    key: str
    text: str
    values: list[Number]
    whole: bool
    step: float | None
    full: int
    _added: list[Number] = field(default_factory=list)

    def neighbours(self, value: Number) -> list[Number]:
        """Returns the known values next below and above."""
        known = self._known()
        place = known.index(value)
        return [known[i] for i in (place - 1, place + 1) if 0 <= i < len(known)]

    def between(self, value: Number) -> list[Number]:
        """Returns new values half way to the neighbours, as far as the range has any, and keeps them as known."""
        if self.step is None:
            return []
        fresh = []
        for other in self.neighbours(value):
            low, high = sorted((value, other))
            steps = round((high - low) / self.step)
            if steps >= 2:
                middle = Decimal(repr(low)) + Decimal(repr(self.step)) * (steps // 2)
                fresh.append(int(middle) if self.whole else float(middle))
        self._added += fresh
        return fresh

    def copy(self) -> Axis:
        """Returns the axis without values added later."""
        return Axis(self.key, self.text, self.values, self.whole, self.step, self.full)

    def _known(self) -> list[Number]:
        known = [*self.values, *self._added]
        return sorted(known) if self.step is not None else known


def parse(text: str, document: Mapping[str, Any]) -> Axis:
    """Reads ``KEY=RANGE`` of ``--over``.

    Raises:
        InputError: no key or no range, a key that does not exist or is no number, or values that it does not take.
    """
    key, equals, spec = text.partition("=")
    if not equals or not key.strip():
        raise InputError(f'--over {text}: expected KEY=RANGE, for example "flow.*.max_window=1..32"')
    key = key.strip()
    entry = find(key, document)
    where = f"--over {key}"
    if entry.kind not in ranges.NUMERIC:
        raise InputError(f"{where}: takes {entry.expected()}, and a search needs a number; sweep it instead")
    found = ranges.parse(spec.strip(), entry, where)
    whole = entry.kind in {"int", "int-or-off"}
    if isinstance(found, ranges.Span):
        return _of_span(key, spec.strip(), found)
    for value in found:
        if value is None:
            raise InputError(f'{where}: "off" is no number; expected {entry.expected()}')
    if len(found) < 2:
        raise InputError(
            f"{where}: found one value, {spec.strip()}; a search needs two or more, such as 1..32 or 2,4,8"
        )
    return Axis(key, spec.strip(), found, whole, None, len(found))


def of_values(key: str, values: Any, document: Mapping[str, Any]) -> Axis:
    """Reads the values of a key as Python gives them: text as of ``--over``, a range, or a sequence of numbers.

    Raises:
        InputError: as :func:`parse`.
    """
    if isinstance(values, str):
        return parse(f"{key}={values}", document)
    if isinstance(values, range) and len(values) > 1 and values.step > 0:
        step = f":{values.step}" if values.step != 1 else ""
        return parse(f"{key}={values[0]}..{values[-1]}{step}", document)
    if isinstance(values, Sequence) and not isinstance(values, bytes):
        return parse(f"{key}={','.join(str(value) for value in values)}", document)
    raise InputError(f'over {key}: found {shown(values)}; expected text such as "1..32", a range or a list of numbers')


def find(key: str, document: Mapping[str, Any]) -> Field:
    """Returns the description of a dotted key.

    Raises:
        InputError: there is no such key.
    """
    where = f"--over {key}"
    if (message := sweep.known_key(key)) is not None:
        raise InputError(f"{where}: {message.replace('unknown sweep key', 'unknown key').replace('swept', 'varied')}")
    parts = key.split(".")
    fields, rest = _fields(parts, document)
    if parts[0] in keys.NUMBERED:
        if len(parts) < 3:
            raise InputError(f"{where}: names no key; for example {parts[0]}.0.{fields[0].name}")
        try:
            paths = sweep.key_paths(document, key)
        except sweep.KeyProblem as error:
            raise InputError(f"{where}: {error}") from error
        if not paths:
            raise InputError(f"{where}: the scenario has no {parts[0]}s")
    for place, name in enumerate(rest):
        known = {entry.name: entry for entry in fields}
        if name not in known:
            allowed = "allowed: {}"
            raise InputError(f"{where}: unknown key {shown(name)}{instead(name, known, allowed)}")
        entry = known[name]
        if place == len(rest) - 1:
            return entry
        fields = entry.fields
    raise InputError(f"{where}: is a table; name one of its keys: {', '.join(entry.name for entry in fields)}")


def _fields(parts: Sequence[str], document: Mapping[str, Any]) -> tuple[Sequence[Field], Sequence[str]]:
    """The keys that the first part of a dotted key leads to, and the parts still to follow."""
    name = parts[0]
    if name == "topology":
        kind = document.get("topology", {}).get("kind")
        return (keys.topology(), *keys.TOPOLOGIES.get(str(kind), ("", ()))[1]), parts[1:]
    if name in keys.ENGINE_SECTIONS:
        return keys.engine(name), parts[1:]
    if name in keys.NUMBERED:
        return keys.table(name), parts[2:]
    return keys.top(), parts


def _of_span(key: str, text: str, span: ranges.Span) -> Axis:
    if span.step is None and not span.whole:
        step = (span.high - span.low) / FINEST
        coarse = step * (FINEST // (REAL - 1))
        return Axis(key, text, [float(span.low + coarse * i) for i in range(REAL)], False, float(step), REAL)
    step = span.step or Decimal(1)
    count = int((span.high - span.low) / step) + 1
    kept = range(count) if count <= MOST else sorted({round(i * (count - 1) / (MOST - 1)) for i in range(MOST)})
    numbers = [span.low + step * i for i in kept]
    values: list[Number] = [int(n) if span.whole else float(n) for n in numbers]
    return Axis(key, text, values, span.whole, float(step), count)
