"""The search itself, without simulation: it asks for samples of values and gets them.

``search`` is a generator.  It yields a :class:`Request`, is sent seed -> sample for each value asked for, and returns a
:class:`Found`.  Given the same answers it asks the same questions, so a search that was interrupted goes on from the
stored runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

from hopscope.optimum import decide
from hopscope.optimum.axes import Axis, Number
from hopscope.optimum.decide import Samples
from hopscope.optimum.ladder import Ladder, Rung

Value = tuple[Number, ...]
"""One number for each axis."""

Answers = Mapping[Value, Samples]


@dataclass(frozen=True)
class Request:
    """Runs wanted: each value with the seeds and the duration of a rung.

    Attributes:
        values: what to run.
        rung: how.
        purpose: ``screening``, ``final``, ``neighbours`` or ``smaller``.
    """

    values: tuple[Value, ...]
    rung: Rung
    purpose: str


@dataclass(frozen=True)
class Tried:
    """A value and the longest runs it got.

    Attributes:
        value: the value.
        duration: simulated seconds of its longest runs.
        samples: seed -> metric in those runs.
        verdict: ``best``, the answer; ``top``, the best mean, if another value; ``indistinguishable`` from the
            best mean, ``near`` it (within the margin) or ``worse``, all in full runs; ``undecided`` or ``dropped``:
            left out after shorter runs in which it was not, or was, significantly worse than the best of them.
    """

    value: Value
    duration: float
    samples: Samples
    verdict: str


@dataclass(frozen=True)
class Found:
    """The outcome of a search.

    Attributes:
        best: the answer: the smallest value that is indistinguishable from the best mean in full runs, or within the
            margin of it.
        top: the value with the best mean in full runs.
        open_below: smaller values that may be as good but had no full runs, as the budget was spent.
        tried: every value, in their order.
        bound: by how much another value in full runs may still be better (95 %, jointly); None: nothing can be said.
        settled: whether the neighbours of the best value on every axis had full runs too.
        requests: what was run.
    """

    best: Value
    top: Value
    open_below: tuple[Value, ...]
    tried: tuple[Tried, ...]
    bound: float | None
    settled: bool
    requests: tuple[Request, ...]

    def having(self, *verdicts: str) -> list[Tried]:
        """Returns the values with one of these verdicts."""
        return [entry for entry in self.tried if entry.verdict in verdicts]


class NoSampleError(Exception):
    """No value has a sample of the metric in runs of this duration (``args[0]``, seconds)."""


def search(
    axes: Sequence[Axis], ladder: Ladder, *, minimize: bool, margin: float = 0.0
) -> Generator[Request, Answers, Found]:
    """Searches the combinations of axes for the best mean, then for the smallest value that is as good.

    Values are small in the order of the axes: of two that are equal on the first axis the second one decides.

    Args:
        axes: what is varied; values that are added later are added to them.
        ladder: rungs within the budget.
        minimize: smaller is better.
        margin: share of the best mean within which a value counts as being as good.

    Raises:
        NoSampleError: a rung gave no sample at all.
    """
    work = _Search(axes, ladder, minimize, margin)
    yield from work.screen()
    settled = yield from work.climb()
    yield from work.shrink()
    return work.outcome(settled)


class _Search:
    """What a search has asked for and learnt, and its phases."""

    def __init__(self, axes: Sequence[Axis], ladder: Ladder, minimize: bool, margin: float) -> None:
        self._axes = axes
        self._ladder = ladder
        self._minimize = minimize
        self._margin = margin
        self._full = ladder.rungs[-1]
        self._reserve = ladder.reserve
        self._order: list[Value] = list(itertools.product(*(axis.values for axis in axes)))
        self._requests: list[Request] = []
        self._longest: dict[Value, tuple[float, Samples]] = {}
        self._rung_of: dict[Value, Answers] = {}
        self._finals: dict[Value, Samples] = {}

    def screen(self) -> Generator[Request, Answers, None]:
        """Successive halving: short runs of every value, longer ones of the better, full runs of the last few.

        Raises:
            NoSampleError: a rung gave no sample at all.
        """
        alive = list(self._order)
        answers: Answers = {}
        for index, rung in enumerate(self._ladder.rungs):
            answers = yield from self._ask(alive, rung, "final" if rung is self._full else "screening")
            if not any(answers.values()):
                raise NoSampleError(rung.duration)
            self._rung_of |= dict.fromkeys(alive, answers)
            if index + 1 < len(self._ladder.rungs):
                kept = set(self._ranked(answers, alive)[: self._ladder.rungs[index + 1].values])
                alive = [value for value in alive if value in kept]
        self._finals = dict(answers)

    def climb(self) -> Generator[Request, Answers, bool]:
        """Full runs of the neighbours of the best value, until none is better or the budget is spent.

        Returns whether all of them had full runs.
        """
        while True:
            best = self._best()
            wanted = [value for value in _neighbours(self._axes, best) if value not in self._finals]
            if not wanted and not _is_plain(self._axes, best, self._finals, self._minimize):
                wanted = [value for value in _between(self._axes, best) if value not in self._finals]
            if not wanted:
                return True
            if not self._pay(len(wanted)):
                return False
            self._finals |= yield from self._ask(wanted, self._full, "neighbours")
            self._order += [value for value in wanted if value not in self._order]

    def shrink(self) -> Generator[Request, Answers, None]:
        """Full runs of smaller values that may be as good, the smallest first."""
        as_good = self._as_good()
        while (smaller := as_good.smaller(self._order)) and self._pay(1):
            self._finals |= yield from self._ask(smaller[:1], self._full, "smaller")

    def outcome(self, settled: bool) -> Found:
        """Returns what was found."""
        as_good = self._as_good()
        top = as_good.top
        found = sorted(self._order) if all(axis.step is not None for axis in self._axes) else self._order
        tried = tuple(Tried(value, *self._longest[value], as_good.verdict(value)) for value in found)
        rivals = [samples for value, samples in self._finals.items() if value != top]
        bound = decide.bound(rivals, self._finals[top], minimize=self._minimize)
        open_below = tuple(as_good.smaller(self._order))
        return Found(as_good.answer, top, open_below, tried, bound, settled, tuple(self._requests))

    def _ask(self, values: Sequence[Value], rung: Rung, purpose: str) -> Generator[Request, Answers, Answers]:
        request = Request(tuple(values), rung, purpose)
        self._requests.append(request)
        answers = yield request
        self._longest |= {value: (rung.duration, answers[value]) for value in values}
        return answers

    def _pay(self, values: int) -> bool:
        """Takes the full runs of so many values from the reserve; False: it has not enough."""
        cost = self._full.duration * self._full.seeds * values
        if cost > self._reserve:
            return False
        self._reserve -= cost
        return True

    def _ranked(self, answers: Answers, values: Sequence[Value]) -> list[Value]:
        return decide.ranked(answers, values, minimize=self._minimize)

    def _best(self) -> Value:
        return self._ranked(self._finals, list(self._finals))[0]

    def _as_good(self) -> _AsGood:
        """Which values are as good as the best so far; full runs that are added later count."""
        return _AsGood(self._finals, self._rung_of, self._best(), self._minimize, self._margin)


@dataclass(frozen=True)
class _AsGood:
    """Which values are as good as the one with the best mean.

    Attributes:
        finals: samples of full runs.
        rungs: the last rung of each value.
        top: the value with the best mean.
    """

    finals: Answers
    rungs: Mapping[Value, Answers]
    top: Value
    minimize: bool
    margin: float

    @property
    def answer(self) -> Value:
        """The smallest value that is as good in full runs."""
        best = self.finals[self.top]
        return min(v for v, found in self.finals.items() if v == self.top or self._is_within(found, best))

    def smaller(self, order: Sequence[Value]) -> list[Value]:
        """Values below the answer that shorter runs have not shown to be worse, the smallest first."""
        return sorted(v for v in order if v not in self.finals and v < self.answer and self._may_be(v))

    def verdict(self, value: Value) -> str:
        """What is said of a value."""
        if value == self.answer:
            return "best"
        if value == self.top:
            return "top"
        if value in self.finals:
            found, best = self.finals[value], self.finals[self.top]
            if not decide.is_worse(found, best, minimize=self.minimize):
                return "indistinguishable"
            return "near" if self._is_within(found, best) else "worse"
        rung, leader = self._leader(value)
        return "dropped" if decide.is_worse(rung[value], rung[leader], minimize=self.minimize) else "undecided"

    def _is_within(self, found: Samples, best: Samples) -> bool:
        return decide.is_within(self.margin, found, best, minimize=self.minimize)

    def _may_be(self, value: Value) -> bool:
        rung, leader = self._leader(value)
        return not decide.is_worse_by(self.margin, rung[value], rung[leader], minimize=self.minimize)

    def _leader(self, value: Value) -> tuple[Answers, Value]:
        """The rung of a value and what it is compared with there.

        The best value stood in the same rung, unless it was found later as a neighbour.
        """
        rung = self.rungs[value]
        leader = self.top if self.top in rung else decide.ranked(rung, list(rung), minimize=self.minimize)[0]
        return rung, leader


def _neighbours(axes: Sequence[Axis], value: Value) -> list[Value]:
    """The values next to one along each axis."""
    return [
        (*value[:place], other, *value[place + 1 :])
        for place, axis in enumerate(axes)
        for other in axis.neighbours(value[place])
    ]


def _between(axes: Sequence[Axis], value: Value) -> list[Value]:
    """New values between one and its neighbours."""
    return [
        (*value[:place], other, *value[place + 1 :])
        for place, axis in enumerate(axes)
        for other in axis.between(value[place])
    ]


def _is_plain(axes: Sequence[Axis], best: Value, finals: Answers, minimize: bool) -> bool:
    """Whether nothing around can be distinguished from the best value: finer steps would show nothing but noise.

    Around are the neighbours, and the neighbours of those that equal it: a peak between two values at the end of a
    range is no plain.
    """

    def worse(value: Value) -> bool:
        return bool(decide.is_worse(finals[value], finals[best], minimize=minimize))

    near = [value for value in _neighbours(axes, best) if value in finals]
    beyond = [far for value in near for far in _neighbours(axes, value) if far in finals and far != best]
    return not any(map(worse, (*near, *beyond)))
