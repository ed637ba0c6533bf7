"""Methods over simulated paths: estimates compared with the truth, the command, and paths that cannot be probed."""

from __future__ import annotations

from typing import Any

import pytest

import hopscope as hs
from hopscope.errors import InputError, RunFailed
from hopscope.probing import VALUES, probe, values
from hopscope.probing.path import path_of
from hopscope.probing.truth import truth


def wires(**cross: Any) -> dict[str, Any]:
    """Three wires, the second the narrowest, 1 Mbit/s; over it a flow of others."""
    rates = [10e6, 1e6, 4e6]
    return {
        "duration": "60s",
        "topology": {"kind": "wired", "wired": 4},
        "wire": [{"from": n, "to": n + 1, "rate": rate, "delay": "2ms"} for n, rate in enumerate(rates)],
        "flow": [{"from": 1, "to": 2, "transport": "udp", "app": "cbr", "rate": "378kbps", "packet": 472, **cross}],
    }


CHAIN = {
    "duration": "60s",
    "topology": {"kind": "chain", "hops": 3},
    "flow": [{"from": 1, "to": 2, "transport": "udp", "app": "poisson", "rate": "50kbps", "packet": 472}],
}


def test_the_truth_over_wires_is_the_narrowest_and_what_its_traffic_leaves() -> None:
    path = path_of(hs.Scenario(wires()), (0, 3))
    found = truth(path, 1)
    assert (path.others, path.begin) == (1, 1.0)
    assert found.capacity == pytest.approx(1e6, rel=0.01)
    # 378 kbit/s of payload in packets of 500 bytes: 400 kbit/s of the wire.
    assert found.available == pytest.approx(600.4e3, rel=0.025)


def test_without_ends_the_probes_stand_in_place_of_the_first_flow() -> None:
    document = wires()
    document["flow"].insert(0, {"from": 0, "to": 3})
    named, first = path_of(hs.Scenario(wires()), (0, 3)), path_of(hs.Scenario(document))
    assert first.ends == named.ends == (0, 3)
    assert first.others == 1
    assert truth(first, 1) == truth(named, 1)
    shared = path_of(hs.Scenario(document), (0, 3))
    assert shared.others == 2


def test_over_wires_pairs_and_round_trips_report_capacity_and_trains_what_is_available() -> None:
    found = probe(wires(), ["packet-pair", "vps", "slops"], ends=(0, 3), seeds=2)
    for run in [*found.of("packet-pair"), *found.of("vps")]:
        error = run.error("capacity")
        assert error is not None and abs(error) < 1  # noqa: PT018
        assert run.error("available") is None
    [hops] = {
        tuple(round(rate / 1e6, 2) for rate in run.estimate.detail["hops"]) for run in found.of("vps") if run.estimate
    }
    assert hops == (10, 1, 4)
    for run in found.of("slops"):
        error = run.error("available")
        assert error is not None and abs(error) < 12  # noqa: PT018
        assert run.seconds > 100 and run.packets > 1000  # noqa: PT018


def test_a_switch_counts_no_hop_and_makes_vps_report_too_little() -> None:
    """Wires of 10, 1 and 4 Mbit/s, a switch between the last two: 1 and 4 in a row look like one of 0.8."""
    [run] = probe(wires(), "vps", ends=(0, 3), seeds=1, switches=[2]).runs
    assert run.estimate is not None
    assert run.estimate.detail["hops"] == [pytest.approx(10e6, rel=0.01), pytest.approx(0.8e6, rel=0.01)]
    assert run.error("capacity") == pytest.approx(-20, abs=2)


def test_the_way_back_matters_to_pairs_by_acknowledgements_alone() -> None:
    quiet, busy = wires(), wires()
    against = {"from": 2, "to": 1, "transport": "udp", "app": "poisson", "rate": "567kbps", "packet": 472}
    busy["flow"] = [{"from": 0, "to": 3}, *quiet["flow"], against]
    quiet["flow"] = [{"from": 0, "to": 3}, *quiet["flow"]]
    found = {
        (back, method): values({**document, "seeds": 2}, method, "capacity_error")
        for back, document in (("quiet", quiet), ("busy", busy))
        for method in ("packet-pair", "packet-pair-by-acks")
    }
    assert all(abs(error) < 1 for error in found["quiet", "packet-pair-by-acks"].values())
    assert all(abs(error) < 1 for error in found["busy", "packet-pair"].values())
    assert found["busy", "packet-pair-by-acks"] != found["quiet", "packet-pair-by-acks"]


