"""``[routing]``: protocols, their parameter sets and the constants that override them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope import _core
from hopscope.errors import ScenarioError
from hopscope.scenario import Scenario, keys, load
from hopscope.scenario.fields import NS, Field
from hopscope.scenario.toml_writer import to_toml

BASE: dict[str, Any] = {
    "duration": "5s",
    "topology": {"kind": "chain", "hops": 3},
    "flow": [{"from": 0, "to": "last"}],
}

#: The set of constants of each protocol under each profile.
DEFAULTS = {
    "aodv": {"standard": "rfc3561", "ns2": "ns2", "as-ns3": "rfc3561"},
    "dsdv": {"standard": "perkins1994", "ns2": "ns2", "as-ns3": "perkins1994"},
    "dsr": {"standard": "rfc4728", "ns2": "rfc4728", "as-ns3": "rfc4728"},
    "olsr": {"standard": "rfc3626", "ns2": "rfc3626", "as-ns3": "rfc3626"},
    "babel": {"standard": "rfc8966", "ns2": "rfc8966", "as-ns3": "rfc8966"},
    "batman_iv": {"standard": "batman-adv", "ns2": "batman-adv", "as-ns3": "batman-adv"},
    "batman_v": {"standard": "batman-adv", "ns2": "batman-adv", "as-ns3": "batman-adv"},
    "hwmp": {"standard": "ieee80211s", "ns2": "ieee80211s", "as-ns3": "ns3"},
}

SETS = {protocol: [name for name, _ in _core.routing_sets(protocol)] for protocol in DEFAULTS}

#: Set and constant that the file of :func:`text` names.
GIVEN = {
    "aodv": ("aodv-uu", 'hello_interval = "500ms"'),
    "dsdv": ("ns2", 'update_interval = "15s"'),
    "dsr": ("rfc4728", 'route_cache_timeout = "60s"'),
    "olsr": ("olsr-unik", 'hello_interval = "2s"'),
    "babel": ("babeld", 'hello_interval = "2s"'),
    "batman_iv": ("batman-adv-2014.0", 'originator_interval = "1s"'),
    "batman_v": ("batman-adv-2019.3", 'elp_interval = "500ms"'),
    "hwmp": ("linux", 'beacon_interval = "100ms"'),
}


def text(protocol: str) -> str:
    parameters, constant = GIVEN[protocol]
    return f"""\
