"""fu2003: its scenarios, and each statement on results that fit it and on results that do not."""

from __future__ import annotations

import importlib.util

import pytest
from synthetic import data, outcomes, run

from hopscope import studies as catalog
from hopscope.errors import InputError
from hopscope.results.samples import Data, Table
from hopscope.scenario import Scenario
from hopscope.studies.reproduce import evaluate, reproduce, weigh
from hopscope.studies.verbs import Check
from hopscope_studies import FOLDER

ENTRIES = {entry.key.partition(".")[2]: entry for entry in catalog.find(["fu2003"])}
PASS, FAIL, OPEN = {"reproduced"}, {"not reproduced"}, {"undecided"}
WINDOW, WINDOWS, HOPS, FIELD = "flow.0.max_window", "flow.*.max_window", "topology.hops", "topology.seed"

_spec = importlib.util.spec_from_file_location("fu2003_checks", FOLDER / "fu2003" / "checks.py")
assert _spec is not None
assert _spec.loader is not None
checks = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(checks)


def found(key, model, **options):
    return outcomes(ENTRIES[key], model, **options)


# --- Scenarios ------------------------------------------------------------------------------------------------------


def test_flows_cross_the_grid_along_rows_and_columns():
    settings = {s.label: s.scenario for s in ENTRIES["table2"].settings}
    ends = [(flow["from"], flow["to"]) for flow in settings["ns-2's radio, grid4, evenly"]["flow"]]
    assert ends == [(52, 64), (104, 116), (4, 160), (8, 164)]
    for label, scenario in settings.items():
        if "grid" in label:
            rows = [flow for flow in scenario["flow"] if flow["to"] - flow["from"] == 12]
            columns = [flow for flow in scenario["flow"] if flow["to"] - flow["from"] == 12 * 13]
            assert len(rows) == len(columns) == len(scenario["flow"]) / 2
            assert len({flow["from"] for flow in rows}) == len(rows), label


def test_random_fields_are_the_replications():
    first, contrast = ENTRIES["random-window"].settings
    assert first.scenario["seeds"] == contrast.scenario["seeds"] == 1
    places = [p.config(1)["nodes"] for p in Scenario(first.document()).points if p.set[WINDOWS] == 32]
    assert len({str(nodes) for nodes in places}) == 10
    assert sorted(node for flow in first.scenario["flow"] for node in (flow["from"], flow["to"])) == list(range(40))


def test_what_ns2_gives_decides_and_standard_is_for_contrast():
    for key, entry in ENTRIES.items():
        for setting in entry.settings:
            if key != "fig3" and setting.scenario["profile"] == "standard":
                assert not setting.decides, (key, setting.label)
        assert not entry.settings or any(setting.decides for setting in entry.settings)


def test_packets_of_flows_under_link_red_can_be_marked():
    for entry in ENTRIES.values():
        for setting in entry.settings:
            if "lred" in setting.scenario["mac"].get("link", "plain"):
                assert setting.scenario["tcp"]["ecn"] is True


def test_long_chains_outlive_the_default_time_to_live():
    points = Scenario(ENTRIES["fig10-left"].settings[0].document()).points
    assert max(len(point.config(1)["nodes"]) for point in points) == 49
    assert {point.config(1)["net"]["ttl"] for point in points} == {64}


def test_a_row_of_table_2_runs_alone():
    [entry] = catalog.find(["fu2003.table2.cross13x2"])
    radios = ("ns-2's radio", "the stronger captures", "range 550 m", "standard")
    assert [setting.label for setting in entry.settings] == [f"{radio}, cross13x2" for radio in radios]
    assert [statement.id for statement in entry.statements] == ["c1", "c2", "c3", "c5"]
    assert len(ENTRIES["table2"].parts) == 7


@pytest.mark.parametrize("key", ENTRIES)
def test_charts_and_quantities_have_values_wherever_something_is_run(key):
    entry = ENTRIES[key]
    if entry.settings:
        measured, evaluated, charts = weigh(entry, data(entry, lambda _l, _w: {}))
        assert len(measured) == len(entry.quantities)
        assert all(one.findings for one in evaluated)
        # Two numbers need no figure.
        assert charts or key in ("fig8-right", "table3", "table6")


