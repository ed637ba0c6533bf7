"""What a reader of a run on real stacks has to know first: whether it may be trusted, and where it took place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopscope.results.points import BaseResult

#: Verdict of the radio -> what a user may do with the run.
TRUST = {
    "ok": "the run may be trusted",
    "degraded": "the run may be trusted for throughput, hardly for delays",
    "missed": "the run may not be trusted",
}


def trust(live: Mapping[str, Any]) -> str:
    """What a user may do with a run, with the reason where there is one."""
    cause = live.get("cause")
    return TRUST.get(live["verdict"], f"verdict {live['verdict']}") + (f" ({cause})" if cause else "")


def sentences(result: BaseResult) -> list[str]:
    """Whether to trust a result that real stacks gave, and where they ran; nothing of simulations."""
    live = result.live
    if live is None:
        return []
    said = trust(live)
    return [
        f"Real stacks, verdict {live['verdict']}: {said}",
        f"{live['seconds']:.3g} s of {live['clock']} time from {live['begun']} on {live['kernel']}, {live['machine']}",
    ]
