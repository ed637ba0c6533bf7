"""armaghani2008 on made-up results: what its statements want, and what they refuse."""

from __future__ import annotations

import pytest
from synthetic import outcomes

from hopscope import studies as catalog

PASS, FAIL, OPEN = {"reproduced"}, {"not reproduced"}, {"undecided"}
FLOWS, HOPS, WINDOW = "flow.0.copies", "topology.hops", "tcp.ack_every"


def entry(name):
    return catalog.find([f"armaghani2008.{name}"])[0]


def by_scheme(rates):
    """Throughput by the first name that the label of a setting begins with."""

    def model(label, where):
        rate = next(rate for name, rate in rates.items() if label.startswith(name))
        copies = where.get(FLOWS, 1)
        back = {f"flow.{copies}.goodput_kbps": 0.0} if "a flow back" in label else {}
        return {f"flow.{n}.goodput_kbps": rate for n in range(copies)} | back

    return model


@pytest.mark.parametrize(
    ("over_limited", "over_daa", "expected"),
    [
        (1.3, 1.1, (PASS, PASS)),
        (1.21, 1.06, (PASS, PASS)),
        (1.12, 1.03, ({"in trend"}, {"in trend"})),
        (1.5, 1.3, ({"in trend"}, {"in trend"})),
        (1.0, 1.0, (FAIL, FAIL)),
    ],
)
def test_the_two_numbers_of_the_abstract(over_limited, over_daa, expected):
    def model(label, where):
        # The gain is there at one place of twelve.
        best = (where[HOPS], where[FLOWS]) == (9, 5)
        rates = {"MDA": 300.0, "limited DA": 300 / (over_limited if best else 1), "DAAp": 290.0}
        rates["DAA"] = 300 / (over_daa if best else 1)
        return by_scheme(rates)(label, where)

    found = outcomes(entry("claim-gains"), model)
    assert (found["c1"], found["c2"]) == expected


@pytest.mark.parametrize("name", ["fig4-4", "fig4-5", "fig4-6"])
def test_moderate_numbers_of_flows_decide(name):
    def model(label, where):
        moderate = where[FLOWS] in (2, 5)
        return {"goodput_kbps": 110.0 if label.startswith("MDA") and moderate else 100.0}

    assert outcomes(entry(name), model) == {"c1": PASS, "c2": PASS}
    assert outcomes(entry(name), by_scheme({"MDA": 90.0, "": 100.0})) == {"c1": FAIL, "c2": FAIL}
    assert outcomes(entry(name), by_scheme({"": 100.0}), noise=0.05)["c1"] >= OPEN


def test_one_best_window_is_more_than_a_plateau():
    def peak(_label, where):
        # From 8 packets over one hop down to 2 over twenty.
        best = 8 - where[HOPS] // 3.2
        return {"goodput_kbps": 500 - 20 * abs(where[WINDOW] - best)}

    assert outcomes(entry("claim-optimal-dwin"), peak)["c2"] == PASS
    found = outcomes(entry("claim-optimal-dwin"), lambda _l, w: {"goodput_kbps": min(w[WINDOW], 3) * 100.0})
    assert found["c1"] == FAIL, "windows from 3 on are alike"
    longer = outcomes(entry("claim-optimal-dwin"), lambda _l, w: {"goodput_kbps": 500 - abs(w[WINDOW] - w[HOPS] / 3)})
    assert longer["c2"] == FAIL


def test_windows_beside_the_standard_one():
    rising = {1: 90.0, 2: 100.0, 4: 110.0, 16: 105.0}
    for name in ("fig4-8", "fig4-9"):
        assert outcomes(entry(name), lambda _l, w: {"goodput_kbps": rising.get(w[WINDOW], 107.0)}) == {
            "c1": PASS,
            "c2": PASS,
        }
        more = outcomes(entry(name), lambda _l, w: {"goodput_kbps": 100.0 + w[WINDOW]})
        assert (more["c1"], more["c2"]) == (PASS, FAIL)


def test_the_window_follows_the_load():
    def model(_label, where):
        light = where[FLOWS] < 5
        return {"acks_sent": 250 + 10 * where[FLOWS], "node.1.mac_retries": 100 if light else 900}

    assert outcomes(entry("claim-load-response"), model) == {"c1": PASS, "c2": PASS, "c3": PASS}
    assert outcomes(entry("claim-load-response"), lambda _l, w: {"acks_sent": 500 - 10 * w[FLOWS]})["c1"] == FAIL
    assert outcomes(entry("fig3-6"), model)["c1"] == PASS


def test_mda_has_to_stand_beside_all():
    assert outcomes(entry("schemes"), by_scheme({"MDA": 110.0, "DA": 105.0, "": 100.0})) == {"c1": PASS, "c2": PASS}
    found = outcomes(entry("schemes"), by_scheme({"MDA": 100.0, "ADA": 110.0, "TCP": 120.0, "": 100.0}))
    assert found == {"c1": FAIL, "c2": FAIL}
    rates = {"MDA,": 110.0, "DA with the whole": 100.0, "": 100.0}
    assert outcomes(entry("parts"), by_scheme(rates))["c1"] == PASS
    assert outcomes(entry("parts"), by_scheme({"": 100.0}))["c1"] == OPEN


def test_acks_for_packets():
    def model(label, _where):
        return {"acks_sent": {"TCP": 1000, "DA": 502}[label]}

    assert outcomes(entry("fig2-4"), model) == {"c1": PASS, "c2": PASS}
    assert outcomes(entry("fig2-4"), lambda _l, _w: {"acks_sent": 800}) == {"c1": FAIL, "c2": FAIL}
    assert outcomes(
        entry("fig2-7"), lambda label, _w: {"node.1.mac_retries": 50 if label.startswith("d") else 500}
    ) == {"c1": PASS}
    lossy = outcomes(entry("fig3-5"), lambda label, _w: {"acks_sent": 500 if label == "losses" else 252})
    assert lossy == {"c1": PASS, "c2": PASS}
