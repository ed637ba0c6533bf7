"""fu2003 beyond Figure 2 and Table 3: its scenarios, and each statement on results that fit it and that do not."""

from __future__ import annotations

import pytest
from synthetic import data, outcomes, run

from hopscope import studies as catalog
from hopscope.catalog import fu2003
from hopscope.catalog.fu2003 import cures, drop_model, flows, loss, pacing, sensitivity, shared
from hopscope.errors import InputError
from hopscope.results.comparisons import gain
from hopscope.results.samples import Data, Estimate, Table
from hopscope.scenario import Scenario
from hopscope.studies.judge import between, exceeds, gradual
from hopscope.studies.reproduce import judge, reproduce, weigh

PASS, FAIL, OPEN = {"reproduced"}, {"not reproduced"}, {"undecided"}
LAYER, WINDOW, WINDOWS, HOPS = shared.LAYER, shared.WINDOW, shared.WINDOWS, shared.HOPS
PLAIN, LRED, PACING, BOTH = pacing.PLAIN, pacing.LRED, pacing.PACING, pacing.BOTH


# --- Scenarios ------------------------------------------------------------------------------------------------------


def test_flows_cross_the_grid_on_lines_that_divide_it_evenly():
    assert [shared.evenly(count) for count in (1, 2, 4, 6)] == [[6], [4, 8], [2, 5, 7, 10], [2, 3, 5, 7, 9, 10]]
    ends = [(found["from"], found["to"]) for found in shared.over_grid(4)]
    # Rows 4 and 8 from left to right, columns 4 and 8 from one side to the other: 12 hops each.
    assert ends == [(52, 64), (104, 116), (4, 160), (8, 164)]


def test_the_cross_has_a_flow_along_each_line():
    [study, _] = fu2003.CROSS_WINDOW.settings
    config = Scenario(study.document()).points[0].config(1)
    ends = [(config["nodes"][found["from"]], config["nodes"][found["to"]]) for found in config["flows"]]
    assert ends == [([0.0, 600.0], [1200.0, 600.0]), ([600.0, 0.0], [600.0, 1200.0])]


def test_random_fields_are_the_replications():
    [study, contrast] = fu2003.RANDOM_WINDOW.settings
    assert study.scenario["seeds"] == contrast.scenario["seeds"] == 1
    assert study.scenario["sweep"][shared.FIELD] == list(range(1, 11))
    scenario = Scenario(study.document())
    places = [point.config(1)["nodes"] for point in scenario.points if point.set[WINDOWS] == 32]
    assert len({str(nodes) for nodes in places}) == 10
    ends = [node for found in study.scenario["flow"] for node in (found["from"], found["to"])]
    assert sorted(ends) == list(range(40))


def test_ns2_decides_with_ten_seeds_and_standard_has_five():
    for entry in fu2003.ENTRIES:
        if entry.key in ("fu2003.sensitivity", "fu2003.fig3"):
            continue
        for study in entry.settings:
            assert study.decides == (
                study.scenario["profile"] == "ns2" and "caption" not in study.label and "close" not in study.label
            )
            if shared.FIELD not in study.scenario.get("sweep", {}):
                assert study.scenario["seeds"] == (10 if study.decides else 5), study.label


def test_packets_of_flows_under_link_red_can_be_marked():
    for entry in (fu2003.FIG8_LEFT, fu2003.FIG10_LEFT, fu2003.FIG10_MIDDLE, fu2003.TABLE4, fu2003.TABLE6):
        for study in entry.settings:
            config = Scenario(study.document()).points[-1].config(1)
            assert config["link"]["layer"] == study.scenario["sweep"][LAYER][-1]
            assert {found["tcp"]["ecn"] for found in config["flows"]} == {True}


def test_long_chains_outlive_the_default_time_to_live():
    for study in fu2003.FIG10_LEFT.settings:
        points = Scenario(study.document()).points
        assert max(len(point.config(1)["nodes"]) for point in points) == 49
        assert {point.config(1)["net"]["ttl"] for point in points} == {64}