def test_the_defaults_are_looked_up_and_one_is_not_there():
    table = found("table1", lambda _l, _w: {})
    assert [key for key, value in table.items() if value != PASS] == ["c4"]
    assert {s.kind for s in ENTRIES["table1"].statements} == {"default"}
    with pytest.raises(InputError, match=r"nothing to change, since fu2003\.table1 simulates nothing"):
        reproduce(["fu2003.table1"], set={"mac.queue": 5})
    assert evaluate(ENTRIES["table1"], {}).remarks == ()


# --- Section 3 ------------------------------------------------------------------------------------------------------


def curve(_label, where):
    value = {1: 100.0, 2: 160.0, 3: 200.0}.get(where[WINDOW], 170.0 + 20.0 * 0.5 ** (where[WINDOW] - 3))
    return {"throughput_kbps": value * where["flow.0.packet"] / 1460}


def test_fig2_left_passes_on_the_published_shape_and_fails_on_others():
    assert found("fig2-left", curve) == dict.fromkeys(["c1", "c2", "c3", "c4", "c5"], PASS)
    rising = found("fig2-left", lambda _l, w: {"throughput_kbps": 100.0 + w[WINDOW]})
    assert rising == {"c1": FAIL, "c2": PASS, "c3": FAIL, "c4": FAIL, "c5": FAIL}
    early = {1: 100.0, 2: 190.0, 3: 200.0}
    assert found("fig2-left", lambda _l, w: {"throughput_kbps": early.get(w[WINDOW], 180.0)})["c2"] == FAIL
    falling = found("fig2-left", lambda _l, w: {"throughput_kbps": 100.0 * min(w[WINDOW], 3) - 3 * w[WINDOW]})
    assert falling["c3"] == FAIL
    flat = found("fig2-left", lambda _l, w: {"throughput_kbps": 200.0 if w[WINDOW] >= 3 else 100.0}, noise=0.05)
    assert (flat["c1"], flat["c4"]) == (OPEN, OPEN)
    assert found("fig2-left", curve, seeds=0)["c1"] == OPEN


def test_ns2_itself_has_neither_the_straight_line_nor_the_loss():
    by_id = {s.id: s.reference() for s in ENTRIES["fig2-left"].statements}
    assert {key: one.outcome.value for key, one in by_id.items() if one} == {
        "c1": "reproduced",
        "c2": "not reproduced",
        "c3": "reproduced",
        "c4": "reproduced",
        "c5": "not reproduced",
    }
    assert "44.5, then 17.1" in by_id["c2"].measured
    assert by_id["c5"].measured == "5.684 %"


def quarter_rule(slope):
    def model(_label, where):
        return {"throughput_kbps": 1000.0 / where[HOPS] - abs(where[WINDOW] - max(1, round(where[HOPS] * slope)))}

    return model


def test_fig2_middle_and_right_want_a_quarter_and_a_fall():
    assert found("fig2-middle", quarter_rule(0.25)) == {"c1": PASS, "c2": PASS}
    assert found("fig2-middle", quarter_rule(0.5)) == {"c1": {"in trend"}, "c2": {"in trend"}}
    assert found("fig2-middle", quarter_rule(0.0)) == {"c1": FAIL, "c2": FAIL}
    assert found("fig2-right", quarter_rule(0.25)) == {"c1": PASS}
    assert found("fig2-right", lambda _l, w: {"throughput_kbps": 100.0 + w[HOPS]}) == {"c1": FAIL}


def laptops(best=3, cost=0.1, tail=-20.0):
    def model(label, where):
        value = 200.0 - 10 * abs(where[WINDOW] - best) if where[WINDOW] < 32 else 200.0 + tail
        return {"throughput_kbps": value * (1 - cost * label.endswith("%"))}

    return model


def test_fig3_wants_the_simulated_shape_and_a_tenth_less():
    assert found("fig3", laptops()) == {"c1": PASS, "c2": PASS}
    assert found("fig3", laptops(best=6))["c1"] == FAIL
    assert found("fig3", laptops(tail=5.0))["c1"] == FAIL
    assert found("fig3", laptops(cost=0.3))["c2"] == FAIL


def rows(best=2, lost=0.2, window=10.0, field=0.155, twelve=0.27):
    """Aggregate throughput largest at `best`; the default loses a share of it."""

    def model(label, where):
        share = field if "random" in label else twelve if "grid12" in label else lost
        usual = where[WINDOWS] == 32
        value = 300.0 * (1 if where[WINDOWS] == best else 1 - share if usual else 0.79)
        flows = {f"flow.{i}.mean_cwnd": 4.0 for i in (1,) if "cross" in label or "grid" in label or "random" in label}
        return {"network.aggregate_kbps": value, "mean_cwnd": window if usual else 1.0, **flows}

    return model


