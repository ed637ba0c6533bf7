"""A scenario file as read: plain values and, for every key, where it stands.

``tomllib`` gives the values but no positions; a second pass over the text that it accepted (in Rust) finds them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.errors import InputError, Problem, ScenarioError, shown
from hopscope.files import not_read, read_whole
from hopscope.scenario.controls import Control, is_class, reference

#: Larger files are refused: positions of many nodes belong in a ``[topology] kind = "file"``.
MAX_FILE_BYTES = 64_000_000

#: A key of more parts than any that there is, at the beginning of a line or in a table.
_DEEP = re.compile(r"""(?:^|[{,\[])[ \t]*((?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){50})""", re.MULTILINE)

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
        controls: classes that a store records, by what names them; None for what no store has kept.  With them no
            code that the values name is ever loaded, recorded or not.
        loads_code: whether files and modules that the values name may be loaded to look at their classes.
        opened: text of the files that the values name, by absolute path, as far as they have been read.
        kept: the same of a document that a store keeps: no file is opened for it but these; None for any other.
        together: key paths set from outside, with those that the same dotted key set (``flow.*.max_window``).
    """

    values: dict[str, Any]
    name: str = ""
    folder: Path = field(default_factory=Path)
    positions: dict[KeyPath, tuple[int, int]] = field(default_factory=dict)
    options: dict[KeyPath, str] = field(default_factory=dict)
    controls: dict[str, Control] | None = None
    together: dict[KeyPath, tuple[KeyPath, ...]] = field(default_factory=dict)
    loads_code: bool = True
    opened: dict[str, str] = field(default_factory=dict)
    kept: Mapping[str, str] | None = None

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
        raw = read_whole(file, MAX_FILE_BYTES)
    except FileNotFoundError as error:
        raise InputError(f"{file}: no such file") from error
    except OSError as error:
        raise InputError(not_read(file, error, "a scenario file (TOML)")) from error
    except ValueError as error:  # a null byte in its name
        raise InputError(f"{file}: cannot be read: {error}") from error
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
    if (deep := _DEEP.search(text)) is not None:  # tomllib takes as long as the square of the parts
        line, column = text.count("\n", 0, deep.end()) + 1, deep.start(1) - text.rfind("\n", 0, deep.start(1))
        raise ScenarioError([Problem("", "is no TOML scenario: nested too deeply", f"{name}:{line}:{column}")])
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
    return Document(values, name, folder or Path(), _core.key_places(text.replace("\r\n", "\n")))


def _dotted(parts: re.Match[str]) -> str:
    return ".".join(re.findall(r"'([^']*)'", parts[0]))


def from_mapping(values: Mapping[str, Any]) -> Document:
    """Wraps a mapping built in Python; keys must be text."""
    return Document(_plain(values, ()))


def from_store(
    values: Mapping[str, Any], controls: Mapping[str, Control], kept: Mapping[str, str] | None = None
) -> Document:
    """Wraps what a store holds: names of code in it stay names, and of files those in ``kept`` are there alone."""
    return Document(_plain(values, ()), controls=dict(controls), kept=kept)


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
    if is_class(value):
        return reference(value)
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        return value.item() if getattr(value, "ndim", 0) == 0 else _plain(value.tolist(), path)
    return value


def texts(value: Any) -> Iterator[str]:
    """Yields every text in the values of a document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)
