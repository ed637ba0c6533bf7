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
class Looked:
    """A value and the longest look it got.

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
        looked: every value, in their order.
        bound: by how much another value in full runs may still be better (95 %, jointly); None: nothing can be said.
        settled: whether the neighbours of the best value on every axis had full runs too.
        requests: what was run.
    """

    best: Value
    top: Value
    open_below: tuple[Value, ...]
    looked: tuple[Looked, ...]
    bound: float | None
    settled: bool
    requests: tuple[Request, ...]

    def having(self, *verdicts: str) -> list[Looked]:
        """Returns the values with one of these verdicts."""
        return [entry for entry in self.looked if entry.verdict in verdicts]


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
    order: list[Value] = list(itertools.product(*(axis.values for axis in axes)))
    requests: list[Request] = []
    last_look: dict[Value, tuple[float, Samples]] = {}
    rung_of: dict[Value, Answers] = {}
    alive = list(order)
    full = ladder.rungs[-1]
    for index, rung in enumerate(ladder.rungs):
        request = Request(tuple(alive), rung, "final" if rung is full else "screening")
        requests.append(request)
        answers = yield request
        if not any(answers.values()):
            raise NoSampleError(rung.duration)
        for value in alive:
            last_look[value] = (rung.duration, answers[value])
            rung_of[value] = answers
        if index + 1 < len(ladder.rungs):
            kept = set(decide.ranked(answers, alive, minimize=minimize)[: ladder.rungs[index + 1].values])
            alive = [value for value in alive if value in kept]
    finals = dict(rung_of[alive[0]])
    reserve, each, settled = ladder.reserve, full.duration * full.seeds, False
    while True:
        best = decide.ranked(finals, list(finals), minimize=minimize)[0]
        wanted = [value for value in _beside(axes, best) if value not in finals]
        if not wanted and not _is_plain(axes, best, finals, minimize):
            wanted = [value for value in _between(axes, best) if value not in finals]
        if not wanted:
            settled = True
            break
        if each * len(wanted) > reserve:
            break
        reserve -= each * len(wanted)
        request = Request(tuple(wanted), full, "neighbours")
        requests.append(request)
        answers = yield request
        finals.update(answers)
        for value in wanted:
            last_look[value] = (full.duration, answers[value])
            if value not in order:
                order.append(value)
    as_good = _AsGood(finals, rung_of, best, minimize, margin)
    while smaller := as_good.smaller(order):
        if each > reserve:
            break
        reserve -= each
        request = Request((smaller[0],), full, "smaller")
        requests.append(request)
        answers = yield request
        finals.update(answers)
        last_look[smaller[0]] = (full.duration, answers[smaller[0]])
    top = decide.ranked(finals, list(finals), minimize=minimize)[0]
    as_good = _AsGood(finals, rung_of, top, minimize, margin)
    found = sorted(order) if all(axis.step is not None for axis in axes) else order
    looked = tuple(Looked(value, *last_look[value], as_good.verdict(value)) for value in found)
    rivals = [samples for value, samples in finals.items() if value != top]
    bound = decide.bound(rivals, finals[top], minimize=minimize)
    return Found(as_good.answer, top, tuple(as_good.smaller(order)), looked, bound, settled, tuple(requests))


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


def _beside(axes: Sequence[Axis], value: Value) -> list[Value]:
    """The values next to one along each axis."""
    return [
        (*value[:place], other, *value[place + 1 :])
        for place, axis in enumerate(axes)
        for other in axis.beside(value[place])
    ]


def _between(axes: Sequence[Axis], value: Value) -> list[Value]:
    """New values between one and its neighbours."""
    return [
        (*value[:place], other, *value[place + 1 :])
        for place, axis in enumerate(axes)
        for other in axis.between(value[place])
    ]


def _is_plain(axes: Sequence[Axis], best: Value, finals: Answers, minimize: bool) -> bool:
    """Whether nothing around can be distinguished from the best value: a finer look would see nothing but noise.

    Around are the neighbours, and the neighbours of those that equal it: a peak between two values at the end of a
    range is no plain.
    """

    def worse(value: Value) -> bool:
        return bool(decide.is_worse(finals[value], finals[best], minimize=minimize))

    beside = [value for value in _beside(axes, best) if value in finals]
    beyond = [far for value in beside for far in _beside(axes, value) if far in finals and far != best]
    return not any(map(worse, (*beside, *beyond)))
