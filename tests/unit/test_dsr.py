"""``[routing] protocol = "dsr"``: its set, the constants that override it, mistakes, a run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hopscope import _core
from hopscope.errors import ScenarioError
from hopscope.scenario import Scenario, keys, load
from hopscope.scenario.fields import NS

BASE: dict[str, Any] = {
    "duration": "5s",
    "topology": {"kind": "chain", "hops": 3},
    "flow": [{"from": 0, "to": "last"}],
}

TEXT = """\
duration = "5s"
[topology]
kind = "chain"
hops = 3
[routing]
protocol = "dsr"
parameters = "rfc4728"
[routing.dsr]
route_cache_timeout = "60s"
[[flow]]
from = 0
to = 3
"""


def scenario(routing: dict[str, Any]) -> Scenario:
    return Scenario({**BASE, "routing": {"protocol": "dsr", **routing}})


def config(routing: dict[str, Any]) -> dict[str, Any]:
    return scenario(routing).points[0].config(1)


@pytest.mark.parametrize("given", [{}, {"parameters": "rfc4728"}])
def test_the_set_is_the_engines(given: dict[str, Any]) -> None:
    assert config(given)["dsr"] == json.loads(_core.routing_set("dsr", "rfc4728"))
    assert scenario(given).resolved["routing"]["parameters"] == "rfc4728"


@pytest.mark.parametrize("field", keys.engine("dsr"), ids=lambda f: f.name)
def test_every_constant_can_be_overridden_alone(field: Any) -> None:
    base = json.loads(_core.routing_set("dsr", "rfc4728"))
    default = base[field.name]
    if field.kind == "choice":
        value: Any = next(word for word in field.choices if word != default)
    elif field.kind == "flag":
        value = not default
    elif field.kind == "time":
        value = (default + NS) / NS
    elif field.kind == "float":
        value = default / 2 if default < 1 else default * 2
    else:
        value = default - 1  # the hop limit and the salvage count are at their largest already
    found = config({"dsr": {field.name: value}})["dsr"]
    assert found[field.name] == field.read(value) != default
    assert {**found, field.name: default} == base


@pytest.mark.parametrize(
    ("change", "by", "message"),
    [
        ('"rfc4728"', '"rfc4782"', 'f.toml:7:1: routing.parameters: found "rfc4782"; allowed: "rfc4728"'),
        ("route_cache_timeout", "route_cache_timout", 'unknown key (did you mean "route_cache_timeout"?)'),
        ('"60s"', "0", "f.toml:9:1: routing.dsr.route_cache_timeout: is 0 s; it must be more"),
        ('route_cache_timeout = "60s"', "max_salvage_count = 16", "is 16; 0 to 15 are possible"),
        ('route_cache_timeout = "60s"', "discovery_hop_limit = 0", "is 0 hops; 1 to 255 are possible"),
        ('route_cache_timeout = "60s"', 'link_life = "max"', 'found "max"; allowed: "timeout", "max-life"'),
        (
            'route_cache_timeout = "60s"',
            'max_request_period = "0.1s"',
            "is 0.1 s; it must be at least request_period, 0.5",
        ),
        ('"dsr"', '"aodv"', 'routing.dsr: belongs to protocol = "dsr"; found protocol = "aodv"'),
    ],
)
def test_mistakes_are_told_where_they_stand(tmp_path: Path, change: str, by: str, message: str) -> None:
    path = tmp_path / "f.toml"
    assert change in TEXT
    path.write_text(TEXT.replace(change, by, 1))
    with pytest.raises(ScenarioError) as caught:
        load(path)
    assert message in str(caught.value).replace(f"{tmp_path}/", "")


def test_a_run_counts_its_messages() -> None:
    network = json.loads(_core.run(json.dumps(config({}))))["network"]
    assert set(network["routing_kinds"]) <= {"rreq", "rrep", "rerr"}
    assert network["discoveries"] >= 1
    assert network["routing_packets"] == sum(network["routing_kinds"].values())


def test_the_page_lists_the_set_and_names_parameters_that_exist() -> None:
    page = (Path(__file__).parents[2] / "docs" / "models" / "dsr.md").read_text()
    assert re.findall(r"^\| `([\w-]+)` \|", page, flags=re.MULTILINE) == [name for name, _ in _core.routing_sets("dsr")]
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", page))
    counted = set(json.loads(_core.run(json.dumps(config({}))))["network"])
    parameters = {entry["name"] for entry in json.loads(_core.parameters())["dsr"]}
    assert named - counted <= parameters
    assert len(named & parameters) > 15
