"""Response functions: the mean window that a congestion control has at a loss probability, and its throughput.

Two forms of the same rules.  The ``closed`` one is what the source publishes: it takes every 1/p-th packet as lost, a
window of any real size, and a loss that is known and repaired at once.  The other follows the rules in time: windows of
whole segments, a round trip until a loss is known and one more until it is repaired, in which the window stands still,
and losses that are periodic or each packet's own.  Neither knows time-outs, queues or a limit of the receiver.

Sources: Mathis et al., ACM CCR 27(3), 1997 (``reno``); RFC 9438, sections 4 and 5.1 (``cubic``); Leith and Shorten,
PFLDnet 2004, and draft-leith-tcp-htcp-06 (``htcp``); Fu and Liew, IEEE JSAC 21(2), 2003 (``veno``); Liu, Basar and
Srikant, Performance Evaluation 65, 2008 (``illinois``); Kelly, ACM CCR 33(2), 2003 (``scalable``); RFC 3649, section 5
(``highspeed``); Grieco and Mascolo, ACM CCR 34(2), 2004 (``westwood_plus``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from hopscope.models.arguments import above, at_least, within

#: Controls with a response function, in the order of their publication.
CONTROLS = ("reno", "veno", "scalable", "highspeed", "htcp", "cubic", "illinois")
#: The source's formula, or its rules followed in time.
FORMS = ("closed", "followed")
#: How losses come.
LOSSES = ("periodic", "independent")
#: Rarer losses take too long to be followed in time.
LEAST_LOSS = 1e-5

# CUBIC (RFC 9438 4.6 and 5); H-TCP's low-speed period in seconds and its largest share; Scalable's growth, cut and
# window up to which it is Reno; the two points of HighSpeed TCP; the window of Illinois below which it is Reno.
_C, _BETA = 0.4, 0.7
_LOW_SPEED, _MOST = 1.0, 0.8
_GROWTH, _CUT, _LEGACY = 0.01, 0.125, 16.0
_LOW_WINDOW, _HIGH_WINDOW, _LOW_LOSS, _HIGH_LOSS, _HIGH_CUT = 38.0, 83_000.0, 1e-3, 1e-7, 0.1
_BASE_WINDOW = 15.0

# Steps in a round trip, connections followed side by side, losses of each that are left out at first and that count.
_STEPS, _SIDE_BY_SIDE, _FIRST, _COUNTED = 8, 1024, 14, 8

Floats = npt.NDArray[np.float64]


def mean_window(
    control: str,
    loss: float,
    rtt: float,
    *,
    form: str = "closed",
    losses: str = "periodic",
    acked_per_ack: int = 1,
) -> float:
    """Returns the mean window over time, in segments.

    Args:
        control: one of ``CONTROLS``.
        loss: p, above 0 and at most 0.1; at least ``LEAST_LOSS`` where losses are independent.
        rtt: round-trip time in seconds, above 0; only ``cubic`` and ``htcp`` depend on it.
        form: ``closed`` (as the source publishes it, for periodic losses) or ``followed`` (the rules in time; the draws
            are fixed, and the standard error is below 1 %).
        losses: of the rules in time: ``periodic`` (every 1/p-th packet) or ``independent`` (each packet for itself).
        acked_per_ack: b, segments that an ACK covers; 1 but for ``reno``.

    Raises:
        ValueError: outside these ranges, or another word.
    """
    if control not in CONTROLS:
        raise ValueError(f'control is "{control}"; it must be one of {", ".join(CONTROLS)}')
    if losses not in LOSSES:
        raise ValueError(f'losses is "{losses}"; it must be one of {", ".join(LOSSES)}')
    within("loss", loss, 0, 0.1, open_low=True)
    above("rtt", rtt, 0)
    b = at_least("acked_per_ack", acked_per_ack, 1)
    if b != 1 and control != "reno":
        raise ValueError(f"acked_per_ack is {b}; with {control} it must be 1")
    if form not in FORMS:
        raise ValueError(f'form is "{form}"; it must be one of {", ".join(FORMS)}')
    if form == "closed":
        if losses != "periodic":
            raise ValueError(f'losses is "{losses}"; the closed forms are for periodic ones')
        return _closed(control, loss, rtt, b)
    if loss < LEAST_LOSS:
        raise ValueError(f"loss is {loss:g}; followed in time it must be at least {LEAST_LOSS:g}")
    return _in_time(control, loss, rtt, b, losses)


def westwood_plus(mss: int, rtt: float, queueing: float, loss: float) -> float:
    """Returns the throughput of Westwood+, bit/s: MSS / sqrt(RTT T_q) * sqrt((1 - p) / p) (Grieco and Mascolo 2004).

    Args:
        mss: payload of a segment in bytes, at least 1.
        rtt: mean round-trip time in seconds, above 0.
        queueing: T_q, the part of it spent in queues, in seconds, above 0 and at most ``rtt``.
        loss: p, above 0 and at most 1.

    Raises:
        ValueError: outside these ranges.
    """
    at_least("mss", mss, 1)
    above("rtt", rtt, 0)
    within("loss", loss, 0, 1, open_low=True)
    within("queueing", queueing, 0, rtt, open_low=True)
    return 8.0 * mss / math.sqrt(rtt * queueing) * math.sqrt((1 - loss) / loss)


# --- Periodic losses: closed forms ------------------------------------------------------------------------------------


def _closed(control: str, p: float, rtt: float, b: int) -> float:
    reno = math.sqrt(3 / (2 * b * p))
    if control == "veno":
        return _aimd(1, 0.2, p)  # a loss without a backlog leaves 4/5
    if control == "scalable":
        # a / (b p) of the source; at the windows where it is Reno, Reno's.
        return max(reno, _GROWTH / _CUT / p)
    if control == "highspeed":
        return 0.12 / math.pow(p, 0.835) if p < _LOW_LOSS else reno  # RFC 3649 5 and 2
    if control == "cubic":
        return max(reno, math.pow(_C * (3 + _BETA) / (4 * (1 - _BETA)), 0.25) * math.pow(rtt / p, 0.75))
    if control == "illinois":
        fast = _aimd(10, 0.125, p)  # its largest growth and smallest cut: no queue
        return fast if fast >= _BASE_WINDOW else reno
    return _htcp(p, rtt) if control == "htcp" else reno


def _aimd(growth: float, cut: float, p: float) -> float:
    """Mean window of growth by so many segments a round trip and a cut by this share."""
    return math.sqrt(growth * (2 - cut) / (2 * cut * p))


def _htcp(p: float, rtt: float) -> float:
    """The cycle of H-TCP in which 1/p packets are sent and the window comes back to where it was; no queue."""

    def cycle(time: float) -> tuple[float, float]:
        """Growth over such a time, and its integral, of a window that starts at zero."""
        step = time / 2_000 / rtt
        middles: Any = (np.arange(2_000) + 0.5) * (step * rtt)
        alpha = np.maximum(1.0, 2 * (1 - _MOST) * _alpha(middles))
        grown = np.cumsum(alpha) * step
        return float(grown[-1]), float((grown - alpha * step / 2).sum() * step)

    low, high = 0.0, 1e4
    for _ in range(60):
        time = (low + high) / 2
        grown, sent = cycle(time)
        least = _MOST * grown / (1 - _MOST)
        if least * time / rtt + sent < 1 / p:
            low = time
        else:
            high = time
    return rtt / (p * high)


def _alpha(time: Floats) -> Floats:
    """H-TCP's growth so long after a loss, in segments a round trip."""
    late = np.maximum(time - _LOW_SPEED, 0)
    return 1 + 10 * late + late * late / 4


