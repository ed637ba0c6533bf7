"""Quantities with units: ``"300s"``, ``"250m"``, ``"2Mbps"``, ``"25us"``, ``"15dBm"``; they are read in Rust.

A number without a unit is in the base unit of its key.  Text is read with decimal arithmetic, so ``"0.1s"`` is exactly
100,000,000 ns.
"""

from __future__ import annotations

from decimal import Decimal

from hopscope import _core
from hopscope._core import QuantityError
from hopscope.scenario.fields import NS

__all__ = ["QuantityError", "is_number", "parse", "split", "whole"]


def split(text: str) -> tuple[Decimal, str]:
    """Splits ``"250m"`` into its number and its unit.

    Raises:
        QuantityError: the text does not start with a number.
    """
    number, unit = _core.split_quantity(text)
    return Decimal(number), unit


def parse(text: str, unit: str) -> Decimal:
    """Reads a quantity into the base unit ``unit``, which is empty for a pure number.

    Raises:
        QuantityError: no number, or a unit that does not fit.
    """
    return Decimal(_core.quantity(text, unit))


def whole(nanoseconds: int) -> str:
    """Returns a time as a whole number of the largest unit that it is one of: ``"1500ms"``."""
    units = (("s", NS), ("ms", NS // 10**3), ("us", NS // 10**6), ("ns", 1))
    return next(f"{nanoseconds // size}{unit}" for unit, size in units if nanoseconds % size == 0)


def is_number(text: str) -> bool:
    """Whether a text is a plain number; a column's name in a file is not."""
    try:
        float(text)
    except ValueError:
        return False
    return True
