"""Finding the best value of a key by simulation: scenarios for each rung, one pool for all cases, the outcome."""

from __future__ import annotations

import itertools
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.campaign.execute import run_config
from hopscope.campaign.plan import Run, make_plan
from hopscope.errors import InputError, RunFailed, ScenarioError, shown
from hopscope.files import reason, write_whole
from hopscope.optimum import axes as axes_
from hopscope.optimum import decide, ladder
from hopscope.optimum.axes import Axis
from hopscope.optimum.oracle import Rival, Yardstick, yardstick
from hopscope.optimum.search import Answers, Found, Looked, NoSampleError, Request, Value, search
from hopscope.report.search import OUTCOME
from hopscope.results import Failure, PointResult, Result
from hopscope.results.stats import CONFIDENCE
from hopscope.runner import prepare, run_scenarios
from hopscope.scenario import Scenario, sweep, units
from hopscope.scenario.shorter import QUICK_SECONDS, sets_times

#: Metric that is looked at without ``--metric``.
METRIC = "network.aggregate_kbps"

#: Share of the full sweep's simulated time that a search may use; a default.
BUDGET = 1 / 3

#: Fewest replications without ``--seeds``, and under ``--quick``; defaults.
SEEDS, QUICK_SEEDS = 5, 3

#: More combinations of values are refused.
MOST_VALUES = 4096

Over = str | Sequence[str] | Mapping[str, Any]


@dataclass(frozen=True)
class Optimum:
    """The best value of one case.

    Attributes:
        set: swept keys of the scenario that were fixed for this case; empty without a sweep.
        over: the keys that were varied.
        found: the outcome of the search.
        duration: simulated seconds of a full run.
        seeds: replications of a full comparison.
        runs: runs that the search needed.
        simulated_s: their simulated seconds.
        full_s: simulated seconds of the full sweep.
        rivals: the scenario's own ACK policies, where the best value is their oracle.
    """

    set: dict[str, Any]
    over: tuple[str, ...]
    found: Found
    duration: float
    seeds: int
    runs: int
    simulated_s: float
    full_s: float
    rivals: tuple[Rival, ...] = ()

    @property
    def best(self) -> dict[str, axes_.Number]:
        """Key -> best value."""
        return self.named(self.found.best)

    @property
    def share(self) -> float:
        """Simulated seconds used, as a share of the full sweep's."""
        return self.simulated_s / self.full_s

    @property
    def indistinguishable(self) -> list[dict[str, axes_.Number]]:
        """Values that cannot be told apart from the best at 95 %, itself included.

        Those dropped after shorter runs without a decision (:attr:`undecided`) are among them.
        """
        return [self.named(entry.value) for entry in self.found.having("best", "not told apart", "undecided")]

    @property
    def undecided(self) -> list[dict[str, axes_.Number]]:
        """Values dropped by their rank in shorter runs, which were not significantly worse there."""
        return [self.named(entry.value) for entry in self.found.having("undecided")]

    def __repr__(self) -> str:
        return f"Optimum(set={self.set}, best={self.best}, runs={self.runs})"

    def named(self, value: Value) -> dict[str, axes_.Number]:
        """Returns a value as key -> number."""
        return dict(zip(self.over, value, strict=True))

    def look(self, value: Value) -> Looked:
        """Returns what was seen of a value."""
        return next(entry for entry in self.found.looked if entry.value == value)

    def to_json(self) -> dict[str, Any]:
        """The case as plain data."""
        best = self.look(self.found.best).samples
        own = {"own": [rival.to_json(best) for rival in self.rivals]} if self.rivals else {}
        return {
            "set": self.set,
            "best": self.best,
            **decide.summary(best).as_dict(),
            **own,
            "indistinguishable": self.indistinguishable,
            "undecided": self.undecided,
            "possible_gain": self.found.bound,
            "neighbours_run": self.found.settled,
            "runs": self.runs,
            "simulated_s": self.simulated_s,
            "full_sweep_s": self.full_s,
            "share": self.share,
            "rungs": [
                {
                    "purpose": request.purpose,
                    "duration_s": request.rung.duration,
                    "seeds": request.rung.seeds,
                    "values": [self.named(value) for value in request.values],
                }
                for request in self.found.requests
            ],
            "values": [
                {
                    "set": self.named(entry.value),
                    "duration_s": entry.duration,
                    **decide.summary(entry.samples).as_dict(),
                    "verdict": entry.verdict,
                }
                for entry in self.found.looked
            ],
        }


