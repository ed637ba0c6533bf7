"""Node positions and their numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hopscope._core import components, positions
from hopscope.errors import ScenarioError
from hopscope.scenario import Scenario, files

FLOW = [{"from": "first", "to": 1, "transport": "udp"}]


def nodes(table: dict[str, Any], **sections: Any) -> list[list[float]]:
    scenario = Scenario({"topology": table, "flow": FLOW, **sections})
    positions: list[list[float]] = scenario.points[0].config(1)["nodes"]
    return positions


def is_connected(positions: list[list[float]], reach: float) -> bool:
    return len(components(positions, reach)) == 1


def test_chain_runs_from_left_to_right() -> None:
    assert nodes({"kind": "chain", "hops": 3, "spacing": "150m"}) == [[0, 0], [150, 0], [300, 0], [450, 0]]


def test_cross_of_six_hops_is_numbered_as_in_the_study() -> None:
    positions = nodes({"kind": "cross", "hops": 6})
    assert len(positions) == 13
    horizontal, vertical = positions[:7], positions[7:]
    assert [x for x, _ in horizontal] == [200.0 * i for i in range(7)]
    assert len({y for _, y in horizontal}) == 1
    centre = positions[3]
    assert all(x == centre[0] for x, _ in vertical)
    assert [y - centre[1] for _, y in vertical] == [-600, -400, -200, 200, 400, 600]


@pytest.mark.parametrize("hops", [2, 3, 4, 5, 9])
def test_a_cross_has_two_connected_lines_that_share_one_node(hops: int) -> None:
    positions = nodes({"kind": "cross", "hops": hops, "spacing": 1.0})
    assert len(positions) == 2 * hops + 1 == len({tuple(p) for p in positions})
    assert is_connected(positions, 1.0)
    assert sum(x == positions[hops // 2][0] for x, _ in positions) == hops + 1


def test_grid_is_numbered_row_by_row() -> None:
    assert nodes({"kind": "grid", "rows": 2, "cols": 3, "spacing": 10.0}) == [
        [0, 0],
        [10, 0],
        [20, 0],
        [0, 10],
        [10, 10],
        [20, 10],
    ]


def test_random_field_depends_on_its_own_seed_only() -> None:
    table = {"kind": "random", "nodes": 20, "area": [300, "0.3km"], "seed": 3}
    assert nodes(table) == nodes(table, seed=9)
    assert nodes(table) != nodes({**table, "seed": 4})
    assert all(0 <= x <= 300 and 0 <= y <= 300 for x, y in nodes(table))
    assert nodes(table)[0] == pytest.approx([71.38938812, 163.26876759])  # the same on every machine


def test_connected_field_is_connected_and_says_when_there_is_none() -> None:
    table = {"kind": "random", "nodes": 30, "area": [800, 800], "connected": True}
    assert is_connected(nodes(table), 250.0)
    with pytest.raises(ScenarioError, match=r"topology\.connected: no connected field in 1000 placements"):
        nodes({**table, "area": [50_000, 50_000]})


def test_connected_needs_every_node() -> None:
    assert is_connected([[0, 0], [10, 0], [20, 0]], 10)
    assert not is_connected([[0, 0], [10, 0], [20.1, 0]], 10)


def test_too_many_nodes_are_refused_before_they_are_made() -> None:
    for table in (
        {"kind": "grid", "rows": 1_000_000, "cols": 1_000_000},
        {"kind": "chain", "hops": 10**9},
        {"kind": "random", "nodes": 10**9, "area": [1, 1]},
    ):
        with pytest.raises(ScenarioError, match="at most"):
            nodes(table)


FILES = {
    "plain.csv": "0,0\n200,0\n\n# note\n400,10\n",
    "header.csv": "id;x_m;y_m\n0;0;0\n1;200;0\n2;400;10\n",
    "setdest.tcl": "# nodes: 3\n$node_(0) set X_ 0.0\n$node_(0) set Y_ 0.0\n$node_(1) set X_ 200\n$node_(1) set Y_ 0\n"
    "$node_(1) set Z_ 0\n$node_(2) set X_ 400\n$node_(2) set Y_ 10\n",
    "bonn.movements": "0.0 0 0\n0.0 200 0 100.0 200 0\n0.0 400 10\n",
}


@pytest.mark.parametrize("name", FILES)
def test_positions_from_files(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FILES[name])
    assert positions(files.text(tmp_path / name, ""), str(tmp_path / name), "auto") == [[0, 0], [200, 0], [400, 10]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,0\n200\n", ":2: found 1 columns"),
        ("0,0\nabc,1\n", ':2: found "abc"; expected a number'),
        ("0,0\nnan,1\n", ":2: found"),
        ("x,b\n1,2\n", ":1: the header has no columns x and y"),
        ("a,b\n1,2\n", "its first line is none of"),
        ("", "holds no positions"),
        ("$node_(20000) set X_ 1\n$node_(20000) set Y_ 1\n", "the number 20000 leaves 20000 numbers without a node"),
        ("$node_(0) set X_ 1\n", "needs both X_ and Y_"),
        ('$node_(0) set X_ 1\n$ns_ at 1.0 "$node_(0) setdest 1 2 3"\n', ":2: a node moves"),
        ("0 1 2 5 9 9\n", ":1: the node moves"),
        ("0 1 2 3 4\n", ":1: found 5 numbers"),
    ],
)
def test_bad_node_files_are_placed(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "nodes.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"nodes\.txt") as caught:
        positions(files.text(path, ""), str(path), "auto")
    assert message in str(caught.value)


def test_a_node_file_is_found_beside_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(FILES["plain.csv"])
    file = tmp_path / "field.toml"
    file.write_text(
        '[topology]\nkind = "file"\npath = "nodes.csv"\n[[flow]]\nfrom = 0\nto = "last"\ntransport = "udp"\n'
    )
    from hopscope.scenario import load

    scenario = load(file)
    assert scenario.points[0].config(1)["nodes"] == [[0, 0], [200, 0], [400, 10]]
    assert scenario.standalone()["topology"]["kind"] == "positions"
    (tmp_path / "nodes.csv").unlink()
    with pytest.raises(ScenarioError, match=r"field\.toml:3:1: topology\.path: .*nodes\.csv: cannot be read"):
        load(file)