def test_table2_has_limits():
    good = found("table2", rows())
    assert {key for key, value in good.items() if value == PASS} >= {"c1", "c2", "c4", "c6", "c7", "c9"}
    assert found("table2", rows(window=8.0))["c5"] == PASS
    for change, statements in (
        ({"lost": 0.0, "twelve": 0.0, "field": 0.0}, {"c2", "c4", "c5", "c6"}),
        ({"lost": 0.5, "twelve": 0.5, "field": 0.5}, {"c2", "c4", "c5", "c6"}),
        ({"twelve": 0.13}, {"c9"}),
        ({"best": 6}, {"c5", "c7"}),
        ({"best": 32}, {"c1"}),
        ({"best": 6, "window": 1.0}, {"c3"}),
    ):
        bad = found("table2", rows(**change))
        assert {key for key, value in bad.items() if "not reproduced" in value} >= statements, change


def test_the_pipe_is_the_best_throughput_over_that_of_one_packet_under_way():
    def at(window, packets):
        kbps = {1: 100.0, 2: 300.0}.get(window, 250.0)
        rtt = 8 * 1460 * packets / 100.0 if window == 1 else 100.0
        runs = [run(s, {"network.aggregate_kbps": kbps, "mean_rtt_ms": rtt}) for s in (1, 2)]
        return ({WINDOWS: window}, runs)

    def verdict(packets):
        check = Check("python", lambda found: found["network"]["aggregate_kbps"], along=WINDOWS)
        return checks.pipe(check, Table("t", [at(window, packets) for window in (1, 2, 32)]))[0]

    # The best window is 2; the network holds three times what is under way at a window of 1.
    assert (verdict(2 / 3), verdict(4.0), verdict(0.1)) == (True, False, False)


@pytest.mark.parametrize("key", ["cross-window", "grid-window"])
def test_best_windows_of_the_formulas(key):
    assert found(key, rows(best=2)) == {"c1": PASS}
    assert found(key, rows(best=4)) == {"c1": FAIL}
    assert {quantity.published for quantity in ENTRIES[key].quantities} >= {2}


def test_random_window_lies_inside_the_sweep():
    assert found("random-window", rows(best=4)) == {"c1": PASS}
    assert found("random-window", rows(best=32)) == {"c1": FAIL}


# --- Section 4 ------------------------------------------------------------------------------------------------------


def test_buffers_fail_on_overflow_with_large_buffers_and_on_none_with_small_ones():
    def queues(small, large):
        return lambda _l, w: {"network.queue_drops": small if w["mac.queue"] <= 10 else large}

    assert found("sec4.1-buffers", queues(50, 0)) == {"c1": PASS, "c2": PASS}
    assert found("sec4.1-buffers", queues(0, 50)) == {"c1": FAIL, "c2": FAIL}


def occupancy(mean, largest, lost=0, drops=10):
    nodes = {f"node.{i}.queue_mean": m for i, m in enumerate(mean)} | {
        f"node.{i}.queue_max": m for i, m in enumerate(largest)
    }
    sent = {"sent_packets": 5000, "received_packets": 5000 - lost, "network.mac_retry_drops": drops}
    return lambda _l, _w: {**nodes, **sent, "network.queue_drops": 0}


def test_table3_passes_on_the_published_table_by_any_way_of_counting_that_fits():
    mean, largest = (0.4, 0.8, 1, 1.9, 1.9, 1, 0.9, 0.7, 0.3), (9, 11, 13, 14, 16, 15, 12, 10, 6)
    published = {row.label: q.published for q in ENTRIES["table3"].quantities for row in [q]}
    assert [published[f"largest queue, node {node}"] for node in range(1, 10)] == list(largest)
    assert published["contention drops"] / published["data packets and ACKs sent end to end"] == pytest.approx(
        0.0134, abs=5e-5
    )
    good = found("table3", occupancy(mean, largest, lost=134, drops=250))
    assert (good["c1"], good["c2"], good["c3"], good["c4"]) == (PASS, PASS, PASS, PASS | FAIL)
    bad = found("table3", occupancy(mean, (30, *largest[1:]), drops=0))
    assert (bad["c2"], bad["c4"]) == (FAIL, FAIL)
    assert found("table3", occupancy((5, *mean[1:]), largest))["c3"] == FAIL


