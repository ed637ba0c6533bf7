"""Bad and impossible scenarios: refused with every problem, its place, its key, what was found and what is allowed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hopscope.errors import ScenarioError
from hopscope.scenario import Scenario, keys, load
from hopscope.scenario.document import parse

GOOD = """\
duration = "10s"
[topology]
kind = "chain"
hops = 3
[[flow]]
from = 0
to = 3
"""


def refusal(text: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_document(parse(text, "f.toml"))
    return str(caught.value)


def test_the_base_of_these_tests_is_good() -> None:
    assert len(Scenario.from_document(parse(GOOD)).points) == 1


def test_a_table_that_stands_twice_is_named_by_its_dotted_key() -> None:
    assert refusal("[mac]\n[mac]\n") == "f.toml:2:2: is no TOML: the key mac stands twice"
    assert refusal("[mac.x]\n[mac.x]\n") == "f.toml:2:2: is no TOML: the key mac.x stands twice"


def test_what_the_engine_finds_in_sections_and_flows_is_reported_at_once() -> None:
    text = f"""{GOOD}tcp = {{ min_rto = "5s", max_rto = "1s", vegas_alpha = 4 }}
[mac]
slot_rounding = "40us"
cca_delay = "30us"
[net]
window_gateways = [9]
"""
    keys_at_fault = [line.split(": ")[1] for line in refusal(text).splitlines()]
    assert keys_at_fault == [
        "flow.0.tcp.min_rto",
        "flow.0.tcp.vegas_alpha",
        "mac.slot_rounding",
        "mac.cca_delay",
        "net.window_gateways",
    ]


def test_ranges_of_radio_mac_and_net_stand_at_their_keys() -> None:
    bounds = {
        ("radio", "capture_threshold"): (1.0, None),
        ("radio", "coherence_time"): (1e-5, 1e6),
        ("mac", "queue"): (1.0, 1e6),
        ("net", "ttl"): (1.0, 255.0),
    }
    for (section, name), (least, most) in bounds.items():
        field = keys.field(keys.engine(section), name)
        assert (field.minimum, field.maximum) == (least, most)
    lines = refusal(f"{GOOD}[mac]\nqueue = 0\n[net]\nttl = 256\n[radio]\ncapture_threshold = 0.5\n").splitlines()
    assert [line.split(": ", 1)[1] for line in lines] == [
        "mac.queue: found 0; must be at least 1 packets and at most 1000000",
        "net.ttl: found 256; must be at most 255 hops",
        "radio.capture_threshold: found 0.5; must be at least 1 ratio",
    ]


def test_every_problem_is_reported_at_once_in_the_order_of_the_file() -> None:
    text = """\