def test_a_row_of_table_2_runs_alone():
    [entry] = catalog.find(["fu2003.table2.cross13x2"])
    assert [study.label for study in entry.settings] == ["ns2, cross13x2", "standard, cross13x2"]
    assert [statement.id for statement in entry.statements] == ["c1", "c2", "c3", "c5"]
    assert {quantity.label.partition(",")[0] for quantity in entry.quantities} == {"cross13x2"}
    assert len(fu2003.TABLE2.parts) == 7


@pytest.mark.parametrize("entry", fu2003.ENTRIES, ids=lambda e: e.key)
def test_charts_and_quantities_have_values_wherever_something_is_run(entry):
    if not entry.settings:
        return
    measured, judged, charts = weigh(entry, data(entry, lambda _l, _w: {}))
    assert len(measured) == len(entry.quantities)
    assert all(found.findings for found in judged)
    # Drops with Link RED are two numbers; they need no figure.
    assert charts or entry.key == "fu2003.fig8-right"


def test_a_change_to_something_that_simulates_nothing_is_refused():
    with pytest.raises(InputError, match=r"--set mac.queue: nothing to change, since fu2003.table1 simulates nothing"):
        reproduce(["fu2003.table1"], changes={"mac.queue": 5})
    assert judge(fu2003.TABLE1, {}).remarks == ()


# --- Judges ---------------------------------------------------------------------------------------------------------


def test_replications_in_different_fields_are_paired_by_field():
    def kbps(field, window):
        return {"throughput_kbps": 100.0 * field + (10.0 * field if window == 4 else 0.0)}

    points = [
        ({shared.FIELD: field, WINDOWS: window}, [run(1, kbps(field, window))])
        for field in (1, 2, 3)
        for window in (4, 32)
    ]
    table = Table("fields", points)
    assert len(table.by_replica(shared.THROUGHPUT, {WINDOWS: 4})) == 3
    found = gain(table, shared.THROUGHPUT, {WINDOWS: 4}, {WINDOWS: 32})
    assert (found.mean, found.n) == (pytest.approx(10.0), 3)
    assert found.ci95 == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("mean", "ci95", "inside", "above"),
    [
        (15.0, 1.0, True, True),
        (11.0, 3.0, True, None),
        (20.0, 12.0, None, None),
        (9.0, 2.0, None, None),
        (5.0, 2.0, False, False),
        (31.0, 0.5, False, True),
    ],
)
def test_ranges_and_limits_know_their_noise(mean, ci95, inside, above):
    value = Estimate(mean, ci95, mean - ci95, mean + ci95, 10)
    assert between(value, 10, 30) is inside
    assert exceeds(value, 10) is above


@pytest.mark.parametrize(
    ("values", "holds"),
    [([0, 1, 2, 3, 4], True), ([0, 0, 0, 4, 4], False), ([4, 3, 2, 1, 0], False), ([1, 1, 1], False)],
)
def test_gradual_means_neither_a_jump_nor_a_fall(values, holds):
    assert gradual(values)[0] is holds


# --- Figure 3 -------------------------------------------------------------------------------------------------------


def laptops(best=3, cost=0.1, tail=-20.0):
    def model(_label, where):
        rate = where["radio.error.per"]
        value = 200.0 - 10 * abs(where[WINDOW] - best) if where[WINDOW] < 32 else 200.0 + tail
        return {"throughput_kbps": value * (1 - cost * (rate > 0))}

    return model


def test_fig3_wants_the_simulated_shape_and_a_tenth_less():
    assert outcomes(fu2003.FIG3, laptops()) == {"c1": PASS, "c2": PASS}
    assert outcomes(fu2003.FIG3, laptops(best=6))["c1"] == FAIL
    assert outcomes(fu2003.FIG3, laptops(tail=5.0))["c1"] == FAIL
    assert outcomes(fu2003.FIG3, laptops(cost=0.3))["c2"] == FAIL


# --- Table 2 and the windows ----------------------------------------------------------------------------------------


