"""Random scenarios in which every preset, transport, control, ACK policy and routing protocol of the engine occurs."""

from __future__ import annotations

import random
from typing import Any

from hopscope import _core
from hopscope.errors import ScenarioError
from hopscope.scenario import Scenario
from hopscope.scenario import document as documents

PRESETS = [name for name, _ in _core.presets()]
TRANSPORTS = [name for name, _ in _core.transports()]
CONTROLS = [name for name, _ in _core.controls()]
ACKS = [name for name, _ in _core.ack_policies()]
ROUTINGS = [name for name, _ in _core.routings()]
PROFILES = _core.profiles()

#: What the presets of the modern formats begin with.
MODERN = ("ht-", "vht-", "he-")

MOBILITIES = [
    {"model": "random-waypoint", "speed_max": 20},
    {"model": "random-walk", "speed_max": 15},
    {"model": "gauss-markov"},
    {"model": "random-direction", "speed_max": 10},
]

APPS: list[dict[str, Any]] = [
    {"app": "bulk"},
    {"app": "file", "bytes": 80_000},
    {"app": "cbr", "rate": "400kbps"},
    {"app": "poisson", "rate": "300kbps"},
    {"app": "on-off", "rate": "600kbps", "on": "0.2s", "off": "0.1s"},
]


def configurations(count: int, seed: int) -> list[tuple[set[str], str, Scenario]]:
    """So many scenarios: the words that each was drawn from, its text, and what it means."""
    return [_sound(number, random.Random(f"{seed} {number}")) for number in range(count)]


def _sound(number: int, dice: random.Random) -> tuple[set[str], str, Scenario]:
    """The first scenario of a number that the command takes: not everything goes with everything."""
    while True:
        words, values = _drawn(number, dice)
        text = _core.to_toml(values)
        try:
            return words, text, Scenario.from_document(documents.parse(text))
        except ScenarioError:
            continue


def _drawn(number: int, dice: random.Random) -> tuple[set[str], dict[str, Any]]:
    """One scenario; its preset, transport, control, ACK policy and routing protocol follow its number."""
    preset = PRESETS[number % len(PRESETS)]
    is_modern = preset.startswith(MODERN)
    profile = "standard" if is_modern else dice.choice(PROFILES)
    routing = ROUTINGS[number % len(ROUTINGS)] if dice.random() < 0.7 else "static"
    nodes, topology = _topology(dice)
    words = {preset, profile, routing, str(topology["kind"])}
    scenario: dict[str, Any] = {
        "duration": "1s" if is_modern else "2s",
        "seed": dice.randint(1, 10_000),
        "profile": profile,
        "topology": topology,
        "radio": {"preset": preset},
        "mac": {"queue": dice.choice([5, 20, 50])},
        "routing": {"protocol": routing},
    }
    if not is_modern:
        scenario["mac"]["rts_threshold"] = dice.choice([0, 0, 500, "off"])
    words |= _radio(scenario, dice, is_modern)
    words |= _mac(scenario, dice, is_modern)
    if topology["kind"] == "random" and dice.random() < 0.6:
        scenario["mobility"] = dict(dice.choice(MOBILITIES))
        words.add(scenario["mobility"]["model"])
    if dice.random() < 0.2:
        scenario["explain"] = True
        words.add("explain")
    scenario["flow"] = [_flow(number + place, nodes, dice, words) for place in range(dice.choice([1, 1, 2, 3]))]
    return words, scenario


def _topology(dice: random.Random) -> tuple[int, dict[str, Any]]:
    hops = dice.randint(1, 6)
    area = {"area": [500, 400], "connected": True, "seed": dice.randint(1, 99)}
    return dice.choice(
        [
            (hops + 1, {"kind": "chain", "hops": hops}),
            (9, {"kind": "cross", "hops": 4}),
            (9, {"kind": "grid", "rows": 3, "cols": 3}),
            (12, {"kind": "random", "nodes": 12, **area}),
            (12, {"kind": "random", "nodes": 12, **area}),
        ]
    )


def _radio(scenario: dict[str, Any], dice: random.Random, is_modern: bool) -> set[str]:
    """Interference, fading, shadowing and errors."""
    radio, words = scenario["radio"], set()
    if dice.random() < 0.4:
        radio |= {"interference": "sinr", "error": {"kind": "sinr"}}
        words.add("sinr")
    elif dice.random() < 0.3:
        radio["error"] = dice.choice(
            [
                {"kind": "uniform", "per": 0.05},
                {"kind": "gilbert-elliott", "good_time": "0.2s", "bad_time": "20ms", "bad_per": 0.5},
            ]
        )
        words.add(radio["error"]["kind"])
    for key, choices in {"fading": ["rayleigh", "nakagami"], "shadowing": ["static", "correlated"]}.items():
        if dice.random() < 0.3:
            radio[key] = dice.choice(choices)
            words.add(radio[key])
    if dice.random() < 0.3:
        radio["propagation"] = dice.choice(["friis", "log-distance"])
        words.add(radio["propagation"])
    if is_modern and dice.random() < 0.7:
        radio["tx_range"] = 250
    return words


def _mac(scenario: dict[str, Any], dice: random.Random, is_modern: bool) -> set[str]:
    """Rate control, QoS and link layers."""
    mac, words = scenario["mac"], set()
    if is_modern:
        mac["qos"] = True
        words.add("qos")
        controls = ["minstrel-ht", "ideal"]
    else:
        controls = ["arf", "aarf", "minstrel", "ideal"]
    if dice.random() < 0.5:
        mac["rate_control"] = dice.choice(controls)
        words.add(mac["rate_control"])
    if not is_modern and dice.random() < 0.2:
        mac["link"] = dice.choice(["lred", "pacing", "red", "codel", "fq-codel"])
        words.add(mac["link"])
    return words


def _flow(number: int, nodes: int, dice: random.Random, words: set[str]) -> dict[str, Any]:
    source, sink = dice.sample(range(nodes), 2)
    transport = "tcp" if dice.random() < 0.25 else TRANSPORTS[number % len(TRANSPORTS)]
    flow: dict[str, Any] = {"from": source, "to": sink, "start": f"{dice.randint(0, 300)}ms", "transport": transport}
    words.add(transport)
    if transport == "udp":
        return flow | dice.choice(APPS[2:])
    flow |= dice.choice(APPS)
    if not transport.startswith("tcp"):
        return flow
    if transport == "tcp":
        flow["control"] = CONTROLS[number % len(CONTROLS)]
        words.add(f"control {flow['control']}")
    if dice.random() < 0.6:
        flow["ack"] = ACKS[number % len(ACKS)]
        words.add(f"ack {flow['ack']}")
    flow["max_window"] = dice.choice([4, 32, 128])
    return flow
