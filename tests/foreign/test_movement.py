"""Movement files of BonnMotion and SUMO, compressed or not, and numbers that no node has."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope.scenario import files

NS = 1_000_000_000
FLOW = {"from": 0, "to": 1, "transport": "udp", "app": "cbr", "rate": "40kbps", "packet": 500}

FCD = """\
<?xml version="1.0" encoding="UTF-8"?>
<fcd-export>
    <timestep time="100.00"><vehicle id="a" x="0.00" y="0.00"/></timestep>
    <timestep time="104.00"><vehicle id="a" x="4.00" y="0.00"/><vehicle id="b" x="100.00" y="0.00"/></timestep>
    <timestep time="106.00"><vehicle id="a" x="6.00" y="0.00"/></timestep>
</fcd-export>
"""


def moved(path: Path, duration: str = "10s", **mobility: Any) -> hs.Scenario:
    return hs.Scenario(
        duration=duration,
        topology={"kind": "file", "path": str(path)},
        mobility={"model": "file", **mobility},
        routing={"protocol": "aodv"},
        flow=[FLOW],
    )


def test_a_vehicle_of_sumo_that_is_not_there_has_its_radio_off(tmp_path: Path) -> None:
    (tmp_path / "fcd.xml").write_text(FCD)
    scenario = moved(tmp_path / "fcd.xml", time_origin="first")
    config = scenario.points[0].config(1)
    assert config["paths"][0]["path"] == [[0, [0, 0]], [4 * NS, [4, 0]], [6 * NS, [6, 0]]]
    assert config["outages"] == [{"node": 1, "from": 0, "to": 4 * NS}, {"node": 1, "from": 6 * NS, "to": None}]
    # One packet every 0.1 s: 40 wait at the source for a route, 20 are sent while both are there.
    assert 40 <= hs.run(scenario, seeds=1, jobs=1).flows["received_packets"][0] <= 61
    with pytest.raises(hs.ScenarioError, match=r"fcd.xml: begins at 100 s, after the end of the run \(10 s\)"):
        moved(tmp_path / "fcd.xml")


def test_an_entity_of_xml_is_not_expanded(tmp_path: Path) -> None:
    entities = '<!DOCTYPE f [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "/etc/hostname">]>\n'
    for name in ("b", "c"):
        text = FCD.replace('id="a"', f'id="&{name};"').replace("<fcd-export>", f"{entities}<fcd-export>")
        (tmp_path / "fcd.xml").write_text(text)
        with pytest.raises(hs.ScenarioError, match=rf"fcd.xml:\d+: is no XML: .*{name}"):
            moved(tmp_path / "fcd.xml", time_origin="first")


def test_bonnmotion_in_three_dimensions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "walk.movements"
    path.write_text("0 1 2 5 9 3 4 5\n0 1 2 5\n")
    reported = r"walk.movements:1: found a height of 5 m; movement in three dimensions is not simulated"
    with pytest.raises(hs.ScenarioError, match=reported):
        moved(path)
    # Twelve numbers in both forms: the .params decides.
    path.write_text("0 1 2 5 6 7 8 9 10 11 12 13\n" * 2)
    with pytest.raises(hs.ScenarioError, match=r"can be read in two and in three dimensions"):
        moved(path)
    (tmp_path / "walk.params").write_text("model=RandomWaypoint3D\nz=100.0\n")
    with pytest.raises(hs.ScenarioError, match=reported):
        moved(path)
    (tmp_path / "walk.params").write_text("model=RandomWaypoint\nJ=2D\n")
    scenario = moved(path, "20s")
    assert len(scenario.points[0].config(1)["paths"][0]["path"]) == 4
    assert set(scenario.files()) == {str(path), str(tmp_path / "walk.params")}, "a store keeps both"


def test_gzip_is_unpacked_within_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "walk.movements.gz"
    rows = b"0 1 2 9 3 4\n0 5 6\n"
    path.write_bytes(gzip.compress(rows[:12]) + gzip.compress(rows[12:]))
    assert [len(one["path"]) for one in moved(path).points[0].config(1)["paths"]] == [2, 1]
    path.write_bytes(gzip.compress(rows)[:-9])
    with pytest.raises(hs.ScenarioError, match=r"walk.movements.gz: is no gzip file"):
        moved(path)
    monkeypatch.setattr(files, "MAX_BYTES", 2_000_000)
    path.write_bytes(gzip.compress(bytes(3_000_000)))
    with pytest.raises(hs.ScenarioError, match=r"walk.movements.gz: is larger than 2 MB when unpacked"):
        moved(path)
    path.write_bytes(gzip.compress(b"") * 2000)
    with pytest.raises(hs.ScenarioError, match=r"walk.movements.gz: is a gzip file of more than 1000 parts"):
        moved(path)


@pytest.mark.parametrize("is_moving", [True, False])
def test_a_number_without_a_node_is_a_radio_that_is_off(tmp_path: Path, is_moving: bool) -> None:
    used = (0, 1, 4)
    text = "".join(f"$node_({n}) set X_ {20 * n}\n$node_({n}) set Y_ 5\n" for n in used)
    (tmp_path / "scene.tcl").write_text(text)
    topology = {"kind": "file", "path": str(tmp_path / "scene.tcl")}
    mobility = {"model": "file"} if is_moving else {"model": "static"}
    scenario = hs.Scenario(topology=topology, mobility=mobility, routing={"protocol": "aodv"}, flow=[{**FLOW, "to": 4}])
    config = scenario.points[0].config(1)
    assert len(config["nodes"]) == 5
    assert [(outage["node"], outage["from"], outage["to"]) for outage in config["outages"]] == [
        (2, 0, None),
        (3, 0, None),
    ]
    assert "topology: the file has no node 2, 3 during the run: radio off" in scenario.warnings()
    again = hs.Scenario(scenario.standalone()).points[0].config(1)
    assert again["outages"] == config["outages"]
