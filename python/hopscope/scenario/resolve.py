"""From a document to typed values in base units with every default filled in, or to the list of everything wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hopscope import _core
from hopscope.errors import Problem, listed, shown
from hopscope.scenario import keys
from hopscope.scenario.document import Document, KeyPath
from hopscope.scenario.fields import FieldError
from hopscope.scenario.files import read_trace
from hopscope.scenario.reader import Reader, unknown_key
from hopscope.scenario.topology import Placed, Positions, place
from hopscope.scenario.transports import read_transport

#: Tables at the top of a file.
TABLES = ("topology", *keys.ENGINE_SECTIONS, *keys.NUMBERED, "series", "sweep")


@dataclass
class Resolved:
    """One point of a scenario, complete: engine form (times in nanoseconds), all defaults filled in."""

    top: dict[str, Any] = field(default_factory=dict)
    topology: dict[str, Any] = field(default_factory=dict)
    nodes: Positions = field(default_factory=list)
    wired: int = 0
    preset: str = ""
    link: dict[str, Any] = field(default_factory=dict)
    radio: dict[str, Any] = field(default_factory=dict)
    mac: dict[str, Any] = field(default_factory=dict)
    net: dict[str, Any] = field(default_factory=dict)
    routing: dict[str, Any] = field(default_factory=dict)
    routing_set: str = ""
    routing_constants: dict[str, Any] | None = None
    tcp: dict[str, Any] = field(default_factory=dict)
    flows: list[dict[str, Any]] = field(default_factory=list)
    wires: list[dict[str, Any]] = field(default_factory=list)
    outages: list[dict[str, Any]] = field(default_factory=list)
    layers: list[dict[str, Any]] = field(default_factory=list)
    series: dict[str, Any] = field(default_factory=dict)
    refused: frozenset[KeyPath] = frozenset()
    idle: dict[KeyPath, Problem | None] = field(default_factory=dict)


def resolve(document: Document, places: dict[str, Placed] | None = None) -> tuple[Resolved, list[Problem]]:
    """Reads a document without its sweep.

    Args:
        document: the values and where they stand.
        places: positions already made for a topology, to be shared between the points of a sweep.

    Returns:
        the resolved values, and the problems found; with problems the values are incomplete and ``refused`` holds the
        keys at fault.  ``idle`` are the keys that this point does not use.
    """
    reader = Reader(document)
    values = document.values
    result = Resolved()
    tops = {f.name: f for f in keys.top()}
    for name in values:
        if name not in tops and name not in TABLES:
            reader.refuse((name,), unknown_key(name, [*tops, *TABLES]))
    result.top = reader.complete((), {k: v for k, v in values.items() if k in tops}, keys.top())
    _engine_sections(reader, result)
    _topology(reader, result, places if places is not None else {})
    _wires(reader, result)
    _flows(reader, result)
    _outages(reader, result)
    _layers(reader, result)
    result.series = reader.complete(("series",), values.get("series", {}), keys.series())
    result.refused, result.idle = frozenset(reader.refused), reader.idle
    return result, reader.problems


def _engine_sections(reader: Reader, result: Resolved) -> None:
    values = reader.document.values
    routing = values.get("routing")
    protocol = routing.get("protocol") if isinstance(routing, Mapping) else None
    fields = {s: keys.engine(s) for s in keys.ENGINE_SECTIONS} | {"routing": keys.routing(protocol)}
    foreign = _foreign_set(reader, routing, protocol)
    given = {
        s: reader.table((s,), foreign if s == "routing" and foreign is not None else values.get(s, {}), fields[s])
        for s in keys.ENGINE_SECTIONS
    }
    result.preset = given["radio"].pop("preset", keys.field(keys.engine("radio"), "preset").default)
    if "link" in given["mac"]:
        given["link"]["layer"] = given["mac"].pop("link")
    errors = _errors(reader, given["radio"].pop("error", None))
    given["radio"].update({keys.to_engine_key("radio", ("error", name)): value for name, value in errors.items()})
    profile = result.top.get("profile", keys.default("profile"))
    base: dict[str, dict[str, Any]] = json.loads(_core.base_config(profile, result.preset))
    base.setdefault("routing", {f.name: f.default for f in keys.parameters("routing")})
    _routing(reader, result, given["routing"], base)
    for section in keys.ENGINE_SECTIONS:
        setattr(result, section, {**base[section], **given[section]})


def _errors(reader: Reader, given: dict[str, Any] | None) -> dict[str, Any]:
    """The keys of the channel errors that their kind uses."""
    path = ("radio", "error")
    if given is None or path in reader.refused:
        return {}
    if "kind" not in given:
        if (*path, "kind") not in reader.refused:
            kinds = keys.field(keys.field(keys.engine("radio"), "error").fields, "kind")
            reader.refuse((*path, "kind"), f"is missing; expected {kinds.expected()}")
        return given
    kind = given["kind"]
    for name in [name for name in given if name not in keys.error_keys(kind)]:
        users = [word for word in keys.error_kinds() if name in keys.error_keys(word)]
        del given[name]
        if kind == "none":
            reader.idle[(*path, name)] = None
        else:
            reader.without_use((*path, name), f'does not belong to kind = "{kind}"; it is used by {listed(users)}')
    return given


def _foreign_set(reader: Reader, routing: object, protocol: object) -> dict[str, Any] | None:
    """The ``[routing]`` without a parameter set that is one of another protocol; None where it has none such."""
    if not isinstance(routing, Mapping) or not isinstance(protocol, str):
        return None
    chosen, sets = routing.get("parameters"), keys.routing_sets(protocol)
    owners = [p for p in keys.routing_protocols() if chosen in keys.routing_sets(p)]
    if not sets or chosen in sets or not owners:
        return None
    message = f"found {shown(chosen)}; allowed: {listed(sets)}; {_belongs(owners, protocol)}"
    reader.without_use(("routing", "parameters"), message)
    return {name: value for name, value in routing.items() if name != "parameters"}


def _routing(reader: Reader, result: Resolved, given: dict[str, Any], base: dict[str, dict[str, Any]]) -> None:
    """Takes the protocol's own parameters out of the ``[routing]`` that was given; those of others have no use."""
    protocols = keys.routing_protocols()
    chosen = given.pop("parameters", None)
    overrides = {name: given.pop(name, {}) for name in protocols}
    protocol = {**base["routing"], **given}["protocol"]
    if protocol in protocols:
        result.routing_set = chosen or keys.routing_set_of(protocol, base[protocol])
        result.routing_constants = {**keys.routing_set(protocol, result.routing_set), **overrides[protocol]}
    written = reader.document.values.get("routing")
    if not isinstance(written, Mapping) or ("protocol" in written and "protocol" not in given):
        return  # a wrong protocol is a problem of its own
    if "parameters" in written and protocol not in protocols:
        owners = [p for p in protocols if written["parameters"] in keys.routing_sets(p)]
        reader.without_use(("routing", "parameters"), _belongs(owners or protocols, protocol))
    for name in protocols:
        if name in written and name != protocol:
            reader.without_use(("routing", name), _belongs([name], protocol))


