"""The capacity region of a scenario: cliques of its conflict graph, each a bound on what its links carry together.

Flows take shortest paths, as static routes do. Two radio links conflict where they share a node or a node of one
senses a node of the other, as frames go both ways over each; of links that all conflict with each other only one is
in use at a time. Each exchange is charged as that of a sender alone: DIFS, mean back-off, RTS and CTS where they are
used, frame and ACK, and the transport's acknowledgements. A direction of a wire is a bound of its own. The bounds are
necessary, not sufficient: a conflict graph with odd holes may carry less. Sources: K. Jain, J. Padhye, V. Padmanabhan
and L. Qiu, ACM MobiCom 2003; L. Chen, S. Low and J. Doyle, IEEE INFOCOM 2005 (cliques); IEEE 802.11-2020 10.3.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hopscope._core import frame_airtime_ns, near
from hopscope.errors import InputError
from hopscope.models.capacity import ACK_BYTES, CTS_BYTES, RTS_BYTES
from hopscope.models.shares import Region

if TYPE_CHECKING:
    from hopscope.scenario import Point

#: More radio links in use, or more cliques of them, are refused.
MAX_LINKS, MAX_CLIQUES = 400, 20_000

#: DCCP's generic header with 48-bit numbers, and that of an Ack with an Ack Vector of a few bytes (RFC 4340 5.1, 5.3).
DCCP_HEADER, DCCP_ACK = 16, 28
#: Header of an ATP packet, which has no acknowledgement of its own: one feedback an epoch is left out.
ATP_HEADER = 16

Link = tuple[int, int]


def of_point(point: Point) -> tuple[Region, list[list[int]]]:
    """Returns the region of one point of a scenario, and the nodes on the path of each flow.

    Rates are in bit/s of payload. A flow of constant rate takes no more than that.

    Raises:
        InputError: a flow without a path, or a network with too many links or cliques.
    """
    config = point.config(0)
    network = _Network(config)
    paths = [network.path(flow["from"], flow["to"]) for flow in config["flows"]]
    radio = sorted({_pair(hop) for path in paths for hop in _hops(path) if hop not in network.wires})
    if len(radio) > MAX_LINKS:
        raise InputError(f"fair shares: {len(radio)} radio links are in use; {MAX_LINKS} at most are allowed")
    taken = [_taken(config, flow, path, network) for flow, path in zip(config["flows"], paths, strict=True)]
    rows, names = [], []
    for clique in cliques(conflicts(radio, config["nodes"], config["radio"]["cs_range"])):
        links = [radio[index] for index in clique]
        rows.append([sum(costs.get(link, 0.0) for link in links) for costs in taken])
        names.append("links " + ", ".join(f"{a}-{b}" for a, b in links))
    for a, b in sorted(network.wires):
        if any(cost := [costs.get((a, b), 0.0) for costs in taken]):
            rows.append(cost)
            names.append(f"wire {a} to {b}")
    for index, flow in enumerate(config["flows"]):
        if flow["app"]["kind"] == "cbr":
            rows.append([1 / flow["app"]["rate"] if index == other else 0.0 for other in range(len(paths))])
            names.append(f"load of flow {index}")
    return Region(rows, names), paths


class _Network:
    """Shortest paths: among equally short ones the nearest neighbour comes next, then the lowest number."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._nodes: Sequence[Sequence[float]] = config["nodes"]
        wired = {node for host in config.get("hosts", []) if not host["wifi"] for node in host["nodes"]}
        found = near(self._nodes, config["radio"]["tx_range"])
        self._near = [
            [] if node in wired else [other for other in others if other != node and other not in wired]
            for node, others in enumerate(found)
        ]
        #: Rate of each direction of a wire, bit/s.
        self.wires: dict[Link, float] = {}
        for wire in config.get("wires", []):
            a, b = wire["ends"]
            self.wires[a, b], self.wires[b, a] = wire["rate"], wire["back_rate"] or wire["rate"]
            self._near[a].append(b)
            self._near[b].append(a)

    def _order(self, node: int, other: int) -> tuple[float, int]:
        away = 0.0 if (node, other) in self.wires else math.dist(self._nodes[node], self._nodes[other])
        return away, other

    def path(self, source: int, target: int) -> list[int]:
        """The nodes from one to the other, both included."""
        level, frontier = {target: 0}, [target]
        while frontier and source not in level:
            following = []
            for node in frontier:
                for other in self._near[node]:
                    if other not in level:
                        level[other] = level[node] + 1
                        following.append(other)
            frontier = following
        if source not in level:
            raise InputError(f"fair shares: no path leads from node {source} to node {target}")
        path = [source]
        while path[-1] != target:
            here = path[-1]
            nearer = [other for other in self._near[here] if level.get(other) == level[here] - 1]
            path.append(min(nearer, key=lambda other: self._order(here, other)))
        return path


