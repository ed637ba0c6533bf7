"""Cells of ns-2.35 and ns-3.44 as settings: the references, the scenarios made of them, how they are judged."""

from __future__ import annotations

import csv
import shutil
from dataclasses import replace

import pytest
from synthetic import data, outcomes

from hopscope import _core
from hopscope.errors import ScenarioError
from hopscope.results.points import PointResult
from hopscope.results.result import Result
from hopscope.results.samples import MEASURED, Table
from hopscope.scenario import Scenario
from hopscope.studies.build import read_study
from hopscope.studies.cells import filled
from hopscope.studies.registry import find
from hopscope.studies.reproduce import Request, tables_of
from hopscope.studies.reproduce import scenarios as planned
from hopscope_studies import FOLDER as STUDIES

PASS, FAIL, OPEN = {"reproduced"}, {"not reproduced"}, {"undecided"}
FOLDER = STUDIES / "validation"
[NS2] = find(["validation.ns2"])
[NS3] = find(["validation.ns3"])
[HT] = find(["validation.ns3-ht"])
RANKED = "the same one carries more"


def scenarios(entry):
    return {setting.label: setting.scenario for setting in entry.settings}


def reference(entry, label):
    """Metric in words -> mean of the other simulator in a cell."""
    return {q.label: q.published for q in entry.quantities if q.settings(label)}


def measured(entry, label, metric, run):
    """A quantity of a cell in one run."""
    [quantity] = [q for q in entry.quantities if q.settings(label) and q.label == metric]
    return quantity.measure(Table(label, [({}, [{"seed": 1, **run}])])).mean


def by_number(number, entry=NS3):
    [label] = [label for label in scenarios(entry) if f" {number}: " in label]
    return label


# --- The references -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "rows", "slack"), [("ns2", 501, 6e-4), ("ns3", 558, 1e-4), ("ns3-ht", 699, 1e-4)])
def test_the_references_are_whole(name, rows, slack):
    lines = [line for line in (FOLDER / f"{name}.csv").read_text().splitlines() if not line.startswith("#")]
    found = list(csv.DictReader(lines))
    assert len(found) == rows
    for row in found:
        # Means are printed with four digits (ns-2) or six.
        low, mean, high = float(row["min"]), float(row["mean"]), float(row["max"])
        assert low - slack * abs(mean) <= mean <= high + slack * abs(mean), row
        assert int(row["n"]) in {3, 4, 5, 10}


def test_every_cell_is_a_setting():
    assert (len(scenarios(NS2)), len(scenarios(NS3)), len(scenarios(HT))) == (62, 140, 124)
    assert sum("AODV" in label for label in scenarios(NS2)) == 17
    assert reference(NS2, "A: 7-hop chain, Newreno, window 32, 1460 B")["throughput"] == 223.9
    assert reference(NS3, by_number("n153"))["throughput of all flows"] == 186.88


# --- The scenarios --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "path", "expected"),
    [
        ("A-bugfix0: 1-hop chain, Newreno, window 32, 1460 B", ("mac", "nonfreezing_defer"), True),
        ("A-oldtcp: 7-hop chain, Newreno, window 32, 1460 B", ("tcp", "initial_rto"), "6s"),
        (
            "F-flag-per0.1: 3-hop chain, CBR290k, 1000 B",
            ("radio", "error"),
            {"kind": "uniform", "per": 0.1, "applies_to": "all", "on_error": "flag"},
        ),
        ("C-static: 3-hop chain, Newreno, window 20, 1460 B, RTS off", ("mac", "rts_threshold"), "off"),
        ("C-static: 3-hop chain, Newreno, window 20, 1460 B", ("mac", "rts_threshold"), 0),
    ],
)
def test_special_cases_of_ns2_become_parameters(label, path, expected):
    found = [s for name, s in scenarios(NS2).items() if name.partition(":")[0] == label.partition(":")[0]]
    scenario = scenarios(NS2).get(label) or found[0]
    assert scenario[path[0]][path[1]] == expected


