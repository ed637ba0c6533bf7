"""Positions of the nodes for each kind of topology; the order of the list gives the node numbers."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopscope.scenario.fields import MAX_NODES
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
    if (regular := _REGULAR.get(kind)) is not None:
        return regular.nodes(topology)
    if kind == "random":
        return int(topology["nodes"])
    return len(topology["positions"]) if kind == "positions" else None


def stem_of(topology: Mapping[str, Any]) -> int:
    """Returns the hops of the stem of a Y: as many as each branch has where the table gives none."""
    return int(topology["hops"] if topology["stem"] is None else topology["stem"])


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
    if kind == "random":
        return scatter(topology["nodes"], topology["area"], topology["seed"], topology["connected"], tx_range)
    if (regular := _REGULAR.get(kind)) is not None:
        positions = regular.place(topology)
    elif kind == "file":
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


def parking_lot(hops: int, spacing: float) -> Positions:
    """A line to an exit, with a lane that joins at every inner node.

    Nodes 0..hops are the line, the exit is node ``hops``.  Node ``hops + i`` joins the line at node ``i``, for
    i = 1..hops - 1, by turns above and below, so that no two lanes are neighbours of each other.
    """
    line = [[spacing * i, 0.0] for i in range(hops + 1)]
    return line + [[spacing * i, spacing if i % 2 else -spacing] for i in range(1, hops)]


def y(hops: int, stem: int, spacing: float) -> Positions:
    """Two branches of ``hops`` hops that join into a stem of ``stem`` hops, 120 degrees apart from each other.

    Nodes 0..hops + stem run from the end of the upper branch over the junction, node ``hops``, to the end of the stem;
    the lower branch follows from its end to the node before the junction.
    """
    across, up = spacing / 2, spacing * math.sqrt(0.75)
    upper = [[-across * (hops - i), up * (hops - i)] for i in range(hops + 1)]
    return upper + [[spacing * i, 0.0] for i in range(1, stem + 1)] + [[x, -y_] for x, y_ in upper[:hops]]


def star(arms: int, hops: int, spacing: float) -> Positions:
    """``arms`` lines of ``hops`` hops that leave node 0 at equal angles, numbered arm by arm from the inside out."""
    return [[0.0, 0.0]] + [_polar(spacing * i, arm / arms) for arm in range(arms) for i in range(1, hops + 1)]


def ring(nodes: int, spacing: float) -> Positions:
    """Nodes on a circle, ``spacing`` apart in a straight line, numbered counter-clockwise."""
    radius = spacing / (2 * math.sin(math.pi / nodes))
    return [_polar(radius, node / nodes) for node in range(nodes)]


def _polar(radius: float, turn: float) -> list[float]:
    """A point at a part of a full turn; sine and cosine differ in the last digit between machines, a micrometre not."""
    angle = 2 * math.pi * turn
    return [round(radius * math.cos(angle), 6) + 0.0, round(radius * math.sin(angle), 6) + 0.0]


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
    return len(next(components(positions, reach), [])) == len(positions)


def components(positions: Positions, reach: float) -> Iterator[list[int]]:
    """Yields the sets of nodes that reach each other over hops of at most ``reach`` metres, each set in rising order.

    The sets come in the order of their first nodes.
    """
    if reach <= 0:
        yield from ([node] for node in range(len(positions)))
        return
    cells = _cells(positions, reach)
    seen = bytearray(len(positions))
    for first in range(len(positions)):
        if seen[first]:
            continue
        seen[first] = 1
        frontier, members = [first], [first]
        while frontier:
            x, y_ = positions[frontier.pop()]
            for cell in _around(x, y_, reach):
                if not (left := cells.get(cell)):
                    continue
                close = [i for i in left if math.hypot(positions[i][0] - x, positions[i][1] - y_) <= reach]
                if close:
                    chosen = set(close)
                    cells[cell] = [i for i in left if i not in chosen]
                    close = [i for i in close if not seen[i]]
                    for i in close:
                        seen[i] = 1
                    frontier += close
                    members += close
        yield sorted(members)


def near(positions: Sequence[Sequence[float]], reach: float) -> Iterator[list[int]]:
    """Yields for every node the others at most ``reach`` metres (above 0) away, in rising order."""
    cells = _cells(positions, reach)
    for node, (x, y_) in enumerate(positions):
        candidates = (i for cell in _around(x, y_, reach) for i in cells.get(cell, ()))
        yield sorted(
            i for i in candidates if i != node and math.hypot(positions[i][0] - x, positions[i][1] - y_) <= reach
        )


def _cells(positions: Sequence[Sequence[float]], size: float) -> dict[tuple[int, int], list[int]]:
    """The nodes in each square of a checkerboard."""
    cells: dict[tuple[int, int], list[int]] = {}
    for index, (x, y_) in enumerate(positions):
        cells.setdefault((math.floor(x / size), math.floor(y_ / size)), []).append(index)
    return cells


def _around(x: float, y_: float, size: float) -> Iterator[tuple[int, int]]:
    """The square of a point and those beside it."""
    column, row = math.floor(x / size), math.floor(y_ / size)
    return ((column + dx, row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1))


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


@dataclass(frozen=True)
class _Regular:
    """A kind of topology whose nodes stand in a fixed pattern.

    Attributes:
        key: the key that decides its size.
        nodes: how many nodes a table makes.
        place: where they stand.
    """

    key: str
    nodes: Callable[[Mapping[str, Any]], int]
    place: Callable[[Mapping[str, Any]], Positions]


_REGULAR = {
    "chain": _Regular("hops", lambda t: t["hops"] + 1, lambda t: chain(t["hops"], t["spacing"])),
    "cross": _Regular("hops", lambda t: 2 * t["hops"] + 1, lambda t: cross(t["hops"], t["spacing"])),
    "parking-lot": _Regular("hops", lambda t: 2 * t["hops"], lambda t: parking_lot(t["hops"], t["spacing"])),
    "y": _Regular("hops", lambda t: 2 * t["hops"] + stem_of(t) + 1, lambda t: y(t["hops"], stem_of(t), t["spacing"])),
    "star": _Regular("arms", lambda t: t["arms"] * t["hops"] + 1, lambda t: star(t["arms"], t["hops"], t["spacing"])),
    "ring": _Regular("nodes", lambda t: t["nodes"], lambda t: ring(t["nodes"], t["spacing"])),
    "grid": _Regular("rows", lambda t: t["rows"] * t["cols"], lambda t: grid(t["rows"], t["cols"], t["spacing"])),
}


def _size_key(topology: Mapping[str, Any]) -> str:
    kind = topology["kind"]
    return _REGULAR[kind].key if kind in _REGULAR else {"random": "nodes", "file": "path"}.get(kind, kind)