def test_fig5_left_wants_drops_that_grow_and_no_overflow():
    def drops(of, overflow=0):
        return lambda _l, w: {
            "network.link_drop_probability": of(w[WINDOW]),
            "network.mac_retry_drops": 10 * (w[WINDOW] - 1),
            "network.queue_drops": overflow,
        }

    assert found("fig5-left", drops(lambda w: w / 1e4)) == {"c1": PASS, "c2": PASS}
    assert found("fig5-left", drops(lambda w: 0.01 * (w > 8)))["c1"] == FAIL
    assert found("fig5-left", drops(lambda w: w / 1e4, overflow=100))["c2"] == FAIL


def loaded(drop, throughput=lambda kbps: min(kbps, 400 - kbps / 20), contention=0, overflow=500):
    def model(_label, where):
        kbps = where["flow.0.rate"] / 1000
        return {
            "throughput_kbps": throughput(kbps),
            "network.link_drop_probability": drop(kbps),
            "network.mac_retry_drops": 10 if kbps > contention else 0,
            "network.queue_drops": 10 if kbps > overflow else 0,
        }

    return model


def test_fig5_and_fig6_pass_on_a_gradual_rise_to_a_plateau_and_fail_on_others():
    good = loaded(lambda kbps: min(kbps, 500) / 1e5)
    assert found("fig5-middle", good) == {"c1": PASS, "c2": PASS, "c4": PASS}
    assert found("fig5-right", good) == {"c3": PASS}
    assert found("fig6", good) == {"c1": PASS, "c2": PASS}
    for model, failing in (
        (loaded(lambda kbps: 0.01 * (kbps > 350)), "c1"),
        (loaded(lambda kbps: max(0.0, 0.01 - abs(kbps - 400) / 1e5)), "c2"),
        (loaded(lambda kbps: min(kbps, 400) / 1e5, contention=600), "c4"),
    ):
        assert found("fig5-middle", model)[failing] == FAIL
    growing = loaded(lambda kbps: kbps / 1e6, throughput=lambda kbps: kbps)
    assert found("fig5-right", growing)["c3"] == FAIL
    wired = loaded(lambda kbps: 0.01 * (kbps >= 1500), throughput=lambda kbps: min(kbps, 400))
    assert "reproduced" not in found("fig6", wired)["c1"]


def crowds(sign=1, overflow=0, jump=False):
    def model(_label, where):
        window = where[WINDOWS]
        share = 0.01 * (window > 8) if jump else min(window, 10) / 1e4
        # Nodes 1 to 5 of the cross have more neighbours than those at the end of the line.
        nodes = {f"node.{i}.mac_retry_drops": 5 + sign * (4 if 1 <= i <= 5 else 0) for i in range(7)}
        drops = {"network.link_drop_probability": share, "network.queue_drops": overflow}
        return {**nodes, **drops, "node.7.mac_packets": 0, "node.8.mac_packets": 0}

    return model


def test_sec43_passes_when_crowded_nodes_lose_more():
    entry = ENTRIES["sec4.3"]
    assert found("sec4.3", crowds())["c1"] == found("sec4.3", crowds())["c2"] == PASS
    [third] = [statement for statement in entry.statements if statement.id == "c3"]
    for sign, wanted in ((1, "reproduced"), (-1, "not reproduced")):
        cross = [one for one in third.evaluate(data(entry, crowds(sign))) if one.setting == "ns-2's radio, cross13x2"]
        assert [one.outcome.value for one in cross] == [wanted]
    assert found("sec4.3", crowds(overflow=5))["c1"] == FAIL
    assert found("sec4.3", crowds(jump=True))["c2"] == FAIL


def one_hop(drops, failed=lambda backlog: 0.6 * min(1.0, backlog * 7 / 3), top=2000):
    """Nodes whose backlog grows with the load up to `top` kbit/s; `failed` is the share of RTS without data."""

    def model(_label, where):
        backlog = min(1.0, where["flow.*.rate"] / 1000 / top)
        flow = {"throughput_kbps": 8 * 1460 / 1000, "delay_ms": 1000 * (backlog + 0.5), "received_packets": 10**9}
        values = {f"flow.{i}.{key}": value for i in range(7) for key, value in flow.items()}
        values |= {f"node.{i}.rts_sent": 10_000 for i in range(9)}
        values |= {f"node.{i}.data_sent": round(10_000 * (1 - failed(backlog))) for i in range(9)}
        return {**values, "network.mac_retry_drops": drops(backlog) * 9 * 10_000}

    return model


