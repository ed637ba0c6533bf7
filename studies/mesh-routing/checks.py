"""mesh-routing: packets that end with their time to live."""

from __future__ import annotations

from hopscope.results.samples import Run


def expired(run: Run) -> float:
    """Data packets dropped at the end of their time to live; a node without one has no such reason."""
    return float(sum(node["data_drops"].get("ttl-expired", 0) for node in run["nodes"]))
