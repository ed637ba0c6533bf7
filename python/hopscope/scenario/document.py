"""A scenario file as read: plain values and, for every key, where it stands.

``tomllib`` gives the values but no positions; a second pass over the text that it accepted finds them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hopscope.congestion import CongestionControl
from hopscope.errors import InputError, Problem, ScenarioError, shown
from hopscope.scenario.controls import Control, reference

#: Larger files are refused: positions of many nodes belong in a ``[topology] kind = "file"``.
MAX_FILE_BYTES = 64_000_000

KeyPath = tuple[str, ...]


@dataclass
class Document:
    """Values as written and where they come from.

    Attributes:
        values: nested tables, as ``tomllib`` returns them.
        name: file name for messages; empty for a scenario built in Python.
        folder: where relative paths of the scenario start.
        positions: line and column (from 1) of every key path.
        options: key paths set from outside, with the text to show for them (``--set mac.queue=10``).
        controls: congestion controls that a store records, by transport; None for what no store has kept.  With them no
            code that the values name is ever loaded, recorded or not.
        together: key paths set from outside, with those that the same dotted key set (``flow.*.max_window``).
    """

    values: dict[str, Any]
    name: str = ""
    folder: Path = field(default_factory=Path)
    positions: dict[KeyPath, tuple[int, int]] = field(default_factory=dict)
    options: dict[KeyPath, str] = field(default_factory=dict)
    controls: dict[str, Control] | None = None
    together: dict[KeyPath, tuple[KeyPath, ...]] = field(default_factory=dict)

    def problem(self, path: KeyPath, message: str) -> Problem:
        """Returns a problem at ``path``, placed at the closest key that stands in the file."""
        for length in range(len(path), -1, -1):
            if (option := self.options.get(path[:length])) is not None:
                return Problem(".".join(path), message, option, (0, 0))
            if (position := self.positions.get(path[:length])) is not None:
                line, column = position
                return Problem(".".join(path), message, f"{self.name}:{line}:{column}", position)
        return Problem(".".join(path), message, f"{self.name}:1:1" if self.name else "", (1, 1))


def read(path: str | Path) -> Document:
    """Reads a scenario file.

    Raises:
        InputError: the file cannot be read.
        ScenarioError: it is no TOML.
    """
    file = Path(path)
    try:
        if file.is_dir():
            raise InputError(f"{file}: is a folder; expected a scenario file (TOML)")
        if file.stat().st_size > MAX_FILE_BYTES:
            raise InputError(f"{file}: larger than {MAX_FILE_BYTES // 1_000_000} MB; expected a scenario file (TOML)")
        raw = file.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"{file}: no such file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{file}: cannot be read: {reason}") from error
    try:
        text = raw.decode("utf-8-sig")  # editors on Windows put a mark in front of UTF-8
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        column = error.start - (raw.rfind(b"\n", 0, error.start) + 1) + 1
        problem = Problem("", "is no UTF-8 text; a scenario file is TOML in UTF-8", f"{file}:{line}:{column}")
        raise ScenarioError([problem]) from error
    return parse(text, str(file), file.parent)


def parse(text: str, name: str = "", folder: Path | None = None) -> Document:
    """Reads scenario text.

    Raises:
        ScenarioError: it is no TOML.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = re.sub(r" \(at (?:line \d+, column \d+|end of document)\)$", "", str(error))
        message = re.sub(r"\('[^()]*',?\)", _dotted, message)  # a key as a tuple of its parts
        where = re.search(r"\(at line (\d+), column (\d+)\)$", str(error))
        end = (text.count("\n") + 1, len(text) - text.rfind("\n"))
        line, column = (int(where[1]), int(where[2])) if where else end
        if message == "Cannot overwrite a value":
            written, equals, _ = text.split("\n")[line - 1].partition("=")
            if equals:  # not so where a list runs over several lines
                message = f"the key {written.strip()} stands twice"
                column = len(written) - len(written.lstrip()) + 1
        raise ScenarioError([Problem("", f"is no TOML: {message}", f"{name}:{line}:{column}")]) from error
    except RecursionError as error:
        raise ScenarioError([Problem("", "is no TOML scenario: nested too deeply", f"{name}:1:1")]) from error
    except ValueError as error:
        raise ScenarioError([Problem("", f"is no TOML: {error}", f"{name}:1:1")]) from error
    # tomllib joins CR LF; positions only need the same line structure.
    scanner = _Scanner(text.replace("\r\n", "\n"))
    return Document(values, name, folder or Path(), scanner.scan())


def _dotted(parts: re.Match[str]) -> str:
    return ".".join(re.findall(r"'([^']*)'", parts[0]))


def from_mapping(values: Mapping[str, Any]) -> Document:
    """Wraps a mapping built in Python; keys must be text."""
    return Document(_plain(values, ()))


def from_store(values: Mapping[str, Any], controls: Mapping[str, Control]) -> Document:
    """Wraps what a store holds: names of code in it stay names."""
    return Document(_plain(values, ()), controls=dict(controls))


