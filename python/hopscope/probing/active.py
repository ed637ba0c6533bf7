"""Methods that send probes: packet pair, VPS (pathchar), SLoPS (pathload) and TOPP.

Rates are bit/s of packets with network header, times seconds. zhang2006 (chapter 3) describes all four; numbers that it
leaves open are those of the tools where they are known, and defaults of this package where that is said.
"""

from __future__ import annotations

import itertools
import math
import random
import statistics
from collections.abc import Generator, Sequence
from typing import Any

from hopscope.probing.trains import Echo, Estimate, Method, NoEstimateError, Train

#: Pairs of :func:`packet_pair`; a default.
PAIRS = 100
#: Sizes of :func:`vps` in bytes, and probes of each; those of pathchar.
LEAST_SIZE, SIZE_STEP, PROBES = 64, 32, 32
#: :func:`slops`: packets of a stream, streams of a fleet, the share of them that decides (Jain and Dovrolis 2003).
STREAM, FLEET, AGREEMENT = 100, 12, 0.7
#: Thresholds of its two tests of a trend: rising above the first, level below the second (the same).
PCT, PDT = (0.66, 0.54), (0.55, 0.45)
#: It ends when the range is this share of where it began; a default.
RESOLUTION = 0.02
#: Share of lost packets above which a stream reports too high a rate; a default.
LOST = 0.1
#: :func:`topp`: pairs for each rate, rates, and how much faster than measured counts as faster; defaults.
TOPP_PAIRS, TOPP_RATES, FASTER = 100, 20, 1.05
#: Bytes of an acknowledgement: headers of IPv4 and TCP.
ACK_SIZE = 40
#: Most hops of a path.
MOST_HOPS = 64
#: Packets of a train that is sent as fast as possible, and how many such; defaults.
BURST, BURSTS = 20, 5
#: Mean seconds between probes where the method has no rule; a default.
PAUSE = 0.1


def packet_pair(size: int, rng: random.Random, pairs: int = PAIRS) -> Method:
    """Capacity from how far apart two packets arrive that left back to back: median of many pairs."""
    rates = []
    for _ in range(pairs):
        first, second = yield Train(((0.0, size), (0.0, size)), PAUSE * (0.5 + rng.random()))
        if first is not None and second is not None and second > first:
            rates.append(8 * size / (second - first))
    return _of_pairs(rates, pairs, "arrived")


def packet_pair_by_acks(size: int, rng: random.Random, pairs: int = PAIRS) -> Method:
    """The same from how far apart the acknowledgements of the two come back; what meets them changes that, too."""
    rates = []
    for _ in range(pairs):
        first, second = yield Train(((0.0, size), (0.0, size)), PAUSE * (0.5 + rng.random()))
        if first is None or second is None or second <= first:
            continue
        one, other = yield Train(((0.0, ACK_SIZE), (second - first, ACK_SIZE)), 0.0, back=True)
        if one is not None and other is not None and other > one:
            rates.append(8 * size / (other - one))
    return _of_pairs(rates, pairs, "came back")


def _of_pairs(rates: Sequence[float], pairs: int, came: str) -> Estimate:
    """The median of the rates of those pairs that came whole, with the quartiles as its range."""
    if len(rates) < 2:
        raise NoEstimateError(f"of {pairs} pairs {len(rates)} {came} whole; two are needed")
    low, middle, high = statistics.quantiles(rates, n=4)
    return Estimate(capacity=middle, low=low, high=high, detail={"pairs": len(rates)})


def vps(size: int, rng: random.Random, to: int, probes: int = PROBES) -> Method:
    """Capacity of each hop from the least round trip to it at each size: what a byte more takes (pathchar).

    T_i(L) = a_i + b_i L, the least of many, has no queues in it; hop i has the rate 8 / (b_i - b_(i-1)).
    """
    sizes = range(LEAST_SIZE, size + 1, SIZE_STEP)
    if len(sizes) < 2:
        raise NoEstimateError(f"packets of up to {size} bytes are one size; {LEAST_SIZE + SIZE_STEP} give two")
    slopes = [0.0]
    rates: list[float | None] = []
    for hop in range(1, MOST_HOPS + 1):
        least: dict[int, float] = {}
        reached = False
        for one in sizes:
            for _ in range(probes):
                answer = yield Echo(one, hop, PAUSE * (0.1 + 0.2 * rng.random()))
                if answer is not None:
                    took, node = answer
                    least[one] = min(took, least.get(one, math.inf))
                    reached = reached or node == to
        if len(least) < 2:
            raise NoEstimateError(f"hop {hop}: answers to {len(least)} of {len(sizes)} sizes came back; two are needed")
        slopes.append(_line(list(least), list(least.values()))[1])
        more = slopes[-1] - slopes[-2]
        rates.append(8 / more if more > 0 else None)
        if reached:
            break
    known = [rate for rate in rates if rate is not None]
    if not known:
        raise NoEstimateError("no hop takes longer for longer packets")
    return Estimate(capacity=min(known), detail={"hops": rates})