def test_flows_of_ns2():
    cross = scenarios(NS2)["E1: 6-hop cross, Newreno, window 32, 1460 B"]
    assert [(flow["from"], flow["to"]) for flow in cross["flow"]] == [(0, 6), (7, 12)]
    assert cross["seeds"] == 40
    delayed = scenarios(NS2)["C-static: 3-hop chain, Newreno-DelAck, window 20, 1460 B"]["flow"][0]
    assert (delayed["transport"], delayed["ack"], delayed["max_window"]) == ("tcp-newreno", "ns2-delack", 20)
    cbr = scenarios(NS2)["D1: 1-hop chain, CBR1600k, 1480 B"]["flow"][0]
    assert (cbr["transport"], cbr["rate"], cbr["packet"], "max_window" in cbr) == ("udp", "1600kbps", 1480, False)


def test_routes_of_ns2():
    for label, document in scenarios(NS2).items():
        config = Scenario(document).points[0].config(1)
        aodv = label.endswith((", AODV", ", AODV, RTS off"))
        assert config["routing"]["protocol"] == ("aodv" if aodv else "static")
        assert config.get("aodv") == (_core.routing_set("aodv", "ns2") if aodv else None)


def test_vegas_is_compared_without_the_headers_it_counts():
    run = {"flows": [{"throughput_kbps": 292.0}]}
    vegas, reno = (f"C: 4-hop chain, {name}, window 20, 1460 B, AODV" for name in ("Vegas", "Reno"))
    assert measured(NS2, vegas, "throughput", run) == pytest.approx(284.0)
    assert measured(NS2, reno, "throughput", run) == 292.0


@pytest.mark.parametrize(
    ("name", "nodes", "flows"),
    [
        ("n000", 2, [(0, 1)]),
        ("n049", 6, [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0)]),
        ("n065", 3, [(0, 1), (2, 1)]),
        ("n076", 4, [(1, 0), (2, 3)]),
        ("n108", 6, [(0, 1), (2, 3), (4, 5)]),
        ("n134", 8, [(0, 7)]),
        ("n170", 13, [(0, 6), (7, 12)]),
        ("n171", 5, [(1, 0), (2, 0), (3, 0), (4, 0)]),
        ("n172", 25, [(10, 14), (2, 22)]),
        ("n173", 25, [(5, 9), (15, 19), (1, 21), (3, 23)]),
        ("n255", 2, [(0, 1)]),
        ("m005", 5, [(2, 0), (4, 0)]),
        ("m008", 5, [(0, 4), (4, 0)]),
        ("m013", 9, [(0, 4), (5, 8)]),
        ("m015", 13, [(0, 6), (7, 12)]),
        ("m018", 7, [(3, 5), (4, 6)]),
        ("m022", 5, [(0, 2), (4, 0)]),
        ("m023", 7, [(2, 0), (4, 0), (6, 0)]),
        ("m027", 5, [(0, 4)]),
    ],
)
def test_layouts_of_ns3(name, nodes, flows):
    scenario = scenarios(NS3)[by_number(name)]
    assert len(scenario["topology"]["positions"]) == nodes
    assert [(flow["from"], flow["to"]) for flow in scenario["flow"]] == flows


def test_every_cell_of_ns3_is_a_scenario_of_the_profile():
    base = _core.base_config("as-ns3", "dsss-2M")
    for document in scenarios(NS3).values():
        config = Scenario(document).points[0].config(1)
        assert config["mac"]["retry_limit"] == base["mac"]["retry_limit"]
        assert config["warmup"] == float(document["warmup"].removesuffix("s")) * 1e9


