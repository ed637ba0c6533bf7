"""``[routing] protocol = "olsr"``: sets, bad input, and runs over the air."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope import _core
from hopscope.errors import ScenarioError
from hopscope.scenario import Scenario, load
from hopscope.scenario.fields import NS

BASE: dict[str, Any] = {
    "duration": "40s",
    "warmup": "20s",
    "topology": {"kind": "chain", "hops": 3},
    "routing": {"protocol": "olsr", "parameters": "olsr-unik"},
    "flow": [{"from": 0, "to": "last", "start": "20s"}],
}

TEXT = """\
duration = "5s"
[topology]
kind = "chain"
hops = 3
[routing]
protocol = "olsr"
parameters = "olsr-unik"
[routing.olsr]
hello_interval = "2s"
[[flow]]
from = 0
to = 3
"""


@pytest.mark.parametrize("profile", _core.profiles())
@pytest.mark.parametrize(("parameters", "hysteresis"), [({}, True), ({"parameters": "olsr-unik"}, False)])
def test_sets(profile: str, parameters: dict[str, str], hysteresis: bool) -> None:
    routing = {"protocol": "olsr", **parameters, "olsr": {"tc_interval": "4s"}}
    scenario = Scenario({**BASE, "profile": profile, "routing": routing})
    constants = scenario.points[0].config(1)["olsr"]
    assert (constants["hysteresis"], constants["tc_interval"]) == (hysteresis, 4 * NS)
    name = parameters.get("parameters", "rfc3626")
    assert scenario.resolved["routing"]["parameters"] == name
    assert {**constants, "tc_interval": 5 * NS} == json.loads(_core.routing_set("olsr", name))


@pytest.mark.parametrize(
    ("change", "by", "message"),
    [
        ('"olsr-unik"', '"olsr-unic"', 'f.toml:7:1: routing.parameters: found "olsr-unic"; allowed: "rfc3626", "olsr-'
         'unik" (did you mean "olsr-unik"?)'),
        ('"olsr-unik"', '"aodv-uu"', 'routing.parameters: found "aodv-uu"; allowed: "rfc3626", "olsr-unik"'),
        ('"2s"', "0", "f.toml:9:1: routing.olsr.hello_interval: is 0 s; it must be more"),
        ('"2s"', '"7s"', "routing.olsr.neighb_hold_time: is 6 s; it must be at least hello_interval, 7 s"),
        ('hello_interval = "2s"', 'neighb_hold_time = "1s"', "f.toml:9:1: routing.olsr.neighb_hold_time: is 1 s; it"),
        ('hello_interval = "2s"', "willingness = 8", "f.toml:9:1: routing.olsr.willingness: is 8; 0 to 7 are possible"),
        ("hello_interval", "helo_interval", 'unknown key (did you mean "hello_interval"?)'),
        ("[routing.olsr]", "[routing.aodv]", 'f.toml:8:1: routing.aodv: belongs to protocol = "aodv"; found prot'),
        ('"olsr"', '"static"', 'f.toml:7:1: routing.parameters: belongs to protocol = "olsr"; found protocol = "stat'),
    ],
)  # fmt: skip
def test_mistakes_are_told_where_they_stand(tmp_path: Path, change: str, by: str, message: str) -> None:
    path = tmp_path / "f.toml"
    assert change in TEXT
    path.write_text(TEXT.replace(change, by, 1))
    with pytest.raises(ScenarioError) as caught:
        load(path)
    assert message in str(caught.value).replace(f"{tmp_path}/", "")


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
