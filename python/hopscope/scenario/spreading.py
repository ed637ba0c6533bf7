"""The values of a swept key in one text: ``1..32``, ``1..32 by 4``, ``10ms..50ms by 10ms``, ``1,2,4``, ``[1, 2]``.

The same text stands in ``[sweep]``, behind ``--sweep`` and ``--by``. A range of a key whose kind is known is read by
:mod:`hopscope.scenario.ranges`, which takes ``1..32:4`` for ``1..32 by 4`` as well.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from hopscope import _core
from hopscope.errors import shown
from hopscope.scenario import units

#: More values of one key are refused.
MAX_VALUES = 100_000

EXPECTED = 'a list of values, text such as "1..32", "1..32 by 4" or "1,2,4", or { start = .., stop = .., step = .. }'

_PARTS = re.compile(r"""(?:[^,\[\]{}"']|\[[^\]]*\]|\{[^}]*\}|"[^"]*"|'[^']*')+""")

#: What stands in no range, though two full stops may stand in it: lists, tables, quotes and paths.
_OTHER = re.compile(r"""[\[{"'/\\]""")


def values_of(text: str) -> list[Any]:
    """The values that a text means, in order.

    Raises:
        ValueError: an end or a step is missing or no number, or units differ; the message says what is allowed.
    """
    if ".." in text and not _OTHER.search(text):
        return _range(text)
    values = [value_of(part) for part in parts_of(text)]
    if len(values) == 1 and isinstance(values[0], list):
        return values[0]
    if not values:
        raise ValueError(f"found {shown(text)}; expected {EXPECTED}")
    return values


def parts_of(text: str) -> list[str]:
    """``a=1,b=[2,3]`` by the commas outside brackets and quotes."""
    return [part.strip() for part in _PARTS.findall(text)]


def split_step(text: str) -> tuple[str, str | None]:
    """The upper end of a range and its step, ``32 by 4`` or ``32:4``; `None` where no step is named."""
    end, *step = re.split(r"\s+by\b|:", text, maxsplit=1)
    return end.strip(), step[0].strip() if step else None


def value_of(text: str) -> Any:
    """One value: TOML where it is that, else the text."""
    try:
        parsed = _core.toml_value(text)
    except UnicodeEncodeError:  # octets of the command line that are no text
        parsed = None
    return text if parsed is None else parsed


def steps(start: Any, stop: Any, step: Any) -> list[Any]:
    """The values from ``start`` in steps up to and including ``stop``; with a unit each is text.

    Raises:
        ValueError: the units differ, it has no end, or there are too many.
    """
    found = [units.split(value if isinstance(value, str) else repr(value)) for value in (start, stop, step)]
    (first, unit), (last, last_unit), (width, width_unit) = found
    if not unit == last_unit == width_unit:
        raise ValueError("start, stop and step have different units; use one unit for all three")
    if width == 0 or (last - first) * width < 0:
        raise ValueError(f"never reaches {shown(stop)} from {shown(start)} in steps of {shown(step)}")
    count = (last - first) / width
    if count >= MAX_VALUES:
        raise ValueError(f"makes {count:.3g} values; at most {MAX_VALUES}")
    numbers = [first + width * place for place in range(int(count) + 1)]
    return [f"{number:f}{unit}" if unit else _plain(number) for number in numbers]


def _range(text: str) -> list[Any]:
    low, _, rest = text.partition("..")
    high, step = split_step(rest)
    ends = [low.strip(), high]
    if not all(ends) or step == "":
        raise ValueError(f'found {shown(text)}; a range has two ends and may have a step, as "1..32" or "1..32 by 4"')
    numbers = [units.split(end) for end in ends]
    if not numbers[0][1]:  # 1..32ms
        ends[0] += numbers[1][1]
    if step is None:
        whole = all(number == number.to_integral_value() for number, _ in numbers)
        if numbers[1][1] or not whole:
            raise ValueError(
                f'found {shown(text)}; a range that is not of whole numbers needs a step: "{text} by STEP"'
            )
        step = "1" if numbers[0][0] <= numbers[1][0] else "-1"
    return steps(ends[0], ends[1], step)


def _plain(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)
