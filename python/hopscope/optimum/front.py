"""The trade-off between two objectives: every value in full, and which of them no other value beats in both.

A value is on the front when no other one has a better mean of one objective without a worse mean of the other (Pareto).
The front of means says nothing of noise, so a value behind it is called so only where the paired difference from a
value that dominates it shows it at 95 %.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.errors import InputError, instead, listed
from hopscope.io.extras import need
from hopscope.optimum import decide
from hopscope.optimum.axes import Number
from hopscope.optimum.cases import Over, cases_of, check_metric, mean_delays, prepared
from hopscope.optimum.search import Value
from hopscope.results import PointResult, Result, display, metrics
from hopscope.running.runner import run_scenarios
from hopscope.scenario import Scenario


@dataclass(frozen=True)
class Objective:
    """What is to be large or small.

    Attributes:
        name: as the user wrote it.
        metric: the dotted metric; empty for the mean delay of all packets.
        minimize: whether smaller is better.
        unit: unit of its numbers.
    """

    name: str
    metric: str
    minimize: bool
    unit: str

    @property
    def sense(self) -> str:
        """In words: "largest throughput", "smallest delay"."""
        return f"{'smallest' if self.minimize else 'largest'} {self.name}"

    def samples(self, point: PointResult) -> decide.Samples:
        """Returns seed -> value at a point."""
        if not point.runs:
            return {}
        return point.by_seed(self.metric) if self.metric else mean_delays(point)


#: Objectives by a word: of all flows together.
WORDS = {
    "throughput": Objective("throughput", "network.aggregate_kbps", False, "kbit/s"),
    "delay": Objective("delay", "", True, "ms"),
    "fairness": Objective("fairness", "network.jain", False, ""),
    "drops": Objective("drops", "network.mac_retry_drops", True, "packets"),
    "overhead": Objective("overhead", "network.routing_bytes", True, "bytes"),
}

#: Parts of the names of metrics of which less is better.
_LESS = ("delay", "jitter", "loss", "lost", "drop", "timeout", "gap", "outage", "starved", "retrans", "overhead", "rtt")


def objective(option: str, text: str) -> Objective:
    """Returns the objective that a user names: a word or a metric, with ``:min`` or ``:max`` where that is unclear.

    Raises:
        InputError: neither.
    """
    name, _, sense = text.partition(":")
    if sense not in ("", "min", "max"):
        raise InputError(f'{option} {text}: found "{sense}" behind the colon; allowed: min, max')
    found = WORDS.get(name)
    if found is None:
        about = metrics.of(name)
        if about is None:
            known = [*WORDS, *(f"flow.0.{metric.name}" for metric in metrics.metrics("flow"))]
            allowed = f"allowed: {listed(WORDS)}, or a metric such as flow.0.jitter_ms"
            raise InputError(f'{option} {text}: no objective "{name}"{instead(name, known, allowed)}')
        less = any(part in about.name for part in _LESS)
        found = Objective(metrics.in_words(name), name, less, about.unit)
    return found if not sense else Objective(found.name, found.metric, sense == "min", found.unit)


@dataclass(frozen=True)
class Tried:
    """A value and what it gave.

    Attributes:
        value: the value, one number for each key.
        samples: seed -> value of each of the two objectives.
        verdict: ``front``; ``dominated`` by ``by``; or ``within noise`` of the front.
        by: a value that dominates it; None on the front.
    """

    value: Value
    samples: tuple[decide.Samples, decide.Samples]
    verdict: str
    by: Value | None


@dataclass(frozen=True)
class Front:
    """The trade-off of one case.

    Attributes:
        set: swept keys of the scenario that were fixed for this case; empty without a sweep.
        tried: every value, in the order given.
    """

    set: dict[str, Any]
    tried: tuple[Tried, ...]

    @property
    def front(self) -> list[Tried]:
        """The values on the front, from the best to the worst in the first objective."""
        return [entry for entry in self.tried if entry.verdict == "front"]


@dataclass(frozen=True)
class TradeOff(display.Shown):
    """The outcome of :func:`trade_off`.

    Attributes:
        scenario: what was run.
        over: the keys that were varied.
        objectives: the two objectives.
        cases: one front for each combination of the scenario's own sweep.
        results: the runs, one result a case.
    """

    drawn = "trade-off"

    scenario: Scenario
    over: tuple[str, ...]
    objectives: tuple[Objective, Objective]
    cases: list[Front]
    results: list[Result]

    def __repr__(self) -> str:
        against = " against ".join(one.name for one in self.objectives)
        return f"TradeOff({self.scenario.title!r}, over={list(self.over)}, {against}, cases={len(self.cases)})"

    def named(self, value: Value) -> dict[str, Number]:
        """Returns a value as key -> number."""
        return dict(zip(self.over, value, strict=True))

    def to_json(self) -> dict[str, Any]:
        """Returns the outcome as ``--json`` prints it."""
        return {
            "hopscope": _core.version(),
            "scenario": self.scenario.resolved,
            "over": list(self.over),
            "objectives": [
                {
                    "name": one.name,
                    "metric": one.metric or "delay_ms of all packets",
                    "goal": _goal(one),
                    "unit": one.unit,
                }
                for one in self.objectives
            ],
            "cases": [{"set": case.set, "values": [self._entry(entry) for entry in case.tried]} for case in self.cases],
        }

    def _entry(self, entry: Tried) -> dict[str, Any]:
        means = [decide.summary(samples).as_dict() for samples in entry.samples]
        by = {} if entry.by is None else {"by": self.named(entry.by)}
        return {"set": self.named(entry.value), "objectives": means, "verdict": entry.verdict, **by}


def _goal(one: Objective) -> str:
    return "minimize" if one.minimize else "maximize"


def trade_off(
    what: str | Path | Mapping[str, Any] | Scenario,
    over: Over,
    objectives: Sequence[str] = ("throughput", "delay"),
    *,
    seeds: int | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    quick: bool = False,
    progress: bool = False,
    executor: Executor | None = None,
) -> TradeOff:
    """Runs every value of one or several keys in full and finds the front between two objectives.

    Args:
        what: a scenario file, its keys as a mapping, or a :class:`Scenario`.
        over: as of :func:`hopscope.optimize`.
        objectives: two of the words in :data:`WORDS`, or metrics, each with ``:min`` or ``:max`` where that is unclear.
        seeds: replications; default: the scenario's, at least 5 (3 with ``quick``).
        jobs: runs at a time; default: all cores.
        out: result store; without it nothing is kept.
        set: dotted keys to change, as with ``--set``.
        quick: shorter runs; see :meth:`Scenario.quick`.
        progress: show a bar on standard error.
        executor: runs on another executor of :mod:`concurrent.futures`.

    Raises:
        InputError: a key that is no number, an objective that does not exist, what :func:`hopscope.run` refuses.
        Interrupted: Ctrl-C; finished runs are in the store.
        RunFailed: the store can no longer be written.
    """
    need("moocore")
    if len(objectives) != 2:
        raise InputError(f"objectives: found {len(objectives)}; a trade-off has two")
    first, second = (objective(option, text) for option, text in zip(("--objective", "--and"), objectives, strict=True))
    if first.metric == second.metric:
        raise InputError(f"--and {second.name}: is the first objective as well")
    base, cases = cases_of(prepared(what, seeds=seeds, set=set, quick=quick), over)
    for one in (first, second):
        if one.metric:
            check_metric(cases[0][1], one.metric, "--objective" if one is first else "--and")
    scenarios = [
        scenario.sweeping({axis.key: list(axis.values) for axis in axes}, origin="--over")
        for _, scenario, axes in cases
    ]
    keys = tuple(axis.key for axis in cases[0][2])
    label = f"trade-off over {', '.join(keys)}: {base.title}"
    results = run_scenarios(scenarios, jobs=jobs, store=out, progress=progress, executor=executor, label=label)
    found = [
        Front(set_, fronts(result, keys, (first, second))) for (set_, _, _), result in zip(cases, results, strict=True)
    ]
    return TradeOff(base, keys, (first, second), found, results)


def fronts(result: Result, keys: Sequence[str], objectives: tuple[Objective, Objective]) -> tuple[Tried, ...]:
    """Returns the values of a case with their verdicts; one without a sample of an objective is dominated.

    Raises:
        InputError: no value has samples of both.
    """
    import moocore
    import numpy as np

    samples = {
        tuple(point.set[key] for key in keys): (objectives[0].samples(point), objectives[1].samples(point))
        for point in result.points
    }
    known = {value: pair for value, pair in samples.items() if all(pair)}
    if not known:
        raise InputError(f"--objective {objectives[0].name} --and {objectives[1].name}: no run has a value of both")
    means = np.array([[decide.summary(one).mean for one in pair] for pair in known.values()], dtype=float)
    maximise = [not one.minimize for one in objectives]
    is_front = moocore.is_nondominated(means, maximise=maximise, keep_weakly=True)
    front = list(itertools.compress(known, is_front))
    found = []
    for value, pair in samples.items():
        if value in front:
            found.append(Tried(value, pair, "front", None))
        elif value not in known:
            found.append(Tried(value, pair, "dominated", front[0]))
        else:
            found.append(_behind(value, known, front, objectives))
    return tuple(found)


def _behind(
    value: Value,
    known: Mapping[Value, tuple[decide.Samples, decide.Samples]],
    front: Sequence[Value],
    objectives: tuple[Objective, Objective],
) -> Tried:
    """A value that is not on the front of means: whether a value there is better beyond noise."""
    pair = known[value]
    rivals = [other for other in front if _dominates(known[other], pair, objectives)]
    for other in rivals:
        worse = [
            decide.is_worse(ours, theirs, minimize=one.minimize)
            for ours, theirs, one in zip(pair, known[other], objectives, strict=True)
        ]
        if any(worse):
            return Tried(value, pair, "dominated", other)
    return Tried(value, pair, "within noise", rivals[0])


def _dominates(
    ours: tuple[decide.Samples, decide.Samples],
    theirs: tuple[decide.Samples, decide.Samples],
    objectives: tuple[Objective, Objective],
) -> bool:
    """Whether no mean of ours is worse than theirs."""
    means = [[decide.summary(one).mean or 0.0 for one in pair] for pair in (ours, theirs)]
    return all(a <= b if one.minimize else a >= b for a, b, one in zip(means[0], means[1], objectives, strict=True))
