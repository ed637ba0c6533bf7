"""Flows of a scenario that run on kernels: what each asks of a socket, and which are left out by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopscope.errors import InputError, listed

#: Congestion controls of a scenario that the kernel has under another name.
_CONTROLS = {"newreno": "reno", "sack": "reno", "tahoe": ""}

#: The kernel's list of congestion controls.
_AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")

#: Port of the first flow; the others follow.
FIRST_PORT = 5001

#: Octets of number and instant at the head of a datagram.
LEAST_DATAGRAM = 16

#: Octets of IPv4 and TCP headers, and of the timestamps option with its padding (RFC 7323).
HEADERS, STAMPS = 40, 12

#: What a frame of Ethernet carries, which is what an interface takes unless flows ask for more.
USUAL_MTU = 1500


@dataclass(frozen=True)
class RealFlow:
    """A flow on kernels.

    Attributes:
        number: as in results.
        source, destination: nodes.
        transport: as results name it, with the congestion control.
        control: the kernel's congestion control; empty: UDP.
        port: of the receiver.
        packet: payload of a segment or datagram in octets.
        window: octets that the receiver offers (``max_window`` segments).
        start_ns, stop_ns: when its application begins, and ends; None: with the run.
        limit: octets to send (``app = "file"``); None: as many as go.
        rate: payload bits a second (``app = "cbr"``); None: as fast as the window allows.
        timestamps, ecn: options of TCP.
        group: name under which its results are added up; None: none.
    """

    number: int
    source: int
    destination: int
    transport: str
    control: str
    port: int
    packet: int
    window: int
    start_ns: int
    stop_ns: int | None
    limit: int | None
    rate: float | None
    timestamps: bool
    ecn: bool
    group: str | None = None

    @property
    def is_tcp(self) -> bool:
        """Whether it runs over TCP."""
        return bool(self.control)

    @property
    def mtu(self) -> int:
        """Octets of its packets with headers."""
        return self.packet + HEADERS + (STAMPS if self.timestamps else 0)


def real_flows(config: Mapping[str, Any]) -> tuple[list[RealFlow], list[str]]:
    """Returns the flows of an engine's configuration, and what of them is not followed.

    Raises:
        InputError: a flow cannot run on kernels.
    """
    flows = [_flow(number, flow) for number, flow in enumerate(config["flows"])]
    _check_stacks(flows)
    if not any(flow.is_tcp for flow in flows):
        return flows, []
    left = "flows run on the kernel's TCP, with its ACK policy, recovery and timers: ack and [tcp] are not followed"
    return flows, [f"{left} but for timestamps and ecn"]


def _flow(number: int, flow: Mapping[str, Any]) -> RealFlow:
    transport = str(flow["transport"])
    app = flow["app"]
    if flow.get("reply"):
        raise _refusal(number, "reply", "an answer runs in the engine only")
    is_tcp = transport.startswith("tcp")
    if not is_tcp and transport != "udp":
        raise _refusal(number, "transport", f'"{transport}" runs in the engine only; kernels run TCP and UDP')
    possible = ("bulk", "file") if is_tcp else ("cbr",)
    if app["kind"] not in possible:
        word = "TCP" if is_tcp else "UDP"
        raise _refusal(number, "app", f'"{app["kind"]}" runs in the engine only; over {word}: {listed(possible)}')
    tcp = flow["tcp"]
    packet = int(flow["packet"])
    if not is_tcp and packet < LEAST_DATAGRAM:
        raise _refusal(number, "packet", f"found {packet}; a datagram on kernels has a head of {LEAST_DATAGRAM} bytes")
    control = _word(transport, flow.get("control"))
    return RealFlow(
        number=number,
        source=flow["from"],
        destination=flow["to"],
        transport=f"tcp-{control}" if is_tcp else transport,
        control=_control(number, control) if is_tcp else "",
        port=int(flow.get("to_port") or FIRST_PORT + number),
        packet=packet,
        window=int(flow["max_window"]) * packet,
        start_ns=flow["start"],
        stop_ns=flow["stop"],
        limit=app.get("bytes"),
        rate=app.get("rate"),
        timestamps=is_tcp and bool(tcp["timestamps"]),
        ecn=is_tcp and bool(tcp["ecn"]),
        group=flow.get("group"),
    )


def _word(transport: str, control: object) -> object:
    """The word of a flow's congestion control; something else of one of a user's own."""
    return (transport.partition("-")[2] or "newreno") if control is None else control


def _control(number: int, word: object) -> str:
    """The kernel's word for a congestion control.

    Raises:
        InputError: the kernel has it not.
    """
    found = _CONTROLS.get(word, word) if isinstance(word, str) else ""
    there = _AVAILABLE.read_text().split() if _AVAILABLE.exists() else []
    if found not in there:
        shown = word if isinstance(word, str) else "one of your own"
        raise _refusal(number, "transport", f'this kernel has no control "{shown}"; it has {listed(there)}')
    return found


def _check_stacks(flows: list[RealFlow]) -> None:
    """Timestamps and ECN are settings of a node's stack: its flows must agree on them.

    Raises:
        InputError: they do not.
    """
    known: dict[int, RealFlow] = {}
    for flow in (flow for flow in flows if flow.is_tcp):
        for node in (flow.source, flow.destination):
            other = known.setdefault(node, flow)
            if (other.timestamps, other.ecn) != (flow.timestamps, flow.ecn):
                raise InputError(
                    f"flow.{flow.number}.tcp: timestamps and ecn are those of the stack of node {node}, and "
                    f"flow.{other.number} has others there"
                )


def _refusal(number: int, key: str, why: str) -> InputError:
    return InputError(f"flow.{number}.{key}: {why} (--simulated-flows leaves all flows in the engine)")
