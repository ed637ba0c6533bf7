"""Estimators that only listen to the ACKs of a TCP connection: those of Westwood+, Westwood, TIBET and TCP-AP.

The engine's congestion controls of these names have the same rules (``crates/hopscope-tcp/src/control``).
Here the first three watch a NewReno connection and change nothing; TCP-AP paces its own. Rates are bit/s of segments
with headers, times seconds.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hopscope._core import FlowState
from hopscope.usercode.congestion import CongestionControl

#: Headers of IPv4 and TCP, bytes.
HEADERS = 40
#: Westwood+: shortest sample in seconds, and weight of the old value in both of its filters (ns-2's Linux agent).
WESTWOOD_INTERVAL, WESTWOOD_FILTER = 0.05, 7 / 8
#: Westwood with a sample for each ACK: seconds that the filter takes (Mascolo et al. 2001).
WESTWOOD_CONSTANT = 0.5
#: TIBET: weight of the old averages (zhang2006: the recommended compromise).
TIBET_ALPHA = 0.99
#: TCP-AP (authors' agent): bytes on the air besides the payload, hops to out of interference, longest delay believed,
#: weights of old values in the average of the delay over these hops and of the wait at each, samples of the variation.
AP_OVERHEAD, AP_REACH, AP_LONGEST, AP_ALPHA, AP_HOP_WEIGHT, AP_HISTORY = 112, 4, 0.5, 0.7, 0.5, 50


@dataclass(frozen=True)
class Ack:
    """An ACK of new data as the sender sees it.

    Attributes:
        at: when it came.
        bytes: what it acknowledges anew, with headers.
        rtt: round-trip time; None where it gives none.
        hops: hops that it has travelled.
    """

    at: float
    bytes: int
    rtt: float | None
    hops: int


class Listener(CongestionControl):
    """TCP NewReno by RFC 5681 that notes its ACKs."""

    name = "listener"
    #: What each connection of this process heard, the newest last.
    _heard: ClassVar[list[list[Ack]]] = []

    def __init__(self) -> None:
        self._acks: list[Ack] = []
        self._delivered = 0.0
        Listener._heard.append(self._acks)

    def on_ack(self, flow: FlowState) -> float | tuple[float | None, float | None] | None:
        """Notes the ACK and lets the window grow as it would."""
        new = round(flow.delivered - self._delivered)
        self._delivered = flow.delivered
        self._acks.append(Ack(flow.now_s, new * (flow.packet + HEADERS), flow.rtt_s, flow.hops))
        return super().on_ack(flow)

    @classmethod
    def take(cls) -> list[Ack]:
        """Returns what the last connection heard and forgets all."""
        last = cls._heard[-1] if cls._heard else []
        cls._heard.clear()
        return last


def westwood(acks: Iterable[Ack]) -> Iterator[float]:
    """The estimate of Westwood+ after each of its samples: bytes acknowledged over a round trip, filtered twice."""
    since: float | None = None
    gathered, rtt = 0, 0.0
    first = estimate = 0.0
    for ack in acks:
        rtt = rtt if ack.rtt is None else ack.rtt
        since = ack.at if since is None else since
        gathered += ack.bytes
        elapsed = ack.at - since
        if elapsed > max(rtt, WESTWOOD_INTERVAL):
            sample = 8 * gathered / elapsed
            if estimate == 0.0:
                first = estimate = sample
            else:
                first = WESTWOOD_FILTER * first + (1 - WESTWOOD_FILTER) * sample
                estimate = WESTWOOD_FILTER * estimate + (1 - WESTWOOD_FILTER) * first
            since, gathered = ack.at, 0
            yield estimate


def westwood_by_acks(acks: Iterable[Ack]) -> Iterator[float]:
    """The estimate of Westwood after each ACK: what it acknowledges over the time since the one before, filtered.

    Half of the filter's time constant without an ACK is a sample of nothing.
    """
    since: float | None = None
    gathered = 0
    last = estimate = 0.0

    def filtered(sample: float, gap: float) -> float:
        weight = (2 * WESTWOOD_CONSTANT - gap) / (2 * WESTWOOD_CONSTANT + gap)
        return weight * estimate + (1 - weight) * (sample + last) / 2

    for ack in acks:
        since = ack.at if since is None else since
        gathered += ack.bytes
        if ack.at <= since:
            continue
        while ack.at - since > WESTWOOD_CONSTANT / 2:
            estimate, last = filtered(0.0, WESTWOOD_CONSTANT / 2), 0.0
            since += WESTWOOD_CONSTANT / 2
        sample = 8 * gathered / (ack.at - since)
        estimate, last = filtered(sample, ack.at - since), sample
        since, gathered = ack.at, 0
        yield estimate


def tibet(acks: Iterable[Ack]) -> Iterator[float]:
    """The estimate of TIBET after each ACK: mean length acknowledged over mean time between ACKs, both averaged."""
    length = gap = 0.0
    last: float | None = None
    for ack in acks:
        if last is not None:
            bits, passed = 8.0 * ack.bytes, ack.at - last
            if gap == 0.0:
                length, gap = bits, passed
            else:
                length = TIBET_ALPHA * length + (1 - TIBET_ALPHA) * bits
                gap = TIBET_ALPHA * gap + (1 - TIBET_ALPHA) * passed
            if gap > 0:
                yield length / gap
        last = ack.at


class AdaptivePacing:
    """TCP-AP: a segment for each delay to where it no longer disturbs the sender, and for what that delay varies.

    Args:
        size: bytes of a segment with headers.
        link_rate: rate of data frames, bit/s.
    """

    def __init__(self, size: int, link_rate: float) -> None:
        self.size = size
        self.data = 8 * (size - HEADERS + AP_OVERHEAD) / link_rate
        self.exchange = self.data + 8 * AP_OVERHEAD / link_rate
        self.waiting = self.delay = 0.0
        self.samples: list[float] = []

    def on_ack(self, ack: Ack) -> float | None:
        """Returns the rate after a round trip, bit/s; None while there is none."""
        if ack.rtt is None:
            return None
        wait = 0.5 * (ack.rtt / max(ack.hops, 1) - self.exchange)
        wait = self.waiting if wait > AP_LONGEST else wait
        self.waiting = AP_HOP_WEIGHT * self.waiting + (1 - AP_HOP_WEIGHT) * wait
        sample = (AP_REACH if ack.hops >= AP_REACH else 1) * (wait + self.data)
        if not 0 < sample < AP_LONGEST:
            return None
        self.delay = AP_ALPHA * self.delay + (1 - AP_ALPHA) * sample if self.delay else sample
        self.samples = [*self.samples[1 - AP_HISTORY :], sample]
        mean = statistics.fmean(self.samples)
        variation = statistics.fmean(abs(one - mean) for one in self.samples) / mean
        return 8 * self.size / ((1 + 2 * variation) * self.delay)


def tcp_ap(acks: Iterable[Ack], size: int, link_rate: float) -> Iterator[float]:
    """The rate of TCP-AP after each round trip."""
    pacing = AdaptivePacing(size, link_rate)
    yield from (rate for ack in acks if (rate := pacing.on_ack(ack)) is not None)


class Paced(Listener):
    """TCP-AP, as far as it matters here: NewReno whose segments leave at the rate that it estimates.

    Attributes:
        link_rate: rate of data frames, bit/s.
    """

    name = "paced-listener"
    link_rate = 2e6

    def __init__(self) -> None:
        super().__init__()
        self._pacing: AdaptivePacing | None = None

    def on_ack(self, flow: FlowState) -> float | tuple[float | None, float | None] | None:
        """Sets the pace, which comes on top of the window."""
        grown = super().on_ack(flow)
        self._pacing = self._pacing or AdaptivePacing(flow.packet + HEADERS, self.link_rate)
        rate = self._pacing.on_ack(self._acks[-1])
        window = grown[0] if isinstance(grown, tuple) else grown
        return window, None if rate is None else max(0.001, rate / (8 * (flow.packet + HEADERS)))


def over_time(estimates: Sequence[float]) -> tuple[float, float, float] | None:
    """Median and quartiles of an estimate over time, without its first half; None with fewer than four."""
    settled = estimates[len(estimates) // 2 :]
    if len(settled) < 2:
        return None
    low, middle, high = statistics.quantiles(settled, n=4)
    return middle, low, high
