"""Throughput limits of DCF: one hop without contention, a chain, and a chain that carries one packet at a time.

Sources: IEEE 802.11-2020, clauses 10.3 (DCF), 15 to 17 (PHYs); Li, Blake, De Couto, Lee and Morris, "Capacity of Ad
Hoc Wireless Networks", ACM MobiCom 2001 (an ideal chain carries 1/4 of one hop, 802.11 about 1/7); fu2003.
"""

from __future__ import annotations

from dataclasses import dataclass

from hopscope.models.airtime import dsss_airtime_ns, ofdm_airtime_ns
from hopscope.models.arguments import at_least
from hopscope.models.window import REUSE_HOPS

#: MAC header and frame check sequence, and LLC/SNAP, in bytes: what a frame adds to an IP packet.
MAC_OVERHEAD, LLC_OVERHEAD = 28, 8

#: IP and transport headers in bytes.
TCP_HEADERS, UDP_HEADERS = 40, 28

RTS_BYTES, CTS_BYTES, ACK_BYTES = 20, 14, 14


@dataclass(frozen=True)
class Phy:
    """Timing of a PHY in microseconds (IEEE 802.11-2020, tables of clauses 15 to 17).

    Attributes:
        name: ``dsss`` (with HR/DSSS rates, long preamble) or ``ofdm`` (20 MHz).
        slot: slot time.
        sifs: short interframe space.
        cw_min: smallest contention window.
    """

    name: str
    slot: float
    sifs: float
    cw_min: int

    @property
    def difs(self) -> float:
        """SIFS and two slots."""
        return self.sifs + 2 * self.slot

    def airtime(self, size: int, rate: int) -> float:
        """Microseconds of a frame of ``size`` bytes at ``rate`` bit/s."""
        function = ofdm_airtime_ns if self.name == "ofdm" else dsss_airtime_ns
        return function(size, rate) / 1000


PHYS = {"dsss": Phy("dsss", 20, 10, 31), "ofdm": Phy("ofdm", 9, 16, 15)}

#: Data rates of each PHY in bit/s.
RATES = {
    "dsss": (1_000_000, 2_000_000, 5_500_000, 11_000_000),
    "ofdm": (6_000_000, 9_000_000, 12_000_000, 18_000_000, 24_000_000, 36_000_000, 48_000_000, 54_000_000),
}


@dataclass(frozen=True)
class Exchange:
    """Durations of one undisturbed exchange in microseconds.

    Attributes:
        difs: DIFS before it.
        backoff: mean back-off, CWmin / 2 slots.
        handshake: RTS, CTS and two SIFS; 0 for basic access.
        data: the data frame.
        ack: SIFS and ACK.
        first: the first frame alone, RTS or data: what a collision takes.
    """

    difs: float
    backoff: float
    handshake: float
    data: float
    ack: float
    first: float

    @property
    def total(self) -> float:
        """Mean time from one data frame to the next of a sender that always has one."""
        return self.difs + self.backoff + self.success

    @property
    def success(self) -> float:
        """Time from the first frame to the end of the ACK."""
        return self.handshake + self.data + self.ack


