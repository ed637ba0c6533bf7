"""Positions of the nodes for each kind of topology; the order of the list gives the node numbers."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hopscope.scenario.keys import MAX_NODES
from hopscope.scenario.node_files import read_positions

Positions = list[list[float]]

#: Placements tried before a connected random field is given up.
CONNECTED_TRIES = 1000

#: Work spent on those tries at most, in placed nodes.
CONNECTED_WORK = 5_000_000


class TopologyError(ValueError):
    """The topology cannot be built; ``key`` names the key at fault inside ``[topology]``."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


def count(topology: Mapping[str, Any]) -> int | None:
    """Returns the number of nodes without placing them; None for a file."""
    kind = topology["kind"]
    if kind == "chain":
        return int(topology["hops"]) + 1
    if kind == "cross":
        return 2 * int(topology["hops"]) + 1
    if kind == "grid":
        return int(topology["rows"]) * int(topology["cols"])
    if kind == "random":
        return int(topology["nodes"])
    return len(topology["positions"]) if kind == "positions" else None


def place(topology: Mapping[str, Any], folder: Path, tx_range: float) -> Positions:
    """Returns the position of every node in metres.

    Args:
        topology: the read ``[topology]`` table.
        folder: where a relative file path starts.
        tx_range: receive range in metres, for ``connected``.

    Raises:
        TopologyError: too many or no nodes, an unreadable file, no connected placement.
    """
    nodes = count(topology)
    if nodes is not None and nodes > MAX_NODES:
        raise TopologyError(_size_key(topology), f"makes {nodes} nodes; at most {MAX_NODES} fit")
    kind = topology["kind"]
    if kind == "chain":
        return chain(topology["hops"], topology["spacing"])
    if kind == "cross":
        return cross(topology["hops"], topology["spacing"])
    if kind == "grid":
        return grid(topology["rows"], topology["cols"], topology["spacing"])
    if kind == "random":
        return scatter(topology["nodes"], topology["area"], topology["seed"], topology["connected"], tx_range)
    if kind == "file":
        positions = read_file(folder / topology["path"], topology["format"])
        if len(positions) > MAX_NODES:
            raise TopologyError("path", f"holds {len(positions)} nodes; at most {MAX_NODES} fit")
    else:
        positions = [list(point) for point in topology["positions"]]
    if len(positions) < 2:
        raise TopologyError(_size_key(topology), f"gives {len(positions)} nodes; a network has at least 2")
    return positions


def chain(hops: int, spacing: float) -> Positions:
    """Nodes 0..hops on a line from left to right."""
    return [[spacing * i, 0.0] for i in range(hops + 1)]


def cross(hops: int, spacing: float) -> Positions:
    """Two lines of ``hops`` hops that share a node.

    Nodes 0..hops are the horizontal line; the crossing is node ``hops // 2``.  The other nodes of the vertical line
    follow from its lower to its upper end: with 6 hops 0-6 and 7-12 with the crossing at 3 (fu2003, section 3).
    """
    middle = hops // 2
    line = [[spacing * i, spacing * middle] for i in range(hops + 1)]
    return line + [[spacing * middle, spacing * i] for i in range(hops + 1) if i != middle]


def grid(rows: int, cols: int, spacing: float) -> Positions:
    """Rows of nodes, numbered row by row from 0."""
    return [[spacing * col, spacing * row] for row in range(rows) for col in range(cols)]


def scatter(nodes: int, area: list[float], seed: int, connected: bool, tx_range: float) -> Positions:
    """Nodes placed uniformly over a rectangle; the same seed gives the same field on every machine.

    Raises:
        TopologyError: no connected field was found.
    """
    width, height = area
    draw = random.Random(seed).random
    tries = max(1, min(CONNECTED_TRIES, CONNECTED_WORK // nodes)) if connected else 1
    for _ in range(tries):
        field = [[width * draw(), height * draw()] for _ in range(nodes)]
        if not connected or is_connected(field, tx_range):
            return field
    neighbours = nodes * math.pi * tx_range**2 / (width * height)
    raise TopologyError(
        "connected",
        f"no connected field in {tries} placements of {nodes} nodes over {width:g} m x {height:g} m with "
        f"radio.tx_range = {tx_range:g} m (about {neighbours:.1f} neighbours a node); use more nodes or a smaller area",
    )


def is_connected(positions: Positions, reach: float) -> bool:
    """Tells whether every node can reach every other over hops of at most ``reach`` metres."""
    if reach <= 0:
        return len(positions) < 2
    cells: dict[tuple[int, int], list[int]] = {}
    for index, (x, y) in enumerate(positions):
        cells.setdefault((math.floor(x / reach), math.floor(y / reach)), []).append(index)
    open_cells = {cell: list(members) for cell, members in cells.items()}
    first = positions[0]
    start = (math.floor(first[0] / reach), math.floor(first[1] / reach))
    open_cells[start].remove(0)
    frontier, reached = [0], 1
    while frontier:
        x, y = positions[frontier.pop()]
        column, row = math.floor(x / reach), math.floor(y / reach)
        for cell in ((column + dx, row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)):
            if not (members := open_cells.get(cell)):
                continue
            near = [i for i in members if math.hypot(positions[i][0] - x, positions[i][1] - y) <= reach]
            if near:
                chosen = set(near)
                open_cells[cell] = [i for i in members if i not in chosen]
                frontier += near
                reached += len(near)
    return reached == len(positions)


def read_file(path: Path, form: str) -> Positions:
    """Reads positions from a file.

    Raises:
        TopologyError: unreadable, or a line that is no position.
    """
    try:
        return read_positions(path, form)
    except OSError as error:
        raise TopologyError("path", f"{path}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise TopologyError("path", str(error)) from error


def _size_key(topology: Mapping[str, Any]) -> str:
    keys = {"grid": "rows", "random": "nodes", "positions": "positions", "file": "path"}
    return keys.get(topology["kind"], "hops")
