"""What a study does not publish, as data: assumptions with their values, and readings, one value for each.

The first value of an assumption is the plain one and changes nothing. Each other value says what it changes in a
scenario, and on what ground somebody may take it. What a reading costs is the weight of its departures from the plain
values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from hopscope.errors import InputError, Problem, did_you_mean, listed
from hopscope.scenario.merging import at_key, deep_merge, matches, removed

Ground = Literal["paper", "default", "practice", "guess"]
"""Why a value may be taken: the paper says so elsewhere; it was the default of the paper's simulator at that time; it
was usual practice; or nothing but that it is possible."""

GROUNDS: Mapping[str, float] = {"paper": 1.0, "default": 1.0, "practice": 2.0, "guess": 4.0}
"""Weight of a departure by its ground, where the value gives none. The numbers are a default of ours: a guess costs as
much as two values from usual practice or four that the paper or its simulator names."""


@dataclass(frozen=True)
class Choice:
    """One value of an assumption.

    Attributes:
        name: as it stands in labels.
        changes, without: scenario keys that it sets and removes, dotted.
        only: which settings it is about, by axis and pattern; all when empty.
        where: which scenarios it is about, by dotted key and pattern (`flow.*.transport`: those flows); all when empty.
        ground: see `Ground`; empty for the plain value.
        because: the ground in a sentence.
        weight: what a departure to it costs; 0 for the plain value.
        place: where it is defined, `file:line:column`.
    """

    name: str
    changes: Mapping[str, Any]
    without: tuple[str, ...] = ()
    only: Mapping[str, Any] = field(default_factory=dict)
    where: Mapping[str, str] = field(default_factory=dict)
    ground: str = ""
    because: str = ""
    weight: float = 0.0
    place: str = ""

    @property
    def is_special(self) -> bool:
        """Whether it is about some settings only, and so comes after what these set themselves."""
        return bool(self.only or self.where)

    def applied(self, scenario: Mapping[str, Any]) -> dict[str, Any]:
        """A scenario with the changes, for every flow that `where` means."""
        changes, without = dict(self.changes), list(self.without)
        if wanted := {k.removeprefix(_FLOWS): v for k, v in self.where.items() if k.startswith(_FLOWS)}:
            meant = [
                index
                for index, flow in enumerate(scenario.get("flow", []))
                if all(matches(str(at_key(flow, key)), pattern) for key, pattern in wanted.items())
            ]
            changes = {own: value for key, value in changes.items() for own in _of_flows(key, meant)}
            without = [own for key in without for own in _of_flows(key, meant)]
        return deep_merge(removed(scenario, [key for key in without if _has(scenario, key)]), changes)

    def is_about(self, scenario: Mapping[str, Any], names: Mapping[str, str]) -> bool:
        """Whether it changes a setting with these axis values and this scenario."""
        whole = {key: pattern for key, pattern in self.where.items() if not key.startswith(_FLOWS)}
        return all(matches(names.get(axis, ""), wanted) for axis, wanted in self.only.items()) and all(
            matches(str(at_key(scenario, key)), pattern) for key, pattern in whole.items()
        )


@dataclass(frozen=True)
class Assumption:
    """Something that the source leaves open.

    Attributes:
        name: as it stands in the study's folder.
        question: what is not published.
        choices: its values, the plain one first.
    """

    name: str
    question: str
    choices: tuple[Choice, ...]

    @property
    def plain(self) -> Choice:
        """The value of the plain reading."""
        return self.choices[0]

    def choice(self, name: str) -> Choice:
        """The value of that name.

        Raises:
            KeyError: there is none.
        """
        return {choice.name: choice for choice in self.choices}[name]


@dataclass(frozen=True)
class Reading:
    """One value for each assumption.

    Attributes:
        chosen: (assumption, value) in the order of the assumptions.
    """

    chosen: tuple[tuple[Assumption, Choice], ...] = ()

    @property
    def departures(self) -> tuple[tuple[Assumption, Choice], ...]:
        """The values that are not the plain ones."""
        return tuple((assumption, choice) for assumption, choice in self.chosen if choice is not assumption.plain)

    @property
    def weight(self) -> float:
        """What its departures cost together."""
        return sum(choice.weight for _, choice in self.departures)

    @property
    def is_ad_hoc(self) -> bool:
        """Whether a departure has no ground."""
        return any(choice.ground == "guess" for _, choice in self.departures)

    @property
    def label(self) -> str:
        """Its departures in words; "plain" without any."""
        return ", ".join(choice.name for _, choice in self.departures) or "plain"

    @property
    def key(self) -> dict[str, str]:
        """Assumption -> value of its departures."""
        return {assumption.name: choice.name for assumption, choice in self.departures}

    def before(self, scenario: Mapping[str, Any]) -> dict[str, Any]:
        """A scenario as the reading has it, before a setting changes it: what the source varies comes after."""
        found = dict(scenario)
        for _, choice in self.departures:
            if not choice.is_special:
                found = choice.applied(found)
        return found

    def after(self, scenario: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
        """The scenario of a setting with the changes that are about some settings only."""
        found = dict(scenario)
        for _, choice in self.departures:
            if choice.is_special and choice.is_about(found, names):
                found = choice.applied(found)
        return found


#: The reading of a study without assumptions.
PLAIN = Reading()


def plain_reading(assumptions: Sequence[Assumption]) -> Reading:
    """The reading without departures."""
    return Reading(tuple((assumption, assumption.plain) for assumption in assumptions))


def departing(assumptions: Sequence[Assumption], values: Mapping[str, str]) -> Reading:
    """The reading with some values by the names of their assumptions, and the plain ones else.

    Raises:
        KeyError: an assumption has no such value.
    """
    return Reading(tuple((a, a.choice(values[a.name]) if a.name in values else a.plain) for a in assumptions))


def reading_of(text: str, assumptions: Sequence[Assumption]) -> Reading:
    """The reading that a text names: ``routing=AODV, packet=1000 bytes``. What it does not name has the plain value.

    Raises:
        InputError: there is no such assumption or value, or one is named twice; with the ones that there are.
    """
    names = [assumption.name for assumption in assumptions]
    values: dict[str, str] = {}
    # A value may have commas of its own.
    for part in re.split(r",\s*(?=[\w-]+\s*=)", text):
        name, _, value = (word.strip() for word in part.partition("="))
        if name not in names:
            raise InputError(
                f"reading {text}: no assumption {name!r}{did_you_mean(name, names)}; there are: {listed(names)}"
            )
        choices = [choice.name for choice in assumptions[names.index(name)].choices]
        if value not in choices:
            hint = did_you_mean(value, choices)
            raise InputError(f"reading {text}: {name} has no value {value!r}{hint}; there are: {listed(choices)}")
        if name in values:
            raise InputError(f"reading {text}: {name} stands twice")
        values[name] = value
    return departing(assumptions, values)


def twice_set(assumptions: Sequence[Assumption]) -> list[Problem]:
    """The keys that values of two assumptions set: a reading with both would have two values for one key.

    Two that are about different settings or flows may set the same.
    """
    owners: dict[tuple[str, str, str], str] = {}
    found = []
    for assumption in assumptions:
        for choice in assumption.choices:
            for key in choice.changes:
                about = (key, str(sorted(choice.only.items())), str(sorted(choice.where.items())))
                other = owners.setdefault(about, assumption.name)
                if other != assumption.name:
                    words = f"sets {key}, which a value of assumption.{other} sets as well"
                    found.append(Problem(f"assumption.{assumption.name}.values.{choice.name}", words, choice.place))
    return found


_FLOWS = "flow.*."


def _of_flows(key: str, meant: Sequence[int]) -> list[str]:
    return [f"flow.{index}.{key.removeprefix(_FLOWS)}" for index in meant] if key.startswith(_FLOWS) else [key]


def _has(document: Mapping[str, Any], key: str) -> bool:
    return str(at_key(document, key)) != ""
