"""Every key of a scenario file, table by table, as the engine's schema has it: nothing is said of a key here."""

from __future__ import annotations

import functools
import json
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

#: Tables whose mistakes leave the network itself sound.
OF_FLOWS = ("flow", "outage", "series")

#: Topology kind -> (one line of description, keys).
TOPOLOGIES: dict[str, tuple[str, Fields]] = {name: (doc, fields) for name, doc, fields in _core.topologies()}

#: Application -> (one line of description, keys it needs).
APPS: dict[str, tuple[str, tuple[str, ...]]] = {name: (doc, used) for name, doc, used, _, _ in _core.apps()}

#: Application -> the engine's word for it.
ENGINE_APPS = {name: word for name, _, _, word, _ in _core.apps()}

#: Defaults of an application, in engine form, where they differ from those of the keys or the key has none.
APP_DEFAULTS: dict[str, dict[str, Any]] = {name: defaults for name, _, _, _, defaults in _core.apps()}

#: Traffic pattern -> one line of description.
PATTERNS = dict(_core.patterns())

#: The recovery that leaves the choice to others.
OWN_RECOVERY = "own"


def table(name: str) -> Fields:
    """Keys of a table of the file: ``""`` (its top), ``"radio"``, ``"flow"``, ``"series"`` and so on."""
    return _TABLES[name][1]


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the scenario file."""
    document: dict[str, Any] = json.loads(_core.json_schema())
    return document


def top() -> Fields:
    """Keys at the top of the file."""
    return table("")


def flow() -> Fields:
    """Keys of one ``[[flow]]``."""
    return table("flow")


def reply() -> Fields:
    """Keys of the application that replies."""
    return field(flow(), "reply").fields


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


def default(name: str) -> Any:
    """The default of a key at the top of the file."""
    return field(top(), name).default


def not_of(transport: str) -> tuple[str, ...]:
    """Keys of a flow that a transport has not."""
    word = "tcp" if transport.startswith("tcp") else transport
    return tuple(f.name for f in flow() if f.when and f.when[0] == "transport" and word not in f.when[1])


def error_keys(kind: str) -> tuple[str, ...]:
    """Keys of ``[radio.error]`` that a kind of channel errors uses."""
    fields = field(engine("radio"), "error").fields
    return tuple(f.name for f in fields if f.when is None or kind in f.when[1])


def error_kinds() -> tuple[str, ...]:
    """Kinds of channel errors."""
    return field(field(engine("radio"), "error").fields, "kind").choices


def control() -> Field:
    """The key that names the congestion control of a flow, or gives the parameters of one."""
    return field(flow(), "control")


def controls() -> tuple[str, ...]:
    """The engine's congestion controls."""
    return control().choices


def homes(name: str) -> list[str]:
    """The dotted keys that end in a name, those of topologies left out; N stands for the number of a table."""
    order = ("", "flow", "outage", "series", *ENGINE_SECTIONS)
    places = [(f"{at}.N." if at in NUMBERED else f"{at}." if at else "", table(at)) for at in order]
    inner = [(f"{at}{f.name}.", f.fields) for at, fields in places for f in fields if f.fields and at != "flow.N."]
    return [f"{at}{name}" for at, fields in (*places, *inner) if any(f.name == name for f in fields)]


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


@functools.cache
def routing_set(protocol: str, name: str) -> dict[str, Any]:
    """The constants of a named parameter set, in engine form."""
    constants: dict[str, Any] = json.loads(_core.routing_set(protocol, name))
    return constants


def routing_set_of(protocol: str, constants: dict[str, Any]) -> str:
    """Returns the name of the parameter set with these constants: the profile's own set."""
    return next(name for name in routing_sets(protocol) if routing_set(protocol, name) == constants)


def routing(protocol: object) -> Fields:
    """Keys of ``[routing]`` for a protocol: ``parameters`` takes its sets alone."""
    fields = engine("routing")
    sets = routing_sets(protocol) if isinstance(protocol, str) else ()
    return tuple(f.choosing(sets) if f.name == "parameters" else f for f in fields) if sets else fields


def to_engine_key(section: str, path: tuple[str, ...]) -> str:
    """Returns the engine's name of a key: ``radio.error.per`` is ``error_per`` there."""
    return "_".join(path) if section == "radio" else path[-1]


def from_engine_key(key: str) -> tuple[str, ...]:
    """Returns the scenario's name of a dotted engine key, for messages of the engine."""
    path = [part for part in key.split(".") if part]
    if not path:
        return ()
    if path[0] in {"flows", "outages", "layers", "wires"}:
        path[0] = path[0].removesuffix("s")
        if len(path) > 2 and path[2] == "app" and len(path) > 3:
            del path[2]
            path[2:] = ["trace"] if path[2] == "frames" else path[2:]
        elif path[2:4] == ["reply", "frames"]:
            path[3:] = ["trace"]
        elif path[2:3] == ["ends"]:
            path[2:] = ["from" if path[3:] == ["0"] else "to"]
        elif path[0] == "layer" and path[2:] == ["layer"]:
            path[2] = "link"
    elif path == ["link", "layer"]:
        path = ["mac", "link"]
    elif path[0] in routing_protocols():
        path[:1] = ["routing", path[0]]
    elif path[0] == "nodes":
        path = ["topology"]
    elif path[0] == "radio" and len(path) > 1 and path[1].startswith("error_"):
        path[1:2] = ["error", path[1].removeprefix("error_")]
    return tuple(path)
