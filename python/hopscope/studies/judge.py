"""Small judges that verbs put together: trends and tolerances, each aware of noise.

A statement that hangs on a difference within noise (see `hopscope.results.comparisons`) is neither passed nor failed:
the finding says that it is within noise and how many seeds that was, or that there was only one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from hopscope.results.comparisons import Verdict
from hopscope.results.samples import Estimate, NoSamplesError, Table
from hopscope.results.stats import number
from hopscope.studies.verdict import Finding, Outcome

Check = Callable[[Table], tuple[Verdict, str]]
"""Judges one study: whether the statement holds, and the numbers it rests on."""


def judged(check: Check, table: Table) -> Finding:
    """What a check says of one setting."""
    try:
        holds, measured = check(table)
    except NoSamplesError as missing:
        return Finding(Outcome.UNDECIDED, "", table.label, str(missing))
    except ZeroDivisionError:
        # Nothing at all was carried where the statement speaks of shares.
        return Finding(Outcome.NOT_REPRODUCED, "a measured value it is a share of is zero", table.label)
    if holds is None:
        seeds = max(len(runs) for _, runs in table.points)
        # Where each replication is a field of its own there is one seed a point.
        noise = f"within the noise of {seeds} seeds; more seeds decide it" if seeds > 1 else "within the noise"
        return Finding(Outcome.UNDECIDED, measured, table.label, noise)
    return Finding(Outcome.REPRODUCED if holds else Outcome.NOT_REPRODUCED, measured, table.label)


def every(verdicts: Iterable[Verdict]) -> Verdict:
    """Fails when one fails; hidden by noise when one is and none fails."""
    found = list(verdicts)
    if False in found:
        return False
    return None if None in found else True


# --- Shapes and tolerances -------------------------------------------------------------------------------------------


def rank_correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """Spearman's rank correlation; 0 for fewer than two points or constant values."""
    import pandas as pd

    if min(len(set(x)), len(set(y))) < 2:
        return 0.0
    return float(np.corrcoef(pd.Series(x).rank(), pd.Series(y).rank())[0, 1])


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Slope of the least-squares line.

    Raises:
        ValueError: for fewer than two different positions.
    """
    if len(set(x)) < 2:
        raise ValueError("a slope needs two different positions")
    off = np.asarray(x) - np.mean(x)
    return float(off @ (np.asarray(y) - np.mean(y)) / (off @ off))


def between(measured: Estimate, low: float, high: float) -> Verdict:
    """Whether a mean lies from `low` to `high`.

    `None` when its interval tells nothing of that: a mean inside whose interval leaves on both sides, a mean outside
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


def gradual(values: Sequence[float]) -> tuple[Verdict, str]:
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
