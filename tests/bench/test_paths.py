"""bench/paths.py: path lengths over time, and what they allow."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("paths", Path(__file__).parents[2] / "bench" / "paths.py")
assert _spec is not None
assert _spec.loader is not None
paths = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(paths)

#: Nodes 0 and 2 are two hops apart, node 1 between them; at 10 s of 20 node 2 goes.
DOCUMENT = {
    "profile": "ns2",
    "duration": "20s",
    "topology": {"kind": "positions", "positions": [[0.0, 0.0], [200.0, 0.0], [400.0, 0.0]]},
    "event": [{"at": "10s", "kind": "move", "node": 2, "position": [1000.0, 0.0]}],
}


def test_the_length_of_the_path_follows_the_nodes() -> None:
    # Forty looks in each half.
    assert paths.hops(json.dumps(DOCUMENT), 1, 0, 2) == [2] * 40 + [0] * 40


@pytest.mark.parametrize(("end", "expected"), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 0)])
def test_hops_are_counted_along_the_shortest_way(end: int, expected: int) -> None:
    # A chain of four with a way round from 0 to 2, and a node apart.
    near = [[1, 5], [0, 2], [1, 3, 5], [2], [], [0, 2]]
    assert paths.distance(near, 0, end) == expected


def test_each_length_counts_as_long_as_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "chains", lambda _: (0.0, 1000.0, 500.0, *[100.0] * 8))
    document = {**DOCUMENT, "routing": {"protocol": "dsr"}, "flow": [{"from": 0, "to": 2}]}
    run = {"seed": 1, "flows": [{"from": 0, "to": 2}]}
    assert paths.allowed(document, run) == 250.0


def test_chains_carry_less_the_longer_they_are() -> None:
    flow = {"pattern": "random", "copies": 1, "transport": "tcp-reno", "packet": 1460, "max_window": 8}
    found = paths.chains(json.dumps({"profile": "ns2", "routing": {"protocol": "static"}, "flow": [flow]}))
    assert found[0] == 0.0
    assert found[1] > 1.8 * found[2] > 2.5 * found[3] > 3 * found[6] > 0
    assert len(found) == paths.LONGEST + 1
