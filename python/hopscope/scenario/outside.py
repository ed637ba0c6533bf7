"""What Rust asks for while it resolves a point: the text of files, and classes of the user's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hopscope.errors import did_you_mean, shown
from hopscope.scenario import files
from hopscope.scenario.controls import (
    CLASS,
    CONTROL,
    FILE_FORM,
    FORM,
    POLICY,
    Control,
    ControlError,
    FlowControl,
    Reference,
    Role,
    find,
    is_named,
    names_code,
    role_of,
    unloaded,
    unrecorded,
)
from hopscope.scenario.document import Document, KeyPath

Findings = list[tuple[KeyPath, str]]


class Outside:
    """What lies outside a document; keys are given by their paths in it.

    Attributes:
        document: what is resolved.
        own: the classes of the user's that were found, by the number of their ``[[flow]]`` and the text that names
            them, with its prefix.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.own: dict[int, dict[str, FlowControl]] = {}

    def text(self, key: KeyPath, wanted: str) -> tuple[str, str]:
        """Returns the name of the file that a key names, and its text."""
        name = self._at(key)
        if not isinstance(name, str):
            raise ValueError(f"found {shown(name)}; expected {wanted}")
        path = self.document.folder / name
        if (kept := self.document.kept) is not None:
            if name not in kept:
                raise ValueError(f"{name}: the store does not hold this file, and opens none of yours in its place")
            return name, kept[name]
        text = files.text(path, wanted)
        self.document.opened[str(path.resolve())] = text
        return str(path), text

    def sibling(self, key: KeyPath, ending: str) -> str | None:
        """Returns the text of the file with another ending next to the one that a key names, or None."""
        name = self._at(key)
        if not isinstance(name, str) or not Path(name).name:
            return None
        if (kept := self.document.kept) is not None:
            return kept.get(str(files.companion(Path(name), ending)))
        path = files.companion(self.document.folder / name, ending)
        if (text := files.short(path)) is not None:
            self.document.opened[str(files.companion((self.document.folder / name).resolve(), ending))] = text
        return text

    def is_class(self, key: KeyPath) -> bool:
        """Whether a word is meant to be a class; of what a store holds every word is one that the engine has not."""
        return self.document.controls is not None or is_named(self._at(key), _role(key))

    def control(
        self, named: KeyPath, parameters: KeyPath
    ) -> tuple[tuple[str, str, str, dict[str, Any]] | None, Findings, Findings]:
        """Finds a class: its name, the text that names it, its identity, and all its parameters.

        Also what is wrong, and the parameters that it does not have.
        """
        text, table = self._at(named), self._at(parameters)
        given = {name: value for name, value in table.items() if name != CLASS} if isinstance(table, Mapping) else {}
        role = _role(named)
        is_whole = isinstance(text, Reference) or text.startswith(role.prefix)
        transport = text if is_whole else role.prefix + text
        try:
            control = self._found(transport, given, role)
        except ControlError as error:
            return None, [(named, str(error) if named[-1] == "transport" else str(error).replace(FORM, FILE_FORM))], []
        defaults = control.parameters
        have = f"; it has {', '.join(defaults)}" if defaults else "; it has none"
        unused = [
            ((*parameters, name), f"no parameter of {transport}{have}{did_you_mean(name, defaults)}")
            for name in given
            if name not in defaults
        ]
        refused = [
            (
                (*parameters, name),
                f"found {shown(value)}; expected {_kind(defaults[name])}, as the class has {shown(defaults[name])}",
            )
            for name, value in given.items()
            if name in defaults and _kind(value) != _kind(defaults[name])
        ]
        values = {name: given.get(name, default) for name, default in defaults.items()}
        self.own.setdefault(int(named[1]), {})[transport] = FlowControl(control, values)
        return (control.name, transport.removeprefix(role.prefix), control.identity(values), values), refused, unused

    def _found(self, transport: str, given: Mapping[str, Any], role: Role) -> Control:
        """The class; of what a store holds nothing is loaded."""
        if isinstance(transport, Reference) and role_of(transport.cls) is not role:
            raise ControlError(f"{transport.cls.__name__} is no subclass of hopscope.{role.base.__name__}")
        recorded = self.document.controls
        if recorded is None and not self.document.loads_code and names_code(transport):
            return unloaded(transport, given, self.document.folder)
        if recorded is None or isinstance(transport, Reference):
            return find(transport, self.document.folder)
        return recorded[transport] if transport in recorded else unrecorded(transport, given)

    def _at(self, key: KeyPath) -> Any:
        """The value of a key, None where it is absent."""
        found: Any = self.document.values
        for part in key:
            found = found[int(part)] if isinstance(found, list) else found.get(part)
        return found


def _role(key: KeyPath) -> Role:
    """What the class that a key of a flow names should be."""
    return POLICY if key[2] == "ack" else CONTROL


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    return "text" if isinstance(value, str) else "a number"
