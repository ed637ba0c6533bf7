"""What a campaign will cost, announced before work that takes long or much memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopscope import _core
from hopscope.campaign.plan import Run

#: From these sizes on the cost is announced.
ANNOUNCE_SECONDS, ANNOUNCE_BYTES = 600.0, 2e9

#: At most so many runs are estimated one by one; the rest is scaled.
SAMPLES = 200


@dataclass(frozen=True)
class Cost:
    """Rough cost of runs.

    Attributes:
        wall_s: seconds until all are done.
        memory_bytes: memory of the runs that are in work at the same time.
        events: simulated events.
    """

    wall_s: float
    memory_bytes: float
    events: float

    @property
    def is_large(self) -> bool:
        """Whether a user should hear of it before."""
        return self.wall_s > ANNOUNCE_SECONDS or self.memory_bytes > ANNOUNCE_BYTES

    def __str__(self) -> str:
        return f"about {duration(self.wall_s)}, {self.memory_bytes / 1e9:.1f} GB of memory, {self.events:.2g} events"


def estimate(runs: Sequence[Run], jobs: int) -> Cost:
    """Returns the rough cost of runs done ``jobs`` at a time."""
    if not runs:
        return Cost(0.0, 0.0, 0.0)
    step = max(1, len(runs) // SAMPLES)
    sample = runs[::step]
    costs = {}
    for run in sample:
        if id(run.point) not in costs:
            costs[id(run.point)] = _core.estimate(run.config())
    chosen = [costs[id(run.point)] for run in sample]
    scale = len(runs) / len(sample)
    workers = min(jobs, len(runs))
    return Cost(
        wall_s=sum(c["wall_s"] for c in chosen) * scale / workers,
        memory_bytes=max(c["memory_bytes"] for c in chosen) * workers,
        events=sum(c["events"] for c in chosen) * scale,
    )


def duration(seconds: float) -> str:
    """Returns a time in words: "3 minutes"."""
    for limit, size, name in ((120, 1, "seconds"), (7200, 60, "minutes"), (172_800, 3600, "hours")):
        if seconds < limit:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds / 86_400:.3g} days"