@dataclass
class Optimization:
    """The outcome of :func:`optimize`.

    Attributes:
        scenario: what was optimised, with the keys as in its first case.
        over: key -> the values as given.
        metric: what was compared.
        minimize: whether smaller is better.
        budget_s: simulated seconds that the search was allowed, all cases together.
        cases: one outcome for each combination of the scenario's own sweep; one without a sweep.
        failures: runs that did not finish.
    """

    scenario: Scenario
    over: dict[str, str]
    metric: str
    minimize: bool
    budget_s: float
    cases: list[Optimum]
    failures: list[Failure] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"Optimization({self.scenario.title!r}, over={self.over}, metric={self.metric!r}, cases={self.cases})"

    def __str__(self) -> str:
        """What the command prints: the best value, how sure it is, and what was seen of every value."""
        from hopscope.optimum.words import text

        return text(self)

    @property
    def best(self) -> dict[str, axes_.Number]:
        """Key -> best value of the only case.

        Raises:
            ValueError: the scenario has a sweep, so there are several cases.
        """
        if len(self.cases) != 1:
            raise ValueError(f"there are {len(self.cases)} cases; each has its own best value: use .cases")
        return self.cases[0].best

    def to_json(self) -> dict[str, Any]:
        """Returns the outcome as ``--json`` prints it."""
        document: dict[str, Any] = {"hopscope": _core.version()}
        if self.scenario.is_quick:
            document["quick"] = True
        document |= {
            "scenario": self.scenario.resolved,
            "over": self.over,
            "metric": self.metric,
            "goal": "minimize" if self.minimize else "maximize",
            "confidence": CONFIDENCE,
            "budget_s": self.budget_s,
            "cases": [case.to_json() for case in self.cases],
        }
        if self.failures:
            document["failures"] = [{"point": f.point, "seed": f.seed, "message": f.message} for f in self.failures]
        return document


def optimize(
    what: str | Path | Mapping[str, Any] | Scenario,
    over: Over = (),
    *,
    metric: str = METRIC,
    minimize: bool = False,
    oracle: bool = False,
    budget: float | str | None = None,
    shortest: float | str | None = None,
    seeds: int | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    quick: bool = False,
    progress: bool = False,
    executor: Executor | None = None,
) -> Optimization:
    """Finds the value of one or several keys with the best mean of a metric.

    Successive halving, compared seed by seed: short runs of every value, longer ones of the best third, full runs
    of the last few and of the neighbours of the best.  A sweep in the scenario over other keys gives several cases,
    each with its own best value.

    Args:
        what: a scenario file, its keys as a mapping, or a :class:`Scenario`.
        over: ``"flow.*.max_window=1..32"``, several of these, or a mapping of keys to ranges or lists of numbers.
        metric: ``network.NAME``, ``flow.I.NAME``, ``group.GROUP.NAME`` or ``node.I.NAME``.
        minimize: look for the smallest mean.
        oracle: look for the best fixed number of segments for one ACK (``ack = "fixed"``, ``tcp.ack_every``, from 1 to
            the smallest window and at most 16 where ``over`` says nothing else), and set the scenario's own policies
            beside it.
        budget: simulated seconds, or a share of the full sweep's such as ``"25%"``, all cases together; default: a
            third, or what the cheapest search needs if that is more.
        shortest: shortest run, in seconds or as text with a unit, that says something about a full one; default: 10 s.
            The whole duration turns short runs off.
        seeds: replications of a full comparison; default: the scenario's, at least 5 (3 with ``quick``).
        jobs: runs at a time; default: all cores.
        out: result store; finished runs in it are not done again.  Without it nothing is kept.
        set: dotted keys to change, as with ``--set``.
        quick: shorter runs; see :meth:`Scenario.quick`.
        progress: show a bar on standard error.
        executor: runs on another executor of :mod:`concurrent.futures`.

    Raises:
        InputError: a key that is no number, a metric that does not exist, a budget that is too small, and whatever
            :func:`hopscope.run` refuses.
        Interrupted: Ctrl-C; finished runs are in the store.
        RunFailed: no run finished, or the store can no longer be written.
    """
    job = prepare_job(
        what,
        over,
        metric=metric,
        minimize=minimize,
        oracle=oracle,
        budget=budget,
        shortest=shortest,
        seeds=seeds,
        set=set,
        quick=quick,
    )
    if out is not None:
        return job.work(Path(out), jobs, progress, executor)
    with tempfile.TemporaryDirectory(prefix="hopscope-") as scratch:
        return job.work(Path(scratch) / "runs", jobs, progress, executor)


