"""Faults that a sceptical user has found once, outside the room of a single unit."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import hopscope as hs
from hopscope._core import positions
from hopscope.campaign.manifest import digest
from hopscope.errors import ScenarioError
from hopscope.results import PointResult, Result, tables
from hopscope.scenario import files, size

SHORT: dict[str, Any] = {
    "duration": 1,
    "topology": {"kind": "chain", "hops": 2},
    "flow": [{"from": 0, "to": 2, "transport": "udp", "app": "cbr", "rate": "100kbps"}],
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    hs.run({**SHORT, "sweep": {"mac.queue": [5, 10]}}, out=folder, jobs=1)
    return folder


def test_counts_by_kind_are_columns_and_no_kinds_are_none(store: Path) -> None:
    """An empty table inside a row cannot be written as Parquet."""
    assert not any("kinds" in column for column in pd.read_parquet(store / "network.parquet"))
    result = hs.run(SHORT)
    [run] = result.points[0].runs
    run["network"]["routing_kinds"] = {"rreq": 7, "rrep": 3}
    frame = tables.network([Result(result.scenario, [PointResult(0, {}, [run])])])
    assert frame["routing_kinds.rreq"].tolist() == [7]
    assert frame["routing_kinds.rrep"].tolist() == [3]
    assert "routing_kinds" not in frame


@pytest.mark.parametrize("start", [b"\xef\xbb\xbf", b""])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_scenario_files_from_windows_are_read(tmp_path: Path, start: bytes, line_end: bytes) -> None:
    lines = [b"duration = 1", b"[topology]", b'kind = "chain"', b"hops = 2", b"[[flow]]", b"from = 0", b"to = 9"]
    file = tmp_path / "windows.toml"
    file.write_bytes(start + line_end.join(lines))
    with pytest.raises(hs.ScenarioError, match=r"windows\.toml:7:1: flow\.0\.to: node 9 does not exist"):
        hs.load(file)


@pytest.mark.parametrize("text", ["0\t0\n100\t5\n", "0 0\n100 5\n", "0, 0\n100, 5\n", "# made by hand\n0;0\n100;5\n"])
def test_tables_of_positions_with_any_usual_separator(tmp_path: Path, text: str) -> None:
    (tmp_path / "nodes.txt").write_text(text)
    assert positions(files.text(tmp_path / "nodes.txt", ""), str(tmp_path / "nodes.txt"), "auto") == [[0, 0], [100, 5]]


def test_three_columns_without_a_header_are_ambiguous(tmp_path: Path) -> None:
    """Number, x, y looks like x, y, z; guessing put every node at the wrong place."""
    (tmp_path / "nodes.csv").write_text("0,0,0\n1,100,0\n")
    with pytest.raises(ValueError, match=r"nodes\.csv:1: found 3 columns without a header"):
        positions(files.text(tmp_path / "nodes.csv", ""), str(tmp_path / "nodes.csv"), "auto")


def test_a_row_with_more_columns_than_the_first_is_refused(tmp_path: Path) -> None:
    """A decimal comma makes two columns of a number; the node was put at the wrong place."""
    for text in ("x,y\n0,0\n200,5,10,0\n", "0,0\n200,5,10,0\n"):
        (tmp_path / "nodes.csv").write_text(text)
        with pytest.raises(ValueError, match=r"nodes\.csv:\d: found 4 columns; the first line has 2"):
            positions(files.text(tmp_path / "nodes.csv", ""), str(tmp_path / "nodes.csv"), "auto")
    (tmp_path / "nodes.csv").write_text("x,y\n0,0,\n200,5,,\n")
    assert positions(files.text(tmp_path / "nodes.csv", ""), str(tmp_path / "nodes.csv"), "auto") == [[0, 0], [200, 5]]


def test_a_point_that_a_result_does_not_have_is_reported() -> None:
    import hopscope as hs

    found = hs.run({"duration": "1s", "topology": {"kind": "chain", "hops": 1}, "flow": [{"from": 0, "to": 1}]})
    for ask in (found.samples, found.interval):
        for point in (1, -1):
            with pytest.raises(hs.InputError, match=rf"point: found {point}; 'chain' has 0$"):
                ask("flow.0.throughput_kbps", point=point)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"set": None}, "point 0 has other values than its scenario"),
        ({"set": {"mac.queue": 6}}, "point 0 has other values than its scenario"),
        ({"keys": ["../../manifest"]}, "point 0 does not list one run a seed"),
        ({"keys": []}, "point 0 does not list one run a seed"),
    ],
)
def test_a_manifest_that_contradicts_itself_is_refused(store: Path, change: dict[str, Any], reason: str) -> None:
    file = store / "manifest.json"
    manifest = json.loads(file.read_text())
    manifest["scenarios"][0]["points"][0] |= change
    file.write_text(json.dumps(manifest | {"sha256": digest(manifest)}))
    with pytest.raises(hs.StoreError, match=reason):
        hs.open_store(store).results()


def test_a_manifest_with_a_point_less_is_refused(store: Path) -> None:
    file = store / "manifest.json"
    manifest = json.loads(file.read_text())
    manifest["scenarios"][0]["points"].pop()
    file.write_text(json.dumps(manifest | {"sha256": digest(manifest)}))
    with pytest.raises(hs.StoreError, match="1 points of 2"):
        hs.open_store(store).results()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"jobs": 1.5}, "jobs: found 1.5; expected a whole number of at least 1"),
        ({"jobs": "2"}, "jobs: found '2'; expected a whole number"),
        ({"shard": (1,)}, r"shard: found \(1,\); expected \(i, n\)"),
        ({"shard": "1/2"}, "shard: found '1/2'"),
        ({"set": ["mac.queue=5"]}, "set: expected a mapping of dotted keys"),
        ({"set": {3: 1}}, "set: expected a mapping of dotted keys"),
        ({"seeds": 0}, "^seeds: found 0; must be at least 1 and at most 1000000$"),
    ],
)
def test_options_of_the_wrong_kind_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(hs.InputError, match=message):
        hs.run(SHORT, **options)


def test_results_without_a_common_seed_cannot_be_compared() -> None:
    first, second = hs.run(SHORT), hs.run({**SHORT, "seed": 100})
    with pytest.raises(hs.InputError, match="no seed has a sample"):
        hs.compare(first, second, "flow.0.delay_ms")


def test_bounds_are_reported_with_all_their_digits() -> None:
    with pytest.raises(hs.ScenarioError, match="must be at most 4294967295 packets"):
        hs.Scenario({**SHORT, "mac": {"queue_reserve": 5_000_000_000}})


def test_what_is_set_of_tcp_beside_udp_flows_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"^tcp: has no effect: it needs flow\.\*\.transport = .tcp"):
        hs.Scenario({**SHORT, "tcp": {"header": 2}})
    again = hs.Scenario(hs.Scenario(SHORT).resolved)
    assert again.points[0].config(1) == hs.Scenario(SHORT).points[0].config(1)


def test_a_network_beyond_the_memory_is_refused_before_it_is_built() -> None:
    field = {"kind": "random", "nodes": 303030, "area": [1000, 600]}
    with pytest.raises(ScenarioError, match=r"a run is estimated at .* GB of memory, and there are .* GB: fewer nodes"):
        hs.Scenario(duration="1s", topology=field, flow=[{"pattern": "random"}])


def test_a_crowd_beyond_the_memory_is_refused_however_large_the_field_around_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Estimated by the area of the field, it seemed sparse, and its links ate the memory."""
    monkeypatch.setattr(size, "_memory_bytes", lambda: 20e9)
    rows = "".join(f"{node},{node % 100},{node // 100}\n" for node in range(40_000))
    (tmp_path / "crowd.csv").write_text(f"node,x,y\n{rows}40000,500000,500000\n")
    crowd = {"kind": "file", "path": str(tmp_path / "crowd.csv")}
    with pytest.raises(ScenarioError, match=r"estimated at 25\.\d GB of memory, and there are 20\.0 GB: fewer nodes"):
        hs.Scenario(duration="1s", topology=crowd, flow=[{"from": 0, "to": 1}])


