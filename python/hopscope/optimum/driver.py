"""Finding the best value of a key by simulation: scenarios for each rung, one pool for all cases, the outcome."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.campaign.plan import Run, make_plan
from hopscope.errors import InputError, RunFailed, shown
from hopscope.io.files import reason, write_whole
from hopscope.optimum import axes as axes_
from hopscope.optimum import decide, ladder
from hopscope.optimum.axes import Axis
from hopscope.optimum.cases import Case, Over, cases_of, check_metric, mean_delays, prepared, product
from hopscope.optimum.oracle import Rival, Yardstick, yardstick
from hopscope.optimum.search import Answers, Found, NoSampleError, Request, Tried, Value, search
from hopscope.reporting.search import OUTCOME
from hopscope.results import Failure, Result, display
from hopscope.results.comparisons import AS_GOOD
from hopscope.results.stats import CONFIDENCE
from hopscope.running.runner import run_scenarios
from hopscope.scenario import Scenario, units
from hopscope.scenario.shorter import QUICK_SECONDS, sets_times

#: Metric that is looked at without ``--metric``.
METRIC = "network.aggregate_kbps"

#: Share of the full sweep's simulated time that a search may use; a default.
BUDGET = 1 / 3

#: Values smaller than the best mean that the plan keeps full runs for; a default.
SMALLER = 2


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
        rivals: the scenario's own ACK policies, where the best mean is their oracle.
        delays: value -> seed -> mean delay of all flows in full runs, ms: the price of a value.
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
    delays: Mapping[Value, decide.Samples] = field(default_factory=dict)

    @property
    def best(self) -> dict[str, axes_.Number]:
        """Key -> best value: the smallest that is indistinguishable from the best mean, or within the margin of it."""
        return self.named(self.found.best)

    @property
    def top(self) -> dict[str, axes_.Number]:
        """Key -> value with the best mean."""
        return self.named(self.found.top)

    @property
    def share(self) -> float:
        """Simulated seconds used, as a share of the full sweep's."""
        return self.simulated_s / self.full_s

    @property
    def indistinguishable(self) -> list[dict[str, axes_.Number]]:
        """Values that cannot be distinguished from the best mean at 95 %, those two included.

        Those dropped after shorter runs without a decision (:attr:`undecided`) are among them.
        """
        return [self.named(entry.value) for entry in self.found.having("best", "top", "indistinguishable", "undecided")]

    @property
    def undecided(self) -> list[dict[str, axes_.Number]]:
        """Values dropped by their rank in shorter runs, which were not significantly worse there."""
        return [self.named(entry.value) for entry in self.found.having("undecided")]

    def __repr__(self) -> str:
        return f"Optimum(set={self.set}, best={self.best}, runs={self.runs})"

    def named(self, value: Value) -> dict[str, axes_.Number]:
        """Returns a value as key -> number."""
        return dict(zip(self.over, value, strict=True))

    def tried(self, value: Value) -> Tried:
        """Returns what was seen of a value."""
        return next(entry for entry in self.found.tried if entry.value == value)

    def _price(self, value: Value) -> dict[str, float | None]:
        """The mean delay that goes with a value, where it had full runs."""
        return {"delay_ms": decide.summary(self.delays[value]).mean} if value in self.delays else {}

    def to_json(self) -> dict[str, Any]:
        """The case as plain data."""
        best, top = (self.tried(value).samples for value in (self.found.best, self.found.top))
        own = {"own": [rival.to_json(top) for rival in self.rivals]} if self.rivals else {}
        return {
            "set": self.set,
            "best": self.best,
            **decide.summary(best).as_dict(),
            "top": {"set": self.top, **decide.summary(top).as_dict()},
            "open_below": [self.named(value) for value in self.found.open_below],
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
                    **self._price(entry.value),
                    "verdict": entry.verdict,
                }
                for entry in self.found.tried
            ],
        }