duraton = "30s"
[topology]
kind = "chian"
[mac]
queu = 3
rts_threshold = "on"
[[flow]]
from = 0
to = 9
transport = "tcp-newrno"
start = "5 lightyears"
tcp = { min_rto = -1 }
"""
    lines = refusal(text).splitlines()
    assert [line.split(": ")[:2] for line in lines] == [
        ["f.toml:1:1", "duraton"],
        ["f.toml:3:1", "topology.kind"],
        ["f.toml:5:1", "mac.queu"],
        ["f.toml:6:1", "mac.rts_threshold"],
        ["f.toml:10:1", "flow.0.transport"],
        ["f.toml:11:1", "flow.0.start"],
        ["f.toml:12:9", "flow.0.tcp.min_rto"],
    ]
    assert 'did you mean "duration"?' in lines[0]
    assert 'did you mean "chain"?' in lines[1]
    assert 'did you mean "queue"?' in lines[2]
    assert 'expected a whole number in bytes or "off"' in lines[3]
    assert 'did you mean "tcp-newreno"?' in lines[4]
    assert "must be at least 0 s" in lines[6]


@pytest.mark.parametrize(
    ("change", "by", "message"),
    [
        ('duration = "10s"', "duration = 0", "f.toml:1:1: duration: found 0; must be above 0 s"),
        ('duration = "10s"', "duration = 10\nwarmup = 10", "f.toml:2:1: warmup: 10 s is not before the end of the run"),
        ('duration = "10s"', "seeds = 0", "f.toml:1:1: seeds: found 0; must be at least 1"),
        ("hops = 3", "hops = 0", "f.toml:4:1: topology.hops: found 0; must be at least 1"),
        ("hops = 3", "hops = -3", "f.toml:4:1: topology.hops: found -3"),
        ("hops = 3", "hops = 3\nspacing = 0", "f.toml:5:1: topology.spacing: found 0; must be above 0 m"),
        ("hops = 3", "hops = 3\nrows = 3", "f.toml:5:1: topology.rows: unknown key; allowed: hops, spacing, wired"),
        ("hops = 3", "", "f.toml:2:1: topology.hops: is missing; expected a whole number"),
        ('kind = "chain"', "", "f.toml:2:1: topology.kind: is missing; expected one of"),
        ('kind = "chain"', 'kind = "mesh"', 'topology.kind: found "mesh" (did you mean "grid"?)'),
        ("to = 3", "to = 4", "f.toml:7:1: flow.0.to: node 4 does not exist; the topology has nodes 0 to 3"),
        ("to = 3", "to = 0", "f.toml:7:1: flow.0.to: node 0 is also the sender"),
        ("to = 3", 'to = "lst"', 'f.toml:7:1: flow.0.to: found "lst"; expected a node number, "first" or "last"'),
        ("to = 3", "", "f.toml:5:1: flow.0.to: is missing"),
        ("to = 3", "to = 3\nstart = 10", "f.toml:8:1: flow.0.start: the flow never starts"),
        ("to = 3", "to = 3\nstart = 2\nstop = 2", "f.toml:9:1: flow.0.stop: 2 s is not after the start"),
        ("to = 3", "to = 3\npacket = 3000", "f.toml:8:1: flow.0.packet: found 3000 bytes; allowed are 1 to 2256"),
        ("to = 3", "to = 3\npacket = 0", "f.toml:8:1: flow.0.packet: found 0; must be at least 1"),
        ("to = 3", "to = 3\npacket = 5000000000", "8:1: flow.0.packet: found 5000000000; must be at most 4294967295"),
        ("[[flow]]", "[mac]\nrts_threshold = 5000000000\n[[flow]]", "mac.rts_threshold: found 5000000000"),
        ("to = 3", "to = 3\nrate = 5", 'flow.0.rate: has no effect: it needs flow.0.app = "cbr"'),
        ("to = 3", 'to = 3\napp = "file"', 'f.toml:5:1: flow.0.bytes: is missing; app = "file" needs bytes'),
        ("[[flow]]", "[flow]", "flow: found a single [flow] table; expected [[flow]] tables"),
        ("[[flow]]", "[[flw]]", 'f.toml:5:1: flw: unknown key'),
        ("[[flow]]", "[mac]\nqueue = 0\n[[flow]]", "f.toml:6:1: mac.queue"),
        ("[[flow]]", "[radio]\nerror = { per = 0.1 }\n[[flow]]", "f.toml:6:1: radio.error.kind: is missing"),
        ("[[flow]]", '[radio]\nerror = { kind = "uniform", per = 2 }\n[[flow]]', "per: found 2; must be at most 1"),
        ("[[flow]]", '[mac]\nlink = "led"\n[[flow]]', 'mac.link: found "led" (did you mean "lred"?)'),
        ("[[flow]]", '[mac]\nlink = "lred"\n[link]\nlred_max = 1.0\n[[flow]]',
         "link.lred_max: found 1; it must be more than lred_min, 1.8"),
        ("[[flow]]", "[link]\nlred_max_p = 1.5\n[[flow]]", "link.lred_max_p: found 1.5; must be at most 1"),
        ("[[flow]]", '[mac]\nlink = "lred"\n[link]\nnodes = [9]\n[[flow]]',
         "link.nodes: node 9 does not exist; nodes are 0 to"),
        ("[[flow]]",
         '[routing]\nprotocol = "olsrd"\n[[flow]]', 'found "olsrd" (did you mean "olsr"?)'),
        ("[[flow]]", '[series]\nkeep = ["cwmd"]\n[[flow]]', 'series.keep: found "cwmd" (did you mean "cwnd"?)'),
    ],
)  # fmt: skip
def test_impossible_scenarios(change: str, by: str, message: str) -> None:
    assert change in GOOD
    assert message in refusal(GOOD.replace(change, by, 1))


UDP = 'to = 3\ntransport = "udp"\napp = "cbr"\nrate = 1000'


@pytest.mark.parametrize(
    ("change", "by", "message"),
    [
        ("to = 3", f"{UDP}\nmax_window = 4", 'flow.0.max_window: has no effect: it needs flow.0.transport = "tcp"; fo'),
        ("to = 3", f'{UDP}\nack = "delayed"', "f.toml:11:1: flow.0.ack: has no effect"),
        ("to = 3", f'{UDP}\nack_delay = "1s"', "f.toml:11:1: flow.0.ack_delay: has no effect"),
        ("to = 3", f"{UDP}\ntcp = {{ header = 2 }}", "f.toml:11:1: flow.0.tcp: has no effect"),
        ("[[flow]]", '[radio]\nerror = { kind = "uniform", good_per = "40%" }\n[[flow]]',
         'radio.error.good_per: has no effect: it needs radio.error.kind = "gilbert-elliott"; found radio.error.ki'),
        ("[[flow]]", '[radio]\nerror = { kind = "gilbert-elliott", per = "40%" }\n[[flow]]',
         'radio.error.per: has no effect: it needs radio.error.kind = "uniform" or "sinr"; found radio.err'),
        ("[[flow]]", '[radio]\npreset = "ofdm-54M"\ndata_rate = "11Mbps"\n[[flow]]',
         'f.toml:7:1: radio.data_rate: found 11 Mbit/s; phy = "ofdm" has 6, 9, 12, 18, 24, 36, 48, 54 Mbit/s'),
        ("[[flow]]", '[radio]\ndata_rate = "54Mbps"\n[[flow]]',
         'radio.data_rate: found 54 Mbit/s; phy = "dsss" has 1, 2, 5.5, 11 Mbit/s'),
        ("to = 3", 'to = 3\n[[outage]]\nnode = 1\nfrom = "10s"', "f.toml:10:1: outage.0.from: the outage never begins"),
        ("[[flow]]", "[mac]\nedca_aifsn = [7, 3, 2, 2]\n[[flow]]",
         "mac.edca_aifsn: has no effect: it needs mac.qos = true; found mac.qos = false"),
        ("to = 3", "to = 3\ndscp = 8", "flow.0.dscp: has no effect: it needs mac.qos = true; found mac.qos = false"),
    ],
)  # fmt: skip
def test_what_nothing_would_use_is_refused(change: str, by: str, message: str) -> None:
    assert message in refusal(GOOD.replace(change, by, 1))


def test_a_preset_with_qos_is_refused_under_ns2_by_name() -> None:
    text = GOOD.replace("[[flow]]", '[radio]\npreset = "vht-80-2ss"\n[[flow]]')
    assert Scenario.from_document(parse(text)).points
    assert Scenario.from_document(parse(f'profile = "as-ns3"\n{text}')).points
    found = refusal(f'profile = "ns2"\n{text}')
    assert 'radio.preset: found "vht-80-2ss" together with profile = "ns2"; ns-2 has no QoS stations' in found
    assert found.count("ns-2") == 1
    assert "mac." not in found


def test_errors_that_a_sweep_switches_off_keep_their_keys() -> None:
    text = GOOD.replace("[[flow]]", '[radio]\nerror = { kind = "none", per = 0.1 }\n[[flow]]')
    assert 'radio.error.per: has no effect: it needs radio.error.kind = "uniform"' in refusal(text)
    swept = Scenario.from_document(parse(f'{text}[sweep]\n"radio.error.kind" = ["none", "uniform"]\n'))
    assert [point.config(1)["radio"]["error_per"] for point in swept.points] == [0, 0.1]


def test_the_largest_packet_that_is_advised_fits() -> None:
    """Options count: the engine's check is the only one."""
    large = GOOD.replace("to = 3", "to = 3\npacket = 3000\ntcp.timestamps = true", 1)
    advised = re.search(r"allowed are 1 to (\d+) \(mac.max_msdu", refusal(large))
    assert advised is not None
    assert int(advised[1]) < 2256
    fitting = parse(large.replace("3000", advised[1]), "f.toml")
    assert Scenario.from_document(fitting).points
    assert refusal(large.replace("3000", str(int(advised[1]) + 1)))


