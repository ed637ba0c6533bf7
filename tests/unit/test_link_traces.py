"""Traces of links in a scenario: what files may hold, and what runs with them are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from runfiles import names

UDP = {"from": 0, "to": 1, "transport": "udp", "app": "cbr", "rate": "80kbps", "packet": 1000}


def scene(folder: Path, text: str, key: str = "rssi_trace", **radio: Any) -> hs.Scenario:
    """Ten seconds over one hop with a trace."""
    (folder / "links.csv").write_text(text)
    return hs.Scenario(
        duration="10s",
        topology={"kind": "chain", "hops": 1},
        radio={key: str(folder / "links.csv"), **radio},
        flow=[UDP],
    )


def received(scenario: hs.Scenario) -> float:
    return float(hs.run(scenario).points[0].runs[0]["flows"][0]["received_packets"])


def test_a_link_is_as_strong_as_was_measured(tmp_path: Path) -> None:
    whole = received(scene(tmp_path, "0,0,1,-60\n"))
    half = received(scene(tmp_path, "time,from,to,rssi\n0,0,1,-60\n5,0,1,-90\n"))
    assert whole == pytest.approx(100, abs=1)
    assert half == pytest.approx(50, abs=1)
    assert received(scene(tmp_path, "0,0,1,1\n", "loss_trace")) == 0


def test_resolved_keys_are_those_given(tmp_path: Path) -> None:
    radio = scene(tmp_path, "0,0,1,-60\n0,1,0,-60\n", untraced="absent").resolved["radio"]
    assert (radio["rssi_trace"], radio["untraced"]) == (str(tmp_path / "links.csv"), "absent")
    assert "loss_trace" not in radio
    assert "untraced" not in hs.Scenario(topology={"kind": "chain", "hops": 1}, flow=[UDP]).resolved["radio"]


def test_what_the_file_holds_belongs_to_the_key_of_a_run(tmp_path: Path) -> None:
    store = tmp_path / "store"
    first = hs.run(scene(tmp_path, "0,0,1,-60\n5,0,1,-90\n"), out=store).points[0].runs[0]
    assert len(names(store)) == 1
    hs.run(scene(tmp_path, "# the same values\n0,0,1,-60\n5,0,1,-90\n"), out=store)
    assert len(names(store)) == 1, "the run is there already"
    second = hs.run(scene(tmp_path, "0,0,1,-60\n2,0,1,-90\n"), out=store).points[0].runs[0]
    assert len(names(store)) == 2
    assert second["flows"][0]["received_packets"] < first["flows"][0]["received_packets"]


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("", "links.csv: holds no values of links"),
        ("0,0,1,-60\n1,0,2,-60\n", "links.csv:2: node 2 does not exist; nodes are 0 to 1"),
        ("0,0,1\n", "links.csv:1: found 3 columns without a header; expected time, from, to and rssi"),
        ("2,0,1,-60\n1,0,1,-60\n", "links.csv:2: time 1 comes after a later one; expected ascending order"),
        ("0,0,1,99\n", 'links.csv:1: found "99"; expected a received power of -200 to 60 dBm'),
    ],
)
def test_bad_lines_are_reported_with_file_and_line(text: str, reported: str, tmp_path: Path) -> None:
    with pytest.raises(hs.ScenarioError) as refused:
        scene(tmp_path, text)
    assert f"radio.rssi_trace: {tmp_path}/{reported}" in str(refused.value)


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        hs.ScenarioError, match=r"radio\.fading: found \"rayleigh\" together with a trace of received powers"
    ):
        scene(tmp_path, "0,0,1,-60\n", fading="rayleigh")
    with pytest.raises(hs.ScenarioError, match=r"radio\.untraced: has no effect: it needs radio.rssi_trace given or"):
        hs.Scenario(topology={"kind": "chain", "hops": 1}, radio={"untraced": "absent"}, flow=[UDP])
    with pytest.raises(hs.ScenarioError, match=r"flow\.0\.to: node 1 cannot be reached from node 0"):
        scene(tmp_path, "0,0,1,-60\n", untraced="absent")  # nothing comes back, ACKs of the MAC neither


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "large.csv").open("wb") as file:
        file.truncate(600_000_000)
    radio = {"rssi_trace": str(tmp_path / "large.csv")}
    with pytest.raises(hs.ScenarioError, match=r"large\.csv: larger than 500 MB; expected a CSV file"):
        hs.Scenario(topology={"kind": "chain", "hops": 1}, radio=radio, flow=[UDP])


def test_a_sweep_over_traces_reads_each_of_them(tmp_path: Path) -> None:
    for name, power in (("near.csv", -60), ("far.csv", -90)):
        (tmp_path / name).write_text(f"0,0,1,{power}\n")
    (tmp_path / "scene.toml").write_text(
        'duration = "10s"\n[topology]\nkind = "chain"\nhops = 1\n'
        '[[flow]]\nfrom = 0\nto = 1\ntransport = "udp"\napp = "cbr"\nrate = "80kbps"\npacket = 1000\n'
        '[routing]\nprotocol = "aodv"\n[sweep]\n"radio.rssi_trace" = ["near.csv", "far.csv"]\n'
    )
    scenario = hs.load(tmp_path / "scene.toml")
    found = [point.runs[0]["flows"][0]["received_packets"] for point in hs.run(scenario).points]
    assert found[0] > 90
    assert found[1] == 0
    assert hs.Scenario(scenario.standalone()).points[1].config(1) == scenario.points[1].config(1)


def test_values_after_the_end_of_the_run_are_named(tmp_path: Path) -> None:
    late = scene(tmp_path, "0,0,1,-60\n10,0,1,-70\n12,0,1,-70\n")
    reported = "links.csv:2: found 10 s, after the end of the run (10 s): 2 of 3 values are without effect"
    assert any(warning.endswith(reported) and warning.startswith("radio.rssi_trace: ") for warning in late.warnings())
    with pytest.raises(hs.ScenarioError, match=r"2 of 2 values are without effect; time_origin = \"first\" counts"):
        scene(tmp_path, "1700000000.5,0,1,-60\n1700000005.5,0,1,-90\n")


def test_unix_times_can_count_from_the_first_of_both_files(tmp_path: Path) -> None:
    text = "1700000000.5,0,1,-60\n1700000005.5,0,1,-90\n"
    assert received(scene(tmp_path, text, time_origin="first")) == pytest.approx(50, abs=1)
    (tmp_path / "loss.csv").write_text("1699999998.5,0,1,0\n")
    both = scene(tmp_path, text, time_origin="first", loss_trace=str(tmp_path / "loss.csv"))
    traces = both.points[0].config(1)["traces"]
    assert [sample[0] for sample in traces["rssi"]] == [2_000_000_000, 7_000_000_000]
    assert [sample[0] for sample in traces["loss"]] == [0]
    with pytest.raises(hs.ScenarioError, match=r"radio.time_origin: has no effect: it needs radio.rssi_trace given"):
        hs.Scenario(topology={"kind": "chain", "hops": 1}, radio={"time_origin": "first"}, flow=[UDP])


def test_no_power_is_above_that_of_its_sender(tmp_path: Path) -> None:
    reported = r"links.csv:2: found 25 dBm from node 0 at node 1; the sender has 24.50 dBm \(radio.tx_power\)"
    with pytest.raises(hs.ScenarioError, match=reported):
        scene(tmp_path, "0,0,1,24\n5,0,1,25\n")
    scene(tmp_path, "0,0,1,24\n5,0,1,25\n", tx_power=0.4)
    (tmp_path / "links.csv").write_text("0,0,1,25\n")
    event = {"at": 1, "kind": "power", "node": 0, "power": 0.4}
    radio = {"rssi_trace": str(tmp_path / "links.csv")}
    hs.Scenario(topology={"kind": "chain", "hops": 1}, radio=radio, flow=[UDP], event=[event])
    with pytest.raises(hs.ScenarioError, match=r"the sender has 24\.50 dBm"):
        hs.Scenario(topology={"kind": "chain", "hops": 1}, radio=radio, flow=[UDP], event=[{**event, "node": 1}])