def last_state(share):
    return share**6 / sum(share**i for i in range(7))


def test_fig7_passes_on_what_the_model_says_and_only_then():
    def regimes(backlog):
        return 0.03 * min(1.0, max(0.0, (backlog - 0.12) / 0.4))

    def failed(backlog):
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if last_state(middle) < regimes(backlog) else (low, middle)
        return low

    entry = ENTRIES["fig7"]
    first, second = entry.statements
    good = {one.setting: one.outcome.value for one in first.evaluate(data(entry, one_hop(regimes, failed)))}
    assert {value for label, value in good.items() if label.endswith("b and c measured")} == PASS
    assert {one.outcome.value for one in second.evaluate(data(entry, one_hop(regimes, failed)))} == PASS
    assert found("fig7", one_hop(lambda _b: 0.02, lambda _b: 0.2)) == {"c1": FAIL, "c2": FAIL}
    assert found("fig7", one_hop(lambda backlog: 0.05 * backlog))["c2"] == FAIL
    assert found("fig7", one_hop(lambda _b: 0.0)) == {"c1": FAIL, "c2": FAIL}


def test_backlog_follows_from_rate_delay_and_queue():
    # One packet a second that stays 0.8 s, half of it in the queue.
    one = run(1, {"throughput_kbps": 8 * 1460 / 1000, "delay_ms": 800.0, "received_packets": 10**9})
    assert checks.backlog(one) == pytest.approx(0.3)
    one["nodes"][0]["queue_mean"] = 45.0
    assert checks.backlog(one) == pytest.approx(0.9)
    assert checks.backlog(run(1, {"received_packets": 0})) == pytest.approx(0.01)
    # 6.3 backlogged nodes of which 3 start and 1 completes; by the floors 2 start.
    assert [checks.smooth(one), checks.floored(one)] == pytest.approx([last_state(2 / 3), last_state(1 / 2)])


# --- Sections 5 and 6 -----------------------------------------------------------------------------------------------


def plain(label):
    return "NewReno" in label


def test_fig8_wants_a_narrow_window_near_three_and_few_drops():
    wide, narrow = {"2": 0.2, "5": 0.3, "8": 0.3, "16": 0.2}, {"2": 0.2, "3": 0.6, "4": 0.2}

    def model(lred, drops=5):
        return lambda label, _w: {
            "cwnd_share": wide if plain(label) else lred,
            "network.mac_retry_drops": 100 if plain(label) else drops,
        }

    assert found("fig8-left", model(narrow)) == {"c1": PASS}
    assert found("fig8-left", model({"8": 1.0})) == {"c1": FAIL}
    assert "reproduced" not in found("fig8-left", model(wide))["c1"]
    assert found("fig8-right", model(narrow)) == {"c2": PASS}
    assert found("fig8-right", model(narrow, drops=50)) == {"c2": FAIL}
    one = run(1, {"cwnd_share": {"2": 0.5, "4": 0.5}, "mean_cwnd": None})
    assert checks.window_spread(one) == 1.0


def paced(gain=1.08, small=1.0, drops=0.5, rtt=0.99, tail=0.8):
    """With pacing `gain` times as much from a window of 4 on, `small` times below."""

    def model(label, where):
        window, on = where[WINDOW], not plain(label)
        value = 100.0 * min(window, 4) * (tail if window == 32 else 1.0)
        return {
            "throughput_kbps": value * ((gain if window >= 4 else small) if on else 1.0),
            "network.mac_retry_drops": 100 * window * (drops if on else 1),
            "mean_rtt_ms": 100.0 * window * (rtt if on else 1),
        }

    return model


def test_fig9_passes_on_the_published_gains_and_has_limits():
    assert found("fig9-left", paced()) == {"c1": PASS, "c4": PASS}
    assert found("fig9-middle", paced()) == {"c2": PASS}
    assert found("fig9-right", paced()) == {"c3": PASS}
    assert found("fig9-left", paced(gain=1.02))["c1"] == {"in trend"}
    assert found("fig9-left", paced(gain=1.4))["c1"] == FAIL
    assert found("fig9-left", paced(small=0.9, gain=1.0))["c1"] == FAIL
    assert found("fig9-left", paced(tail=1.2))["c4"] == FAIL
    assert found("fig9-middle", paced(drops=1.5))["c2"] == FAIL
    assert found("fig9-right", paced(rtt=1.1))["c3"] == FAIL