def _hops(path: Sequence[int]) -> Iterator[Link]:
    return itertools.pairwise(path)


def _pair(link: Link) -> Link:
    return min(link), max(link)


def _taken(
    config: Mapping[str, Any], flow: Mapping[str, Any], path: Sequence[int], network: _Network
) -> dict[Link, float]:
    """Seconds that a bit of payload takes of each radio link (both ways together) and of each direction of a wire."""
    data, answer, answers = sizes(config, flow)
    bits = 8 * flow["packet"]
    found: dict[Link, float] = {}
    for hop in _hops(path):
        back = (hop[1], hop[0])
        if hop in network.wires:
            found[hop] = found.get(hop, 0.0) + 8 * data / network.wires[hop] / bits
            found[back] = found.get(back, 0.0) + answers * 8 * answer / network.wires[back] / bits
        else:
            seconds = exchange(config, data) + (answers * exchange(config, answer) if answers else 0.0)
            found[_pair(hop)] = found.get(_pair(hop), 0.0) + seconds / bits
    return found


def sizes(config: Mapping[str, Any], flow: Mapping[str, Any]) -> tuple[int, int, float]:
    """Returns the bytes of a data packet and of an acknowledgement with IP headers, and acknowledgements for a packet.

    One for each packet with ``ack = "every"`` and with the delay-based control over DCCP, else one for two; none for
    UDP and ATP.
    """
    payload, header = flow["packet"], config["net"]["ip_header"]
    if flow["transport"] == "udp":
        return payload + header + config["net"]["udp_header"], 0, 0.0
    if flow["transport"] == "atp":
        return payload + header + ATP_HEADER, 0, 0.0
    if flow["transport"].startswith("dccp"):
        each = flow["transport"] == "dccp-adhoc" or flow.get("control") == "adhoc"
        return payload + header + DCCP_HEADER, header + DCCP_ACK, 1.0 if each else 0.5
    header += flow["tcp"]["header"] + (12 if flow["tcp"]["timestamps"] else 0)
    return payload + header, header, 1.0 if flow["ack"] == "every" else 0.5


def exchange(config: Mapping[str, Any], packet: int) -> float:
    """Returns the seconds of sending an IP packet of so many bytes over one hop by a station that is alone."""
    radio, mac = config["radio"], config["mac"]

    def airtime(size: int, rate: int) -> int:
        return frame_airtime_ns(radio, size, rate)

    frame = packet + mac["data_header"] + mac["llc_header"]
    control = radio["basic_rate"]
    total = mac["sifs"] + 2 * mac["slot"] + mac["cw_min"] * mac["slot"] / 2
    total += airtime(frame, radio["data_rate"]) + mac["sifs"] + airtime(ACK_BYTES, control)
    if mac["rts_threshold"] is not None and frame > mac["rts_threshold"]:
        total += airtime(RTS_BYTES, control) + airtime(CTS_BYTES, control) + 2 * mac["sifs"]
    return float(total) / 1e9


def conflicts(links: Sequence[Link], nodes: Sequence[Sequence[float]], reach: float) -> list[set[int]]:
    """Returns for each link those that cannot be in use with it: they have nodes within ``reach`` of each other."""
    close = [set(others) | {node} for node, others in enumerate(near(nodes, reach))]
    found: list[set[int]] = [set() for _ in links]
    for index, (a, b) in enumerate(links):
        around = close[a] | close[b]
        for other in range(index):
            if around & set(links[other]):
                found[index].add(other)
                found[other].add(index)
    return found


def cliques(neighbours: Sequence[set[int]]) -> list[list[int]]:
    """Returns the maximal cliques of a graph, each in order (Bron and Kerbosch 1973, with pivots: Tomita et al. 2006).

    Raises:
        InputError: there are more than ``MAX_CLIQUES``.
    """
    found: list[list[int]] = []
    work = [(set[int](), set(range(len(neighbours))), set[int]())] if neighbours else []
    while work:
        chosen, open_, done = work.pop()
        if not open_:
            if not done:
                found.append(sorted(chosen))
                if len(found) > MAX_CLIQUES:
                    raise InputError(
                        f"fair shares: more than {MAX_CLIQUES} cliques of links conflict; fewer are allowed"
                    )
            continue
        pivot = max(sorted(open_ | done), key=lambda node: len(open_ & neighbours[node]))
        for node in sorted(open_ - neighbours[pivot]):
            work.append((chosen | {node}, open_ & neighbours[node], done & neighbours[node]))
            open_ = open_ - {node}
            done = done | {node}
    return sorted(found)
