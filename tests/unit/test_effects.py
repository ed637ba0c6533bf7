"""Every key of a scenario file has an effect somewhere, and is refused where another key switches it off.

``effects/effects.toml`` names for every key a scenario in which another value of it changes a run; a key that is new in
the schema and stands nowhere fails here.
"""

# ruff: noqa: E501  (scenarios in one line each)
from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope import _core
from hopscope.scenario import Scenario, keys
from hopscope.scenario.fields import Field

FOLDER = Path(__file__).parent / "effects"
DATA: dict[str, Any] = tomllib.loads((FOLDER / "effects.toml").read_text().replace("{data}", str(FOLDER)))

#: Keys that say how often a scenario is run and what it is called.
OF_DOCUMENT = {"title": "x", "seeds": 2}

#: Keys whose effect takes a rare event; the tests of their machines beside the code show it.
RARE = {
    "mac.duration_whole_us": 'mac/timing.rs: "duration"',
    "routing.aodv.error_rule": "routing/aodv/tests",
    "tcp.times_repetitions": "transport/tcp/tests/ns2",
    "tcp.idle_duplicates_count": "transport/tcp/tests/ns2",
    "tcp.first_segment_exempt": "transport/tcp/tests/ns2",
    "tcp.tahoe_counts_on": "transport/tcp/tests/ns2",
    "flow.0.dccp.initial_rto": "transport/dccp/rtt.rs",
    "flow.0.atp.elfn": "transport/atp/tests.rs",
}

PLAIN: dict[str, Any] = {"duration": "1s", "topology": {"kind": "chain", "hops": 2}, "flow": [{"from": 0, "to": 2}]}
UDP = {"from": 0, "to": 2, "transport": "udp", "app": "cbr", "rate": "10kbps"}
WIRED = {"kind": "wired", "wired": 3}

#: Where keys are switched off: the plain chain, and others for those that its defaults switch on.
OFF: list[dict[str, Any]] = [
    PLAIN,
    {**PLAIN, "flow": [UDP]},
    {**PLAIN, "flow": [{"from": 0, "to": 2, "transport": "dccp"}]},
    {**PLAIN, "flow": [{"from": 0, "to": 2, "transport": "dccp", "control": "adhoc", "dccp": {"adhoc_leave": "rto", "adhoc_states": "four"}}]},
    {**PLAIN, "flow": [{"from": 0, "to": 2, "transport": "atp"}]},
    {**PLAIN, "flow": [{"from": 0, "to": 2, "reply": {}}]},
    {**PLAIN, "topology": WIRED, "wire": [{"from": n, "to": n + 1, "rate": "1Mbps", "delay": "1ms"} for n in (0, 1)]},
    {**PLAIN, "topology": {"kind": "access", "wired": 0}},
    {**PLAIN, "mac": {"rts_threshold": "off", "retry_limit": 7, "cw_reset_failures": 8, "eifs": "off", "nonfreezing_defer": True}},
    {**PLAIN, "mac": {"nav_reset": False}},
    {**PLAIN, "radio": {"interference": "range", "propagation": "friis", "preset": "ofdm-6M", "tx_range": 250}},
    {**PLAIN, "radio": {"error": {"kind": "none"}}},
    {**PLAIN, "flow": [UDP], "layer": [{"nodes": [0]}]},
    {**PLAIN, "radio": {"preset": "ht-20"}, "mac": {"qos": True}, "interface": [{"number": 0, "channel": 1}]},
    {**PLAIN, "series": {"keep": ["cwnd"]}},
    {**PLAIN, "flow": [{"from": 0, "to": 2, "transport": "tcp-cubic", "recovery": "rack"}]},
    {**PLAIN, "tcp": {"handshake": "ns2", "timestamps": True, "recovery": "rfc"}},
    {**PLAIN, "routing": {"protocol": "aodv", "aodv": {"rules": "ns2", "expanding_ring": False, "destination_only": True}}},
    {**PLAIN, "routing": {"protocol": "aodv", "aodv": {"data_ttl": 9}}},
    {**PLAIN, "routing": {"protocol": "dsr", "dsr": {"nonpropagating_request": False, "cached_reply": False,
                                                     "link_life": "max-life", "promiscuous": False}}},
    {**PLAIN, "routing": {"protocol": "dsr"}},
    {**PLAIN, "routing": {"protocol": "olsr", "olsr": {"tc_trigger": "never", "willingness": 0, "hysteresis": False}}},
    {**PLAIN, "routing": {"protocol": "babel", "babel": {"smoothing_half_life": 0}}},
    {**PLAIN, "routing": {"protocol": "olsr", "olsr": {"metric": "etx", "fisheye": True, "fisheye_sequence": True}}},
    {**PLAIN, "routing": {"protocol": "hwmp", "hwmp": {"max_preq_retries": 0}}},
    {**PLAIN, "routing": {"protocol": "hwmp", "hwmp": {"root": 0, "root_mode": "rann", "failure_count": "attempts"}}},
    {**PLAIN, "mobility": {"model": "random-waypoint", "area": [500, 500]}},
    {**PLAIN, "event": [{"at": 0, "kind": "node-down", "node": 1}]},
]  # fmt: skip