def _plain(value: Any, path: KeyPath) -> Any:
    """Copies a nested value into plain dicts and lists, so that later changes do not reach the caller."""
    if len(path) > 50:
        raise ScenarioError([Problem("", "nested too deeply")])
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise ScenarioError([Problem(".".join(path), f"found the key {shown(key)}; keys are text")])
        return {key: _plain(item, (*path, key)) for key, item in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [_plain(item, (*path, str(index))) for index, item in enumerate(value)]
    if isinstance(value, type) and issubclass(value, CongestionControl):
        return reference(value)
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        return value.item() if getattr(value, "ndim", 0) == 0 else _plain(value.tolist(), path)
    return value


class _Scanner:
    """Walks valid TOML and notes where each key stands."""

    _BARE = re.compile(r"[A-Za-z0-9_-]+")
    _SPACE = re.compile(r"[ \t]*")
    _GAP = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
    _SCALAR = re.compile(r"[^,\]}#\n]*")
    _LITERAL3 = re.compile(r"'''(?:.|\n)*?'''(?:'{0,2}(?!'))?")
    _BASIC3 = re.compile(r'"""(?:\\(?:.|\n)|[^\\])*?"""(?:"{0,2}(?!"))?')
    _LITERAL = re.compile(r"'[^'\n]*'")
    _BASIC = re.compile(r'"(?:\\.|[^"\\\n])*"')

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[KeyPath, tuple[int, int]] = {}
        self.line = 1
        self.line_start = 0
        self.counted = 0

    def scan(self) -> dict[KeyPath, tuple[int, int]]:
        base: KeyPath = ()
        counts: dict[KeyPath, int] = {}
        self._match(self._GAP)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                start = self.at
                array = self.text.startswith("[[", self.at)
                self.at += 2 if array else 1
                self._match(self._SPACE)
                base = self._resolve(self._key(), counts, array)
                position = self._position(start)
                for path in (base[:-1], base) if array else (base,):
                    self.found.setdefault(path, position)
                self.at = self.text.index("]", self.at) + (2 if array else 1)
            else:
                self._assignment(base)
            before = self.at
            self._match(self._GAP)
            if self.at == before and self.at < len(self.text):
                break  # nothing here that TOML allows: positions so far are still right
        return self.found

    def _resolve(self, path: KeyPath, counts: dict[KeyPath, int], array: bool) -> KeyPath:
        """Inserts the index of the current element after each array of tables on the way."""
        resolved: KeyPath = ()
        for depth, part in enumerate(path):
            resolved = (*resolved, part)
            last = depth == len(path) - 1
            if last and array:
                counts[resolved] = counts.get(resolved, -1) + 1
            if resolved in counts:
                resolved = (*resolved, str(counts[resolved]))
        return resolved

    def _assignment(self, base: KeyPath) -> None:
        start = self.at
        path = base + self._key()
        position = self._position(start)
        for length in range(len(base) + 1, len(path) + 1):
            self.found.setdefault(path[:length], position)
        self._match(self._SPACE)
        self.at += 1  # the equals sign
        self._match(self._SPACE)
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        text, at = self.text, self.at
        if text.startswith("'''", at):
            self._match(self._LITERAL3)
        elif text.startswith('"""', at):
            self._match(self._BASIC3)
        elif text.startswith("'", at):
            self._match(self._LITERAL)
        elif text.startswith('"', at):
            self._match(self._BASIC)
        elif text.startswith("[", at):
            self._array(path)
        elif text.startswith("{", at):
            self._inline_table(path)
        else:
            self._match(self._SCALAR)

    def _array(self, path: KeyPath) -> None:
        self.at += 1
        index = 0
        self._match(self._GAP)
        while self.text[self.at : self.at + 1] not in {"]", ""}:
            item = (*path, str(index))
            self.found[item] = self._position(self.at)
            before = self.at
            self._value(item)
            if not self._comma(before):
                return
            index += 1
        self.at += 1

    def _inline_table(self, path: KeyPath) -> None:
        self.at += 1
        self._match(self._GAP)
        while self.text[self.at : self.at + 1] not in {"}", ""}:
            before = self.at
            self._assignment(path)
            if not self._comma(before):
                return
        self.at += 1

    def _comma(self, before: int) -> bool:
        """Passes over a comma; False when nothing was read since `before`, which only broken text can cause."""
        self._match(self._GAP)
        if self.text[self.at : self.at + 1] == ",":
            self.at += 1
            self._match(self._GAP)
        return self.at != before

    def _key(self) -> KeyPath:
        parts: list[str] = []
        while True:
            self._match(self._SPACE)
            if self.text.startswith('"', self.at):
                parts.append(str(tomllib.loads(f"k={self._match(self._BASIC)}")["k"]))
            elif self.text.startswith("'", self.at):
                parts.append(self._match(self._LITERAL)[1:-1])
            else:
                parts.append(self._match(self._BARE))
            self._match(self._SPACE)
            if not self.text.startswith(".", self.at):
                return tuple(parts)
            self.at += 1

    def _match(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match[0]

    def _position(self, at: int) -> tuple[int, int]:
        """Line and column of an offset; offsets are asked for in rising order."""
        newlines = self.text.count("\n", self.counted, at)
        if newlines:
            self.line += newlines
            self.line_start = self.text.rindex("\n", self.counted, at) + 1
        self.counted = max(self.counted, at)
        return self.line, at - self.line_start + 1
