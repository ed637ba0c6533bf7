"""A study folder as read: its TOML with the place of every key, its published numbers, its notes, its own Python.

`Part` reads one table strictly: every key is asked for once, what nobody asked for is a problem. All problems of a
folder are collected and raised together, each with file, line and column.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hopscope.errors import InputError, Problem, ScenarioError, did_you_mean, listed, shown
from hopscope.scenario.document import Document, KeyPath, read

STUDY = "study.toml"
PUBLISHED = "published.csv"
REFERENCE = "reference.csv"
NOTES = "notes.md"
CHECKS = "checks.py"
VERDICTS = "verdicts.json"


@dataclass
class Folder:
    """A study folder, read.

    Attributes:
        path: where it is.
        documents: `study.toml` first, then every other TOML file by name.
        problems: what is wrong, so far.
        functions: what `checks.py` defines, by name.
    """

    path: Path
    documents: list[Document]
    problems: list[Problem] = field(default_factory=list)
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    def refuse(self) -> None:
        """Raise what has been found.

        Raises:
            ScenarioError: when anything has.
        """
        if self.problems:
            raise ScenarioError(self.problems)


def open_folder(path: Path, *, trusted: bool) -> Folder:
    """Read a study folder.

    Args:
        path: the folder.
        trusted: whether its Python (`checks.py`) may be loaded.

    Raises:
        InputError: it is no folder, has no study.toml, or has Python that may not be loaded.
        ScenarioError: a file in it is no TOML.
    """
    if not path.is_dir():
        raise InputError(f"{path}: no such study folder")
    if not (path / STUDY).is_file():
        raise InputError(f"{path}: has no {STUDY}; a study folder has {STUDY}, and may have {PUBLISHED} and {NOTES}")
    others = sorted(file for file in path.glob("*.toml") if file.name != STUDY)
    folder = Folder(path, [read(path / STUDY), *(read(file) for file in others)])
    checks = path / CHECKS
    if checks.is_file():
        if not trusted:
            raise InputError(f"{checks}: is Python, which runs only where you allow it: --trust")
        folder.functions = _functions(checks)
    return folder


def _functions(file: Path) -> dict[str, Callable[..., Any]]:
    try:
        found = runpy.run_path(str(file), run_name=f"hopscope_study_{file.parent.name}")
    except Exception as error:
        raise InputError(f"{file}: cannot be loaded: {type(error).__name__}: {error}") from error
    return {name: item for name, item in found.items() if callable(item) and not name.startswith("_")}


class Part:
    """One table of a TOML file, read strictly."""

    def __init__(self, folder: Folder, document: Document, values: Mapping[str, Any], path: KeyPath) -> None:
        self.folder = folder
        self.document = document
        self.values = values
        self.path = path
        self._asked: set[str] = set()

    def problem(self, key: str, message: str) -> None:
        """Note that something is wrong with a key of this table (empty: with the table)."""
        path = (*self.path, key) if key else self.path
        self.folder.problems.append(self.document.problem(path, message))

    @property
    def place(self) -> str:
        """Where the table stands, `file:line:column`."""
        return self.document.problem(self.path, "").place

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self.values

    def text(self, key: str, default: str | None = None, *, choices: Iterable[str] = ()) -> str:
        """A text; required unless there is a default."""
        value = self._typed(key, default, str, "a text", "")
        allowed = list(choices)
        if allowed and value not in allowed and isinstance(self.values.get(key), str):
            self.problem(key, f"found {shown(value)}{did_you_mean(value, allowed)}; allowed: {listed(allowed)}")
        return str(value)

    def number(self, key: str, default: float) -> float:
        """A number."""
        found: float = self._typed(key, default, (int, float), "a number", default)
        return found

    def count(self, key: str, default: int, *, least: int) -> int:
        """A whole number from a least one on."""
        words = f"a whole number from {least}"
        found: int = self._typed(key, default, int, words, least)
        if key in self.values and found < least:
            self.problem(key, f"found {shown(found)}; allowed: {words}")
        return found

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false."""
        return bool(self._typed(key, default, bool, "true, false", default))

    def texts(self, key: str) -> list[str]:
        """A list of texts, or one text; empty when it is not there."""
        value = self._get(key, [])
        found = [value] if isinstance(value, str) else value
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            self.problem(key, f"found {shown(value)}; allowed: a text or a list of texts")
            return []
        return list(found)

    def names(self, key: str, known: Iterable[str], lacking: str = "") -> list[str]:
        """A list of names, or one, each among those that are known; others are noted and left out."""
        found, lacking = self.texts(key), lacking or f"no {key}"
        for name in found:
            if name not in known:
                self.problem(key, f"{lacking} {name!r}{did_you_mean(name, known)}; allowed: {listed(known)}")
        return [name for name in found if name in known]

    def function(self, key: str, *, required: bool = True) -> Callable[..., Any] | None:
        """A function of the study's own Python by its name."""
        if not required and key not in self.values:
            return None
        found = self.folder.functions.get(self.text(key))
        if found is None:
            self.problem(key, f"{CHECKS} has no such function")
        return found

    def values_of(self, key: str) -> list[Any]:
        """A list of plain values, or one of them; empty when it is not there."""
        value = self._get(key, [])
        return list(value) if isinstance(value, list) else [value]

    def table(self, key: str) -> dict[str, Any]:
        """A table taken as it is; empty when it is not there."""
        return dict(self._typed(key, {}, dict, "a table", {}))

    def part(self, key: str) -> Part | None:
        """A table to be read strictly; `None` when it is not there."""
        if not self.has(key):
            return None
        return Part(self.folder, self.document, self.table(key), (*self.path, key))

    def parts(self, key: str = "") -> Iterator[tuple[str, Part]]:
        """The tables in a table, or in this one, by name, to be read strictly."""
        path = (*self.path, key) if key else self.path
        for name, value in (self.table(key) if key else self.values).items():
            if not key:
                self._asked.add(name)
            if isinstance(value, dict):
                yield name, Part(self.folder, self.document, value, (*path, name))
            else:
                self.problem(key or name, f"{name}: found {shown(value)}; allowed: a table")

    def array(self, key: str) -> list[Part]:
        """The tables of an array of tables, to be read strictly."""
        value = self._get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.problem(key, f"found {shown(value)}; allowed: [[{key}]]")
            return []
        return [Part(self.folder, self.document, v, (*self.path, key, str(i))) for i, v in enumerate(value)]

    def done(self, what: str) -> None:
        """Note every key that nobody asked for."""
        for key in self.values:
            if key not in self._asked:
                known = sorted(self._asked)
                self.problem(key, f"{what} has no such key{did_you_mean(key, known)}; allowed: {', '.join(known)}")

    def _typed(self, key: str, default: Any, kind: Any, words: str, otherwise: Any) -> Any:
        """The value where it is of a kind; else `otherwise`, and a problem unless the key is missing as a whole."""
        value = self._get(key, default)
        if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
            return value
        if key in self.values:
            self.problem(key, f"found {shown(value)}; allowed: {words}")
        return otherwise

    def _get(self, key: str, default: Any) -> Any:
        self._asked.add(key)
        if key in self.values:
            return self.values[key]
        if default is None:
            self.problem("", f"{key} is missing")
        return default
