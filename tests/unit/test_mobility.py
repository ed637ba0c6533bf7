"""``[mobility]``: nodes that move by a model or as a file describes, and traffic in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope.scenario import keys

NS = 1_000_000_000
FIELD = {"kind": "random", "nodes": 20, "area": [600, 300]}
FLOW = {"from": 0, "to": 19, "transport": "udp", "app": "cbr", "rate": "20kbps", "packet": 500}

SCENE = """\
$node_(0) set X_ 0.0
$node_(0) set Y_ 0.0
$node_(1) set X_ 200.0
$node_(1) set Y_ 0.0
$ns_ at 2.0 "$node_(1) setdest 300.0 0.0 20.0"
"""
TRAFFIC = """\
set udp_(0) [new Agent/UDP]
$ns_ attach-agent $node_(0) $udp_(0)
set null_(0) [new Agent/Null]
$ns_ attach-agent $node_(1) $null_(0)
set cbr_(0) [new Application/Traffic/CBR]
$cbr_(0) set packetSize_ 512
$cbr_(0) set interval_ 0.1
$cbr_(0) set random_ 0
$cbr_(0) attach-agent $udp_(0)
$ns_ connect $udp_(0) $null_(0)
$ns_ at 1.0 "$cbr_(0) start"
"""


def moving(**mobility: Any) -> hs.Scenario:
    return hs.Scenario(
        duration="10s",
        topology=FIELD,
        routing={"protocol": "aodv"},
        mobility={"model": "random-waypoint", **mobility},
        flow=[FLOW],
    )


def refused(**mobility: Any) -> str:
    with pytest.raises(hs.ScenarioError) as error:
        moving(**mobility)
    return str(error.value)


def test_the_model_reaches_the_engine_with_the_area_of_the_topology() -> None:
    point = moving(pause="2s", nodes=["first", 3]).points[0]
    assert point.config(1)["mobility"] == {
        "model": "random-waypoint", "start": "steady", "area": [600.0, 300.0], "nodes": [0, 3],
        "speed_min": 1.0, "speed_max": 20.0, "pause": 2 * NS, "pause_jitter": 0,
    }  # fmt: skip
    shown = point.resolved["mobility"]
    assert (shown["pause"], shown["area"]) == (2, [600.0, 300.0])
    assert "block" not in shown
    still = hs.Scenario(topology=FIELD, routing={"protocol": "aodv"}, flow=[FLOW]).points[0]
    assert "mobility" not in still.config(1)
    assert still.resolved["mobility"] == {"model": "static"}


VALUES = {
    "start": "topology", "nodes": [1, 2], "speed_min": 3.0, "speed_max": 9.0, "pause": 2.0, "pause_jitter": 3.0,
    "step": 4.0, "memory": 0.5, "speed_deviation": 2.0, "direction_deviation": 0.3, "block": 60.0, "straight": 0.7,
    "groups": 3, "radius": 30.0, "area": [700.0, 400.0],
}  # fmt: skip


@pytest.mark.parametrize("model", ["random-waypoint", "random-walk", "gauss-markov", "manhattan", "group"])
def test_every_key_of_a_model_reaches_the_engine(model: str) -> None:
    fields = [
        field for field in keys.engine("mobility") if field.name not in {"model", "path", "format", "time_origin"}
    ]
    assert {field.name for field in fields} == set(VALUES)
    used = [field for field in fields if field.when is None or f'"{model}"' in field.when]
    if model in {"manhattan", "group"}:
        used = [field for field in used if field.name != "start"]
    for field in used:
        value = VALUES[field.name]
        scenario = moving(model=model, **{field.name: value})
        assert scenario.points[0].config(1)["mobility"][field.name] == field.read(value), field.name


def test_what_no_movement_can_be_is_refused_by_its_key() -> None:
    assert "mobility.speed_min: found 0; must be above 0" in refused(speed_min=0)
    assert "mobility.speed_max: found -3" in refused(speed_max=-3)
    assert "mobility.pause: a pause of 11 s is longer than the run, 10 s" in refused(pause="11s")
    assert "mobility.nodes" in refused(nodes=[20])
    assert 'it needs mobility.model = "manhattan"; found mobility.model = "random-waypoint"' in refused(block=50)
    assert 'did you mean "random-walk"' in refused(model="random-wlak")
    with pytest.raises(hs.ScenarioError, match=r"mobility.area: is missing"):
        hs.Scenario(
            topology={"kind": "chain", "hops": 3}, mobility={"model": "random-walk"}, flow=[{"from": 0, "to": 3}]
        )


def test_seeds_are_movements_and_results_repeat() -> None:
    result = hs.run(moving(), seeds=3, jobs=1)
    again = hs.run(moving(), seeds=3, jobs=1)
    kept = ["received_packets", "delay_ms"]
    assert result.flows[kept].equals(again.flows[kept])
    assert result.flows["received_packets"].nunique() > 1 or result.flows["delay_ms"].nunique() > 1
    assert (result.flows["received_packets"] > 10).all()


def files(folder: Path, scene: str = SCENE, mobility: str = "", traffic: str = TRAFFIC) -> Path:
    (folder / "scene.tcl").write_text(scene)
    (folder / "cbr.tcl").write_text(traffic)
    (folder / "f.toml").write_text(
        'duration = "20s"\n[topology]\nkind = "file"\npath = "scene.tcl"\n[routing]\nprotocol = "aodv"\n'
        f'[mobility]\nmodel = "file"\n{mobility}\n[[flow]]\npattern = "file"\npath = "cbr.tcl"\ntransport = "udp"\n'
    )
    return folder / "f.toml"


def test_a_file_of_movement_and_one_of_traffic_make_a_scenario(tmp_path: Path) -> None:
    scenario = hs.load(files(tmp_path))
    config = scenario.points[0].config(1)
    assert config["nodes"] == [[0.0, 0.0], [200.0, 0.0]]
    assert config["paths"][1]["path"] == [
        [0, [200.0, 0.0]], [2 * NS, [200.0, 0.0]], [7 * NS, [300.0, 0.0]]
    ]  # fmt: skip
    flow = config["flows"][0]
    assert (flow["from"], flow["to"], flow["start"], flow["packet"]) == (0, 1, NS, 512)
    assert flow["app"] == {"kind": "cbr", "rate": 40960.0, "jitter": "none", "packets": 0}
    # 250 m are passed at 4.5 s: 35 packets leave before, and some are given up after.
    assert 34 <= hs.run(scenario, seeds=1, jobs=1).flows["received_packets"][0] <= 36


def test_a_stored_run_keeps_its_files(tmp_path: Path) -> None:
    scenario = hs.load(files(tmp_path))
    hs.run(scenario, seeds=1, jobs=1, out=tmp_path / "store")
    assert hs.Scenario(scenario.standalone()).points[0].config(1) == scenario.points[0].config(1)


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        ('$ns_ at 3.0 "$node_(1) setdest 900.0 0.0 20.0"', "scene.tcl:6: the node is at 900, 0, outside the area"),
        ('$ns_ at 3.0 "$node_(1) setdest 90.0 0.0 -1"', "scene.tcl:6: found a speed of -1 m/s"),
        ("$node_(1) set Z_ 1.0", "scene.tcl:6: found a height of 1 m; movement in three dimensions is not simulated"),
        ("$node_(1) start", "scene.tcl:6: start of a node is not followed"),
        ('$ns_ at x "$node_(1) setdest 90.0 0.0 2"', 'scene.tcl:6: found "x"; expected a time'),
        ('$ns_ at 3.0 "$node_(4) setdest 90.0 0.0 2"', "scene.tcl:6: node 4 has no position"),
    ],
)
def test_bad_lines_of_movement_are_named(tmp_path: Path, line: str, reported: str) -> None:
    path = files(tmp_path, scene=f"{SCENE}{line}\n", mobility="area = [500, 300]")
    with pytest.raises(hs.ScenarioError) as error:
        hs.load(path)
    assert reported in str(error.value)


def test_traffic_to_unknown_nodes_and_of_other_transports_is_refused(tmp_path: Path) -> None:
    with pytest.raises(hs.ScenarioError, match=r"cbr.tcl:\d+: node 7 does not exist; nodes are 0 to 1"):
        hs.load(files(tmp_path, traffic=TRAFFIC.replace("$node_(1)", "$node_(7)")))
    path = files(tmp_path)
    path.write_text(path.read_text().replace('"udp"', '"tcp-reno"'))
    with pytest.raises(hs.ScenarioError, match=r"the CBR connections of .*cbr.tcl need \"udp\""):
        hs.load(path)


def test_a_file_in_which_nodes_move_wants_the_model(tmp_path: Path) -> None:
    path = files(tmp_path)
    path.write_text(path.read_text().replace('[mobility]\nmodel = "file"\n', ""))
    with pytest.raises(hs.ScenarioError, match=r"a node moves \(setdest\); \[mobility\] model = \"file\" follows it"):
        hs.load(path)


def test_static_routes_among_moving_nodes_are_warned_of() -> None:
    scenario = moving().replace({"routing.protocol": "static", "topology.nodes": 60, "flow.0.to": 1})
    assert any("static routes stay those of the beginning" in warning for warning in scenario.warnings())
