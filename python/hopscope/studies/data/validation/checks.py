"""validation: where the stations of a cell of ns-3 lie, metrics over all flows or nodes, recovery from failures."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from hopscope.results.samples import Table, show
from hopscope.results.stats import number
from hopscope.studies.verbs import Check, Judgement

Run = Mapping[str, Any]
Names = Mapping[str, str]

# A path loss of 46.6777 dB at 1 m in free space belongs to this frequency.
LOSS_AT_1_M = 46.6777
LIGHT = 299_792_458


def mean_delay(run: Run) -> float | None:
    """Mean delay over the packets of all flows, milliseconds."""
    flows = [flow for flow in run["flows"] if flow["delay_ms"] is not None]
    packets = sum(flow["received_packets"] for flow in flows)
    return sum(flow["delay_ms"] * flow["received_packets"] for flow in flows) / packets if packets else None


def rts_frames(run: Run) -> float:
    """RTS frames on the air."""
    return float(sum(node["rts_sent"] for node in run["nodes"]))


def data_frames(run: Run) -> float:
    """Data frames on the air, repeated ones included."""
    return float(sum(node["data_sent"] for node in run["nodes"]))


def log_distance(_names: Names) -> dict[str, Any]:
    """The frequency, in hertz, that gives the path loss of the cells at 1 m."""
    return {"radio": {"frequency": LIGHT / (4 * math.pi) * 10 ** (LOSS_AT_1_M / 20)}}


def layout(names: Names) -> dict[str, Any]:
    """Positions and flows of a cell."""
    positions, ends = _layout(names["topology"])
    flows = [_flow(names, place, *pair) for place, pair in enumerate(ends)]
    return {"topology": {"kind": "positions", "positions": positions}, "flow": flows}


def _flow(names: Names, place: int, start: int, end: int) -> dict[str, Any]:
    packet = int(names["payload_bytes"])
    flow: dict[str, Any] = {"from": start, "to": end, "packet": packet}
    if names["transport"] != "udp":
        return flow
    # ns-3's flows begin at 0.1 s and a uniform fraction of an interval.
    rate = float(names["offered_kbps_per_flow"])
    phase = (0.5 + place * 0.618) % 1
    begin = 0.1 + phase * packet * 8 / (rate * 1e3)
    return flow | {"transport": "udp", "app": "cbr", "rate": f"{rate:g}kbps", "start": f"{begin:.9f}s"}


def _circle(stations: int, radius: float) -> list[list[float]]:
    """Positions around the origin, in metres."""
    angles = [2 * math.pi * i / stations for i in range(stations)]
    return [[round(radius * math.cos(angle), 6), round(radius * math.sin(angle), 6)] for angle in angles]


def _layout(topology: str) -> tuple[list[list[float]], list[tuple[int, int]]]:
    """Positions of the nodes in metres and the ends of the flows, of a topology as the reference file calls it."""
    if match := re.match(r"pair (\d+) m", topology):
        return [[0.0, 0.0], [float(match[1]), 0.0]], [(0, 1)]
    if match := re.match(r"circle (\d+) m, (\d+) stations to centre", topology):
        stations = int(match[2])
        return [[0.0, 0.0], *_circle(stations, float(match[1]))], [(i, 0) for i in range(1, stations + 1)]
    if topology.startswith("5 stations at 60 m and 5 at 195 m"):
        return [[0.0, 0.0], *_circle(5, 60.0), *_circle(5, 195.0)], [(i, 0) for i in range(1, 11)]
    if topology.startswith("three parallel pairs 400 m apart"):
        return [[x, 400.0 * i] for i in range(3) for x in (0.0, 200.0)], [(0, 1), (2, 3), (4, 5)]
    if topology.startswith("receiver out of reach"):
        return [[0.0, 0.0], [200.0, 0.0]], [(0, 1)]
    if topology == "cross of two 6-hop chains":
        across = [[200.0 * i, 0.0] for i in range(-3, 4)]
        down = [[0.0, 200.0 * i] for i in range(-3, 4) if i]
        return across + down, [(0, 6), (7, 12)]
    if topology.startswith("grid 5x5"):
        grid = [[200.0 * column, 200.0 * row] for row in range(5) for column in range(5)]
        lines = [2] if "row 2 and column 2" in topology else [1, 3]
        return grid, [(5 * i, 5 * i + 4) for i in lines] + [(i, 20 + i) for i in lines]
    if match := re.match(r"chain (\d+) hops", topology):
        hops = int(match[1])
        chain = [[200.0 * i, 0.0] for i in range(hops + 1)]
        return chain, [(i, 0) for i in range(1, hops + 1)] if "to node 0" in topology else [(0, hops)]
    places = re.findall(r"([A-Z])\((-?\d+)\)", topology)
    names = [name for name, _ in places]
    both = re.search(r"([A-Z]) and ([A-Z]) to ([A-Z])", topology)
    pairs = [(both[1], both[3]), (both[2], both[3])] if both else re.findall(r"([A-Z]) to ([A-Z])", topology)
    return [[float(x), 0.0] for _, x in places], [(names.index(a), names.index(b)) for a, b in pairs]


# --- Recovery: flow 1 is asked after a node died, the later ones after a node came back -------------------------------


def _times(run: Run, metric: str) -> list[float | None]:
    flows = run["flows"][1:2] if metric == "after_death" else run["flows"][2:]
    return [flow["first_delivery_s"] for flow in flows]


def mean_after_cuts(run: Run) -> float | None:
    """Mean time until packets arrive again after the node came back, seconds."""
    found = [time for time in _times(run, "after_cuts") if time is not None]
    return sum(found) / len(found) if found else None


def recovers(check: Check, table: Table) -> Judgement:
    """Packets arrive again in every case, and within `high` seconds where that is given."""
    found = [time for run in table.runs() for time in _times(run, check.measure.name)]
    measured = [time for time in found if time is not None]
    if len(measured) < len(found):
        return False, f"no packet arrived again in {len(found) - len(measured)} of {len(found)} cases"
    words = f"{show(table.interval(check.measure), 's')}, longest {number(max(measured))} s"
    return max(measured) <= check.args.get("high", math.inf), words