def test_mistakes_in_several_flows_are_reported_at_once_each_under_its_own_number() -> None:
    text = GOOD.replace("to = 3", "to = 9\n[[flow]]\nfrom = 0\nto = 3\npacket = 3000\n[[flow]]\nfrom = 1\nto = 3", 1)
    found = refusal(text + "\n[tcp]\nveno_beta = 9e9\n")
    assert "flow.0.to: node 9 does not exist" in found
    assert "tcp.veno_beta: found" in found
    assert "flow.1.packet: found 3000 bytes" in refusal(text)


def test_every_channel_error_key_belongs_to_a_kind() -> None:
    error = next(f for f in keys.engine("radio") if f.name == "error")
    kinds = next(f for f in error.fields if f.name == "kind").choices
    used = {kind: {f.name for f in error.fields if f.when is None or f'"{kind}"' in f.when} for kind in kinds}
    assert {f.name for f in error.fields} == set().union(*used.values())
    assert used["none"] == {"kind"}


def test_a_key_that_one_point_of_a_sweep_uses_is_good() -> None:
    text = GOOD.replace("to = 3", "to = 3\nmax_window = 4\nrate = 1000\ncontrol = { gain = 2 }")
    message = refusal(f'{text}[sweep]\n"flow.0.transport" = ["tcp-reno", "udp"]\n"flow.0.start" = [0, 1]\n')
    assert "flow.0.max_window" not in message
    assert "flow.0.rate: has no effect: it needs flow.0.app" in message
    assert "flow.0.control: belongs to transport" in message
    text = GOOD.replace("to = 3", "to = 3\nmax_window = 4\nrate = 1000")
    swept = f'{text}[sweep]\n"flow.0.transport" = ["udp", "tcp-reno"]\n"flow.0.app" = ["bulk", "cbr"]\n'
    scenario = Scenario.from_document(parse(swept))
    windows = [point.config(1)["flows"][0]["max_window"] for point in scenario.points]
    assert windows == [32, 32, 4, 4]
    assert scenario.resolved["flow"][0]["max_window"] == 4
    assert "max_window" not in scenario.points[0].resolved["flow"][0]


