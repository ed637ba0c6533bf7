"""afrakhteh2005, experiments 6 to 8: each statement passes on what the thesis reports, fails on what contradicts it."""

from __future__ import annotations

import pytest
from synthetic import data, outcomes

from hopscope import studies
from hopscope.studies.measures import position
from hopscope.studies.reproduce import weigh
from hopscope.studies.verdict import Outcome

HOPS = "topology.hops"
EXP = {entry.key.partition(".")[2]: entry for entry in studies.entries() if entry.key.startswith("afrakhteh2005.")}
PASS, FAIL = {"reproduced"}, {"not reproduced"}


def one_hop(capacity):
    """A link that passes everything up to its capacity and queues 50 packets beyond it."""

    def model(_label, where):
        load = position(where["flow.0.rate"])
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
    found = outcomes(EXP["exp06"], one_hop(1730))
    assert found.pop("c2") == PASS | FAIL  # counting payload it is, counting packets it is not
    assert found == dict.fromkeys(["c1", "c3", "c4", "c5"], PASS)


def test_exp06_finds_the_candidate_that_fits_when_counting_whole_packets():
    def model(label, where):
        return one_hop(1730 * 1480 / 1500 if label.startswith("RTS off, control 2M") else 1544)(label, where)

    assert outcomes(EXP["exp06"], model)["c2"] == PASS | FAIL
    [statement] = [s for s in EXP["exp06"].statements if s.id == "c2"]
    _, evaluated, _ = weigh(EXP["exp06"], data(EXP["exp06"], model))
    [verdict] = [j.verdict for j in evaluated if j.statement is statement]
    assert verdict.outcome is Outcome.DEPENDS
    assert "1 of 12 readings of what is not published: RTS off, control 2M, counting 1500 B" in verdict.cause
    assert outcomes(EXP["exp06"], one_hop(1544))["c2"] == FAIL


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

    found = outcomes(EXP["exp06"], lossy)
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
    found = outcomes(EXP["exp07"], udp_beside_tcp(PUBLISHED_UDP))
    assert found == dict.fromkeys(EXP07_STATEMENTS, PASS)


def test_exp07_fails_on_a_slow_decline_at_an_idle_queue():
    def model(label, where):
        slow = udp_beside_tcp([1600, 1500, 1400, 1300, 1200, 1100], ratio=1.0, first=1.0, tcp_loss=7.0)(label, where)
        return slow if "TCP" in label else {**slow, "loss_pct": 1.0}

    assert outcomes(EXP["exp07"], model) == dict.fromkeys(EXP07_STATEMENTS, FAIL)


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
    assert outcomes(EXP["exp07"], udp_beside_tcp(PUBLISHED_UDP, **changes))[statement] == FAIL


def test_exp07_compares_within_one_setting_and_over_aodv():
    good, bad = udp_beside_tcp(PUBLISHED_UDP), udp_beside_tcp(PUBLISHED_UDP, ratio=1.0)

    def mixed(label, where):
        return (good if label in {"UDP, RTS on, control 1M", "TCP, RTS off, control 2M"} else bad)(label, where)

    def only_fixed(label, where):
        return (good if label.startswith("fixed routes") else bad)(label, where)

    # TCP is the same in both models, so the only setting that fits is the one whose UDP does.
    assert outcomes(EXP["exp07"], mixed)["c2"] == PASS | FAIL
    assert outcomes(EXP["exp07"], only_fixed)["c2"] == FAIL


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
    assert outcomes(EXP["exp08"], published) == dict.fromkeys(every, PASS)
    assert outcomes(EXP["exp08"], lossy) == dict.fromkeys(every, FAIL)
