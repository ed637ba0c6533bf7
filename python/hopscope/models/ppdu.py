"""Durations of HT-mixed, VHT and HE SU PPDUs, and the A-MPDUs that they carry; no code is shared with the engine.

Sources: IEEE 802.11-2020 17.4.3 (control frames), 19.3.6, 19.3.9 and 19.4.3 (HT), 21.3.6, 21.3.8 and 21.4.3 (VHT),
9.7.1 and 10.12 (A-MPDU), 9.3.2.2 (A-MSDU); IEEE 802.11ax-2021 27.3.9, 27.3.10 and 27.4.3 (HE).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hopscope.models.airtime import ofdm_airtime_ns
from hopscope.models.arguments import at_least

#: Longest PPDU of HT-mixed, VHT and HE (aPPDUMaxTime), nanoseconds.
LONGEST_NS = 5_484_000

#: Bits of a symbol of one subcarrier, and the code rate, by MCS.
MCS = (
    (1, Fraction(1, 2)),
    (2, Fraction(1, 2)),
    (2, Fraction(3, 4)),
    (4, Fraction(1, 2)),
    (4, Fraction(3, 4)),
    (6, Fraction(2, 3)),
    (6, Fraction(3, 4)),
    (6, Fraction(5, 6)),
    (8, Fraction(3, 4)),
    (8, Fraction(5, 6)),
    (10, Fraction(3, 4)),
    (10, Fraction(5, 6)),
)

#: The rate of non-HT frames with the modulation and coding of an MCS, Mbit/s (table 10-10); from MCS 6 on 54.
REFERENCE_RATES = (6, 12, 18, 24, 36, 48)

#: Mandatory rates of OFDM, Mbit/s, at which stations answer.
BASIC_RATES = (6, 12, 24)

#: Bytes of header and FCS of a QoS data frame, and of LLC/SNAP before each packet.
QOS_HEADER, FCS, LLC = 26, 4, 8

#: Bytes of the delimiter before each MPDU of an A-MPDU, and of the header of each subframe of an A-MSDU.
DELIMITER, SUBFRAME = 4, 14

#: Longest MPDU of HT within an A-MPDU, bytes.
HT_MPDU = 4_095

#: Bytes of an ACK, an RTS, a CTS, of a Block Ack for 64 and for 256 frames, and of a Block Ack request.
ACK, RTS, CTS, BLOCK_ACK, LONG_BLOCK_ACK, BLOCK_ACK_REQUEST = 14, 20, 14, 32, 56, 24


@dataclass(frozen=True)
class Standard:
    """What the PPDUs of a standard have in common.

    Attributes:
        name: ``ht`` (802.11n), ``vht`` (802.11ac) or ``he`` (802.11ax).
        carriers: data subcarriers by the width in MHz.
        mcs: number of modulation and coding schemes.
        guards: guard intervals in nanoseconds, the usual one first.
        window: most MPDUs of a Block Ack agreement.
        longest: largest A-MPDU in bytes.
        amsdu: largest A-MSDU in bytes.
    """

    name: str
    carriers: dict[int, int]
    mcs: int
    guards: tuple[int, ...]
    window: int
    longest: int
    amsdu: int


STANDARDS = {
    "ht": Standard("ht", {20: 52, 40: 108}, 8, (800, 400), 64, 65_535, 7_935),
    "vht": Standard("vht", {20: 52, 40: 108, 80: 234, 160: 468}, 10, (800, 400), 64, 1_048_575, 11_424),
    "he": Standard("he", {20: 234, 40: 468, 80: 980, 160: 1960}, 12, (800, 1600, 3200), 256, 6_500_631, 11_424),
}


@dataclass(frozen=True)
class Band:
    """What a band changes (IEEE 802.11-2020 10.3.8).

    Attributes:
        sifs_ns: SIFS, nanoseconds.
        extension_ns: without signal at the end of each OFDM frame, nanoseconds.
    """

    sifs_ns: int
    extension_ns: int


#: By GHz.
BANDS = {"5": Band(16_000, 0), "2.4": Band(10_000, 6_000)}

#: Combinations that VHT leaves out: width in MHz, MCS -> numbers of streams (clause 21.5).
FORBIDDEN = {(20, 9): (1, 2, 4), (80, 6): (3,), (160, 9): (3,)}

#: Width in MHz, MCS and streams of VHT with another number of encoders than the rate says, among up to four streams:
#: five do not share the bits of such a symbol evenly (table 21-61).
ENCODERS = {(160, 7, 4): 6}

#: Rate in Mbit/s up to which one convolutional encoder is enough, by the guard interval (tables of 19.5 and 21.5).
ENCODER_RATES = {"ht": {800: 320, 400: 350}, "vht": {800: 540, 400: 600}}


@dataclass(frozen=True)
class Mode:
    """How the data of a PPDU are sent.

    Attributes:
        standard: ``ht``, ``vht`` or ``he``.
        width: of the channel, MHz.
        mcs: 0 to 7 (HT), 9 (VHT) or 11 (HE); HT's own index is 8 (streams - 1) more.
        streams: spatial streams, 1 to 4.
        guard: guard interval, nanoseconds.
        band: ``5`` or ``2.4``, GHz.
    """

    standard: str
    width: int = 20
    mcs: int = 0
    streams: int = 1
    guard: int = 800
    band: str = "5"

    def __post_init__(self) -> None:
        if self.standard not in STANDARDS:
            raise ValueError(f'standard is "{self.standard}"; it must be one of {", ".join(STANDARDS)}')
        has = STANDARDS[self.standard]
        for name, value, allowed in (
            ("width", self.width, tuple(has.carriers)),
            ("mcs", self.mcs, tuple(range(has.mcs))),
            ("streams", self.streams, (1, 2, 3, 4)),
            ("guard", self.guard, has.guards),
            ("band", self.band, tuple(BANDS)),
        ):
            if value not in allowed:
                words = ", ".join(map(str, allowed))
                raise ValueError(f"{name} is {value}; {self.standard} has {words}")
        if self.standard == "vht" and self.streams in FORBIDDEN.get((self.width, self.mcs), ()):
            raise ValueError(f"mcs is {self.mcs}; vht has none such at {self.width} MHz with {self.streams} streams")

    @property
    def bits(self) -> int:
        """Data bits of an OFDM symbol (N_DBPS)."""
        bits, code = MCS[self.mcs]
        return int(STANDARDS[self.standard].carriers[self.width] * bits * code * self.streams)

    @property
    def symbol_ns(self) -> int:
        """An OFDM symbol with its guard interval, nanoseconds."""
        return (12_800 if self.standard == "he" else 3_200) + self.guard

    @property
    def rate(self) -> float:
        """Data rate, Mbit/s."""
        return 1000 * self.bits / self.symbol_ns

    @property
    def preamble_ns(self) -> int:
        """All before the data, nanoseconds: the legacy preamble and what the standard adds, by the streams."""
        fields = (1, 2, 4, 4)[self.streams - 1]
        if self.standard == "he":
            # RL-SIG, HE-SIG-A, HE-STF; HE-LTF of twice the shortest length, but of four times with the longest guard.
            field = (12_800 if self.guard == 3200 else 6_400) + self.guard
            return 20_000 + 4_000 + 8_000 + 4_000 + field * fields
        sig_b = 4_000 if self.standard == "vht" else 0
        return 20_000 + 8_000 + 4_000 + 4_000 * fields + sig_b

    def duration_ns(self, psdu: int) -> int:
        """A PPDU of so many bytes, nanoseconds."""
        # HE is sent with LDPC, which has no tail bits.
        known = ENCODER_RATES.get(self.standard)
        tail = 0 if known is None else 6 * self._encoders(known[self.guard])
        symbols = -(-(16 + 8 * psdu + tail) // self.bits)
        data = symbols * self.symbol_ns
        if self.guard == 400:
            data = -(-data // 4_000) * 4_000  # the end lies on the grid of long symbols (19.4.3, 21.4.3)
        return self.preamble_ns + data + BANDS[self.band].extension_ns

    def _encoders(self, rate: int) -> int:
        """Convolutional encoders (N_ES) where one is enough for ``rate`` Mbit/s."""
        named = ENCODERS.get((self.width, self.mcs, self.streams)) if self.standard == "vht" else None
        return named or -(-int(1000 * self.rate) // (1000 * rate))

    @property
    def response_rate(self) -> int:
        """Rate of the ACK or Block Ack, Mbit/s: the highest mandatory one not above the reference rate (10.6.6.5)."""
        reference = REFERENCE_RATES[self.mcs] if self.mcs < len(REFERENCE_RATES) else 54
        return max(rate for rate in BASIC_RATES if rate <= reference)

    def response_ns(self, size: int) -> int:
        """A control frame of so many bytes at that rate, nanoseconds."""
        return ofdm_airtime_ns(size, self.response_rate * 1_000_000) + BANDS[self.band].extension_ns


@dataclass(frozen=True)
class Aggregate:
    """What one PPDU carries.

    Attributes:
        packets: IP packets.
        mpdus: frames of the MAC.
        psdu: bytes, with delimiters and padding.
        is_ampdu: whether a Block Ack answers it; else an ACK.
    """

    packets: int
    mpdus: int
    psdu: int
    is_ampdu: bool


def mpdu_bytes(packet: int, msdus: int = 1) -> int:
    """Bytes of a QoS data frame with one packet, or with an A-MSDU of several."""
    if msdus == 1:
        return QOS_HEADER + LLC + packet + FCS
    return QOS_HEADER + amsdu_bytes(packet, msdus) + FCS


def amsdu_bytes(packet: int, msdus: int) -> int:
    """Bytes of an A-MSDU: subframes, all but the last padded to four bytes."""
    subframe = SUBFRAME + LLC + packet
    return (msdus - 1) * (subframe + -subframe % 4) + subframe


def aggregate(
    packet: int, mode: Mode, *, ampdu: int, amsdu: int = 0, window: int = 64, longest_ns: int = LONGEST_NS
) -> Aggregate:
    """Returns the most that a sender with enough packets of one size puts into one PPDU.

    Args:
        packet: IP packet in bytes, at least 1.
        mode: of the PPDU.
        ampdu: largest A-MPDU in bytes; 0: none.
        amsdu: largest A-MSDU in bytes; 0: none.
        window: MPDUs of the Block Ack agreement.
        longest_ns: longest PPDU, nanoseconds.

    Raises:
        ValueError: outside these ranges, beyond what the standard has, or a packet that fits no PPDU.
    """
    has = STANDARDS[mode.standard]
    at_least("packet", packet, 1)
    # An MPDU of HT within an A-MPDU has 4095 bytes at most.
    most = HT_MPDU - QOS_HEADER - FCS if mode.standard == "ht" and ampdu else has.amsdu
    for name, value, low, high in (
        ("ampdu", ampdu, 0, has.longest),
        ("amsdu", amsdu, 0, has.amsdu),
        ("window", window, 1, has.window),
    ):
        if not low <= value <= high:
            raise ValueError(f"{name} is {value}; {mode.standard} has {low} to {high}")
    msdus = 1
    while amsdu_bytes(packet, msdus + 1) <= min(amsdu, most):
        msdus += 1
    mpdu = mpdu_bytes(packet, msdus)
    # Every frame of VHT and HE is an A-MPDU, even a single one, which an ordinary ACK answers.
    single = mpdu + (0 if mode.standard == "ht" else DELIMITER)
    if mode.duration_ns(single) > longest_ns:
        raise ValueError(f"packet is {packet}; it fits no PPDU of {longest_ns / 1e6:g} ms")
    step = DELIMITER + mpdu + -mpdu % 4
    count = 1
    while (
        count < window and (size := count * step + DELIMITER + mpdu) <= ampdu and mode.duration_ns(size) <= longest_ns
    ):
        count += 1
    if count == 1:
        return Aggregate(msdus, 1, single, is_ampdu=False)
    return Aggregate(count * msdus, count, (count - 1) * step + DELIMITER + mpdu, is_ampdu=True)