def test_a_key_of_all_flows_needs_one_that_uses_it() -> None:
    text = GOOD + "[[flow]]\nfrom = 0\n" + UDP
    scenario = Scenario.from_document(parse(text)).replace({"flow.*.max_window": 3})
    assert [flow.get("max_window") for flow in scenario.document["flow"]] == [3, None]
    assert Scenario(scenario.document).points[0].config(1) == scenario.points[0].config(1)
    assert len(Scenario.from_document(parse(f'{text}\n[sweep]\n"flow.*.max_window" = [1, 2]')).points) == 2
    with pytest.raises(ScenarioError, match=r"flow\.1\.max_window: has no effect"):
        scenario.replace({"flow.1.max_window": 3})


def test_problems_of_flows_network_and_times_are_reported_together() -> None:
    text = GOOD.replace("[[flow]]", '[radio]\ntx_range = "600m"\ncs_range = "550m"\n[[flow]]').replace(
        "to = 3", "to = 9"
    )
    lines = refusal(text + 'app = "cbr"\nstart = "30s"\n').splitlines()
    assert [line.split(": ")[1] for line in lines] == ["radio.cs_range", "flow.0.rate", "flow.0.to", "flow.0.start"]


def test_mistakes_of_several_sections_are_reported_at_once_with_their_lines() -> None:
    text = f"""{GOOD}control = "cubic"
transport = "tcp-reno"
to_port = 70000
[routing]
protocol = "aodv"
[routing.aodv]
ttl_start = 40
ttl_threshold = 41
detection = "hello"
hello_jitter = "2s"
[mac]
link = "red+lred"
[link]
red_min = 9
red_max = 8
lred_min = 9
lred_max = 8
"""
    reported = [line.split(": ")[:2] for line in refusal(text).splitlines()]
    assert reported == [
        ["f.toml:8:1", "flow.0.control"],
        ["f.toml:10:1", "flow.0.to_port"],
        ["f.toml:14:1", "routing.aodv.ttl_start"],
        ["f.toml:15:1", "routing.aodv.ttl_threshold"],
        ["f.toml:17:1", "routing.aodv.hello_jitter"],
        ["f.toml:22:1", "link.red_max"],
        ["f.toml:24:1", "link.lred_max"],
    ]


