"""Addresses of nodes: those that captures of a simulation have, unless the host uses that net itself."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from hopscope.errors import InputError
from hopscope.io.extras import need

#: Nets that are tried in this order; the first is that of captures (crates/hopscope-wire/src/address.rs).
_USUAL = ("10.0.0.0/16", "10.99.0.0/16", "10.213.0.0/16", "172.29.0.0/16", "192.168.213.0/24")


@dataclass(frozen=True)
class Addresses:
    """The net of the nodes: node n has its address number n + 1."""

    net: IPv4Network

    def of(self, node: int) -> IPv4Address:
        """The address of a node."""
        return self.net[node + 1]


def mac(node: int) -> str:
    """The MAC address of a node: its number in the last two octets, as in captures."""
    return f"02:00:00:00:{node >> 8:02x}:{node & 255:02x}"


def choose(wanted: str | None, nodes: int, used: dict[IPv4Network, str]) -> Addresses:
    """The net of a run.

    Args:
        wanted: what ``--net`` says; None: the first usual net that clashes with none.
        nodes: how many nodes need an address.
        used: nets that the host has, with the device of each.

    Raises:
        InputError: the net is none, is too small, or clashes with one of the host.
    """
    if wanted is None:
        for text in _USUAL:
            net = IPv4Network(text)
            if _fits(net, nodes) and not _clash(net, used):
                return Addresses(net)
        raise InputError(
            "--net: the host uses every usual net; name one that it does not use, such as --net 10.77.0.0/16"
        )
    try:
        net = IPv4Network(wanted)
    except ValueError as error:
        raise InputError(f'--net {wanted}: {error}; expected a net such as "10.99.0.0/16"') from None
    if not _fits(net, nodes):
        raise InputError(
            f"--net {wanted}: has {max(net.num_addresses - 2, 0)} addresses; the scenario has {nodes} nodes"
        )
    if clash := _clash(net, used):
        raise InputError(f"--net {wanted}: clashes with {clash}; name a net that the host does not use")
    return Addresses(net)


def of_host() -> dict[IPv4Network, str]:
    """The nets of the host: those of its addresses and routes, with the device of each."""
    need("pyroute2")
    from pyroute2 import IPRoute

    used: dict[IPv4Network, str] = {}
    with IPRoute() as ip:
        names = {link["index"]: link.get_attr("IFLA_IFNAME") for link in ip.get_links()}
        for address in ip.get_addr(family=2):
            text = f"{address.get_attr('IFA_ADDRESS')}/{address['prefixlen']}"
            used[IPv4Network(text, strict=False)] = names.get(address["index"], "?")
        for route in ip.get_routes(family=2):
            if (to := route.get_attr("RTA_DST")) and route["dst_len"]:
                net = IPv4Network(f"{to}/{route['dst_len']}", strict=False)
                used.setdefault(net, names.get(route.get_attr("RTA_OIF"), "a route"))
    return used


def _fits(net: IPv4Network, nodes: int) -> bool:
    return net.num_addresses - 2 >= nodes


def _clash(net: IPv4Network, used: dict[IPv4Network, str]) -> str:
    """The net of the host that shares addresses with one; empty: none."""
    return next((f"{other} of {device}" for other, device in used.items() if other.overlaps(net)), "")