def exchange(
    packet: int,
    rate: int,
    *,
    control_rate: int = 1_000_000,
    rts: bool = False,
    phy: str = "dsss",
    overhead: int = MAC_OVERHEAD + LLC_OVERHEAD,
    cw_min: int | None = None,
) -> Exchange:
    """Returns the durations of sending one IP packet over one hop without contention.

    Args:
        packet: IP packet in bytes, at least 1.
        rate: data rate in bit/s, one of the PHY's.
        control_rate: rate of RTS, CTS and ACK in bit/s, one of the PHY's and at most ``rate``.
        rts: with RTS/CTS.
        phy: ``dsss`` or ``ofdm``.
        overhead: bytes that MAC and LLC add.
        cw_min: smallest contention window; ``None``: the PHY's.

    Raises:
        ValueError: outside these ranges, or a rate that the PHY does not have.
    """
    if phy not in PHYS:
        raise ValueError(f'phy is "{phy}"; it must be "dsss" or "ofdm"')
    at_least("packet", packet, 1)
    at_least("overhead", overhead, 0)
    for name, value in (("rate", rate), ("control_rate", control_rate)):
        if value not in RATES[phy]:
            known = ", ".join(f"{r / 1e6:g}" for r in RATES[phy])
            raise ValueError(f"{name} is {value / 1e6:g} Mbit/s; {phy} has {known}")
    if control_rate > rate:
        raise ValueError(f"control_rate is {control_rate / 1e6:g} Mbit/s; it must be at most rate, {rate / 1e6:g}")
    layer = PHYS[phy]
    window = layer.cw_min if cw_min is None else at_least("cw_min", cw_min, 0)
    control = {size: layer.airtime(size, control_rate) for size in (RTS_BYTES, CTS_BYTES, ACK_BYTES)}
    data = layer.airtime(packet + overhead, rate)
    return Exchange(
        difs=layer.difs,
        backoff=window / 2 * layer.slot,
        handshake=control[RTS_BYTES] + control[CTS_BYTES] + 2 * layer.sifs if rts else 0.0,
        data=data,
        ack=layer.sifs + control[ACK_BYTES],
        first=control[RTS_BYTES] if rts else data,
    )


def printed_limit(counted: int, packet: int, acknowledgement: int = 0) -> float:
    """Returns the throughput limit of one link in bit/s as zhang2006 6.1 reckons it: with its own sizes, no preambles.

    DIFS 50 us, three SIFS, a mean back-off of 310 us, RTS and CTS of 40 bytes and an ACK of 38 at 2 Mbit/s, data with a
    MAC header of 44 bytes at 11 Mbit/s; a transport's acknowledgement is an exchange of its own.

    Args:
        counted: bytes of a packet that count, at least 1.
        packet: bytes of its IP packet, at least 1.
        acknowledgement: bytes of the acknowledgement's IP packet; 0: none.

    Raises:
        ValueError: outside these ranges.
    """
    at_least("counted", counted, 1)
    at_least("packet", packet, 1)
    at_least("acknowledgement", acknowledgement, 0)
    sizes = [packet] if acknowledgement == 0 else [packet, acknowledgement]
    microseconds = sum(50 + 3 * 10 + 310 + (2 * 40 + 38) * 8 / 2 + (size + 44) * 8 / 11 for size in sizes)
    return 8e6 * counted / microseconds


def chain_share(hops: int, reuse: int = REUSE_HOPS) -> float:
    """Returns the share of one hop's throughput that an ideally scheduled chain carries: 1 / min(h, reuse).

    Args:
        hops: length of the chain, at least 1.
        reuse: hops between nodes that can send at the same time: 4, or 3 when interference reaches no farther than
            reception.

    Raises:
        ValueError: outside these ranges.
    """
    return 1 / min(at_least("hops", hops, 1), at_least("reuse", reuse, 1))


def stop_and_wait(hops: int, payload: int, forward: Exchange, back: Exchange) -> float:
    """Returns the throughput in bit/s of a TCP flow with a window of one packet over a chain, every packet ACKed.

    Only one frame exchange is under way at any time, so nothing contends or collides: a round is h exchanges of the
    data packet and h of its acknowledgement.  Derived from the clauses of :class:`Exchange`.

    Args:
        hops: length of the chain, at least 1.
        payload: TCP payload of a packet in bytes, at least 1.
        forward: exchange of the data packet, TCP/IP headers included.
        back: exchange of the acknowledgement.

    Raises:
        ValueError: outside these ranges.
    """
    at_least("payload", payload, 1)
    return 8e6 * payload / (at_least("hops", hops, 1) * (forward.total + back.total))
