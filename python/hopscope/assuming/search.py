"""The search for the reading with the fewest assumptions under which the most statements hold.

Four stages, each on the chosen half of the statements alone:

1. `screen`: the plain reading and every single departure. Where there are more combinations than the effort allows, a
   value that changes no verdict alone is left out, and of values of one assumption that change the same verdicts the
   lightest stays.
2. `joint`: every combination of the others, as many as the effort allows: the lightest first, and of those of one
   weight the ones whose departures do most alone.
3. `race`: the best of them again with more replications.
4. `full`: the best of those at full length, and the readings that the user adds. Their front is the answer: the
   readings that no other one equals or beats in weight and in the number of statements that hold. Only now the other
   half is evaluated.

A reading leaves the race where one of no more weight holds more even if all its undecided statements held; beyond
that the stage keeps the best by the middle of both counts.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from hopscope.results import display
from hopscope.scenario.assumptions import Assumption, Reading, departing, plain_reading

State = Literal["holds", "open", "fails"]
"""What became of a statement under a reading; `open`: the runs do not decide it."""

States = Mapping[str, State]
"""Statement (`fig4-4.c1`) -> what became of it."""

StageName = Literal["screen", "joint", "race", "full"]

Evaluate = Callable[[Reading, StageName], States]
"""Simulates a reading and evaluates the statements of the chosen half, in the stage `full` those of both."""


@dataclass(frozen=True)
class Effort:
    """How much is looked at.

    Attributes:
        joint: most combinations; those of least weight are taken.
        race: readings that are looked at again with more replications, next to the plain one.
        full: readings that are looked at in full length, next to the plain one.
    """

    joint: int = 128
    race: int = 16
    full: int = 6

    @classmethod
    def of(cls, joint: int) -> Effort:
        """So many combinations, and as many in the later stages for each as usual."""
        usual = cls()
        race, full = (max(1, round(joint * one / usual.joint)) for one in (usual.race, usual.full))
        return cls(joint, race, full)


@dataclass(frozen=True)
class Evaluated:
    """A reading with what became of the statements."""

    reading: Reading
    states: States

    def count(self, state: State, half: frozenset[str] | None = None) -> int:
        """How many statements have a state; of one half where that is given."""
        return sum(found == state for name, found in self.states.items() if half is None or name in half)


@dataclass(frozen=True)
class Interaction:
    """Two departures whose effects do not add up.

    Attributes:
        first, second: the departures.
        apart: by how many the statements that hold change with each alone.
        together: with both; the difference from the sum of `apart` is the interaction.
    """

    first: str
    second: str
    apart: tuple[int, int]
    together: int

    @property
    def strength(self) -> int:
        """By how many statements both together differ from the sum of each."""
        return self.together - sum(self.apart)


@dataclass(frozen=True)
class Found(display.Shown):
    """What a search has found.

    Attributes:
        chosen: statements on which readings were chosen; the others test them.
        screened: the plain reading first, then every single departure.
        inert: assumptions left at their plain value, as they change no chosen verdict alone.
        joint: every combination that was looked at in short form.
        combinations: how many there are of the assumptions that act.
        finalists: those looked at in full, with the states of both halves; the plain reading first.
        added: the finalists that the user named.
    """

    drawn = "readings"

    chosen: frozenset[str]
    screened: tuple[Evaluated, ...]
    inert: tuple[Assumption, ...]
    joint: tuple[Evaluated, ...]
    combinations: int
    finalists: tuple[Evaluated, ...]
    added: tuple[Evaluated, ...] = ()

    def __repr__(self) -> str:
        return f"Found(front={[one.reading.label for one in self.front]}, combinations={self.combinations})"

    @property
    def plain(self) -> Evaluated:
        """The plain reading, in full."""
        return self.finalists[0]

    @property
    def front(self) -> tuple[Evaluated, ...]:
        """The finalists that no other one equals or beats in weight and chosen statements, by weight."""
        return tuple(
            one
            for one in sorted(self.finalists, key=lambda one: one.reading.weight)
            if not any(_beats(other, one, self.chosen) for other in self.finalists)
        )

    @property
    def supported(self) -> Evaluated:
        """The reading of the front without a guess under which most chosen statements hold; the lightest of those."""
        grounded = [one for one in self.front if not one.reading.is_ad_hoc] or [self.plain]
        return max(grounded, key=lambda one: (one.count("holds", self.chosen), -one.reading.weight))

    @property
    def shown(self) -> tuple[Evaluated, ...]:
        """The plain reading, those of the front, and those that were added; each once."""
        return each_once(self.plain, *self.front, *self.added)

    @property
    def interactions(self) -> tuple[Interaction, ...]:
        """Pairs of departures that do more or less together than apart, the strongest first; from the short form."""
        by = {frozenset(one.reading.key.items()): one.count("holds", self.chosen) for one in self.joint}
        base = by.get(frozenset(), 0)
        found = []
        for pair, held in by.items():
            if len(pair) == 2 and all(frozenset({one}) in by for one in pair):
                first, second = sorted(pair)
                apart = (by[frozenset({first})] - base, by[frozenset({second})] - base)
                found.append(Interaction(first[1], second[1], apart, held - base))
        return tuple(sorted((one for one in found if one.strength), key=lambda one: -abs(one.strength)))


def each_once(*evaluated: Evaluated) -> tuple[Evaluated, ...]:
    """What was evaluated, in order, without repetitions."""
    return tuple(one for at, one in enumerate(evaluated) if one not in evaluated[:at])


def search(
    assumptions: Sequence[Assumption],
    chosen: frozenset[str],
    evaluate: Evaluate,
    *,
    effort: Effort | None = None,
    added: Sequence[Reading] = (),
) -> Found:
    """Looks for the front of readings.

    Args:
        assumptions: what is left open.
        chosen: the statements on which readings are chosen.
        evaluate: what becomes of the statements under a reading.
        effort: how many readings each stage looks at; `None`: the usual.
        added: readings that are evaluated in full whatever the search finds.
    """
    effort = effort or Effort()

    def evaluated(reading: Reading, stage: StageName) -> Evaluated:
        return Evaluated(reading, evaluate(reading, stage))

    plain = plain_reading(assumptions)
    screened = [evaluated(reading, "screen") for reading in (plain, *single_departures(assumptions))]
    acting = list(assumptions)
    if math.prod(len(a.choices) for a in assumptions) > effort.joint:
        # An assumption may act with another one only: none is left out where there is room for all.
        acting = [kept for a in assumptions if len((kept := _acting(a, screened, chosen)).choices) > 1]
    every = sorted(combinations(assumptions, acting), key=_promise(screened, chosen))
    # By assumption and value: values of two assumptions may have one name.
    known = {frozenset(one.reading.key.items()): one for one in screened}
    joint = [known.get(frozenset(r.key.items())) or evaluated(r, "joint") for r in every[: effort.joint]]
    raced = [evaluated(one.reading, "race") for one in _best(joint, chosen, effort.race)]
    best = [one.reading for one in _best(raced, chosen, effort.full)]
    last = {frozenset(r.key.items()): r for r in (plain, *best, *added)}
    finalists = {key: evaluated(r, "full") for key, r in last.items()}
    named = [finalists[key] for key in dict.fromkeys(frozenset(r.key.items()) for r in added)]
    inert = tuple(a for a in assumptions if a.name not in {kept.name for kept in acting})
    return Found(chosen, tuple(screened), inert, tuple(joint), len(every), tuple(finalists.values()), tuple(named))


def single_departures(assumptions: Sequence[Assumption]) -> Iterator[Reading]:
    """Every reading with one departure."""
    for assumption in assumptions:
        for choice in assumption.choices[1:]:
            yield departing(assumptions, {assumption.name: choice.name})


def combinations(assumptions: Sequence[Assumption], acting: Sequence[Assumption]) -> Iterator[Reading]:
    """Every reading of the assumptions that act, the lightest first, then those with fewer departures."""
    found = [
        departing(assumptions, dict(zip((a.name for a in acting), values, strict=True)))
        for values in itertools.product(*([choice.name for choice in a.choices] for a in acting))
    ]
    yield from sorted(found, key=lambda reading: (reading.weight, len(reading.departures)))


def _acting(assumption: Assumption, screened: Sequence[Evaluated], chosen: frozenset[str]) -> Assumption:
    """The assumption with its values that change a chosen verdict alone, one of those that change the same."""
    by = {one.reading.key.get(assumption.name): one.states for one in screened[1:]}
    seen = [_of(screened[0].states, chosen)]
    kept = [assumption.plain]
    for choice in sorted(assumption.choices[1:], key=lambda choice: choice.weight):
        states = _of(by[choice.name], chosen)
        if states not in seen:
            seen.append(states)
            kept.append(choice)
    return replace(assumption, choices=tuple(choice for choice in assumption.choices if choice in kept))


def _promise(screened: Sequence[Evaluated], chosen: frozenset[str]) -> Callable[[Reading], tuple[float, int, float]]:
    """Sorts readings by weight, then those with fewer departures, then those whose departures do most alone."""
    plain, *others = ((one, one.count("holds", chosen) + one.count("open", chosen) / 2) for one in screened)
    alone = {item: held - plain[1] for one, held in others for item in one.reading.key.items()}
    return lambda reading: (reading.weight, len(reading.departures), -sum(alone[item] for item in reading.key.items()))


def _of(states: States, half: frozenset[str]) -> dict[str, State]:
    return {name: state for name, state in states.items() if name in half}


def _best(evaluated: Sequence[Evaluated], chosen: frozenset[str], most: int) -> list[Evaluated]:
    """The readings that stay next to the plain one, which always does, by weight."""
    plain = [one for one in evaluated if not one.reading.departures]
    others = [one for one in evaluated if one.reading.departures]
    left = [one for one in others if not any(_is_out(one, other, chosen) for other in evaluated)]
    left.sort(key=lambda one: (-one.count("holds", chosen) - one.count("open", chosen) / 2, one.reading.weight))
    return sorted(plain + left[:most], key=lambda one: (one.reading.weight, len(one.reading.departures)))


def _is_out(one: Evaluated, other: Evaluated, chosen: frozenset[str]) -> bool:
    """Whether another reading of no more weight holds more even if every undecided statement of this one held."""
    hoped = one.count("holds", chosen) + one.count("open", chosen)
    return other.reading.weight <= one.reading.weight and other.count("holds", chosen) > hoped


def _beats(other: Evaluated, one: Evaluated, chosen: frozenset[str]) -> bool:
    """Whether another reading is no heavier, holds no less, and is better in one of both, or equal and named before."""
    mine = (-one.reading.weight, one.count("holds", chosen))
    theirs = (-other.reading.weight, other.count("holds", chosen))
    if theirs == mine:
        return other is not one and (len(other.reading.departures), other.reading.label) < (
            len(one.reading.departures),
            one.reading.label,
        )
    return theirs[0] >= mine[0] and theirs[1] >= mine[1]
