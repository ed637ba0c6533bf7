"""What a scenario must satisfy across keys: flows between nodes that exist, that start, and that fit into a frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hopscope import _core
from hopscope.scenario.document import KeyPath
from hopscope.scenario.fields import NS
from hopscope.scenario.resolve import Resolved

Finding = tuple[KeyPath, str]


def check(resolved: Resolved) -> Iterator[Finding]:
    """Yields every contradiction between keys that are sound in themselves, as (key, message)."""
    duration, warmup = resolved.top.get("duration", 0), resolved.top.get("warmup", 0)
    known = _sound(resolved, (), "duration")
    if known and _sound(resolved, (), "warmup") and warmup >= duration:
        yield ("warmup",), f"{seconds(warmup)} is not before the end of the run (duration = {seconds(duration)})"
    if _sound(resolved, (), "seed", "seeds") and resolved.top["seed"] + resolved.top["seeds"] > 2**63:
        yield ("seed",), "seed + seeds is too large; the last seed must stay below 2^63"
    for index, flow in enumerate(resolved.flows):
        path = ("flow", str(index))
        if path in resolved.refused:
            continue
        if resolved.nodes:
            yield from _ends(path, flow, resolved)
        yield from _times(path, flow, resolved, duration if known else None)
    for index, outage in enumerate(resolved.outages):
        yield from _outage(("outage", str(index)), outage, resolved, duration if known else None)
    keep = _sound(resolved, ("series",), "keep", "interval") and resolved.series.get("keep")
    if known and keep and resolved.series["interval"] > duration:
        yield ("series", "interval"), f"{seconds(resolved.series['interval'])} is longer than the run"


def doubts(resolved: Resolved) -> Iterator[str]:
    """Yields what is allowed but hardly meant."""
    first: dict[tuple[float, ...], int] = {}
    for node, position in enumerate(resolved.nodes[: len(resolved.nodes) - resolved.wired]):
        if (other := first.setdefault(tuple(position), node)) != node:
            yield f"topology: nodes {other} and {node} are at the same place"
            break
    if resolved.routing["protocol"] == "static" or resolved.radio["shadowing"] != "none":
        return  # the engine tells of static routes, and shadowing moves what a node reaches
    reach = float(resolved.radio["tx_range"])
    wires = [wire.get("ends") or [wire["from"], wire["to"]] for wire in resolved.wires]
    islands = _core.components(resolved.nodes, reach, resolved.wired, wires)
    island = {node: number for number, nodes in enumerate(islands) for node in nodes}
    for index, flow in enumerate(resolved.flows):
        apart = next(((source, target) for source, target in flow["ends"] if island[source] != island[target]), None)
        if apart is not None:
            neighbours = "neighbours within radio.tx_range" + (" and wires" if wires else "")
            yield f"flow.{index}: no chain of {neighbours} joins nodes {apart[0]} and {apart[1]}"


def _sound(resolved: Resolved, path: KeyPath, *names: str) -> bool:
    """Whether a table and its keys of these names were read without a problem."""
    return path not in resolved.refused and not any((*path, name) in resolved.refused for name in names)


def _ends(path: KeyPath, flow: Mapping[str, Any], resolved: Resolved) -> Iterator[Finding]:
    if flow["pattern"] is not None or not _sound(resolved, path, "pattern"):
        return
    nodes = len(resolved.nodes)
    for end in ("from", "to"):
        if _sound(resolved, path, end) and flow[end] >= nodes:
            yield (*path, end), f"node {flow[end]} does not exist; the topology has nodes 0 to {nodes - 1}"
    if _sound(resolved, path, "from", "to") and flow["from"] == flow["to"]:
        yield (*path, "to"), f"node {flow['to']} is also the sender; a flow runs between two nodes"


def _times(path: KeyPath, flow: Mapping[str, Any], resolved: Resolved, duration: int | None) -> Iterator[Finding]:
    if not _sound(resolved, path, "start"):
        return
    start, stop = flow["start"], flow["stop"]
    several = _sound(resolved, path, "copies", "stagger", "pattern")
    last = start + (flow["copies"] - 1) * flow["stagger"] if several else start
    if duration is not None and start >= duration:
        yield (
            (*path, "start"),
            f"the flow never starts: {seconds(start)} is not before the end of the run ({seconds(duration)})",
        )
    elif duration is not None and last >= duration:
        yield (
            (*path, "stagger"),
            f"the last of {flow['copies']} copies never starts: {seconds(last)} is not before the end of the run "
            f"({seconds(duration)})",
        )
    if stop is None or not _sound(resolved, path, "stop"):
        return
    if stop <= start:
        yield (*path, "stop"), f"{seconds(stop)} is not after the start ({seconds(start)})"
    elif stop <= last:
        yield (*path, "stop"), f"{seconds(stop)} is not after the start of the last of {flow['copies']} copies"


def _outage(path: KeyPath, outage: Mapping[str, Any], resolved: Resolved, duration: int | None) -> Iterator[Finding]:
    nodes = len(resolved.nodes)
    if nodes and _sound(resolved, path, "node") and outage["node"] >= nodes:
        yield (*path, "node"), f"node {outage['node']} does not exist; nodes are 0 to {nodes - 1}"
    if not _sound(resolved, path, "from"):
        return
    start, end = outage["from"], outage["to"]
    if duration is not None and start >= duration:
        yield (
            (*path, "from"),
            f"the outage never begins: {seconds(start)} is not before the end of the run ({seconds(duration)})",
        )
    if end is not None and _sound(resolved, path, "to") and end <= start:
        yield (*path, "to"), f"found {seconds(end)}; it must come after from, {seconds(start)}"


def seconds(nanoseconds: int) -> str:
    """Returns a time for a message."""
    return f"{nanoseconds / NS:.9g} s"
