"""Several values of one key in one text: ``1..32``, ``1..48 by 3`` (or ``1..48:3``), ``10ms..100ms``, ``1,2,4,8``.

Models and ``hopscope optimize`` share this grammar; values are read and bounded by the key's own :class:`Field`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hopscope.errors import InputError, shown
from hopscope.scenario import units
from hopscope.scenario.fields import NS, Field, FieldError
from hopscope.scenario.spreading import MAX_VALUES, split_step

#: Kinds of keys whose values are numbers.
NUMERIC = ("int", "float", "time", "int-or-off")

#: A range of real numbers without a step has so many values.
POINTS = 50


@dataclass(frozen=True)
class Span:
    """A range in the base unit of its key, both ends included.

    Attributes:
        low: first value.
        high: largest value allowed, above ``low``.
        step: distance of the values; None when the range names none.
        whole: the key takes whole numbers only.
    """

    low: Decimal
    high: Decimal
    step: Decimal | None
    whole: bool

    def values(self, points: int = POINTS) -> list[int | float]:
        """Returns the values: in steps, every whole number, or ``points`` evenly spread real ones."""
        step = self.step or (Decimal(1) if self.whole else (self.high - self.low) / (points - 1))
        count = int((self.high - self.low) / step) + 1
        if self.step is None and not self.whole:
            count = points
        numbers = [self.low + step * i for i in range(count)]
        return [int(number) if self.whole else float(number) for number in numbers]


def parse(text: str, field: Field, where: str) -> Span | list[Any]:
    """Reads a range, or a list of one or more values in the form of ``field.read`` (times in seconds here).

    Args:
        text: what a user typed.
        field: the key.
        where: what a message begins with, such as ``--over mac.queue``.

    Raises:
        InputError: no range and no values, an empty or a reversed range, or values that the key does not take.
    """
    low, dots, rest = text.partition("..")
    if not dots:
        return _list(text, field, where)
    if field.kind not in NUMERIC:
        raise InputError(f"{where}: found {shown(text)}; a range needs a number, and {field.name} is none")
    high, step = split_step(rest)
    if not low.strip() or not high or step == "":
        raise InputError(f'{where}: found {shown(text)}; a range has two ends, as in "1..32" or "0.1..0.9:0.05"')
    ends = [_number(part, field, where) for part in (low, high)]
    if ends[0] > ends[1]:
        raise InputError(f"{where}: the range {text} runs backwards; write {high}..{low.strip()}")
    if ends[0] == ends[1]:
        raise InputError(f"{where}: the range {text} holds one value only")
    width = None if step is None else _step(step, field, where)
    if width is not None and width > ends[1] - ends[0]:
        raise InputError(f"{where}: the step {step} is wider than the range {low.strip()}..{high}")
    whole = field.kind in {"int", "int-or-off"}
    smallest = width or (Decimal(1) if whole else None)
    if smallest is not None and (ends[1] - ends[0]) / smallest >= MAX_VALUES:
        raise InputError(f"{where}: the range {text} has more than {MAX_VALUES} values; give a wider step")
    return Span(ends[0], ends[1], width, whole)


def _list(text: str, field: Field, where: str) -> list[Any]:
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise InputError(f"{where}: found {shown(text)}; expected values between commas, or a range such as 1..32")
    values = [read(word, field, where) for word in words]
    for value in values:
        if values.count(value) > 1:
            raise InputError(f"{where}: the value {shown(value)} stands twice")
    return values


def read(word: str, field: Field, where: str) -> Any:
    """Returns one value as the key takes it; times in seconds.

    Raises:
        InputError: it does not fit.
    """
    value: object = word == "true" if field.kind in {"flag", "flag-or-own"} and word in {"true", "false"} else word
    try:
        found = field.read(value)
    except FieldError as error:
        raise InputError(f"{where}: {error}") from error
    return found / NS if field.kind == "time" and isinstance(found, int) else found


def _number(word: str, field: Field, where: str) -> Decimal:
    value = read(word.strip(), field, where)
    if value is None:
        raise InputError(f"{where}: found {shown(word)}; the ends of a range are numbers")
    return Decimal(repr(value))


def _step(word: str, field: Field, where: str) -> Decimal:
    try:
        step = units.parse(word.strip(), field.unit)
    except units.QuantityError as error:
        raise InputError(f"{where}: step: {error}") from error
    if step <= 0:
        raise InputError(f"{where}: the step is {word.strip()}; it must be above 0")
    if field.kind in {"int", "int-or-off"} and step != int(step):
        raise InputError(f"{where}: the step is {word.strip()}; {field.name} takes whole numbers only")
    return step
