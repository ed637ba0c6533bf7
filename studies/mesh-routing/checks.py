"""mesh-routing: packets that end with their time to live, and the order of two protocols in overhead and throughput."""

from __future__ import annotations

from hopscope.results.comparisons import difference
from hopscope.results.samples import Run, Table
from hopscope.studies.measures import Measure
from hopscope.studies.verbs import Check, Evaluation


def expired(run: Run) -> float:
    """Data packets dropped at the end of their time to live; a node without one has no such reason."""
    return float(sum(node["data_drops"].get("ttl-expired", 0) for node in run["nodes"]))


def rank_as_in_overhead(check: Check, table: Table, other: Table) -> Evaluation:
    """Whether of two protocols that with more routing bytes has less throughput, both paired by field."""
    if table.label == other.label:
        return True, "itself"
    octets: Measure = check.args["to"]
    cost = difference(table, octets, check.at, check.at, other=other)
    gain = difference(table, check.measure, check.at, check.at, other=other)
    words = f"against {other.label} {cost.words(octets.unit)}, {gain.words(check.measure.unit)}"
    if cost.is_higher is None:
        return True, words
    return gain.is_lower if cost.is_higher else gain.is_higher, words
