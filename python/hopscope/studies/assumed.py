"""The assumptions of a study folder: `[assumption.NAME]` with `question` and `values`, the plain one first."""

from __future__ import annotations

from hopscope.scenario.assumptions import GROUNDS, Assumption, Choice
from hopscope.studies.folder import Part


def read_assumptions(part: Part) -> dict[str, Assumption]:
    """The assumptions of a file: each with `question` and `[assumption.NAME.values.VALUE]`, by name."""
    found: dict[str, Assumption] = {}
    for name, own in part.parts("assumption"):
        question = own.text("question")
        choices = [_choice(value, inside, plain=not index) for index, (value, inside) in enumerate(own.parts("values"))]
        own.done("an assumption")
        if len(choices) < 2:
            own.problem("values", "an assumption has two values or more, the plain one first")
        else:
            found[name] = Assumption(name, question, tuple(choices))
    return found


def _choice(name: str, part: Part, *, plain: bool) -> Choice:
    changes, without = part.table("set"), tuple(part.texts("without"))
    only, where = part.table("only"), {key: str(value) for key, value in part.table("where").items()}
    because = part.text("because", "")
    ground = "" if plain and not part.has("ground") else part.text("ground", choices=GROUNDS)
    weight = part.number("weight", 0.0 if plain else GROUNDS.get(ground, 0.0))
    part.done("a value of an assumption")
    if weight < 0 or (plain and weight):
        part.problem("weight", f"found {weight:g}; allowed: 0 and more, and 0 for the plain value")
    if plain and (changes or without):
        part.problem("set", "the first value of an assumption is the plain one and changes nothing")
    if not plain and not because:
        part.problem("", "because is missing: the ground in a sentence")
    if not plain and not changes and not without:
        part.problem("", "set is missing: what the value changes")
    return Choice(name, changes, without, only, where, ground, because, weight, part.place)
