"""What is allowed in a scenario but hardly meant; what contradicts is found in Rust."""

from __future__ import annotations

from collections.abc import Iterator

from hopscope import _core
from hopscope.scenario.resolve import Resolved


def warnings(resolved: Resolved) -> Iterator[str]:
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