def walk() -> Iterator[tuple[str, str, Field]]:
    """The name of every key in ``effects.toml``, its dotted key, and the key itself."""

    def inside(at: str, fields: keys.Fields) -> Iterator[tuple[str, str, Field]]:
        for field in fields:
            if field.kind == "table":
                yield from inside(f"{at}.{field.name}", field.fields)
            elif not at.startswith("flow.0.tcp"):  # the same keys as [tcp]
                yield f"{at}.{field.name}", f"{at}.{field.name}", field

    yield from ((field.name, field.name, field) for field in keys.top())
    for kind, (_, fields) in keys.TOPOLOGIES.items():
        yield from ((f"topology.{field.name} ({kind})", f"topology.{field.name}", field) for field in fields)
    for section in (*keys.ENGINE_SECTIONS, "series"):
        yield from inside(section, keys.table(section))
    for table in (name for name in keys.NUMBERED if name != "node"):  # which only real stacks follow: tests/live
        yield from inside(f"{table}.0", keys.table(table))


ALL = {name: (key, field) for name, key, field in walk()}


@functools.cache
def outcome(config: str) -> tuple[int, str]:
    """What a run is: the hash of its frames, and its results and series."""
    config = json.loads(config)
    found = _core.run(config)
    counted, series = found.values(), found.series
    counted["engine"].pop("wall_s")
    return _core.trajectory(config), json.dumps(counted) + repr(series)


def first_run(scenario: Scenario) -> str:
    return json.dumps(scenario.points[0].config(scenario.seed))


def changes(name: str) -> bool:
    """Whether another value of a key changes a run, or is read and found not to fit there."""
    effect = DATA["effects"][name]
    scenario = Scenario(DATA["scenarios"][effect["in"]]).replace(effect.get("with", {}))
    try:
        other = scenario.replace({ALL[name][0]: effect["value"]})
    except hs.ScenarioError as error:
        return "has no effect" not in str(error)
    return outcome(first_run(scenario)) != outcome(first_run(other))


def value_for(name: str, field: Field) -> Any:
    usual = {"time": "3s", "choice": "".join(field.choices[-1:])}.get(field.kind, not field.default)
    return DATA["effects"][name]["value"] if name in DATA["effects"] else usual


def is_refused(name: str, key: str, field: Field) -> bool:
    """Whether a key is refused where another key switches it off, with what it needs."""
    value = value_for(name, field)
    for scenario in OFF:
        try:
            Scenario(scenario).replace({key: value})
        except (hs.HopscopeError, ValueError) as error:
            if f"{key}: has no effect: it needs " in str(error) or f"{key.rpartition('.')[0]}: has no effect" in str(
                error
            ):
                return True
    return False


