"""Applications of flows, video traces, and flows that share a table: copies, groups."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from hopscope import run
from hopscope._core import frames
from hopscope.cli.table import print_result
from hopscope.errors import ScenarioError
from hopscope.reporting.tables import charts
from hopscope.scenario import Scenario, files, load
from hopscope.scenario.fields import NS

CHAIN = {"duration": "10s", "topology": {"kind": "chain", "hops": 2}}


def scenario(*flows: dict[str, Any], **more: Any) -> Scenario:
    ends = {"from": 0, "to": "last", "transport": "udp"}
    return Scenario({**CHAIN, "flow": [{**ends, **flow} for flow in flows], **more})


def lowered(*flows: dict[str, Any]) -> list[dict[str, Any]]:
    return list(scenario(*flows).points[0].config(1)["flows"])


def refusal(*flows: dict[str, Any], **more: Any) -> str:
    with pytest.raises(ScenarioError) as caught:
        scenario(*flows, **more)
    return str(caught.value)


# --- Applications ---------------------------------------------------------------------------------------------------


def test_voice_is_g711_with_the_talk_spurts_of_p59() -> None:
    [flow] = lowered({"app": "voice"})
    assert flow["packet"] == 160
    assert flow["app"] == {
        "kind": "on-off",
        "rate": 64_000.0,
        "on": 1_004_000_000,
        "off": 1_587_000_000,
        "codec": "g711-plc",
    }
    # One packet every 20 ms while somebody talks.
    assert flow["packet"] * 8 / flow["app"]["rate"] == 0.02


def test_the_gaps_of_cbr_are_equal_unless_said() -> None:
    flows = lowered({"app": "cbr", "rate": "1Mbps"}, {"app": "cbr", "rate": "1Mbps", "jitter": "uniform"})
    assert [flow["app"]["jitter"] for flow in flows] == ["none", "uniform"]


def test_jitter_spreads_the_delays_of_cbr() -> None:
    own = {"app": "cbr", "rate": "100kbps"}
    sent = {}
    for jitter in ("none", "uniform", "poisson"):
        result = run(scenario({**own, "jitter": jitter}))
        sent[jitter] = result.flows["sent_packets"].iloc[0]
    assert sent["none"] == 86
    assert 75 < sent["uniform"] < 97
    assert sent["uniform"] != sent["poisson"]


def test_voice_takes_other_values() -> None:
    [flow] = lowered({"app": "voice", "packet": 80, "on": "400ms", "off": "600ms", "rate": "8kbps"})
    assert flow["packet"] == 80
    assert flow["app"] == {
        "kind": "on-off",
        "rate": 8_000.0,
        "on": 400_000_000,
        "off": 600_000_000,
        "codec": "g711-plc",
    }


def test_the_packet_of_other_applications_is_that_of_the_key() -> None:
    assert [flow["packet"] for flow in lowered({"app": "poisson", "rate": "100kbps"}, {})] == [1460, 1460]


@pytest.mark.parametrize(
    ("flow", "message"),
    [
        ({"app": "poisson"}, 'flow.0.rate: is missing; app = "poisson" needs rate'),
        (
            {"app": "poisson", "rate": "1Mbps", "on": 1},
            'flow.0.on: has no effect: it needs flow.0.app = "on-off" or "voice"',
        ),
        ({"app": "video"}, 'flow.0.trace: is missing; app = "video" needs trace'),
        ({"app": "video", "trace": ""}, "flow.0.trace: .: is a folder; expected a CSV file"),
        ({"app": "video", "trace": 3, "frame_rate": 0}, "flow.0.trace: found 3"),
        ({"app": "cbr"}, 'flow.0.rate: is missing; app = "cbr" needs rate'),
        ({"app": "cbr", "rate": 1, "jitter": "unifrom"}, 'did you mean "uniform"?'),
        (
            {"app": "poisson", "rate": 1, "jitter": "none"},
            'flow.0.jitter: has no effect: it needs flow.0.app = "cbr"; found flow.0.app = "poisson"',
        ),
        ({"app": "vioce"}, 'did you mean "voice"?'),
        ({"app": "voice", "rate": 0}, "flow.0.rate: found 0"),
    ],
)
def test_bad_applications_are_refused(flow: dict[str, Any], message: str) -> None:
    assert message in refusal(flow)


# --- Video traces ---------------------------------------------------------------------------------------------------


def trace(tmp_path: Path, text: str, rate: float = 25.0) -> list[tuple[int, int]]:
    path = tmp_path / "trace.csv"
    path.write_text(text, encoding="utf-8")
    return frames(files.text(path, "a CSV file"), str(path), rate)


@pytest.mark.parametrize(
    "text",
    [
        "time,bytes\n0,1000\n0.04,200\n0.04,3\n",
        "# a film\ntime (s);kind;bytes\n0;I;1000\n0.04;P;200\n\n0.04;B;3\n",
        "0 1000\n0.04 200\n0.04 3",
        "0\t1000\n0.04\t200\n0.04\t3",
    ],
)
def test_frames_by_time(tmp_path: Path, text: str) -> None:
    assert trace(tmp_path, text) == [(0, 1000), (40_000_000, 200), (40_000_000, 3)]


def test_frames_by_number_start_with_the_first(tmp_path: Path) -> None:
    found = trace(tmp_path, "frame,bytes\n1,1000\n2,200\n5,0\n", rate=50.0)
    assert found == [(0, 1000), (20_000_000, 200), (80_000_000, 0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time,bytes\n0,1000\n0.04,many\n", ':3: found "many"; expected a number of bytes'),
        ("time,bytes\n0,1000\n0.04,-1\n", ':3: found "-1"; expected a number of bytes'),
        ("time,bytes\n0,12.5\n", ':2: found "12.5"; expected a number of bytes'),
        ("time,bytes\n0.04,1\n\n0.03,1\n", ":4: time 0.03 comes after a later one"),
        ("frame,bytes\n2,1\n1,1\n", ":3: frame 1 comes after a later one"),
        ("frame,bytes\n0.5,1\n", ':2: found "0.5"; expected a frame number'),
        ("time,bytes\n-1,1\n", ':2: found "-1"; expected a time of at least 0 s'),
        ("time,bytes\nnan,1\n", ':2: found "nan"; expected a time of at least 0 s'),
        ("time,bytes\nsoon,1\n", ':2: found "soon"; expected a time in seconds'),
        ("time,bytes\n1\n", ":2: found 1 columns; expected 2"),
        ("time,length\n1,2\n", ":1: the header needs the columns time or frame, and bytes"),
        ("1,2,3\n", ":1: found 3 columns without a header"),
        ("# nothing\n", ": holds no frames"),
        ("time,bytes\n", ": holds no frames"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"trace.csv{message}")):
        trace(tmp_path, text)


VIDEO = """\
duration = "2s"
[topology]
kind = "chain"
hops = 1
[[flow]]
from = 0
to = 1
transport = "udp"
app = "video"
packet = 1000
trace = "film.csv"
"""


def test_a_trace_lies_beside_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "film.csv").write_text("frame,bytes\n0,2500\n1,100\n", encoding="utf-8")
    path = tmp_path / "scenario.toml"
    path.write_text(VIDEO, encoding="utf-8")
    video = load(path)
    [flow] = video.points[0].config(1)["flows"]
    assert flow["app"] == {"kind": "trace", "frames": [[0, 2500], [40_000_000, 100]]}
    assert video.resolved["flow"][0]["trace"] == "film.csv"
    assert video.standalone()["flow"][0]["trace"] == str(tmp_path / "film.csv")
    assert Scenario(video.standalone()).points[0].config(1) == video.points[0].config(1)


def test_a_bad_trace_is_refused_at_its_key(tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(VIDEO, encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"scenario.toml:11:1: flow.0.trace: .*film.csv: cannot be read"):
        load(path)
    (tmp_path / "film.csv").write_text("time,bytes\n0,1\n1,x\n", encoding="utf-8")
    with pytest.raises(ScenarioError, match=r'scenario.toml:11:1: flow.0.trace: .*film.csv:3: found "x"'):
        load(path)
    (tmp_path / "film.csv").write_text("time,bytes\n0,4000000000\n", encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"scenario.toml:11:1: flow.0.trace: .*at most 100000 packets a frame"):
        load(path)


def test_a_video_flow_delivers_its_frames(tmp_path: Path) -> None:
    (tmp_path / "film.csv").write_text("time,bytes\n0,2500\n0.5,100\n5,100\n", encoding="utf-8")
    path = tmp_path / "scenario.toml"
    path.write_text(VIDEO, encoding="utf-8")
    [flow] = run(load(path)).points[0].runs[0]["flows"]
    # The last frame comes after the end.
    assert (flow["sent_packets"], flow["received_packets"], flow["received_bytes"]) == (4, 4, 2600)


# --- Copies and groups ----------------------------------------------------------------------------------------------


def test_copies_are_flows_of_their_own() -> None:
    flows = lowered({"copies": 3, "stagger": "100ms", "start": "1s", "group": "web"}, {"app": "voice"})
    assert [flow["start"] for flow in flows] == [NS, NS + NS // 10, NS + NS // 5, 0]
    assert [flow["group"] for flow in flows] == ["web", "web", "web", None]


def test_a_swept_key_of_a_table_holds_for_all_its_copies() -> None:
    several = scenario({"copies": 2}, sweep={"flow.0.packet": [100, 200]})
    assert [[flow["packet"] for flow in point.config(1)["flows"]] for point in several.points] == [[100] * 2, [200] * 2]


@pytest.mark.parametrize(
    ("flow", "message"),
    [
        ({"copies": 0}, "flow.0.copies: found 0"),
        ({"copies": 11, "stagger": "1s"}, "flow.0.stagger: the last of 11 copies never starts: 10 s"),
        (
            {"copies": 3, "stagger": "1s", "stop": "2s"},
            "flow.0.stop: 2 s is not after the start of the last of 3 copies",
        ),
        ({"group": "a.b"}, 'flow.0.group: found "a.b"; expected a name of letters, digits, - and _'),
        ({"group": ""}, 'flow.0.group: found ""'),
    ],
)
def test_bad_copies_and_groups_are_refused(flow: dict[str, Any], message: str) -> None:
    assert message in refusal(flow)


def test_the_engine_names_the_table_of_a_copy() -> None:
    far = {"to": 3, "transport": "udp"}
    nodes = {"kind": "positions", "positions": [[0, 0], [200, 0], [400, 0], [4000, 0]]}
    assert "flow.1.to: node 3 cannot be reached" in refusal({"copies": 4, "to": 1}, far, topology=nodes)


def test_quick_shortens_the_stagger() -> None:
    quick = scenario({"copies": 3, "stagger": "20s"}, duration="100s").quick()
    assert [flow["start"] for flow in quick.points[0].config(1)["flows"]] == [0, 2 * NS, 4 * NS]


def test_groups_are_added_up() -> None:
    cbr = {"app": "cbr", "rate": "50kbps", "packet": 500}
    result = run(scenario({**cbr, "copies": 2, "stagger": "1s", "group": "slow"}, {**cbr, "rate": "100kbps"}))
    [point] = result.points
    [found] = point.runs
    slow = found["groups"]["slow"]
    assert slow["flows"] == [0, 1]
    first, second, other = (flow["throughput_kbps"] for flow in found["flows"])
    assert slow["aggregate_kbps"] == pytest.approx(first + second)
    assert slow["jain"] == pytest.approx((first + second) ** 2 / (2 * (first**2 + second**2)))
    assert point.samples("group.slow.aggregate_kbps") == [slow["aggregate_kbps"]]
    assert point.summary["group.slow.jain"]["n"] == 1
    assert found["network"]["aggregate_kbps"] == pytest.approx(first + second + other)
    assert result.to_json()["points"][0]["runs"][0]["groups"] == found["groups"]
    with pytest.raises(KeyError, match=r'no group "slwo"; the result has slow \(did you mean "slow"'):
        point.samples("group.slwo.jain")


def test_the_table_shows_groups_and_starvation() -> None:
    cbr = {"app": "cbr", "rate": "50kbps", "packet": 500}
    result = run(scenario({**cbr, "copies": 2, "group": "slow"}, {**cbr, "start": "1s"}))
    console = Console(record=True, width=200)
    print_result(console, result)
    lines = console.export_text().splitlines()
    [group] = [line for line in lines if "group slow (Jain 1.0" in line]
    total = result.points[0].samples("group.slow.aggregate_kbps")[0]
    assert f"{total:.1f}" in group
    assert any("starved" in line for line in lines)
    alone = Console(record=True, width=200)
    print_result(alone, run(scenario(cbr)))
    assert "starved" not in alone.export_text()


# --- Fairness and starvation ----------------------------------------------------------------------------------------


def test_fairness_over_time_and_starvation() -> None:
    shares = scenario(
        {"app": "cbr", "rate": "100kbps", "packet": 500},
        {"app": "cbr", "rate": "100kbps", "packet": 500, "start": "4s", "stop": "8s"},
        {"app": "cbr", "rate": "1kbps", "packet": 500},
        series={"keep": ["fairness"], "interval": "2s"},
    )
    result = run(shares)
    [single] = result.points[0].runs
    found = result.series("fairness")
    assert list(found["t_s"]) == [2.0, 4.0, 6.0, 8.0, 10.0]
    assert list(found.columns) == ["point", "seed", "t_s", "value"]
    # The third flow sends 500 B every 4 s: two equal shares of three, or one of two.
    assert found["value"].iloc[3] == pytest.approx(2 / 3, abs=0.05)
    assert single["network"]["jain_interval"] == pytest.approx(found["value"].mean())
    [chart] = [chart for chart in charts(result) if chart.name == "fairness-over-time"]
    [line] = chart.panels[0].lines
    assert list(line.x) == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    assert list(line.y)[:-1] == list(found["value"])
    starved = [flow["starved_pct"] for flow in single["flows"]]
    assert starved[:2] == [0.0, 0.0]
    assert starved[2] > 95


def test_starvation_has_a_limit_of_its_own() -> None:
    slow = {"app": "cbr", "rate": "1kbps", "packet": 500}
    [found] = run(scenario(slow, starved_after="5s")).points[0].runs
    assert found["flows"][0]["starved_pct"] == 0.0
    assert found["network"]["jain_interval"] is None
    assert "starved_after: found 0" in refusal(slow, starved_after=0)
