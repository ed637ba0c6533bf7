"""What of a scenario real stacks follow, and what they refuse or leave out by name."""

from __future__ import annotations

from typing import Any

import pytest
from leftovers import CHAIN

import hopscope as hs
from hopscope.errors import InputError
from hopscope.live.flows import real_flows
from hopscope.live.plan import RealNetwork, hops, next_hops, plan
from hopscope.scenario import Scenario


def planned(*, simulated_flows: bool = False, **keys: Any) -> RealNetwork:
    scenario = Scenario({**CHAIN, **keys})
    return plan(scenario.points[0], 1, simulated_flows=simulated_flows)


def test_flows_go_to_the_kernels_and_are_not_in_the_engine() -> None:
    real = planned()
    assert real.config["flows"] == []
    tcp, udp = real.flows
    assert (tcp.control, tcp.window, tcp.port, tcp.mtu) == ("reno", 8 * 1460, 5001, 1500)
    assert (udp.control, udp.rate, udp.packet, udp.port) == ("", 80_000, 500, 5002)
    assert ["ack" in remark for remark in real.remarks] == [True]


def test_simulated_flows_stay_in_the_engine() -> None:
    real = planned(simulated_flows=True)
    assert (len(real.config["flows"]), real.flows, real.remarks) == (2, [], [])


