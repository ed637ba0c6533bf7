"""``[routing] protocol = "dsdv"``: its sets, mistakes, a run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hopscope import _core
from hopscope.errors import ScenarioError
from hopscope.scenario import Scenario

SETS = dict(_core.routing_sets("dsdv"))


def scenario(routing: dict[str, Any], **changes: Any) -> Scenario:
    return Scenario(
        {
            "duration": "60s",
            "topology": {"kind": "chain", "hops": 2},
            "flow": [{"from": 0, "to": "last", "start": "40s"}],
            "routing": {"protocol": "dsdv", **routing},
            **changes,
        }
    )


def constants(routing: dict[str, Any], **changes: Any) -> dict[str, Any]:
    found: dict[str, Any] = scenario(routing, **changes).points[0].config(1)["dsdv"]
    return found


@pytest.mark.parametrize(("profile", "name"), [("standard", "perkins1994"), ("ns2", "ns2")])
def test_each_profile_has_its_set(profile: str, name: str) -> None:
    assert constants({}, profile=profile) == json.loads(_core.routing_set("dsdv", name))


@pytest.mark.parametrize("name", SETS)
def test_a_set_can_be_named(name: str) -> None:
    assert constants({"parameters": name}) == json.loads(_core.routing_set("dsdv", name))


def test_single_constants_override_the_set() -> None:
    changed = constants({"parameters": "ns2", "dsdv": {"update_interval": "5s", "trigger": "new-number"}})
    assert (changed["update_interval"], changed["trigger"]) == (5_000_000_000, "new-number")
    assert changed["data_header"] == 20


@pytest.mark.parametrize(
    ("routing", "message"),
    [
        ({"parameters": "perkins"}, 'routing.parameters: found "perkins"; allowed: "perkins1994"'),
        ({"dsdv": {"update_interval": 0}}, "routing.dsdv.update_interval: is 0 s; it must be at least 0.001 s"),
        ({"dsdv": {"missed_updates": 0}}, "routing.dsdv.missed_updates: is 0; it must be at least 1"),
        ({"dsdv": {"settling_memory": 2}}, "routing.dsdv.settling_memory: is 2; it must be from 0 to 1"),
        ({"dsdv": {"triger": "new-number"}}, 'did you mean "trigger"?'),
        ({"aodv": {"ttl_start": 2}}, 'routing.aodv: belongs to protocol = "aodv"; found protocol = "dsdv"'),
    ],
)
def test_mistakes_are_refused(routing: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario(routing)
    assert message in str(caught.value)


def test_a_run_counts_its_updates() -> None:
    result = json.loads(_core.run(json.dumps(scenario({}).points[0].config(1))))
    network = result["network"]
    assert set(network["routing_kinds"]) == {"update"}
    assert network["routing_packets"] == network["routing_kinds"]["update"] > 10
    assert network["discoveries"] == network["false_link_failures"] == 0
    assert result["flows"][0]["throughput_kbps"] > 100


def test_the_page_lists_the_sets_and_names_parameters_that_exist() -> None:
    page = (Path(__file__).parents[2] / "docs" / "models" / "dsdv.md").read_text()
    assert re.findall(r"^\| `([\w-]+)` \|", page, flags=re.MULTILINE) == list(SETS)
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", page))
    counted = set(json.loads(_core.run(json.dumps(scenario({}).points[0].config(1))))["network"])
    parameters = {entry["name"] for entry in json.loads(_core.parameters())["dsdv"]}
    assert named - counted <= parameters
    assert len(named & parameters) > 8