def test_rate_controls_of_ns3():
    configs = [Scenario(scenarios(NS3)[by_number(name)]).points[0].config(1) for name in ("n192", "n210", "n221")]
    assert [config["mac"]["rate_control"] for config in configs] == ["arf", "aarf", "minstrel"]
    assert [config["radio"]["data_rate"] for config in configs] == [11_000_000, 54_000_000, 54_000_000]
    within = [s.text for s in NS3.statements if "within 10 % of ns-3" in s.text]
    assert len(within) == 16
    assert all("g-rate" in text for text in within)


def test_tcp_of_ns3():
    configs = [Scenario(scenarios(NS3)[by_number(name)]).points[0].config(1) for name in ("n162", "n244")]
    plain, defaults = (config["flows"][0] for config in configs)
    assert (plain["tcp"]["initial_window"], plain["tcp"]["timestamps"]) == (1, False)
    assert (defaults["tcp"]["initial_window"], defaults["tcp"]["timestamps"]) == (10, True)
    assert (plain["max_window"], defaults["max_window"]) == (32, 89)


def test_every_flow_of_ns3_has_the_tcp_of_the_reference():
    several = [document for document in scenarios(NS3).values() if " m0" in document["title"]]
    several = [document for document in several if len(document["flow"]) > 1]
    assert len(several) == 12
    for document in several:
        flows = Scenario(document).points[0].config(1)["flows"]
        settings = [{key: value for key, value in flow.items() if key not in ("from", "to")} for flow in flows]
        assert all(setting == settings[0] for setting in settings), document["title"]
        assert settings[0]["tcp"]["initial_window"] == 1


def test_derived_metrics_of_ns3():
    run = {
        "flows": [{"throughput_kbps": float(i), "delay_ms": 10.0 * i, "received_packets": i} for i in range(1, 11)],
        "nodes": [{"rts_sent": 900, "data_sent": 90}, {"rts_sent": 0, "data_sent": 90}],
        MEASURED: 18.0,
    }
    label = by_number("n106")
    assert measured(NS3, label, "throughput of the near stations", run) == 15.0
    assert measured(NS3, label, "throughput of the far stations", run) == 40.0
    assert measured(NS3, by_number("n065"), "data frames", run) == pytest.approx(180 / 18)
    assert measured(NS3, label, "delay", run) == pytest.approx(70.0)


def test_counts_a_second_are_those_of_the_time_that_was_measured():
    """Quick runs and `--set duration=...` count for a shorter time than the cell's own scenario says."""
    seconds = []
    for quick, changes in ((False, {"duration": "30s"}), (True, {})):
        request = Request(("validation.ns3",), quick=quick, seeds=1, changes=changes)
        label = by_number("n065")
        [setting] = [setting for setting in NS3.settings if setting.label == label]
        [scenario] = planned([replace(NS3, settings=[setting])], request).values()
        sent = {"rts_sent": 900, "data_sent": 900}
        result = Result(scenario, [PointResult(0, {}, [{"seed": 1, "nodes": [sent]}])])
        [quantity] = [q for q in NS3.quantities if q.settings(label) and q.label == "data frames"]
        found = quantity.measure(tables_of(replace(NS3, settings=[setting]), {label: result})[label])
        seconds.append(900 / found.mean)
        top = scenario.points[0].resolved
        assert seconds[-1] == pytest.approx(float(top["duration"]) - float(top["warmup"]))
    assert seconds == pytest.approx([28, 9])


# --- 802.11n, ac and ax ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # HT's index 15 is MCS 7 of two streams; a window of 2 MiB is one of 1436 segments.
        ("h012", ("ht", 40, 7, 2, "400ns", -90.96, "off")),
        ("h036", ("vht", 80, 9, 2, "400ns", -87.95, 1_048_575)),
        ("h035", ("vht", 160, 9, 1, "400ns", -84.94, 1_048_575)),
        ("h041", ("he", 20, 11, 1, "1600ns", -93.97, 1_048_575)),
    ],
)
def test_modes_of_the_cells(name, expected):
    document = scenarios(HT)[by_number(name, HT)]
    radio = document["radio"]
    keys = ("ppdu_format", "channel_width", "mcs", "spatial_streams", "guard_interval", "noise_floor")
    assert (*(radio[key] for key in keys), document["mac"].get("ampdu")) == expected


