"""What a path really carries: found by trying, in the same scenario with the same seed.

Capacity is what arrives of the highest rate of evenly spaced packets that arrives whole while nobody else sends.
Available is what arrives of the highest one that arrives whole among the scenario's own flows and costs them nothing.
"Whole" and "nothing" allow for one per cent (a default), which bounds the error on a path of wires, where the first is
the rate of the narrowest and the second what its traffic leaves. Over radio no formula says either. A flow of TCP gives
way to whatever comes, so that with a greedy one next to nothing is available by this definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.campaign.controls import run
from hopscope.probing.path import Path
from hopscope.scenario.controls import FlowControl

#: What may be missing of a rate that arrives "whole", and of what others carry; a default.
TOLERANCE = 0.01
#: Seconds from the start of the rate until it is measured, and for how long; defaults.
SETTLE, MEASURE = 5.0, 30.0
#: The search ends when the range is this share of the fastest link; a default.
RESOLUTION = 1 / 2048

UDP_HEADERS = 28
NS = 1_000_000_000


@dataclass(frozen=True)
class Truth:
    """What a path carries, in bit/s of packets with network header.

    Attributes:
        capacity: with nobody else there.
        available: in addition to the flows of the scenario; the capacity where it has none.
    """

    capacity: float
    available: float


def truth(path: Path, seed: int) -> Truth:
    """Returns what a path carries in the network of a seed."""
    capacity = _highest(path, seed, path.fastest, others=False)
    return Truth(capacity, _highest(path, seed, capacity, others=True) if path.others else capacity)


def _highest(path: Path, seed: int, most: float, *, others: bool) -> float:
    """The highest rate that is carried, by bisection below one that need not be."""
    alone = _carried(path, seed, None, others=True)[1] if others else 0.0
    least, end, arrived = 0.0, most, 0.0
    while end - least > RESOLUTION * path.fastest:
        rate = (least + end) / 2
        own, theirs = _carried(path, seed, rate, others=others)
        if own >= (1 - TOLERANCE) * rate and theirs >= (1 - TOLERANCE) * alone:
            least, arrived = rate, own
        else:
            end = rate
    return min(arrived, least)


def _carried(path: Path, seed: int, rate: float | None, *, others: bool) -> tuple[float, float]:
    """What arrives of a rate, with headers, and what the others carry at the same time, in payload; bit/s."""
    config, controls = path.with_rate(seed, rate)
    if not others:
        config["flows"], controls = config["flows"][-1:], controls[-1:]
    start = path.begin
    config["warmup"], config["duration"] = int((start + SETTLE) * NS), int((start + SETTLE + MEASURE) * NS)
    result = _run(config, controls, seed)
    flows = result["flows"]
    theirs = sum(flow["throughput_kbps"] for flow in flows[: len(config["flows"]) - (rate is not None)])
    own = 0.0 if rate is None else flows[len(config["flows"]) - 1]["throughput_kbps"]
    return 1e3 * own * path.size / (path.size - UDP_HEADERS), 1e3 * theirs


def _run(config: dict[str, Any], controls: Sequence[Sequence[FlowControl]], seed: int) -> dict[str, Any]:
    return run(config, controls, seed).values()
