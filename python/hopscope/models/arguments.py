"""Checks of the arguments of models; the messages name the argument, its value and what is allowed."""

from __future__ import annotations

import math
from typing import TypeVar

N = TypeVar("N", int, float)


def at_least(name: str, value: N, low: float) -> N:
    """Returns ``value``.

    Raises:
        ValueError: it is below ``low`` or no finite number.
    """
    if not (math.isfinite(value) and value >= low):
        raise ValueError(f"{name} is {value:g}; it must be {low:g} or more")
    return value


def above(name: str, value: float, low: float) -> float:
    """Returns ``value``.

    Raises:
        ValueError: it is not above ``low`` or no finite number.
    """
    if not (math.isfinite(value) and value > low):
        raise ValueError(f"{name} is {value:g}; it must be above {low:g}")
    return value


def within(name: str, value: float, low: float, high: float, *, open_low: bool = False) -> float:
    """Returns ``value``.

    Raises:
        ValueError: it is outside ``low`` to ``high``, or equals ``low`` when ``open_low``.
    """
    if not low <= value <= high or (open_low and value == low):
        words = f"above {low:g} and at most {high:g}" if open_low else f"{low:g} to {high:g}"
        raise ValueError(f"{name} is {value:g}; it must be {words}")
    return value