def cured(short=1.05, middle=1.12, end=1.29, window=1.0):
    def model(label, where):
        hops, on = where[HOPS], not plain(label)
        factor = short if hops <= 15 else middle + (end - middle) * (hops - 16) / 32
        best = max(1.0, hops / 4)
        kbps = 1000.0 / hops * (factor if on else 1.0)
        return {"network.aggregate_kbps": kbps, "mean_cwnd": best + window if on else best + 5}

    return model


def test_fig10_passes_on_the_published_gains_and_has_limits():
    assert found("fig10-left", cured()) == {"c1": PASS, "c2": PASS, "c3": PASS}
    assert found("fig10-middle", cured()) == {"c1": PASS, "c2": PASS}
    assert found("fig10-right", cured()) == {"c4": PASS}
    assert found("fig10-right", cured(window=9.0)) == {"c4": FAIL}
    assert found("fig10-left", cured(short=1.2, middle=0.9, end=0.8))["c1"] == FAIL
    assert found("fig10-left", cured(end=1.6))["c2"] == FAIL
    assert found("fig10-left", cured(middle=1.29, end=1.12))["c3"] == FAIL
    assert found("fig10-left", cured(middle=1.02, end=1.04))["c3"] == {"in trend"}


def captured(kbps=(319.0, 244.0), jain=(0.99, 0.5), weak=0.0):
    def model(label, _where):
        side = 1 if plain(label) else 0
        split = {"throughput_kbps": kbps[side] - weak, "flow.1.throughput_kbps": weak}
        return {"network.aggregate_kbps": kbps[side], "network.jain": jain[side], **split}

    return model


def test_tables_4_to_6_want_more_and_fairer():
    assert found("table4", captured()) == {"c1": PASS, "c2": PASS, "c3": PASS}
    assert found("table4", captured(kbps=(200.0, 244.0)))["c1"] == {"in trend"}
    assert found("table4", captured(jain=(0.5, 0.9)))["c1"] == FAIL
    assert found("table4", captured(weak=90.0))["c2"] == FAIL
    assert found("table5", captured()) == {"c1": PASS}
    assert found("table5", captured(jain=(0.4, 0.5))) == {"c1": FAIL}
    assert found("table6", captured()) == {"c1": PASS, "c2": PASS, "c3": PASS}
    slower = found("table6", captured(kbps=(240.0, 310.0), jain=(0.4, 0.5)))
    assert slower == {"c1": FAIL, "c2": FAIL, "c3": FAIL}


def vegas(short=1.0, long=0.85, window=3.0):
    def model(label, where):
        on = not plain(label)
        factor = (short if where[HOPS] <= 6 else long) if on else 1.0
        return {"throughput_kbps": 1000.0 / where[HOPS] * factor, "mean_cwnd": window if on else 9.0}

    return model


def test_vegas_passes_on_the_published_comparison():
    assert found("sec6-vegas", vegas()) == {"c1": PASS, "c2": PASS, "c3": PASS}
    bad = found("sec6-vegas", vegas(short=0.8, long=1.0, window=5.0))
    assert (bad["c1"], bad["c3"]) == (FAIL, FAIL)
    assert "reproduced" not in bad["c2"]


def both(good):
    """One pair of thresholds does all that is reported, or one does Figure 8 and another Figure 10."""

    def model(label, _where):
        eight = label.startswith("from 0.5, at most 5 %")
        ten = eight if good else label.startswith("from 1.8, at most 5 %")
        return {
            "network.aggregate_kbps": 115.0 if ten else 100.0,
            "network.mac_retry_drops": 5 if eight else 100,
            "cwnd_share": {"3": 1.0} if eight else {"4": 0.5, "20": 0.5},
        }

    return model


def test_one_choice_has_to_give_both_figures():
    assert found("sensitivity", both(good=True)) == {"c1": PASS | FAIL, "c2": PASS | FAIL}
    assert found("sensitivity", both(good=False)) == {"c1": FAIL, "c2": PASS | FAIL}
    entry = ENTRIES["sensitivity"]
    link = Scenario(entry.settings[-1].document()).points[0].config(1)["link"]
    assert link["lred_weight"] == 0.125
    assert isinstance(data(entry, both(good=True)), Data)
