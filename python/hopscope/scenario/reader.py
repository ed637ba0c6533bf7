"""Reading tables by their keys, and the list of what is wrong in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hopscope.errors import Problem, did_you_mean, shown
from hopscope.scenario import keys
from hopscope.scenario.document import Document, KeyPath
from hopscope.scenario.fields import Field, FieldError


class Reader:
    """Reads tables by their keys and collects every problem on the way.

    Attributes:
        document: what is read.
        problems: what is wrong.
        refused: the keys at fault.
        idle: keys that nothing uses, with what to say unless another point of the sweep uses them; None where that is
            meant, as with channel errors that are switched off.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self.refused: set[KeyPath] = set()
        self.idle: dict[KeyPath, Problem | None] = {}

    def refuse(self, path: KeyPath, message: str) -> None:
        """Notes a problem at ``path``."""
        self.problems.append(self.document.problem(path, message))
        self.refused.add(path)

    def without_use(self, path: KeyPath, message: str) -> None:
        """Notes a key that nothing uses."""
        self.idle[path] = self.document.problem(path, message)

    def table(self, path: KeyPath, values: object, fields: Iterable[Field]) -> dict[str, Any]:
        """Reads the keys that are given; unknown and ill-typed ones become problems."""
        known = {f.name: f for f in fields}
        if not isinstance(values, Mapping):
            self.refuse(path, f"found {shown(values)}; expected a table")
            return {}
        result: dict[str, Any] = {}
        for name, value in values.items():
            if (entry := known.get(name)) is None:
                self.refuse((*path, name), unknown_key(name, known))
                continue
            try:
                result[name] = entry.read(value)
            except FieldError as error:
                self.refuse((*path, name), str(error))
                continue
            if entry.kind == "table":
                result[name] = self.table((*path, name), value, entry.fields)
        return result

    def complete(self, path: KeyPath, values: object, fields: Iterable[Field]) -> dict[str, Any]:
        """Reads a table and fills in defaults; a missing required key is a problem."""
        fields = tuple(fields)
        given = values if isinstance(values, Mapping) else {}
        result = self.table(path, values, fields)
        for entry in fields:
            if entry.required and entry.name not in given:
                self.refuse((*path, entry.name), f"is missing; expected {entry.expected()}")
            elif entry.kind != "table":
                result.setdefault(entry.name, entry.default)
        return result


def unknown_key(name: str, known: Iterable[str]) -> str:
    """Returns the message for a key that does not exist."""
    names = list(known)
    if homes := keys.homes(name):
        return f"unknown key here; {name} is {' or '.join(homes)}"
    close = did_you_mean(name, names)
    if close and len(names) > 16:
        return f"unknown key{close}"
    return f"unknown key; allowed: {', '.join(names)}{close}"