@pytest.mark.parametrize(
    ("name", "nodes", "flows"),
    [
        ("h235", 2, [(0, 1, 1472, None)]),
        ("h071", 11, [(i, 0, 1472, None) for i in range(1, 11)]),
        ("h078", 3, [(1, 0, 1472, 0), (2, 0, 1472, 8)]),
        ("h085", 2, [(1, 0, 1472, 0), (1, 0, 1472, 48)]),
        ("h086", 7, [*((i, 0, 1472, 0) for i in range(1, 6)), (6, 0, 200, 48)]),
        ("h087", 7, [*((i, 0, 1472, 0) for i in range(1, 6)), (6, 0, 200, 0)]),
        ("h090", 3, [(0, 1, 1472, None), (2, 1, 1472, None)]),
        ("h107", 9, [(0, 8, 1472, None)]),
    ],
)
def test_layouts_and_categories_of_the_cells(name, nodes, flows):
    scenario = scenarios(HT)[by_number(name, HT)]
    assert len(scenario["topology"]["positions"]) == nodes
    found = [(flow["from"], flow["to"], flow["packet"], flow.get("dscp")) for flow in scenario["flow"]]
    assert found == flows
    small = [flow["rate"] for flow in scenario["flow"] if flow["packet"] == 200]
    assert small == ["80kbps"] * (name in ("h086", "h087"))


def test_nodes_of_a_close_chain_hand_packets_to_their_neighbours():
    """Frames reach over three of its hops, and static routes are the shortest of the beginning."""
    document = dict(scenarios(HT)[by_number("h150", HT)])
    modern = ("ppdu_format", "channel_width", "guard_interval", "mcs", "spatial_streams")
    radio = {key: value for key, value in document["radio"].items() if key not in modern}
    document |= {"radio": radio, "mac": {"rts_threshold": "off"}, "duration": "2s"}
    run = _core.run(Scenario(document).points[0].config(1)).values()
    assert run["flows"][0]["hops"] == 4
    # No frame of 54 Mbit/s would be decoded over the 45 m of the beginning.
    assert run["flows"][0]["throughput_kbps"] > 1000


@pytest.mark.parametrize(
    ("name", "window", "ack", "every"),
    [
        ("h054", 1436, "every", None),
        ("h053", 1436, "delayed", None),
        ("h057", 1436, "fixed", 4),
        ("h058", 1436, "fixed", 8),
        ("h153", 128, "every", None),
    ],
)
def test_tcp_of_the_cells(name, window, ack, every):
    [flow] = scenarios(HT)[by_number(name, HT)]["flow"]
    assert (flow["max_window"], flow["ack"], flow["tcp"].get("ack_every")) == (window, ack, every)
    assert (flow["recovery"], flow["tcp"]["min_rto"], flow["tcp"]["initial_window"]) == ("sack", "200ms", 10)
    assert flow["tcp"]["timestamps"] is False


def test_rate_controls_of_the_cells():
    for name, control in (("h207", "minstrel-ht"), ("h213", "ideal"), ("h221", "minstrel-ht")):
        config = Scenario(scenarios(HT)[by_number(name, HT)]).points[0].config(1)
        assert config["mac"]["rate_control"] == control
        assert (config["mac"]["minstrel_ht"], config["mac"]["minstrel_ht_groups"]) == ("ns-3.44", "all")
    run = {"nodes": [{"data_rate_mbps": 61.5}]}
    assert measured(HT, by_number("h207", HT), "mean rate of the data PPDUs", run) == 61.5


