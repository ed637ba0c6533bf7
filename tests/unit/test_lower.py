"""Lowering: every default is the engine's, every key of a file reaches the engine."""

from __future__ import annotations

import math
from typing import Any

import pytest

from hopscope import _core
from hopscope.scenario import Scenario, keys
from hopscope.scenario.document import from_mapping
from hopscope.scenario.fields import NS, Field
from hopscope.scenario.outside import Outside

BASE: dict[str, Any] = {"topology": {"kind": "chain", "hops": 2}, "flow": [{"from": 0, "to": 2}]}


def is_modern(preset: str) -> bool:
    """The preset brings QoS, which ns-2 has not."""
    return preset.split("-", maxsplit=1)[0] in ("ht", "vht", "he")


PAIRS = [(profile, preset) for profile in _core.profiles() for preset, _ in _core.presets()]


@pytest.mark.parametrize(("profile", "preset"), [pair for pair in PAIRS if pair[0] != "ns2" or not is_modern(pair[1])])
def test_defaults_are_the_engines_field_by_field(profile: str, preset: str) -> None:
    config = Scenario({**BASE, "profile": profile, "radio": {"preset": preset}}).points[0].config(1)
    base = _core.base_config(profile, preset)
    for section in ("radio", "mac", "net"):
        assert config[section] == base[section]
    assert config["flows"][0]["tcp"] == base["tcp"]
    assert {p.name for p in keys.parameters("routing")} == config["routing"].keys()


def test_every_parameter_of_the_engine_is_a_key_of_its_section() -> None:
    base = _core.base_config("standard", "wavelan-2M")
    for section in (*keys.ENGINE_SECTIONS, *keys.routing_protocols()):
        names = {entry.name for entry in keys.parameters(section)}
        if section in base:
            assert names == base[section].keys()
        fields = {f.name: f for f in keys.engine(section)}
        if section == "link":
            names.remove("layer")  # it stands in the file as mac.link
        inner = {f"error_{f.name}" for f in fields["error"].fields} if "error" in fields else set()
        assert names <= fields.keys() | inner


def other_value(field: Field, default: Any) -> Any:
    """A value of the field that differs from its default, as a file would hold it."""
    if field.kind in {"flag", "flag-or-own"}:
        return not default
    if field.kind == "choice":
        return next((word for word in field.choices if word != default), default)
    if field.kind == "int-list":
        return [0, 1] if field.name == "nodes" else [1_000_000, 5_500_000]
    if field.kind == "float-list":
        return [0.5, 0.25]
    if field.kind == "float-rows":
        return [[0.5, 0.5], [0.0, 1.0]]
    if field.kind == "node-pairs":
        return [[0, 1]]
    if field.kind == "time":
        return (default + 1000) / NS
    if field.kind == "float":
        if field.maximum is not None and field.maximum <= 1.0:
            return 0.25 if default == 0.5 else 0.5
        return default + 1.0
    least, most = field.minimum or 0, field.maximum or math.inf
    value = (default or 0) + 1
    return value if least <= value <= most else max(int(least), 1)


#: Keys of the file alone: named settings, and what becomes something else than a parameter of its section.
OF_FILE = {"preset", "link", "rssi_trace", "loss_trace", "untraced", "time_origin"}


@pytest.mark.parametrize("section", [name for name in keys.ENGINE_SECTIONS if name != "mobility"])
def test_every_key_reaches_the_engine(section: str) -> None:
    base = _core.base_config("standard", "wavelan-2M")
    for field in keys.engine(section):
        if field.kind == "table" or field.name in OF_FILE or section == "routing" or field.when is not None:
            continue  # those with a condition: tests/unit/test_effects.py
        default = base[section][field.name]
        value = other_value(field, default)
        document = from_mapping({**BASE, section: {field.name: value}})
        resolved = _core.resolve(document.values, Outside(document), _core.Common())
        assert not resolved.problems
        config = resolved.config(1)
        found = config["flows"][0]["tcp"] if section == "tcp" else config[section]
        assert found[field.name] == field.read(value) != default, field.name
        assert {k: v for k, v in found.items() if k != field.name} == {
            k: v for k, v in base[section].items() if k != field.name
        }