duration = "5s"
[topology]
kind = "chain"
hops = 3
[routing]
protocol = "{protocol}"
parameters = "{parameters}"
[routing.{protocol}]
{constant}
[[flow]]
from = 0
to = 3
"""


def scenario(routing: dict[str, Any], **changes: Any) -> Scenario:
    return Scenario({**BASE, **changes, "routing": routing})


def constants(routing: dict[str, Any], **changes: Any) -> dict[str, Any]:
    found: dict[str, Any] = scenario(routing, **changes).points[0].config(1)[routing["protocol"]]
    return found


def engine_set(protocol: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = _core.routing_set(protocol, name)
    return found


def run(config: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = _core.run(config).values()
    return found


def refusal(tmp_path: Path, text: str, changes: dict[str, Any] | None = None) -> str:
    path = tmp_path / "f.toml"
    path.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        load(path, changes)
    return str(caught.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize("profile", _core.profiles())
@pytest.mark.parametrize("protocol", DEFAULTS)
def test_the_profile_names_the_default_set(protocol: str, profile: str) -> None:
    name = DEFAULTS[protocol][profile]
    found = scenario({"protocol": protocol}, profile=profile)
    assert found.points[0].config(1)[protocol] == engine_set(protocol, name)
    assert found.resolved["routing"]["parameters"] == name


@pytest.mark.parametrize(("protocol", "name"), [(protocol, name) for protocol in SETS for name in SETS[protocol]])
@pytest.mark.parametrize("profile", _core.profiles())
def test_a_set_is_the_engines_whatever_the_profile(protocol: str, name: str, profile: str) -> None:
    assert constants({"protocol": protocol, "parameters": name}, profile=profile) == engine_set(protocol, name)


def another(field: Field, default: Any) -> Any:
    """A value near the default of a constant, as a scenario writes it."""
    if field.kind == "choice":
        return next(word for word in field.choices if word != default)
    if field.kind == "flag":
        return not default
    if field.name == "peer_timeout":
        return 60  # longer than any beacon interval
    if field.kind == "time":
        return (default + (default // 10 or NS // 1000)) / NS
    if field.kind == "float":
        return 0.5 if default == 1 else (default + 1) / 2
    if field.unit == "bit/s":
        return (default or 1_000_000) * 2
    return default - 1 if default and default > 1 else (default or 0) + 1


@pytest.mark.parametrize(
    ("protocol", "field"),
    [
        pytest.param(protocol, field, id=f"{protocol}.{field.name}")
        for protocol in SETS
        for field in keys.engine(protocol)
        if field.when is None  # the others: tests/unit/test_effects.py
    ],
)
def test_every_constant_can_be_overridden_alone(protocol: str, field: Field) -> None:
    base = engine_set(protocol, SETS[protocol][-1])
    default = base[field.name]
    value = another(field, default)
    found = constants({"protocol": protocol, "parameters": SETS[protocol][-1], protocol: {field.name: value}})
    assert found[field.name] == field.read(value) != default
    assert {**found, field.name: default} == base


def test_sets_differ_where_their_pages_say() -> None:
    assert [engine_set("olsr", name)["metric"] for name in SETS["olsr"]] == ["hops", "hops", "etx", "etx"]
    assert [engine_set("olsr", name)["hysteresis"] for name in SETS["olsr"]] == [True, False, True, True]
    assert [engine_set("olsr", name)["top_hold_time"] // NS for name in SETS["olsr"]] == [15, 15, 15, 300]
    assert [engine_set("dsdv", name)["data_header"] for name in SETS["dsdv"]] == [0, 0, 20]
    assert [engine_set("batman_iv", name)["hop_penalty"] for name in SETS["batman_iv"]] == [30, 15, 30]
    assert [engine_set("batman_v", name)["aggregation"] for name in SETS["batman_v"]] == [True, False]
    assert [engine_set("hwmp", name)["max_beacon_loss"] for name in SETS["hwmp"]] == [None, None, 2]


def test_limits_can_be_off() -> None:
    found = constants({"protocol": "aodv", "aodv": {"rreq_ratelimit": "off", "data_ttl": 12, "delete_period": "2s"}})
    assert (found["rreq_ratelimit"], found["data_ttl"], found["delete_period"]) == (None, 12, 2 * NS)


def test_the_older_word_for_the_rules_of_aodv_is_one_run_with_them() -> None:
    rules = {
        name: value
        for name, value in engine_set("aodv", "ns2").items()
        if value != engine_set("aodv", "rfc3561")[name] and isinstance(value, (bool, str))
    }
    rules = {name: value for name, value in rules.items() if name not in ("rerr_unicast", "local_repair")}
    rules = {name: value for name, value in rules.items() if name not in ("hello_senders", "data_refreshes_neighbour")}
    assert len(rules) == 17
    assert rules["search"] == "sweep"
    without = (
        "messages_refresh_neighbour",
        "broadcast_saves_hello",
        "neighbour_clock",
        "repair",
    )  # HELLOs, local repair
    rules = {name: value for name, value in rules.items() if name not in without}
    numbers = {"protocol": "aodv", "parameters": "aodv-uu-ll"}
    life = {"reverse_route_life": "6s"}

    def outcome(own: dict[str, Any]) -> dict[str, Any]:
        result = run(scenario({**numbers, "aodv": {**life, **own}}).points[0].config(1))
        del result["engine"]["wall_s"]
        return result

    one_by_one = outcome(rules)
    assert outcome({"rules": "ns2"}) == one_by_one
    assert outcome({}) != one_by_one
    assert outcome({"rules": "rfc"}) == outcome({})
    with pytest.raises(ScenarioError, match=r'search: has no effect: it needs routing.aodv.rules = "named"'):
        outcome({"rules": "ns2", "search": "rings"})


def test_static_routes_take_no_aodv() -> None:
    assert "aodv" not in Scenario(BASE).points[0].config(1)
    assert Scenario(BASE).resolved["routing"] == {"protocol": "static", "metric": "hops"}


#: What stands in the file of a protocol, what stands there instead, and what is said of it.
MISTAKES = {
    "aodv": [
        ('"aodv"', '"aodvv"', 'f.toml:6:1: routing.protocol: found "aodvv" (did you mean "aodv"?)'),
        (
            '"aodv-uu"',
            '"aodv-ul"',
            'f.toml:7:1: routing.parameters: found "aodv-ul" (did you mean "aodv-uu"?); allowed: "rfc3561"',
        ),
        ("hello_interval", "helo_interval", 'unknown key (did you mean "hello_interval"?)'),
        ('"500ms"', '"500m"', "f.toml:9:1: routing.aodv.hello_interval: "),
        ('"500ms"', "-1", "f.toml:9:1: routing.aodv.hello_interval: found -1; must be at least 0 s"),
        ('"500ms"', "0", "f.toml:9:1: routing.aodv.hello_interval: is 0 s; it must be more"),
        ('hello_interval = "500ms"', "hello_hold = 0.1", "f.toml:9:1: routing.aodv.hello_hold: is 0.1, which gives"),
        ('hello_interval = "500ms"', "net_diameter = 300", "f.toml:9:1: routing.aodv.net_diameter: is 300 hops; 1 to"),
        ('hello_interval = "500ms"', "local_repair = 1", "found 1; expected true or false"),
        ('"aodv"', '"static"', 'f.toml:7:1: routing.parameters: belongs to protocol = "aodv"; found protocol = "stat'),
        ('"aodv"', '"static"', 'f.toml:8:1: routing.aodv: has no effect: it needs routing.protocol = "aodv"; f'),
        ('protocol = "aodv"\n', "", 'f.toml:6:1: routing.parameters: belongs to protocol = "aodv"; found protocol ='),
        ("[routing.aodv]\nhello_interval", "aodv", "f.toml:8:1: routing.aodv: found"),
    ],
    "dsdv": [
        (
            '"ns2"',
            '"perkins"',
            'f.toml:7:1: routing.parameters: found "perkins" (did you mean "perkins1994"?); allowed',
        ),
        ('"15s"', "0", "f.toml:9:1: routing.dsdv.update_interval: is 0 s; it must be at least 0.001 s"),
        ('update_interval = "15s"', "missed_updates = 0", "routing.dsdv.missed_updates: is 0; it must be at least 1"),
        (
            'update_interval = "15s"',
            "settling_memory = 2",
            "routing.dsdv.settling_memory: is 2; it must be from 0 to 1",
        ),
        ('update_interval = "15s"', 'triger = "new-number"', 'did you mean "trigger"?'),
        ("[routing.dsdv]", "[routing.aodv]", 'routing.aodv: has no effect: it needs routing.protocol = "aodv"; f'),
    ],
    "dsr": [
        (
            '"rfc4728"',
            '"rfc4782"',
            'f.toml:7:1: routing.parameters: found "rfc4782" (did you mean "rfc4728"?); allowed',
        ),
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
        ('"dsr"', '"aodv"', 'routing.dsr: has no effect: it needs routing.protocol = "dsr"; f'),
    ],
    "olsr": [
        (
            '"olsr-unik"',
            '"olsr-unic"',
            'f.toml:7:1: routing.parameters: found "olsr-unic" (did you mean "olsr-unik"?); '
            'allowed: "rfc3626", "olsr-unik", "olsr-etx", "olsrd"',
        ),
        ('"olsr-unik"', '"aodv-uu"', 'routing.parameters: found "aodv-uu"; allowed: "rfc3626", "olsr-unik", "olsr-e'),
        ('"2s"', "0", "f.toml:9:1: routing.olsr.hello_interval: is 0 s; it must be more"),
        ('"2s"', '"7s"', "routing.olsr.neighb_hold_time: is 6 s; it must be at least hello_interval, 7 s"),
        ('hello_interval = "2s"', 'neighb_hold_time = "1s"', "f.toml:9:1: routing.olsr.neighb_hold_time: is 1 s; it"),
        ('hello_interval = "2s"', "willingness = 8", "f.toml:9:1: routing.olsr.willingness: is 8; 0 to 7 are possible"),
        ("hello_interval", "helo_interval", 'unknown key (did you mean "hello_interval"?)'),
        (
            "[routing.olsr]",
            "[routing.aodv]",
            'f.toml:8:1: routing.aodv: has no effect: it needs routing.protocol = "aodv"; f',
        ),
        ('"olsr"', '"static"', 'f.toml:7:1: routing.parameters: belongs to protocol = "olsr"; found protocol = "stat'),
    ],
    "babel": [
        ('"babeld"', '"babled"', 'found "babled" (did you mean "babeld"?); allowed: "rfc8966", "babeld"'),
        ('"2s"', "0", "f.toml:9:1: routing.babel.hello_interval: is 0 s; it must be more"),
        ('hello_interval = "2s"', "ihu_hellos = 0", "routing.babel.ihu_hellos: is 0; it must be at least 1"),
        ('hello_interval = "2s"', "hellos_needed = 1", "routing.babel.hellos_needed: has no effect"),
        ('hello_interval = "2s"', 'link_cost = "etxx"', 'found "etxx" (did you mean "etx"?)'),
        ("hello_interval", "helo_interval", 'unknown key (did you mean "hello_interval"?)'),
    ],
    "batman_iv": [
        ('"batman_iv"', '"batman_vi"', 'f.toml:6:1: routing.protocol: found "batman_vi" (did you mean "batman_v"?)'),
        (
            "-2014.0",
            "-2014",
            'found "batman-adv-2014" (did you mean "batman-adv-2014.0"?); allowed: "batman-adv", "bat',
        ),
        ('"1s"', '"30ms"', "routing.batman_iv.jitter: is 0.02 s; it must be at most half of originator_interval, 0.03"),
        ('originator_interval = "1s"', "hop_penalty = 256", "f.toml:9:1: routing.batman_iv.hop_penalty: found 256"),
        ('originator_interval = "1s"', "global_window = 9", "f.toml:9:1: routing.batman_iv.global_window: found 9"),
    ],
    "batman_v": [
        (
            '"500ms"',
            '"30ms"',
            "f.toml:9:1: routing.batman_v.elp_interval: is 0.03 s; it must be at least twice jitter, 0.02",
        ),
        (
            'elp_interval = "500ms"',
            "throughput_override = 5",
            "f.toml:9:1: routing.batman_v.throughput_override: found",
        ),
        (
            'elp_interval = "500ms"',
            'unknown_throughput = "third"',
            'found "third"; allowed: "third-of-rate", "default"',
        ),
    ],
    "hwmp": [
        ('"linux"', '"lynux"', 'found "lynux" (did you mean "linux"?); allowed: "ieee80211s", "linux", "ns3"'),
        ('"100ms"', "0", "f.toml:9:1: routing.hwmp.beacon_interval: is 0 s; 0.001024 to 67.10784 s are possible"),
        ('beacon_interval = "100ms"', "root = 4", "routing.hwmp.root: node 4 does not exist; nodes are 0 to 3"),
        ('beacon_interval = "100ms"', "max_failure_average = 2", "routing.hwmp.max_failure_average"),
        ('beacon_interval = "100ms"', 'root_interval = "3s"', "routing.hwmp.root_interval: has no effect"),
        ("[[flow]]", "[net]\narp = true\n[[flow]]", "net.arp: has no effect"),
        (
            "[[flow]]",
            "[mac]\nfragmentation_threshold = 500\n[[flow]]",
            "mac.fragmentation_threshold: found together with",
        ),
    ],
}


@pytest.mark.parametrize(
    ("protocol", "change", "by", "message"),
    [(protocol, *mistake) for protocol in MISTAKES for mistake in MISTAKES[protocol]],
)
def test_mistakes_are_reported_where_they_stand(
    tmp_path: Path, protocol: str, change: str, by: str, message: str
) -> None:
    assert change in text(protocol)
    assert message in refusal(tmp_path, text(protocol).replace(change, by, 1))


def test_a_wrong_protocol_is_the_only_mistake_reported(tmp_path: Path) -> None:
    assert len(refusal(tmp_path, text("aodv").replace('"aodv"', '"aodvv"', 1)).splitlines()) == 1


def test_options_override_the_file_and_are_named_in_messages(tmp_path: Path) -> None:
    path = tmp_path / "f.toml"
    path.write_text(text("aodv"))
    changed = (
        load(path, {"routing.aodv.hello_senders": "active", "routing.aodv.ttl_start": 3}).points[0].config(1)["aodv"]
    )
    assert (changed["hello_interval"], changed["ttl_start"], changed["hello_senders"]) == (NS // 2, 3, "active")
    message = refusal(tmp_path, text("aodv"), {"routing.aodv.hello_jitter": "2s"})
    assert message.startswith("--set routing.aodv.hello_jitter=2s: routing.aodv.hello_jitter: is 2 s; it must be less")


def test_a_sweep_varies_protocol_set_and_constant() -> None:
    swept = Scenario({**BASE, "sweep": {"routing.protocol": ["static", "aodv"]}})
    assert ["aodv" in point.config(1) for point in swept.points] == [False, True]
    swept = scenario({"protocol": "aodv"}, sweep={"routing.parameters": ["ns2", "aodv-uu"]})
    assert [point.config(1)["aodv"] for point in swept.points] == [
        _core.routing_set("aodv", name) for name in ("ns2", "aodv-uu")
    ]
    hello = {"protocol": "aodv", "parameters": "aodv-uu"}
    swept = scenario(hello, sweep={"routing.aodv.hello_interval": ["500ms", 2]})
    assert [point.config(1)["aodv"]["hello_interval"] for point in swept.points] == [NS // 2, 2 * NS]


@pytest.mark.parametrize(
    "changes",
    [
        {"routing": {"protocol": "aodv", "parameters": "aodv-uu-ll", "aodv": {"data_ttl": "off", "ttl_start": 3}}},
        {"sweep": {"routing.protocol": ["static", "aodv"]}},
        {"sweep": {"routing.protocol": ["aodv", "static"]}},
        {
            "routing": {"parameters": "olsr-unik", "aodv": {"delete_period": "700ms"}, "olsr": {"willingness": 4}},
            "sweep": {"routing.protocol": ["static", "aodv", "olsr"]},
        },
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


def test_a_sweep_over_protocols_takes_and_shows_the_parameters_of_each() -> None:
    routing = {"parameters": "olsr-unik", "aodv": {"delete_period": "700ms"}}
    swept = scenario(routing, sweep={"routing.protocol": ["aodv", "olsr"]})
    aodv, olsr = (point.config(1) for point in swept.points)
    assert aodv["aodv"] == {**_core.routing_set("aodv", "rfc3561"), "delete_period": 7 * NS // 10}
    assert olsr["olsr"] == _core.routing_set("olsr", "olsr-unik")
    shown = swept.resolved["routing"]
    assert shown["parameters"] == "olsr-unik"
    assert shown["aodv"]["delete_period"] == 0.7
    assert shown["aodv"].keys() < aodv["aodv"].keys()
    assert "hello_interval" not in shown["aodv"], "the MAC reports lost links"
    assert shown["olsr"].keys() < olsr["olsr"].keys()
    with pytest.raises(ScenarioError, match=r"routing\.parameters: .*belongs to protocol"):
        scenario(routing, sweep={"routing.protocol": ["aodv", "static"]})


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


@pytest.mark.parametrize(
    ("protocol", "start", "kinds", "least", "searches"),
    [
        ("dsr", 0, {"rreq", "rrep", "rerr"}, 1, True),
        ("dsdv", 40, {"update"}, 11, False),
        ("hwmp", 3, {"beacon", "open", "confirm", "close", "preq", "prep", "perr"}, 11, True),
    ],
)
def test_a_run_counts_its_messages(protocol: str, start: int, kinds: set[str], least: int, searches: bool) -> None:
    flow = {"from": 0, "to": "last", "start": start}
    found = scenario({"protocol": protocol}, duration=start + 20, flow=[flow])
    result = run(found.points[0].config(1))
    network = result["network"]
    assert set(network["routing_kinds"]) <= kinds
    assert network["routing_packets"] == sum(network["routing_kinds"].values()) >= least
    assert (network["discoveries"] > 0) == searches
    assert network["false_link_failures"] == 0 or searches
    assert result["flows"][0]["throughput_kbps"] > 100


def test_the_page_of_batman_adv_lists_its_sets_and_names_parameters_that_exist() -> None:
    page = (Path(__file__).parents[2] / "docs" / "models" / "batman.md").read_text()
    sets = re.findall(r"^\| `([\w.-]+)` \|", page, flags=re.MULTILINE)
    assert sets == SETS["batman_iv"] + SETS["batman_v"]
    named = {name for name in re.findall(r"`([a-z]+(?:_[a-z]+)+)`", page) if not name.startswith("bat")}
    parameters = {field.name for protocol in ("batman_iv", "batman_v") for field in keys.parameters(protocol)}
    assert named <= parameters
    assert len(named) >= 16


@pytest.mark.parametrize(
    ("protocol", "least"), [("aodv", 17), ("dsdv", 9), ("dsr", 16), ("olsr", 22), ("babel", 16), ("hwmp", 28)]
)
def test_the_page_lists_the_sets_and_names_parameters_that_exist(protocol: str, least: int) -> None:
    page = (Path(__file__).parents[2] / "docs" / "models" / f"{protocol}.md").read_text()
    assert re.findall(r"^\| `([\w-]+)` \|", page, flags=re.MULTILINE) == SETS[protocol]
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", page))
    result = run(scenario({"protocol": protocol}).points[0].config(1))
    counted = {*result["network"], *result["flows"][0]}
    parameters = {field.name for field in keys.parameters(protocol)}
    assert named - counted <= parameters
    assert len(named & parameters) >= least
