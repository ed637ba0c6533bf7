"""Short runs of what users run, to train the profile-guided build of the release wheel (`make wheel`).

    python bench/train.py

The compiler lays out for speed what these runs pass often, and for size what they never pass: a part of the engine that
no scenario here uses becomes slower. Prints the name of each scenario. Exit status 1 when a run delivers nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path

import hopscope as hs
from hopscope import _core
from hopscope.probing import probe

MEASURED = Path(__file__).parents[1] / "showcases" / "measured" / "rssi.csv"
PROFILES = ["standard", "ns2", "as-ns3"]
CHAIN = {"kind": "chain", "hops": 7}
SHORT_CHAIN = {"kind": "chain", "hops": 3}
END_TO_END = [{"from": 0, "to": "last"}]
GRID = {"kind": "grid", "rows": 13, "cols": 13}
ACROSS = [{"pattern": "across", "copies": 4, "stagger": "100ms"}]
FIELD = {"kind": "random", "nodes": 200, "area": [2500, 1000], "connected": True}
PAIRS = [{"pattern": "random", "copies": 20, "stagger": "100ms"}]
NEIGHBOURS = [
    {"from": i, "to": i + 1, "transport": "udp", "app": "cbr", "rate": "100kbps", "packet": 1000}
    for i in range(0, 900, 10)
]
OTHER_TCP = [word for word, _ in _core.transports() if word.startswith("tcp-") and word != "tcp-newreno"]
ACKS = ["delayed", "ns2-delack", "linux", "linux-modern", "fixed", "lda", "ada", "daa", "daap", "mda", "dca"]
ACKS += ["iat-window", "tack", "quic", "asym"]


class Aimd(hs.CongestionControl):
    """A congestion control in Python."""

    def on_ack(self, flow: hs.FlowState) -> float:
        return flow.cwnd + 1.0 / flow.cwnd

    def on_loss(self, flow: hs.FlowState) -> float:
        return max(flow.in_flight / 2, 2.0)


class Thin(hs.AckPolicy):
    """An ACK policy in Python."""

    def on_data(self, receiver: hs.AckState) -> float:
        return 0.0 if not receiver.in_order or receiver.held >= 3 else 0.1


SCENARIOS = {
    # Most of the weight: what the published studies and the benchmarks consist of.
    "chain": {
        "duration": "60s",
        "topology": CHAIN,
        "flow": END_TO_END,
        "sweep": {"profile": PROFILES, "routing.protocol": ["static", "aodv"], "flow.0.max_window": [4, 32]},
    },
    "grid": {
        "duration": "10s",
        "topology": GRID,
        "flow": ACROSS,
        "sweep": {"profile": PROFILES, "routing.protocol": ["static", "aodv"]},
    },
    "random field": {
        "duration": "10s",
        "topology": FIELD,
        "flow": PAIRS,
        "sweep": {"profile": PROFILES, "routing.protocol": ["static", "aodv"]},
    },
    "field of UDP": {
        "duration": "10s",
        "topology": {"kind": "grid", "rows": 30, "cols": 30},
        "flow": NEIGHBOURS,
        "sweep": {"profile": PROFILES},
    },
    "moving nodes": {
        "duration": "60s",
        "topology": {"kind": "random", "nodes": 50, "area": [1500, 300]},
        "mobility": {"model": "random-waypoint", "pause": "5s"},
        "path_lengths": True,
        "event": [
            {"at": "20s", "kind": "move", "node": 49, "position": [700, 100], "speed": 10},
            {"at": "30s", "kind": "node-down", "node": 48},
            {"at": "40s", "kind": "node-up", "node": 48},
            {"at": "50s", "kind": "set", "key": "mac.rts_threshold", "value": 0},
        ],
        "flow": [{**flow, "to": flow["from"] + 20} for flow in NEIGHBOURS[:2]],
        "sweep": {"profile": PROFILES, "routing.protocol": ["aodv", "dsdv", "dsr", "olsr"]},
    },
    "airtime ledger": {
        "duration": "10s",
        "explain": True,
        "topology": GRID,
        "flow": ACROSS,
        "sweep": {"profile": PROFILES, "routing.protocol": ["static", "aodv"]},
    },
    # The rest: enough of each that it does not count as never used.
    "TCP variants": {
        "duration": "10s",
        "topology": SHORT_CHAIN,
        "flow": END_TO_END,
        "radio": {"error": {"kind": "uniform", "per": 0.3}},
        "sweep": {"profile": PROFILES, "flow.0.transport": [*OTHER_TCP, Aimd]},
    },
    "TCP receivers": {
        "duration": "10s",
        "topology": SHORT_CHAIN,
        "flow": [{**END_TO_END[0], "transport": "tcp", "control": "cubic", "recovery": "rack"}],
        "radio": {"error": {"kind": "uniform", "per": 0.3}},
        "tcp": {"timestamps": True},
        "sweep": {"profile": PROFILES, "flow.0.ack": [*ACKS, Thin]},
    },
    "slow applications": {
        "duration": "10s",
        "topology": SHORT_CHAIN,
        "flow": END_TO_END,
        "tcp": {"read_rate": "50kbps"},
        "sweep": {"profile": PROFILES, "flow.0.transport": ["tcp-newreno", "tcp-sack", "tcp-cubic"]},
    },
    "failing routes": {
        "duration": "20s",
        "topology": CHAIN,
        "flow": [{**END_TO_END[0], "transport": "tcp", "control": "cubic"}],
        "routing": {"protocol": "aodv"},
        "tcp": {"fixed_rto": True, "door": True},
        "sweep": {
            "profile": PROFILES,
            "tcp.route_failure": ["elfn", "tcp-f", "atcp"],
            "net.route_notices": ["routing", "packets"],
        },
    },
    "ACKs by the path": {
        "duration": "5s",
        "topology": SHORT_CHAIN,
        "flow": [{**END_TO_END[0], "ack": "mda"}],
        "tcp": {"ack_guard": True},
        "sweep": {
            "profile": PROFILES,
            "mac.collision_signal": ["data", "rts", "busy"],
            "mac.collision_memory": ["ewma", "window"],
        },
    },
    "DCCP": {
        "duration": "10s",
        "topology": SHORT_CHAIN,
        "flow": [
            {**END_TO_END[0], "transport": "dccp", "dccp": {"timestamps": True}},
            {**END_TO_END[0], "transport": "dccp-adhoc"},
        ],
        "radio": {"error": {"kind": "uniform", "per": 0.3}},
        "sweep": {"profile": PROFILES, "flow.0.control": ["ccid2", "ccid3", "ccid4", "adhoc"]},
    },
    "ATP": {
        "duration": "20s",
        "topology": SHORT_CHAIN,
        "flow": [{**END_TO_END[0], "transport": "atp"}, {**END_TO_END[0], "transport": "atp"}],
        "radio": {"error": {"kind": "uniform", "per": 0.1}},
        "sweep": {"profile": PROFILES, "routing.protocol": ["static", "aodv"]},
    },
    "routing": {
        "duration": "100s",  # DSDV begins to deliver late
        "topology": {"kind": "grid", "rows": 5, "cols": 5},
        "flow": ACROSS,
        "sweep": {
            "profile": PROFILES,
            "routing.protocol": ["dsdv", "dsr", "olsr", "babel", "batman_iv", "batman_v", "hwmp"],
        },
    },
    "interference": {
        "duration": "5s",
        "topology": GRID,
        "flow": ACROSS,
        # "range" knows no ratio, on which as-ns3 builds.
        "radio": {"error": {"kind": "none"}, "carrier_sense": "frames", "synchronization": "start"},
        "sweep": {"profile": PROFILES, "radio.interference": ["range", "sinr"], "mac.rts_threshold": [0, "off"]},
    },
    "varying channel": {
        "duration": "5s",
        "topology": {"kind": "grid", "rows": 7, "cols": 7, "spacing": 60},
        "flow": ACROSS,
        "routing": {"protocol": "aodv"},
        "radio": {"shadowing": "correlated", "error": {"kind": "gilbert-elliott", "bad_per": 0.3}},
        "sweep": {"profile": PROFILES, "radio.fading": ["none", "rayleigh", "nakagami"]},
    },
    "rates and fragments": {
        "duration": "3s",
        "topology": GRID,
        "flow": ACROSS,
        "mac": {"fragmentation_threshold": 800},
        "radio": {"interference": "sinr", "error": {"kind": "sinr"}},
        "sweep": {"profile": PROFILES, "radio.preset": ["hr-dsss-11M", "ofdm-24M"]},
    },
    "measured links": {
        "duration": "10s",
        "topology": SHORT_CHAIN,
        "flow": END_TO_END,
        "radio": {"rssi_trace": str(MEASURED)},
        "sweep": {"profile": PROFILES},
    },
    "rate control": {
        "duration": "3s",
        "topology": {"kind": "chain", "hops": 2, "spacing": 60},
        "flow": END_TO_END,
        "radio": {
            "preset": "hr-dsss-11M",
            "propagation": "log-distance",
            "interference": "sinr",
            "error": {"kind": "sinr"},
        },
        "sweep": {"profile": PROFILES, "mac.rate_control": ["arf", "aarf", "minstrel"]},
    },
    "wires that reorder": {
        "duration": "10s",
        "topology": {"kind": "wired", "wired": 2},
        "wire": [
            {"from": 0, "to": 1, "rate": "2 Mbps", "delay": "20 ms", "jitter": "5 ms", "reorder": 0.01, "loss": 0.01},
        ],
        "flow": [{"from": 0, "to": 1, "transport": "tcp", "control": "cubic", "recovery": "rack"}],
        "sweep": {"profile": PROFILES, "wire.0.jitter_reorders": [False, True]},
    },
    "link layers": {
        "duration": "10s",
        "topology": CHAIN,
        "flow": END_TO_END,
        "tcp": {"ecn": True},
        "sweep": {"profile": PROFILES, "mac.link": ["lred+pacing", "red", "nred", "codel", "fq-codel", "timer"]},
    },
    "applications": {
        "duration": "20s",
        "topology": CHAIN,
        "flow": [
            {"from": 0, "to": 3, "app": "file", "bytes": 20_000},
            {"from": 4, "to": 7, "transport": "udp", "app": "on-off", "rate": "50kbps", "on": "1s", "off": "1s"},
            {"from": 2, "to": 5, "transport": "udp", "app": "poisson", "rate": "20kbps"},
            {"from": 7, "to": 5, "transport": "udp", "app": "voice"},
        ],
        "sweep": {"profile": PROFILES},
    },
}


def main() -> int:
    for name, document in SCENARIOS.items():
        print(name, flush=True)
        # One worker: the counters of the instrumented build are not made for several.
        result = hs.run(hs.Scenario({"title": name, **document}), seeds=1, jobs=1).to_json()
        for point in result["points"]:
            for run in point["runs"]:
                if not any(flow["received_bytes"] for flow in run["flows"]):
                    print(f"{name}: nothing was delivered with {point['set']}", file=sys.stderr)
                    return 1
    print("probes", flush=True)
    probe({"topology": SHORT_CHAIN, "flow": END_TO_END}, ["packet-pair", "tibet"], seeds=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