def _belongs(owners: Iterable[str], protocol: str) -> str:
    wanted = " or ".join(f'"{owner}"' for owner in owners)
    return f'belongs to protocol = {wanted}; found protocol = "{protocol}"'


def _topology(reader: Reader, result: Resolved, places: dict[str, Placed]) -> None:
    values = reader.document.values.get("topology")
    path = ("topology",)
    if values is None:
        reader.refuse(path, f"is missing; expected a [topology] table with kind = {listed(keys.TOPOLOGIES)}")
        return
    if not isinstance(values, Mapping):
        reader.refuse(path, f"found {shown(values)}; expected a table")
        return
    kind_key = keys.topology()
    if "kind" not in values:
        reader.refuse((*path, "kind"), f"is missing; expected {kind_key.expected()}")
        return
    before = len(reader.problems)
    try:
        kind = kind_key.read(values["kind"])
    except FieldError as error:
        reader.refuse((*path, "kind"), str(error))
        return
    rest = {name: value for name, value in values.items() if name != "kind"}
    table = {"kind": kind, **reader.complete(path, rest, keys.TOPOLOGIES[kind][1])}
    if len(reader.problems) > before:
        return
    result.topology = table
    tx_range = float(result.radio["tx_range"])
    label = json.dumps([table, tx_range])
    try:
        if label not in places:
            places[label] = place(table, reader.document.folder, tx_range)
        placed = places[label]
        result.nodes, result.wired, result.wires = placed.nodes, placed.wired, list(placed.wires)
    except _core.PlaceError as error:
        reader.refuse((*path, error.key), str(error))


def _flows(reader: Reader, result: Resolved) -> None:
    if reader.document.values.get("flow") in (None, []):
        reader.refuse(("flow",), "is missing; a scenario has at least one [[flow]] with from and to")
        return
    for path, value in _tables(reader, "flow"):
        flow = reader.complete(path, value, keys.flow())
        if isinstance(value, Mapping):
            if (*path, "app") not in reader.refused:
                _app_keys(reader, path, value, flow)
                _trace(reader, path, flow)
            if (*path, "transport") not in reader.refused:
                read_transport(reader, path, value, flow)
                _reply(reader, path, value, flow)
            flow["tcp"] = {**result.tcp, **flow.get("tcp", {})}
            dccp = keys.field(keys.flow(), "dccp").fields
            flow["dccp"] = {f.name: f.default for f in dccp} | flow.get("dccp", {})
            _number_nodes(result, flow, ("from", "to"))
            _pattern(reader, path, value, flow, result)
        result.flows.append(flow)


