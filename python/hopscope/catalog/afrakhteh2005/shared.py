"""What the experiments of afrakhteh2005 share: the chain, its flows, and the settings the thesis leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hopscope.catalog.entry import Study
from hopscope.catalog.tables import Run

SOURCE = "V. Afrakhteh, M.A.Sc. thesis, Concordia University, 2005"

HOPS = "topology.hops"
RATE = "flow.0.rate"
THROUGHPUT = "flow.0.throughput_kbps"
DELAY = "flow.0.delay_ms"
JITTER = "flow.0.jitter_ms"
LOSS = "flow.0.loss_pct"

SIX = [1, 2, 3, 4, 5, 6]
"""Numbers of hops of the thesis."""

PAYLOAD = 1480
NETWORK_PACKET = 1500

_PLCP_2M = {"plcp_bits_1m": 0, "plcp_bits_2m": 192}

SETTINGS: dict[str, dict[str, Any]] = {
    "RTS on, control 1M": {"mac": {"rts_threshold": 0}, "radio": {}},
    "RTS on, control 2M": {"mac": {"rts_threshold": 0}, "radio": {"basic_rate": "2Mbps"}},
    "RTS on, control+PLCP 2M": {"mac": {"rts_threshold": 0}, "radio": {"basic_rate": "2Mbps", **_PLCP_2M}},
    "RTS off, control 1M": {"mac": {"rts_threshold": "off"}, "radio": {}},
    "RTS off, control 2M": {"mac": {"rts_threshold": "off"}, "radio": {"basic_rate": "2Mbps"}},
    "RTS off, control+PLCP 2M": {"mac": {"rts_threshold": "off"}, "radio": {"basic_rate": "2Mbps", **_PLCP_2M}},
}
"""Candidate settings: RTS/CTS, rate of control frames, rate of the PLCP header (1 Mbit/s unless said)."""

SETTING_NOTES = (
    "The thesis names RTS/CTS as its default but not the rates of control frames and PLCP header; all six "
    "combinations run, unchanged otherwise, and each statement names those that fit. Nothing is tuned.",
    "Routes come from AODV with the parameter set ns2: the MAC tells of link failures and no HELLOs are sent. The "
    "thesis names AODV but not how it detected failures.",
    "Profile ns2 repeats ns-2.35; the thesis used 2.27, whose MAC header was 6 bytes shorter (24 us less per frame).",
    "UDP throughput counts 1480 B of payload per packet; counting the 1500 B IP packet multiplies it by 1500/1480, "
    'shown as "counting 1500 B".',
)


def cbr(rate: str) -> dict[str, Any]:
    """A CBR flow over the whole chain, in packets of 1480 B."""
    return {"from": 0, "to": "last", "transport": "udp", "app": "cbr", "rate": rate, "packet": PAYLOAD}


def chain(label: str, **changes: Any) -> dict[str, Any]:
    """The scenario all experiments of the thesis start from."""
    return {
        "title": f"afrakhteh2005 {label}",
        "duration": "300s",
        "seeds": 5,
        "profile": "ns2",
        "topology": {"kind": "chain", "hops": 1, "spacing": "200m"},
        "radio": {"preset": "wavelan-2M"},
        "mac": {"rts_threshold": 0, "queue": 50},
        "routing": {"protocol": "aodv"},
        **changes,
    }


def candidates(scenario: Mapping[str, Any], quick: Mapping[str, Any] | None = None, *, prefix: str = "") -> list[Study]:
    """The scenario under every candidate setting; labels are the names of the settings behind `prefix`."""
    return [Study(f"{prefix}{label}", under(scenario, label, f"{prefix}{label}"), quick or {}) for label in SETTINGS]


def under(scenario: Mapping[str, Any], setting: str, title: str) -> dict[str, Any]:
    """The scenario under one candidate setting."""
    changed = {name: {**scenario.get(name, {}), **keys} for name, keys in SETTINGS[setting].items()}
    return {**scenario, **changed, "title": f"{scenario['title']}, {title}"}


def counting_network_packet(run: Run) -> float:
    """UDP throughput that counts the 1500 B IP packet instead of 1480 B of payload, kbit/s."""
    return float(run["flows"][0]["throughput_kbps"]) * NETWORK_PACKET / PAYLOAD