def rows(best=2, lost=0.2, window=8.0, field=0.155, twelve=0.27):
    """Aggregate throughput largest at `best`; the default loses a share of it."""

    def model(label, where):
        share = field if "random" in label else twelve if "grid12" in label else lost
        top = where[WINDOWS] == best
        usual = where[WINDOWS] == 32
        value = 300.0 * (1 if top else 1 - share if usual else 0.95)
        if where[WINDOWS] == 1:
            value = min(value, 250.0)
        flow_kbps = {"throughput_kbps": value / 8}
        values = {"network.aggregate_kbps": value, "mean_cwnd": window if usual else 1.0, **flow_kbps}
        return {**values, "mean_rtt_ms": 400.0}

    return model


def test_table2_passes_on_the_published_shape():
    found = outcomes(fu2003.TABLE2, rows(window=19.0))
    # One flow has a mean window of 19 here, the others the default of 4.
    assert {key for key, value in found.items() if value == PASS} >= {"c1", "c2", "c3", "c4", "c6", "c7"}
    assert outcomes(fu2003.TABLE2, rows(window=8.0))["c5"] == PASS


@pytest.mark.parametrize(
    ("change", "statements"),
    [
        ({"lost": 0.0, "twelve": 0.0, "field": 0.0}, {"c2", "c4", "c5", "c6"}),
        ({"lost": 0.5, "twelve": 0.5, "field": 0.5}, {"c2", "c4", "c5", "c6"}),
        ({"twelve": 0.13}, {"c6"}),
        ({"best": 6}, {"c5", "c7"}),
        ({"best": 32}, {"c1"}),
        ({"best": 6, "window": 1.0}, {"c3"}),
    ],
)
def test_table2_statements_have_limits(change, statements):
    found = outcomes(fu2003.TABLE2, rows(**change))
    assert {key for key, value in found.items() if "not reproduced" in value} >= statements


def held(packets):
    """Each of the flows has one packet under way for `packets` times as long as the best throughput suggests."""

    def model(_label, where):
        single = where[WINDOWS] == 1
        return {
            "network.aggregate_kbps": 100.0 if single else 300.0 if where[WINDOWS] == 2 else 250.0,
            "throughput_kbps": 100.0,
            "mean_rtt_ms": 8 * shared.PAYLOAD * packets / 100.0 if single else 100.0,
        }

    return model


def test_table2_c8_compares_windows_with_what_the_network_holds():
    [statement] = [s for s in fu2003.TABLE2.statements if s.id == "c8"]

    def findings(packets):
        studies = [study for study in fu2003.TABLE2.settings if study.label.endswith("grid8")]
        table = data(fu2003.TABLE2, held(packets))[studies[0].label]
        # The other seven flows carry what a synthetic flow always does.
        for _, runs in table.points:
            for found in runs:
                for other in found["flows"][1:]:
                    other["throughput_kbps"] = 0.0
        return {finding.outcome.value for finding in statement.judge(Data([table]))}

    # Windows of 2 add up to 16; the network holds three times what is under way at a window of 1.
    assert findings(16 / 3) == PASS
    assert findings(1.0) == FAIL
    assert findings(16.0) == FAIL


@pytest.mark.parametrize("entry", [fu2003.CROSS_WINDOW, fu2003.GRID_WINDOW], ids=lambda e: e.key)
def test_best_windows_of_the_formulas(entry):
    assert outcomes(entry, rows(best=2)) == {"c1": PASS}
    assert outcomes(entry, rows(best=4)) == {"c1": FAIL}
    assert {quantity.published for quantity in entry.quantities} == {2}


def test_random_window_lies_inside_the_sweep():
    assert outcomes(fu2003.RANDOM_WINDOW, rows(best=4)) == {"c1": PASS}
    assert outcomes(fu2003.RANDOM_WINDOW, rows(best=32)) == {"c1": FAIL}


def test_windows_are_added_up_over_the_flows():
    found = run(1, {"mean_cwnd": 3.0}, flows=3)
    found["flows"][2]["mean_cwnd"] = None
    assert flows.window_sum(found) == 7.0


