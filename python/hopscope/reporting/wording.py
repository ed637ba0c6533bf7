"""Results in words: the grids that the HTML page and the terminal share."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopscope.results import Result

_NOTHING = object()


@dataclass(frozen=True)
class Column:
    """A column of a grid.

    Attributes:
        name: heading.
        number: it holds numbers, aligned to the right.
        code: it holds something to type.
        tight: its text stays on one line.
        key: the dotted key that its name stands for.
    """

    name: str
    number: bool = False
    code: bool = False
    tight: bool = False
    key: str = ""


@dataclass(frozen=True)
class Grid:
    """A table as text."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    caption: str = field(default="")


def seeds(result: Result) -> str:
    """The seeds of a result: "1 to 5"."""
    first, count = result.scenario.seed, result.scenario.seeds
    return str(first) if count == 1 else f"{first} to {first + count - 1}"


def meant(*, several: bool) -> str:
    """What the values of a figure are, over several seeds or of one."""
    return "means with 95 % intervals" if several else "one seed, which has no interval"


def scenarios(documents: Mapping[str, Any]) -> dict[str, str]:
    """Scenarios as text, by name: the first in full, the others by what differs from it, where that is shorter."""
    found: dict[str, str] = {}
    first: dict[str, Any] = {}
    for name, given in documents.items():
        document = json.loads(json.dumps(given))
        whole, keys = compact_json(document), dict(_keys(document))
        changed = [f"{key} = {json.dumps(value)}" for key, value in keys.items() if first.get(key, _NOTHING) != value]
        gone = [f"{key} is not given" for key in first if key not in keys]
        short = "\n".join([f"As {next(iter(found), name)}, and:", *changed, *gone])
        found[name] = short if first and len(short) < len(whole) else whole
        first = first or keys
    return found


def _keys(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """The dotted keys of a document; tables in lists are numbered."""
    if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
        value = {str(number): one for number, one in enumerate(value)}
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _keys(inner, f"{key}.{name}" if key else str(name))
    else:
        yield key, value


def compact_json(value: Any, indent: int = 0) -> str:
    """Indented JSON in which anything that fits into 100 characters stays on one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= 100 or not isinstance(value, (dict, list)) or not value:
        return flat
    inner, outer = " " * (indent + 2), " " * indent
    if isinstance(value, dict):
        items = [f"{inner}{json.dumps(k)}: {compact_json(v, indent + 2)}" for k, v in value.items()]
        return "{\n" + ",\n".join(items) + f"\n{outer}}}"
    if all(not isinstance(item, (dict, list)) for item in value):
        return flat
    items = [f"{inner}{compact_json(item, indent + 2)}" for item in value]
    return "[\n" + ",\n".join(items) + f"\n{outer}]"