def test_channel_errors_have_their_own_table() -> None:
    error = {"kind": "uniform", "per": "4%", "applies_to": "data", "on_error": "drop"}
    radio = Scenario({**BASE, "radio": {"error": error}}).points[0].config(1)["radio"]
    assert radio["error_kind"] == "uniform"
    assert radio["error_per"] == 0.04
    assert radio["error_applies_to"] == "data"
    assert radio["error_on_error"] == "drop"


def test_the_link_layer_is_named_under_mac_and_has_its_parameters_in_link() -> None:
    scenario = Scenario({**BASE, "mac": {"link": "lred+pacing"}, "link": {"lred_min": 1.5, "nodes": [1]}})
    link = scenario.points[0].config(1)["link"]
    assert (link["layer"], link["lred_min"], link["lred_max"], link["nodes"]) == ("lred+pacing", 1.5, 3.2, [1])
    resolved = scenario.points[0].resolved
    assert resolved["mac"]["link"] == "lred+pacing"
    assert resolved["link"]["lred_min"] == 1.5


def test_rts_can_be_off() -> None:
    assert Scenario({**BASE, "mac": {"rts_threshold": "off"}}).points[0].config(1)["mac"]["rts_threshold"] is None


def test_tcp_parameters_of_a_flow_override_those_of_all() -> None:
    flows = [{"from": 0, "to": 2, "tcp": {"min_rto": "2s"}}, {"from": 2, "to": 0}]
    config = Scenario({**BASE, "flow": flows, "tcp": {"min_rto": "3s", "initial_window": 4}}).points[0].config(1)
    assert [f["tcp"]["min_rto"] for f in config["flows"]] == [2 * NS, 3 * NS]
    assert [f["tcp"]["initial_window"] for f in config["flows"]] == [4, 4]


def test_applications_take_their_keys() -> None:
    flows = [
        {"from": 0, "to": 2, "app": "file", "bytes": "10MB"},
        {
            "from": 0,
            "to": 2,
            "transport": "udp",
            "app": "cbr",
            "rate": "290kbps",
            "packet": 512,
            "start": 1,
            "stop": "2s",
        },
        {"from": 0, "to": 2, "transport": "udp", "app": "on-off", "rate": "1Mbps", "on": "1s", "off": "500ms"},
    ]
    file, cbr, on_off = Scenario({**BASE, "flow": flows}).points[0].config(1)["flows"]
    assert file["app"] == {"kind": "file", "bytes": 10_000_000}
    assert cbr["app"] == {"kind": "cbr", "rate": 290_000.0, "jitter": "none", "packets": 0}
    assert (cbr["packet"], cbr["start"], cbr["stop"]) == (512, NS, 2 * NS)
    assert on_off["app"] == {"kind": "on-off", "rate": 1e6, "on": NS, "off": NS // 2}


def test_a_run_has_its_seed_duration_and_series() -> None:
    scenario = Scenario({**BASE, "duration": "30s", "warmup": 5, "series": {"keep": ["queue"], "interval": "100ms"}})
    config = scenario.points[0].config(7)
    assert (config["seed"], config["duration"], config["warmup"]) == (7, 30 * NS, 5 * NS)
    assert config["series"] == {"keep": ["queue"], "interval": NS // 10}
    assert scenario.points[0].engine_config(7).values() == _core.Config(config).values()


def test_contract_defaults() -> None:
    scenario = Scenario(BASE)
    assert (scenario.seed, scenario.seeds, scenario.resolved["duration"], scenario.resolved["profile"]) == (
        1,
        1,
        300,
        "standard",
    )
    flow = scenario.resolved["flow"][0]
    assert (flow["transport"], flow["app"], flow["packet"], flow["max_window"]) == ("tcp-newreno", "bulk", 1460, 32)
    assert (flow["start"], flow["ack"]) == (0, "every")
    assert "ack_delay" not in flow, "it has no effect with this policy"
    assert scenario.replace({"flow.0.ack": "delayed"}).resolved["flow"][0]["ack_delay"] == 0.2
    assert scenario.resolved["radio"]["preset"] == "wavelan-2M"