# --- Independent losses: the rules in time ----------------------------------------------------------------------------


class _Rules:
    """A control for windows side by side: growth a round trip at this window, and what a loss leaves of it."""

    def __init__(self, rtt: float, b: int) -> None:
        self.rtt = rtt
        self.b = b
        self.size = _SIDE_BY_SIDE

    def grow(self, window: Floats, since: Floats) -> Floats:
        """Windows a step later; ``since``: round trips since growth began."""
        del since
        return window + np.floor(window) / window / self.b / _STEPS

    def cut(self, window: Floats, where: npt.NDArray[np.bool_]) -> Floats:
        """What is left of the windows; ``where``: those that lose. A share of what is in flight (RFC 5681 3.1)."""
        del where
        return np.floor(window) / 2


class _Aimd(_Rules):
    """Fixed growth and cut from a window on, Reno below."""

    growth, share, least = 1.0, 0.2, 0.0

    def grow(self, window: Floats, since: Floats) -> Floats:
        del since
        growth = np.where(window >= self.least, self.growth, 1.0)
        return window + growth * np.floor(window) / window / _STEPS

    def cut(self, window: Floats, where: npt.NDArray[np.bool_]) -> Floats:
        del where
        left: Floats = np.floor(window) * (1 - np.where(window >= self.least, self.share, 0.5))
        return left


