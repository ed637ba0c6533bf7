"""Throughput of one access category of EDCA where every station always has packets, with frame aggregation.

Sources: IEEE 802.11-2020 10.23.2 (EDCA), 9.4.2.28 (its defaults), 10.25.6 (immediate Block Ack); collisions by
Bianchi's fixed point (:mod:`hopscope.models.bianchi`). How a missing Block Ack is answered is left to the sender there;
the requests are this project's addition to the fixed point.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hopscope.models import bianchi, ppdu
from hopscope.models.arguments import at_least
from hopscope.models.bianchi import Saturation, Timing
from hopscope.models.ppdu import Aggregate, Mode


@dataclass(frozen=True)
class Category:
    """An access category of stations without an access point (table 9-155, OFDM).

    Attributes:
        cw_min: smallest contention window.
        cw_max: largest contention window.
        aifsn: slots of AIFS beyond SIFS.
    """

    cw_min: int
    cw_max: int
    aifsn: int


CATEGORIES = {
    "bk": Category(15, 1023, 7),
    "be": Category(15, 1023, 3),
    "vi": Category(7, 15, 2),
    "vo": Category(3, 7, 2),
}


SLOT_NS = 9_000


@dataclass(frozen=True)
class Cell:
    """What the model says, times in microseconds.

    Attributes:
        throughput: bits of what counts per microsecond.
        cycle: mean time from one PPDU of a lone sender to its next.
        ppdu: the PPDU.
        response: its ACK or Block Ack.
        carried: what it carries.
        collision_probability: of an attempt; 0 for one station.
    """

    throughput: float
    cycle: float
    ppdu: float
    response: float
    carried: Aggregate
    collision_probability: float


def cell(
    stations: int,
    packet: int,
    mode: Mode,
    *,
    ampdu: int,
    amsdu: int = 0,
    window: int = 64,
    headers: int = 0,
    category: str = "be",
    rts: bool = False,
    request: bool = True,
    longest_ns: int = ppdu.LONGEST_NS,
) -> Cell:
    """Returns the throughput of stations that all hear one another, without a TXOP limit (one exchange an access).

    Args:
        stations: number of stations that always have packets, at least 1.
        packet: IP packet in bytes.
        mode: of the data.
        ampdu: largest A-MPDU in bytes; 0: none.
        amsdu: largest A-MSDU in bytes; 0: none.
        window: MPDUs of the Block Ack agreement.
        headers: bytes of a packet that do not count as throughput.
        category: ``bk``, ``be``, ``vi`` or ``vo``.
        rts: RTS and CTS before each PPDU, at the rate of the answer.
        request: a missing Block Ack is asked for before data goes again; without it the A-MPDU goes again at once.
        longest_ns: longest PPDU, nanoseconds.

    Raises:
        ValueError: outside these ranges.
    """
    if category not in CATEGORIES:
        raise ValueError(f'category is "{category}"; it must be one of {", ".join(CATEGORIES)}')
    at_least("stations", stations, 1)
    if not 0 <= headers < packet:
        raise ValueError(f"headers is {headers}; it must be 0 to {packet - 1}, less than the packet")
    has = CATEGORIES[category]
    sifs = ppdu.BANDS[mode.band].sifs_ns
    aifs = sifs + has.aifsn * SLOT_NS
    carried = ppdu.aggregate(packet, mode, ampdu=ampdu, amsdu=amsdu, window=window, longest_ns=longest_ns)
    data = mode.duration_ns(carried.psdu)
    block_ack = ppdu.BLOCK_ACK if window <= 64 else ppdu.LONG_BLOCK_ACK
    response = mode.response_ns(block_ack if carried.is_ampdu else ppdu.ACK)
    handshake = mode.response_ns(ppdu.RTS) + mode.response_ns(ppdu.CTS) + 2 * sifs if rts else 0
    success = handshake + data + sifs + response
    timing = _timing(success, mode.response_ns(ppdu.RTS) if rts else data, aifs)
    payload = 8.0 * (packet - headers) * carried.packets
    doublings = ((has.cw_max + 1) // (has.cw_min + 1)).bit_length() - 1
    found = bianchi.saturation(stations, timing, payload, cw_min=has.cw_min, doublings=doublings)
    if request and carried.is_ampdu and not rts:
        found = _with_requests(stations, found, timing, _asking(mode, sifs + response, aifs), payload)
    return Cell(
        throughput=found.throughput,
        cycle=(aifs + has.cw_min * SLOT_NS / 2 + success) / 1000,
        ppdu=data / 1000,
        response=response / 1000,
        carried=carried,
        collision_probability=found.collision_probability if stations > 1 else 0.0,
    )


def _timing(success: int, collision: int, aifs: int) -> Timing:
    """Durations of the fixed point, in microseconds, from those of an exchange and a collision in nanoseconds."""
    return Timing(SLOT_NS / 1000, (success + aifs) / 1000, (collision + aifs) / 1000)


def _asking(mode: Mode, answer: int, aifs: int) -> Timing:
    """Those of a Block Ack request, whose answer takes so many nanoseconds, the SIFS before it included."""
    asked = mode.response_ns(ppdu.BLOCK_ACK_REQUEST)
    return _timing(asked + answer, asked, aifs)


def _with_requests(stations: int, found: Saturation, data: Timing, request: Timing, payload: float) -> Saturation:
    """The fixed point with the throughput where requests follow a missing Block Ack until one is answered.

    A collision of data leads to a request, which takes part in the contention as data does and ends it when it is
    answered. For each success of data there are 1 / (1 - p) attempts of data and p / (1 - p)^2 of requests: of all
    attempts, and of all successes, a share of p are requests. Collisions of nothing but requests are short.
    """
    p, tau = found.collision_probability, found.tau
    idle, alone = (1 - tau) ** stations, stations * tau * (1 - tau) ** (stations - 1)
    requests_only = (1 - tau + tau * p) ** stations - idle - p * alone
    successes = alone * ((1 - p) * data.success + p * request.success)
    collisions = (1 - idle - alone - requests_only) * data.collision + requests_only * request.collision
    return replace(found, throughput=alone * (1 - p) * payload / (idle * data.slot + successes + collisions))
