"""Addresses of nodes: those of captures, in a net that clashes with nothing of the host."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest

from hopscope.errors import InputError
from hopscope.live.addresses import Addresses, choose, mac

ETH = {IPv4Network("10.0.5.0/24"): "eth0"}


def test_node_7_has_the_addresses_that_captures_show() -> None:
    # crates/hopscope-wire/src/address.rs
    found = choose(None, 300, {})
    assert (str(found.of(7)), mac(7)) == ("10.0.0.8", "02:00:00:00:00:07")
    assert (str(found.of(299)), mac(299)) == ("10.0.1.44", "02:00:00:00:01:2b")


def test_a_net_that_the_host_has_is_passed_over() -> None:
    assert choose(None, 4, ETH) == Addresses(IPv4Network("10.99.0.0/16"))


@pytest.mark.parametrize(
    ("net", "message"),
    [
        ("10.0.0.0/16", r"clashes with 10.0.5.0/24 of eth0"),
        ("10.9.0.0/30", "has 2 addresses; the scenario has 4 nodes"),
        ("10.9.0.1/16", "host bits"),
        ("fe80::/64", "expected a net"),
        ("radio", "expected a net"),
    ],
)
def test_a_net_that_cannot_be_is_refused(net: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^--net .*{message}"):
        choose(net, 4, ETH)