class _Illinois(_Aimd):
    growth, share, least = 10.0, 0.125, _BASE_WINDOW


class _Scalable(_Rules):
    def grow(self, window: Floats, since: Floats) -> Floats:
        del since
        growth = np.where(window > _LEGACY, _GROWTH, 1 / window)
        return window + growth * np.floor(window) / _STEPS

    def cut(self, window: Floats, where: npt.NDArray[np.bool_]) -> Floats:
        del where
        left: Floats = np.floor(window) * (1 - np.where(window > _LEGACY, _CUT, 0.5))
        return left


class _HighSpeed(_Rules):
    def _share(self, window: Floats) -> Floats:
        """b(w) of RFC 3649 5."""
        log = np.log(np.maximum(window, _LOW_WINDOW) / _LOW_WINDOW) / math.log(_HIGH_WINDOW / _LOW_WINDOW)
        return 0.5 + (_HIGH_CUT - 0.5) * log

    def grow(self, window: Floats, since: Floats) -> Floats:
        del since
        share = self._share(window)
        # p(w), the line through both points on logarithmic scales, and a(w) that has it as its response.
        slope = math.log(_HIGH_LOSS / _LOW_LOSS) / math.log(_HIGH_WINDOW / _LOW_WINDOW)
        p = _LOW_LOSS * (window / _LOW_WINDOW) ** slope
        growth = np.where(window > _LOW_WINDOW, window**2 * p * 2 * share / (2 - share), 1.0)
        return window + growth * np.floor(window) / window / _STEPS

    def cut(self, window: Floats, where: npt.NDArray[np.bool_]) -> Floats:
        del where
        return np.floor(window) * (1 - self._share(window))


class _Htcp(_Rules):
    def __init__(self, rtt: float, b: int) -> None:
        super().__init__(rtt, b)
        self.share = np.full(self.size, 0.5)
        self.before = np.zeros(self.size)

    def grow(self, window: Floats, since: Floats) -> Floats:
        growth = np.maximum(2 * (1 - self.share) * _alpha(since * self.rtt), 1)
        return window + growth * np.floor(window) / window / _STEPS

    def cut(self, window: Floats, where: npt.NDArray[np.bool_]) -> Floats:
        # The throughput of an epoch is that of its last round trip; within a fifth of the one before it is steady.
        steady = np.abs(window / np.maximum(self.before, 1e-9) - 1) <= 0.2
        self.share = np.where(where, np.where(steady, _MOST, 0.5), self.share)
        self.before = np.where(where, window, self.before)
        left: Floats = np.floor(window) * self.share
        return left


