"""From a resolved point to what the engine runs, and to the resolved scenario that a user reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hopscope.scenario import keys
from hopscope.scenario.controls import CLASS, PREFIX, FlowControl
from hopscope.scenario.fields import Field
from hopscope.scenario.resolve import Resolved
from hopscope.scenario.transports import DCCP, TCP


def lower(resolved: Resolved, seed: int) -> dict[str, Any]:
    """Returns the engine's configuration of one run: times in nanoseconds, rates in bit/s, lengths in metres."""
    config = {
        "seed": seed,
        "nodes": resolved.nodes,
        **_handed(keys.top(), resolved.top),
        **{section: getattr(resolved, section) for section in keys.ENGINE_SECTIONS if section != "tcp"},
        "layers": resolved.layers,
        "flows": [copy for flow in resolved.flows for copy in _lower_flow(flow)],
        "outages": resolved.outages,
        "series": resolved.series,
    }
    if resolved.wired:
        nodes = len(resolved.nodes)
        config["hosts"] = [{"nodes": list(range(nodes - resolved.wired, nodes)), "wifi": False}]
    if resolved.wires:
        config["wires"] = [_lower_wire(wire) for wire in resolved.wires]
    if resolved.routing_constants is not None:
        config[resolved.routing["protocol"]] = resolved.routing_constants
    return config


def _handed(fields: Iterable[Field], values: dict[str, Any]) -> dict[str, Any]:
    """What the schema hands to the engine under its own name."""
    handed = {f.name: values[f.name] for f in fields if f.lowered != "no"}
    missing = {f.name for f in fields if f.lowered == "given" and handed[f.name] is None}
    return {name: value for name, value in handed.items() if name not in missing}


def _lower_wire(wire: dict[str, Any]) -> dict[str, Any]:
    return {"ends": [wire["from"], wire["to"]], **_handed(keys.table("wire"), wire)} if "from" in wire else wire


def _lower_flow(flow: dict[str, Any]) -> list[dict[str, Any]]:
    """The flows that one table stands for: its copies, each later than the one before by `stagger`."""
    lowered = _handed(keys.flow(), flow)
    lowered["app"] = _lower_app(flow)
    if flow["reply"] is not None:
        lowered["reply"] = _lower_app(flow["reply"])
    if (own := flow.get("own")) is not None:
        lowered["transport"] = "tcp-external"
        lowered["control"] = {"name": f"{PREFIX}{own.name}", "identity": own.identity(flow["control"])}
    elif flow["transport"] in {TCP, DCCP}:
        lowered["control"] = flow["control"]
    return [
        {"from": source, "to": target, **lowered, "start": flow["start"] + n * flow["stagger"]}
        for n, (source, target) in enumerate(flow["ends"])
    ]


def controls(resolved: Resolved) -> list[FlowControl | None]:
    """Returns the congestion control of each of the engine's flows; None for the engine's own."""
    found = [FlowControl(flow["own"], flow["control"]) if "own" in flow else None for flow in resolved.flows]
    return [control for control, flow in zip(found, resolved.flows, strict=True) for _ in flow["ends"]]


def _lower_app(flow: dict[str, Any]) -> dict[str, Any]:
    app = flow["app"]
    own = {"frames": flow["frames"]} if app == "video" else {name: flow[name] for name in keys.APPS[app][1]}
    return {"kind": keys.ENGINE_APPS[app], **own}


def describe(resolved: Resolved) -> dict[str, Any]:
    """Returns the resolved point as a scenario document: every key with its value, in base units."""
    document: dict[str, Any] = _shown(resolved.top, keys.top())
    kind = resolved.topology["kind"]
    document["topology"] = {"kind": kind, **_given(resolved.topology, keys.TOPOLOGIES[kind][1])}
    for section in keys.ENGINE_SECTIONS:
        values = getattr(resolved, section)
        if section == "routing" and resolved.routing_constants is not None:
            own = {"parameters": resolved.routing_set, values["protocol"]: resolved.routing_constants}
            values = {**values, **own}
        document[section] = _engine_section(section, values)
    document["radio"] = {"preset": resolved.preset, **document["radio"]}
    document["mac"]["link"] = resolved.link["layer"]
    document["flow"] = [_flow(flow) for flow in resolved.flows]
    document["wire"] = [_given(wire, keys.table("wire")) for wire in resolved.wires if "from" in wire]
    document["outage"] = [_given(outage, keys.table("outage")) for outage in resolved.outages]
    document["layer"] = [_layer(layer) for layer in resolved.layers]
    document["series"] = _shown(resolved.series, keys.series())
    return document


def _layer(layer: dict[str, Any]) -> dict[str, Any]:
    return _shown({**layer, "link": layer["layer"]}, keys.table("layer"))


def _given(values: dict[str, Any], fields: Iterable[Field]) -> dict[str, Any]:
    return {name: value for name, value in _shown(values, fields).items() if value is not None}


def _shown(values: dict[str, Any], fields: Iterable[Field]) -> dict[str, Any]:
    return {f.name: f.show(values[f.name]) for f in fields if f.kind != "table" and f.name in values}


def _engine_section(section: str, values: dict[str, Any]) -> dict[str, Any]:
    result = _shown(values, keys.engine(section))
    for table in (f for f in keys.engine(section) if f.kind == "table"):
        flat = {f.name: keys.to_engine_key(section, (table.name, f.name)) for f in table.fields}
        inner = values.get(table.name, {name: values[key] for name, key in flat.items() if key in values})
        if (section, table.name) == ("radio", "error"):
            inner = {name: inner[name] for name in keys.error_keys(inner["kind"])}
        if inner:
            result[table.name] = _shown(inner, table.fields)
    return result


def _flow(flow: dict[str, Any]) -> dict[str, Any]:
    used = keys.APPS[flow["app"]][1]
    app_keys = {name for _, names in keys.APPS.values() for name in names}
    result = {
        f.name: f.show(flow[f.name])
        for f in keys.flow()
        if f.kind != "table" and flow[f.name] is not None and (f.name not in app_keys or f.name in used)
    }
    if flow["pattern"] != "random":
        del result["pattern_seed"]
    if (reply := flow["reply"]) is not None:
        shown = {"app", *keys.APPS[reply["app"]][1]}
        result["reply"] = {f.name: f.show(reply[f.name]) for f in keys.reply() if f.name in shown}
    if flow["transport"] == TCP and "own" in flow:
        result["control"] = {CLASS: flow["named"].removeprefix(PREFIX), **flow["control"]}
    if flow["transport"].startswith(TCP):
        result["tcp"] = _shown(flow["tcp"], keys.engine("tcp"))
    if flow["transport"].startswith(DCCP):
        result["dccp"] = _shown(flow["dccp"], keys.field(keys.flow(), "dccp").fields)
    unused = keys.not_of(flow["transport"])
    return {name: value for name, value in result.items() if name not in unused}
