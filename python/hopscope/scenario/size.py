"""How much a point of a scenario asks of the machine, looked at before its network is built."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Mapping

from hopscope import _core

#: Up to so many nodes any machine has the memory for who hears whom.
FEW_NODES = 5_000

_LOG = logging.getLogger("hopscope")


def refusal(many: Mapping[str, int], estimate: Callable[[], dict[str, float] | None], announced: set[str]) -> str:
    """Says why a point cannot be built; empty where it can. A large one is announced, points alike once.

    Args:
        many: how many `nodes` and how many `flows` it has.
        announced: what has been said of other points.
        estimate: what a run costs, which is asked for only where there are many; None: unknown.
    """
    if many["nodes"] < FEW_NODES and many["flows"] < _core.MANY_NODES:
        return ""
    if (cost := estimate()) is None:
        return ""
    needed, there = cost["memory_bytes"], _memory_bytes()
    if needed > there:
        return (
            f"a run is estimated at {needed / 1e9:.1f} GB of memory, and there are {there / 1e9:.1f} GB: "
            "fewer nodes or a larger field are needed"
        )
    if max(many.values()) >= _core.MANY_NODES:
        large = ", ".join(f"{count} {name}" for name, count in many.items() if count >= _core.MANY_NODES)
        reported = f"{large}: a run is estimated at {cost['wall_s']:.0f} s and {needed / 1e9:.1f} GB of memory"
        if reported not in announced:
            announced.add(reported)
            _LOG.warning("%s", reported)
    return ""


def _memory_bytes() -> float:
    """Memory of this machine; without a bound where the system does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return math.inf
