"""What a scenario must satisfy across keys: flows between nodes that exist, that start, and that fit into a frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hopscope.scenario.document import KeyPath
from hopscope.scenario.fields import NS
from hopscope.scenario.resolve import Resolved

Finding = tuple[KeyPath, str]


def check(resolved: Resolved) -> Iterator[Finding]:
    """Yields every contradiction as (key, message)."""
    duration, warmup = resolved.top["duration"], resolved.top["warmup"]
    if warmup >= duration:
        yield ("warmup",), f"{seconds(warmup)} is not before the end of the run (duration = {seconds(duration)})"
    if resolved.top["seed"] + resolved.top["seeds"] > 2**63:
        yield ("seed",), "seed + seeds is too large; the last seed must stay below 2^63"
    for index, flow in enumerate(resolved.flows):
        yield from _ends(("flow", str(index)), flow, len(resolved.nodes))
        yield from _times(("flow", str(index)), flow, duration)
        yield from _sizes(("flow", str(index)), flow, resolved)
    if resolved.series["keep"] and resolved.series["interval"] > duration:
        yield ("series", "interval"), f"{seconds(resolved.series['interval'])} is longer than the run"


def _ends(path: KeyPath, flow: Mapping[str, Any], nodes: int) -> Iterator[Finding]:
    if flow["pattern"] is not None:
        return
    for end in ("from", "to"):
        if flow[end] >= nodes:
            yield (*path, end), f"node {flow[end]} does not exist; the topology has nodes 0 to {nodes - 1}"
    if flow["from"] == flow["to"]:
        yield (*path, "to"), f"node {flow['to']} is also the sender; a flow runs between two nodes"


def _times(path: KeyPath, flow: Mapping[str, Any], duration: int) -> Iterator[Finding]:
    start, stop = flow["start"], flow["stop"]
    if start >= duration:
        yield (
            (*path, "start"),
            f"the flow never starts: {seconds(start)} is not before the end of the run ({seconds(duration)})",
        )
    elif (last := start + (flow["copies"] - 1) * flow["stagger"]) >= duration:
        yield (
            (*path, "stagger"),
            f"the last of {flow['copies']} copies never starts: {seconds(last)} is not before the end of the run "
            f"({seconds(duration)})",
        )
    if stop is not None and stop <= start:
        yield (*path, "stop"), f"{seconds(stop)} is not after the start ({seconds(start)})"
    elif stop is not None and stop <= start + (flow["copies"] - 1) * flow["stagger"]:
        yield (*path, "stop"), f"{seconds(stop)} is not after the start of the last of {flow['copies']} copies"


def _sizes(path: KeyPath, flow: Mapping[str, Any], resolved: Resolved) -> Iterator[Finding]:
    header = resolved.net["udp_header"] if flow["transport"] == "udp" else flow["tcp"]["header"]
    overhead = header + resolved.net["ip_header"] + resolved.mac["llc_header"]
    largest = resolved.mac["max_msdu"]
    if flow["packet"] + overhead > largest:
        yield (
            (*path, "packet"),
            f"{flow['packet']} bytes and {overhead} bytes of headers exceed the largest 802.11 payload of {largest} "
            f"bytes (mac.max_msdu); at most {max(0, largest - overhead)}",
        )


def seconds(nanoseconds: int) -> str:
    """Returns a time for a message."""
    return f"{nanoseconds / NS:.9g} s"
