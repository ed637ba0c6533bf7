"""Comparisons that are aware of noise: two points of a study seed by seed, and the best of many.

A difference counts only when zero lies outside its 95 % interval. With a single seed there is no interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from hopscope.errors import ranges
from hopscope.results.samples import Estimate, Metric, NoSamplesError, Table, Where, estimate, show
from hopscope.results.stats import paired, rounded

#: Share of the best mean within which a value counts as being as good; a default.
AS_GOOD = 0.02

Verdict = bool | None
"""Whether something holds; `None`: the noise of the runs hides it."""


class Order(Enum):
    """How one value stands to another."""

    LOWER = "lower"
    HIGHER = "higher"
    NOISE = "within noise"


@dataclass(frozen=True)
class Difference:
    """A paired difference first minus second.

    Attributes:
        order: of the first to the second.
        mean: mean difference.
        ci95: half width of its 95 % interval; `None` with a single seed.
    """

    order: Order
    mean: float
    ci95: float | None

    @property
    def is_lower(self) -> Verdict:
        """Whether the first is below the second; `None` within noise."""
        return None if self.order is Order.NOISE else self.order is Order.LOWER

    @property
    def is_higher(self) -> Verdict:
        """Whether the first is above the second; `None` within noise."""
        return None if self.order is Order.NOISE else self.order is Order.HIGHER

    def words(self, unit: str) -> str:
        """The difference with its interval and unit."""
        if self.ci95 is None:
            return f"{self.mean:+.3g} {unit} (one seed, no interval)"
        noise = ", within noise" if self.order is Order.NOISE else ""
        return f"{'+' if self.mean > 0 else ''}{rounded(self.mean, self.ci95)} {unit}{noise}"


def difference(table: Table, metric: Metric, first: Where, second: Where, *, other: Table | None = None) -> Difference:
    """Compare a metric at two points of a study (or at a point of `other`), paired by replication."""
    left, right = _pairs(table, metric, first, second, other or table)
    if len(left) == 1:
        mean, half = left[0] - right[0], None
    else:
        comparison = paired(left, right)
        mean, half = comparison.mean_difference, comparison.ci95
    if abs(mean) <= (half or 0.0):
        return Difference(Order.NOISE, mean, half)
    return Difference(Order.LOWER if mean < 0 else Order.HIGHER, mean, half)


def gain(table: Table, metric: Metric, first: Where, second: Where) -> Estimate:
    """By how many per cent a metric is higher at the first point of a study than at the second, paired by replication.

    Raises:
        ZeroDivisionError: when a replication has nothing at the second point.
    """
    left, right = _pairs(table, metric, first, second, table)
    return estimate([100 * (a / b - 1) for a, b in zip(left, right, strict=True)])


def _pairs(table: Table, metric: Metric, first: Where, second: Where, other: Table) -> tuple[list[float], list[float]]:
    a, b = table.by_replica(metric, first), other.by_replica(metric, second)
    shared = sorted(a.keys() & b.keys())
    if not shared:
        raise NoSamplesError(f"no seed with both {dict(first)} and {dict(second)}")
    return [a[s] for s in shared], [b[s] for s in shared]


@dataclass(frozen=True)
class Best:
    """Where a metric is largest over a sweep.

    Attributes:
        at: swept value with the largest mean.
        top: the metric there.
        ties: every swept value whose metric is not significantly below it, the best included.
    """

    at: Any
    top: Estimate
    ties: tuple[Any, ...]

    def has(self, value: Any) -> Verdict:
        """Whether the best value is this one; `None` when another one is best but this one is within noise of it."""
        if value == self.at:
            return True
        return None if value in self.ties else False

    def value(self, times: int = 1) -> Estimate:
        """The best value, a number, `times` over; its extremes are those of the values within noise of it."""
        low, high = (float(times * value) for value in (min(self.ties), max(self.ties)))
        return Estimate(float(times * self.at), None, low, high, 1)

    def words(self, unit: str) -> str:
        """The best value, the metric there in `unit`, and the others within noise of it."""
        others = [value for value in self.ties if value != self.at]
        noise = f"; within noise of it: {ranges(others)}" if others else ""
        return f"best at {self.at} ({show(self.top, unit)}{noise})"


def smallest_as_good(table: Table, metric: Metric, places: Mapping[float, Where]) -> tuple[float, Best]:
    """The smallest number whose mean is indistinguishable from the largest one, or within :data:`AS_GOOD` of it."""
    found = best_among(table, metric, places)
    least = found.top.mean - AS_GOOD * abs(found.top.mean)

    def is_as_good(number: float) -> bool:
        value = table.find(metric, places[number])
        return number in found.ties or (value is not None and value.mean >= least)

    return min(filter(is_as_good, places)), found


def best(table: Table, key: str, metric: Metric, where: Where | None = None) -> Best:
    """The swept value of `key` at which the mean of the metric is largest, and those within noise of it."""
    return best_among(table, metric, {value: {**(where or {}), key: value} for value in table.values(key)})


def best_among(table: Table, metric: Metric, places: Mapping[Any, Where], *, least: bool = False) -> Best:
    """The name of the place in a study at which the mean of the metric is largest, and those within noise of it.

    Args:
        table: the study.
        metric: what is compared.
        places: swept values by name; places without a sample are left out.
        least: the smallest mean is wanted instead.
    """
    found = {name: value for name, where in places.items() if (value := table.find(metric, where)) is not None}
    if not found:
        raise NoSamplesError(f"no sample at {ranges(list(places))}")
    at = (min if least else max)(found, key=lambda name: found[name].mean)
    worse = Order.HIGHER if least else Order.LOWER
    ties = tuple(
        name for name in found if name == at or difference(table, metric, places[name], places[at]).order is not worse
    )
    return Best(at, found[at], ties)


def every(verdicts: Iterable[Verdict]) -> Verdict:
    """Fails when one fails; hidden by noise when one is and none fails."""
    found = list(verdicts)
    if False in found:
        return False
    return None if None in found else True


def between(measured: Estimate, low: float, high: float) -> Verdict:
    """Whether a mean lies from `low` to `high`.

    `None` when its interval says nothing of that: a mean inside whose interval leaves on both sides, a mean outside
    whose interval reaches in.
    """
    half = measured.ci95 or 0.0
    if low <= measured.mean <= high:
        return None if measured.mean - half < low and measured.mean + half > high else True
    return None if measured.mean + half >= low and measured.mean - half <= high else False


def exceeds(measured: Estimate, limit: float = 0.0) -> Verdict:
    """Whether a mean is above a limit; `None` when the limit lies inside its interval."""
    half = measured.ci95 or 0.0
    if abs(measured.mean - limit) <= half:
        return None
    return measured.mean > limit
