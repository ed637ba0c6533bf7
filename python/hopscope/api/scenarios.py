"""What a scenario would run, where its time goes, and scenarios of ns-2 scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopscope.campaign.cost import Cost, estimate
from hopscope.campaign.execute import default_jobs
from hopscope.campaign.plan import make_plan
from hopscope.errors import counted
from hopscope.results import display
from hopscope.results.explain import Explanation
from hopscope.running.runner import prepare, run
from hopscope.scenario import Scenario
from hopscope.scenario.scripts import of_ns2

What = str | Path | Mapping[str, Any] | Scenario
"""A scenario file, its keys as a mapping, or a :class:`Scenario`."""


@dataclass(frozen=True)
class Check(display.Shown):
    """What a scenario would run.

    Attributes:
        scenario: it, checked.
        cost: rough cost of all its runs.
        warnings: what in it may not be meant.
        delivers: whether every flow has a path to its destination.
    """

    drawn = "check"

    scenario: Scenario
    cost: Cost
    warnings: tuple[str, ...]
    delivers: bool

    def __str__(self) -> str:
        """The verdict in one line, as the command prints it."""
        verdict = "good" if self.delivers else "not all of it can deliver"
        size = f"{counted(len(self.scenario.points), 'point')} x {counted(self.scenario.seeds, 'seed')}"
        return f"{verdict}: {size}; estimated cost: {self.cost}"

    def __repr__(self) -> str:
        return f"Check({self.scenario.title!r}, {self})"


def check(
    what: What,
    *,
    seeds: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
) -> Check:
    """Checks a scenario without running it.

    Args:
        what: a scenario file, its keys as a mapping, or a :class:`Scenario`.
        seeds: number of replications; default: the scenario's.
        set: dotted keys to change.

    Raises:
        ScenarioError: it cannot be run; the message names everything that is wrong.
    """
    return checked(prepare(what, seeds=seeds, set=set))


def checked(scenario: Scenario) -> Check:
    """The same of a scenario that has been read."""
    reported = scenario.reported_warnings()
    cost = estimate(make_plan([scenario]).unique(), default_jobs())
    delivers = not any(about == "apart" for about, _ in reported)
    return Check(scenario, cost, tuple(warning for _, warning in reported), delivers)


def explain(
    what: What,
    *,
    seeds: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    quick: bool = False,
    jobs: int | None = None,
    out: str | Path | None = None,
    progress: bool = True,
) -> Explanation:
    """Runs a scenario and says where the time of nodes and links and the delay of packets goes.

    Args:
        what: a scenario file, its keys as a mapping, or a :class:`Scenario`.
        seeds: number of replications; default: the scenario's.
        set: dotted keys to change.
        quick: shorter runs and fewer seeds.
        jobs: runs at a time; default: all cores.
        out: result store; without it nothing is written.
        progress: show a bar where there is a terminal or a notebook.

    Raises:
        InputError: a scenario that cannot be run.
        RunFailed: no run of a point finished.
    """
    changes = {**(set or {}), "explain": True}
    return run(what, seeds=seeds, set=changes, quick=quick, jobs=jobs, out=out, progress=progress).explain()


def import_script(file: str | Path) -> tuple[str, list[str]]:
    """Makes a scenario of an ns-2 Tcl script, which is read, not executed.

    Returns:
        The scenario file as text, and the statements that are not followed, a line each.

    Raises:
        InputError: the file cannot be read.
    """
    return of_ns2(Path(file))
