"""A swept key in figures and tables: its name with the unit, and the position of each of its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.scenario import units
from hopscope.scenario.keys import field_of
from hopscope.scenario.naming import in_words, names

#: Spellings of units that figures replace with those of the other axes.
_SPELLED = {"bps": "bit/s", "kbps": "kbit/s", "Mbps": "Mbit/s", "Gbps": "Gbit/s", "probability": "", "ratio": ""}


@dataclass(frozen=True)
class Axis:
    """The axis of a swept key.

    Attributes:
        label: the key in words and its unit, where it has one: "receiver's window (packets)".
        unit: unit that the values are written in, where all are written in the same; otherwise None, and positions are
            in ``base``.
        base: base unit of the key; empty for a count.
    """

    label: str
    unit: str | None
    base: str

    def place(self, value: Any) -> float:
        """The position of a value.

        Raises:
            ValueError: for a word, a flag or a list.
        """
        if not isinstance(value, str):
            return as_number(value)
        return as_number(value) if self.unit is not None else float(units.parse(value, self.base))


def axis_of(key: str, values: Sequence[Any]) -> Axis:
    """The axis of a swept key over these values, which must be numbers, with or without a unit.

    Values that are all written in one unit stand in it; otherwise the axis has the unit of the key.
    """
    field = field_of(key)
    base = field.unit if field is not None else ""
    written = {_unit(value) if isinstance(value, str) else "" for value in values}
    same = len(written) == 1
    shown = next(iter(written)) or base if same else base
    shown = _SPELLED.get(shown, shown)
    words = in_words(key)
    return Axis(
        f"{words} ({shown})" if shown not in ("", words) else words, next(iter(written)) if same else None, base
    )


def heading(key: str, values: Sequence[Any]) -> str:
    """The name of a column of these values: the key, and its unit where one of them is written without."""
    return _with_unit(key, key, values)


def headings(axes: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """The names of columns of swept keys: the keys in words, with units as in :func:`heading`.

    Keys whose words are the same stand as they are.
    """
    return {key: _with_unit(name, key, axes[key]) for key, name in names(axes).items()}


def _with_unit(name: str, key: str, values: Sequence[Any]) -> str:
    unit = missing_unit(key, values)
    return f"{name} ({unit})" if unit not in ("", name) else name


def missing_unit(key: str, values: Sequence[Any]) -> str:
    """The unit of a swept key where one of the values is written without; otherwise empty."""
    field = field_of(key)
    if field is None or not any(_is_bare(value) for value in values):
        return ""
    return _SPELLED.get(field.unit, field.unit)


def as_number(value: Any) -> float:
    """A swept value as a number: itself, or the number in front of a unit ("290kbps", "200m").

    Raises:
        ValueError: for a word, a flag or a list.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(value)
    return float(units.split(value)[0]) if isinstance(value, str) else float(value)


def numeric(values: Sequence[Any]) -> bool:
    """Whether every swept value is a number, with or without a unit."""
    try:
        for value in values:
            as_number(value)
    except ValueError:
        return False
    return True


def is_seed(key: str) -> bool:
    """Whether the values of a swept key are names of draws, such as ``topology.seed``."""
    return key.rpartition(".")[2] in {"seed", "pattern_seed"}


def _unit(text: str) -> str:
    return units.split(text)[1]


def _is_bare(value: Any) -> bool:
    """Whether a value, or a part of a list, is a number without a unit."""
    if isinstance(value, list):
        return any(_is_bare(part) for part in value)
    return numeric([value]) and not (isinstance(value, str) and _unit(value))
