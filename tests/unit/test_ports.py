"""Ports of a flow: given or free, and refused by name where two flows want one."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

import hopscope as hs
from hopscope.scenario.keys import schema


def two(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    ends = {"from": 0, "to": 2}
    return {
        "duration": "5s",
        "topology": {"kind": "chain", "hops": 2},
        "flow": [{**ends, **first}, {**ends, **second}],
    }


def test_ports_are_given_or_left_to_the_engine() -> None:
    scenario = hs.Scenario(two({"from_port": 4000, "to_port": 80}, {}))
    given, free = scenario.points[0].config(1)["flows"]
    assert (given["from_port"], given["to_port"]) == (4000, 80)
    assert not {"from_port", "to_port"} & free.keys()
    resolved = scenario.resolved["flow"]
    assert (resolved[0]["from_port"], resolved[0]["to_port"]) == (4000, 80)
    assert "to_port" not in resolved[1]
    assert hs.Scenario(scenario.resolved).resolved == scenario.resolved


def test_a_port_is_a_name_and_changes_nothing_else() -> None:
    plain, named = hs.run(two({}, {})), hs.run(two({"from_port": 1, "to_port": 65_535}, {"to_port": 80}))
    assert named.points[0].runs[0]["flows"] == plain.points[0].runs[0]["flows"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"to_port": 80}, {"to_port": 80, "transport": "udp"}),
        ({"to_port": 80}, {"to_port": 80, "from": 2, "to": 0}),
        ({"from_port": 80}, {"to_port": 80}),
    ],
)
def test_protocols_and_nodes_have_ports_of_their_own(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert not hs.run(two(first, second)).failures


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({"to_port": 80}, {"to_port": 80}, "flow.1.to_port: found 80; flow 0 uses this TCP port of node 2 already"),
        (
            {"to_port": 80, "transport": "tcp-vegas"},
            {"to_port": 80, "transport": "tcp", "control": "cubic"},
            "flow.1.to_port: found 80; flow 0 uses this TCP port of node 2 already",
        ),
        (
            {"from_port": 80, "transport": "udp"},
            {"from_port": 80, "transport": "udp"},
            "flow.1.from_port: found 80; flow 0 uses this UDP port of node 0 already",
        ),
        ({"from_port": 0}, {}, "flow.0.from_port: found 0; must be at least 1"),
        ({"to_port": 65_536}, {}, "flow.0.to_port: found 65536; must be at most 65535"),
        ({"to_port": "http"}, {}, 'flow.0.to_port: "http" is no number'),
        ({"port": 80}, {}, 'flow.0.port: unknown key (did you mean "to_port"'),
        ({"to_port": 80, "copies": 2}, {}, "flow.0.to_port: found 80 for 2 copies; a port belongs to one flow"),
    ],
)
def test_what_cannot_be_is_refused_by_name(first: dict[str, Any], second: dict[str, Any], message: str) -> None:
    with pytest.raises(hs.ScenarioError) as caught:
        hs.Scenario(two(first, second))
    assert message in str(caught.value)


def test_the_schema_knows_ports() -> None:
    validator = jsonschema.Draft202012Validator(schema())
    assert validator.is_valid(two({"from_port": 4000, "to_port": 80}, {}))
    for port in (0, 65_536, True):
        assert not validator.is_valid(two({"to_port": port}, {}))
