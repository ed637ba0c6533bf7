"""``[[wire]]`` tables, nodes without radios, and access points."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import hopscope as hs
from hopscope.errors import ScenarioError

NS = 1_000_000_000
WIRE = {"from": 2, "to": "last", "rate": "10 Mbps", "delay": "5 ms"}


def mixed(*wires: dict[str, Any], **changes: Any) -> hs.Scenario:
    """A chain of three radio nodes and two nodes without a radio, 3 and 4."""
    return hs.Scenario(
        **{
            "duration": "10s",
            "topology": {"kind": "chain", "hops": 2, "wired": 2},
            "flow": [{"from": 0, "to": 4}],
            "wire": list(wires),
            **changes,
        }
    )


def refusal(*wires: dict[str, Any], **changes: Any) -> str:
    with pytest.raises(ScenarioError) as error:
        mixed(*wires, **changes)
    return str(error.value)


def test_a_wire_reaches_the_engine_with_numbers_for_words() -> None:
    point = mixed({**WIRE, "link": "fq-codel", "loss": 0.01, "back_loss": 0}).points[0]
    config = point.config(1)
    assert config["hosts"] == [{"nodes": [3, 4], "wifi": False}]
    assert config["wires"] == [
        {
            "ends": [2, 4], "rate": 10_000_000, "back_rate": None, "delay": NS // 200, "queue": 50, "link": "fq-codel",
            "loss": 0.01, "back_loss": 0.0, "loss_period": 0, "loss_offset": 0,
            "jitter": 0, "jitter_reorders": False, "reorder": 0.0, "reorder_delay": 0,
        }
    ]  # fmt: skip
    assert point.resolved["wire"][0]["delay"] == 0.005
    assert point.resolved["topology"]["wired"] == 2


def test_a_network_without_wires_is_lowered_as_before() -> None:
    config = hs.Scenario(topology={"kind": "chain", "hops": 2}, flow=[{"from": 0, "to": 2}]).points[0].config(1)
    assert {"hosts", "wires"}.isdisjoint(config)


def test_delays_that_differ_reach_the_engine_and_impossible_ones_are_named() -> None:
    wire = mixed({**WIRE, "jitter": "2 ms", "reorder": 0.05, "reorder_delay": "4 ms"}).points[0].config(1)["wires"][0]
    assert (wire["jitter"], wire["reorder"], wire["reorder_delay"]) == (2_000_000, 0.05, 4_000_000)
    assert "wire.0.reorder: found 0.1; a wire without delay" in refusal({**WIRE, "delay": 0, "reorder": 0.1})
    assert "wire.0.reorder" in refusal({**WIRE, "reorder": 1.5})


def test_wires_can_be_set_and_swept() -> None:
    scenario = mixed(WIRE)
    assert scenario.replace({"wire.0.rate": "1 Mbps"}).points[0].config(1)["wires"][0]["rate"] == 1_000_000
    swept = scenario.replace({"sweep.wire.*.delay": ["1 ms", "2 ms"]})
    assert [point.config(1)["wires"][0]["delay"] for point in swept.points] == [1_000_000, 2_000_000]


def test_an_access_point_is_the_chain_of_the_study() -> None:
    scenario = hs.Scenario(
        duration="20s",
        profile="ns2",
        radio={"preset": "wavelan-11M"},
        topology={"kind": "access"},
        flow=[{"pattern": "across", "app": "cbr", "rate": "100 kbps", "transport": "udp"}],
    )
    config = scenario.points[0].config(1)
    assert config["nodes"][:5] == [[150.0 * n, 0.0] for n in range(5)]
    assert (config["radio"]["tx_range"], config["radio"]["cs_range"]) == (200.0, 350.0)
    assert [wire["ends"] for wire in config["wires"]] == [[2, 5]]
    assert [(flow["from"], flow["to"]) for flow in config["flows"]] == [(5, 0), (5, 4)]
    flows = hs.run(scenario, progress=False).flows
    assert flows["throughput_kbps"].to_list() == pytest.approx([100.0, 100.0], rel=0.02)


@pytest.mark.parametrize(
    ("wire", "message"),
    [
        ({**WIRE, "to": 9}, "wire.0.to: node 9 does not exist; nodes are 0 to 4"),
        ({**WIRE, "to": 2}, "wire.0.to: a wire joins two different nodes, found 2 twice"),
        ({**WIRE, "rate": 0}, "wire.0.rate: found 0; must be at least 1 bit/s"),
        ({**WIRE, "loss": 2}, "wire.0.loss: found 2; must be at most 1"),
        ({**WIRE, "link": "lred"}, 'found "lred" (did you mean mac.link = "lred"?); expected "plain", or '),
        ({"from": 2, "to": 4, "rate": "1 Mbps"}, "wire.0.delay: is missing"),
        ({**WIRE, "mtu": 1500}, "wire.0.mtu: unknown key; allowed: from, to, rate"),
    ],
)  # fmt: skip
def test_what_no_wire_can_be_is_refused_with_its_place(wire: dict[str, Any], message: str) -> None:
    assert message in refusal(wire)


def test_a_flow_across_parts_without_a_gateway_is_refused() -> None:
    message = refusal({**WIRE, "from": 3})
    assert "flow.0.to: node 4 cannot be reached from node 0: no chain of" in message
    assert "neighbours within tx_range and wires joins them" in message


def test_parts_that_nothing_joins_are_reported_under_a_routing_protocol() -> None:
    apart = mixed({**WIRE, "from": 3}, routing={"protocol": "aodv"})
    assert apart.warnings() == ["flow.0: no chain of neighbours within radio.tx_range and wires joins nodes 0 and 4"]
    assert mixed(WIRE, routing={"protocol": "aodv"}).warnings() == []


def test_random_flows_run_between_nodes_with_radios() -> None:
    flows = [{"pattern": "random", "copies": 6}]
    config = mixed(WIRE, flow=flows).points[0].config(1)
    assert {node for flow in config["flows"] for node in (flow["from"], flow["to"])} <= {0, 1, 2}


def test_results_report_the_use_of_each_direction(tmp_path: Path) -> None:
    flow = {"from": 2, "to": 4, "transport": "udp", "app": "cbr", "rate": "2 Mbps", "packet": 1000}
    scenario = mixed({**WIRE, "rate": "1 Mbps", "queue": 10, "loss": 0.1, "back_loss": 0}, flow=[flow], warmup="1s")
    result = hs.run(scenario, out=tmp_path / "store", progress=False)
    there, back = (row for _, row in result.wires.iterrows())
    assert [there["from"], there["to"], back["from"], back["to"]] == [2, 4, 4, 2]
    assert there["use_pct"] == pytest.approx(100, abs=0.2)
    assert there["lost_packets"] == pytest.approx(0.1 * there["sent_packets"], rel=0.25)
    # Twice as much comes as can leave.
    assert there["dropped_packets"] == pytest.approx(there["sent_packets"], rel=0.07)
    assert 9 < there["queue_mean"] <= there["queue_max"] == 10
    assert back[["use_pct", "sent_packets", "lost_packets", "dropped_packets", "queue_max"]].sum() == 0
    assert result.interval("wire.0.use_pct").mean == there["use_pct"]
    assert len(pd.read_parquet(tmp_path / "store" / "wires.parquet")) == 2
