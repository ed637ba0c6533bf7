"""What a search has found, as sentences, tables and plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hopscope.assuming.search import Evaluated, Found
from hopscope.errors import counted
from hopscope.reporting.wording import Column, Grid
from hopscope.scenario.assumptions import Assumption, Reading

#: What a cell of the table of effects says.
MARKS = {"holds": "holds", "open": "undecided", "fails": "fails"}


def space(assumptions: Sequence[Assumption]) -> str:
    """How large the joint space is."""
    size = math.prod(len(a.choices) for a in assumptions)
    return f"{counted(len(assumptions), 'assumption')}, {size} readings"


def sentence(found: Found) -> str:
    """What the supported reading assumes and what it earns, against the plain reading."""
    plain, best = found.plain, found.supported
    if not best.reading.departures:
        return f"No reading with a ground does better than the plain one: {_both(plain, found)}."
    return (
        f"With {_because(best.reading)} (weight {best.reading.weight:g}), {_both(best, found)}; "
        f"under the plain reading {_held(plain, found, chosen=True)} and {_held(plain, found, chosen=False)}."
    )


def _because(reading: Reading) -> str:
    return ", ".join(f"{choice.name} for the {assumption.name}" for assumption, choice in reading.departures)


def _both(one: Evaluated, found: Found) -> str:
    return (
        f"{_held(one, found, chosen=True)} of the statements hold on which it was chosen and "
        f"{_held(one, found, chosen=False)} of the others"
    )


def _held(one: Evaluated, found: Found, *, chosen: bool) -> str:
    half = found.chosen if chosen else frozenset(one.states) - found.chosen
    return f"{one.count('holds', half)} of {sum(name in half for name in one.states)}"


def front(found: Found) -> Grid:
    """The front, a reading a row; the plain reading first, those that were added last."""
    rows = []
    for one in found.shown:
        rows.append(
            [
                f"{one.reading.weight:g}",
                one.reading.label,
                _mark(one, found),
                _held(one, found, chosen=True),
                _held(one, found, chosen=False),
                str(one.count("open")),
            ]
        )
    columns = [
        Column("weight", number=True), Column("departures"), Column(""), Column("chosen hold", number=True),
        Column("others hold", number=True), Column("undecided", number=True),
    ]  # fmt: skip
    return Grid(columns, rows, "")


def _mark(one: Evaluated, found: Found) -> str:
    if one.reading.is_ad_hoc:
        return "ad hoc"
    if one == found.supported:
        return "supported"
    return "" if one in found.front or one == found.plain else "added"


def difference(found: Found) -> str:
    """Which statements the supported reading gains and loses against the plain one, and which still fail.

    Then what each reading that was added gains and loses.
    """
    lines = [f"{what}: {', '.join(names) or 'none'}" for what, names in _changes(found.supported, found)]
    for one in found.added:
        if one not in (found.supported, found.plain):
            changes = "; ".join(f"{what}: {', '.join(names) or 'none'}" for what, names in _changes(one, found)[:2])
            lines.append(f"{one.reading.label}: {changes}")
    return "\n".join(lines)


def _changes(one: Evaluated, found: Found) -> list[tuple[str, list[str]]]:
    plain, states = found.plain.states, one.states
    gained = [name for name, state in states.items() if state == "holds" and plain.get(name) != "holds"]
    lost = [name for name, state in plain.items() if state == "holds" and states.get(name) != "holds"]
    failing = [name for name, state in states.items() if state == "fails"]
    return [("gained", gained), ("lost", lost), ("still fail", failing)]


def interactions(found: Found) -> Grid:
    """The pairs of departures that do more or less together than apart."""
    rows = [
        [f"{one.first} with {one.second}", *(f"{n:+d}" for n in (*one.apart, one.together, one.strength))]
        for one in found.interactions[:8]
    ]
    names = ("first alone", "second alone", "together", "interaction")
    return Grid([Column("departures"), *(Column(name, number=True) for name in names)], rows, "")


def effects(found: Found) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """The table of effects: names of the chosen statements, and for each single departure what became of them."""
    names = [name for name in found.screened[0].states if name in found.chosen]
    return names, [(one.reading.label, [MARKS[one.states[name]] for name in names]) for one in found.screened]


def to_json(found: Found, assumptions: Sequence[Assumption]) -> dict[str, Any]:
    """Everything as plain data."""
    return {
        "assumptions": {
            a.name: {"question": a.question, "values": {c.name: _choice(c) for c in a.choices}} for a in assumptions
        },
        "chosen": sorted(found.chosen),
        "inert": [assumption.name for assumption in found.inert],
        "combinations": {"evaluated": len(found.joint), "all": found.combinations},
        "screened": [_evaluated(one) for one in found.screened],
        "joint": [_evaluated(one) for one in found.joint],
        "finalists": [_evaluated(one) for one in found.finalists],
        "front": [one.reading.key for one in found.front],
        "supported": found.supported.reading.key,
        "added": [one.reading.key for one in found.added],
        "sentence": sentence(found),
    }


def _choice(choice: Any) -> Mapping[str, Any]:
    return {"ground": choice.ground, "because": choice.because, "weight": choice.weight}


def _evaluated(one: Evaluated) -> dict[str, Any]:
    return {"departures": one.reading.key, "weight": one.reading.weight, "states": dict(one.states)}
