"""Running scenarios: plan, what a store already has, the rest in parallel, results in a fixed order."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.campaign.execute import Traces
from hopscope.campaign.plan import Plan, Run, make_plan, shard_of
from hopscope.campaign.store import Store
from hopscope.campaign.work import Hooks, as_result, assemble, work
from hopscope.errors import InputError, Interrupted, RunFailed
from hopscope.io.extras import need
from hopscope.results import PointResult, Result
from hopscope.results.stored import RunResult
from hopscope.scenario import Scenario, load

if TYPE_CHECKING:
    from hopscope.campaign.capture import Captures

#: Replications of ``hopscope run`` and ``hopscope compare`` where nobody says how many: a default of ours.
COMMAND_SEEDS = 5

_LOG = logging.getLogger("hopscope")


def run(
    what: str | Path | Mapping[str, Any] | Scenario,
    *,
    seeds: int | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    quick: bool = False,
    progress: bool = True,
    shard: tuple[int, int] | None = None,
    executor: Executor | str | Any = None,
) -> Result:
    """Runs a scenario with all its seeds and its sweep.

    Args:
        what: a scenario file, its keys as a mapping, or a :class:`Scenario`.
        seeds: number of replications; default: the scenario's.
        jobs: runs at a time; default: all cores.
        out: result store; finished runs in it are not done again.  Without it nothing is written.
        set: dotted keys to change, as with ``--set``.
        quick: shorter runs and, unless ``seeds`` is given, fewer seeds; see :meth:`Scenario.quick`.
        progress: show a bar where there is a terminal or a notebook.
        shard: ``(i, n)`` does only every n-th run, from the i-th on.
        executor: runs on another executor of :mod:`concurrent.futures`, or on the workers of Dask: a client, or the
            address of a scheduler.

    Raises:
        InputError: a scenario or option that cannot be run, or a scheduler that does not answer.
        Interrupted: Ctrl-C; finished runs are in the store.
        RunFailed: the store can no longer be written.
    """
    from hopscope.campaign.cluster import opened

    scenario = prepare(what, seeds=seeds, set=set, quick=quick)
    with opened(executor) as pool:
        return run_scenarios([scenario], jobs=jobs, store=out, progress=progress, shard=shard, executor=pool)[0]


def prepare(
    what: str | Path | Mapping[str, Any] | Scenario,
    *,
    seeds: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002
    quick: bool = False,
    origin: str = "",
    code: bool = True,
    usual_seeds: int | None = None,
    sweep: Mapping[str, Any] | None = None,
    swept_by: str = "",
    needs_flows: bool = True,
) -> Scenario:
    """Returns the scenario that :func:`run` would run; messages about ``seeds`` begin with ``origin``.

    ``sweep`` are keys with the values that they take; messages about them begin with ``swept_by``.

    ``usual_seeds`` is the number of replications where neither the scenario nor ``seeds`` says it; default: one.
    Without ``code``, what a file names as code stays a name: it is neither loaded nor checked, and cannot be run.

    On real stacks a scenario ``needs_flows`` not: its programs use the network.

    Raises:
        InputError: it cannot be run.
    """
    if set is not None and not (isinstance(set, Mapping) and all(isinstance(key, str) for key in set)):
        raise InputError(f'set: expected a mapping of dotted keys to values, such as {{"mac.queue": 5}}, found {set!r}')
    if isinstance(what, Scenario):
        scenario = what.replace(set) if set else what
    elif isinstance(what, Mapping):
        scenario = Scenario(what)
        scenario = scenario.replace(set) if set else scenario
    elif isinstance(what, (str, Path)):
        scenario = load(what, set, code=code)
    else:
        raise InputError(f"expected a scenario file, a mapping or a Scenario, found {type(what).__name__}")
    if needs_flows and not scenario.has_flows:
        raise InputError(
            f"{scenario.title}: flow: is missing; a simulation has at least one [[flow]] with from and to, and "
            "programs of [[node]] tables run on real stacks alone (hopscope live)"
        )
    if sweep:
        scenario = scenario.sweeping(sweep, origin=swept_by)
    if usual_seeds is not None and seeds is None and "seeds" not in scenario.document:
        scenario = scenario.replace({"seeds": usual_seeds})
    if quick:
        scenario = scenario.quick()
    return scenario if seeds is None else scenario.replace({"seeds": seeds}, origin=origin)


def run_scenarios(
    scenarios: Sequence[Scenario],
    *,
    seeds: int | None = None,
    jobs: int | None = None,
    store: str | Path | None = None,
    progress: bool = False,
    shard: tuple[int, int] | None = None,
    executor: Executor | None = None,
    label: str | None = None,
    captures: Captures | None = None,
    traces: Traces | None = None,
    tables: bool = True,
) -> list[Result]:
    """Runs scenarios in one pool and returns their results in the same order.

    Equal runs of several scenarios are done once.  Arguments as of :func:`run`; ``label`` titles the store and the bar.
    With ``captures`` or ``traces`` every run is done, those that the store has too, and writes one.
    Without ``tables`` the store gets the runs alone: for a step of a search, whose last one writes them.

    Raises:
        InputError: nothing to run, or the store cannot be used.
        Interrupted: Ctrl-C; finished runs are in the store.
        RunFailed: the store can no longer be written.
    """
    if shard is not None and not _is_shard(shard):
        raise InputError(f"shard: found {shard!r}; expected (i, n) with 1 <= i <= n")
    plan = _planned(scenarios, seeds)
    title = label or scenarios[0].title
    folder = None if store is None else Store(store)
    finished: dict[str, RunResult] = {}
    is_written = captures is not None or traces is not None
    if folder is not None:
        points, finished = _prepared(folder, plan, title, again=is_written)
        if points is not None:
            return [as_result(scenario, of) for scenario, of in zip(plan.scenarios, points, strict=True)]
    todo = [run for run in shard_of(plan.unique(), shard) if is_written or run.key not in finished]
    if captures is not None:
        captures.check(todo)
    failures: dict[str, str] = {}
    hooks: Hooks = {"captures": captures, "traces": traces}
    with contextlib.nullcontext() if folder is None else folder.keeping():
        kept: dict[str, Any] = {} if folder is None else {"keep": folder.keep, "where": str(folder.path)}
        try:
            work(todo, finished, failures, title, hooks, jobs=jobs, executor=executor, progress=progress, **kept)
        except Interrupted:
            if folder is not None:  # the tables of what is there
                with contextlib.suppress(RunFailed):
                    folder.write_tables(assemble(plan, finished, failures))
            raise
        if folder is not None and shard is not None:  # what other shards have finished meanwhile
            folder.look_again()
            finished |= _kept(folder, (run for run in plan.unique() if run.key not in finished))
        results = assemble(plan, finished, failures)
        if folder is not None and tables:
            folder.write_tables(results)
    return results


def _planned(scenarios: Sequence[Scenario], seeds: int | None) -> Plan:
    """The runs of scenarios, with another number of replications where one is given."""
    if seeds is not None:
        scenarios = [scenario.replace({"seeds": seeds}) for scenario in scenarios]
    if any(scenario.document.get("series", {}).get("keep") for scenario in scenarios):
        need("pandas", "pyarrow")
    return make_plan(scenarios)


def _prepared(
    folder: Store, plan: Plan, title: str, *, again: bool
) -> tuple[list[list[PointResult]] | None, dict[str, RunResult]]:
    """Readies a store for a plan, and says what it has: the points where it lacks nothing, else single runs by key.

    With ``again`` every run is done, so that it does not matter whether one is missing.
    """
    folder.prepare(plan, title)
    points = None if again else folder.complete(plan)
    finished = _kept(folder, plan.unique()) if points is None else {}
    for problem in folder.problems:
        _LOG.warning(problem)
    return points, finished


def _kept(folder: Store, runs: Iterable[Run]) -> dict[str, RunResult]:
    """Those of some runs that a store has, by key."""
    return {run.key: found for run in runs if (found := folder.read(run.key, run.seed)) is not None}


def _is_shard(shard: object) -> bool:
    if not isinstance(shard, tuple) or len(shard) != 2 or not all(type(number) is int for number in shard):
        return False
    return bool(1 <= shard[0] <= shard[1])
