"""The JSON Schema: valid, complete, and of one mind with the loader."""

from __future__ import annotations

import tomllib
from typing import Any

import jsonschema
import pytest

from hopscope.scenario import Scenario, keys
from hopscope.scenario.keys import schema

TEXT = """\
title = "x"
duration = "30s"
profile = "ns2"
[topology]
kind = "cross"
hops = 6
spacing = "200m"
[radio]
preset = "wavelan-2M"
error = { kind = "uniform", per = 0.04 }
response_rates = ["1Mbps", 2000000]
[mac]
rts_threshold = "off"
[routing]
protocol = "aodv"
parameters = "aodv-uu"
aodv = { hello_interval = "500ms", data_ttl = "off", detection = "hello" }
[[flow]]
from = 0
to = "last"
app = "cbr"
rate = "290kbps"
transport = "udp"
[sweep]
"flow.0.packet" = [500, 1000]
"mac.queue" = { start = 10, stop = 30, step = 10 }
[[sweep.together]]
topology.spacing = [200, "150m"]
"flow.0.rate" = ["290kbps", "290kbps"]
"""


@pytest.fixture(scope="module")
def validator() -> Any:
    document = schema()
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document)


def test_a_good_scenario_passes_both(validator: Any) -> None:
    document = tomllib.loads(TEXT)
    validator.validate(document)
    Scenario(document)


def test_the_resolved_scenario_passes(validator: Any) -> None:
    validator.validate(Scenario(tomllib.loads(TEXT)).resolved)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('title = "x"', "name = 1"),
        ('kind = "cross"', 'kind = "star"'),
        ("hops = 6", "hops = 1"),
        ("hops = 6", "hops = 6\nrows = 2"),
        ('rts_threshold = "off"', "rts_threshold = -1"),
        ('kind = "uniform"', 'kind = "unif"'),
        ('to = "last"', 'to = "lst"'),
        ('protocol = "aodv"', 'protocol = "aodw"'),
        ('parameters = "aodv-uu"', 'parameters = "aodv-u"'),
        ("hello_interval", "hello_intervall"),
        ('detection = "hello"', 'detection = "none"'),
        ("from = 0", ""),
        ("[500, 1000]", "[]"),
    ],
)
def test_a_bad_scenario_fails_both(validator: Any, old: str, new: str) -> None:
    from hopscope.errors import ScenarioError

    document = tomllib.loads(TEXT.replace(old, new))
    assert not validator.is_valid(document)
    with pytest.raises(ScenarioError):
        Scenario(document)


def test_every_key_is_described() -> None:
    def walk(node: Any) -> list[Any]:
        found = list(node.get("properties", {}).values()) if isinstance(node, dict) else []
        children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else []
        return found + [item for child in children for item in walk(child)]

    properties = walk(schema()["properties"]) + list(schema()["properties"].values())
    assert len(properties) > 80
    conditions = [c for part in schema()["properties"]["routing"]["allOf"] for c in walk(part)]
    properties = [p for p in properties if p not in conditions]
    undescribed = [p for p in properties if "description" not in p and p.get("type") != ["number", "string"]]
    assert undescribed == []


def test_engine_keys_carry_unit_default_and_source() -> None:
    queue = schema()["properties"]["mac"]["properties"]["queue"]
    entry = keys.field(keys.parameters("mac"), "queue")
    assert entry.doc in queue["description"]
    assert "Unit: packets." in queue["description"]
    assert f"Source: {entry.source}." in queue["description"]
    assert queue["default"] == 50


def test_aodv_constants_carry_the_defaults_of_the_first_profile() -> None:
    routing = schema()["properties"]["routing"]["properties"]
    [sets] = [part["then"] for part in schema()["properties"]["routing"]["allOf"] if "aodv" in str(part["if"])]
    assert sets["properties"]["parameters"]["default"] == "rfc3561"
    constants = routing["aodv"]["properties"]
    assert constants.keys() == {entry.name for entry in keys.parameters("aodv")}
    assert (constants["node_traversal_time"]["default"], constants["data_ttl"]["default"]) == (0.04, "off")
