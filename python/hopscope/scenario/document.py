"""A scenario file as read: plain values and, for every key, where it stands. TOML itself is read in Rust."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.errors import InputError, Problem, ScenarioError, shown
from hopscope.io.files import not_read, read_whole
from hopscope.scenario.controls import Control, is_class, reference

#: Larger files are refused: positions of many nodes belong in a ``[topology] kind = "file"``.
MAX_FILE_BYTES = 64_000_000

KeyPath = tuple[str, ...]


@dataclass
class Document:
    """Values as written and where they come from.

    Attributes:
        values: nested tables and lists.
        name: file name for messages; empty for a scenario built in Python.
        folder: where relative paths of the scenario start.
        places: line and column (from 1) of every key path.
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
    places: _core.Locations = field(default_factory=_core.Locations)
    options: dict[KeyPath, str] = field(default_factory=dict)
    controls: dict[str, Control] | None = None
    together: dict[KeyPath, tuple[KeyPath, ...]] = field(default_factory=dict)
    loads_code: bool = True
    opened: dict[str, str] = field(default_factory=dict)
    kept: Mapping[str, str] | None = None

    def problem(self, path: KeyPath, message: str) -> Problem:
        """Returns a problem at ``path``, placed at the closest key that stands in the file."""
        lengths = range(len(path), -1, -1)
        # What stands below a key that was set from outside is no longer there.
        if (option := next((self.options[path[:n]] for n in lengths if path[:n] in self.options), None)) is not None:
            return Problem(".".join(path), message, option, (0, 0))
        line, column = self.places.nearest(path)
        return Problem(".".join(path), message, f"{self.name}:{line}:{column}" if self.name else "", (line, column))

    def with_values(self, values: dict[str, Any]) -> Document:
        """Returns the document with other values, for which further keys can be set from outside."""
        return replace(self, values=values, options=dict(self.options), together=dict(self.together))


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
    return _parsed(raw, str(file), file.parent)


def parse(text: str, name: str = "", folder: Path | None = None) -> Document:
    """Reads scenario text.

    Raises:
        ScenarioError: it is no TOML.
    """
    return _parsed(text.encode("utf-8", "surrogatepass"), name, folder or Path())


def _parsed(octets: bytes, name: str, folder: Path) -> Document:
    try:
        values, places = _core.read_toml(octets)
    except _core.TomlError as error:
        [faults] = error.args
        problems = [Problem("", message, f"{name}:{line}:{column}", (line, column)) for message, line, column in faults]
        raise ScenarioError(problems) from error
    return Document(values, name, folder, places)


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
