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
        purpose: ``screening``, ``final`` or ``neighbours``.
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
        verdict: ``best``; ``not told apart`` from it or ``worse``, both in full runs; ``undecided`` or ``dropped``:
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
        best: the value with the best mean in full runs.
        looked: every value, in their order.
        bound: by how much another value in full runs may still be better (95 %, jointly); None: nothing can be said.
        settled: whether the neighbours of the best value on every axis had full runs too.
        requests: what was run.
    """

    best: Value
    looked: tuple[Looked, ...]
    bound: float | None
    settled: bool
    requests: tuple[Request, ...]

    def having(self, *verdicts: str) -> list[Looked]:
        """Returns the values with one of these verdicts."""
        return [entry for entry in self.looked if entry.verdict in verdicts]


class NoSampleError(Exception):
    """No value has a sample of the metric in runs of this duration (``args[0]``, seconds)."""


def search(axes: Sequence[Axis], ladder: Ladder, *, minimize: bool) -> Generator[Request, Answers, Found]:
    """Searches the combinations of axes for the best mean.

    Args:
        axes: what is varied; values that are added later are added to them.
        ladder: rungs within the budget.
        minimize: smaller is better.

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
    found = sorted(order) if all(axis.step is not None for axis in axes) else order
    looked = tuple(
        Looked(value, *last_look[value], _verdict(value, best, finals, rung_of.get(value, {}), minimize))
        for value in found
    )
    rivals = [samples for value, samples in finals.items() if value != best]
    return Found(best, looked, decide.bound(rivals, finals[best], minimize=minimize), settled, tuple(requests))


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
    """Whether nothing around can be told apart from the best value: a finer look would see nothing but noise.

    Around are the neighbours, and the neighbours of those that equal it: a peak between two values at the end of a
    range is no plain.
    """

    def worse(value: Value) -> bool:
        return bool(decide.is_worse(finals[value], finals[best], minimize=minimize))

    beside = [value for value in _beside(axes, best) if value in finals]
    beyond = [far for value in beside for far in _beside(axes, value) if far in finals and far != best]
    return not any(map(worse, (*beside, *beyond)))


def _verdict(value: Value, best: Value, finals: Answers, rung: Answers, minimize: bool) -> str:
    if value == best:
        return "best"
    if value in finals:
        return "worse" if decide.is_worse(finals[value], finals[best], minimize=minimize) else "not told apart"
    # The best value stood in the same rung, unless it was found later as a neighbour.
    leader = best if best in rung else decide.ranked(rung, list(rung), minimize=minimize)[0]
    return "dropped" if decide.is_worse(rung[value], rung[leader], minimize=minimize) else "undecided"