def test_every_key_is_classified() -> None:
    known = {*DATA["effects"], *OF_DOCUMENT, *RARE}
    assert set(ALL) - known == set(), "a new key: show where it changes a run in tests/unit/effects/effects.toml"
    assert known - set(ALL) == set()
    assert set(DATA["scenarios"]) == {effect["in"] for effect in DATA["effects"].values()}


def test_every_key_changes_a_run_somewhere() -> None:
    without = [name for name in DATA["effects"] if not changes(name)]
    print(
        f"{len(ALL)} keys: {len(DATA['effects'])} change a run, {len(OF_DOCUMENT)} name or repeat it, {len(RARE)} are rare"
    )
    assert without == []
    assert len(RARE) < 9


def test_every_key_with_a_condition_is_refused_without_it() -> None:
    conditional = {
        name: entry for name, entry in ALL.items() if entry[1].when is not None and not name.startswith("event.")
    }
    accepted = [name for name, (key, field) in conditional.items() if not is_refused(name, key, field)]
    print(f"{len(conditional)} keys with a condition, {len(conditional) - len(accepted)} refused without it")
    assert accepted == []


@pytest.mark.parametrize("key", ["radio.shadowing_sigma", "mac.aarf_factor", "tcp.cubic_c"])
def test_a_sweep_needs_a_point_in_which_its_key_has_an_effect(key: str) -> None:
    with pytest.raises(hs.ScenarioError, match=f"{key}: has no effect"):
        Scenario({**PLAIN, "sweep": {key: [3, 5]}})
    switch = {"radio.shadowing_sigma": {"radio.shadowing": ["none", "static"]},
              "mac.aarf_factor": {"mac.rate_control": ["fixed", "aarf"]},
              "tcp.cubic_c": {"flow.0.transport": ["tcp-reno", "tcp-cubic"]}}[key]  # fmt: skip
    points = Scenario({**PLAIN, "sweep": {**switch, key: [3, 5]}}).points
    configs = [json.dumps(point.config(1)) for point in points]
    assert configs[0] == configs[1], "one run where it has no effect"
    assert configs[2] != configs[3]


def test_what_is_missing_is_named_with_its_place() -> None:
    text = '[topology]\nkind = "chain"\nhops = 2\n[[flow]]\nfrom = 0\nto = 2\n[radio]\nnoise_floor = -90\n'
    with pytest.raises(hs.ScenarioError) as refused:
        Scenario.from_document(hs.scenario.document.parse(text, "f.toml"))
    needs = 'has no effect: it needs radio.interference = "sinr"; found radio.interference = "capture"'
    assert str(refused.value) == f"f.toml:8:1: radio.noise_floor: {needs}"
    with pytest.raises(hs.ScenarioError, match=r"--set.* radio.noise_floor: has no effect"):
        Scenario(PLAIN).replace({"radio.noise_floor": -90}, origin="--set")


def test_a_profile_or_preset_may_bring_keys_without_effect(tmp_path: Path) -> None:
    assert Scenario({**PLAIN, "profile": "as-ns3"}).resolved["radio"]["interference"] == "sinr"
    assert Scenario({**PLAIN, "profile": "ns2", "mac": {"rts_threshold": "off"}}).points
    assert "noise_floor" not in Scenario(PLAIN).resolved["radio"]
    assert Scenario(Scenario({**PLAIN, "profile": "as-ns3"}).resolved).points[0].config(1)["radio"]["noise_floor"]


def test_an_event_can_switch_a_key_on() -> None:
    event = {"at": "0.5s", "kind": "set", "key": "mac.rts_threshold", "value": 0}
    scenario = {**PLAIN, "mac": {"rts_threshold": "off", "cts_rule": "medium-idle"}}
    with pytest.raises(hs.ScenarioError, match=r"mac.cts_rule: has no effect"):
        Scenario(scenario)
    assert Scenario({**scenario, "event": [event]}).points
