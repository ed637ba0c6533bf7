"""``[routing] protocol = "olsr"``: runs over the air."""

from __future__ import annotations

from typing import Any

import hopscope as hs

BASE: dict[str, Any] = {
    "duration": "40s",
    "warmup": "20s",
    "topology": {"kind": "chain", "hops": 3},
    "routing": {"protocol": "olsr", "parameters": "olsr-unik"},
    "flow": [{"from": 0, "to": "last", "start": "20s"}],
}


def test_routes_are_there_before_the_traffic() -> None:
    [run] = hs.run(BASE).to_json()["points"][0]["runs"]
    [flow] = run["flows"]
    assert flow["throughput_kbps"] > 100
    network = run["network"]
    assert network["discoveries"] == network["failed_discoveries"] == 0
    kinds = network["routing_kinds"]
    assert kinds["hello"] + kinds.get("hello+tc", 0) >= 4 * 20 / 2, "four nodes, a HELLO at least every 2 s"
    assert kinds["tc"] > 0
    assert sum(kinds.values()) == network["routing_packets"]


def test_before_the_first_hellos_there_is_no_route() -> None:
    udp = {"from": 0, "to": 3, "transport": "udp", "app": "cbr", "rate": "100kbps", "packet": 500}
    [run] = hs.run({**BASE, "duration": "40s", "warmup": 0, "flow": [udp]}).to_json()["points"][0]["runs"]
    [flow] = run["flows"]
    assert 0 < flow["received_packets"] < 40 * 25 - 25, "at least the packets of the first second are lost"


def test_a_node_that_dies_costs_its_flow_and_comes_back() -> None:
    udp = {"from": 0, "to": 2, "transport": "udp", "app": "cbr", "rate": "100kbps", "packet": 500}
    scenario = {
        **BASE,
        "duration": "100s",
        "warmup": "30s",
        "topology": {"kind": "chain", "hops": 2},
        "flow": [udp],
        "outage": [{"node": 1, "from": "40s", "to": "60s"}],
    }
    [run] = hs.run(scenario).to_json()["points"][0]["runs"]
    assert run["network"]["link_failures"] >= 2
    # 20 s without radio of 70 s, and the time to meet again.
    assert 70 * 25 * 0.55 < run["flows"][0]["received_packets"] < 70 * 25 * 0.72
