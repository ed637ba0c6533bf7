"""``[routing]``: protocols, the parameter sets of AODV and the constants that override them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope import _core
from hopscope.errors import ScenarioError
from hopscope.scenario import Scenario, keys, load
from hopscope.scenario.fields import NS
from hopscope.scenario.toml_writer import to_toml

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
protocol = "aodv"
parameters = "aodv-uu"
[routing.aodv]
hello_interval = "500ms"
[[flow]]
from = 0
to = 3
"""


def scenario(routing: dict[str, Any], **changes: Any) -> Scenario:
    return Scenario({**BASE, **changes, "routing": routing})


def constants(routing: dict[str, Any], **changes: Any) -> dict[str, Any]:
    found: dict[str, Any] = scenario(routing, **changes).points[0].config(1)["aodv"]
    return found


def refusal(tmp_path: Path, text: str, changes: dict[str, Any] | None = None) -> str:
    path = tmp_path / "f.toml"
    path.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        load(path, changes)
    return str(caught.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(("profile", "name"), [("standard", "rfc3561"), ("ns2", "ns2")])
def test_the_profile_names_the_default_set(profile: str, name: str) -> None:
    assert constants({"protocol": "aodv"}, profile=profile) == json.loads(_core.routing_set("aodv", name))
    assert scenario({"protocol": "aodv"}, profile=profile).resolved["routing"]["parameters"] == name


@pytest.mark.parametrize("name", [name for name, _ in _core.routing_sets("aodv")])
@pytest.mark.parametrize("profile", _core.profiles())
def test_a_set_is_the_engines_whatever_the_profile(name: str, profile: str) -> None:
    found = constants({"protocol": "aodv", "parameters": name}, profile=profile)
    assert found == json.loads(_core.routing_set("aodv", name))


@pytest.mark.parametrize("field", keys.engine("aodv"), ids=lambda f: f.name)
def test_every_constant_can_be_overridden_alone(field: Any) -> None:
    from hopscope.scenario.document import from_mapping
    from hopscope.scenario.lower import lower
    from hopscope.scenario.resolve import resolve

    base = json.loads(_core.routing_set("aodv", "ns2"))
    default = base[field.name]
    if field.kind == "choice":
        value: Any = next(word for word in field.choices if word != default)
    elif field.kind == "flag":
        value = not default
    elif field.kind == "time":
        value = (default + NS) / NS
    else:
        value = (default or 0) + 1
    routing = {"protocol": "aodv", "parameters": "ns2", "aodv": {field.name: value}}
    resolved, problems = resolve(from_mapping({**BASE, "routing": routing}))
    assert not problems
    found = lower(resolved, 1)["aodv"]
    assert found[field.name] == field.read(value) != default
    assert {**found, field.name: default} == base


def test_limits_can_be_off() -> None:
    found = constants({"protocol": "aodv", "aodv": {"rreq_ratelimit": "off", "data_ttl": 12, "hello_interval": "2s"}})
    assert (found["rreq_ratelimit"], found["data_ttl"], found["hello_interval"]) == (None, 12, 2 * NS)


def test_static_routes_take_no_aodv() -> None:
    assert "aodv" not in Scenario(BASE).points[0].config(1)
    assert Scenario(BASE).resolved["routing"] == {"protocol": "static"}


@pytest.mark.parametrize(
    ("change", "by", "message"),
    [
        ('"aodv"', '"aodvv"', 'f.toml:6:1: routing.protocol: found "aodvv"; allowed: "static", "aodv"'),
        ('"aodv-uu"', '"aodv-ul"', 'f.toml:7:1: routing.parameters: found "aodv-ul"; allowed: "rfc3561"'),
        ("hello_interval", "helo_interval", 'unknown key (did you mean "hello_interval"?)'),
        ('"500ms"', '"500m"', "f.toml:9:1: routing.aodv.hello_interval: "),
        ('"500ms"', "-1", "f.toml:9:1: routing.aodv.hello_interval: found -1; must be at least 0 s"),
        ('"500ms"', "0", "f.toml:9:1: routing.aodv.hello_interval: is 0 s; it must be more"),
        ('hello_interval = "500ms"', "hello_hold = 0.1", "f.toml:9:1: routing.aodv.hello_hold: is 0.1, which gives"),
        ('hello_interval = "500ms"', "net_diameter = 300", "f.toml:9:1: routing.aodv.net_diameter: is 300 hops; 1 to"),
        ('hello_interval = "500ms"', "local_repair = 1", "found 1; expected true or false"),
        ('"aodv"', '"static"', 'f.toml:7:1: routing.parameters: belongs to protocol = "aodv"; found protocol = "stat'),
        ('"aodv"', '"static"', 'f.toml:8:1: routing.aodv: belongs to protocol = "aodv"; found protocol = "static"'),
        ('protocol = "aodv"\n', "", 'f.toml:6:1: routing.parameters: belongs to protocol = "aodv"; found protocol ='),
        ("[routing.aodv]\nhello_interval", "aodv", "f.toml:8:1: routing.aodv: found"),
    ],
)
def test_mistakes_are_told_where_they_stand(tmp_path: Path, change: str, by: str, message: str) -> None:
    assert change in TEXT
    assert message in refusal(tmp_path, TEXT.replace(change, by, 1))


def test_a_wrong_protocol_is_the_only_mistake_told(tmp_path: Path) -> None:
    assert len(refusal(tmp_path, TEXT.replace('"aodv"', '"aodvv"', 1)).splitlines()) == 1


def test_options_override_the_file_and_are_named_in_messages(tmp_path: Path) -> None:
    path = tmp_path / "f.toml"
    path.write_text(TEXT)
    changed = load(path, {"routing.parameters": "rfc3561", "routing.aodv.ttl_start": 3}).points[0].config(1)["aodv"]
    assert (changed["hello_interval"], changed["ttl_start"], changed["hello_senders"]) == (NS // 2, 3, "active")
    message = refusal(tmp_path, TEXT, {"routing.aodv.hello_jitter": "2s"})
    assert message.startswith("--set routing.aodv.hello_jitter=2s: routing.aodv.hello_jitter: is 2 s; it must be less")


def test_a_sweep_varies_protocol_set_and_constant() -> None:
    swept = Scenario({**BASE, "sweep": {"routing.protocol": ["static", "aodv"]}})
    assert ["aodv" in point.config(1) for point in swept.points] == [False, True]
    swept = scenario({"protocol": "aodv"}, sweep={"routing.parameters": ["ns2", "aodv-uu"]})
    assert [point.config(1)["aodv"] for point in swept.points] == [
        json.loads(_core.routing_set("aodv", name)) for name in ("ns2", "aodv-uu")
    ]
    swept = scenario({"protocol": "aodv"}, sweep={"routing.aodv.hello_interval": ["500ms", 2]})
    assert [point.config(1)["aodv"]["hello_interval"] for point in swept.points] == [NS // 2, 2 * NS]


@pytest.mark.parametrize(
    "changes",
    [
        {"routing": {"protocol": "aodv", "parameters": "aodv-uu-ll", "aodv": {"data_ttl": "off", "ttl_start": 3}}},
        {"sweep": {"routing.protocol": ["static", "aodv"]}},
        {"sweep": {"routing.protocol": ["aodv", "static"]}},
        {
            "routing": {"protocol": "aodv", "aodv": {"hello_interval": "700ms"}},
            "sweep": {"routing.parameters": ["ns2", "aodv-uu", "rfc3561"], "profile": ["standard", "ns2"]},
        },
        {"routing": {"protocol": "aodv"}, "sweep": {"routing.aodv.buffer_time": ["1s", "2s"]}},
        {"sweep": {"profile": ["standard", "ns2"]}},
        {"sweep": {"radio.preset": ["wavelan-2M", "ofdm-24M"], "mac.queue": [5, 6]}},
        {"sweep": {"topology.hops": [3, 4]}},
        {"flow": [{"from": "last", "to": 0}], "sweep": {"topology.hops": [3, 4], "flow.*.packet": [700, 800]}},
    ],
)
def test_the_resolved_scenario_loads_again_to_the_same_runs(changes: dict[str, Any]) -> None:
    first = Scenario({**BASE, **changes})
    again = Scenario(tomllib.loads(to_toml(first.resolved)))
    assert [p.config(1) for p in again.points] == [p.config(1) for p in first.points]
    assert again.resolved == first.resolved


def test_routing_is_measured() -> None:
    result = hs.run({**BASE, "routing": {"protocol": "aodv"}}, seeds=2)
    network = result.network
    assert (network["routing_packets"] > 0).all()
    assert (network["routing_packets"] == network["routing_kinds.rreq"] + network["routing_kinds.rrep"]
            + network.get("routing_kinds.rerr", 0)).all()  # fmt: skip
    run = result.to_json()["points"][0]["runs"][0]["network"]
    assert run["discoveries"] >= 1
    assert run["discovery_ms"] > 0
    assert result.interval("network.discoveries").n == 2


def test_a_network_in_two_parts_runs_under_aodv_and_says_so() -> None:
    parts = {"kind": "positions", "positions": [[0, 0], [200, 0], [2000, 0]]}
    with pytest.raises(ScenarioError, match=r"flow\.0\.to"):
        Scenario({**BASE, "topology": parts})
    result = hs.run({**BASE, "topology": parts, "routing": {"protocol": "aodv"}})
    [flow] = result.points[0].runs[0]["flows"]
    assert flow["received_packets"] == 0
    assert "none was delivered" in flow["note"]
    network = result.points[0].runs[0]["network"]
    assert network["routing_kinds"].keys() == {"rreq"}
    assert network["discovery_ms"] is None


def test_parquet_holds_the_kinds_of_routing_packets(tmp_path: Path) -> None:
    import pandas as pd

    hs.run({**BASE, "routing": {"protocol": "aodv"}}, out=tmp_path / "store")
    table = pd.read_parquet(tmp_path / "store" / "network.parquet")
    assert table["routing_kinds.rreq"].iloc[0] > 0