def test_what_the_cells_count():
    nodes = [
        {"data_sent": 10, "airtime_s": 0.05, "data_ppdus": 10, "data_airtime_s": 0.04},
        {"data_sent": 6, "airtime_s": 0.01, "data_ppdus": 6, "data_airtime_s": 0.008},
    ]
    network = {"mpdus_per_ppdu": 16, "mpdu_repeat_ratio": 0.125}
    flows = [{"received_packets": 270, "mean_rtt_ms": 12.0}]
    run = {"flows": flows, "nodes": nodes, "network": network, MEASURED: 2.0}
    single, chain = by_number("h008", HT), by_number("h150", HT)
    assert measured(HT, single, "duration of a data PPDU", run) == pytest.approx(5000)
    assert measured(HT, single, "packets of a data PPDU", run) == 27
    assert measured(HT, chain, "duration of a data PPDU", run) == pytest.approx(3000)
    assert measured(HT, chain, "MPDUs of a data PPDU", run) == 16
    assert measured(HT, chain, "share of repeated MPDUs", run) == 0.125
    assert measured(HT, chain, "data frames", run) == 8
    assert measured(HT, chain, "round-trip time", run) == 12


def test_how_close_the_cells_have_to_be():
    rows = {}
    for statement in HT.statements:
        case, _, rest = statement.text.partition(" ")
        rows.setdefault(case, set()).add(rest.rpartition(" within ")[2].removesuffix(" % of ns-3."))
    assert rows == {
        "a-single": {"1"}, "a-lossy": {"1"}, "b-tcp": {"1"}, "c-stations": {"3"}, "d-edca": {"3"},
        "e-hidden": {"5"}, "f-chain-udp": {"5"}, "g-chain-tcp": {"7"},
        "h-rate": {"1", "10", "11", "28", "34", "36", "37"},
        "i-hwmp": {"5"}, "i-static": {"5"},
    }  # fmt: skip


# --- The judgement --------------------------------------------------------------------------------------------------


def ns2_itself(factor):
    def model(label, _where):
        known = reference(NS2, label)
        if "Jain index" in known:
            return {
                "network.jain": known["Jain index"] * factor**6,
                "network.aggregate_kbps": known["throughput of all flows"] * factor,
            }
        counted = 1460 / 1420 if "Vegas" in label else 1.0
        return {"throughput_kbps": known["throughput"] * factor * counted}

    return model


def test_ns2_cells_pass_on_their_own_means_and_fail_six_percent_away():
    assert set(map(frozenset, outcomes(NS2, ns2_itself(1.0)).values())) == {frozenset(PASS)}
    low = outcomes(NS2, ns2_itself(0.94))
    ranking = {s.id for s in NS2.statements if RANKED in s.text}
    assert len(ranking) == 2
    assert {key for key in low if low[key] != FAIL} == ranking


def test_the_ranking_of_the_variants_is_judged_where_ns2_separates_them():
    itself = ns2_itself(1.0)
    delayed, plain = (f"C: 4-hop chain, Newreno{ack}, window 20, 1460 B, AODV" for ack in ("-DelAck", ""))

    def swapped(one, other):
        def model(label, where):
            return itself({one: other, other: one}.get(label, label), where)

        [ranking] = [s for s in NS2.statements if "variants over AODV" in s.text]
        [finding] = ranking.evaluate(data(NS2, model))
        return finding

    found = swapped(delayed, plain)
    assert found.outcome.value == "not reproduced"
    assert f"{delayed} " in found.measured
    # 299 and 294 kbit/s: their intervals overlap by a little, so that their order is not judged.
    assert f"{plain}, RTS off " not in swapped(delayed, f"{plain}, RTS off").measured.partition(delayed)[0]


