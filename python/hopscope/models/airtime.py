"""Frame durations of DSSS, HR/DSSS and OFDM in integer nanoseconds, written down independently of the engine.

Sources: IEEE 802.11-2020 15.2.2 (DSSS preamble and header: 144 + 48 bits at 1 Mbit/s), 16.3.4 (HR/DSSS: the payload
time is rounded up to whole microseconds), 17.4.3 (OFDM: 20 us, then 4 us symbols of SERVICE 16 bits, payload, tail
6 bits).
"""

from __future__ import annotations

LONG_PREAMBLE_NS = 192_000
OFDM_PREAMBLE_NS = 20_000
OFDM_SYMBOL_NS = 4_000


def dsss_airtime_ns(size: int, rate: int) -> int:
    """Duration of a frame of `size` bytes (MAC header and FCS included) at `rate` bit/s with the long preamble."""
    whole_us = -(-size * 8 * 1_000_000 // rate)
    return LONG_PREAMBLE_NS + whole_us * 1000


def ofdm_airtime_ns(size: int, rate: int) -> int:
    """Duration of a frame of `size` bytes at `rate` bit/s with 20 MHz OFDM."""
    bits_per_symbol = rate * 4 // 1_000_000
    symbols = -(-(16 + 8 * size + 6) // bits_per_symbol)
    return OFDM_PREAMBLE_NS + symbols * OFDM_SYMBOL_NS