# --- Figures 5 and 6, section 4.3 -----------------------------------------------------------------------------------


def test_fig5_left_wants_drops_that_grow_and_no_overflow():
    def drops(of, overflow=0):
        return lambda _l, w: {
            "network.link_drop_probability": of(w[WINDOW]),
            "network.mac_retry_drops": 10 * (w[WINDOW] - 1),
            "network.queue_drops": overflow,
        }

    assert outcomes(fu2003.FIG5_LEFT, drops(lambda w: w / 1e4)) == {"c1": PASS, "c2": PASS}
    assert outcomes(fu2003.FIG5_LEFT, drops(lambda w: 0.01 * (w > 8)))["c1"] == FAIL
    assert outcomes(fu2003.FIG5_LEFT, drops(lambda w: w / 1e4, overflow=100))["c2"] == FAIL


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


def test_fig5_and_fig6_pass_on_a_gradual_rise_to_a_plateau():
    good = loaded(lambda kbps: min(kbps, 500) / 1e5)
    assert outcomes(fu2003.FIG5_MIDDLE, good) == {"c1": PASS, "c2": PASS, "c4": PASS}
    assert outcomes(fu2003.FIG5_RIGHT, good) == {"c3": PASS}
    assert outcomes(fu2003.FIG6, good) == {"c1": PASS, "c2": PASS}


@pytest.mark.parametrize(
    ("model", "failing"),
    [
        (loaded(lambda kbps: 0.01 * (kbps > 350)), {"c1"}),
        (loaded(lambda kbps: 0.01 * (kbps > 20)), {"c1"}),
        (loaded(lambda kbps: max(0.0, 0.01 - abs(kbps - 400) / 1e5)), {"c2"}),
        (loaded(lambda kbps: min(kbps, 400) / 1e5, contention=600), {"c4"}),
    ],
)
def test_fig5_middle_statements_have_limits(model, failing):
    found = outcomes(fu2003.FIG5_MIDDLE, model)
    assert {key for key in found if found[key] == FAIL} >= failing


def test_fig5_right_and_fig6_fail_on_a_line_that_only_fills():
    wired = loaded(lambda kbps: 0.01 * (kbps >= 1500), throughput=lambda kbps: min(kbps, 400))
    assert outcomes(fu2003.FIG5_RIGHT, wired)["c3"] == OPEN
    growing = loaded(lambda kbps: kbps / 1e6, throughput=lambda kbps: kbps)
    assert outcomes(fu2003.FIG5_RIGHT, growing)["c3"] == FAIL
    assert "reproduced" not in outcomes(fu2003.FIG6, wired)["c1"]


def crowds(sign=1, overflow=0, jump=False):
    def model(_label, where):
        window = where[WINDOWS]
        share = 0.01 * (window > 8) if jump else min(window, 10) / 1e4
        # Nodes 1 to 5 of the cross, or of a row of the grid, have more neighbours than those at the end of the line.
        nodes = {f"node.{i}.mac_retry_drops": 5 + sign * (4 if 1 <= i <= 5 else 0) for i in range(7)}
        drops = {"network.link_drop_probability": share, "network.queue_drops": overflow}
        return {**nodes, **drops, "node.7.mac_packets": 0, "node.8.mac_packets": 0}

    return model


def test_sec43_passes_when_crowded_nodes_lose_more():
    entry = fu2003.SEC43
    assert outcomes(entry, crowds())["c1"] == outcomes(entry, crowds())["c2"] == PASS
    cross = data(entry, crowds())["ns2, cross13x2"]
    assert loss._crowded_nodes_lose_more(cross)[0] is True
    assert loss._crowded_nodes_lose_more(data(entry, crowds(sign=-1))["ns2, cross13x2"])[0] is False
    assert outcomes(entry, crowds(overflow=5))["c1"] == FAIL
    assert outcomes(entry, crowds(jump=True))["c2"] == FAIL


# --- Figure 7 -------------------------------------------------------------------------------------------------------


