"""fu2003: what its entries share: the source, the default scenario, both profiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hopscope.catalog.entry import Study

SOURCE = (
    "Fu, Zerfos, Xu, Luo, Lu, Zhang, Gerla: On TCP Performance in Multihop Wireless Networks "
    "(UCLA report; shorter at IEEE INFOCOM 2003)"
)

THROUGHPUT = "flow.0.throughput_kbps"
WINDOW = "flow.0.max_window"
HOPS = "topology.hops"
PACKET = "flow.0.packet"
QUEUE = "mac.queue"

CHAIN: dict[str, Any] = {
    "duration": "300s",
    "seeds": 5,
    "topology": {"kind": "chain", "hops": 7, "spacing": "200m"},
    "radio": {"preset": "wavelan-2M"},
    "mac": {"rts_threshold": 0, "queue": 50},
    "routing": {"protocol": "static"},
    "flow": [{"from": 0, "to": "last", "transport": "tcp-newreno", "app": "bulk", "packet": 1460, "max_window": 32}],
}
"""Table 1 of the paper: the default scenario of every experiment."""

PROFILE_NOTE = (
    "The paper does not give its ns-2 version. Profile ns2 repeats ns-2.35; profile standard follows IEEE 802.11 and "
    "the RFCs. Every statement is judged in both; profile ns2 decides it, profile standard is shown for contrast."
)
ACK_NOTE = "The ACK policy is not stated; one ACK for every packet is assumed. 1460 B is taken as TCP payload."


def profiles(scenario: Mapping[str, Any], quick: Mapping[str, Any] | None = None, label: str = "") -> list[Study]:
    """The scenario in both profiles; ns2 decides, since the paper used ns-2, and standard is shown for contrast."""
    tail = f", {label}" if label else ""
    return [
        Study(
            f"{profile}{tail}",
            {**scenario, "title": f"fu2003 {profile}{tail}", "profile": profile},
            quick or {},
            decides=profile == "ns2",
        )
        for profile in ("ns2", "standard")
    ]
