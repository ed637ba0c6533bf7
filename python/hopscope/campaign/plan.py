"""The runs a set of scenarios needs, each under the key of exactly what determines its result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from hopscope import _core
from hopscope.errors import InputError
from hopscope.scenario import Point, Scenario
from hopscope.scenario.controls import FlowControl

#: More runs in one start are refused.
MAX_RUNS = 10_000_000


@dataclass(frozen=True)
class Run:
    """One run: a point of a scenario with a seed.

    Attributes:
        key: hash of configuration, seed and engine build; equal keys give equal results.
        point: what is run.
        seed: with which random streams.
        weight: simulated seconds, for progress.
    """

    key: str
    point: Point
    seed: int
    weight: float

    def config(self) -> _core.Config:
        """Returns the engine's configuration."""
        return self.point.engine_config(self.seed)

    def controls(self) -> list[tuple[FlowControl, ...]]:
        """Returns the classes of a user's that each flow has."""
        return self.point.controls()


@dataclass(frozen=True)
class Plan:
    """Scenarios and their runs: ``runs[scenario][point]`` lists them by seed."""

    scenarios: tuple[Scenario, ...]
    runs: tuple[tuple[tuple[Run, ...], ...], ...]

    def unique(self) -> list[Run]:
        """Returns the runs without repetition, in order; equal points of several scenarios are run once."""
        found = {run.key: run for scenario in self.runs for point in scenario for run in point}
        return list(found.values())


def make_plan(scenarios: Sequence[Scenario]) -> Plan:
    """Returns the runs of scenarios.

    Raises:
        InputError: nothing to run, or too many runs.
    """
    total = sum(len(scenario.points) * scenario.seeds for scenario in scenarios)
    if total == 0:
        raise InputError("there is nothing to run")
    if total > MAX_RUNS:
        raise InputError(f"{total} runs; at most {MAX_RUNS} in one start")
    build = _core.build_id()
    runs = tuple(tuple(_point_runs(p, s, build) for p in s.points) for s in scenarios)
    return Plan(tuple(scenarios), runs)


def _point_runs(point: Point, scenario: Scenario, build: str) -> tuple[Run, ...]:
    keys = point_keys(point, scenario, build)
    return tuple(Run(key, point, scenario.seed + index, point.duration_s) for index, key in enumerate(keys))


def point_keys(point: Point, scenario: Scenario, build: str) -> list[str]:
    """Returns the keys of the runs of a point, by seed."""
    seeds = range(scenario.seed, scenario.seed + scenario.seeds)
    if point.draws_field:
        return [run_key(_digest(point, seed), seed, build) for seed in seeds]
    digest = _digest(point, 0)
    return [run_key(digest, seed, build) for seed in seeds]


def _digest(point: Point, seed: int) -> str:
    """Hash of all that a run is made of but its seed."""
    config = {**point.config(seed), "seed": None}
    return hashlib.sha256(json.dumps(config, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def run_key(config_digest: str, seed: int, build: str) -> str:
    """Returns the key of a run: 32 hexadecimal digits."""
    return hashlib.sha256(f"{config_digest}:{seed}:{build}".encode()).hexdigest()[:32]


def shard_of(runs: Sequence[Run], shard: tuple[int, int] | None) -> list[Run]:
    """Returns the runs of shard ``i`` of ``n`` (i from 1): every n-th run, so that shards cost alike."""
    if shard is None:
        return list(runs)
    index, count = shard
    return list(runs[index - 1 :: count])
