"""Doing the runs of a plan and putting their results together, with or without a place that keeps them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from hopscope.campaign.execute import Traces, execute
from hopscope.campaign.plan import Plan, Run, make_plan
from hopscope.campaign.progress import bar
from hopscope.errors import Interrupted
from hopscope.results import Failure, PointResult, Result
from hopscope.results.finished import Finished
from hopscope.results.stored import RunResult
from hopscope.scenario import Scenario

if TYPE_CHECKING:
    from hopscope.campaign.capture import Captures
    from hopscope.results.captured import Captured, Choice


class Hooks(TypedDict):
    """What is written of runs on the way."""

    captures: Captures | None
    traces: Traces | None


def work(
    todo: list[Run],
    finished: dict[str, RunResult],
    failures: dict[str, str],
    title: str,
    hooks: Hooks,
    *,
    keep: Callable[[str, str], object] | None = None,
    where: str = "",
    jobs: int | None,
    executor: Executor | None = None,
    progress: bool,
) -> None:
    """Does runs, and puts each into `finished` or its reason into `failures`, by its key.

    Args:
        todo: the runs.
        finished: results by key; what is in it already is not kept again.
        failures: messages by key.
        title: of the bar.
        hooks: what is written of runs on the way.
        keep: stores the result of a run, by its key.
        where: the folder that `keep` writes to, for the message when the work is interrupted.
        jobs: runs at a time; default: all cores.
        executor: runs on another executor.
        progress: show a bar.

    Raises:
        Interrupted: Ctrl-C.
        RunFailed: `keep` could not write.
    """
    stored = frozenset(finished)

    def done(run: Run, found: Finished) -> None:
        if keep is not None and run.key not in stored:
            keep(run.key, found.document())
        finished[run.key] = found.values()

    def failed(run: Run, message: str) -> None:
        failures[run.key] = message

    with bar(title, len(todo), sum(run.weight for run in todo), shown=progress) as tally:
        try:
            execute(todo, done, failed, jobs=jobs, executor=executor, watcher=tally, **hooks)
        except Interrupted as error:
            kept = sum(run.key in finished for run in todo)
            rest = f" are kept in {where}; the same command goes on from there" if keep else " are lost: no store"
            raise Interrupted(f"interrupted: {kept} of {len(todo)} runs finished and{rest}") from error


def assemble(plan: Plan, finished: Mapping[str, RunResult], failures: Mapping[str, str]) -> list[Result]:
    """Returns the result of each scenario of a plan, of runs and failures by key."""
    results = []
    for scenario, point_runs in zip(plan.scenarios, plan.runs, strict=True):
        points, failed = [], []
        for point, runs in zip(scenario.points, point_runs, strict=True):
            found = [finished[run.key] for run in runs if run.key in finished]
            points.append(PointResult(point.index, point.set, found))
            failed += [
                Failure(point.index, run.seed, failures[run.key], point.set) for run in runs if run.key in failures
            ]
        results.append(as_result(scenario, points, failed))
    return results


def as_result(
    scenario: Scenario,
    points: list[PointResult],
    failures: list[Failure] | None = None,
    *,
    live: Mapping[str, Any] | None = None,
) -> Result:
    """The result of a scenario, which can be run again and captured, unless it ran on real stacks (``live``)."""
    if live is not None:
        return Result(scenario, points, failures, live=live)
    return Result(scenario, points, failures, again, _capture)


def _capture(result: Result, path: Path, choice: Choice, **which: Any) -> Captured:
    """As :func:`~hopscope.campaign.capture.capture_of`, which few results need."""
    from hopscope.campaign.capture import capture_of

    return capture_of(result, path, choice, **which)


def again(scenario: Scenario, jobs: int | None, progress: bool) -> Result:
    """Runs a scenario for a result that lacks something of it; nothing is stored."""
    plan = make_plan([scenario])
    finished: dict[str, RunResult] = {}
    failures: dict[str, str] = {}
    nothing: Hooks = {"captures": None, "traces": None}
    work(plan.unique(), finished, failures, scenario.title, nothing, jobs=jobs, progress=progress)
    return assemble(plan, finished, failures)[0]