@dataclass
class Job:
    """A checked search, ready to be done.

    Attributes:
        base: the scenario without the keys that are varied.
        cases: for each combination of the scenario's own sweep: its values, its scenario, its axes.
        plan: rungs of each case.
        yardstick: what the best values are the oracle of, if anything.
    """

    base: Scenario
    metric: str
    minimize: bool
    cases: list[tuple[dict[str, Any], Scenario, list[Axis]]]
    plan: ladder.Ladder
    budget_s: float
    full_s: float
    yardstick: Yardstick | None = None

    @property
    def title(self) -> str:
        """Title of the store."""
        return f"optimize {', '.join(axis.key for axis in self.cases[0][2])}: {self.base.title}"

    def work(self, store: Path, jobs: int | None, progress: bool, executor: Executor | None) -> Optimization:
        """Does the search and leaves a store with all its runs."""
        searches = [search(axes, self.plan, minimize=self.minimize) for _, _, axes in self.cases]
        wanted: dict[int, Request] = {number: next(found) for number, found in enumerate(searches)}
        asked: list[list[Scenario]] = [[] for _ in self.cases]
        outcomes: dict[int, Found] = {}
        failures: list[Failure] = []
        while wanted:
            made = {n: self._scenarios(n, request) for n, request in wanted.items()}
            batch = [scenario for scenarios in made.values() for scenario in scenarios]
            step = next(iter(wanted.values()))
            label = f"{self.title} ({step.purpose}, {len(step.values)} values of {step.rung.duration:g} s)"
            results = iter(
                run_scenarios(batch, jobs=jobs, store=store, progress=progress, executor=executor, label=label)
            )
            for number, request in list(wanted.items()):
                asked[number] += made[number]
                own = [next(results) for _ in made[number]]
                failures += [failure for result in own for failure in result.failures]
                try:
                    wanted[number] = searches[number].send(self._answers(number, request, own))
                except StopIteration as stop:
                    outcomes[number] = stop.value
                    del wanted[number]
                except NoSampleError as missing:
                    raise self._without_samples(missing, failures) from missing
        # The store ends with everything that was looked at, so that show and report have it all.
        whole = [s for scenarios in asked for s in scenarios]
        rivals: Result | None = None
        if self.yardstick is not None:
            whole.append(self.yardstick.own)
            label = f"{self.title} (own policies)"
            *_, rivals = run_scenarios(whole, jobs=jobs, store=store, progress=progress, executor=executor, label=label)
            failures += rivals.failures
        run_scenarios(whole, jobs=jobs, store=store, label=self.title)
        over = {axis.key: axis.text for axis in self.cases[0][2]}
        found = [self._optimum(number, outcomes[number], asked[number], rivals) for number in range(len(self.cases))]
        result = Optimization(self.base, over, self.metric, self.minimize, self.budget_s, found, failures)
        _keep(store / OUTCOME, result)
        return result

    def _scenarios(self, number: int, request: Request) -> list[Scenario]:
        """One scenario for each combination of all axes but the last, which is swept."""
        _, scenario, axes = self.cases[number]
        rung = request.rung
        short = scenario if rung.duration >= _seconds(scenario) else scenario.shortened(rung.duration)
        groups: dict[Value, list[axes_.Number]] = {}
        for value in request.values:
            groups.setdefault(value[:-1], []).append(value[-1])
        found = []
        for prefix, values in groups.items():
            fixed = {axis.key: value for axis, value in zip(axes, prefix, strict=False)}
            title = f"{scenario.title}, {request.purpose}, {rung.duration:g} s"
            changes = {**fixed, "seeds": rung.seeds, "title": title, f"sweep.{axes[-1].key}": values}
            found.append(short.replace(changes, origin="--over"))
        return found

    def _answers(self, number: int, request: Request, results: Sequence[Result]) -> Answers:
        """Seed -> metric of each value of a request; scenarios come in the order of :meth:`_scenarios`."""
        answers: dict[Value, dict[int, float]] = {}
        prefixes = dict.fromkeys(value[:-1] for value in request.values)
        key = self.cases[number][2][-1].key
        for prefix, result in zip(prefixes, results, strict=True):
            for point in result.points:
                answers[*prefix, point.set[key]] = point.by_seed(self.metric) if point.runs else {}
        return answers

    def _optimum(self, number: int, found: Found, asked: Sequence[Scenario], own: Result | None) -> Optimum:
        set_, scenario, axes = self.cases[number]
        runs: list[Run] = make_plan(asked).unique()
        rivals = self.yardstick.rivals(set_, own, self.metric) if self.yardstick and own else []
        return Optimum(
            set_,
            tuple(axis.key for axis in axes),
            found,
            _seconds(scenario),
            self.plan.rungs[-1].seeds,
            len(runs),
            sum(run.weight for run in runs),
            self.full_s / len(self.cases),
            tuple(rivals),
        )

    def _without_samples(self, missing: NoSampleError, failures: Sequence[Failure]) -> Exception:
        if failures:
            return RunFailed(f"every run failed; the first: {failures[0].message}")
        duration = missing.args[0]
        hint = "; --shortest gives longer runs" if duration < _seconds(self.base) else ""
        return InputError(f"--metric {self.metric}: no run of {duration:g} s has a value of it{hint}")


