"""fu2003: what no verb says: distributions of windows, queues by node, the drop model, the rule h/4."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations
from typing import Any

from hopscope.errors import ranges
from hopscope.models.drops import chain_limits, drops, last_state_probability
from hopscope.reporting.chart import Chart, Line, Panel
from hopscope.results.comparisons import Verdict, best, difference, every, exceeds
from hopscope.results.samples import Data, NoSamplesError, Run, Table, estimate, show
from hopscope.results.stats import gradual, number, rank_correlation
from hopscope.studies.verbs import Check, Evaluation

PAYLOAD = 1460
HOPS = 7
RETRIES = 6
"""The model's r: states 0 to 6 are the seven RTS after which the MAC gives up."""
SENSED = 550.0
ACTIVE = 100
"""Packets that a MAC must have taken on for its node to count."""


# --- Metrics of a run -------------------------------------------------------------------------------------------------


def _shares(run: Run) -> dict[int, float]:
    return {int(size): float(part) for size, part in run["flows"][0]["cwnd_share"].items()}


def window_spread(run: Run) -> float:
    """Standard deviation over time of the whole window of flow 0."""
    share = _shares(run)
    mean = sum(size * part for size, part in share.items())
    return math.sqrt(sum(part * (size - mean) ** 2 for size, part in share.items()))


def usual_window(run: Run) -> float:
    """The whole window at which flow 0 spends most time."""
    share = _shares(run)
    return float(max(share, key=lambda size: share[size]))


def backlog(run: Run) -> float:
    """Mean share of the time in which a sender has a packet in its queue or MAC.

    By Little's law a node with a one-hop flow holds rate times delay packets; those in the queue are known, and the MAC
    holds at most one. Near overload that difference is small against its terms; a queue that is full on average by some
    part has a packet for that part of the time at least.
    """
    shares: list[float] = []
    for flow, node in zip(run["flows"], run["nodes"], strict=False):
        held = 0.0
        if flow["received_packets"]:
            # Packets given up stay as long as others.
            taken = float(flow["throughput_kbps"]) * 1000 / (8 * PAYLOAD)
            taken *= 1 + int(node["mac_retry_drops"]) / int(flow["received_packets"])
            held = taken * float(flow["delay_ms"]) / 1000
        waiting = float(node["queue_mean"])
        shares.append(min(1.0, max(waiting / 50, held - waiting)))
    return sum(shares) / len(shares)


def modelled(run: Run) -> float | None:
    """Drops per attempt by equations (2) and (3) for the measured share of RTS of each flow that no data followed."""
    sent, lost = 0, 0.0
    for node in run["nodes"]:
        if attempts := int(node["rts_sent"]):
            sent += attempts
            lost += attempts * last_state_probability(1 - min(attempts, node["data_sent"]) / attempts, RETRIES)
    return lost / sent if sent else None


def smooth(run: Run) -> float:
    """The same by b(m) and c(m) for the measured backlog."""
    return drops(HOPS * backlog(run), *chain_limits(HOPS), retry_limit=RETRIES, form="smooth").last_state


def floored(run: Run) -> float:
    """The same with the floors of the printed formulas."""
    return drops(HOPS * backlog(run), *chain_limits(HOPS), retry_limit=RETRIES, form="floor").last_state


# --- Section 3 --------------------------------------------------------------------------------------------------------


def near_a_quarter(check: Check, table: Table) -> Evaluation:
    """Whether the best window is within 2 packets of h/4 at every length."""
    verdicts: list[Verdict] = []
    words = []
    for hops in table.values(check.along):
        peak = best(table, "flow.0.max_window", check.measure, {check.along: hops})
        tied = any(abs(window - hops / 4) <= 2 for window in peak.ties)
        verdicts.append(True if abs(peak.at - hops / 4) <= 2 else None if tied else False)
        others = [window for window in peak.ties if window != peak.at]
        words.append(f"{hops} hops: {peak.at}" + (f" (within noise {ranges(others)})" if others else ""))
    return every(verdicts), "best window: " + "; ".join(words)


def _best_of(check: Check, table: Table) -> tuple[int, Any]:
    """Number of flows, and the best window of each by the throughput of all."""
    peak = best(table, check.along, "network.aggregate_kbps")
    if peak.top.mean == 0:
        raise NoSamplesError("nothing was carried at any window")
    return len(table.runs()[0]["flows"]), peak


def windows_beyond(check: Check, table: Table) -> Evaluation:
    """Whether the mean windows at the default add up to more than the best ones."""
    flows, peak = _best_of(check, table)
    reached = table.interval(check.measure, {check.along: check.args["value"]})
    return exceeds(
        reached, flows * peak.at
    ), f"mean windows add up to {show(reached)}, the best ones to {flows * peak.at}"


def pipe(check: Check, table: Table) -> Evaluation:
    """Whether the best windows add up to what the network holds: its best throughput over that of one packet."""

    def held(run: Run) -> float:
        return sum(float(f["throughput_kbps"]) * (f["mean_rtt_ms"] or 0.0) / (8 * PAYLOAD) for f in run["flows"])

    flows, peak = _best_of(check, table)
    one = {check.along: 1}
    capacity = peak.top.mean * table.mean(held, one) / table.mean(check.measure, one)
    words = f"best windows add up to {flows * peak.at}, the pipe holds {number(capacity)} packets"
    return 0.5 <= flows * peak.at / capacity <= 2, words


# --- Section 4 --------------------------------------------------------------------------------------------------------


