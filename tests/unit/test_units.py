"""Quantities with units."""

from __future__ import annotations

from decimal import Decimal

import pytest

from hopscope.errors import shown
from hopscope.scenario import units
from hopscope.scenario.fields import NS, Field, FieldError


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("300s", "s", "300"),
        ("25us", "s", "0.000025"),
        ("25µs", "s", "0.000025"),
        ("2 min", "s", "120"),
        ("250m", "m", "250"),
        ("1.5km", "m", "1500"),
        ("2Mbps", "bit/s", "2000000"),
        ("5.5 Mbit/s", "bit/s", "5500000"),
        ("2mbps", "bit/s", "2000000"),
        ("100Kbps", "bit/s", "100000"),
        ("290 kbit/s", "bit/s", "290000"),
        ("2 MBit/s", "bit/s", "2000000"),
        ("10MB", "bytes", "10000000"),
        ("2KiB", "bytes", "2048"),
        ("4%", "probability", "0.04"),
        ("10dB", "ratio", "10"),
        ("0dBm", "W", "0.001"),
        ("914MHz", "Hz", "914000000"),
        ("-100dBm", "dBm", "-100"),
        ("50 packets", "packets", "50"),
        ("1e3", "", "1000"),
        ("1_000", "", "1000"),
    ],
)
def test_reads_quantities(text: str, unit: str, value: str) -> None:
    assert units.parse(text, unit) == Decimal(value)


@pytest.mark.parametrize(
    ("text", "unit", "part"),
    [
        ("fast", "bit/s", "no number with a unit"),
        ("", "s", "no number with a unit"),
        ("5 seconds", "s", 'unknown unit "seconds"'),
        ("5Ms", "s", 'did you mean "ms"?'),
        ("5km", "s", 'unknown unit "km"'),
        ("5m", "s", 'did you mean "min" or "ms"?'),
        ("200 KBps", "bit/s", 'kbit/s, kbps ("KBps" counts bytes; 1 byte is 8 bits)'),
        ("2MB/s", "bit/s", '("MB/s" counts bytes; 1 byte is 8 bits)'),
        ("2MBPS", "bit/s", '"MBPS" counts bytes'),
        ("10Mb", "bytes", '("Mb" counts bits; 1 byte is 8 bits)'),
        ("3x", "", "has no unit"),
        ("1" * 200 + "s", "s", "no number with a unit"),
        ("9999dBm", "W", "outside"),
    ],
)
def test_refuses_what_is_no_quantity(text: str, unit: str, part: str) -> None:
    with pytest.raises(units.QuantityError) as caught:
        units.parse(text, unit)
    assert part in str(caught.value)


def test_times_are_exact_nanoseconds() -> None:
    time = Field("t", "time", "", "s")
    assert time.read("0.1s") == 100_000_000
    assert time.read(0.1) == 100_000_000
    assert time.read("20us") == 20_000
    assert time.read(300) == 300 * NS
    with pytest.raises(FieldError, match="finest time is 1 ns"):
        time.read("0.1ns")
    with pytest.raises(FieldError, match="at least 0 s"):
        time.read(-1)
    with pytest.raises(FieldError, match="at most"):
        time.read(1e12)


@pytest.mark.parametrize(
    "value", [True, None, [], {}, float("nan"), float("inf"), "x", 1.5, -1, 2**32, 10**400], ids=shown
)
def test_whole_numbers_refuse_the_rest(value: object) -> None:
    with pytest.raises(FieldError):
        Field("n", "int", "").read(value)


def test_off_is_a_value_of_its_own() -> None:
    field = Field("rts_threshold", "int-or-off", "", "bytes")
    assert field.read("off") is None
    assert field.read("2kB") == 2000
    assert field.show(None) == "off"
    with pytest.raises(FieldError, match='or "off"'):
        field.read("on")