def test_every_flow_out_of_reach_is_reported() -> None:
    text = GOOD.replace("hops = 3", 'hops = 3\nspacing = "900m"') + "[[flow]]\nfrom = 1\nto = 2\n"
    reported = [line.split(": ")[:2] for line in refusal(text).splitlines()]
    assert reported == [["f.toml:8:1", "flow.0.to"], ["f.toml:11:1", "flow.1.to"]]


def test_a_key_of_another_table_is_reported_where_it_belongs() -> None:
    message = refusal(GOOD.replace("[[flow]]", '[tcp]\nack_delay = "1s"\n[[flow]]\nqueue = 3'))
    assert "tcp.ack_delay: unknown key here; ack_delay is flow.N.ack_delay" in message
    assert "flow.0.queue: unknown key here; queue is mac.queue" in message


def test_what_is_hardly_meant_is_a_warning() -> None:
    values: dict[str, Any] = {"topology": {"kind": "positions", "positions": [[0, 0], [100, 0], [100, 0]]}}
    scenario = Scenario(values, flow=[{"from": 0, "to": 2}])
    assert scenario.warnings() == ["topology: nodes 1 and 2 are at the same place"]
    far = Scenario(parse(GOOD).values, routing={"protocol": "aodv"})
    assert far.warnings() == []
    assert far.replace({"topology.spacing": 300}).warnings() == [
        "flow.0: no chain of neighbours within radio.tx_range joins nodes 0 and 3"
    ]


def test_ranges_of_another_rate_are_not_kept_in_silence() -> None:
    def reported(**radio: Any) -> list[str]:
        return [text for text in Scenario(parse(GOOD).values, radio=radio).warnings() if "tx_range" in text]

    [fast] = reported(preset="ofdm-54M")
    assert fast.startswith("radio.tx_range: 250 m is the range of 2 Mbit/s, and data goes at 54 Mbit/s: ")
    assert "(-65 dBm, and -80 dBm at 2 Mbit/s) it would be received up to 44 m" in fast
    [slower] = reported(preset="hr-dsss-11M")
    assert "up to 174 m" in slower
    assert "it would be received less far" in reported(preset="hr-dsss-5.5M")[0]
    assert "up to 199 m" in reported(data_rate="11Mbps")[0]
    [wide] = reported(preset="vht-80-2ss", mcs=9)
    assert "data goes at 780 Mbit/s" in wide
    assert "(-51 dBm, and -80 dBm at 2 Mbit/s) it would be received up to 9 m" in wide
    [both] = [
        text
        for text in Scenario(parse(GOOD).values, radio={"preset": "ht-20"}, mac={"rate_control": "ideal"}).warnings()
        if "tx_range" in text
    ]
    assert 'data goes at MCS 0 to 7 (mac.rate_control = "ideal"): ' in both
    assert "(-82 and -64 dBm, and -80 dBm at 2 Mbit/s) it would be received up to 315 m at the lowest and 40 m" in both
    for quiet in ({}, {"preset": "wavelan-11M"}, {"preset": "dsss-2M"}, {"preset": "ofdm-54M", "tx_range": "250m"}):
        assert reported(**quiet) == []


