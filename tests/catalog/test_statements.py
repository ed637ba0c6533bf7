"""Every statement is judged on results that fit it and on results that do not: no statement can pass by itself."""

from __future__ import annotations

import pytest
from synthetic import data, outcomes

from hopscope import studies as catalog
from hopscope.models.registry import model as formula
from hopscope.studies.reproduce import weigh
from hopscope.studies.verdict import Outcome

PASS, FAIL, OPEN = {"reproduced"}, {"not reproduced"}, {"undecided"}
WINDOW, HOPS = "flow.0.max_window", "topology.hops"


# --- validation -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("factor", "expected"), [(1.0, PASS), (1.019, PASS), (1.021, FAIL), (0.97, FAIL)])
def test_cells_must_be_within_two_percent_of_the_model(factor, expected):
    [entry] = catalog.find(["validation.bianchi"])

    def model(label, _where):
        stations, rate = (int(word.split()[0]) for word in label.split(", "))
        options = {"packet": 1500, "control_rate": 2_000_000, "back_to_back": True}
        found = formula("bianchi")(stations=stations, rate=rate * 1_000_000, **options)
        return {"network.aggregate_kbps": factor * found["throughput_kbps"] * 1472 / 1500}

    assert set(map(frozenset, outcomes(entry, model).values())) == {frozenset(expected)}


@pytest.mark.parametrize(("error", "expected"), [(0, PASS), (1, FAIL)])
def test_air_times_must_agree_to_the_nanosecond(monkeypatch, error, expected):
    from hopscope import _core

    [entry] = catalog.find(["validation.airtime"])
    real = _core.frame_airtime_ns
    monkeypatch.setattr(_core, "frame_airtime_ns", lambda *frame: real(*frame) + error)
    assert set(map(frozenset, outcomes(entry, lambda _l, _w: {}).values())) == {frozenset(expected)}


def test_what_statements_print_of_frames_is_what_the_clauses_give():
    [entry] = catalog.find(["validation.airtime"])
    for evaluated in weigh(entry, data(entry, lambda _l, _w: {}))[1]:
        assert f": {evaluated.findings[0].measured}." in evaluated.statement.text


@pytest.mark.parametrize("entry", [e for e in catalog.entries() if e.settings], ids=lambda e: e.key)
def test_a_network_that_carries_nothing_passes_no_throughput_statement(entry, monkeypatch):
    # Probes are of a network of their own.
    monkeypatch.setattr("hopscope.probing.values", lambda *_: {})
    nothing = {
        "throughput_kbps": 0.0,
        "goodput_kbps": 0.0,
        "acks_sent": 0,
        "delay_ms": None,
        "jitter_ms": None,
        "mean_rtt_ms": None,
        "loss_pct": 100.0,
        "received_packets": 0,
        "completion_s": None,
        "wire.0.use_pct": 0.0,
        "wire.0.queue_mean": 0.0,
        "overall_kbps": 0.0,
        "shared_kbps": 0.0,
        "received_bytes": 0,
        "network.shared_kbps": 0.0,
        "network.aggregate_kbps": 0.0,
        "network.mac_retry_drops": 0,
        "network.jain": 1.0,
        "network.routing_packets": 0,
        "network.extra_hops": None,
        "network.mean_hops": None,
        "group.up.aggregate_kbps": 0.0,
        "group.down.aggregate_kbps": 0.0,
    }
    found = outcomes(entry, lambda _l, _w: nothing)
    passed = {key for key, out in found.items() if "reproduced" in out}
    # Statements on queues, overflow and lost excess hold in an idle network, too; so does arithmetic on printed values.
    idle = {
        # The second of two crossing flows still carries something here.
        "fu2003.table4": {"c2", "c3"},
        "fu2003.table3": {"c1"},
        "afrakhteh2005.exp06": {"c4"},
        "afrakhteh2005.exp10": {"c4"},
        "anastasi2006.fig8": {"c2"},
        # Two that get nothing share it, no packet comes twice, and the sums are equal.
        **{f"zhang2006.{name}": {"c1", "c2"} for name in ("table6-4", "table7-2", "sensitivity", "fig6-9")},
        **{f"zhang2006.{name}": {"c1", "c3"} for name in ("table6-1", "table6-2", "table6-5", "table7-3")},
        **{f"zhang2006.{name}": {"c4"} for name in ("table6-3", "sec7-3")},
        **{f"zhang2006.{name}": {"c1"} for name in ("fig2-5", "appA-2-2", "appA-2-3")},
        "zhang2006.sensitivity-mixed": {"c2"},
        **{f"zhang2006.{name}": {"c2"} for name in ("appA-1", "sec3-2-2-3", "sec4-3")},
        "zhang2006.sec6-6": {"c1", "c2", "c3"},
        # Nothing is no less than nothing.
        "armaghani2008.fig4-7": {"c2"},
        "armaghani2008.table2-1": {"c1"},
        "armaghani2008.schemes": {"c1"},
        # What is not sent does not go round, and of equals neither has more overhead.
        "mesh-routing.loops": {"c1"},
        "mesh-routing.overhead": {"c1"},
    }
    if entry.key in {"validation.wires", "validation.gateway", "validation.dccp"}:
        # Two flows that get nothing get the same; what both get is judged as well.
        idle[entry.key] = {statement.id for statement in entry.statements if "Jain index" in statement.text}
    if entry.key.startswith(("validation.mobility", "broch1998.", "mesh-routing.static")):
        # Only the first of their many flows carries nothing here, and the others make up delivery ratio and delay.
        idle[entry.key] = {statement.id for statement in entry.statements if "throughput" not in statement.text}
    assert passed <= idle.get(entry.key, set())


def test_the_profile_of_the_source_decides_and_the_other_is_for_contrast():
    from hopscope.studies.reproduce import EntryOutcome, Reproduction

    def model(label, where):
        rising = 100.0 + where[WINDOW]
        best_at_three = {1: 100.0, 2: 160.0, 3: 200.0}.get(where[WINDOW], 170.0)
        return {"throughput_kbps": rising if label == "standard" else best_at_three}

    [entry] = catalog.find(["fu2003.fig2-left"])
    measured, evaluated, charts = weigh(entry, data(entry, model))
    outcome = Reproduction(("fu2003",), (EntryOutcome(entry, measured, evaluated, charts, {}),))
    assert (outcome.count(Outcome.REPRODUCED), outcome.count(Outcome.NOT_REPRODUCED)) == (5, 0)
    others = [f.outcome for j in evaluated for f in j.findings if not j.decides(f)]
    assert (others.count(Outcome.REPRODUCED), others.count(Outcome.NOT_REPRODUCED)) == (1, 4)
    assert outcome.exit_status == 0


def test_flows_that_carried_nothing_are_named():
    from synthetic import table

    from hopscope.results.remarks import silent_flows

    study = catalog.find(["fu2003.fig2-right"])[0].settings[0]
    lost = table(study, lambda _l, w: {"received_packets": 0 if w[HOPS] >= 40 else 9})
    [remark] = silent_flows([lost])
    assert "a flow carried nothing in 114 of 798 runs" in remark
    assert "topology.hops = 40" in remark
    assert silent_flows([table(study, lambda _l, _w: {})]) == []
