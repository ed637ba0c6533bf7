"""Congestion controls followed in time, many connections side by side; what they are of stands in `response`.

Windows are of whole segments, it takes a round trip until a loss is known and one more until it is repaired, in which
the window stands still, and losses are periodic or each packet's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from hopscope.models.growth import (
    CUBIC_BETA,
    CUBIC_C,
    HIGHSPEED_LOSS,
    ILLINOIS_WINDOW,
    SCALABLE_CUT,
    SCALABLE_GROWTH,
)

# H-TCP's low-speed period in seconds and its largest share; the window up to which Scalable is Reno; the two points of
# HighSpeed TCP.
_LOW_SPEED, _MOST = 1.0, 0.8
_LEGACY = 16.0
_LOW_WINDOW, _HIGH_WINDOW, _HIGH_LOSS, _HIGH_CUT = 38.0, 83_000.0, 1e-7, 0.1

# Steps in a round trip, connections followed side by side, losses of each that are left out at first and that count.
_STEPS, _SIDE_BY_SIDE, _FIRST, _COUNTED = 8, 1024, 14, 8

Floats = npt.NDArray[np.float64]


@cache
def mean_window(control: str, p: float, rtt: float, b: int, *, start: float, losses: str) -> float:
    """Returns the mean window of a control whose windows start so large; arguments as of `response.mean_window`."""
    return _mean(_RULES[control](rtt, b), p, max(2.0, start), periodic=losses == "periodic")


def htcp_cycle(p: float, rtt: float) -> float:
    """Returns the mean window of the cycle of H-TCP in which 1/p packets are sent, without a queue.

    At its end the window is where it was.
    """

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
    growth, share, least = 10.0, 0.125, ILLINOIS_WINDOW


class _Scalable(_Rules):
    def grow(self, window: Floats, since: Floats) -> Floats:
        del since
        growth = np.where(window > _LEGACY, SCALABLE_GROWTH, 1 / window)
        return window + growth * np.floor(window) / _STEPS

    def cut(self, window: Floats, where: npt.NDArray[np.bool_]) -> Floats:
        del where
        left: Floats = np.floor(window) * (1 - np.where(window > _LEGACY, SCALABLE_CUT, 0.5))
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
        slope = math.log(_HIGH_LOSS / HIGHSPEED_LOSS) / math.log(_HIGH_WINDOW / _LOW_WINDOW)
        p = HIGHSPEED_LOSS * (window / _LOW_WINDOW) ** slope
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
        slow = 3 * (1 - CUBIC_BETA) / (1 + CUBIC_BETA)
        self.reno = self.reno + np.where(self.reno >= self.prior, 1.0, slow) * acked
        friendly = self._at(time) < self.reno
        target = np.clip(self._at(time + self.rtt), window, 1.5 * window)
        return np.where(friendly, np.maximum(window, self.reno), window + (target - window) * acked)

    def _at(self, time: Floats) -> Floats:
        """W_cubic(t) of RFC 9438 4.2."""
        late = time - self.k
        return CUBIC_C * late * late * late + self.plateau

    def cut(self, window: Floats, where: npt.NDArray[np.bool_]) -> Floats:
        left = np.maximum(np.floor(window) * CUBIC_BETA, 2)
        plateau = np.where(window < self.plateau, window * (1 + CUBIC_BETA) / 2, window)
        self.k = np.where(where, np.cbrt(np.maximum(plateau - left, 0) / CUBIC_C), self.k)
        self.plateau = np.where(where, np.maximum(plateau, left), self.plateau)
        self.prior = np.where(where, window, self.prior)
        self.reno = np.where(where, left, self.reno)
        return left


def _mean(rules: _Rules, p: float, start: float, *, periodic: bool) -> float:
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


_RULES: dict[str, Callable[[float, int], _Rules]] = {
    "reno": _Rules,
    "veno": _Aimd,
    "scalable": _Scalable,
    "highspeed": _HighSpeed,
    "htcp": _Htcp,
    "cubic": _Cubic,
    "illinois": _Illinois,
}