def prepare_job(
    what: str | Path | Mapping[str, Any] | Scenario,
    over: Over,
    *,
    metric: str = METRIC,
    minimize: bool = False,
    oracle: bool = False,
    budget: float | str | None = None,
    shortest: float | str | None = None,
    seeds: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002
    quick: bool = False,
) -> Job:
    """Checks everything that :func:`optimize` takes and plans the search, without a run worth mentioning.

    Raises:
        InputError: something cannot be done.
    """
    scenario = prepare(what, seeds=seeds, set=set, quick=quick)
    if seeds is None:
        least = max(scenario.seeds, QUICK_SEEDS if scenario.is_quick else SEEDS)
        scenario = scenario.replace({"seeds": least}, origin="--seeds")
    held = yardstick(scenario) if oracle else None
    if held is not None:
        scenario, over = held.base, over or held.over
    axes = _axes(over, scenario)
    inner = _inside_swept_tables(axes, scenario)
    base = scenario.replace({a.key: a.values[0] for a in axes if a.key not in inner}, origin="--over")
    cases = [
        (dict(zip(base.axes, combination, strict=True)), [axis.copy() for axis in axes])
        for combination in itertools.product(*base.axes.values())
    ]
    whole = [(set_, base.replace(set_) if set_ else base, own) for set_, own in cases]
    for _, case, _ in whole:
        _check_ends(case, axes)
        _check_metric(case, metric)
    duration = _seconds(base)
    combinations = _product(len(axis.values) for axis in axes)
    full = _product(axis.full for axis in axes) * duration * base.seeds
    least_look = _shortest(shortest, duration, axes)
    cheapest = ladder.least(combinations, duration, base.seeds, shortest=least_look)
    allowed = _budget(budget, full, len(cases), cheapest)
    neighbours = sum(2 if len(axis.values) > 2 else 1 for axis in axes)
    plan = ladder.plan(combinations, duration, base.seeds, allowed, shortest=least_look, neighbours=neighbours)
    if plan is None:
        raise InputError(
            f"--budget {budget}: {allowed * len(cases):g} s of simulated time is too little; the cheapest search of "
            f"{combinations} values needs {cheapest * len(cases):g} s (the full sweep: {full * len(cases):g} s)"
        )
    return Job(base, metric, minimize, whole, plan, allowed * len(cases), full * len(cases), held)


