"""ns-2 traffic files: what each node receives, in ns-2.35 and here.

The counts are those of ns-2.35 (Debian 2.35+dfsg-5, ``ns harness.tcl FILE 20 TRACE``): packets that agents receive, by
node. ACKs and the set-up of TCP are left out. Where ns-2 is installed it is asked again.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import hopscope as hs

FILES = Path(__file__).parent / "ns2"
NS = shutil.which("ns")

#: Received packets by file and node.
COUNTS = {
    "crosswise": {2: 36, 3: 76},
    "stops": {3: 101, 4: 25, 5: 8},
    "rates": {1: 724, 2: 97, 3: 188, 4: 437, 5: 43},
    "shared": {3: 190, 4: 95},
    "streams": {1: 906, 3: 772, 5: 300},
}  # fmt: skip

#: How far a stream of TCP that sends as fast as it can may be off, in parts of the count: two of the three stop after
#: 5 s, and both simulators draw their own back-offs. Datagrams and streams of a given size are the same to the packet.
TOLERANCE = {("streams", 1): 0.02, ("streams", 3): 0.02}


@pytest.mark.skipif(NS is None, reason="ns-2 is not installed")
@pytest.mark.parametrize("name", COUNTS)
def test_the_counts_are_those_of_ns2(name: str, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    command = [str(NS), str(FILES / "harness.tcl"), str(FILES / f"{name}.tcl"), "20", str(trace)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    rows = [line.split() for line in trace.read_text().splitlines() if line.startswith("r ")]
    of_data = [row for row in rows if row[3] == "AGT" and row[6] != "ack" and not (row[6] == "tcp" and row[7] == "40")]
    assert Counter(int(row[2].strip("_")) for row in of_data) == COUNTS[name]


@pytest.mark.parametrize("name", COUNTS)
def test_nodes_receive_what_they_receive_in_ns2(name: str) -> None:
    scenario = hs.Scenario(
        profile="ns2",
        duration="20s",
        topology={
            "kind": "positions",
            "positions": [[100, 100], [150, 100], [200, 100], [100, 150], [150, 150], [200, 150]],
        },
        routing={"protocol": "aodv"},
        flow=[{"pattern": "file", "path": str(FILES / f"{name}.tcl")}],
    )
    flows = hs.run(scenario, seeds=1, jobs=1).flows
    sizes = [flow["packet"] for flow in scenario.points[0].config(1)["flows"]]
    received: Counter[int] = Counter()
    for to, octets, size in zip(flows["to"], flows["received_bytes"], sizes, strict=True):
        received[to] += octets / size
    assert received.keys() == COUNTS[name].keys()
    for node, count in COUNTS[name].items():
        assert received[node] == pytest.approx(count, abs=TOLERANCE.get((name, node), 0) * count), node


def test_of_a_mixed_file_each_connection_has_its_own_transport(tmp_path: Path) -> None:
    text = (FILES / "streams.tcl").read_text() + (FILES / "crosswise.tcl").read_text()
    (tmp_path / "mixed.tcl").write_text(text)
    flow = {"pattern": "file", "path": str(tmp_path / "mixed.tcl")}
    scenario = hs.Scenario(topology={"kind": "chain", "hops": 5}, flow=[flow])
    flows = scenario.points[0].config(1)["flows"]
    assert [(flow["transport"], flow["max_window"], flow["ack"]) for flow in flows[:3]] == [
        ("tcp-tahoe", 4, "every"), ("tcp-newreno", 20, "ns2-delack"), ("tcp-sack", 20, "every")
    ]  # fmt: skip
    assert [flow["transport"] for flow in flows[3:]] == ["udp", "udp"]
    assert flows[2]["app"] == {"kind": "file", "bytes": 300_000}
    own = hs.Scenario(topology={"kind": "chain", "hops": 5}, flow=[{**flow, "max_window": 3}]).points[0].config(1)
    assert [one["max_window"] for one in own["flows"][:3]] == [3, 3, 3]
    for key in ["packet", "rate", "stop", "app", "packets"]:
        with pytest.raises(
            hs.ScenarioError, match=rf"flow\.0\.{key}.*found together with pattern = \"file\", which sets it"
        ):
            hs.Scenario(topology={"kind": "chain", "hops": 5}, flow=[{**flow, key: "cbr" if key == "app" else 1}])


def test_connections_that_start_after_the_end_are_named(tmp_path: Path) -> None:
    path = FILES / "crosswise.tcl"
    flow = [{"pattern": "file", "path": str(path)}]
    some = hs.Scenario(duration="2s", topology={"kind": "chain", "hops": 5}, flow=flow)
    reported = f"flow.0.path: 1 of 2 connections of {path} start after the end of the run (2 s): they are left out"
    assert reported in some.warnings()
    assert len(some.points[0].config(1)["flows"]) == 1
    with pytest.raises(hs.ScenarioError, match=r"2 of 2 connections of .* start after the end of the run \(1 s\)"):
        hs.Scenario(duration="1s", topology={"kind": "chain", "hops": 5}, flow=flow)


def test_a_file_of_movement_and_traffic_is_followed_by_both_keys(tmp_path: Path) -> None:
    moves = "".join(f"$node_({n}) set X_ {100 * n}\n$node_({n}) set Y_ 0\n" for n in range(4))
    (tmp_path / "both.tcl").write_text(moves + (FILES / "crosswise.tcl").read_text())
    both = str(tmp_path / "both.tcl")
    topology = {"kind": "file", "path": both}
    flow = {"pattern": "file", "path": both}
    assert len(hs.Scenario(topology=topology, flow=[flow]).points[0].config(1)["flows"]) == 2
    with pytest.raises(hs.ScenarioError, match=r"both.tcl:10: the file holds traffic; a \[\[flow\]\]"):
        hs.Scenario(topology=topology, flow=[{"from": 0, "to": 1}])
    with pytest.raises(hs.ScenarioError, match=r"both.tcl:1: a node is placed or moves here"):
        hs.Scenario(topology={"kind": "chain", "hops": 5}, flow=[flow])
