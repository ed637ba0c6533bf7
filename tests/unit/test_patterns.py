"""Parking lots, Ys, stars and rings, and the flows that patterns place."""

from __future__ import annotations

import math
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscope._core import PlaceError, across, components, drawn, place
from hopscope.errors import ScenarioError
from hopscope.scenario import Scenario
from hopscope.scenario.keys import schema


def scenario(table: dict[str, Any], flow: dict[str, Any], **sections: Any) -> Scenario:
    return Scenario({"topology": table, "flow": [flow], **sections})


def ends(table: dict[str, Any], flow: dict[str, Any], **sections: Any) -> list[tuple[int, int]]:
    flows = scenario(table, flow, **sections).points[0].config(1)["flows"]
    return [(flow["from"], flow["to"]) for flow in flows]


def placed(spacing: float = 200.0, **table: Any) -> list[list[float]]:
    return place({**table, "spacing": spacing}, 250.0)[0]


def neighbours(positions: list[list[float]], reach: float) -> dict[int, set[int]]:
    return {
        a: {b for b, q in enumerate(positions) if b != a and math.dist(p, q) <= reach} for a, p in enumerate(positions)
    }


# --- Topologies -----------------------------------------------------------------------------------------------------


def test_lanes_of_a_parking_lot_meet_the_line_only_where_they_join() -> None:
    links = neighbours(placed(kind="parking-lot", hops=5), 250.0)
    assert links == {
        0: {1}, 1: {0, 2, 6}, 2: {1, 3, 7}, 3: {2, 4, 8}, 4: {3, 5, 9}, 5: {4}, 6: {1}, 7: {2}, 8: {3}, 9: {4},
    }  # fmt: skip


def test_a_y_has_two_branches_and_a_stem() -> None:
    links = neighbours(placed(kind="y", hops=2, stem=3), 250.0)
    assert links == {0: {1}, 1: {0, 2}, 2: {1, 3, 7}, 3: {2, 4}, 4: {3, 5}, 5: {4}, 6: {7}, 7: {6, 2}}


def test_arms_of_a_star_meet_at_node_0() -> None:
    links = neighbours(placed(kind="star", arms=4, hops=2), 250.0)
    assert links == {0: {1, 3, 5, 7}, 1: {0, 2}, 2: {1}, 3: {0, 4}, 4: {3}, 5: {0, 6}, 6: {5}, 7: {0, 8}, 8: {7}}
    assert placed(kind="star", arms=4, hops=2)[:4] == [[0.0, 0.0], [200.0, 0.0], [400.0, 0.0], [0.0, 200.0]]


@given(st.integers(3, 60), st.floats(1.0, 1000.0))
def test_neighbours_on_a_ring_are_equally_far(nodes: int, spacing: float) -> None:
    positions = placed(kind="ring", nodes=nodes, spacing=spacing)
    gaps = [math.dist(positions[i], positions[(i + 1) % nodes]) for i in range(nodes)]
    assert gaps == pytest.approx([spacing] * nodes, abs=1e-5)


TABLES = [
    {"kind": "chain", "hops": 4},
    {"kind": "cross", "hops": 5},
    {"kind": "parking-lot", "hops": 4},
    {"kind": "y", "hops": 3},
    {"kind": "y", "hops": 2, "stem": 5},
    {"kind": "star", "arms": 5, "hops": 3},
    {"kind": "ring", "nodes": 9},
    {"kind": "grid", "rows": 3, "cols": 5},
]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table["kind"]))
def test_the_flows_across_a_topology_connect_and_the_resolved_scenario_keeps_them(table: dict[str, Any]) -> None:
    made = scenario(table, {"pattern": "across"})
    config = made.points[0].config(1)
    assert components(config["nodes"], 200.001) == [list(range(len(config["nodes"])))]
    found = [(flow["from"], flow["to"]) for flow in config["flows"]]
    assert len(set(found)) == len(found) >= 1
    assert Scenario(made.resolved).points[0].config(1) == config


# --- Patterns -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"kind": "chain", "hops": 4}, [(0, 4)]),
        ({"kind": "cross", "hops": 6}, [(0, 6), (7, 12)]),
        ({"kind": "parking-lot", "hops": 3}, [(0, 3), (4, 3), (5, 3)]),
        ({"kind": "y", "hops": 2, "stem": 1}, [(0, 3), (4, 3)]),
        ({"kind": "star", "arms": 3, "hops": 2}, [(2, 0), (4, 0), (6, 0)]),
        ({"kind": "ring", "nodes": 7}, [(0, 3)]),
        ({"kind": "grid", "rows": 3, "cols": 4}, [(4, 7), (2, 10)]),
        ({"kind": "grid", "rows": 1, "cols": 4}, [(0, 3)]),
    ],
)
def test_usual_flows_of_each_kind(table: dict[str, Any], expected: list[tuple[int, int]]) -> None:
    assert ends(table, {"pattern": "across"}) == expected


@pytest.mark.parametrize(
    ("flows", "lines"),
    [(2, [6]), (4, [3, 9]), (8, [1, 4, 8, 11]), (12, [1, 3, 5, 7, 9, 11]), (26, list(range(13)))],
)
def test_flows_of_a_grid_run_both_ways_and_evenly_apart(flows: int, lines: list[int]) -> None:
    found = ends({"kind": "grid", "rows": 13, "cols": 13}, {"pattern": "across", "copies": flows})
    rows = [(13 * line, 13 * line + 12) for line in lines]
    cols = [(line, 156 + line) for line in lines]
    assert found == rows + cols


