"""The rungs of a search: how many values are looked at, with how many seeds and for how long, within a budget.

Successive halving (Jamieson and Talwalkar, AISTATS 2016; sequential halving of Karnin, Koren and Somekh, ICML 2013):
every value gets a short look, the best third a longer one, and so on; the last ones get full runs.  A rung keeps one in
three, as Li et al. (JMLR 18, 2018) do.  The budget decides how long the first look is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: A rung keeps one value in so many.
KEEP_ONE_IN = 3

#: Most values that get full runs, not counting the neighbours of the best one.
FINALISTS = 4

#: Fewest seeds of a rung: a paired comparison needs two.
FEWEST_SEEDS = 2

#: Steps of the search for the longest first look that the budget allows.
_BISECTIONS = 40


@dataclass(frozen=True)
class Rung:
    """One round of the search.

    Attributes:
        values: how many values are looked at.
        duration: simulated seconds of a run.
        seeds: replications of each value.
    """

    values: int
    duration: float
    seeds: int


@dataclass(frozen=True)
class Ladder:
    """The rungs, and the simulated seconds left for neighbours and smaller values.

    Attributes:
        rungs: first to last; the last is at full length with all seeds.
        reserve: simulated seconds kept for further full runs.
    """

    rungs: tuple[Rung, ...]
    reserve: float

    @property
    def cost(self) -> float:
        """Simulated seconds of the rungs; runs of a rung that the one before has done already count once."""
        return cost(self.rungs)


def cost(rungs: Sequence[Rung]) -> float:
    """Returns the simulated seconds of rungs; runs repeated from one rung to the next count once."""
    total, before = 0.0, None
    for rung in rungs:
        done = before.seeds if before is not None and before.duration == rung.duration else 0
        total += rung.values * (rung.seeds - done) * rung.duration
        before = rung
    return total


def plan(values: int, duration: float, seeds: int, budget: float, *, shortest: float, extra: int) -> Ladder | None:
    """Returns the ladder with the longest first look that fits into a budget.

    Args:
        values: number of values to choose among.
        duration: simulated seconds of a full run.
        seeds: replications of a full comparison.
        budget: simulated seconds.
        shortest: shortest run that says something about a full one.
        extra: values to keep full runs for, besides the finalists: neighbours of the best one, and smaller ones.

    Returns:
        None when even the cheapest ladder does not fit.
    """
    full = duration * seeds
    if values * full <= budget:
        return Ladder((Rung(values, duration, seeds),), budget - values * full)
    for reserve in dict.fromkeys((extra * full, 0.0)):
        for finalists in range(min(FINALISTS, values), 1, -1):
            if _cheapest(values, finalists, duration, seeds, shortest) <= budget - reserve:
                rungs = _longest(values, finalists, duration, seeds, shortest, budget - reserve)
                return Ladder(rungs, budget - cost(rungs))
    return None


def least(values: int, duration: float, seeds: int, *, shortest: float) -> float:
    """Returns the simulated seconds of the cheapest search."""
    return _cheapest(values, min(2, values), duration, seeds, shortest)


def _counts(values: int, finalists: int) -> list[int]:
    counts = [values]
    while counts[-1] > finalists:
        counts.append(max(finalists, -(-counts[-1] // KEEP_ONE_IN)))
    return counts


def _rungs(values: int, finalists: int, duration: float, seeds: int, shortest: float, share: float) -> tuple[Rung, ...]:
    """The rungs whose first gives each value ``share`` of a full comparison, growing by an equal factor."""
    counts = _counts(values, finalists)
    last = len(counts) - 1
    rungs = []
    for index, count in enumerate(counts):
        part = share ** (1 - index / last) if last else 1.0
        length, replications = duration, seeds
        if index < last and part * duration >= shortest:
            exact = part * duration
            # Whole seconds are easier to read.
            length = max(float(int(exact)) if exact >= 2 else exact, shortest)
        elif index < last:
            length = shortest
            replications = min(seeds, max(FEWEST_SEEDS, int(part * duration / shortest * seeds)))
        rungs.append(Rung(count, length, replications))
    return tuple(rungs)


def _cheapest(values: int, finalists: int, duration: float, seeds: int, shortest: float) -> float:
    return cost(_rungs(values, finalists, duration, seeds, shortest, _least_share(duration, seeds, shortest)))


def _least_share(duration: float, seeds: int, shortest: float) -> float:
    return min(1.0, shortest / duration * min(FEWEST_SEEDS, seeds) / seeds)


def _longest(
    values: int, finalists: int, duration: float, seeds: int, shortest: float, budget: float
) -> tuple[Rung, ...]:
    low, high = _least_share(duration, seeds, shortest), 1.0
    for _ in range(_BISECTIONS):
        middle = (low * high) ** 0.5
        fits = cost(_rungs(values, finalists, duration, seeds, shortest, middle)) <= budget
        low, high = (middle, high) if fits else (low, middle)
    return _rungs(values, finalists, duration, seeds, shortest, low)
