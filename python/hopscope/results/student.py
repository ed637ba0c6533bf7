"""Quantiles of Student's t distribution, without a library that takes longer to load than a short run takes.

Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.7.3 to 26.7.5.
"""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

#: From so many degrees of freedom on the expansion at the normal quantile is as exact as the sum.
_MANY = 2_000


@functools.cache
def quantile(degrees: int, probability: float) -> float:
    """Returns what a variable of so many degrees of freedom stays below with a probability of at least one half."""
    z = NormalDist().inv_cdf(probability)
    if degrees >= _MANY:
        return _expanded(z, degrees)
    inside, t = 2 * probability - 1, z
    while True:  # the share inside is concave in t, so each step stays on the near side of the solution
        step = (inside - _share_within(t, degrees)) / (2 * _density(t, degrees))
        if t + step <= t * (1 + 1e-15):
            return t
        t += step


def _share_within(t: float, degrees: int) -> float:
    """The probability of a value between -t and t (26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(degrees))
    squared, odd = math.cos(angle) ** 2, degrees % 2
    term = math.cos(angle) if odd else 1.0
    terms = [term] if degrees > 1 else []
    for n in range(2 + odd, degrees - 1, 2):
        term *= squared * (n - 1) / n
        terms.append(term)
    share = math.sin(angle) * math.fsum(terms)
    return (angle + share) * 2 / math.pi if odd else share


def _density(t: float, degrees: int) -> float:
    size = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - math.log(degrees * math.pi) / 2
    return math.exp(size - (degrees + 1) / 2 * math.log1p(t * t / degrees))


def _expanded(z: float, degrees: int) -> float:
    """The quantile by that of the normal distribution (26.7.5)."""
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + math.fsum(term / degrees**power for power, term in enumerate(terms, 1))
