"""Nodes with several radios: the tables of a scenario, what a run gives, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import hopscope as hs
from hopscope.scenario import Scenario

HOPS = 6
CHANNELS = (36, 44, 52)


def chain(interfaces: list[dict[str, Any]], **more: Any) -> Scenario:
    return Scenario(
        {
            "duration": "5s",
            "topology": {"kind": "chain", "hops": HOPS},
            "flow": [{"from": 0, "to": "last", "transport": "udp", "app": "bulk"}],
            "interface": interfaces,
            **more,
        }
    )


def a_channel_for_each_hop() -> list[dict[str, Any]]:
    """Each node sends on the channel of the hop behind it and hears on that of the hop before it."""
    first = [{"nodes": [n], "number": 0, "channel": CHANNELS[min(n, HOPS - 1) % 3]} for n in range(HOPS + 1)]
    return first + [{"nodes": [n], "channel": CHANNELS[(n - 1) % 3]} for n in range(1, HOPS)]


def test_hops_on_channels_of_their_own_carry_what_one_hop_carries() -> None:
    single = hs.run(chain([]).replace({"topology.hops": 1}))
    apart = hs.run(chain(a_channel_for_each_hop()))
    shared = hs.run(chain([]))
    best, found, one = (r.points[0].runs[0]["flows"][0]["throughput_kbps"] for r in (single, apart, shared))
    # The last packets are under way when the run ends.
    assert 0.98 * best < found <= best
    assert one < 0.4 * best


def test_each_radio_has_a_row_with_its_channel() -> None:
    nodes = hs.run(chain(a_channel_for_each_hop())).points[0].runs[0]["nodes"]
    assert len(nodes) == HOPS + 1 + HOPS - 1
    assert [node.get("radio_of") for node in nodes] == [None] * (HOPS + 1) + list(range(1, HOPS))
    assert [node["channel"] for node in nodes[: HOPS + 1]] == [36, 44, 52, 36, 44, 52, 52]
    # Data goes out by the first radio, but for the last hop, whose channel the last two nodes share by it.
    assert all(node["data_sent"] > 0 for node in nodes[:HOPS])
    assert all(node["data_sent"] == 0 for node in nodes[HOPS:])


def test_a_document_keeps_its_interfaces() -> None:
    scenario = chain([{"number": 0, "channel": 6}, {"nodes": ["first", "last"], "channel": 11, "data_rate": "1Mbps"}])
    shown = scenario.resolved["interface"]
    assert [(table.get("nodes"), table["number"], table["channel"]) for table in shown] == [
        (None, 0, 6),
        ([0, 6], 1, 11),
    ]
    assert Scenario(scenario.resolved).points[0].config(1) == scenario.points[0].config(1)


@pytest.mark.parametrize(
    ("interfaces", "message"),
    [
        ([{"channel": 1}], "interface.0.channel: found 1; radios 0 and 1 of node 0 are both there"),
        ([{"channel": 2}], "interface.0.channel: channels 1 and 2 overlap in part"),
        ([{"nodes": [9], "channel": 6}], "interface.0.nodes: node 9 does not exist"),
        ([{"nodes": [2], "number": 2, "channel": 6}], "interface.0.number: found 2; node 2 has no radio 1"),
        ([{"nodes": [0], "number": 0, "channel": 6}], "flow.0.to: node 6 cannot be reached from node 0"),
        ([{"number": 9, "channel": 6}], "interface.0.number: found 9; must be at most 7"),
        ([{"nodes": [1]}], "interface.0.channel: is missing"),
        ([{"channel": 6, "width": 40}], "interface.0.width"),
        ([{"channel": 6, "data_rate": "3Mbps"}], "interface.0.data_rate: found 3 Mbit/s"),
    ],
)
def test_what_cannot_be_is_refused_by_name(interfaces: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(hs.ScenarioError) as error:
        chain(interfaces)
    assert message in str(error.value)