def test_a_file_of_flows_that_is_no_text_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"flow\.0\.path: found a list of 0 values; expected "):
        Scenario({"topology": {"kind": "chain", "hops": 1}, "flow": [{"pattern": "file", "path": []}]})


def test_a_file_gives_its_name_as_title(tmp_path: Path) -> None:
    (tmp_path / "window-study.toml").write_text(GOOD)
    named = load(tmp_path / "window-study.toml")
    assert named.title == named.resolved["title"] == "window-study"
    assert load(tmp_path / "window-study.toml", {"title": "mine"}).title == "mine"
    assert Scenario(parse(GOOD).values).title == "chain"
    assert named.points[0].config(1) == Scenario(parse(GOOD).values).points[0].config(1)


def test_a_wrong_word_is_reported_alone() -> None:
    wrong = GOOD.replace("to = 3", 'to = 3\ntransport = "tcp-newrno"\ncontrol = { gain = 1 }\napp = "cbrr"\nrate = 5')
    assert [line.split(": ")[1] for line in refusal(wrong).splitlines()] == ["flow.0.transport", "flow.0.app"]
    late = refusal(GOOD.replace('"10s"', '"10x"').replace("to = 3", "to = 3\nstart = 400"))
    assert len(late.splitlines()) == 1


def test_unreachable_destination_is_reported_at_its_key() -> None:
    message = refusal(GOOD.replace("hops = 3", 'hops = 3\nspacing = "300m"'))
    assert message.startswith("f.toml:8:1: flow.0.to: ")


def test_a_scenario_without_flows_is_refused() -> None:
    assert "a scenario has at least one [[flow]]" in refusal(GOOD.partition("[[flow]]")[0])


@pytest.mark.parametrize(
    ("sweep", "message"),
    [
        ('"flow.1.to" = [1]', "f.toml:9:1: sweep.flow.1.to: flow 1 does not exist; the scenario has flows 0 to 0"),
        ('"mak.queue" = [1]', 'f.toml:9:1: sweep.mak.queue: unknown sweep key'),
        ('"mac.queu" = [1]', 'did you mean "queue"?'),
        ('"mac.queue" = []', "f.toml:9:1: sweep.mac.queue: found an empty list"),
        ('"mac.queue" = 3', "found 3; expected a list of values, text such as"),
        ('"mac.queue" = [1, 2, 1]', "the value 1 stands twice"),
        ('"mac.queue" = [10, -1]', "mac.queue: found -1"),
        ('"seeds" = [1, 2]', "cannot be swept; use seeds"),
        ('"duration.x" = [1]', '"duration" has no keys'),
        ('"topology.hops" = [3, 2]', "flow.0.to: node 3 does not exist; the topology has nodes 0 to 2"),
        ('mac.queue = { start = 1, stop = 9 }', "the range lacks step"),
        ('mac.queue = { start = 1, stop = 9, step = 0 }', "never reaches 9 from 1"),
        ('mac.queue = { start = 1, stop = 9, step = "1ms" }', "different units"),
        ('mac.queue = { start = 1, stop = 9e9, step = 1 }', "values; at most 100000"),
    ],
)  # fmt: skip
def test_bad_sweeps(sweep: str, message: str) -> None:
    assert message in refusal(f"{GOOD}[sweep]\n{sweep}\n")


def test_one_mistake_in_a_sweep_is_reported_once() -> None:
    assert len(refusal(f'{GOOD}[sweep]\n"flow.0.paket" = [1, 2, 3]\n').splitlines()) == 1
    assert len(refusal(f'{GOOD}[sweep]\n"flow.0.packet" = [100, 0, -1]\n').splitlines()) == 2


FAR = "node 3 cannot be reached from node 0: no chain of neighbours within tx_range joins them"