def test_fewer_flows_than_entrances_are_evenly_apart() -> None:
    table = {"kind": "star", "arms": 8, "hops": 1}
    assert ends(table, {"pattern": "across", "copies": 4}) == [(1, 0), (3, 0), (5, 0), (7, 0)]


def test_a_topology_too_small_for_its_flows_is_refused() -> None:
    for table, flows in (
        ({"kind": "chain", "hops": 7}, 2),
        ({"kind": "cross", "hops": 6}, 3),
        ({"kind": "grid", "rows": 3, "cols": 3}, 7),
        ({"kind": "grid", "rows": 2, "cols": 9}, 6),
        ({"kind": "ring", "nodes": 5}, 6),
        ({"kind": "star", "arms": 3}, 4),
    ):
        message = rf"flow\.0\.copies: the topology is too small for {flows} flows"
        with pytest.raises(ScenarioError, match=message):
            scenario(table, {"pattern": "across", "copies": flows})
    with pytest.raises(ScenarioError, match=r"flow\.0\.copies: .* too small for 7 flows: it has 6 pairs"):
        scenario({"kind": "chain", "hops": 2}, {"pattern": "random", "copies": 7})


@pytest.mark.parametrize(
    ("flow", "message"),
    [
        ({"from": 0}, r"flow\.0\.to: is missing; expected a node number, .* or a pattern"),
        ({"pattern": "across", "to": 3}, r"flow\.0\.to: found together with pattern"),
        ({"pattern": "accross"}, r'flow\.0\.pattern: found "accross" \(did you mean "across"\?\); allowed'),
        ({"pattern": "across", "pattern_seed": 4}, r'pattern_seed: has no effect: it needs flow.0.pattern = "random"'),
        ({"from": 0, "to": 3, "pattern_seed": 4}, r'pattern_seed: has no effect: it needs flow.0.pattern = "random"'),
    ],
)
def test_what_does_not_go_together_is_refused(flow: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        scenario({"kind": "chain", "hops": 4}, flow)


def test_nothing_crosses_a_random_field() -> None:
    table = {"kind": "random", "nodes": 9, "area": [300, 300]}
    with pytest.raises(ScenarioError, match=r'flow\.0\.pattern: "across" has no meaning for .* kind "random"'):
        scenario(table, {"pattern": "across"})


def test_random_flows_depend_on_their_own_seed_and_join_connected_nodes() -> None:
    # Two fields out of each other's reach.
    positions = [[200.0 * i, 0.0] for i in range(5)] + [[9000.0, 200.0 * i] for i in range(5)]
    table = {"kind": "positions", "positions": positions}
    flow = {"pattern": "random", "copies": 12}
    found = ends(table, flow)
    assert len(set(found)) == 12
    assert all(a != b and (a < 5) == (b < 5) for a, b in found)
    assert ends(table, flow, seed=8) == found != ends(table, {**flow, "pattern_seed": 2})
    assert found[:3] == [(1, 2), (8, 6), (7, 8)]  # the same on every machine


@settings(max_examples=50)
@given(st.integers(2, 40), st.integers(0, 2**32), st.data())
def test_random_pairs_are_distinct_and_within_a_component(nodes: int, seed: int, data: st.DataObject) -> None:
    positions = placed(kind="random", nodes=nodes, area=[900.0, 900.0], seed=seed, connected=False)
    sets = components(positions, 250.0)
    assert sorted(node for members in sets for node in members) == list(range(nodes))
    pairs = sum(len(members) * (len(members) - 1) for members in sets)
    flows = data.draw(st.integers(0, pairs))
    found = drawn(positions, 250.0, flows, seed)
    assert len(set(found)) == flows
    home = {node: index for index, members in enumerate(sets) for node in members}
    assert all(a != b and home[a] == home[b] for a, b in found)
    with pytest.raises(PlaceError, match="too small"):
        drawn(positions, 250.0, pairs + 1, seed)


@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 40))
def test_grid_flows_are_on_lines_of_their_own(rows: int, cols: int, flows: int) -> None:
    try:
        found = across({"kind": "grid", "rows": rows, "cols": cols, "spacing": 1.0}, flows)
    except PlaceError:
        assert flows > min(rows if cols > 1 else cols, cols if rows > 1 else rows) or rows == cols == 1
        return
    assert len(set(found)) == flows
    for source, target in found:
        same_row, same_col = source // cols == target // cols, source % cols == target % cols
        assert same_row != same_col
        assert abs(target - source) == (cols - 1 if same_row else (rows - 1) * cols)


def test_a_sweep_over_the_topology_keeps_the_number_of_flows_open() -> None:
    table = {"kind": "parking-lot", "hops": 2}
    made = scenario(table, {"pattern": "across"}, sweep={"topology.hops": [2, 4]})
    assert [len(point.config(1)["flows"]) for point in made.points] == [2, 4]
    again = Scenario(made.resolved)
    assert [point.config(1) for point in again.points] == [point.config(1) for point in made.points]


def test_a_sweep_over_flows_counts_those_of_each_point() -> None:
    table = {"kind": "grid", "rows": 5, "cols": 5}
    made = scenario(table, {"pattern": "across"}, sweep={"flow.0.copies": [2, 4, 8]})
    assert [len(point.config(1)["flows"]) for point in made.points] == [2, 4, 8]


def test_the_schema_knows_both_ways_to_place_a_flow() -> None:
    check = jsonschema.Draft202012Validator(schema()).is_valid
    table = {"topology": {"kind": "ring", "nodes": 8}}
    assert check({**table, "flow": [{"pattern": "across"}]})
    assert check({**table, "flow": [{"from": 0, "to": 4}]})
    assert not check({**table, "flow": [{"from": 0}]})
    assert not check({**table, "flow": [{"from": 0, "to": 4, "pattern": "across"}]})
