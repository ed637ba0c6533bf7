"""What can be said about values after a search: which is best, which cannot be distinguished from it, by how much.

Values are compared seed by seed.  A value is distinguished from the best when zero lies outside
the 95 % interval of the paired difference, as everywhere in this package.  The bound holds for all values jointly:
paired t intervals with Bonferroni's correction (Nelson and Matejcik, Management Science 41, 1995).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from hopscope.results import student
from hopscope.results.stats import CONFIDENCE, Interval, interval, mean_of, paired

C = TypeVar("C", bound=Hashable)

Samples = Mapping[int, float]
"""Seed -> value of the metric."""


def ranked(samples: Mapping[C, Samples], order: Sequence[C], *, minimize: bool) -> list[C]:
    """Returns values from best to worst mean; equal means in the given order, those without a sample last."""

    def key(value: C) -> tuple[bool, float]:
        found = list(samples[value].values())
        return (not found, 0.0) if not found else (False, mean_of(found) if minimize else -mean_of(found))

    return sorted(order, key=key)


def is_worse(samples: Samples, best: Samples, *, minimize: bool) -> bool | None:
    """Whether a value is worse than the best one; None when the runs cannot decide.

    A value without a sample in any seed is worse than one that has some.
    """
    if not samples:
        return True if best else None
    seeds = sorted(samples.keys() & best.keys())
    if len(seeds) < 2:
        return None
    found = paired([samples[s] for s in seeds], [best[s] for s in seeds])
    if not found.significant:
        return None
    return found.mean_difference > 0 if minimize else found.mean_difference < 0


def is_worse_by(margin: float, samples: Samples, best: Samples, *, minimize: bool) -> bool | None:
    """Whether a value is worse than the best one by more than a share of it; None when the runs cannot decide."""
    sign = math.copysign(1.0, mean_of(list(best.values()))) if best else 1.0
    factor = 1.0 + (margin if minimize else -margin) * sign
    return is_worse(samples, {seed: factor * value for seed, value in best.items()}, minimize=minimize)


def is_within(margin: float, samples: Samples, best: Samples, *, minimize: bool) -> bool:
    """Whether the mean of a value lies within a share of the best one's, or is equal to it but for noise."""
    if not samples or not best:
        return False
    if not is_worse(samples, best, minimize=minimize):
        return True
    mean, top = mean_of(list(samples.values())), mean_of(list(best.values()))
    return (mean - top if minimize else top - mean) <= margin * abs(top)


def bound(rivals: Sequence[Samples], best: Samples, *, minimize: bool) -> float | None:
    """Returns by how much the best of the rivals may still be better than the best value: 95 %, jointly, at least 0.

    None with fewer than two shared seeds, or without rivals.
    """
    advantages = []
    tested = [rival for rival in rivals if rival]
    for rival in tested:
        seeds = sorted(rival.keys() & best.keys())
        if len(seeds) < 2:
            return None
        differences = [best[s] - rival[s] if minimize else rival[s] - best[s] for s in seeds]
        mean, n = mean_of(differences), len(differences)
        variance = math.fsum((d - mean) ** 2 for d in differences) / (n - 1)
        quantile = student.quantile(n - 1, 1 - (1 - CONFIDENCE) / len(tested))
        advantages.append(mean + quantile * math.sqrt(variance / n))
    return max(0.0, *advantages) if advantages else None


def summary(samples: Samples) -> Interval:
    """Returns mean and 95 % interval over the seeds."""
    return interval([samples[seed] for seed in sorted(samples)])