def test_numbers_of_a_run_have_names() -> None:
    document = {**wires(), "seeds": 1}
    document["flow"] = [{"from": 0, "to": 3}, *document["flow"]]
    found = {name: values(document, "packet-pair", name) for name in VALUES}
    assert found["available_error"] == {}
    assert found["packets"] == {1: 200}
    assert 0 <= found["range"][1] < 1
    assert found["seconds"][1] > 10


def test_over_radio_round_trips_see_the_bit_rate_and_not_what_the_mac_leaves() -> None:
    found = probe(CHAIN, ["vps", "topp"], ends=(0, 3), seeds=1)
    [vps] = found.of("vps")
    error = vps.error("capacity")
    assert error is not None and error > 100  # noqa: PT018
    [topp] = found.of("topp")
    error = topp.error("available")
    assert error is not None and abs(error) < 40  # noqa: PT018


@pytest.mark.parametrize(
    ("method", "least", "most"),
    # A sample for each ACK, when ACKs come in bunches, is far too large: why Westwood+ takes one a round trip.
    [("westwood", 0.7, 1.4), ("westwood-by-acks", 1.4, 3), ("tibet", 0.7, 1.4), ("tcp-ap", 0.7, 1.4)],
)
def test_a_listener_reports_what_its_flow_carries_or_less(method: str, least: float, most: float) -> None:
    found = probe({**CHAIN, "profile": "ns2"}, method, ends=(0, 3), seeds=1)
    [run] = found.runs
    assert run.estimate is not None and run.estimate.available is not None  # noqa: PT018
    assert run.packets > 500
    share = run.estimate.available / run.estimate.detail["carried"]
    assert least < share < most, share


def test_the_same_seed_says_the_same_and_seeds_differ() -> None:
    once, again = (probe(CHAIN, "packet-pair", ends=(0, 3), seeds=2) for _ in range(2))
    assert once.runs == again.runs
    assert once.runs[0].estimate != once.runs[1].estimate
    assert once.summary("packet-pair", "capacity").n == 2


def test_an_estimator_needs_a_way_back() -> None:
    """Every data frame from node 3 to node 2 is lost: packets arrive, answers do not."""
    error = {"kind": "uniform", "per": 1.0, "applies_to": "data", "links": [[3, 2]]}
    one_way = {**CHAIN, "radio": {"error": error}}
    for method in ("slops", "westwood"):
        with pytest.raises(InputError, match=r"no answer of node 3 comes back to node 0 .* needs a way back"):
            probe(one_way, method, ends=(0, 3), seeds=1)
    torn = {**CHAIN, "topology": {"kind": "positions", "positions": [[0, 0], [200, 0], [400, 0], [2000, 0]]}}
    with pytest.raises(InputError, match="an estimator needs a way back from node 3 to node 0"):
        probe(torn, "vps", ends=(0, 3), seeds=1)


def test_code_of_other_flows_runs_and_its_failure_is_reported() -> None:
    class Raises(hs.CongestionControl):
        def on_ack(self, flow: hs.FlowState) -> float:
            raise ValueError("no more")

    class Steady(hs.CongestionControl):
        def on_ack(self, flow: hs.FlowState) -> float:
            return 2.0

    def competing(control: type) -> dict[str, Any]:
        return {**CHAIN, "flow": [{"from": 1, "to": 2, "transport": "tcp", "control": control, "packet": 500}]}

    [run] = probe(competing(Steady), "packet-pair", ends=(0, 3), seeds=1).runs
    assert run.estimate is not None
    with pytest.raises(RunFailed, match=r"Raises\.on_ack raised ValueError"):
        probe(competing(Raises), "packet-pair", ends=(0, 3), seeds=1)
