"""Every statement is judged on results that fit it and on results that do not: no statement can pass by itself."""

from __future__ import annotations

import pytest
from synthetic import data, outcomes

from hopscope import studies as catalog
from hopscope.catalog import fu2003, validation_theory
from hopscope.catalog.fu2003 import buffers, defaults
from hopscope.studies.reproduce import weigh
from hopscope.studies.verdict import Outcome

PASS, FAIL, OPEN = {"reproduced"}, {"not reproduced"}, {"undecided"}
WINDOW, PACKET, HOPS, QUEUE = "flow.0.max_window", "flow.0.packet", "topology.hops", "mac.queue"


# --- fu2003 ---------------------------------------------------------------------------------------------------------


def published_window_curve(_label, where):
    window = where[WINDOW]
    value = {1: 100.0, 2: 160.0, 3: 200.0}.get(window, 170.0 + 20.0 * 0.5 ** (window - 3))
    return {"throughput_kbps": value * where[PACKET] / 1460}


def test_fig2_left_passes_on_the_published_shape():
    assert outcomes(fu2003.FIG2_LEFT, published_window_curve) == dict.fromkeys(["c1", "c2", "c3", "c4"], PASS)


def test_fig2_left_fails_on_a_throughput_that_only_grows():
    found = outcomes(fu2003.FIG2_LEFT, lambda _l, w: {"throughput_kbps": 100.0 + w[WINDOW]})
    assert found == {"c1": FAIL, "c2": PASS, "c3": FAIL, "c4": FAIL}


def test_fig2_left_c2_fails_when_the_curve_saturates_at_two():
    def early(_label, where):
        return {"throughput_kbps": {1: 100.0, 2: 190.0, 3: 200.0}.get(where[WINDOW], 180.0)}

    assert outcomes(fu2003.FIG2_LEFT, early)["c2"] == FAIL


def test_fig2_left_c3_fails_when_the_tail_keeps_falling():
    def falling(_label, where):
        return {"throughput_kbps": 200.0 - 30 * abs(3 - where[WINDOW]) if where[WINDOW] < 3 else 203.0 - where[WINDOW]}

    assert outcomes(fu2003.FIG2_LEFT, falling)["c3"] == FAIL


def test_fig2_left_leaves_open_what_noise_hides():
    def flat(_label, where):
        return {"throughput_kbps": 200.0 if where[WINDOW] >= 3 else 100.0}

    found = outcomes(fu2003.FIG2_LEFT, flat, noise=0.05)
    assert found["c1"] == OPEN
    assert found["c4"] == OPEN
    assert outcomes(fu2003.FIG2_LEFT, published_window_curve, noise=1e-4)["c1"] == PASS


def quarter_rule(slope):
    def model(_label, where):
        best = max(1, round(where[HOPS] * slope))
        return {"throughput_kbps": 1000.0 / where[HOPS] - abs(where[WINDOW] - best)}

    return model


def test_fig2_middle_passes_on_a_quarter_and_fails_on_a_half():
    assert outcomes(fu2003.FIG2_MIDDLE, quarter_rule(0.25)) == {"c1": PASS, "c2": PASS}
    assert outcomes(fu2003.FIG2_MIDDLE, quarter_rule(0.5)) == {"c1": FAIL, "c2": FAIL}


def test_fig2_right_needs_a_falling_curve():
    assert outcomes(fu2003.FIG2_RIGHT, quarter_rule(0.25)) == {"c1": PASS}
    assert outcomes(fu2003.FIG2_RIGHT, lambda _l, w: {"throughput_kbps": 100.0 + w[HOPS]}) == {"c1": FAIL}


def test_buffers_fail_on_overflow_with_large_buffers_and_on_none_with_small_ones():
    def published(_label, where):
        return {"network.queue_drops": 0 if where[QUEUE] > 20 else 50, "network.mac_retry_drops": 20}

    def reversed_(_label, where):
        return {"network.queue_drops": 50 if where[QUEUE] > 20 else 0, "network.mac_retry_drops": 20}

    assert outcomes(fu2003.BUFFERS, published) == {"c1": PASS, "c2": PASS}
    assert outcomes(fu2003.BUFFERS, reversed_) == {"c1": FAIL, "c2": FAIL}


def occupancy(mean, largest, drops=165, overflow=0):
    nodes = {f"node.{i}.queue_mean": v for i, v in enumerate(mean)}
    nodes |= {f"node.{i}.queue_max": v for i, v in enumerate(largest)}
    counts = {"sent_packets": 6200, "received_packets": 6149, "duplicate_packets": 0}
    return lambda _l, _w: {**nodes, **counts, "network.mac_retry_drops": drops, "network.queue_drops": overflow}


def test_table3_passes_on_the_published_table():
    model = occupancy(buffers._MEAN_BUFFER, buffers._MAX_BUFFER)
    assert outcomes(fu2003.TABLE3, model) == dict.fromkeys(["c1", "c2", "c3", "c4"], PASS)


