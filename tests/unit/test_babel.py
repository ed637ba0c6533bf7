"""``[routing] protocol = "babel"``: runs over the air."""

from __future__ import annotations

from typing import Any

import pytest

import hopscope as hs

UDP = {"transport": "udp", "app": "cbr", "rate": "100kbps", "packet": 500}

BASE: dict[str, Any] = {
    "duration": "60s",
    "warmup": "40s",
    "topology": {"kind": "chain", "hops": 3},
    "routing": {"protocol": "babel"},
    "flow": [{"from": 0, "to": "last", "start": "40s"}],
}


@pytest.mark.parametrize("name", ["rfc8966", "babeld"])
def test_routes_are_there_before_the_traffic(name: str) -> None:
    routing = {"protocol": "babel", "parameters": name}
    [run] = hs.run({**BASE, "routing": routing}).to_json()["points"][0]["runs"]
    [flow] = run["flows"]
    assert flow["throughput_kbps"] > 100
    network = run["network"]
    assert network["discoveries"] == network["failed_discoveries"] == 0
    kinds = network["routing_kinds"]
    hellos = kinds["hello"] + kinds.get("hello+update", 0) + kinds.get("hello+request", 0)
    assert hellos >= 4 * 20 / 5, "four nodes, a Hello each 3 to 5 s, from 40 s on"
    assert sum(kinds.values()) == network["routing_packets"]


def test_router_ids_of_their_own_make_updates_longer() -> None:
    def bytes_of(flag: bool) -> float:
        routing = {"protocol": "babel", "babel": {"router_id_flag": flag}}
        [run] = hs.run({**BASE, "routing": routing, "warmup": 0}).to_json()["points"][0]["runs"]
        return run["network"]["routing_bytes"]

    assert bytes_of(False) > bytes_of(True)


def test_before_the_links_are_known_there_is_no_route() -> None:
    flow = {"from": 0, "to": 3, **UDP}
    [run] = hs.run({**BASE, "duration": "40s", "warmup": 0, "flow": [flow]}).to_json()["points"][0]["runs"]
    assert 0 < run["flows"][0]["received_packets"] < 40 * 25 - 2 * 25, "at least the packets of two seconds are lost"


def test_a_node_that_dies_costs_its_flow_and_comes_back() -> None:
    scenario = {
        **BASE,
        "duration": "140s",
        "warmup": "60s",
        "topology": {"kind": "chain", "hops": 2},
        "flow": [{"from": 0, "to": 2, **UDP}],
        "outage": [{"node": 1, "from": "70s", "to": "90s"}],
    }
    [run] = hs.run(scenario).to_json()["points"][0]["runs"]
    # 20 s without radio of 80 s, in which links do not cost 65,535 yet.
    assert 80 * 25 * 0.5 < run["flows"][0]["received_packets"] < 80 * 25 * 0.76
