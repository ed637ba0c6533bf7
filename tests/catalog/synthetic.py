"""Results without an engine: runs made from a few numbers, tables made from a function of the swept values."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from hopscope.results.samples import MEASURED, Data, Table
from hopscope.scenario.units import parse
from hopscope.studies.entry import Entry, Setting

FLOW = {
    "throughput_kbps": 100.0,
    "goodput_kbps": 100.0,
    "acks_sent": 500,
    "overall_kbps": 100.0,
    "shared_kbps": 100.0,
    "received_bytes": 1_460_000,
    "timeouts": 0,
    "delay_ms": 10.0,
    "jitter_ms": 0.3,
    "loss_pct": 0.0,
    "sent_packets": 1000,
    "received_packets": 1000,
    "duplicate_packets": 0,
    "retransmission_index_pct": 0.0,
    "no_route_share_pct": 0.0,
    "first_delivery_s": None,
    "completion_s": 10.0,
    "mean_cwnd": 4.0,
    "mean_rtt_ms": 100.0,
    "cwnd_share": {"4": 1.0},
}
NETWORK = {
    "aggregate_kbps": 100.0,
    "jain": 1.0,
    "shared_kbps": 200.0,
    "shared_jain": 1.0,
    "mac_retry_drops": 10,
    "queue_drops": 0,
    "mac_packets": 10_000,
    "link_drop_probability": 0.001,
    "false_link_failures": 0,
    "routing_bytes": 1000,
    "route_changes": 10,
    "mpdus_per_ppdu": 1.0,
    "mpdu_repeat_ratio": 0.01,
}
NODE = {
    "data_drops": {},
    "queue_mean": 0.5,
    "queue_max": 5,
    "queue_drops": 0,
    "mac_packets": 1000,
    "mac_retries": 100,
    "mac_retry_drops": 1,
    "rts_sent": 2000,
    "data_sent": 1000,
    "data_ppdus": 1000,
    "data_airtime_s": 1.0,
    "airtime_s": 1.1,
    "data_rate_mbps": 2.0,
}
WIRE = {"use_pct": 100.0, "queue_mean": 20.0}

Model = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Setting label and swept values -> values that differ from the ones above: keys of flow 0, `flow.1.x`, `network.x`,
`node.i.x`, `wire.i.x`, `group.name.x`, and `series.x` (or `flow.1.series.x`) as a list of (seconds, value)."""

SERIES_SECONDS = 20


def run(seed: int, values: Mapping[str, Any], nodes: int = 9, flows: int = 1) -> dict[str, Any]:
    network = dict(NETWORK)
    found = [dict(FLOW) for _ in range(flows)]
    rows = [{"id": node, **NODE} for node in range(nodes)]
    wires = [dict(WIRE)]
    groups: dict[str, dict[str, Any]] = {}
    kbps = float(values.get("throughput_kbps", FLOW["throughput_kbps"]))
    series = {"throughput": [(t / 5, kbps) for t in range(1, 5 * SERIES_SECONDS)], "cwnd": [(0.0, 2.0)]}
    others: dict[str, list[tuple[int, float, float]]] = {}
    for key, value in values.items():
        scope, _, rest = key.partition(".")
        if scope == "network":
            network[rest] = value
        elif scope == "node":
            index, _, name = rest.partition(".")
            rows[int(index)][name] = value
        elif scope == "wire":
            index, _, name = rest.partition(".")
            wires[int(index)][name] = value
        elif scope == "series":
            series[rest] = value
        elif scope == "group":
            group, _, name = rest.partition(".")
            groups.setdefault(group, {})[name] = value
        else:
            index, _, name = rest.partition(".") if scope == "flow" else ("0", "", key)
            if name.startswith("series."):
                others.setdefault(name.removeprefix("series."), []).extend((int(index), t, v) for t, v in value)
                continue
            assert name in FLOW, key
            found[int(index)][name] = value
    for flow in found if any(key.endswith("loss_pct") for key in values) else []:
        if flow["sent_packets"] == flow["received_packets"]:  # a loss without numbers of its own
            flow["sent_packets"] = 1_000_000
            flow["received_packets"] = round(flow["sent_packets"] * (1 - flow["loss_pct"] / 100))
    kept = {
        name: _series([*((0, t, v) for t, v in samples), *others.get(name, [])])
        for name, samples in {"route": [(0.0, 1.0)], **series}.items()
    }
    made = {"seed": seed, "flows": found, "nodes": rows, "wires": wires, "network": network, "series": kept}
    return made | ({"groups": groups} if groups else {})


def _series(rows: list[tuple[int, float, float]]) -> pa.Table:
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(("flow", "t_s", "value"))})


def table(study: Setting, model: Model, seeds: int = 3, noise: float = 0.0) -> Table:
    sweep = study.scenario.get("sweep", {})
    seconds = float(parse(str(study.scenario["duration"]), "s") - parse(str(study.scenario.get("warmup", 0)), "s"))
    points = []
    for values in itertools.product(*sweep.values()):
        where = dict(zip(sweep, values, strict=True))
        given = model(study.label, where)
        runs = []
        for seed in range(1, seeds + 1):
            # Deterministic noise that differs between points, so that paired differences have an interval.
            swing = noise * ((zlib.crc32(repr((seed, values)).encode()) % 1000) / 500 - 1) if noise else 0.0
            noisy = ("throughput_kbps", "goodput_kbps", "network.aggregate_kbps")
            varied = {key: value * (1 + swing) if key in noisy else value for key, value in given.items()}
            copies = [flow.get("copies", 1) for flow in study.scenario["flow"]]
            flows = sum(where.get(f"flow.{n}.copies", number) for n, number in enumerate(copies))
            runs.append({**run(seed, varied, flows=flows), MEASURED: seconds})
        points.append((where, runs))
    return study.table(points)


def data(entry: Entry, model: Model, **options: Any) -> Data:
    return Data([table(study, model, **options) for study in entry.settings])


def outcomes(entry: Entry, model: Model, **options: Any) -> dict[str, set[str]]:
    """Statement id -> the outcomes of its findings."""
    found = data(entry, model, **options)
    return {s.id: {f.outcome.value for f in s.evaluate(found)} for s in entry.statements}