def test_table3_fails_on_full_queues_at_the_source():
    model = occupancy([5, 2, 1, 1, 1, 1, 1, 1, 0], [30, 10, 5, 5, 5, 5, 5, 5, 1], drops=2000, overflow=7)
    assert outcomes(fu2003.TABLE3, model) == dict.fromkeys(["c1", "c2", "c3", "c4"], FAIL)


# --- validation -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("factor", "expected"), [(1.0, PASS), (1.019, PASS), (1.021, FAIL), (0.97, FAIL)])
def test_cells_must_be_within_two_percent_of_the_model(factor, expected):
    models = {study.label: (n, rate) for n, rate, study in validation_theory._CELLS}

    def model(label, _where):
        ip_kbps = validation_theory.model_throughput(*models[label])
        return {"network.aggregate_kbps": factor * ip_kbps * 1472 / 1500}

    assert set(map(frozenset, outcomes(validation_theory.BIANCHI, model).values())) == {frozenset(expected)}


@pytest.mark.parametrize(("error", "expected"), [(0, PASS), (1, FAIL)])
def test_air_times_must_agree_to_the_nanosecond(monkeypatch, error, expected):
    from hopscope import _core

    known = {(size, rate, "ofdm" in preset): ns for preset, size, rate, ns in validation_theory.FRAMES}

    def airtime(radio, size, rate):
        return known[size, rate, '"ofdm"' in radio] + error

    monkeypatch.setattr(_core, "frame_airtime_ns", airtime, raising=False)
    assert set(map(frozenset, outcomes(validation_theory.AIRTIME, lambda _l, _w: {}).values())) == {frozenset(expected)}


def test_defaults_are_judged_against_the_resolved_scenario():
    assert set(map(frozenset, outcomes(fu2003.TABLE1, lambda _l, _w: {}).values())) == {frozenset(PASS)}
    judge = defaults._default("mac.queue", 49)
    assert {finding.outcome.value for finding in judge(None)} == FAIL


def test_a_study_without_runs_is_not_reproducible_rather_than_failed():
    assert outcomes(fu2003.FIG2_LEFT, published_window_curve, seeds=0)["c1"] == OPEN


@pytest.mark.parametrize("entry", [e for e in catalog.entries() if e.settings], ids=lambda e: e.key)
def test_a_network_that_carries_nothing_passes_no_throughput_statement(entry):
    nothing = {
        "throughput_kbps": 0.0,
        "delay_ms": None,
        "jitter_ms": None,
        "mean_rtt_ms": None,
        "loss_pct": 100.0,
        "received_packets": 0,
        "network.aggregate_kbps": 0.0,
        "network.mac_retry_drops": 0,
        "network.jain": 1.0,
    }
    found = outcomes(entry, lambda _l, _w: nothing)
    passed = {key for key, out in found.items() if "reproduced" in out}
    # Statements on queues, overflow and lost excess hold in an idle network, too; so does arithmetic on printed values.
    idle = {
        # The second of two crossing flows still carries something here.
        "fu2003.table4": {"c2", "c3"},
        "fu2003.table3": {"c1", "c2", "c3"},
        "afrakhteh2005.exp06": {"c4"},
        "afrakhteh2005.exp10": {"c4"},
        "anastasi2006.fig8": {"c2"},
    }
    assert passed <= idle.get(entry.key, set())


def test_the_profile_of_the_source_decides_and_the_other_is_for_contrast():
    from hopscope.studies.reproduce import EntryOutcome, Reproduction

    def model(label, where):
        return published_window_curve(label, where) if label == "ns2" else {"throughput_kbps": 100.0 + where[WINDOW]}

    measured, judged, charts = weigh(fu2003.FIG2_LEFT, data(fu2003.FIG2_LEFT, model))
    outcome = Reproduction(("fu2003",), (EntryOutcome(fu2003.FIG2_LEFT, measured, judged, charts, {}),))
    assert (outcome.count(Outcome.REPRODUCED), outcome.count(Outcome.NOT_REPRODUCED)) == (4, 0)
    beside = [f.outcome for j in judged for f in j.findings if not j.decides(f)]
    assert (beside.count(Outcome.REPRODUCED), beside.count(Outcome.NOT_REPRODUCED)) == (1, 3)
    assert outcome.exit_status == 0


def test_flows_that_carried_nothing_are_named():
    from synthetic import table

    from hopscope.studies.reproduce import silent_flows

    study = fu2003.FIG2_RIGHT.settings[0]
    lost = table(study, lambda _l, w: {"received_packets": 0 if w[HOPS] >= 40 else 9})
    [remark] = silent_flows([lost])
    assert "a flow carried nothing in 114 of 798 runs" in remark
    assert "topology.hops = 40" in remark
    assert silent_flows([table(study, lambda _l, _w: {})]) == []