@pytest.mark.parametrize(
    ("sweep", "message"),
    [
        ('topology.spacing = ["200m", "260m"]', f"{FAR} (with topology.spacing = 260m)"),
        (
            'topology.spacing = ["200m", "260m", "270m"]\nmac.queue = [1, 2]',
            f"{FAR} (with topology.spacing = 260m, 270m)",
        ),
        ('mac.queue = [1, 2]\ntopology.spacing = ["260m"]', f"{FAR} (at every point of the sweep)"),
        ('topology.spacing = ["260m"]', f"{FAR} (with topology.spacing = 260m)"),
        ('topology.spacing = ["200m", "260m"]\nmac.queue = [1, 0]', f"{FAR} (with topology.spacing = 260m)"),
        (
            'topology.spacing = ["200m", "260m"]\nradio.tx_range = ["250m", "300m"]',
            f"{FAR} (with topology.spacing = 260m, radio.tx_range = 250m)",
        ),
        ("topology.hops = [3, 2]", "the topology has nodes 0 to 2 (with topology.hops = 2)"),
        (
            'duration = ["10s", "20s"]\nwarmup = ["0s", "15s"]',
            "sweep value 15s: warmup: 15 s is not before the end of the run (duration = 10 s) (with duration = 10s)",
        ),
        (
            "mac.queue = [1, 0]",
            "f.toml:9:5: sweep value 0: mac.queue: found 0; must be at least 1 packets and at most 1000000",
        ),
    ],
)  # fmt: skip
def test_a_problem_of_some_points_names_the_swept_values_that_cause_it(sweep: str, message: str) -> None:
    assert any(line.endswith(message) for line in refusal(f"{GOOD}[sweep]\n{sweep}\n").splitlines())


def test_a_problem_that_the_sweep_has_no_part_in_does_not_mention_it() -> None:
    far = GOOD.replace("hops = 3", 'hops = 3\nspacing = "260m"')
    assert refusal(f"{far}[sweep]\nmac.queue = [1, 2]\n").endswith(FAR)


def test_too_many_points_are_refused_before_they_are_made() -> None:
    axes = "".join(f'"flow.0.{k}" = {{ start = 1, stop = 900, step = 1 }}\n' for k in ("packet", "max_window"))
    assert "makes 810000 points; at most 100000" in refusal(f"{GOOD}[sweep]\n{axes}")


def test_changes_from_outside_are_named(tmp_path: Path) -> None:
    path = tmp_path / "f.toml"
    path.write_text(GOOD)
    cases: dict[str, Any] = {
        "flow.2.to": ("3", "--set flow.2.to=3: flow 2 does not exist"),
        "mac.queu": (3, "--set mac.queu=3: mac.queu: unknown key"),
        "flow.0.to": (9, "--set flow.0.to=9: flow.0.to: node 9 does not exist"),
        "duration.x": (1, "--set duration.x=1: duration is no table"),
        "": (1, "unknown key"),
        "sweep.mac.queu": ([1, 2], "--set sweep.mac.queu=[1, 2]: sweep value 1: mac.queu: unknown key"),
    }
    for key, (value, message) in cases.items():
        with pytest.raises(ScenarioError, match=re.escape(message)):
            load(path, set={key: value})


def test_problems_of_a_python_scenario_have_no_file() -> None:
    with pytest.raises(ScenarioError, match=r"^topology.kind: found \"torus\""):
        Scenario(topology={"kind": "torus"}, flow=[{"from": 0, "to": 1}])
    with pytest.raises(ScenarioError, match="keys are text"):
        Scenario({1: 2})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ("", " = 1\n", "f.toml:1:1"),
        ("x = 1\n[", "]\n", "f.toml:2:2"),
        ("x = 1\ny = { z = 2, ", " = 1 }\n", "f.toml:2:14"),
    ],
)
def test_a_key_of_very_many_parts_is_refused_at_once(before: str, after: str, place: str) -> None:
    """A hundred thousand of them kept the reader of TOML busy for minutes."""
    assert refusal(before + ".".join(["a"] * 100_000) + after) == f"{place}: is no TOML scenario: nested too deeply"


def test_dots_in_values_are_no_keys() -> None:
    dots = ".".join(["a"] * 200)
    text = f'title = "{dots}" # {dots}\n{GOOD}'
    assert Scenario.from_document(parse(text)).points