def slops(size: int, rng: random.Random) -> Method:
    """Available bandwidth from the rates at which one-way delays rise within a stream: bisection (pathload)."""
    top = 1.2 * (yield from _burst_rate(size, rng))
    least, most = 0.0, top
    grey_low, grey_high = math.inf, -math.inf
    fleets = 0
    while most - least > RESOLUTION * top:
        # Outside of what is known to be grey, if anything is.
        if grey_low > grey_high:
            rate = (least + most) / 2
        elif most - grey_high > grey_low - least:
            rate = (grey_high + most) / 2
        else:
            rate = (least + grey_low) / 2
        fleets += 1
        trend = yield from _fleet(size, rate, rng)
        if trend > 0:
            most = rate
        elif trend < 0:
            least = rate
        else:
            grey_low, grey_high = min(grey_low, rate), max(grey_high, rate)
        grey = grey_low <= grey_high
        if grey and most - grey_high <= RESOLUTION * top and grey_low - least <= RESOLUTION * top:
            break
    return Estimate(available=(least + most) / 2, low=least, high=most, detail={"fleets": fleets, "began_at": top})


def _fleet(size: int, rate: float, rng: random.Random) -> Generator[Train, Any, int]:
    """Streams at one rate: 1 where most have rising delays, -1 where most have not, 0 otherwise."""
    gap = 8 * size / rate
    rising = level = 0
    for _ in range(FLEET):
        packets = tuple((n * gap, size) for n in range(STREAM))
        # On average a tenth of the rate, as pathload sends.
        arrivals = yield Train(packets, 9 * STREAM * gap * (0.75 + 0.5 * rng.random()))
        delays = [at - sent for (sent, _), at in zip(packets, arrivals, strict=True) if at is not None]
        if len(delays) < (1 - LOST) * STREAM:
            rising += 1
        else:
            trend = trend_of(delays)
            rising, level = rising + (trend > 0), level + (trend < 0)
        if max(rising, level) >= AGREEMENT * FLEET:
            break
    return 1 if rising >= AGREEMENT * FLEET else -1 if level >= AGREEMENT * FLEET else 0


def trend_of(delays: Sequence[float]) -> int:
    """Whether one-way delays rise within a stream: 1, -1 where they do not, 0 where that cannot be decided.

    Medians of groups of the square root of the number, then the share of pairs that rise (PCT) and the whole rise over
    all steps (PDT); two tests that contradict each other report nothing.
    """
    group = max(1, math.isqrt(len(delays)))
    medians = [statistics.median(delays[at : at + group]) for at in range(0, len(delays) - group + 1, group)]
    steps = [b - a for a, b in itertools.pairwise(medians)]
    # On an idle path delays differ by less than anything measures.
    steps = [step if abs(step) > 1e-9 else 0.0 for step in steps]
    distance = sum(abs(step) for step in steps)
    if not steps or distance == 0:
        return -1
    shares = ((sum(step > 0 for step in steps) / len(steps), PCT), (sum(steps) / distance, PDT))
    votes = {1 if share > high else -1 if share < low else 0 for share, (high, low) in shares} - {0}
    return votes.pop() if len(votes) == 1 else 0


def topp(size: int, rng: random.Random) -> Method:
    """Capacity and available bandwidth from pairs sent at rising rates (TOPP).

    Where a rate o is above what is available, A, its pairs arrive at the lower rate m: o / m = (C - A) / C + o / C. The
    line through these points gives C and A; with fewer than three, A is the highest rate that arrived as it was sent.
    """
    top = yield from _burst_rate(size, rng)
    points = []
    for n in range(1, TOPP_RATES + 1):
        offered = 1.5 * top * n / TOPP_RATES
        gap = 8 * size / offered
        gaps = []
        for _ in range(TOPP_PAIRS):
            first, second = yield Train(((0.0, size), (gap, size)), max(PAUSE, 4 * gap) * (0.5 + rng.random()))
            if first is not None and second is not None and second > first:
                gaps.append(second - first)
        if gaps:
            points.append((offered, 8 * size / statistics.fmean(gaps)))
    if not points:
        raise NoEstimateError("no pair arrived whole")
    # The first rate from which on all arrive slower than they were sent.
    slower = len(points)
    while slower and points[slower - 1][0] > FASTER * points[slower - 1][1]:
        slower -= 1
    detail = {"offered": [o for o, _ in points], "measured": [m for _, m in points]}
    knee = points[slower - 1][0] if slower else None
    above = points[slower:]
    if len(above) >= 3:
        intercept, slope = _line([o for o, _ in above], [o / m for o, m in above])
        if slope > 0:
            capacity = 1 / slope
            available = capacity * (1 - intercept)
            return Estimate(capacity, max(0.0, available), detail={**detail, "knee": knee})
    if knee is None:
        raise NoEstimateError("every rate arrived slower than it was sent, on no line")
    return Estimate(available=knee, detail={**detail, "knee": knee})


def _burst_rate(size: int, rng: random.Random) -> Generator[Train, Any, float]:
    """The rate at which packets arrive that are sent as fast as possible: between what is available and capacity."""
    rates = []
    for _ in range(BURSTS):
        arrivals = yield Train(((0.0, size),) * BURST, 10 * PAUSE * (0.5 + rng.random()))
        came = [at for at in arrivals if at is not None]
        if len(came) > 1 and came[-1] > came[0]:
            rates.append(8 * size * (len(came) - 1) / (max(came) - min(came)))
    if not rates:
        raise NoEstimateError(f"of {BURSTS} trains of {BURST} packets none arrived")
    return statistics.fmean(rates)


def _line(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Intercept and slope of the least squares line."""
    slope, intercept = statistics.linear_regression(x, y)
    return intercept, slope
