"""One key of a scenario: its kind, unit, meaning and default, and how a value is read.

The engine's parameters and the package's own keys share this one description; checking, the resolved scenario, the
JSON Schema and the reference pages all come from it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, Overflow
from typing import Any, Literal

from hopscope.errors import did_you_mean, listed, shown
from hopscope.scenario import units
from hopscope.scenario.controls import CLASS, FILE_FORM, FORM, PREFIX

U32_MAX = 2**32 - 1
U63_MAX = 2**63 - 1
NS = 1_000_000_000

#: Longest time a scenario can name: 200 years, within the engine's 64-bit nanoseconds.
TIME_MAX_NS = 200 * 366 * 86_400 * NS


_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


Kind = Literal[
    "time", "int", "float", "flag", "choice", "int-or-off", "int-list", "float-list", "float-rows", "node-pairs",
    "text", "name", "node", "point", "points", "nodes", "words", "parts", "transport", "control", "table",
]  # fmt: skip
"""What a key takes; see :class:`Field`."""


class FieldError(ValueError):
    """The value does not fit its key; the message says what was found and what is allowed."""


@dataclass(frozen=True)
class Field:
    """One key.

    Attributes:
        name: key inside its table.
        kind: ``time``, ``int``, ``float``, ``flag``, ``choice``, ``int-or-off``, ``int-list``, ``float-list``,
            ``float-rows`` (list of lists), ``node-pairs``, ``text``, ``name``, ``node``, ``point`` (two lengths),
            ``points``, ``nodes`` (list of nodes), ``words`` (list of choices), ``parts`` (choices with ``+`` between
            them, the first of which stands alone), ``transport`` (a choice, or a congestion control of the user's),
            ``control`` (the same, or a table of its parameters: numbers, flags and text by free names) or ``table``.
        unit: base unit of the number; empty for counts and words.
        doc: one line of meaning.
        default: value in engine form (times in nanoseconds), or None: see ``required``.
        choices: allowed words of ``choice``, ``words`` and ``parts``.
        apart: pairs of words that exclude each other in ``parts``, each with the reason.
        minimum: smallest allowed number; above it when ``exclusive``.
        maximum: largest allowed number.
        exclusive: the minimum itself is refused.
        required: the key must be given.
        source: where the default comes from.
        fields: keys of a ``table``.
    """

    name: str
    kind: Kind
    doc: str
    unit: str = ""
    default: Any = None
    choices: tuple[str, ...] = ()
    apart: tuple[tuple[str, str, str], ...] = ()
    minimum: float | None = 0
    maximum: float | None = None
    exclusive: bool = False
    required: bool = False
    source: str = ""
    fields: tuple[Field, ...] = ()

    def read(self, value: object) -> Any:
        """Returns ``value`` in engine form.

        Raises:
            FieldError: the value does not fit.
        """
        return _READERS[self.kind](self, value)

    def show(self, value: Any) -> Any:
        """Returns an engine value in the base unit of the key, as a scenario file would hold it."""
        if self.kind == "time" and isinstance(value, int):
            return value // NS if value % NS == 0 else value / NS
        if self.kind == "int-or-off" and value is None:
            return "off"
        return value

    def expected(self) -> str:
        """Returns what the key takes, for messages."""
        if self.kind == "parts":
            return f'"{self.choices[0]}", or one or more of {listed(self.choices[1:])} with + between them'
        if self.kind in {"choice", "words", "transport", "control"}:
            parameters = f"a table of parameters, with {CLASS} = {FILE_FORM} unless the transport names the class"
            outside = {"transport": f", or {FORM}", "control": f", {FILE_FORM}, or {parameters}"}
            own = outside.get(self.kind, "")
            return ("a list of " if self.kind == "words" else "one of ") + listed(self.choices) + own
        words = {
            "time": "a time in seconds", "int": "a whole number", "float": "a number", "flag": "true or false",
            "int-or-off": "a whole number", "int-list": "a list of whole numbers", "text": "text",
            "name": "a name of letters, digits, - and _",
            "float-list": "a list of numbers", "float-rows": "a list of rows, each a list of numbers",
            "node-pairs": "a list of [from, to], each a node number",
            "node": 'a node number, "first" or "last"', "nodes": 'a list of node numbers, "first" and "last"',
            "point": "two lengths in metres [x, y]",
            "points": "a list of [x, y] in metres", "table": "a table",
        }  # fmt: skip
        text = words[self.kind]
        if self.unit and self.kind in {"int", "float", "int-or-off", "int-list"}:
            text += f" in {self.unit}"
        if self.kind == "int-or-off":
            text += ' or "off"'
        if sample := units.example(self.unit):
            text += f' or text with a unit ("{sample}")'
        return text

    def refusal(self, value: object, hint: str = "") -> FieldError:
        """Returns the error for a value of another kind: what was found and what the key takes."""
        return FieldError(f"found {shown(value)}; expected {self.expected()}{hint}")


def _number(field: Field, value: object) -> Decimal | int:
    """Reads a bare number or a quantity into the base unit."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise field.refusal(value)
    if isinstance(value, str):
        try:
            number = units.parse(value, field.unit)
        except units.QuantityError as error:
            raise FieldError(f"{error}; expected {field.expected()}") from error
        except Overflow as error:
            raise FieldError(f"found {shown(value)}; the number is too large") from error
        return number
    if isinstance(value, float):
        if not math.isfinite(value):
            raise field.refusal(value)
        return Decimal(repr(value))
    return value


def _bounded(field: Field, value: object, number: Decimal | int, maximum: float) -> None:
    unit = f" {field.unit}" if field.unit and field.unit != "probability" else ""
    low, high = field.minimum, min(maximum, field.maximum if field.maximum is not None else maximum)
    if low is not None and (number < low or (field.exclusive and number == low)):
        word = "above" if field.exclusive else "at least"
        raise FieldError(f"found {shown(value)}; must be {word} {_limit(low)}{unit}")
    if number > high:
        raise FieldError(f"found {shown(value)}; must be at most {_limit(high)}{unit}")


def _limit(number: float) -> str:
    """A bound as a user could type it: whole numbers with all their digits."""
    return str(int(number)) if number == int(number) and abs(number) < 1e19 else f"{number:g}"


def _read_time(field: Field, value: object) -> int:
    number = _number(field, value)
    _bounded(field, value, number, TIME_MAX_NS / NS)
    nanoseconds = int((Decimal(number) * NS).to_integral_value())
    if number > 0 and nanoseconds == 0:
        raise FieldError(f"found {shown(value)}; the finest time is 1 ns")
    return nanoseconds


def _read_int(field: Field, value: object) -> int:
    number = _number(field, value)
    large = field.unit in {"bit/s", "bytes"} or field.name == "seed"
    _bounded(field, value, number, U63_MAX if large else U32_MAX)
    if number != int(number):
        raise field.refusal(value)
    return int(number)


def _read_float(field: Field, value: object) -> float:
    number = _number(field, value)
    _bounded(field, value, number, 1e300)
    return float(number)


def _read_flag(field: Field, value: object) -> bool:
    if not isinstance(value, bool):
        raise field.refusal(value)
    return value


def _read_choice(field: Field, value: object) -> str:
    if not isinstance(value, str) or value not in field.choices:
        raise FieldError(f"found {shown(value)}; allowed: {listed(field.choices)}{did_you_mean(value, field.choices)}")
    return value


def _read_parts(field: Field, value: object) -> str:
    """The parts in their usual order, so that one layer has one name."""
    if not isinstance(value, str):
        raise field.refusal(value)
    alone = field.choices[0]
    words = [word.strip() for word in value.split("+")]
    for word in words:
        if word not in field.choices:
            what = f"found {shown(value)}" if words == [word] else f"found {shown(value)} with the part {shown(word)}"
            raise FieldError(f"{what}; expected {field.expected()}{did_you_mean(word, field.choices)}")
        if words.count(word) > 1:
            raise FieldError(f"found {shown(value)}; {word} stands twice")
    if alone in words and len(words) > 1:
        raise FieldError(f'found {shown(value)}; "{alone}" stands alone')
    for one, other, reason in field.apart:
        if one in words and other in words:
            raise FieldError(f"found {shown(value)}; {one} and {other} exclude each other, as {reason}")
    return "+".join(word for word in field.choices if word in words)


def _read_transport(field: Field, value: object) -> str:
    if isinstance(value, str) and value.startswith(PREFIX):
        return value  # the class is found where the folder of the scenario is known
    if not isinstance(value, str) or value not in field.choices:
        close = did_you_mean(value, field.choices)
        raise FieldError(f"found {shown(value)}; allowed: {listed(field.choices)}, or {FORM}{close}")
    return value


def _read_control(field: Field, value: object) -> str | dict[str, Any]:
    if isinstance(value, str) and value:
        return value  # what it names is found where the transport and the folder of the scenario are known
    if not isinstance(value, Mapping):
        raise field.refusal(value)
    for name, item in value.items():
        finite = not isinstance(item, float) or math.isfinite(item)
        if not isinstance(item, (bool, int, float, str)) or not finite:
            raise FieldError(f"{name}: found {shown(item)}; expected a number, true or false, or text")
    return dict(value)


def _read_int_or_off(field: Field, value: object) -> int | None:
    return None if value == "off" else _read_int(field, value)


def _read_int_list(field: Field, value: object) -> list[int]:
    if not isinstance(value, list):
        raise field.refusal(value)
    return [_read_int(field, item) for item in value]


def _read_float_list(field: Field, value: object) -> list[float]:
    if not isinstance(value, list):
        raise field.refusal(value)
    return [_read_float(field, item) for item in value]


def _rows(
    read: Callable[[Field, object], list[float]], field: Field, values: Sequence[object], what: str
) -> list[list[float]]:
    """Reads every row; an error says which one it is."""
    rows = []
    for index, item in enumerate(values):
        try:
            rows.append(read(field, item))
        except FieldError as error:
            raise FieldError(f"{what} {index}: {error}") from error
    return rows


def _read_float_rows(field: Field, value: object) -> list[list[float]]:
    if not isinstance(value, list):
        raise field.refusal(value)
    return _rows(_read_float_list, field, value, "row")


def _read_node_pairs(field: Field, value: object) -> list[list[int]]:
    if not isinstance(value, list) or any(not isinstance(item, list) or len(item) != 2 for item in value):
        raise field.refusal(value)
    return [[_read_int(field, node) for node in item] for item in value]


def _read_text(field: Field, value: object) -> str:
    if not isinstance(value, str):
        raise field.refusal(value)
    return value


def _read_name(field: Field, value: object) -> str:
    text = _read_text(field, value)
    if not _NAME.fullmatch(text):
        raise field.refusal(value)
    return text


def _read_node(field: Field, value: object) -> int | str:
    if isinstance(value, str) and value in {"first", "last"}:
        return value
    if isinstance(value, str):
        raise field.refusal(value, did_you_mean(value, ["first", "last"]))
    return _read_int(field, value)


def _read_nodes(field: Field, value: object) -> list[int | str]:
    if not isinstance(value, list):
        raise field.refusal(value)
    return [_read_node(replace(field, kind="node"), item) for item in value]


def _read_point(field: Field, value: object) -> list[float]:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise field.refusal(value)
    return [_read_float(field, value[0]), _read_float(field, value[1])]


def _read_points(field: Field, value: object) -> list[list[float]]:
    if not isinstance(value, (list, tuple)):
        raise field.refusal(value)
    return _rows(_read_point, field, value, "position")


def _read_words(field: Field, value: object) -> list[str]:
    if not isinstance(value, list):
        raise field.refusal(value)
    return list(dict.fromkeys(_read_choice(field, item) for item in value))


def _read_table(field: Field, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise field.refusal(value, " of keys")
    return value


_READERS: dict[Kind, Callable[[Field, object], Any]] = {
    "time": _read_time,
    "int": _read_int,
    "float": _read_float,
    "flag": _read_flag,
    "choice": _read_choice,
    "transport": _read_transport,
    "control": _read_control,
    "int-or-off": _read_int_or_off,
    "int-list": _read_int_list,
    "float-list": _read_float_list,
    "float-rows": _read_float_rows,
    "node-pairs": _read_node_pairs,
    "text": _read_text,
    "name": _read_name,
    "node": _read_node,
    "nodes": _read_nodes,
    "parts": _read_parts,
    "point": _read_point,
    "points": _read_points,
    "words": _read_words,
    "table": _read_table,
}