def _pattern(reader: Reader, path: KeyPath, value: Mapping[str, Any], flow: dict[str, Any], result: Resolved) -> None:
    """Puts the ends of the flows that the table stands for into ``ends``."""
    if "pattern" not in value:
        if "pattern_seed" in value:
            reader.refuse((*path, "pattern_seed"), 'belongs to pattern = "random"')
        for entry in (f for f in keys.flow() if f.name in {"from", "to"} and f.name not in value):
            reader.refuse((*path, entry.name), f"is missing; expected {entry.expected()}, or a pattern for both ends")
        flow["ends"] = [(flow["from"], flow["to"])] * flow["copies"]
        return
    for name in ("from", "to"):
        if name in value:
            reader.refuse((*path, name), "found beside pattern, which says where the flows run; leave out one of them")
    if flow["pattern"] is None or not result.nodes:
        return
    try:
        if flow["pattern"] == "across":
            if "pattern_seed" in value:
                reader.refuse((*path, "pattern_seed"), 'belongs to pattern = "random"')
            flow["ends"] = _core.across(result.topology, flow["copies"] if "copies" in value else None)
            flow["copies"] = len(flow["ends"])
        else:
            reach = float(result.radio["tx_range"])
            radios = result.nodes[: len(result.nodes) - result.wired]
            flow["ends"] = _core.drawn(radios, reach, flow["copies"], flow["pattern_seed"])
    except _core.PlaceError as error:
        reader.refuse((*path, error.key), str(error))


def _wires(reader: Reader, result: Resolved) -> None:
    given = []
    for path, value in _tables(reader, "wire"):
        wire = reader.complete(path, value, keys.table("wire"))
        _number_nodes(result, wire, ("from", "to"))
        given.append(wire)
    # In the order of their tables: messages of the engine name a wire by its number.
    result.wires = [*given, *result.wires]


def _outages(reader: Reader, result: Resolved) -> None:
    for path, value in _tables(reader, "outage"):
        outage = reader.complete(path, value, keys.table("outage"))
        _number_nodes(result, outage, ("node",))
        result.outages.append(outage)


def _layers(reader: Reader, result: Resolved) -> None:
    for path, value in _tables(reader, "layer"):
        given = reader.complete(path, value, keys.table("layer"))
        own = {name: item for name, item in given.items() if item is not None}
        if "link" in own:
            own["layer"] = own.pop("link")
        layer = {**result.link, "nodes": [], **own}
        if result.nodes:
            ends = {"first": 0, "last": len(result.nodes) - 1}
            layer["nodes"] = [ends.get(node, node) for node in layer["nodes"]]
        result.layers.append(layer)


def _tables(reader: Reader, name: str) -> list[tuple[KeyPath, Any]]:
    """Returns the ``[[name]]`` tables with their places."""
    values = reader.document.values.get(name, [])
    if not isinstance(values, list):
        found = f"a single [{name}] table" if isinstance(values, Mapping) else shown(values)
        reader.refuse((name,), f"found {found}; expected [[{name}]] tables (two brackets)")
        return []
    return [((name, str(index)), value) for index, value in enumerate(values)]


def _number_nodes(result: Resolved, values: dict[str, Any], names: Iterable[str]) -> None:
    """Puts the numbers of the nodes in the place of "first" and "last"."""
    for name in names:
        if isinstance(values.get(name), str) and result.nodes:
            values[name] = 0 if values[name] == "first" else len(result.nodes) - 1


def _app_keys(reader: Reader, path: KeyPath, value: Mapping[str, Any], flow: dict[str, Any]) -> None:
    """The keys of another application are refused, the missing ones of this one filled in or named."""
    app = flow.get("app", "bulk")
    needed = keys.APPS[app][1]
    defaults = keys.APP_DEFAULTS.get(app, {})
    asked = [f.name for f in keys.reply() if f.name in needed and f.default is None]
    flow.update({name: default for name, default in defaults.items() if name not in value})
    for name in sorted({name for _, names in keys.APPS.values() for name in names}):
        if name in value and name not in needed:
            users = [a for a, (_, names) in keys.APPS.items() if name in names]
            reader.without_use((*path, name), f'does not belong to app = "{app}"; it is used by {listed(users)}')
        elif name in asked and name not in value and name not in defaults:
            reader.refuse((*path, name), f'is missing; app = "{app}" needs {", ".join(asked)}')


def _reply(reader: Reader, path: KeyPath, value: Mapping[str, Any], flow: dict[str, Any]) -> None:
    """Completes the application that replies; its packets are as large as those of the flow."""
    given, at = value.get("reply"), (*path, "reply")
    if not isinstance(given, Mapping) or not flow["transport"].startswith("tcp"):
        flow["reply"] = None
        return
    reply = flow["reply"] = {f.name: f.default for f in keys.reply()} | flow["reply"]
    if (*at, "app") not in reader.refused:
        _app_keys(reader, at, given, reply)
        reply.pop("packet", None)
        _trace(reader, at, reply)


def _trace(reader: Reader, path: KeyPath, flow: dict[str, Any]) -> None:
    """Reads the frames of a video flow into ``frames``."""
    if flow.get("app") != "video" or flow.get("trace") is None or flow.get("frame_rate") is None:
        return
    try:
        flow["frames"] = read_trace(reader.document.folder / flow["trace"], flow["frame_rate"])
    except ValueError as error:
        reader.refuse((*path, "trace"), str(error))
