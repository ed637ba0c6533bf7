"""Scenarios to capture, and what counts the lines of a tool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hopscope import _core
from hopscope.results.captured import Captured

#: Writes the capture of a scenario to a file.
Capture = Callable[..., Captured]
#: Runs tshark over a file and gives its lines.
Tshark = Callable[..., list[str]]


def chain(hops: int = 3, *, flow: dict[str, Any], duration: str = "1s", **sections: Any) -> dict[str, Any]:
    """A chain with one flow over it; it begins after 0, which tcptrace takes for no time at all."""
    return {
        "title": "a chain",
        "duration": duration,
        "topology": {"kind": "chain", "hops": hops, "spacing": "200m"},
        "flow": [{"from": 0, "to": hops, "start": "100ms", **flow}],
        **sections,
    }


def counts(lines: Sequence[str]) -> dict[str, int]:
    """How often each line is there."""
    found: dict[str, int] = {}
    for line in lines:
        found[line] = found.get(line, 0) + 1
    return found


TCP = {"transport": "tcp-newreno", "max_window": 16}
UDP = {"transport": "udp", "app": "cbr", "rate": "200kbps", "packet": 500}

#: One scenario for each transport: every congestion control, SACK, ECN, UDP, DCCP with each CCID, and reliable, ATP.
TRANSPORTS: dict[str, dict[str, Any]] = {
    **{f"tcp-{control}": chain(flow={"transport": "tcp", "control": control}) for control, _ in _core.controls()},
    "tcp-sack": chain(flow={"transport": "tcp-sack", "max_window": 32}),
    "tcp-door": chain(flow={**TCP, "tcp": {"door": True}}, duration="4s"),
    "tcp-mda": chain(flow={**TCP, "ack": "mda"}),
    "ecn": chain(flow={"transport": "tcp-newreno", "tcp": {"ecn": True}}, mac={"link": "red"}),
    "udp": chain(flow=UDP),
    **{
        f"dccp-{control}": chain(flow={"transport": "dccp", "control": control})
        for control in ("ccid2", "ccid3", "ccid4")
    },
    "dccp-adhoc": chain(flow={"transport": "dccp-adhoc"}),
    "dccp-reliable": chain(flow={"transport": "dccp", "control": "ccid2", "dccp": {"reliable": True}}),
    "atp": chain(flow={"transport": "atp"}, duration="3s"),
    "dccp-file": chain(flow={"transport": "dccp", "control": "ccid2", "app": "file", "bytes": "40kB"}),
}

#: Chains over AODV whose relay goes off: news of failed routes have packets of their own.
BREAK = {
    "routing": {"protocol": "aodv"},
    "net": {"route_notices": "packets"},
    "outage": [{"node": 3, "from": "2s"}],
    "duration": "4s",
}
NOTICES: dict[str, dict[str, Any]] = {
    "icmp": chain(4, flow={**TCP, "max_window": 4}, tcp={"route_failure": "elfn"}, **BREAK),
    "icmp-udp": chain(4, flow=UDP, **BREAK),
    "icmp-atp": chain(4, flow={"transport": "atp"}, **BREAK),
    "tcp-f": chain(4, flow={**TCP, "max_window": 4}, tcp={"route_failure": "tcp-f"}, **BREAK),
}

#: One for each routing protocol.
ROUTINGS: dict[str, dict[str, Any]] = {
    "static": chain(flow=TCP),
    "aodv": chain(5, flow=TCP, routing={"protocol": "aodv"}),
    "dsr": chain(5, flow=TCP, routing={"protocol": "dsr"}),
    "olsr": chain(flow={**TCP, "start": "15s"}, routing={"protocol": "olsr"}, duration="16s"),
    "babel": chain(flow={**TCP, "start": "30s"}, routing={"protocol": "babel"}, duration="32s"),
    "babeld": chain(
        4,
        flow={**TCP, "start": "30s"},
        routing={"protocol": "babel", "parameters": "babeld"},
        outage=[{"node": 3, "from": "30s"}],
        duration="75s",
    ),
    "batman-iv": chain(flow={**TCP, "start": "25s"}, routing={"protocol": "batman_iv"}, duration="26s"),
    "batman-v": chain(flow={**TCP, "start": "15s"}, routing={"protocol": "batman_v"}, duration="16s"),
    "olsrd": chain(flow={**TCP, "start": "20s"}, routing={"protocol": "olsr", "parameters": "olsrd"}, duration="21s"),
    "olsr-ett": chain(
        flow={**TCP, "start": "20s"}, routing={"protocol": "olsr", "olsr": {"metric": "ett"}}, duration="21s"
    ),
    "hwmp": chain(
        5,
        flow={**TCP, "start": "3s"},
        routing={"protocol": "hwmp", "hwmp": {"root": 2}},
        duration="5s",
        outage=[{"node": 3, "from": "4s"}],
    ),
    "hwmp-rann": chain(
        flow={**UDP, "start": "3s"},
        radio={"preset": "ht-20"},
        mac={"amsdu": "off"},
        duration="4s",
        routing={"protocol": "hwmp", "parameters": "ns3", "hwmp": {"root": 0, "root_mode": "rann"}},
    ),
    "dsdv": chain(flow={**TCP, "start": "55s"}, routing={"protocol": "dsdv"}, duration="56s"),
    "arp": chain(flow=TCP, net={"arp": True}),
}

#: One for each PHY of QoS stations. Nodes three hops apart do not sense each other: parts of aggregates are lost.
VIDEO = {"transport": "udp", "app": "cbr", "rate": "2Mbps", "packet": 1000, "dscp": 40}
MODERN: dict[str, dict[str, Any]] = {
    "qos": chain(4, flow=VIDEO, radio={"preset": "ofdm-24M"}, mac={"qos": True}),
    "ht": chain(4, flow={**TCP, "max_window": 64}, radio={"preset": "ht-20"}),
    "amsdu": chain(4, flow={**TCP, "max_window": 64}, radio={"preset": "ht-40"}, mac={"amsdu": 3839}),
    "vht": chain(4, flow={**TCP, "max_window": 64}, radio={"preset": "vht-40-2ss", "mcs": 2}),
    "he": chain(4, flow={**TCP, "max_window": 64}, radio={"preset": "he-40", "mcs": 2}),
}

SCENARIOS = TRANSPORTS | ROUTINGS | NOTICES | MODERN