def one_hop(drops, failed=lambda backlog: 0.6 * min(1.0, backlog * 7 / 3), top=2000):
    """Nodes whose backlog grows with the load up to `top` kbit/s; `failed` is the share of RTS without data."""

    def model(_label, where):
        backlog = min(1.0, where["flow.*.rate"] / 1000 / top)
        flow_ = {
            "throughput_kbps": 8 * shared.PAYLOAD / 1000,
            "delay_ms": 1000 * (backlog + 0.5),
            "received_packets": 10**9,
        }
        values = {f"flow.{i}.{key}": value for i in range(7) for key, value in flow_.items()}
        values |= {f"node.{i}.rts_sent": 10_000 for i in range(9)}
        values |= {f"node.{i}.data_sent": round(10_000 * (1 - failed(backlog))) for i in range(9)}
        return {**values, "network.mac_retry_drops": drops(backlog) * 9 * 10_000}

    return model


def last_state(share):
    return share**6 / sum(share**i for i in range(7))


def test_fig7_passes_on_what_the_model_says():
    def regimes(backlog):
        return 0.03 * min(1.0, max(0.0, (backlog - 0.12) / 0.4))

    def failed(backlog):
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if last_state(middle) < regimes(backlog) else (low, middle)
        return low

    good = one_hop(regimes, failed)
    assert outcomes(fu2003.FIG7, good) == {"c1": PASS, "c2": PASS}


def test_fig7_fails_without_the_model_and_without_regimes():
    flat = one_hop(lambda _backlog: 0.02, lambda _backlog: 0.2)
    assert outcomes(fu2003.FIG7, flat) == {"c1": FAIL, "c2": FAIL}
    rising = one_hop(lambda backlog: 0.05 * backlog)
    assert outcomes(fu2003.FIG7, rising)["c2"] == FAIL
    assert outcomes(fu2003.FIG7, one_hop(lambda _backlog: 0.0)) == {"c1": FAIL, "c2": FAIL}


def test_backlog_follows_from_rate_delay_and_queue():
    # One packet a second that stays 0.8 s, half of it in the queue.
    found = run(1, {"throughput_kbps": 8 * shared.PAYLOAD / 1000, "delay_ms": 800.0, "received_packets": 10**9})
    assert drop_model.backlog(found) == pytest.approx(0.3)
    found["nodes"][0]["queue_mean"] = 45.0
    assert drop_model.backlog(found) == pytest.approx(0.9)
    assert drop_model.backlog(run(1, {"received_packets": 0})) == pytest.approx(0.01)
    # 6.3 backlogged nodes of which 3 start and 1 completes; by the floors 2 start.
    shown = [drop_model.predicted(form)(found) for form in ("smooth", "floor")]
    assert shown == pytest.approx([last_state(2 / 3), last_state(1 / 2)])


# --- Figures 8 and 9 ------------------------------------------------------------------------------------------------


def test_fig8_wants_a_narrow_window_near_three_and_few_drops():
    wide, narrow = {"2": 0.2, "5": 0.3, "8": 0.3, "16": 0.2}, {"2": 0.2, "3": 0.6, "4": 0.2}

    def model(lred, drops=5):
        return lambda _l, w: {
            "cwnd_share": lred if w[LAYER] == LRED else wide,
            "network.mac_retry_drops": drops if w[LAYER] == LRED else 100,
        }

    assert outcomes(fu2003.FIG8_LEFT, model(narrow)) == {"c1": PASS}
    assert outcomes(fu2003.FIG8_LEFT, model({"8": 1.0})) == {"c1": FAIL}
    assert "reproduced" not in outcomes(fu2003.FIG8_LEFT, model(wide))["c1"]
    assert outcomes(fu2003.FIG8_RIGHT, model(narrow)) == {"c2": PASS}
    assert outcomes(fu2003.FIG8_RIGHT, model(narrow, drops=50)) == {"c2": FAIL}
    assert pacing.window_spread(run(1, {"cwnd_share": {"2": 0.5, "4": 0.5}})) == 1.0