def test_a_large_network_is_announced_once_for_all_points_and_its_links_are_not_built(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The points made all links anew, 168 million in a field of 21,000 nodes: 43 s of processor time for six points."""
    field = {"kind": "grid", "rows": 500, "cols": 210, "spacing": "25m"}  # each node hears 1,500 others
    scenario = hs.Scenario(
        duration="1s",
        topology=field,
        flow=[{"from": 0, "to": node} for node in range(190, 210)],
        sweep={"profile": ["standard", "ns2", "as-ns3"], "routing.protocol": ["static", "aodv"]},
    )
    assert len(scenario.points) == 6
    [announced] = [record.getMessage() for record in caplog.records]
    assert re.fullmatch(r"105000 nodes: a run is estimated at \d+ s and \d+\.\d GB of memory", announced)


def test_more_flows_than_a_node_has_ports_are_refused_with_their_key() -> None:
    grid = {"kind": "grid", "rows": 10, "cols": 10}
    flows = [{"from": 0, "to": 99, "transport": "udp", "app": "cbr", "rate": "8kbps", "copies": 50_000}] * 2
    with pytest.raises(ScenarioError, match=r"flow\.0\.from_port: node 0 has no port left for it"):
        hs.Scenario(duration="1s", topology=grid, flow=flows)
