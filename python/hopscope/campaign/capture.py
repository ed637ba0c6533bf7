"""Captures of runs: what of them is captured, into which files, and the run that writes one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.campaign.controls import run
from hopscope.campaign.plan import Run
from hopscope.campaign.stop import Stop
from hopscope.errors import InputError, RunFailed
from hopscope.io import output
from hopscope.results import Result
from hopscope.results.captured import Captured, Choice
from hopscope.results.finished import Finished
from hopscope.results.points import point_words
from hopscope.scenario import Point

#: Standard output.
STDOUT = Path("-")


class Captures:
    """The captures that a campaign writes, a file for each run.

    Attributes:
        folder: where they go: ``point-P-seed-S.pcapng``.
        written: what each has come to, by the key of its run.
    """

    def __init__(self, folder: Path, choice: Choice, *, force: bool = False, ending: str = "") -> None:
        """Captures into a folder.

        Args:
            folder: it is made where it is not there.
            choice: what of each run.
            force: replace files that are there.
            ending: ``.gz`` or ``.zst`` behind their names compresses them.
        """
        self.folder = folder
        self.choice = choice
        self.force = force
        self.ending = ending
        self.written: dict[str, Captured] = {}
        self._lock = threading.Lock()

    def path(self, task: Run) -> Path:
        """The file of a run."""
        return self.folder / f"point-{task.point.index}-seed-{task.seed}.pcapng{self.ending}"

    def check(self, tasks: list[Run]) -> None:
        """Refuses to replace files.

        Raises:
            InputError: a file is there, and ``force`` is not set.
        """
        for task in tasks:
            output.check(self.path(task), force=self.force)

    def run(self, task: Run, stop: Stop | None, progress: Callable[[float], None] | None) -> Finished:
        """Does a run with its capture and returns what it gave."""
        found, captured = run_captured(
            task.point, task.seed, self.path(task), self.choice, force=self.force, stop=stop, progress=progress
        )
        with self._lock:
            self.written[task.key] = captured
        return found


def run_captured(
    point: Point,
    seed: int,
    path: Path,
    choice: Choice,
    *,
    force: bool = False,
    stop: Stop | None = None,
    progress: Callable[[float], None] | None = None,
) -> tuple[Finished, Captured]:
    """Does a run of a point and writes its capture; returns what it gave and what the capture has come to.

    Raises:
        RunFailed: the file cannot be opened, or code of the user's failed.
    """
    title = f"{point.resolved['title']}, {point_words(point.index, point.set)}"
    summaries: list[dict[str, Any]] = []

    def engine(config: _core.Config, *rest: Any) -> Any:
        given, summary = _core.capture(config, path, asdict(choice), title, force, *rest)
        summaries.append(summary)
        return given

    try:
        found = run(point.engine_config(seed), point.controls(), seed, stop, progress, engine=engine)
    except OSError as error:
        raise RunFailed(f"{path}: cannot be written: {error.strerror or error}") from error
    return found, Captured.read(path, summaries[0])


def capture_of(
    result: Result, path: Path, choice: Choice, *, point: int = 0, seed: int | None = None, force: bool = False
) -> Captured:
    """Does a run of a result again and writes its capture.

    Raises:
        InputError: there is no such point, seed, node or flow, or the file is there already.
        RunFailed: the file cannot be opened.
    """
    scenario = result.scenario
    seeds = range(scenario.seed, scenario.seed + scenario.seeds)
    if not 0 <= point < len(scenario.points):
        raise InputError(f"point: found {point!r}; the scenario has points 0 to {len(scenario.points) - 1}")
    if seed is not None and seed not in seeds:
        raise InputError(f"seed: found {seed!r}; the scenario has seeds {seeds[0]} to {seeds[-1]}")
    choice.check(scenario)
    if path != STDOUT:
        output.check(path, force=force)
    return run_captured(scenario.points[point], scenario.seed if seed is None else seed, path, choice, force=force)[1]
