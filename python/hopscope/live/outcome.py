"""What a run on real stacks gave, in the form that simulations give: its tables, and where it ran."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hopscope.live import guest
from hopscope.live.measured import ENGINE, Measured, percentile_ms
from hopscope.results import PointResult, Result
from hopscope.results.metrics import metrics
from hopscope.results.stats import jain
from hopscope.results.stored import RunResult
from hopscope.scenario import Scenario
from hopscope.tracing.pick import OneRun

#: What the title of a scenario gets, so that its tables, pages and pictures are not taken for those of a simulation.
ON_STACKS = ", on real stacks"


#: Metrics of the network that ask what is in a packet, which the engine does not know of those of kernels.
_OF_PACKETS = (
    "shared_kbps", "shared_jain", "shared_max_min", "jain_interval", "data_retry_drops", "data_queue_drops",
    "ack_airtime_pct",
)  # fmt: skip

#: Those that ask its routing protocol, where daemons route.
_OF_ROUTING = (
    "routing_packets", "routing_bytes", "route_changes", "discoveries", "discovery_ms", "failed_discoveries",
    "link_failures", "false_link_failures",
)  # fmt: skip


def of_one(run: OneRun, changes: Mapping[str, Any]) -> OneRun:
    """The run as a scenario of its own: one point and one seed, without the sweep.

    Raises:
        ScenarioError: a change does not fit.
    """
    title = run.scenario.title
    named = {"title": title if title.endswith(ON_STACKS) else title + ON_STACKS, "seed": run.seed, "seeds": 1}
    scenario = Scenario({**run.scenario.alone(run.point), **named}).replace(changes)
    return OneRun(scenario, scenario.points[0], run.seed)


@dataclass(frozen=True)
class Machine:
    """Where and when a run took place.

    Attributes:
        kernel: name and release of the kernel.
        machine: cores, processor and architecture.
        begun: date and time with the zone.
        clock: "real", or "virtual" inside a kernel whose clock waits for the machine.
    """

    kernel: str
    machine: str
    begun: str
    clock: str

    @classmethod
    def here(cls) -> Machine:
        """This machine, now."""
        cores = len(os.sched_getaffinity(0))
        return cls(
            f"{platform.system()} {platform.release()}",
            f"{cores} x {_processor()}, {platform.machine()}",
            datetime.now(UTC).isoformat(timespec="seconds"),
            "virtual" if guest.is_virtual() else "real",
        )


def _processor() -> str:
    """The name of the processor, where the kernel says it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "core"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "core")


def tables(
    simulated: RunResult,
    measured: Sequence[Measured],
    hops: Sequence[int | None],
    ends: int,
    radio: Mapping[str, Any],
    *,
    daemons: bool = False,
) -> RunResult:
    """The tables of a run: what the engine gives of nodes, links and network, with the flows over kernels in it.

    Args:
        simulated: what the engine gives.
        measured: the flows over kernels; without one all flows are the engine's.
        hops: of the static route of each flow over kernels.
        ends: when the run ended, nanoseconds.
        radio: the report of the radio.
        daemons: nodes have routing daemons, whose messages are packets like any other to the engine.
    """
    late = radio["lateness_us"]
    engine = {
        **simulated["engine"],
        "wall_s": ends / 1e9,
        **{f"lateness_{name}_us": late[name] for name in ("p50", "p99", "max")},
        "late_pct": 100.0 * radio["share_above_1ms"],
        "core_pct": 100.0 * radio["core_share"],
        "verdict": radio["verdict"],
    }
    if not measured:
        flows = [{**row, "stack": ENGINE} for row in simulated["flows"]]
        unknown = dict.fromkeys(_OF_ROUTING if daemons else ())
        return {**simulated, "flows": flows, "network": {**simulated["network"], **unknown}, "engine": engine}
    under_way = radio["frames"]["under_way"]
    rows = [one.row(ends, under_way, count) for one, count in zip(measured, hops, strict=True)]
    unknown = dict.fromkeys((*_OF_PACKETS, *_OF_ROUTING) if daemons else _OF_PACKETS)
    rates = [row["throughput_kbps"] for row in rows]
    network = {**simulated["network"], **unknown, "aggregate_kbps": sum(rates), "jain": jain(rates)}
    groups = {
        name: _group([one for one in measured if one.flow.group == name], rows)
        for name in sorted({one.flow.group for one in measured if one.flow.group})
    }
    return {**simulated, "flows": rows, "network": network, "engine": engine, **({"groups": groups} if groups else {})}


def _group(members: Sequence[Measured], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The metrics of the flows of a group."""
    own = [rows[one.flow.number] for one in members]
    delays = sorted(delay for one in members for delay in one.arrivals.delays)
    lossy = [row for row in own if row["loss_pct"] is not None]
    decided = sum(row["received_packets"] + row["lost_packets"] for row in lossy)
    starved = [row["starved_pct"] for row in own if row["starved_pct"] is not None]
    rates = [row["throughput_kbps"] for row in own]
    whole = len(lossy) == len(own) and decided
    known = {
        "flows": [one.flow.number for one in members],
        "aggregate_kbps": sum(rates),
        "jain": jain(rates),
        "delay_ms": sum(delays) / len(delays) / 1e6 if delays else None,
        "delay_p95_ms": percentile_ms(delays, 95),
        "delay_p99_ms": percentile_ms(delays, 99),
        "loss_pct": 100.0 * sum(row["lost_packets"] for row in lossy) / decided if whole else None,
        "starved_pct": sum(starved) / len(starved) if starved else None,
    }
    return {metric.name: known.get(metric.name) for metric in metrics("group")}


def left_empty(document: Mapping[str, Any], *, kernel_flows: bool) -> list[str]:
    """What a scenario asks to be kept of flows, which is empty of those over kernels, in words."""
    if not kernel_flows:
        return []
    keys = [key for key in ("distributions", "path_lengths") if document.get(key)]
    keys += ["series.keep"] if document.get("series", {}).get("keep") else []
    return [f"{' and '.join(keys)}: nothing is kept of flows over kernels"] if keys else []


def result_of(run: OneRun, found: RunResult, live: Mapping[str, Any]) -> Result:
    """The result of a run: one point and one seed.

    Args:
        run: what was run, as :func:`of_one` returns it.
        found: its tables.
        live: where it ran and whether to trust it.
    """
    return Result(run.scenario, [PointResult(0, {}, [found])], live=dict(live))