@dataclass
class Optimization(display.Shown):
    """The outcome of :func:`optimize`.

    Attributes:
        scenario: what was optimised, with the keys as in its first case.
        over: key -> the values as given.
        metric: what was compared.
        minimize: whether smaller is better.
        within: share of the best mean within which the smallest value is the answer.
        budget_s: simulated seconds that the search was allowed, all cases together.
        cases: one outcome for each combination of the scenario's own sweep; one without a sweep.
        failures: runs that did not finish.
    """

    drawn = "optimization"

    scenario: Scenario
    over: dict[str, str]
    metric: str
    minimize: bool
    within: float
    budget_s: float
    cases: list[Optimum]
    failures: list[Failure] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"Optimization({self.scenario.title!r}, over={self.over}, metric={self.metric!r}, cases={self.cases})"

    def __str__(self) -> str:
        """What the command prints: the best value, how sure it is, and what was seen of every value."""
        return str(display.draw("optimization", self))

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
            "within": self.within,
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
    within: float | str = AS_GOOD,
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
    """Finds the smallest value of one or several keys whose mean of a metric is as good as the best.

    Successive halving, compared seed by seed: short runs of every value, longer ones of the best third, full runs
    of the last few and of the neighbours of the best.  A sweep in the scenario over other keys gives several cases,
    each with its own best value.

    Args:
        what: a scenario file, its keys as a mapping, or a :class:`Scenario`.
        over: ``"flow.*.max_window=1..32"``, several of these, or a mapping of keys to ranges or lists of numbers.
        metric: ``network.NAME``, ``flow.I.NAME``, ``group.GROUP.NAME`` or ``node.I.NAME``.
        minimize: look for the smallest mean.
        within: the answer is the smallest value that is indistinguishable from the best mean, or within this share of
            it, such as ``"2%"``; 0: only what is indistinguishable.
        oracle: look for the best fixed number of segments for one ACK (``ack = "fixed"``, ``tcp.ack_every``, from 1 to
            the smallest window and at most 16 where ``over`` says nothing else), and compare the
            scenario's own policies with it.
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
        within=within,
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
        cases: see :func:`hopscope.optimum.cases.cases_of`.
        plan: rungs of each case.
        yardstick: what the best values are the oracle of, if anything.
    """

    base: Scenario
    metric: str
    minimize: bool
    within: float
    cases: list[Case]
    plan: ladder.Ladder
    budget_s: float
    full_s: float
    yardstick: Yardstick | None = None
    delays: dict[tuple[int, Value], decide.Samples] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Title of the store."""
        return f"optimize {', '.join(axis.key for axis in self.cases[0][2])}: {self.base.title}"

    def work(self, store: Path, jobs: int | None, progress: bool, executor: Executor | None) -> Optimization:
        """Does the search and leaves a store with all its runs."""
        searches = [search(axes, self.plan, minimize=self.minimize, margin=self.within) for _, _, axes in self.cases]
        wanted: dict[int, Request] = {number: next(found) for number, found in enumerate(searches)}
        asked: list[list[Scenario]] = [[] for _ in self.cases]
        outcomes: dict[int, Found] = {}
        failures: list[Failure] = []
        how: dict[str, Any] = {"jobs": jobs, "store": store, "progress": progress, "executor": executor}
        while wanted:
            made = {n: self._scenarios(n, request) for n, request in wanted.items()}
            batch = [scenario for scenarios in made.values() for scenario in scenarios]
            step = next(iter(wanted.values()))
            label = f"{self.title} ({step.purpose}, {len(step.values)} values of {step.rung.duration:g} s)"
            results = iter(run_scenarios(batch, label=label, tables=False, **how))
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
            *_, rivals = run_scenarios(whole, label=label, tables=False, **how)
            failures += rivals.failures
        run_scenarios(whole, jobs=jobs, store=store, label=self.title)
        over = {axis.key: axis.text for axis in self.cases[0][2]}
        found = [self._optimum(number, outcomes[number], asked[number], rivals) for number in range(len(self.cases))]
        result = Optimization(self.base, over, self.metric, self.minimize, self.within, self.budget_s, found, failures)
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
                value = (*prefix, point.set[key])
                answers[value] = point.by_seed(self.metric) if point.runs else {}
                if request.rung is self.plan.rungs[-1]:
                    self.delays[number, value] = mean_delays(point)
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
            {value: delays for (case, value), delays in self.delays.items() if case == number and delays},
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
    within: float | str = AS_GOOD,
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
    scenario = prepared(what, seeds=seeds, set=set, quick=quick)
    held = yardstick(scenario) if oracle else None
    if held is not None:
        scenario, over = held.base, over or held.over
    base, whole = cases_of(scenario, over)
    for _, case, _ in whole:
        check_metric(case, metric)
    axes = whole[0][2]
    duration = _seconds(base)
    combinations = product(len(axis.values) for axis in axes)
    full = product(axis.full for axis in axes) * duration * base.seeds
    least = _shortest(shortest, duration, axes)
    cheapest = ladder.least(combinations, duration, base.seeds, shortest=least)
    allowed = _budget(budget, full, len(whole), cheapest)
    extra = SMALLER + sum(2 if len(axis.values) > 2 else 1 for axis in axes)
    plan = ladder.plan(combinations, duration, base.seeds, allowed, shortest=least, extra=extra)
    if plan is None:
        raise InputError(
            f"--budget {budget}: {allowed * len(whole):g} s of simulated time is too little; the cheapest search of "
            f"{combinations} values needs {cheapest * len(whole):g} s (the full sweep: {full * len(whole):g} s)"
        )
    margin = _within(within)
    return Job(base, metric, minimize, margin, whole, plan, allowed * len(whole), full * len(whole), held)


def _keep(path: Path, result: Optimization) -> None:
    """Writes the outcome next to the runs.

    Raises:
        RunFailed: the folder can no longer be written; the runs are kept.
    """
    try:
        write_whole(path, json.dumps(result.to_json(), indent=1).encode() + b"\n")
    except OSError as error:
        raise RunFailed(f"{path}: cannot be written: {reason(error)}; the runs are kept") from error


# --- Checks ---------------------------------------------------------------------------------------------------------


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


def _within(given: float | str) -> float:
    """The share of the best mean within which a value is as good."""
    share = float(_quantity("--within", given, "probability", 'a share such as "2%"'))
    if not 0 <= share < 1:
        raise InputError(f"--within {given}: must be at least 0 and below 100%")
    return share


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


__all__ = ["Job", "Optimization", "Optimum", "optimize", "prepare_job"]
