"""What the airtime ledger says of links, stations and flows: the records of an explanation."""

from __future__ import annotations

from dataclasses import dataclass

from hopscope.results.stats import Interval


@dataclass(frozen=True)
class Failed:
    """Attempts on a link that failed for one reason.

    Attributes:
        cause: ``hidden``, ``collision``, ``overlap``, ``channel`` or ``no-answer``.
        frame: frame that was lost, or not answered: ``rts``, ``cts``, ``data``, ``ack``, ``block-ack`` or
            ``block-ack-req``.
        by: node that disturbed it; None where none did.
        count: attempts, mean over the seeds.
        airtime_pct: share of the time of all attempts on the link, per cent.
    """

    cause: str
    frame: str
    by: int | None
    count: float
    airtime_pct: float


@dataclass(frozen=True)
class LostMpdus:
    """MPDUs of a link that did not come, for one reason.

    Attributes:
        cause: ``hidden``, ``collision``, ``overlap``, ``channel`` or ``no-answer``.
        by: node that disturbed them; None where none did.
        count: MPDUs, mean over the seeds.
        share_pct: share of the MPDUs sent over the link, per cent.
    """

    cause: str
    by: int | None
    count: float
    share_pct: float


@dataclass(frozen=True)
class Mpdus:
    """What became of the MPDUs of QoS stations on a link, means over the seeds: ``sent`` = ``came`` + ``lost``.

    Attributes:
        sent: repetitions included.
        came: received, whether or not the sender got to know.
        lost: why the others did not come, the most frequent first.
    """

    sent: float
    came: float
    lost: list[LostMpdus]


@dataclass(frozen=True)
class Ppdus:
    """Of what the data PPDUs of a QoS station to single stations consist; counts are means over the seeds.

    Attributes:
        ppdus, mpdus, packets: PPDUs, MPDUs in them, packets in these.
        preamble_pct: share of preambles and PHY headers in the time of these PPDUs, per cent.
        payload_pct: share of packets, from the network header on.
        overhead_pct: share of all the rest: MAC and LLC headers, FCS, delimiters, padding, what fills the last symbol.
    """

    ppdus: float
    mpdus: float
    packets: float
    preamble_pct: float
    payload_pct: float
    overhead_pct: float


@dataclass(frozen=True)
class LinkShares:
    """Where the time of a link goes.

    Attributes:
        source, target: transmitter and receiver.
        share: cause -> share of the measured time, per cent.
        attempts, delivered: attempts begun, and those that succeeded, mean over the seeds.
            Those of QoS stations are exchanges, which may carry many MPDUs and succeed when they are answered.
        failures: why the others failed, the most costly first.
        mpdus: what became of its MPDUs; None of a link between stations without QoS.
    """

    source: int
    target: int
    share: dict[str, Interval]
    attempts: float
    delivered: float
    failures: list[Failed]
    mpdus: Mpdus | None = None


@dataclass(frozen=True)
class Loss:
    """Packets of a flow lost at one place for one reason.

    Attributes:
        flow: number of the flow.
        kind: ``data`` or ``ack``.
        hop: hop not got across, from 1 at the packet's sender.
        node: node that had it last.
        reason: as in the results, such as ``retry-limit``; ``taken-for-duplicate``: the next node acknowledged it and
            kept nothing.
        cause, by: why the MAC's last attempt failed, and which node disturbed it; None for other reasons.
        count: packets, mean over the seeds.
    """

    flow: int
    kind: str
    hop: int
    node: int
    reason: str
    cause: str | None
    by: int | None
    count: float


@dataclass(frozen=True)
class Balance:
    """What became of the packets of a flow, means over the seeds: ``sent`` = ``delivered`` + ``lost`` + ``under_way``.

    Attributes:
        sent: handed down by the transport in the measured time, or under way when it began.
        delivered: came to their destination.
        lost: no copy is left, and none has arrived.
        under_way: held, queued or on the air at the end.
        again: came once more, another way, and count nowhere else.
    """

    sent: float
    delivered: float
    lost: float
    under_way: float
    again: float
