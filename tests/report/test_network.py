"""Pictures of networks: what is in them, that they stay readable, and who draws them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from hopscope import _core
from hopscope.cli.main import build
from hopscope.reporting import network, plots
from hopscope.reporting.network import Network
from hopscope.scenario import Scenario

CROSS = {
    "title": "a cross",
    "topology": {"kind": "cross", "hops": 4},
    "flow": [{"pattern": "across"}, {"from": 0, "to": 4, "copies": 3}],
}


def numbers(figure):
    [ax] = figure.axes
    return [text.get_text() for text in ax.texts]


def test_a_network_shows_its_nodes_links_ranges_and_flows():
    made = network.of_point(Scenario(CROSS).points[0], "A cross")
    assert made.flows == [(0, 4), (5, 8), (0, 4), (0, 4), (0, 4)]
    assert made.centre == 2
    assert made.caption == (
        "A cross: 9 nodes. Lines join nodes that receive each other. Circles: node 2 is received up to 250 m away and "
        "sensed up to 550 m. Flows: 0 → 4, 5 → 8."
    )
    figure = network.draw(made)
    [ax] = figure.axes
    assert numbers(figure) == ["4 flows", *map(str, range(9))]
    arrows = [patch for patch in ax.patches if type(patch).__name__ == "FancyArrowPatch"]
    circles = [patch.radius for patch in ax.patches if type(patch).__name__ == "Circle"]
    assert len(arrows) == 2
    assert set(circles) == {250.0, 550.0}
    [links] = [c for c in ax.collections if type(c).__name__ == "LineCollection"]
    assert len(links.get_segments()) == 8
    left, right = ax.get_xlim()
    assert left <= 400 - 550
    assert right >= 400 + 550
    assert ax.get_aspect() == 1.0


def test_nodes_with_link_layers_of_their_own_are_shaded():
    layers = [{"nodes": [0, "last"], "link": "red+lred"}, {"nodes": list(range(1, 8)), "link": "codel"}]
    made = network.of_point(Scenario(CROSS, layer=layers).points[0], "A cross")
    assert made.caption.endswith(
        "5 → 8. Shaded: link layers of their own, red+lred at 0, 8; codel at 1, 2, 3, 4, 5, 6 and 1 more."
    )
    [ax] = network.draw(made).axes
    [nodes] = [c for c in ax.collections if type(c).__name__ == "PathCollection"]
    colours = [tuple(colour) for colour in nodes.get_facecolors()]
    assert len(colours) == 9
    assert colours[0] == colours[8] != colours[1] == colours[7]
    [ax] = network.draw(network.of_point(Scenario(CROSS).points[0], "A cross")).axes
    [nodes] = [c for c in ax.collections if type(c).__name__ == "PathCollection"]
    assert {tuple(colour) for colour in nodes.get_facecolors()} == {(1.0, 1.0, 1.0, 1.0)}
    # A picture that differs in its layers alone is another one.
    swept = Scenario(CROSS, layer=layers, sweep={"layer.0.link": ["red", "codel"]})
    assert len(network.distinct(swept.points, "A cross", 5)) == 2


def legend(figure):
    [found] = figure.legends
    return [text.get_text() for text in found.get_texts()]


def test_the_legend_says_what_circles_and_lines_are():
    chain = {"topology": {"kind": "chain", "hops": 7}, "flow": [{"from": 0, "to": 7}]}
    figure = network.draw(network.of_point(Scenario(chain).points[0], "A chain"))
    assert legend(figure) == [
        "transmission range of node 3: 250 m",
        "its carrier-sense range: 550 m",
        "link",
        "flow",
    ]
    layered = {**chain, "layer": [{"nodes": [2, 3], "link": "codel"}]}
    assert legend(network.draw(network.of_point(Scenario(layered).points[0], "L")))[4:] == ["link layer codel"]


@pytest.mark.parametrize("area", [[1000, 500], [900, 900], [300, 1200]])
def test_the_legend_fits_into_the_picture(area):
    field = {
        "duration": "100s",
        "topology": {"kind": "random", "nodes": 20, "area": area},
        "mobility": {"model": "random-waypoint", "speed_max": 10},
        "routing": {"protocol": "aodv"},
        "flow": [{"from": 0, "to": 5}],
        "layer": [{"nodes": [2], "link": "codel"}, {"nodes": [3], "link": "red"}],
    }
    figure = network.draw(network.of_point(Scenario(field).points[0], "A field"))
    figure.canvas.draw()
    box = figure.legends[0].get_window_extent()
    assert len(legend(figure)) == 7
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.width


@pytest.mark.parametrize("turned", [False, True])
def test_across_a_chain_the_wide_circle_is_cut(turned):
    places = [(0.0, 200.0 * node) if turned else (200.0 * node, 0.0) for node in range(8)]
    [ax] = network.draw(Network("n", "N", places, [(0, 7)], 250.0, 550.0)).axes
    along, across = (ax.get_ylim(), ax.get_xlim()) if turned else (ax.get_xlim(), ax.get_ylim())
    assert along[0] < 0
    assert along[1] > 1400
    assert 250 < across[1] < 300
    assert across[0] == -across[1]


def test_one_node_and_a_square_have_room_for_both_circles():
    for places in ([(0.0, 0.0)], [(0.0, 0.0), (200.0, 0.0), (0.0, 200.0), (200.0, 200.0)]):
        [ax] = network.draw(Network("n", "N", places, [], 250.0, 550.0)).axes
        assert ax.get_xlim()[0] <= -550
        assert ax.get_ylim()[1] >= 550


def test_a_field_of_200_nodes_is_numbered_and_a_huge_one_names_the_ends_alone():
    field = {"kind": "random", "nodes": 200, "area": [1000, 2500]}
    made = network.of_point(Scenario(topology=field, flow=[{"pattern": "random", "copies": 20}]).points[0], "A field")
    figure = network.draw(made)
    assert sorted(map(int, numbers(figure))) == list(range(200))
    width, height = figure.get_size_inches()
    assert height > 1.8 * width
    assert made.caption.endswith("and 14 more.")
    many = Network("n", "Many", [[float(i % 80), float(i // 80)] for i in range(4000)], [(0, 3999)], 1.0, 2.0)
    figure = network.draw(many)
    assert numbers(figure) == ["0", "3999"]
    assert not [c for c in figure.axes[0].collections if type(c).__name__ == "LineCollection"]
    assert "Lines" not in many.caption


@settings(max_examples=40)
@given(st.lists(st.tuples(st.floats(-500, 500), st.floats(-500, 500)), min_size=1, max_size=30), st.floats(1, 400))
def test_links_are_the_pairs_in_reach(positions, reach):
    made = Network("n", "N", positions, [], reach, 2 * reach)
    pairs = {(a, b) for b in range(len(positions)) for a in range(b) if math.hypot(
        positions[a][0] - positions[b][0], positions[a][1] - positions[b][1]) <= reach}  # fmt: skip
    found = list(network.links(made))
    assert len(found) == len(set(found))
    assert set(found) == pairs


def test_a_sweep_shows_each_network_once():
    swept = Scenario(**CROSS, sweep={"mac.queue": [5, 10], "topology.hops": [4, 6, 8, 10]})
    shown = network.distinct(swept.points, "swept", 3)
    assert [len(n.positions) for n in shown] == [9, 13, 17]
    assert [n.name for n in shown] == ["network-1", "network-2", "network-3"]
    assert [n.title for n in shown] == [f"swept, hops {hops}" for hops in (4, 6, 8)]
    assert [n.caption.endswith("The sweep has further networks.") for n in shown] == [False, False, True]
    assert not any("further" in n.caption for n in network.distinct(swept.points, "swept", 4))


@pytest.mark.parametrize("form", plots.FORMATS)
def test_check_draws_the_picture(form, tmp_path):
    from hopscope.scenario.toml_writer import to_toml

    (tmp_path / "cross.toml").write_text(to_toml(CROSS))
    path = tmp_path / f"cross.{form}"
    done = CliRunner().invoke(build(), ["check", str(tmp_path / "cross.toml"), "--picture", str(path)])
    assert done.exit_code == 0
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[form]
    assert path.read_bytes().startswith(start)


def test_check_refuses_other_forms_and_places_that_do_not_exist(tmp_path):
    from hopscope.errors import InputError
    from hopscope.scenario.toml_writer import to_toml

    (tmp_path / "cross.toml").write_text(to_toml(CROSS))
    for name, message in (("cross.gif", "allowed: .*svg"), ("cross.toml/cross.svg", "cannot be written: ")):
        words = ["check", str(tmp_path / "cross.toml"), "--picture", str(tmp_path / name)]
        done = CliRunner().invoke(build(), words)
        assert done.exit_code != 0
        assert isinstance(done.exception, InputError)
        with pytest.raises(InputError, match=message):
            raise done.exception


def test_links_that_carried_packets_are_drawn() -> None:
    import hopscope as hs
    from hopscope.reporting import tables

    flow = {"from": 0, "to": 2, "transport": "udp", "app": "cbr", "rate": "50kbps"}
    base = {"duration": "2s", "topology": {"kind": "grid", "rows": 2, "cols": 3}, "flow": [flow]}
    result = hs.run(base)
    used = tables.used_links(result)
    assert {(a, b) for a, b, _ in used[0]} == {(0, 1), (1, 2)}
    [shown] = network.distinct(result.scenario.points, "grid", 1, used)
    assert "Thick lines are where packets went" in shown.caption
    labels = [text.get_text() for text in network.draw(shown).legends[0].get_texts()]
    assert "packets went here" in labels
    forth = result.links.query("to > `from`").set_index("from")["packets"]
    assert forth[0] == forth[1] == result.flows["received_packets"][0]


def test_where_each_seed_draws_a_field_the_links_are_those_of_the_field_that_is_drawn() -> None:
    import hopscope as hs
    from hopscope.reporting import tables

    area = {"kind": "random", "nodes": 12, "area": [500, 500], "connected": True, "seed": "run"}
    flow = {"pattern": "random", "copies": 3, "transport": "udp", "app": "cbr", "rate": "20kbps"}
    result = hs.run({"duration": "3s", "topology": area, "flow": [flow]}, seeds=4)
    used = tables.used_links(result)
    [shown] = network.distinct(result.scenario.points, "field", 1, used)
    reached = set(network.links(shown))
    assert used[0]
    assert all((a, b) in reached for a, b, _ in used[0])
    links = result.links
    assert {(a, b) for a, b in zip(links["from"], links["to"], strict=True) if a < b} - reached


def test_the_caption_says_of_which_point_the_thick_lines_report() -> None:
    import hopscope as hs
    from hopscope.reporting import tables

    swept = hs.run({**CROSS, "duration": "2s", "sweep": {"profile": ["standard", "ns2"]}})
    [shown] = network.distinct(swept.scenario.points, "cross", 3, tables.used_links(swept))
    assert "where packets went at standard, the more" in shown.caption


def test_nodes_that_move_stand_where_they_begin_and_leave_their_paths() -> None:
    moving = {
        "duration": "100s",
        "topology": {"kind": "random", "nodes": 12, "area": [1000, 500]},
        "mobility": {"model": "random-waypoint", "speed_max": 10},
        "routing": {"protocol": "aodv"},
        "flow": [{"from": 0, "to": 5}],
    }
    made = network.of_point(Scenario(moving).points[0], "A field")
    # Half of the longer side at the greatest speed at most; a node goes no farther in that time.
    assert 0 < made.paths_s <= 0.5 * 1000 / 9
    assert len(made.paths) == 12
    assert [list(path[0]) for path in made.paths] == [list(place) for place in made.positions]
    assert max(math.dist(path[0], path[-1]) for path in made.paths) <= 10 * made.paths_s
    assert f"green lines are their paths in the first {made.paths_s:.3g} s" in made.caption
    figure = network.draw(made)
    [ax] = figure.axes
    assert len(ax.lines) == sum(len({tuple(place) for place in path}) > 1 for path in made.paths)
    assert f"path of a node, {made.paths_s:.3g} s" in [text.get_text() for text in figure.legends[0].get_texts()]
    # What the engine would have given for that time alone.
    scenario = Scenario(moving)
    alone = _core.node_paths(scenario.points[0].engine_config(scenario.seed), made.paths_s)
    assert [[place for _, *place in path] for _, path in alone] == [
        [pytest.approx(place, abs=1e-6) for place in path] for path in made.paths
    ]
    still = network.of_point(Scenario({**moving, "mobility": {"model": "static"}}).points[0], "A field")
    assert (still.paths, still.paths_s) == ((), 0.0)
    # Few nodes: the whole of their paths.
    few = {**moving, "topology": {"kind": "random", "nodes": 3, "area": [300, 300]}, "flow": [{"from": 0, "to": 1}]}
    assert network.of_point(Scenario(few).points[0], "Three").paths_s == 100
