"""The scenarios of the comparison, generated from fixed seeds and shared by all simulators.

A scenario is written as plain text, `node x y` and `flow from to start` lines, for the ns-2 and ns-3 scripts, and as a
TOML file for Hopscope. All flows are greedy TCP NewReno, 1460-byte segments, window 32.
"""

from __future__ import annotations

import math
import random
from collections import deque
from dataclasses import dataclass
from pathlib import Path

RECEIVE_RANGE = 250.0
"""Metres within which two nodes are neighbours."""


@dataclass(frozen=True)
class Scenario:
    """Positions in metres and flows as (from, to, start in seconds)."""

    name: str
    title: str
    nodes: list[tuple[float, float]]
    flows: list[tuple[int, int, float]]

    def as_text(self) -> str:
        """The form the ns-2 and ns-3 scripts read."""
        lines = [f"node {x:.3f} {y:.3f}" for x, y in self.nodes]
        lines += [f"flow {source} {sink} {start:.1f}" for source, sink, start in self.flows]
        return "\n".join(lines) + "\n"

    def as_toml(self, duration: float) -> str:
        """A Hopscope scenario with static routes; `duration` in simulated seconds."""
        positions = ", ".join(f"[{x:.3f}, {y:.3f}]" for x, y in self.nodes)
        text = f'title = "{self.title}"\nduration = {duration}\nseeds = 1\n\n'
        text += f'[topology]\nkind = "positions"\npositions = [{positions}]\n'
        for source, sink, start in self.flows:
            text += f'\n[[flow]]\nfrom = {source}\nto = {sink}\nstart = {start}\ntransport = "tcp-newreno"\n'
            text += 'app = "bulk"\npacket = 1460\nmax_window = 32\n'
        return text

    def write(self, folder: Path) -> Path:
        """Writes the text form into `folder` and returns its path."""
        path = folder / f"{self.name}.txt"
        path.write_text(self.as_text(), encoding="utf-8")
        return path


def chain(hops: int = 7, spacing: float = 200.0) -> Scenario:
    """Nodes in a line, one flow from end to end."""
    nodes = [(spacing * i, 0.0) for i in range(hops + 1)]
    return Scenario(f"chain{hops}", f"{hops}-hop chain, 1 flow", nodes, [(0, hops, 1.0)])


def long_chain() -> Scenario:
    """As many hops as the searches of ns-2's AODV take; over 48 its DSDV carries nothing either."""
    return chain(hops=30)


def grid(side: int = 13, each_way: int = 2, spacing: float = 200.0) -> Scenario:
    """A square grid with as many flows along rows as along columns, evenly spaced."""
    nodes = [(spacing * column, spacing * row) for row in range(side) for column in range(side)]
    flows = []
    for line in (side * place // (each_way + 1) for place in range(1, each_way + 1)):
        flows.append((line * side, line * side + side - 1))
        flows.append((line, (side - 1) * side + line))
    count = len(flows)
    return Scenario(f"grid{side}x{count}", f"{side}x{side} grid, {count} flows", nodes, _staggered(flows))


def field(count: int = 200, width: float = 2500.0, height: float = 1000.0, flows: int = 20, seed: int = 1) -> Scenario:
    """Nodes placed uniformly at random, drawn again until every node can reach every other; random flow ends."""
    stream = random.Random(seed)
    while True:
        nodes = [(round(stream.uniform(0, width), 3), round(stream.uniform(0, height), 3)) for _ in range(count)]
        if _connected(nodes):
            break
    ends = [tuple(stream.sample(range(count), 2)) for _ in range(flows)]
    return Scenario(f"field{count}", f"{count} random nodes, {flows} flows", nodes, _staggered(ends))


def _staggered(ends: list[tuple[int, ...]]) -> list[tuple[int, int, float]]:
    """One flow every tenth of a second from 1 s on, so that the set-ups do not all collide."""
    return [(source, sink, round(1.0 + 0.1 * i, 1)) for i, (source, sink) in enumerate(ends)]


def _connected(nodes: list[tuple[float, float]]) -> bool:
    reached = {0}
    frontier = deque([0])
    while frontier:
        here = nodes[frontier.popleft()]
        for other, position in enumerate(nodes):
            if other not in reached and math.dist(here, position) <= RECEIVE_RANGE:
                reached.add(other)
                frontier.append(other)
    return len(reached) == len(nodes)


ALL = {
    "chain": chain,
    "long-chain": long_chain,
    "grid": grid,
    "busy-grid": lambda: grid(each_way=6),
    "field": field,
}
"""Every scenario of the comparison by the word that selects it."""
