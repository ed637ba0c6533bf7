"""What is varied, checked before anything runs: the scenario, its cases, and the numbers along each key."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hopscope.campaign import controls
from hopscope.errors import InputError, ScenarioError
from hopscope.optimum import axes as axes_
from hopscope.optimum.axes import Axis
from hopscope.results import PointResult
from hopscope.running.runner import prepare
from hopscope.scenario import Scenario, sweep

#: Fewest replications without ``--seeds``, and under ``--quick``; defaults.
SEEDS, QUICK_SEEDS = 5, 3

#: More combinations of values are refused.
MOST_VALUES = 4096

Over = str | Sequence[str] | Mapping[str, Any]

Case = tuple[dict[str, Any], Scenario, list[Axis]]
"""One combination of the scenario's own sweep: its values, its scenario, its axes."""


def prepared(
    what: str | Path | Mapping[str, Any] | Scenario,
    *,
    seeds: int | None,
    set: Mapping[str, Any] | None,  # noqa: A002 (the name users type)
    quick: bool,
) -> Scenario:
    """Returns the scenario with enough seeds to compare values by.

    Raises:
        InputError: it cannot be run.
    """
    scenario = prepare(what, seeds=seeds, set=set, quick=quick)
    if seeds is not None:
        return scenario
    least = max(scenario.seeds, QUICK_SEEDS if scenario.is_quick else SEEDS)
    return scenario.replace({"seeds": least}, origin="--seeds")


def cases_of(scenario: Scenario, over: Over) -> tuple[Scenario, list[Case]]:
    """Returns the scenario without the keys that are varied, and its cases.

    Raises:
        InputError: a key that is no number, or a value that makes no scenario.
    """
    axes = _axes(over, scenario)
    inner = _inside_swept_tables(axes, scenario)
    base = scenario.replace({a.key: a.values[0] for a in axes if a.key not in inner}, origin="--over")
    cases = []
    for combination in itertools.product(*base.axes.values()):
        chosen = dict(zip(base.axes, combination, strict=True))
        case = base.replace(chosen) if chosen else base
        _check_ends(case, axes)
        cases.append((chosen, case, [axis.copy() for axis in axes]))
    return base, cases


def _inside_swept_tables(axes: Sequence[Axis], scenario: Scenario) -> set[str]:
    """The keys that lie in tables which the scenario sweeps as a whole: they are varied in each of these."""
    document = scenario.document
    tables = [path for key in scenario.axes for path in sweep.key_paths(document, key)]
    return {axis.key for axis in axes if sweep.is_inside(sweep.key_paths(document, axis.key), tables)}


def _axes(over: Over, scenario: Scenario) -> list[Axis]:
    document = scenario.document
    if isinstance(over, str):
        found = [axes_.parse(over, document)]
    elif isinstance(over, Mapping):
        found = [axes_.of_values(str(key), values, document) for key, values in over.items()]
    else:
        found = [axes_.parse(text, document) for text in over]
    if not found:
        raise InputError(
            'nothing to vary: give --over KEY=RANGE, for example --over "flow.*.max_window=1..32", or --oracle'
        )
    names = [axis.key for axis in found]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"--over {name}: is given twice")
    if (size := product(len(axis.values) for axis in found)) > MOST_VALUES:
        raise InputError(f"--over: {size} combinations of values; at most {MOST_VALUES}")
    return found


def _check_ends(case: Scenario, axes: Sequence[Axis]) -> None:
    """Both ends of every axis make a scenario; what lies between is checked when it is run."""
    for axis in axes:
        for value in (min(axis.values), max(axis.values)):
            try:
                case.replace({axis.key: value}, origin="--over")
            except ScenarioError as error:
                option = f"--over {axis.key}={value}"
                lines = [text if "--over" in text else f"{option}: {text}" for text in str(error).splitlines()]
                raise InputError("\n".join(lines)) from error


def check_metric(case: Scenario, metric: str, option: str = "--metric") -> None:
    """Refuses a metric that a run does not have; tried on a run that ends as soon as it has begun.

    Raises:
        InputError: no such metric.
    """
    point = case.points[0]
    config = point.config(case.seed)
    config["duration"], config["warmup"] = 1, 0
    for flow in config["flows"]:
        flow |= {name: 0 if name == "start" else None for name in ("start", "stop") if name in flow}
    config["outages"] = []
    found = controls.run(config, point.controls(), case.seed).values()
    try:
        PointResult(0, {}, [found]).by_seed(metric)
    except KeyError as error:
        raise InputError(f"{option} {metric}: {error.args[0]}") from error


def mean_delays(point: PointResult) -> dict[int, float]:
    """Seed -> mean delay of a packet over all flows that delivered one, ms; without the seeds in which none did."""
    found = {}
    for run in point.runs:
        flows = [flow for flow in run["flows"] if flow["delay_ms"] is not None]
        if flows:
            packets = sum(flow["received_packets"] for flow in flows)
            found[run["seed"]] = sum(flow["delay_ms"] * flow["received_packets"] for flow in flows) / packets
    return found


def product(numbers: Iterable[int]) -> int:
    """Returns the product of numbers; 1 without any."""
    size = 1
    for number in numbers:
        size *= number
    return size
