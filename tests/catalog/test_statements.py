"""Every statement is judged on results that fit it and on results that do not: no statement can pass by itself."""

from __future__ import annotations

import pytest
from synthetic import data, outcomes

from hopscope import studies as catalog
from hopscope.catalog import afrakhteh2005, fu2003, validation_theory
from hopscope.catalog.afrakhteh2005 import udp
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


# --- afrakhteh2005 --------------------------------------------------------------------------------------------------


def one_hop(capacity):
    """A link that passes everything up to its capacity and queues 50 packets beyond it."""

    def model(_label, where):
        load = udp.kbps(where["flow.0.rate"])
        reached = min(load, capacity)
        sent = round(load * 300 / 11.84)
        received = round(reached * 300 / 11.84)
        over = load > capacity
        return {
            "throughput_kbps": reached,
            "delay_ms": 330.0 if over else 6.0,
            "jitter_ms": 0.5 if over else 0.2,
            "loss_pct": 100 * (1 - reached / load),
            "sent_packets": sent,
            "received_packets": received,
            "node.0.queue_drops": max(0, sent - received - 50) if over else 0,
        }

    return model


def test_exp06_passes_on_the_published_capacity():
    assert outcomes(afrakhteh2005.EXP06, one_hop(1730)) == dict.fromkeys(["c1", "c2", "c3", "c4", "c5"], PASS)


def test_exp06_finds_the_candidate_that_fits_when_counting_whole_packets():
    def model(label, where):
        return one_hop(1730 * 1480 / 1500 if label == "RTS off, control 2M" else 1544)(label, where)

    assert outcomes(afrakhteh2005.EXP06, model)["c2"] == PASS | FAIL
    [statement] = [s for s in afrakhteh2005.EXP06.statements if s.id == "c2"]
    _, judged, _ = weigh(afrakhteh2005.EXP06, data(afrakhteh2005.EXP06, model))
    [verdict] = [j.verdict for j in judged if j.statement is statement]
    assert verdict.outcome is Outcome.DEPENDS
    assert "1 of 6 readings of what is not published: RTS off, control 2M" in verdict.cause
    assert outcomes(afrakhteh2005.EXP06, one_hop(1544))["c2"] == FAIL


def test_exp06_fails_on_a_link_that_loses_on_the_air():
    def lossy(label, where):
        good = one_hop(1730)(label, where)
        return {
            **good,
            "loss_pct": 5.0,
            "throughput_kbps": good["throughput_kbps"] * 0.95,
            "delay_ms": 50.0,
            "node.0.queue_drops": 0,
        }

    found = outcomes(afrakhteh2005.EXP06, lossy)
    assert {found[c] == FAIL for c in ("c1", "c2", "c3", "c4", "c5")} == {True}


EXP07_STATEMENTS = ["c1", "c2", "c3", "c4", "c5", "c6", "c7"]


def udp_beside_tcp(udp_kbps, *, tcp_kbps=(1438, 741, 407, 320, 260, 227), ratio=10.0, first=0.08, tcp_loss=1.0):
    """UDP's delay and jitter are `first` times TCP's at one hop and `ratio` times TCP's beyond."""

    def model(label, where):
        at = where[HOPS] - 1
        if "TCP" in label:
            waits = {"delay_ms": 76.0 + 43 * at, "jitter_ms": 5.0 + 8 * at}
            return {"throughput_kbps": tcp_kbps[at], "loss_pct": tcp_loss, **waits}
        factor = ratio if at else first
        waits = {"delay_ms": factor * (76.0 + 43 * at), "jitter_ms": factor * (5.0 + 8 * at)}
        return {"throughput_kbps": udp_kbps[at], "loss_pct": 100 * (1 - udp_kbps[at] / 1700), **waits}

    return model


PUBLISHED_UDP = (1700, 870, 560, 420, 340, 300)


def test_exp07_passes_on_the_published_curves():
    found = outcomes(afrakhteh2005.EXP07, udp_beside_tcp(PUBLISHED_UDP))
    assert found == dict.fromkeys(EXP07_STATEMENTS, PASS)


def test_exp07_fails_on_a_slow_decline_at_an_idle_queue():
    def model(label, where):
        slow = udp_beside_tcp([1600, 1500, 1400, 1300, 1200, 1100], ratio=1.0, first=1.0, tcp_loss=7.0)(label, where)
        return slow if "TCP" in label else {**slow, "loss_pct": 1.0}

    assert outcomes(afrakhteh2005.EXP07, model) == dict.fromkeys(EXP07_STATEMENTS, FAIL)


@pytest.mark.parametrize(
    ("changes", "statement"),
    [
        ({"tcp_kbps": (1438, 900, 407, 320, 260, 227)}, "c1"),
        ({"tcp_kbps": (1438, 741, 407, 320, 260, 280)}, "c1"),
        ({"first": 0.3}, "c2"),
        ({"ratio": 2.9}, "c3"),
        ({"ratio": 21.0}, "c2"),
        ({"ratio": 4.9}, "c3"),
        ({"tcp_loss": 2.3}, "c7"),
    ],
)
def test_exp07_comparisons_have_limits(changes, statement):
    assert outcomes(afrakhteh2005.EXP07, udp_beside_tcp(PUBLISHED_UDP, **changes))[statement] == FAIL


def test_exp07_compares_within_one_setting_and_over_aodv():
    good, bad = udp_beside_tcp(PUBLISHED_UDP), udp_beside_tcp(PUBLISHED_UDP, ratio=1.0)

    def mixed(label, where):
        return (good if label in {"UDP, RTS on, control 1M", "TCP, RTS off, control 2M"} else bad)(label, where)

    def only_fixed(label, where):
        return (good if label.startswith("fixed routes") else bad)(label, where)

    # TCP is the same in both models, so the only setting that fits is the one whose UDP does.
    assert outcomes(afrakhteh2005.EXP07, mixed)["c2"] == PASS | FAIL
    assert outcomes(afrakhteh2005.EXP07, only_fixed)["c2"] == FAIL


def test_exp08_passes_on_the_published_line_and_fails_on_a_lossy_one():
    def published(_label, where):
        hops = where[HOPS]
        return {"throughput_kbps": 290.0, "delay_ms": 6.8 * hops - 0.8, "jitter_ms": 0.14 + 0.06 * hops}

    def lossy(_label, where):
        hops = where[HOPS]
        return {
            "throughput_kbps": 290.0 - 5 * hops,
            "delay_ms": 6.0 * hops**2,
            "jitter_ms": 2.0 * hops,
            "loss_pct": 2.0,
        }

    every = ["c1", "c2", "c3", "c4", "c5"]
    assert outcomes(afrakhteh2005.EXP08, published) == dict.fromkeys(every, PASS)
    assert outcomes(afrakhteh2005.EXP08, lossy) == dict.fromkeys(every, FAIL)


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