def paced(gain=1.08, small=1.0, drops=0.5, rtt=0.99, tail=0.8):
    """With pacing `gain` times as much from a window of 4 on, `small` times below."""

    def model(_label, where):
        window, on = where[WINDOW], where[LAYER] == PACING
        value = 100.0 * min(window, 4) * (tail if window == 32 else 1.0)
        factor = (gain if window >= 4 else small) if on else 1.0
        return {
            "throughput_kbps": value * factor,
            "network.mac_retry_drops": 100 * window * (drops if on else 1),
            "mean_rtt_ms": 100.0 * window * (rtt if on else 1),
        }

    return model


def test_fig9_passes_on_the_published_gains():
    assert outcomes(fu2003.FIG9_LEFT, paced()) == {"c1": PASS, "c4": PASS}
    assert outcomes(fu2003.FIG9_MIDDLE, paced()) == {"c2": PASS}
    assert outcomes(fu2003.FIG9_RIGHT, paced()) == {"c3": PASS}


@pytest.mark.parametrize(
    ("entry", "change", "statement"),
    [
        (fu2003.FIG9_LEFT, {"gain": 1.01}, "c1"),
        (fu2003.FIG9_LEFT, {"gain": 1.4}, "c1"),
        (fu2003.FIG9_LEFT, {"small": 0.9}, "c1"),
        (fu2003.FIG9_LEFT, {"tail": 1.2}, "c4"),
        (fu2003.FIG9_MIDDLE, {"drops": 1.5}, "c2"),
        (fu2003.FIG9_RIGHT, {"rtt": 1.1}, "c3"),
    ],
)
def test_fig9_statements_have_limits(entry, change, statement):
    assert outcomes(entry, paced(**change))[statement] == FAIL


# --- Figure 10 and Tables 4 to 6 ------------------------------------------------------------------------------------


def cured(short=1.05, middle=1.12, end=1.29, window=1.0):
    def model(_label, where):
        hops, on = where[HOPS], where[LAYER] == BOTH
        factor = short if hops <= 15 else middle + (end - middle) * (hops - 16) / 32
        kbps = 1000.0 / hops * (factor if on else 1.0)
        best = max(1.0, hops / 4)
        return {"network.aggregate_kbps": kbps, "mean_cwnd": best + window if on else best + 5}

    return model


def test_fig10_passes_on_the_published_gains():
    assert outcomes(fu2003.FIG10_LEFT, cured()) == {"c1": PASS, "c2": PASS, "c3": PASS}
    assert outcomes(fu2003.FIG10_MIDDLE, cured()) == {"c1": PASS, "c2": PASS}
    assert outcomes(fu2003.FIG10_RIGHT, cured()) == {"c4": PASS}


@pytest.mark.parametrize(
    ("change", "failing"),
    [
        ({"short": 0.9}, {"c1"}),
        ({"end": 1.6}, {"c2", "c3"}),
        ({"middle": 1.29, "end": 1.12}, {"c3"}),
        ({"middle": 1.02, "end": 1.04}, {"c2", "c3"}),
    ],
)
def test_fig10_statements_have_limits(change, failing):
    found = outcomes(fu2003.FIG10_LEFT, cured(**change))
    assert {key for key in found if found[key] == FAIL} == failing


def test_fig10_c4_fails_when_the_window_is_further_from_the_best():
    assert outcomes(fu2003.FIG10_RIGHT, cured(window=9.0)) == {"c4": FAIL}


def captured(kbps=(319.0, 244.0), jain=(0.99, 0.5), weak=0.0):
    def model(_label, where):
        side = 0 if where[LAYER] == BOTH else 1
        split = {"throughput_kbps": kbps[side] - weak, "flow.1.throughput_kbps": weak}
        return {"network.aggregate_kbps": kbps[side], "network.jain": jain[side], **split}

    return model


def test_table4_passes_on_the_published_table():
    assert outcomes(fu2003.TABLE4, captured()) == {"c1": PASS, "c2": PASS, "c3": PASS}


