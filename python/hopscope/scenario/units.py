"""Quantities with units: ``"300s"``, ``"250m"``, ``"2Mbps"``, ``"25us"``, ``"15dBm"``.

A number without a unit is in the base unit of its key.  Text is read with decimal arithmetic, so ``"0.1s"`` is exactly
100,000,000 ns.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from hopscope.errors import did_you_mean, shown

_TIME = {"s": "1", "ns": "1e-9", "us": "1e-6", "µs": "1e-6", "μs": "1e-6", "ms": "1e-3", "min": "60", "h": "3600"}
_LENGTH = {"m": "1", "mm": "1e-3", "cm": "1e-2", "km": "1e3"}
_RATE = {
    "bit/s": "1", "bps": "1", "kbit/s": "1e3", "kbps": "1e3", "Mbit/s": "1e6", "Mbps": "1e6", "Gbit/s": "1e9",
    "Gbps": "1e9",
}  # fmt: skip
_BYTES = {
    "bytes": "1", "byte": "1", "B": "1", "kB": "1e3", "KB": "1e3", "MB": "1e6", "GB": "1e9", "KiB": "1024",
    "MiB": "1048576", "GiB": "1073741824",
}  # fmt: skip
_FREQUENCY = {"Hz": "1", "kHz": "1e3", "MHz": "1e6", "GHz": "1e9"}
_POWER = {"W": "1", "mW": "1e-3", "uW": "1e-6"}

#: Factors to the base unit, by base unit.
UNITS: dict[str, dict[str, str]] = {
    "s": _TIME,
    "m": _LENGTH,
    "m/s": {"m/s": "1", "km/s": "1e3"},
    "bit/s": _RATE,
    "bytes": _BYTES,
    "Hz": _FREQUENCY,
    "W": _POWER,
    "probability": {"": "1", "%": "1e-2"},
}

#: Logarithmic units: text unit -> exponent of ten added for the base unit (W and mW differ by 3 decades).
_LOGARITHMIC = {("W", "dBm"): -3, ("ratio", "dB"): 0}

#: Bytes a second, which no rate is given in, and bits, which no size is given in.
_BYTE_RATE = re.compile(r"(?:[kKmMgG]i?)?(?:B|[Bb]ytes?)(?:/s|ps|PS)?")
_BITS = re.compile(r"[kKMG]?i?(?:b|[Bb]its?)")

#: What people write for a unit and a close match would not find.
_OTHER_NAMES = {"s": {"m": '"min" or "ms"', "sec": '"s"', "secs": '"s"', "seconds": '"s"', "hours": '"h"'}}

_QUANTITY = re.compile(r"\s*([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?)\s*([^\d\s].*?)?\s*\Z")


class QuantityError(ValueError):
    """The text is no quantity of the wanted kind; the message says what is allowed."""


def split(text: str) -> tuple[Decimal, str]:
    """Splits ``"250m"`` into its number and its unit.

    Raises:
        QuantityError: the text does not start with a number.
    """
    match = _QUANTITY.match(text) if len(text) <= 100 else None
    if match is None:
        raise QuantityError(f"{shown(text)} is no number with a unit")
    try:
        return Decimal(match[1].replace("_", "")), match[2] or ""
    except InvalidOperation as error:
        raise QuantityError(f"{shown(text)} is no number with a unit") from error


def parse(text: str, unit: str) -> Decimal:
    """Reads a quantity into the base unit ``unit``.

    Args:
        text: for example ``"250m"``.
        unit: base unit of the key, such as ``"s"``, ``"m"``, ``"bit/s"``, ``"bytes"``; empty for a pure number.

    Raises:
        QuantityError: no number, or a unit that does not fit.
    """
    number, found = split(text)
    if (exponent := _LOGARITHMIC.get((unit, found))) is not None:
        if abs(number) > 1000:
            raise QuantityError(f"{shown(text)} is outside -1000 to 1000 {found}")
        return Decimal(10) ** (number / 10 + exponent)
    factors = allowed(unit)
    factor = factors.get(found)
    if factor is None and unit == "bit/s" and not _BYTE_RATE.fullmatch(found):
        factor = {name.lower(): value for name, value in factors.items()}.get(found.lower())
    if factor is None:
        if found == "":
            return number
        if not any(factors):
            raise QuantityError(f'unit "{found}" in {shown(text)}, but this key has no unit')
        names = sorted({*factors, *(name for base, name in _LOGARITHMIC if base == unit)} - {"", "μs"})
        raise QuantityError(f'unknown unit "{found}"; allowed: {", ".join(names)}{_hint(found, unit, names)}')
    return number * Decimal(factor)


def _hint(found: str, unit: str, names: list[str]) -> str:
    """What may have been meant by an unknown unit; never one that is eight times off."""
    if unit == "bit/s" and _BYTE_RATE.fullmatch(found):
        return f' ("{found}" counts bytes; 1 byte is 8 bits)'
    if unit == "bytes" and _BITS.fullmatch(found):
        return f' ("{found}" counts bits; 1 byte is 8 bits)'
    if (other := _OTHER_NAMES.get(unit, {}).get(found)) is not None:
        return f" (did you mean {other}?)"
    return did_you_mean(found, names)


def allowed(unit: str) -> dict[str, str]:
    """Returns the units a key with base unit ``unit`` takes, with their factors."""
    return UNITS.get(unit) or {unit: "1"}


def example(unit: str) -> str:
    """Returns a short example of a quantity for messages and the schema; empty for a pure number."""
    examples = {
        "s": "10ms", "m": "250m", "m/s": "3e8", "bit/s": "2Mbps", "bytes": "10MB", "Hz": "2.4GHz", "W": "15dBm",
        "ratio": "10dB", "probability": "4%",
    }  # fmt: skip
    return examples.get(unit, "")


def is_number(text: str) -> bool:
    """Whether a text is a plain number; a column's name in a file is not."""
    try:
        float(text)
    except ValueError:
        return False
    return True
