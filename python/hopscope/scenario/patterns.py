"""Traffic patterns: the ends of the flows that a ``[[flow]]`` table with ``pattern`` stands for."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from hopscope.scenario.topology import Positions, components, stem_of

Ends = list[tuple[int, int]]


class PatternError(ValueError):
    """The pattern does not fit the topology; ``key`` names the key at fault inside the ``[[flow]]`` table."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


def across(topology: Mapping[str, Any], flows: int | None) -> Ends:
    """Returns the (from, to) of flows that cross the topology as is usual for its kind.

    A chain has one flow from end to end; a cross one along each line; a grid some along its rows and as many along its
    columns, spread evenly (fu2003, section 3); a parking lot one from each entrance to the exit; a Y one from each
    branch to the end of the stem; a star one from the end of each arm to node 0; a ring some to the opposite node, from
    evenly spread sources.

    Args:
        topology: the read ``[topology]`` table.
        flows: how many; None for as many as are usual.

    Raises:
        PatternError: the topology has no such flows, or is too small for so many.
    """
    kind = topology["kind"]
    if kind == "grid":
        return _grid(int(topology["rows"]), int(topology["cols"]), flows)
    if kind == "ring":
        nodes = int(topology["nodes"])
        ends = [(node, (node + nodes // 2) % nodes) for node in range(nodes)]
        return _chosen(kind, ends, 1 if flows is None else flows)
    hops = int(topology.get("hops", 0))
    if kind == "chain":
        ends = [(0, hops)]
    elif kind == "cross":
        ends = [(0, hops), (hops + 1, 2 * hops)]
    elif kind == "parking-lot":
        ends = [(node, hops) for node in (0, *range(hops + 1, 2 * hops))]
    elif kind == "y":
        last = hops + stem_of(topology)
        ends = [(0, last), (last + 1, last)]
    elif kind == "star":
        ends = [((arm + 1) * hops, 0) for arm in range(int(topology["arms"]))]
    else:
        raise PatternError(
            "pattern", f'"across" has no meaning for a topology of kind "{kind}"; give from and to, or "random"'
        )
    return _chosen(kind, ends, len(ends) if flows is None else flows)


def drawn(positions: Positions, reach: float, flows: int, seed: int) -> Ends:
    """Returns distinct (from, to), each pair of nodes that reach each other as likely as any other.

    Args:
        positions: of the nodes, in metres.
        reach: longest hop in metres.
        flows: how many.
        seed: the same seed gives the same pairs on every machine.

    Raises:
        PatternError: fewer pairs reach each other.
    """
    joined = [members for members in components(positions, reach) if len(members) > 1]
    pairs = sum(len(members) * (len(members) - 1) for members in joined)
    if flows > pairs:
        raise PatternError(
            "copies",
            f"the topology is too small for {flows} flows: it has {pairs} pairs of nodes that reach each other over "
            f"hops within radio.tx_range = {reach:g} m",
        )
    draw = random.Random(seed).random
    places: dict[int, None] = {}
    while len(places) < flows:
        places[int(draw() * pairs)] = None
    return [_pair(joined, place) for place in places]


def _pair(joined: list[list[int]], place: int) -> tuple[int, int]:
    """The pair with this number when all pairs of all sets are counted through."""
    for members in joined:
        others = len(members) - 1
        if place < len(members) * others:
            source, target = divmod(place, others)
            return members[source], members[target + (target >= source)]
        place -= len(members) * others
    raise IndexError(place)


def _grid(rows: int, cols: int, flows: int | None) -> Ends:
    directions = (cols > 1) + (rows > 1)
    if not directions:
        raise PatternError("copies", "the topology is too small for a flow: it has one node")
    if flows is None:
        flows = directions
    along_rows = 0 if cols == 1 else flows if rows == 1 else (flows + 1) // 2
    along_cols = flows - along_rows
    for wanted, lines, name in ((along_rows, rows, "rows"), (along_cols, cols, "columns")):
        if wanted > lines:
            raise PatternError(
                "copies",
                f"the topology is too small for {flows} flows: {wanted} of them run along its rows or columns each on "
                f"a line of its own, and it has {lines} {name}",
            )
    across_ = [(row * cols, row * cols + cols - 1) for row in _spread(rows, along_rows)]
    return across_ + [(col, (rows - 1) * cols + col) for col in _spread(cols, along_cols)]


def _spread(lines: int, chosen: int) -> list[int]:
    """``chosen`` of so many lines, evenly apart and as far from both edges."""
    return [(2 * i + 1) * lines // (2 * chosen) for i in range(chosen)]


def _chosen(kind: str, ends: Ends, flows: int) -> Ends:
    """``flows`` of the possible ends, evenly apart, beginning with the first."""
    if flows > len(ends):
        raise PatternError(
            "copies",
            f"the topology is too small for {flows} flows: at most {len(ends)} cross a {kind} of this size; more of "
            "them between the same nodes need tables of their own",
        )
    return [ends[i * len(ends) // flows] for i in range(flows)]
