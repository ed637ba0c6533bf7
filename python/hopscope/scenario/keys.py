"""Every key of a scenario file, table by table, as the engine's schema has it: nothing is said of a key here."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from hopscope import _core
from hopscope.scenario.fields import Field

Fields = tuple[Field, ...]

_TABLES = {name: (doc, fields, many) for (name, doc, fields), many in _core.tables()}

#: Sections whose parameters belong to the engine.
ENGINE_SECTIONS = tuple(name for name, (_, _, many) in _TABLES.items() if name not in {"", "series"} and not many)

#: Tables in double brackets; dotted keys name one by its number.
NUMBERED = tuple(name for name, (_, _, many) in _TABLES.items() if many)

#: Keys of a run that no sweep can vary.
NOT_SWEPT = ("title", "seed", "seeds", "series", "sweep")

#: Topology kind -> (one line of description, keys).
TOPOLOGIES: dict[str, tuple[str, Fields]] = {name: (doc, fields) for name, doc, fields in _core.topologies()}

#: Application -> (one line of description, keys it needs).
APPS: dict[str, tuple[str, tuple[str, ...]]] = {name: (doc, used) for name, doc, used in _core.apps()}

#: Traffic pattern -> one line of description.
PATTERNS = dict(_core.patterns())


def table(name: str) -> Fields:
    """Keys of a table of the file: ``""`` (its top), ``"radio"``, ``"flow"``, ``"series"`` and so on."""
    return _TABLES[name][1]


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the scenario file."""
    return _core.json_schema()


def top() -> Fields:
    """Keys at the top of the file."""
    return table("")


def flow() -> Fields:
    """Keys of one ``[[flow]]``."""
    return table("flow")


def series() -> Fields:
    """Keys of ``[series]``."""
    return table("series")


def engine(section: str) -> Fields:
    """Keys of an engine section as the file holds them, or the parameters of a routing protocol."""
    return table(section) if section in _TABLES else field(table("routing"), section).fields


@functools.cache
def topology() -> Field:
    """The key that names the kind of topology."""
    return _core.topology_kind()


def field(fields: Iterable[Field], name: str) -> Field:
    """The key of a name."""
    return next(f for f in fields if f.name == name)


def field_of(key: str) -> Field | None:
    """The entry of a dotted key in the table of all keys; None for a key that is not in it."""
    first, *rest = [part for part in key.split(".") if not part.isdigit() and part != "*"]
    if not rest:
        return next((one for one in top() if one.name == first), None)
    if first == "topology":
        # A key that several kinds have means the same in each.
        fields = tuple(one for _, of_kind in TOPOLOGIES.values() for one in of_kind)
    elif first in ENGINE_SECTIONS:
        fields = engine(first)
    else:
        fields = table(first) if first in NUMBERED else ()
    found = None
    for name in rest:
        found = next((one for one in fields if one.name == name), None)
        fields = found.fields if found is not None else ()
    return found


@functools.cache
def parameters(section: str) -> Fields:
    """Parameters of an engine section or of a routing protocol, under the engine's names."""
    return _core.parameters(section)


@functools.cache
def routing_protocols() -> tuple[str, ...]:
    """Routing protocols with parameters of their own."""
    return tuple(protocol for protocol, _ in _core.routings() if routing_sets(protocol))


@functools.cache
def routing_sets(protocol: str) -> tuple[str, ...]:
    """Names of the parameter sets of a routing protocol; empty for one without parameters."""
    return tuple(name for name, _ in _core.routing_sets(protocol))


def to_engine_key(section: str, path: tuple[str, ...]) -> str:
    """Returns the engine's name of a key: ``radio.error.per`` is ``error_per`` there."""
    return "_".join(path) if section == "radio" else path[-1]