def _keep(path: Path, result: Optimization) -> None:
    """Writes the outcome beside the runs.

    Raises:
        RunFailed: the folder can no longer be written; the runs are kept.
    """
    try:
        write_whole(path, json.dumps(result.to_json(), indent=1).encode() + b"\n")
    except OSError as error:
        raise RunFailed(f"{path}: cannot be written: {reason(error)}; the runs are kept") from error


# --- Checks ---------------------------------------------------------------------------------------------------------


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
    if (size := _product(len(axis.values) for axis in found)) > MOST_VALUES:
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


def _check_metric(case: Scenario, metric: str) -> None:
    """The metric is one that a run has: tried on a run that ends as soon as it has begun."""
    point = case.points[0]
    config = point.config(case.seed)
    config["duration"], config["warmup"] = 1, 0
    for flow in config["flows"]:
        flow |= {name: 0 if name == "start" else None for name in ("start", "stop") if name in flow}
    config["outages"] = []
    run = json.loads(run_config(json.dumps(config), point.controls(), case.seed))
    try:
        PointResult(0, {}, [run]).by_seed(metric)
    except KeyError as error:
        raise InputError(f"--metric {metric}: {error.args[0]}") from error


def _shortest(given: float | str | None, duration: float, axes: Sequence[Axis]) -> float:
    if given is not None:
        seconds = float(_quantity("--shortest", given, "s", 'a time such as "20s"'))
        if not 0 < seconds <= duration:
            raise InputError(f"--shortest {given}: must be above 0 and at most the duration, {duration:g} s")
        return seconds
    if any(sets_times(axis.key) for axis in axes):
        return duration
    return min(duration, float(QUICK_SECONDS))


def _budget(given: float | str | None, full: float, cases: int, cheapest: float) -> float:
    """Simulated seconds of one case."""
    if given is None:
        return max(full * BUDGET, cheapest)
    expected = 'simulated time such as "5000s", or a share of the full sweep such as "25%"'
    if isinstance(given, str) and given.strip().endswith("%"):
        seconds = full * float(_quantity("--budget", given, "probability", expected))
    else:
        seconds = float(_quantity("--budget", given, "s", expected)) / cases
    if not seconds > 0:
        raise InputError(f"--budget {given}: must be above 0")
    return seconds


def _quantity(option: str, given: float | str, unit: str, expected: str) -> Decimal:
    """A number in base units, from text or a number.

    Raises:
        InputError: neither.
    """
    try:
        if isinstance(given, bool) or not isinstance(given, (int, float, str)):
            raise units.QuantityError
        return units.parse(given if isinstance(given, str) else repr(given), unit)
    except units.QuantityError as error:
        raise InputError(f"{option}: found {shown(given)}; expected {expected}") from error


def _seconds(scenario: Scenario) -> float:
    return scenario.points[0].duration_s


def _product(numbers: Iterable[int]) -> int:
    size = 1
    for number in numbers:
        size *= number
    return size


__all__ = ["Job", "Optimization", "Optimum", "optimize", "prepare_job"]
