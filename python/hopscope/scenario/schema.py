"""The JSON Schema (2020-12) of the scenario file, made from the same keys that check it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from hopscope import _core
from hopscope.scenario import keys, sweep
from hopscope.scenario.controls import PREFIX
from hopscope.scenario.fields import U32_MAX, Field

Schema = dict[str, Any]


def schema() -> Schema:
    """Returns the schema; defaults of engine keys are those of the first profile with the first preset."""
    profile, preset = _core.profiles()[0], _core.presets()[0][0]
    base: dict[str, dict[str, Any]] = json.loads(_core.base_config(profile, preset))
    properties: Schema = _properties(keys.top(), {})
    properties["topology"] = _topology()
    for section in keys.ENGINE_SECTIONS:
        text = f"[{section}]: parameters of the engine; defaults as in profile {profile} with preset {preset}."
        defaults = dict(base.get(section, {}))
        if section == "routing":
            defaults |= {protocol: base[protocol] for protocol in keys.routing_protocols()}
        properties[section] = _object(keys.engine(section), defaults, text)
    properties["routing"]["allOf"] = [_sets(p, base[p]) for p in keys.routing_protocols()]
    flow = _object(keys.flow(), {}, "One flow, or several that differ in their ends and starts alone.")
    ends = [{"required": ["from"]}, {"required": ["to"]}]
    flow["oneOf"] = [
        {"allOf": ends, "not": {"required": ["pattern"]}},
        {"required": ["pattern"], "not": {"anyOf": ends}},
    ]
    properties["flow"] = {"type": "array", "minItems": 1, "items": flow, "description": "The flows, one [[flow]] each."}
    outage = _object(keys.outage(), {}, "One outage.")
    properties["outage"] = {"type": "array", "items": outage, "description": "Times during which radios are off."}
    layer = _object(
        keys.layer(), {}, "The link layer of some nodes; keys that are absent are those of [mac] and [link]."
    )
    properties["layer"] = {"type": "array", "items": layer, "description": "Link layers of some nodes of their own."}
    properties["series"] = _object(keys.series(), {}, "Time series to keep.")
    properties["sweep"] = _sweep()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Hopscope {_core.version()} scenario",
        "description": "A network of 802.11 stations, its flows and how often and how long to run it.",
        "type": "object",
        "properties": properties,
        "required": ["topology", "flow"],
        "additionalProperties": False,
    }


def _sets(protocol: str, constants: dict[str, Any]) -> Schema:
    """A protocol takes its own parameter sets."""
    names = {"enum": list(keys.routing_sets(protocol)), "default": keys.routing_set_of(protocol, constants)}
    chosen = {"properties": {"protocol": {"const": protocol}}, "required": ["protocol"]}
    return {"if": chosen, "then": {"properties": {"parameters": names}}}


def _topology() -> Schema:
    branches = []
    for kind, (text, fields) in keys.TOPOLOGIES.items():
        branch = _object(fields, {}, text)
        branch["properties"] = {"kind": {"const": kind, "description": text}, **branch["properties"]}
        branch["required"] = ["kind", *branch.get("required", [])]
        branches.append(branch)
    return {"description": keys.topology().doc, "oneOf": branches}


def _sweep() -> Schema:
    number = {"type": ["number", "string"]}
    values = {"type": "array", "minItems": 1, "uniqueItems": True, "description": "The values."}
    steps = {
        "type": "object",
        "description": "From start in steps up to and including stop.",
        "properties": {"start": number, "stop": number, "step": number},
        "required": ["start", "stop", "step"],
        "additionalProperties": False,
    }
    nested = {"type": "object", "description": "A dotted key without quotes."}
    equally_many = {**values, "uniqueItems": False}
    together = {
        "type": "array",
        "description": "Each table: keys that change together, with equally many values.",
        "items": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"anyOf": [equally_many, steps, nested]},
        },
    }
    return {
        "type": "object",
        "description": 'Dotted keys ("flow.0.max_window", "flow.*.packet", "mac.queue") and their values; every '
        "combination is run with every seed.",
        "properties": {sweep.TOGETHER: together},
        "additionalProperties": {"anyOf": [values, steps, nested]},
    }


def _object(fields: Iterable[Field], defaults: dict[str, Any], text: str) -> Schema:
    fields = tuple(fields)
    result: Schema = {
        "type": "object",
        "description": text,
        "properties": _properties(fields, defaults),
        "additionalProperties": False,
    }
    if required := [f.name for f in fields if f.required]:
        result["required"] = required
    return result


def _properties(fields: Iterable[Field], defaults: dict[str, Any]) -> Schema:
    return {f.name: _property(f, defaults) for f in fields}


def _property(field: Field, defaults: dict[str, Any]) -> Schema:
    if field.kind == "table":
        flat = {f.name: defaults[name] for f in field.fields if (name := f"{field.name}_{f.name}") in defaults}
        inner = defaults.get(field.name, flat)
        return _object(field.fields, inner, field.doc)
    result = {**_type(field), "description": _description(field)}
    default = defaults.get(field.name, field.default)
    if default is not None or field.kind == "int-or-off":
        result["default"] = field.show(default)
    return result


def _type(field: Field) -> Schema:
    word: Schema = {"type": "string"}
    if field.kind in {"choice", "words"}:
        choice: Schema = {"enum": list(field.choices)}
        return choice if field.kind == "choice" else {"type": "array", "items": choice}
    if field.kind == "parts":
        return _parts(field)
    if field.kind == "transport":
        return {"anyOf": [{"enum": list(field.choices)}, {**word, "pattern": f"^{PREFIX}."}]}
    if field.kind == "control":
        attributes: Schema = {"type": "object", "additionalProperties": {"type": ["number", "boolean", "string"]}}
        return {"anyOf": [{"enum": list(field.choices)}, {**word, "pattern": r":|\.py$"}, attributes]}
    if field.kind == "flag":
        return {"type": "boolean"}
    if field.kind == "text":
        return word
    if field.kind == "name":
        return {**word, "pattern": "^[A-Za-z0-9_-]{1,64}$"}
    if field.kind == "int-or-off":
        return {"anyOf": [_number(field), {"const": "off"}, word]}
    if field.kind in {"int-list", "float-list"}:
        return {"type": "array", "items": {"anyOf": [_number(field), word]}}
    if field.kind == "float-rows":
        return {"type": "array", "items": {"type": "array", "items": {"anyOf": [_number(field), word]}}}
    if field.kind == "node-pairs":
        node = _number(field)
        pair = {"type": "array", "prefixItems": [node, node], "items": False, "minItems": 2}
        return {"type": "array", "items": pair}
    if field.kind == "nodes":
        return {"type": "array", "items": _type(replace(field, kind="node"))}
    if field.kind == "node":
        return {"anyOf": [{"type": "integer", "minimum": 0, "maximum": U32_MAX}, {"enum": ["first", "last"]}]}
    if field.kind in {"point", "points"}:
        length = {"anyOf": [_number(field), word]}
        point = {"type": "array", "prefixItems": [length, length], "items": False, "minItems": 2}
        return point if field.kind == "point" else {"type": "array", "items": point}
    return {"anyOf": [_number(field), word]}


def _parts(field: Field) -> Schema:
    """Words with ``+`` between them in any order: none twice, none beside one that excludes it."""
    alone, *words = field.choices
    word, gap = f"(?:{'|'.join(words)})", r" *\+ *"

    def beside(one: str, other: str) -> Schema:
        return {"pattern": rf"(?:^|[ +]){one}(?:[ +].*)?[ +]{other}(?:[ +]|$)"}

    clashes = [(w, w) for w in words] + [pair for one, other, _ in field.apart for pair in ((one, other), (other, one))]
    layers = {
        "type": "string",
        "pattern": f"^ *{word}(?:{gap}{word})* *$",
        "not": {"anyOf": [beside(one, other) for one, other in clashes]},
    }
    return {"anyOf": [{"enum": [alone, *words]}, layers]}


def _number(field: Field) -> Schema:
    whole = field.kind in {"int", "int-or-off", "int-list", "node-pairs"}
    result: Schema = {"type": "integer" if whole else "number"}
    if field.minimum is not None:
        result["exclusiveMinimum" if field.exclusive else "minimum"] = field.minimum
    if field.maximum is not None:
        result["maximum"] = field.maximum
    return result


def _description(field: Field) -> str:
    unit = f" Unit: {field.unit}." if field.unit else ""
    source = f" Source: {field.source}." if field.source else ""
    return f"{field.doc}{unit}{source}"