def lossy_below_capacity(check: Check, table: Table) -> Evaluation:
    """Whether something is lost at the load before the best one, and less than the most."""
    peak = best(table, check.along, "flow.0.throughput_kbps")
    curve = table.curve(check.along, check.measure, check.at)
    below = [(load, value) for load, value in curve if load < peak.at]
    if not below:
        return False, f"throughput is best at the lowest load, {peak.at}"
    load, value = below[-1]
    words = f"{show(value)} at {load}, below the best load of {peak.at}"
    if value.max == 0:
        return False, words
    return value.mean < max(found.mean for _, found in curve) and exceeds(value), words


def crowded_lose_more(check: Check, table: Table) -> Evaluation:
    """Whether a node that senses more active ones has a larger drop probability at some window."""
    runs: dict[tuple[Any, ...], list[Run]] = defaultdict(list)
    for where, found in table.points:
        rest = tuple((key, value) for key, value in where.items() if key != check.along)
        for run in found:
            runs[(rest, run["seed"])].append(run)
    places = {rest: _positions(check.document, dict(rest)) for rest, _ in runs}
    trends = [_crowding(found, places[rest]) for (rest, _), found in runs.items()]
    value = estimate([trend for trend in trends if trend is not None])
    return exceeds(value), f"rank correlation {show(value)} over the nodes that sent {ACTIVE} packets or more"


def _positions(document: Mapping[str, Any], fixed: Mapping[str, Any]) -> list[list[float]]:
    from hopscope.scenario import Scenario

    bare = {key: value for key, value in document.items() if key != "sweep"}
    nodes: list[list[float]] = Scenario(bare).replace(dict(fixed)).points[0].config(1)["nodes"]
    return nodes


def _crowding(runs: list[Run], places: list[list[float]]) -> float | None:
    """Rank correlation between the active nodes that a node senses and its largest drop probability in any run."""
    largest: dict[int, float] = {}
    for run in runs:
        for node in run["nodes"]:
            if node["mac_packets"] >= ACTIVE:
                share = node["mac_retry_drops"] / node["mac_packets"]
                largest[node["id"]] = max(share, largest.get(node["id"], 0.0))
    sensed = dict.fromkeys(largest, 0)
    for a, b in combinations(largest, 2):
        if math.dist(places[a], places[b]) <= SENSED:
            sensed[a] += 1
            sensed[b] += 1
    return rank_correlation(list(sensed.values()), list(largest.values())) if len(largest) > 2 else None


def _values(check: Check, table: Table, metric: Any) -> list[float]:
    found = [value.mean for _, value in table.curve(check.along, metric)]
    if len(found) < len(table.values(check.along)):
        raise NoSamplesError("a flow carried nothing at some load")
    return found


def three_regimes(check: Check, table: Table) -> Evaluation:
    """Whether next to nothing is lost below B*, then more and more, then always the same."""
    places, values = _values(check, table, backlog), _values(check, table, check.measure)
    top = max(values)
    if top == 0:
        return False, "no drops at any load"
    few = [value for place, value in zip(places, values, strict=True) if place * HOPS < chain_limits(HOPS)[0]]
    start = next(index for index, value in enumerate(values) if value >= 0.9 * top)
    rises, words = gradual(values)
    beyond = values[start:]
    words = (
        f"at most {number(max(few, default=0.0))} below B*; {words}; from a backlog of {number(places[start])} on "
        f"between {number(min(beyond))} and {number(top)}"
    )
    return bool(few) and max(few) <= 0.05 * top and rises is True and 1 - min(beyond) / top <= 0.2, words


# --- Section 5 --------------------------------------------------------------------------------------------------------


def fewer_where_many(check: Check, table: Table, other: Table) -> Evaluation:
    """Whether a count is lower than in another setting wherever that has some number of it."""
    verdicts: list[Verdict] = []
    words = []
    for value in table.values(check.along):
        at = {check.along: value}
        if (usual := other.mean(check.measure, at)) >= check.args["value"]:
            verdicts.append(difference(table, check.measure, at, at, other=other).is_lower)
            words.append(f"{value}: {number(table.mean(check.measure, at))} against {number(usual)}")
    return bool(verdicts) and every(verdicts), "; ".join(words) or "nowhere so many"


def nearer_the_quarter(check: Check, table: Table, other: Table) -> Evaluation:
    """Whether the mean window is nearer to h/4, at least 1, than in another setting, at every length."""
    verdicts: list[Verdict] = []
    words = []
    for hops in table.values(check.along):
        at = {check.along: hops}

        def distance(run: Run, target: float = max(1.0, hops / 4)) -> float | None:
            window = check.measure(run)
            return None if window is None else abs(window - target)

        verdicts.append(difference(table, distance, at, at, other=other).is_lower)
        pair = (number(found.mean(check.measure, at)) for found in (table, other))
        words.append(f"{hops} hops: {' against '.join(pair)}")
    return every(verdicts), "mean window " + "; ".join(words)


# --- Figures ----------------------------------------------------------------------------------------------------------


def time_at_window(data: Data, label: str) -> list[Chart]:
    """How long the window stays at each size, without link layer and with one setting of Link RED."""
    sizes = list(range(1, 33))
    lines = []
    for name in ("ns-2's radio, NewReno", label):
        if name in data:
            runs = data[name].runs()
            shares = [100 * sum(_shares(run).get(size, 0.0) for run in runs) / len(runs) for size in sizes]
            lines.append(Line(name, [float(size) for size in sizes], shares))
    caption = "Share of the time that the usable window of one NewReno flow spends at each whole size, 7-hop chain."
    panel = Panel("", lines, guides=[(3.0, "published peak: 3")])
    return [Chart("time-at-window", caption, "window (packets)", "share of the time (%)", [panel])]
