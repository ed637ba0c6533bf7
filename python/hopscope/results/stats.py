"""Statistics over replications: means with t-based 95 % intervals, paired comparisons, Jain's index.

Replications of two scenarios with the same seed share whatever the seed decides before anything happens (random
places, shadowing); :func:`paired` removes it from their difference.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.results import student

#: Most decimals of a number in a table.
_MOST_DIGITS = 9

#: Relative differences beyond this are reported as multiples.
_MOST_PERCENT = 1000.0

#: Two-sided confidence of every interval.
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """Mean of replications and how well it is known.

    Attributes:
        mean: arithmetic mean; None without samples.
        ci95: half width of the 95 % confidence interval (Student's t); None for fewer than two samples.
        min: smallest sample.
        max: largest sample.
        n: number of samples.
    """

    mean: float | None
    ci95: float | None
    min: float | None
    max: float | None
    n: int

    @property
    def low(self) -> float | None:
        """Lower end of the interval; the mean itself for one sample."""
        return None if self.mean is None else self.mean - (self.ci95 or 0.0)

    @property
    def high(self) -> float | None:
        """Upper end of the interval; the mean itself for one sample."""
        return None if self.mean is None else self.mean + (self.ci95 or 0.0)

    @classmethod
    def of(cls, summary: Mapping[str, Any]) -> Interval:
        """Returns the interval that :meth:`as_dict` gave."""
        return cls(**summary)

    def as_dict(self) -> dict[str, float | int | None]:
        """Returns the interval as it stands in the JSON result."""
        return {"mean": self.mean, "ci95": self.ci95, "min": self.min, "max": self.max, "n": self.n}


def interval_text(summary: Mapping[str, Any] | None, runs: int = 0) -> str:
    """Returns ``mean ± half width``; a dash without samples.

    Of fewer samples than ``runs`` it reports the number: a flow that delivered nothing in a run has no delay there.
    """
    if not summary or summary["mean"] is None:
        return "-"
    return rounded(summary["mean"], summary["ci95"]) + fewer(summary["n"], runs)


def fewer(n: int, runs: int) -> str:
    """Returns the remark on a mean of ``n`` samples where there are more ``runs``; else nothing."""
    return f" (n={n})" if n < runs else ""


@dataclass(frozen=True)
class Comparison:
    """Difference of two scenarios, a minus b, seed by seed.

    Attributes:
        mean_difference: mean of the differences.
        ci95: half width of its 95 % interval; None for fewer than two pairs.
        n: number of pairs.
        verdict: ``a is higher``, ``a is lower``, ``within noise``, or ``one pair: no interval``.
        differs: the keys in which the two scenarios differ, as ``key = value of a / value of b``.
    """

    mean_difference: float
    ci95: float | None
    n: int
    verdict: str
    differs: tuple[str, ...] = ()

    @property
    def significant(self) -> bool:
        """Whether zero lies outside the interval."""
        return self.ci95 is not None and abs(self.mean_difference) > self.ci95

    def __str__(self) -> str:
        """The difference in one line; ``repr`` has all digits."""
        keys = f" (a / b: {', '.join(self.differs)})" if self.differs else ""
        seeds = f"{self.n} seed{'s' * (self.n != 1)}"
        return f"a - b = {rounded(self.mean_difference, self.ci95)} over {seeds}: {self.verdict}{keys}"


def interval(values: Sequence[float]) -> Interval:
    """Returns mean, 95 % interval, smallest and largest value of samples."""
    if not values:
        return Interval(None, None, None, None, 0)
    low, high, mean = min(values), max(values), mean_of(values)
    return Interval(mean, half_width(values, mean), low, high, len(values))


def mean_of(values: Sequence[float]) -> float:
    """Returns the mean; rounding never carries it outside the samples, so equal samples have exactly their value."""
    return min(max(math.fsum(values) / len(values), min(values)), max(values))


def half_width(values: Sequence[float], mean: float | None = None) -> float | None:
    """Returns the half width of the 95 % interval of the mean, which may be given; None for fewer than two values."""
    n = len(values)
    if n < 2:
        return None
    mean = mean_of(values) if mean is None else mean
    variance = math.fsum([(value - mean) ** 2 for value in values]) / (n - 1)
    return quantile(n - 1) * math.sqrt(variance / n)


def quantile(degrees: int) -> float:
    """Returns the two-sided 95 % quantile of Student's t distribution."""
    return student.quantile(degrees, 0.5 + CONFIDENCE / 2)


def paired(a: Sequence[float], b: Sequence[float]) -> Comparison:
    """Compares samples of the same seeds.

    Args:
        a: one value a seed.
        b: values of the same seeds, in the same order.

    Raises:
        ValueError: different or no numbers of samples.
    """
    if len(a) != len(b) or not a:
        raise ValueError(f"a paired comparison needs as many samples on both sides, found {len(a)} and {len(b)}")
    differences = [x - y for x, y in zip(a, b, strict=True)]
    mean = mean_of(differences)
    width = half_width(differences)
    if width is None:
        verdict = "one pair: no interval"
    elif abs(mean) <= width:
        verdict = "within noise"
    else:
        verdict = "a is higher" if mean > 0 else "a is lower"
    return Comparison(mean, width, len(differences), verdict)


def jain(values: Sequence[float]) -> float:
    """Returns Jain's fairness index: 1 for equal shares, 1/n when one takes all; 1 when nobody has anything.

    Source: Jain, Chiu, Hawe 1984.
    """
    squares = math.fsum(value * value for value in values)
    return 1.0 if squares == 0 else math.fsum(values) ** 2 / (len(values) * squares)


def rounded(mean: float, width: float | None = None) -> str:
    """Returns ``mean ± half width`` as all tables and texts show it: both with the decimals of the larger.

    These are none from 1000 on, one from 10, two from 1, three from 0.01, and below that two significant digits.
    """
    size = max(abs(mean), width or 0.0)
    digits = next((n for n, least in enumerate((1000, 10, 1, 0.01)) if size >= least), None)
    if digits is None:
        digits = 3 if size == 0 else min(1 - math.floor(math.log10(size)), _MOST_DIGITS)
    return f"{mean:.{digits}f}" if width is None else f"{mean:.{digits}f} ± {width:.{digits}f}"


def relative(percent: float) -> str:
    """Returns a relative difference: ``+12.3 %``, and beyond 1,000 % as a multiple, ``16.2 times``."""
    if abs(percent) <= _MOST_PERCENT:
        return f"{percent:+.1f} %"
    times = percent / 100 + 1
    return f"{times:,.0f} times" if abs(times) >= 100 else f"{times:.3g} times"


def number(value: float) -> str:
    """A number with four significant digits and no exponent for ordinary sizes."""
    if not math.isfinite(value):
        return str(value)
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e7 or size < 1e-4:
        return f"{value:.3e}"
    digits = max(0, 3 - math.floor(math.log10(size)))
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def rank_correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """Spearman's rank correlation; 0 for fewer than two points or constant values."""
    if min(len(set(x)), len(set(y))) < 2:
        return 0.0
    return statistics.correlation(_ranks(x), _ranks(y))


def _ranks(values: Sequence[float]) -> list[float]:
    """The place of each value in their order; equal ones share the mean of theirs."""
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values)):
        places.setdefault(value, []).append(place)
    return [math.fsum(places[value]) / len(places[value]) for value in values]


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Slope of the least-squares line.

    Raises:
        ValueError: for fewer than two different positions.
    """
    if len(set(x)) < 2:
        raise ValueError("a slope needs two different positions")
    import numpy as np

    off = np.asarray(x) - np.mean(x)
    return float(off @ (np.asarray(y) - np.mean(y)) / (off @ off))


def gradual(values: Sequence[float]) -> tuple[bool, str]:
    """Whether values rise step by step up to where they settle.

    Judged up to the first value of nine tenths of the largest: rank correlation with the place of at least 0.9, no step
    above half of the rise.
    """
    top = max(values)
    rising = values[: next(place for place, value in enumerate(values) if value >= 0.9 * top) + 1]
    rise = top - min(rising)
    if len(rising) < 3 or rise <= 0:
        return False, f"{number(values[0])} to {number(top)}, nearly all of it at once" if rise > 0 else "does not rise"
    trend = rank_correlation(range(len(rising)), rising)
    steep = max(b - a for a, b in itertools.pairwise(rising)) / rise
    words = f"{number(rising[0])} to {number(rising[-1])}, rank correlation {trend:.2f}, steepest step {steep:.0%}"
    return trend >= 0.9 and steep <= 0.5, f"{words} of the rise"