class _Cubic(_Rules):
    def __init__(self, rtt: float, b: int) -> None:
        super().__init__(rtt, b)
        self.plateau = np.zeros(self.size)
        self.prior = np.zeros(self.size)
        self.k = np.zeros(self.size)
        self.reno = np.full(self.size, 2.0)

    def grow(self, window: Floats, since: Floats) -> Floats:
        time = since * self.rtt
        acked = np.floor(window) / window / _STEPS
        slow = 3 * (1 - _BETA) / (1 + _BETA)
        self.reno = self.reno + np.where(self.reno >= self.prior, 1.0, slow) * acked
        friendly = self._at(time) < self.reno
        target = np.clip(self._at(time + self.rtt), window, 1.5 * window)
        return np.where(friendly, np.maximum(window, self.reno), window + (target - window) * acked)

    def _at(self, time: Floats) -> Floats:
        """W_cubic(t) of RFC 9438 4.2."""
        late = time - self.k
        return _C * late * late * late + self.plateau

    def cut(self, window: Floats, where: npt.NDArray[np.bool_]) -> Floats:
        left = np.maximum(np.floor(window) * _BETA, 2)
        plateau = np.where(window < self.plateau, window * (1 + _BETA) / 2, window)
        self.k = np.where(where, np.cbrt(np.maximum(plateau - left, 0) / _C), self.k)
        self.plateau = np.where(where, np.maximum(plateau, left), self.plateau)
        self.prior = np.where(where, window, self.prior)
        self.reno = np.where(where, left, self.reno)
        return left


_RULES: dict[str, Callable[[float, int], _Rules]] = {
    "reno": _Rules,
    "veno": _Aimd,
    "scalable": _Scalable,
    "highspeed": _HighSpeed,
    "htcp": _Htcp,
    "cubic": _Cubic,
    "illinois": _Illinois,
}


@cache
def _in_time(control: str, p: float, rtt: float, b: int, losses: str) -> float:
    start = max(2.0, _closed(control, p, rtt, b))
    return _followed(_RULES[control](rtt, b), p, start, periodic=losses == "periodic")


def _followed(rules: _Rules, p: float, start: float, *, periodic: bool) -> float:
    """Mean of the whole segments in the window over time.

    A loss is known a round trip later; until then the window grows and other losses belong to the same recovery. The
    round trip after that repairs it: the window stands still, and what is lost of it is found in its turn.
    """
    draw = np.random.default_rng(1)
    window: Any = np.full(rules.size, start)
    since = np.zeros(rules.size)
    # Steps until the loss is known and until it is repaired; -1: none. Packets since the last loss.
    known = np.full(rules.size, -1)
    repaired = np.full(rules.size, -1)
    passed = draw.random(rules.size) / p
    time = sent = 0.0
    cuts_seen = 0
    while cuts_seen < (_FIRST + _COUNTED) * rules.size:
        whole = np.floor(window)
        if cuts_seen >= _FIRST * rules.size:
            time += rules.size / _STEPS
            sent += float(whole.sum()) / _STEPS
        if periodic:
            passed = passed + whole / _STEPS
            lost = passed >= 1 / p
            passed = np.where(lost, passed - 1 / p, passed)
        else:
            lost = draw.random(rules.size) < -np.expm1(whole / _STEPS * math.log1p(-p))
        grows = repaired < 0
        window = np.where(grows, rules.grow(window, since), window)
        since = since + np.where(grows, 1 / _STEPS, 0)
        known = np.where(lost & (known < 0), _STEPS, known) - (known > 0)
        repaired = repaired - (repaired >= 0)
        cuts = known == 0
        if cuts.any():
            window = np.where(cuts, np.maximum(rules.cut(window, cuts), 2), window)
            since = np.where(cuts, 0, since)
            repaired = np.where(cuts, _STEPS - 1, repaired)
            known = np.where(cuts, -1, known)
            cuts_seen += int(cuts.sum())
    return sent / time