@pytest.mark.parametrize(
    ("change", "statement"),
    [({"kbps": (200.0, 244.0)}, "c1"), ({"jain": (0.5, 0.9)}, "c1"), ({"weak": 90.0}, "c2")],
)
def test_table4_statements_have_limits(change, statement):
    assert outcomes(fu2003.TABLE4, captured(**change))[statement] == FAIL


def test_tables_5_and_6_want_more_and_fairer():
    assert outcomes(fu2003.TABLE5, captured()) == {"c1": PASS}
    assert outcomes(fu2003.TABLE5, captured(jain=(0.4, 0.5))) == {"c1": FAIL}
    assert outcomes(fu2003.TABLE6, captured()) == {"c1": PASS, "c2": PASS, "c3": PASS}
    slower = outcomes(fu2003.TABLE6, captured(kbps=(240.0, 310.0), jain=(0.4, 0.5)))
    assert slower == {"c1": FAIL, "c2": FAIL, "c3": FAIL}


def test_the_rows_of_table_6_become_one_curve_a_profile():
    joined = cures._by_flows(data(fu2003.TABLE6, captured()))
    assert [table.label for table in joined] == ["ns2", "standard"]
    assert joined["ns2"].values("flows") == [2, 4, 8, 12]


# --- Vegas and sensitivity ------------------------------------------------------------------------------------------


def vegas(short=1.0, long=0.85, window=3.0):
    def model(_label, where):
        on = where["flow.0.transport"] == "tcp-vegas"
        factor = (short if where[HOPS] <= 6 else long) if on else 1.0
        return {"throughput_kbps": 1000.0 / where[HOPS] * factor, "mean_cwnd": window if on else 9.0}

    return model


def test_vegas_passes_on_the_published_comparison():
    assert outcomes(fu2003.VEGAS, vegas()) == {"c1": PASS, "c2": PASS, "c3": PASS}
    assert outcomes(fu2003.VEGAS, vegas(short=0.8, long=1.0, window=5.0)) == {"c1": FAIL, "c2": FAIL, "c3": FAIL}


def settings(good=True):
    """One pair of thresholds does all that is reported, or none does."""

    def model(label, where):
        fits = good and (where.get(sensitivity._MIN), where.get(sensitivity._MOST)) == (0.5, 0.05)
        fits = fits or (good and label.endswith("back-off") and where[sensitivity._CLOCK] == "wall")
        return {
            "network.aggregate_kbps": 108.0 if fits else 100.0 if where[LAYER] == PLAIN else 90.0,
            "network.jain": 0.99 if fits else 0.6,
            "network.mac_retry_drops": 5 if fits else 100,
            "cwnd_share": {"3": 1.0} if fits else {"4": 0.5, "20": 0.5},
        }

    return model


def test_sensitivity_looks_for_one_setting_that_fits():
    assert outcomes(fu2003.SENSITIVITY, settings()) == dict.fromkeys(["c1", "c2", "c3", "c4"], PASS)
    assert outcomes(fu2003.SENSITIVITY, settings(good=False)) == dict.fromkeys(["c1", "c2", "c3", "c4"], FAIL)
    finding = fu2003.SENSITIVITY.statements[0].judge(data(fu2003.SENSITIVITY, settings()))[0]
    assert "1 of 16 settings: lred_min = 0.5 lred_max_p = 0.05" in finding.measured


def test_defaults_are_among_the_settings_that_are_varied():
    link = Scenario(fu2003.SENSITIVITY.settings[0].document()).points[0].config(1)["link"]
    thresholds = sensitivity._SWEEPS[sensitivity._THRESHOLDS][0]
    assert link["lred_min"] in thresholds[sensitivity._MIN]
    assert link["lred_max_p"] in thresholds[sensitivity._MOST]
    assert link["lred_weight"] in sensitivity._SWEEPS[sensitivity._AVERAGE][0][sensitivity._WEIGHT]
    assert link["pacing_clock"] in sensitivity._SWEEPS[sensitivity._BACKOFF][0][sensitivity._CLOCK]
