"""The stack of one node: settings of its kernel, its radio, its addresses, neighbours and routes.

Everything here is done inside the node's namespace.  Offloads need no switching off: a TAP device without its own
header offers the kernel none (linux/if_tun.h), so that no frame is larger than the MTU and every checksum is there.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from hopscope.io.extras import need
from hopscope.live.addresses import Addresses, mac
from hopscope.live.daemons import MESH, RADIO

_T = TypeVar("_T")

_SYSCTL = Path("/proc/sys/net")

#: State of a neighbour that is never asked for (NUD_PERMANENT, linux/neighbour.h).
_PERMANENT = 0x80

#: Octets that batman-adv puts before a frame, as its documentation has them.
_MESH_HEADERS = 32


@dataclass(frozen=True)
class Stack:
    """What the stack of a node is to be.

    Attributes:
        node: its number.
        addresses: those of all nodes.
        nodes: how many there are.
        mtu: octets of a packet on its radio.
        whole_net: its address has the prefix of the net; else that of one host.
        mesh: its address is that of batman-adv above the radio.
        ipv6: IPv6 stays on.
        real_arp: neighbours are asked for over the radio.
        routes: destination -> next hop; of nodes with a daemon none.
        tcp: settings of TCP, such as ``tcp_timestamps``.
    """

    node: int
    addresses: Addresses
    nodes: int
    mtu: int
    whole_net: bool = False
    mesh: bool = False
    ipv6: bool = False
    real_arp: bool = False
    routes: Mapping[int, int] = field(default_factory=dict)
    tcp: Mapping[str, int] = field(default_factory=dict)


def set_up(stack: Stack, open_tap: Callable[[str], _T]) -> _T:
    """Sets up the stack of a node and returns its TAP device.

    Args:
        stack: what it is to be.
        open_tap: makes a TAP device of a name in this namespace.

    Raises:
        OSError: the kernel refuses a step.
    """
    need("pyroute2")
    _settings(stack)
    tap = open_tap(RADIO)
    from pyroute2 import IPRoute
    from pyroute2.netlink.exceptions import NetlinkError

    with IPRoute() as ip:
        try:
            _links(ip, stack)
        except NetlinkError as error:
            raise OSError(error.code, os.strerror(error.code), f"the stack of node {stack.node}") from error
    return tap


def settings(stack: Stack) -> dict[str, int]:
    """The settings of the kernel below ``/proc/sys/net``, in their order."""
    values: dict[str, int] = {}
    # On "default" before the radio is there, which takes them over: in one net over one interface a forwarder would
    # send a redirect for every packet.
    for scope in ("default", "all"):
        values |= {f"ipv4/conf/{scope}/{name}": 0 for name in ("send_redirects", "accept_redirects", "rp_filter")}
        values[f"ipv6/conf/{scope}/disable_ipv6"] = 0 if stack.ipv6 else 1
        # A link-local address is used at once, and no router is asked for: neither goes over the radio.
        values |= {f"ipv6/conf/{scope}/{name}": 0 for name in ("accept_dad", "router_solicitations")}
    values["ipv4/ip_forward"] = 1
    values["ipv6/conf/all/forwarding"] = 1 if stack.ipv6 else 0
    values["ipv4/tcp_no_metrics_save"] = 1  # flows do not learn from those before them
    return values | {f"ipv4/{name}": value for name, value in stack.tcp.items()}


def _settings(stack: Stack) -> None:
    for name, value in settings(stack).items():
        # A kernel without IPv6 has no settings of it.
        with contextlib.suppress(FileNotFoundError) if name.startswith("ipv6/") else contextlib.nullcontext():
            (_SYSCTL / name).write_text(str(value))


def _links(ip: Any, stack: Stack) -> None:
    """Brings the interfaces up, with address, neighbours and routes."""
    ip.link("set", index=ip.link_lookup(ifname="lo")[0], state="up")
    radio = ip.link_lookup(ifname=RADIO)[0]
    ip.link("set", index=radio, address=mac(stack.node), mtu=stack.mtu)
    if stack.mesh:
        ip.link("add", ifname=MESH, kind="batadv")
        ip.link("set", index=radio, mtu=stack.mtu + _MESH_HEADERS, state="up")
        interface = ip.link_lookup(ifname=MESH)[0]
        ip.link("set", index=radio, master=interface)
        ip.link("set", index=interface, address=mac(stack.node), state="up")
    else:
        interface = radio
        ip.link("set", index=radio, state="up")
    own = str(stack.addresses.of(stack.node))
    net = stack.addresses.net
    if stack.whole_net or stack.mesh:
        ip.addr("add", index=interface, address=own, prefixlen=net.prefixlen, broadcast=str(net.broadcast_address))
    else:
        ip.addr("add", index=interface, address=own, prefixlen=32)
    if not stack.real_arp and not stack.mesh:
        for other in range(stack.nodes):
            if other != stack.node:
                known = str(stack.addresses.of(other))
                ip.neigh("replace", dst=known, lladdr=mac(other), ifindex=radio, state=_PERMANENT)
    for to, hop in stack.routes.items():
        # The next hop is no part of a net of the interface, whose address is that of one host.
        via = {"gateway": str(stack.addresses.of(hop)), "flags": ["onlink"]} if hop != to else {"scope": "link"}
        ip.route("replace", dst=f"{stack.addresses.of(to)}/32", oif=interface, prefsrc=own, **via)
