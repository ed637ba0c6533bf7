"""What a scenario says of real stacks: which nodes there are, what runs on them, and what is not followed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.errors import InputError, counted, listed
from hopscope.live.flows import RealFlow, real_flows
from hopscope.scenario import Point, Scenario
from hopscope.tracing import pick
from hopscope.tracing.pick import OneRun

#: Most nodes: two octets of a MAC address, and what one machine carries in real time.
MOST_NODES = 1000

#: The routing of nodes without a daemon.
STATIC = "static"

#: Protocols of the engine that real packets can take: of their headers it reads the addresses alone.
ENGINE_ROUTING = ("aodv", "dsdv", "olsr", "babel")


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
        engine_routes: the engine routes the packets of the kernels, which take all nodes for neighbours.
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
    engine_routes: bool
    real_arp: bool
    duration_ns: int
    warmup_ns: int
    remarks: list[str] = field(default_factory=list)

    @property
    def ipv6(self) -> bool:
        """Whether some node needs IPv6."""
        from hopscope.live.daemons import DAEMONS

        return any(word in DAEMONS and DAEMONS[word].ipv6 for word in self.routings.values())


def chosen(
    what: str | Path | Mapping[str, Any] | Scenario,
    *,
    point: int | str = 0,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
) -> OneRun:
    """The run that is meant, as :func:`hopscope.tracing.pick` finds it; a folder holds simulations, and is refused.

    Raises:
        InputError: there is no such run.
    """
    if isinstance(what, (str, Path)) and Path(what).is_dir():
        raise InputError(f"{what}: is a folder; expected a scenario file")
    return pick(what, point=point, seed=seed, set=set, needs_flows=False)


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
    engine_routes = (protocol := config["routing"]["protocol"]) != STATIC
    if engine_routes and routings:
        node, word = next(iter(routings.items()))
        raise InputError(
            f'routing.protocol: found "{protocol}", and node {node} has the daemon {word}; one of them routes: take '
            "the other out"
        )
    return RealNetwork(
        nodes,
        config,
        flows,
        routings,
        exits,
        commands,
        engine_routes,
        bool(config["net"]["arp"]) and not engine_routes,
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
    if config.get("wires") or not all(host.get("wifi", True) for host in config.get("hosts", [])):
        raise InputError("topology: nodes without a radio and wires are simulated only; hopscope live has radios")
    if (protocol := config["routing"]["protocol"]) not in (STATIC, *ENGINE_ROUTING):
        raise InputError(
            f'routing.protocol: found "{protocol}"; real packets take {listed([STATIC, *ENGINE_ROUTING])} of '
            'the engine, or daemons: [[node]] routing = "babeld"'
        )


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
    """The next hop from every node to every other: that of static routes; where the engine routes, the other itself."""
    if network.engine_routes:
        return [[to if to != node else None for to in range(network.nodes)] for node in range(network.nodes)]
    return _core.next_hops({**network.config, "flows": []})


def hops(network: RealNetwork, routes: list[list[int | None]], flow: RealFlow) -> int | None:
    """Hops of the static route of a flow; None where routes are found at run time, or there is none."""
    if network.engine_routes or network.routings:
        return None
    node, count = flow.source, 0
    while node != flow.destination and count < network.nodes:
        following = routes[node][flow.destination]
        if following is None:
            return None
        node, count = following, count + 1
    return count