@pytest.mark.parametrize(
    ("factor", "udp_out", "tcp_out", "aodv_out"),
    [(1.019, PASS, PASS, PASS), (1.025, FAIL, PASS, PASS), (1.045, FAIL, FAIL, PASS), (0.945, FAIL, FAIL, FAIL)],
)
def test_ns2_tolerance_is_three_percent_for_tcp_two_for_udp_and_five_over_aodv(factor, udp_out, tcp_out, aodv_out):
    found = outcomes(NS2, ns2_itself(factor))
    for statement in NS2.statements:
        if "Jain" in statement.text or RANKED in statement.text:
            continue
        wanted = aodv_out if "AODV" in statement.text else udp_out if "CBR" in statement.text else tcp_out
        assert found[statement.id] == wanted, statement.text


def test_ns3_cells_pass_at_their_numbers_and_fail_beside_them():
    def carried(factor):
        def run(label, _where):
            known = reference(NS3, label)
            scenario = scenarios(NS3)[label]
            seconds = float(scenario["duration"][:-1]) - float(scenario["warmup"][:-1])
            values = {"network.aggregate_kbps": factor * known["throughput of all flows"]}
            for key, name in (("rts_sent", "RTS frames"), ("data_sent", "data frames")):
                sent = factor * known.get(name, 0.0) * seconds
                values |= {f"node.{node}.{key}": 0.0 if node else sent for node in range(9)}
            if "delay" in known:
                flows = range(len(scenario["flow"]))
                values |= {f"flow.{flow}.delay_ms": factor * known["delay"] for flow in flows}
            return values

        return run

    # What ns-3's runs leave open by 2 to 14 % fails further away.
    several = {label for label in scenarios(NS3) if label.startswith("m-")}
    open_cells = {label for label in scenarios(NS3) if " n253: " in label}
    right, wrong, far = (outcomes(NS3, carried(factor)) for factor in (1.0, 1.11, 1.25))
    for statement, label in zip(NS3.statements, scenarios(NS3), strict=True):
        assert statement.text.startswith(label)
        assert right[statement.id] == PASS, label
        outcome = far if label in several else wrong
        assert outcome[statement.id] == (OPEN if label in open_cells else FAIL), label


def test_a_known_cause_explains_a_disagreement_and_hides_none():
    [entry] = find(["validation.mobility"])

    def evaluated(share):
        def delivered(label, _):
            known = reference(entry, label).get("delivery ratio", 0.0)
            return {"sent_packets": 1_000_000, "received_packets": round(1_000_000 * share * known)}

        found = outcomes(entry, delivered)
        return {s.text.partition(",")[0]: found[s.id] for s in entry.statements if "delivery ratio" in s.text}

    assert evaluated(1.0) == {"AODV": PASS, "DSDV": PASS, "DSR": PASS}
    assert evaluated(0.5) == {"AODV": FAIL, "DSDV": FAIL, "DSR": {"disagrees, cause known"}}


def test_cells_of_one_hearing_must_agree_within_one_percent():
    inside = {s.text for s in NS3.statements if "within 1 % of ns-3" in s.text}
    assert len(inside) == 56
    assert not any("chain 4 hops" in text for text in inside)


def test_the_figure_has_a_mark_for_each_cell():
    [chart] = NS3.charts(data(NS3, lambda _label, _where: {}))
    assert [panel.band for panel in chart.panels] == [(-1.0, 1.0), (-3.0, 3.0), (-10.0, 10.0), None, None]
    assert sum(len(panel.lines[0].x) for panel in chart.panels) == 140


# --- A folder of one's own ------------------------------------------------------------------------------------------