def test_timestamps_make_the_packet_longer_and_not_its_payload_shorter() -> None:
    [flow, _] = real_flows(Scenario({**CHAIN, "tcp": {"timestamps": True}}).points[0].config(1))[0]
    assert (flow.packet, flow.mtu) == (1460, 1512)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"routing": {"protocol": "dsr"}},
            'found "dsr"; real packets take "static", "aodv", "dsdv", "olsr", "babel" of the engine, or daemons',
        ),
        (
            {"routing": {"protocol": "aodv"}, "node": [{"node": 2, "routing": "babeld"}]},
            'routing.protocol: found "aodv", and node 2 has the daemon babeld; one of them routes: take the other out',
        ),
        (
            {"topology": {"kind": "chain", "hops": 1200, "spacing": 200}},
            "found 1201 nodes; on real stacks at most 1000",
        ),
        ({"flow": [{"from": 0, "to": 3, "transport": "dccp"}]}, 'flow.0.transport: "dccp" runs in the engine only'),
        (
            {"flow": [{"from": 0, "to": 3, "transport": "tcp-vegas"}]},
            'flow.0.transport: this kernel has no control "vegas"',
        ),
        (
            {"flow": [{"from": 0, "to": 3, "transport": "udp", "app": "file", "bytes": 900}]},
            'flow.0.app: "file" runs in the engine only; over UDP: "cbr"',
        ),
        ({"flow": [{"from": 0, "to": 3, "reply": {}}]}, "flow.0.reply: an answer runs in the engine only"),
        (
            {"flow": [{"from": 0, "to": 3, "transport": "udp", "app": "cbr", "rate": "1kbps", "packet": 8}]},
            "flow.0.packet: found 8; a datagram on kernels has a head of 16 bytes",
        ),
        (
            {"flow": [{"from": 0, "to": 3}, {"from": 1, "to": 3, "tcp": {"timestamps": True}}]},
            "flow.1.tcp: timestamps and ecn are those of the stack of node 3",
        ),
        (
            {"event": [{"at": "500ms", "kind": "flow-stop", "flow": 0}]},
            'event.0.kind: found "flow-stop"; flows run on the kernels',
        ),
    ],
)
def test_what_real_stacks_cannot_have_is_refused_by_name(
    keys: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Available:
        def exists(self) -> bool:
            return True

        def read_text(self) -> str:
            return "reno bbr cubic\n"

    monkeypatch.setattr("hopscope.live.flows._AVAILABLE", Available())
    with pytest.raises(InputError) as refused:
        planned(**keys)
    assert str(refused.value).startswith(message) or message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_wires_are_simulated_only() -> None:
    wire = {"from": 0, "to": 1, "rate": "1Mbps", "delay": "1ms"}
    with pytest.raises(InputError, match="nodes without a radio and wires are simulated only"):
        planned(topology={"kind": "wired", "wired": 2}, wire=[wire], flow=[{"from": 0, "to": 1}])


def test_programs_and_daemons_are_those_of_the_tables() -> None:
    real = planned(
        node=[
            {"routing": "babeld"},
            {"node": "last", "run": "iperf3 -s", "on_exit": "go-on"},
            {"nodes": [0, 1], "run": ["true", "false"]},
        ]
    )
    assert real.routings == dict.fromkeys(range(4), "babeld")
    assert real.routing_exit[3] == "failure"
    found = [(command.node, command.text, command.on_exit, command.key) for command in real.commands]
    assert found == [
        (3, "iperf3 -s", "go-on", "node.1.run"),
        (0, "true", "failure", "node.2.run"),
        (0, "false", "failure", "node.2.run"),
        (1, "true", "failure", "node.2.run"),
        (1, "false", "failure", "node.2.run"),
    ]
    assert real.ipv6


def test_static_routes_are_the_shortest_of_the_engine() -> None:
    assert next_hops(planned()) == [[None, 1, 1, 1], [0, None, 2, 2], [1, 1, None, 3], [2, 2, 2, None]]
    cut = planned(
        topology={"kind": "positions", "positions": [[0, 0], [200, 0], [900, 0]]}, flow=[{"from": 0, "to": 1}]
    )
    assert next_hops(cut) == [[None, 1, None], [0, None, None], [None, None, None]]


@pytest.mark.parametrize("protocol", ["aodv", "dsdv", "olsr"])
def test_where_the_engine_routes_kernels_take_all_nodes_for_neighbours(protocol: str) -> None:
    real = planned(routing={"protocol": protocol}, net={"arp": True})
    assert (real.engine_routes, real.real_arp) == (True, False)
    routes = next_hops(real)
    assert routes[0] == [None, 1, 2, 3]
    assert hops(real, routes, real.flows[0]) is None


def test_hops_are_those_of_static_routes() -> None:
    real = planned()
    assert [hops(real, next_hops(real), flow) for flow in real.flows] == [3, 3]
    real = planned(node=[{"routing": "babeld"}])
    assert hops(real, next_hops(real), real.flows[0]) is None


def test_the_ledger_may_be_kept() -> None:
    assert planned(explain=True).config["explain"]


def test_a_network_for_programs_alone_needs_no_flow_and_cannot_be_simulated() -> None:
    keys = {"topology": CHAIN["topology"], "node": [{"routing": "babeld"}]}
    assert plan(Scenario(keys).points[0], 1, simulated_flows=False).flows == []
    with pytest.raises(InputError, match=r"flow: is missing; a simulation has at least one \[\[flow\]\]"):
        hs.run(keys, progress=False)


def test_a_simulation_says_that_it_leaves_programs_out() -> None:
    scenario = Scenario({**CHAIN, "node": [{"node": 0, "run": "ping $n3"}]})
    said = 'node: "run" of [[node]] run on real stacks (hopscope live); a simulation leaves them out'
    assert said in scenario.warnings()
    assert scenario.points[0].remark_on_programs == said
    assert Scenario(CHAIN).points[0].remark_on_programs == ""


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([{"node": 9}], "node.0.node: node 9 does not exist; nodes are 0 to 3"),
        ([{"node": 1, "nodes": [2]}], "node.0: has both node and nodes"),
        (
            [{"routing": "babeld"}, {"node": 2, "routing": "bird"}],
            "node.1.routing: node 2 has the routing of node.0 already",
        ),
        ([{"routing": "x"}], 'node.0.routing: found "x"; '),
        ([{"run": 3}], "node.0.run: found 3; expected text or a list of texts"),
        ([{"on_exit": "x"}], 'node.0.on_exit: found "x"; '),
    ],
)
def test_a_table_that_cannot_be_followed_is_refused(tables: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError) as refused:
        Scenario({**CHAIN, "node": tables})
    assert str(refused.value).startswith(message)
