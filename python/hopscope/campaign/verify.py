"""Proving a store: checksums, tables, and a random sample of its runs done again and compared digit by digit."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.campaign.execute import execute
from hopscope.campaign.manifest import not_again
from hopscope.campaign.plan import Run
from hopscope.campaign.progress import bar
from hopscope.campaign.store import Store, open_store
from hopscope.errors import InputError
from hopscope.results import Result, columns, display
from hopscope.results.finished import Finished
from hopscope.results.points import point_words
from hopscope.results.stored import RunResult


@dataclass(frozen=True)
class Verification(display.Shown):
    """What was found in a store.

    Attributes:
        version, engine: release and engine build that wrote the manifest; "unknown" where it does not say.
        same_build: whether that is the build that compares.
        wanted, there: runs of the manifest, and those that are there and undamaged.
        problems: what is damaged, missing or cannot be proved, a line each.
        sampled: runs that were done again.
        not_sampled: runs that were not, for the code that they name; without trust only.
        differing: runs that gave another result, a line each.
    """

    drawn = "verification"

    version: str
    engine: str
    same_build: bool
    wanted: int
    there: int
    problems: tuple[str, ...]
    sampled: int
    not_sampled: int
    differing: tuple[str, ...]

    @property
    def is_proved(self) -> bool:
        """Whether nothing was found wrong, and every run is there."""
        return not self.problems and not self.differing and self.there == self.wanted


@dataclass(frozen=True)
class _Kept:
    """A run of a store with what is needed to do it again."""

    result: Result
    point: int
    run: RunResult

    @property
    def place(self) -> str:
        point = self.result.points[self.point]
        return f"{self.result.scenario.title}, {point_words(point.index, point.set)}, seed {self.run['seed']}"


def verify(
    store: str | Path | Store,
    *,
    sample: int = 10,
    seed: int = 1,
    jobs: int | None = None,
    trust: bool = False,
    progress: bool = False,
    executor: Executor | None = None,
) -> Verification:
    """Verifies a store; nothing in it is changed.

    Args:
        store: what to verify, or its folder.
        sample: runs to do again, drawn without repetition; fewer when the store has fewer.
        seed: seed of the draw.
        jobs: runs at a time; default: all cores.
        trust: do runs of scenarios that name code too, which loads that code.
        progress: show a bar on standard error.
        executor: runs on another executor of :mod:`concurrent.futures`.

    Raises:
        StoreError: the store cannot be read.
        InputError: ``sample`` is negative, or the store holds a run on real stacks.
    """
    if sample < 0:
        raise InputError(f"sample: found {sample}; expected a whole number of at least 0")
    if not isinstance(store, Store):
        store = open_store(store)
    if "live" in store.manifest:
        raise InputError(not_again(store.path))
    results = store.results()
    problems = [*store.problems, *store.table_faults(results)]
    kept = [_Kept(result, point, run) for result in results for point, p in enumerate(result.points) for run in p.runs]
    trusted = [one for one in kept if trust or not one.result.scenario.controls()]
    chosen = random.Random(seed).sample(trusted, min(sample, len(trusted)))
    differing = _differing(chosen, jobs, progress, executor)
    made = store.manifest
    return Verification(
        version=str(made.get("hopscope", "unknown")),
        engine=str(made.get("engine", "unknown")),
        same_build=made.get("engine") == _core.build_id(),
        wanted=sum(len(result.points) * result.scenario.seeds for result in results),
        there=len(kept),
        problems=tuple(problems),
        sampled=len(chosen),
        not_sampled=len(kept) - len(trusted),
        differing=tuple(differing),
    )


def _differing(chosen: Sequence[_Kept], jobs: int | None, progress: bool, executor: Executor | None) -> list[str]:
    """Runs that give another result now, each with the first entry that differs."""
    runs = {}
    for index, one in enumerate(chosen):
        point = one.result.scenario.points[one.point]
        runs[str(index)] = Run(str(index), point, one.run["seed"], point.duration_s)
    found: dict[str, str] = {}

    def done(run: Run, found_now: Finished) -> None:
        if (where := difference(chosen[int(run.key)].run, found_now.values())) is not None:
            found[run.key] = where

    def failed(run: Run, message: str) -> None:
        found[run.key] = f"does not run any more: {message}"

    with bar("verify", len(runs), sum(run.weight for run in runs.values()), shown=progress) as tally:
        execute(list(runs.values()), done, failed, jobs=jobs, executor=executor, watcher=tally)
    return [f"{one.place}: {found[str(index)]}" for index, one in enumerate(chosen) if str(index) in found]


def difference(kept: object, now: object, place: str = "") -> str | None:
    """Returns where two results differ first, with both values; None where they are equal.

    The time that the engine took is the only entry that may differ.
    """
    if place == "engine.wall_s":
        return None
    kept, now = columns.as_lists(kept), columns.as_lists(now)
    if isinstance(kept, dict) and isinstance(now, dict):
        return _first({**kept, **now}, kept, now, place)
    if isinstance(kept, list) and isinstance(now, list) and len(kept) == len(now):
        one, other = dict(enumerate(kept)), dict(enumerate(now))
        return _first(one, one, other, place)
    if type(kept) is type(now) and kept == now:
        return None
    return f"{place} is {_short(kept)}, and {_short(now)} when done again"


def _first(names: dict[Any, Any], kept: dict[Any, Any], now: dict[Any, Any], place: str) -> str | None:
    for name in names:
        inner = f"{place}.{name}" if place else str(name)
        if (where := difference(kept.get(name, "absent"), now.get(name, "absent"), inner)) is not None:
            return where
    return None


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