def test_values_of_a_cell_stand_for_their_columns():
    names = {"hops": "7", "rate": "0.5", "kind": "chain"}
    text = {"a": "{hops}", "b": ["{rate}", "{kind}"], "c": "{rate}Mbps", "d": 3, "e": "plain"}
    assert filled(text, names) == {"a": 7, "b": [0.5, "chain"], "c": "0.5Mbps", "d": 3, "e": "plain"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('by = ["case"', 'by = ["caze"', "ns2.csv has no column 'caze'"),
        ('file = "ns2.csv"', 'file = "ns4.csv"', "no such file"),
        ('scenario = "ns2"', 'scenario = "ns4"', "no scenario 'ns4'"),
        ("{ routing = ", "{ rooting = ", "no column 'rooting'"),
        ('"Tahoe.*"', '"Tahoe(.*"', "is no regular expression"),
        ('"thr_kbps_vegas" }', '"thr_kbps_vages" }', "no metric 'thr_kbps_vages'"),
        ('samples = "seeds"', "samplez = 1", "cells has no such key"),
        ("{ thr_kbps = 3 }", "{ thr_kbbs = 3 }", "'thr_kbbs' is judged, but no metric"),
        ('label = ", RTS off"', 'without = ["flow"]', "stands twice: the label has to distinguish the cells"),
    ],
)
def test_a_mistake_in_cells_is_named_with_its_file(tmp_path, old, new, message):
    folder = shutil.copytree(FOLDER, tmp_path / "validation")
    file = folder / "study.toml"
    text = file.read_text().replace('simulator = "ns-2.35"\n', 'simulator = "ns-2.35"\nsamples = "seeds"\n')
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(ScenarioError) as refused:
        read_study(folder, trusted=True)
    assert message in str(refused.value)
    assert str(file) in str(refused.value)


# --- Kernels of Linux -----------------------------------------------------------------------------------------------

[KERNEL] = find(["validation.kernel"])
[TESTBED] = find(["validation.kernel-testbed"])


def test_criteria_of_kernels():
    """As issue 43 set them: 1 % with a window, 3 % for CUBIC and 5 % for Reno without; BBR is stated."""
    texts = [statement.text for statement in KERNEL.statements]
    assert len(scenarios(KERNEL)) == 60
    assert len(texts) == 55
    for text in texts:
        control, window = text.split(",")[0], text.partition(":")[0].rpartition(", ")[2]
        share = "1" if window != "no limit" else {"cubic": "3", "reno": "5"}[control]
        assert f"goodput within {share} % of Linux." in text
    assert TESTBED.statements == []


@pytest.mark.parametrize(
    ("label", "control", "window", "seconds"),
    [("reno, hops 3, window 4", "newreno", 4, 20), ("bbr, hops 5, no limit", "bbr", 1000, 30)],
)
def test_the_engine_has_the_constants_of_linux(label, control, window, seconds):
    config = Scenario(scenarios(KERNEL)[label]).points[0].config(1)
    [flow] = config["flows"]
    assert (flow["control"], flow["max_window"], flow["packet"], flow["ack"]) == (control, window, 1448, "linux-modern")
    tcp = flow["tcp"]
    assert (tcp["initial_window"], tcp["min_rto"], tcp["timestamps"], tcp["prr"]) == (10, 200_000_000, True, True)
    assert config["duration"] - config["warmup"] == seconds * 1_000_000_000


def test_what_is_only_stated_is_drawn_too():
    label = "bbr, hops 2, no limit"
    found = data(KERNEL, lambda _l, _w: {"flow.0.throughput_kbps": 500.0})
    [chart] = KERNEL.charts(found)
    drawn = {panel.title: [place for line in panel.lines for place in line.x] for panel in chart.panels}
    assert label in drawn["BBR without a limit"]
    assert chart.panels[-1].band is None


def test_kernels_of_the_testbed_have_the_channel_of_its_study():
    [study] = find(["anastasi2006.table1"])
    ours = Scenario(scenarios(TESTBED)["aodv, hops 3, window 4"]).points[0].config(1)
    theirs = Scenario(scenarios(study)["shadowing 2 dB"])
    [point] = [p for p in theirs.points if list(p.set.values()) == [3, 4]]
    other = point.config(1)
    for section in ("nodes", "radio", "mac", "routing", "aodv", "warmup"):
        assert ours[section] == other[section], section
    assert [flow["start"] for flow in ours["flows"]] == [flow["start"] for flow in other["flows"]]
