"""What zhang2006 quotes, on made-up results: what its statements want, and what they refuse."""

from __future__ import annotations

import pytest
from synthetic import outcomes

from hopscope import studies as catalog

PASS, FAIL = {"reproduced"}, {"not reproduced"}
HOLLAND = {1: 1463, 2: 729, 3: 484, 4: 339.9, 5: 246.4, 6: 205.2, 7: 198.1, 8: 191.8, 9: 185.3, 10: 182.4}


def entry(name):
    return catalog.find([f"zhang2006.{name}"])[0]


def shares(first, second):
    total = first + second
    return {
        "flow.0.shared_kbps": first,
        "flow.1.shared_kbps": second,
        "network.shared_kbps": total,
        "network.shared_jain": total**2 / (2 * (first**2 + second**2)),
    }


def over_hops(rates):
    return lambda _label, where: {"flow.0.throughput_kbps": rates[where["topology.hops"]]}


def test_the_published_chain_meets_its_own_statements():
    assert outcomes(entry("fig2-2"), over_hops(HOLLAND)) == {"c1": PASS, "c2": PASS, "c3": PASS}
    even = {hops: 1000 / hops for hops in HOLLAND}
    assert outcomes(entry("fig2-2"), over_hops(even)) == {"c1": PASS, "c2": PASS, "c3": FAIL}
    rising = {hops: 500.0 + hops for hops in HOLLAND}
    assert outcomes(entry("fig2-2"), over_hops(rising)) == {"c1": FAIL, "c2": FAIL, "c3": PASS}


def test_the_published_test_bed_meets_its_own_statements():
    bed = {
        "both OUT, 1 MB": (241.921, 156.504), "both OUT, 8 MB": (185.855, 283.914),
        "both IN, 1 MB": (211.005, 224.859), "both IN, 8 MB": (240.101, 278.199),
        "mixed, 1 MB": (21.107, 389.353), "mixed, 8 MB": (8.417, 450.828),
    }  # fmt: skip
    found = outcomes(entry("fig2-5"), lambda label, _: shares(*next(v for k, v in bed.items() if label.startswith(k))))
    assert found == {"c1": PASS, "c2": PASS, "c3": PASS}
    bed |= {"both IN, 1 MB": (400, 100), "mixed, 8 MB": (200, 210)}
    found = outcomes(entry("fig2-5"), lambda label, _: shares(*next(v for k, v in bed.items() if label.startswith(k))))
    assert found["c1"] == PASS | FAIL
    assert found["c3"] == FAIL


def test_a_bound_on_the_window_is_fair_and_carries_as_much():
    fair = {1: (100, 100), 2: (190, 200), 4: (220, 230), 7: (230, 235), 8: (235, 235), 16: (300, 170), 32: (440, 30)}

    def model(_label, where):
        return shares(*fair[where["flow.*.max_window"]])

    assert outcomes(entry("appA-2-2"), model) == {"c1": PASS, "c2": PASS, "c3": PASS}
    fair[7], fair[32] = (400, 20), (300, 300)
    assert outcomes(entry("appA-2-2"), model) == {"c1": FAIL, "c2": FAIL, "c3": FAIL}


@pytest.mark.parametrize(("best", "expected"), [(1, PASS), (2, PASS), (4, FAIL)])
def test_the_best_window_without_wires_is_small(best, expected):
    def model(_label, where):
        return shares(200, 200 if where["flow.*.max_window"] == best else 100)

    assert outcomes(entry("appA-2-2-adhoc"), model) == {"c1": expected}


def test_upstream_flows_take_all_of_a_small_queue():
    def model(label, where):
        many = label.startswith("4 up") and label.endswith("as it is")
        up = 800.0 if many and where["mac.queue"] == 6 else 1.0
        return {"group.up.aggregate_kbps": 1000.0 * up, "group.down.aggregate_kbps": 1000.0}

    assert outcomes(entry("sec2-2-2"), model) == {"c1": PASS, "c2": PASS, "c3": PASS, "c4": PASS, "c5": PASS}

    def even(_label, where):
        up = 3000.0 if where["mac.queue"] == 6 else 5000.0
        return {"group.up.aggregate_kbps": up, "group.down.aggregate_kbps": 1000.0}

    assert outcomes(entry("sec2-2-2"), even) == {"c1": FAIL, "c2": FAIL, "c3": FAIL, "c4": FAIL, "c5": FAIL}


@pytest.mark.parametrize(("fast", "expected"), [((96_000, 0.99), PASS), ((60_000, 0.7), FAIL)])
def test_fast_carries_most_and_is_fairest(fast, expected):
    def model(label, _where):
        total, index = fast if label.startswith("FAST") else (80_000, 0.8)
        # The steadier, the fairer: a flow has more and less than its mean in turn.
        swing = 1 - index
        series = [(float(t), 20_000 * (1 + swing * (-1) ** t)) for t in range(1, 60)]
        flows = {"series.throughput": series, **{f"flow.{n}.series.throughput": series for n in (1, 2, 3)}}
        return {"network.aggregate_kbps": total, "network.jain": index, **flows}

    assert outcomes(entry("fig3-2"), model) == {"c1": expected, "c2": expected, "c3": expected}


def test_the_timer_is_fair_and_costs_little():
    def model(label, _where):
        return shares(700, 720) if label.startswith("timer") else shares(1500, 40)

    assert outcomes(entry("appA-2-3"), model) == {"c1": PASS, "c2": PASS}
    assert outcomes(entry("appA-2-3"), lambda label, _: shares(*((500, 20) if "timer" in label else (1500, 40)))) == {
        "c1": FAIL,
        "c2": FAIL,
    }


def test_answers_to_failing_routes_are_held_against_reno():
    def model(label, where):
        flows, gain, spread = where["flow.0.copies"], 1.0, 0.5
        if label.startswith(("ELFN", "Fixed RTO", "ATCP", "DOOR", "TCP-F")):
            gain = 0.9 if label.startswith("ELFN") and flows == 10 else 1.5
        if label.startswith("ATP"):
            spread = 0.3
        # Half of the flows have more than the mean, half less.
        rates = {f"flow.{n}.throughput_kbps": 100.0 * (1 + spread * (-1) ** n) for n in range(flows - flows % 2)}
        return {"network.aggregate_kbps": 1000.0 * gain, **rates}

    assert outcomes(entry("appA-1"), model) == {f"c{n}": PASS for n in range(1, 8)}

    def worse(label, where):
        flows = where["flow.0.copies"]
        gain = 1.0 if label.startswith("Reno") else 1.1 if label.startswith("ELFN") and flows == 10 else 0.9
        spread = 0.6 if label.startswith("ATP") else 0.5
        rates = {f"flow.{n}.throughput_kbps": 100.0 * (1 + spread * (-1) ** n) for n in range(flows)}
        return {"network.aggregate_kbps": 1000.0 * gain, **rates}

    assert outcomes(entry("appA-1"), worse) == {f"c{n}": FAIL for n in range(1, 8)}


def test_only_tcp_f_over_aodv_has_notices_of_its_own():
    reported = {
        s.label for s in entry("appA-1").settings if s.scenario.get("net", {}).get("route_notices") == "packets"
    }
    assert reported == {"TCP-F, AODV"}
