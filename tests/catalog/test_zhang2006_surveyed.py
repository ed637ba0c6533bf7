"""What zhang2006 says of surveyed schemes, on made-up results: what its statements want, and what they refuse."""

from __future__ import annotations

import pytest
from synthetic import outcomes

from hopscope import studies as catalog

PASS, FAIL = {"reproduced"}, {"not reproduced"}


@pytest.fixture(autouse=True)
def unprobed(monkeypatch):
    """No path is probed unless a test says what comes of it."""
    monkeypatch.setattr("hopscope.probing.values", lambda *_: {})


def entry(name):
    return catalog.find([f"zhang2006.{name}"])[0]


def series(swing):
    """Throughput in intervals of a second, which swings by that much around 1000 kbit/s."""
    return [(float(t), 1000.0 + swing * (-1) ** t) for t in range(1, 100)]


@pytest.mark.parametrize(
    ("alone", "share", "swing", "expected"), [(9500.0, 0.3, 300.0, PASS), (8000.0, 0.6, 10.0, FAIL)]
)
def test_vegas_is_ahead_alone_and_behind_in_company(alone, share, swing, expected):
    def model(label, _where):
        if "alone" not in label:
            return {"flow.1.throughput_kbps": 10_000 * share, "network.aggregate_kbps": 10_000.0}
        return {
            "throughput_kbps": alone if label.startswith("Vegas") else 9000.0,
            "series.throughput": series(swing if "400 ms" in label else 20.0),
        }

    assert outcomes(entry("sec3-2-2-1"), model) == {f"c{n}": expected for n in range(1, 5)}


@pytest.mark.parametrize(("own", "rival", "expected"), [(9500.0, 3000.0, PASS), (8000.0, 6000.0, FAIL)])
def test_westwood_uses_more_and_harms_reno(own, rival, expected):
    def model(label, _where):
        if label.startswith("Reno with"):
            return {"throughput_kbps": 5000.0 if label.startswith("Reno with Reno") else rival}
        return {"throughput_kbps": 9000.0 if label.startswith("Reno") else own}

    assert outcomes(entry("sec3-2-2-2"), model) == {"c1": expected, "c2": expected, "c3": expected}


@pytest.mark.parametrize(
    ("jain", "own", "other", "error", "expected"),
    [(0.97, 6000.0, 5800.0, 5.0, PASS), (0.9, 1000.0, 8000.0, 60.0, FAIL)],
)
def test_tibet_is_fair_carries_more_and_estimates_better(monkeypatch, jain, own, other, error, expected):
    errors = {"tibet": error, "westwood-by-acks": -30.0}
    monkeypatch.setattr(
        "hopscope.probing.values", lambda _d, method, *_: {n: errors[method] + 0.1 * n for n in (1, 2, 3)}
    )

    def model(label, _where):
        if label.startswith("weight"):
            return {"throughput_kbps": own if label.startswith("weight 0.99,") else other}
        return {"throughput_kbps": 2000.0 if label.startswith("Reno,") else own, "network.jain": jain}

    assert outcomes(entry("sec3-2-2-3"), model) == {f"c{n}": expected for n in range(1, 5)}


@pytest.mark.parametrize(("index", "expected"), [(0.99, PASS), (0.5, FAIL)])
def test_fast_settles_first(index, expected):
    def model(label, _where):
        return {"network.jain": index if label.startswith("FAST") else 0.7}

    assert outcomes(entry("sec3-1-2-2"), model) == {"c1": expected}


@pytest.mark.parametrize(("far", "near", "error", "drops", "expected"), [
    (1495.0, 700.0, -30.0, 2, PASS), (1200.0, 1600.0, 20.0, 60, FAIL),
])  # fmt: skip
def test_four_hops_are_out_of_reach(monkeypatch, far, near, error, drops, expected):
    monkeypatch.setattr("hopscope.probing.values", lambda *_: {n: error + 0.1 * n for n in (1, 2, 3)})

    def model(label, _where):
        rates = {"hop alone": 1500.0, "hop 2 hops on": near, "hop 3 hops on": near}
        return {"throughput_kbps": rates.get(label, far), "node.1.mac_retry_drops": drops if label == "TCP-AP" else 50}

    assert outcomes(entry("sec3-2-2-ap"), model) == {f"c{n}": expected for n in range(1, 5)}


@pytest.mark.parametrize(("distinguished", "window", "expected"), [(3000.0, 40.0, PASS), (900.0, 10.0, FAIL)])
def test_errors_cost_less_than_losses(distinguished, window, expected):
    def model(label, _where):
        alone = "alone" in label
        return {
            "throughput_kbps": 1000.0 if label.startswith("lost") else 5000.0 if alone else distinguished,
            "mean_cwnd": 60.0 if alone else window,
        }

    assert outcomes(entry("sec4-3"), model) == {"c1": expected, "c2": expected}


@pytest.mark.parametrize(("rate", "expected"), [(105.0, PASS), (125.0, FAIL)])
def test_sack_and_delayed_acks_add_little(rate, expected):
    def model(label, _where):
        return {"throughput_kbps": rate if "," in label.replace(", DSR", "").replace(", AODV", "") else 100.0}

    assert outcomes(entry("appA-1-3"), model) == {"c1": expected}


@pytest.mark.parametrize(("rate", "expected"), [(200.0, PASS), (110.0, {"in trend"}), (90.0, FAIL)])
def test_atcp_carries_much_more(rate, expected):
    def model(label, _where):
        return {"throughput_kbps": rate if label.startswith("ATCP") else 100.0}

    assert outcomes(entry("appA-1-4"), model) == {"c1": expected}


def test_probes_measure_what_the_survey_says(monkeypatch):
    def values(wrong):
        def found(document, method, value, switches):
            on_off = "on-off" in str(document)
            number = {"range": 30.0 if on_off else 2.0}.get(value, -20.0 if switches else 3.0)
            if method == "packet-pair-by-acks" and str(document).count("poisson") == 2:
                number = 80.0
            if wrong:
                number = {"range": 2.0 if on_off else 30.0}.get(value, 3.0 if switches else 15.0)
            return {seed: number + 0.01 * seed for seed in (1, 2, 3)}

        return found

    monkeypatch.setattr("hopscope.probing.values", values(wrong=False))
    assert outcomes(entry("sec3-2-1"), lambda _l, _w: {}) == {f"c{n}": PASS for n in range(1, 12)}
    monkeypatch.setattr("hopscope.probing.values", values(wrong=True))
    found = outcomes(entry("sec3-2-1"), lambda _l, _w: {})
    assert found.pop("c5") == {"undecided"}  # the same error by the one and by the other
    assert found == {f"c{n}": FAIL for n in (1, 2, 3, 4, 6, 7, 8, 9, 10, 11)}
