"""What a scenario says of real stacks: which nodes there are, what runs on them, and what is not followed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hopscope import _core
from hopscope.errors import InputError, counted
from hopscope.live.flows import RealFlow, real_flows
from hopscope.scenario import Point

#: Most nodes: two octets of a MAC address, and what one machine carries in real time.
MOST_NODES = 1000

#: The routing of nodes without a daemon.
STATIC = "static"


@dataclass(frozen=True)
class Command:
    """A program of the scenario.

    Attributes:
        node: where it runs.
        text: the command for a shell.
        on_exit: what becomes of the run when it ends: "failure", "end" or "go-on".
        key: where it stands, for messages.
    """

    node: int
    text: str
    on_exit: str
    key: str


@dataclass(frozen=True)
class RealNetwork:
    """A point of a scenario as real stacks have it.

    Attributes:
        nodes: how many there are.
        config: the engine's configuration, without the flows that run on kernels.
        flows: those flows.
        routings: node -> word of its routing daemon; nodes without one have static routes.
        routing_exit: node -> what becomes of the run when its daemon ends.
        commands: programs in the order of the file.
        real_arp: nodes ask for addresses over the radio (``net.arp``).
        duration_ns: end of the run.
        warmup_ns: goodput counts from here.
        remarks: what of the scenario is not followed, in words.
    """

    nodes: int
    config: dict[str, Any]
    flows: list[RealFlow]
    routings: dict[int, str]
    routing_exit: dict[int, str]
    commands: list[Command]
    real_arp: bool
    duration_ns: int
    warmup_ns: int
    remarks: list[str] = field(default_factory=list)

    @property
    def ipv6(self) -> bool:
        """Whether some node needs IPv6."""
        from hopscope.live.daemons import DAEMONS

        return any(word in DAEMONS and DAEMONS[word].ipv6 for word in self.routings.values())


def plan(point: Point, seed: int, *, simulated_flows: bool) -> RealNetwork:
    """Reads a point of a scenario for real stacks.

    Args:
        point: the point.
        seed: of the run.
        simulated_flows: leave its flows in the engine.

    Raises:
        InputError: it has what real stacks cannot have.
    """
    config = point.config(seed)
    resolved = point.resolved
    nodes = len(config["nodes"])
    _refuse(config, nodes)
    if any(point.controls()):
        raise InputError("flow: code of your own runs in simulations; take its control or ACK policy out")
    flows: list[RealFlow] = []
    remarks: list[str] = []
    if not simulated_flows:
        flows, remarks = real_flows(config)
        _refuse_flow_events(config)
        config["flows"] = []
    routings, exits, commands = _programs(resolved.get("node", []), nodes)
    return RealNetwork(
        nodes,
        config,
        flows,
        routings,
        exits,
        commands,
        bool(config["net"]["arp"]),
        config["duration"],
        config["warmup"],
        remarks,
    )


def _refuse(config: Mapping[str, Any], nodes: int) -> None:
    """Refuses networks that cannot be on real stacks.

    Raises:
        InputError: it is such a network.
    """
    if nodes > MOST_NODES:
        raise InputError(f"topology: found {counted(nodes, 'node')}; on real stacks at most {MOST_NODES}")
    if config.get("wires") or config.get("hosts"):
        raise InputError("topology: nodes without a radio and wires are simulated only; hopscope live has radios")
    if (protocol := config["routing"]["protocol"]) != "static":
        raise InputError(
            f'routing.protocol: found "{protocol}"; the kernels route under hopscope live: take it out, and name a '
            'daemon with [[node]] routing = "babeld"'
        )
    if config.get("explain"):
        raise InputError("explain: the airtime ledger is that of a simulation; leave it out")


def _refuse_flow_events(config: Mapping[str, Any]) -> None:
    for number, event in enumerate(config.get("events", [])):
        kind = event["change"]["kind"]
        if kind.startswith("flow-"):
            raise InputError(
                f'event.{number}.kind: found "{kind}"; flows run on the kernels, which keep the times of [[flow]] '
                "alone (--simulated-flows leaves them in the engine)"
            )


def _programs(tables: Iterable[Mapping[str, Any]], nodes: int) -> tuple[dict[int, str], dict[int, str], list[Command]]:
    """The routing of each node that has a daemon, what its end means, and the programs of all."""
    routings: dict[int, str] = {}
    exits: dict[int, str] = {}
    commands: list[Command] = []
    for number, table in enumerate(tables):
        where = [table["node"]] if "node" in table else table.get("nodes", range(nodes))
        for node in where:
            if table["routing"] != STATIC:
                routings[node] = table["routing"]
                exits[node] = table["on_exit"]
            for text in table.get("run", []):
                commands.append(Command(node, text, table["on_exit"], f"node.{number}.run"))
    return routings, exits, commands


def next_hops(network: RealNetwork) -> list[list[int | None]]:
    """The next hop from every node to every other, as the static routing of the engine chooses it."""
    return _core.next_hops({**network.config, "flows": []})
