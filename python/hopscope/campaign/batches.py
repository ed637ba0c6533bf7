"""Doing runs by an executor of another kind, as of other processes or a cluster: in batches.

Handing a task to a cluster and taking its result costs milliseconds, which short runs do not take themselves. A batch
takes about a second, and less towards the end, so that no worker is left waiting for another. The runs of a point go
with one configuration.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from hopscope import _core
from hopscope.campaign.controls import run
from hopscope.campaign.plan import Run
from hopscope.campaign.progress import Watcher
from hopscope.campaign.stop import Stop
from hopscope.errors import HopscopeError, Interrupted, RunFailed
from hopscope.results.finished import Finished
from hopscope.scenario.controls import FlowControl

#: What a batch is made to take (s).
BATCH_S = 1.0

#: Workers of an executor that does not say how many it has: so many are kept busy.
USUAL_SLOTS = 128

#: Takes the key of a run that is under way, and how many seconds of it are simulated; false: nobody waits for it.
Report: TypeAlias = Callable[[str, float], bool]


@dataclass(frozen=True)
class Task:
    """Runs of one point that differ by their seeds alone.

    Attributes:
        config: their configuration, with the seed of the first.
        controls: classes of a user's that each flow has.
        runs: key and seed of each.
    """

    config: _core.Config
    controls: Sequence[Sequence[FlowControl]]
    runs: Sequence[tuple[str, int]]


@dataclass(frozen=True)
class Ended:
    """What a run gave elsewhere.

    Attributes:
        document: its result; None: it failed.
        message: why it failed.
        is_of_the_engine: the message begins with a key of the engine.
    """

    document: str | None
    message: str = ""
    is_of_the_engine: bool = False


def run_tasks(build: str, tasks: Sequence[Task], report: Report | None = None) -> tuple[list[Ended], float]:
    """Does runs, and returns what each gave and how long they took together (s); executors get it by name.

    Args:
        build: build of the engine that asked.
        tasks: the runs.
        report: is notified of progress.

    Raises:
        RunFailed: the engine here is of another build, whose results would be stored under a wrong name.
    """
    if build != _core.build_id():
        raise RunFailed(
            f"a worker has engine build {_core.build_id()}, and {build} asked for the run; install the same "
            "version of Hopscope where the workers are"
        )
    begin, stop = time.perf_counter(), Stop()
    ended = [_ended(task, key, seed, stop, report) for task in tasks for key, seed in task.runs]
    return ended, time.perf_counter() - begin


def _ended(task: Task, key: str, seed: int, stop: Stop, report: Report | None) -> Ended:
    def advanced(seconds: float) -> None:
        if report is not None and not report(key, seconds):
            stop.token.set()

    try:
        return Ended(run(task.config.with_seed(seed), task.controls, seed, stop, report and advanced).document())
    except Exception as error:
        return Ended(None, message_of(error), isinstance(error, _core.EngineError))


def message_of(error: BaseException) -> str:
    """What an error says of a run."""
    if isinstance(error, (HopscopeError, _core.EngineError)):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


#: A batch that is under way.
_Future: TypeAlias = "Future[tuple[list[Ended], float]]"

_GIVEN_UP = "the executor gave it up: its scheduler was lost, or somebody cancelled it"


class Batches:
    """Hands out runs in batches of a good size, which it learns from what earlier ones took."""

    def __init__(self, runs: Sequence[Run], slots: int) -> None:
        self._waiting = deque(runs)
        self._again: deque[Run] = deque()
        self._slots = slots
        self._costs: dict[int, float] = {}
        self._estimated = self._taken = 0.0

    def next(self) -> list[Run]:
        """The next runs to do together; none when all are handed out."""
        if self._again:
            return [self._again.popleft()]
        if not self._waiting:
            return []
        batch = [self._waiting.popleft()]
        if not self._taken:  # nothing is known yet
            return batch
        slower = self._taken / self._estimated
        # Half of an even share: the shares become smaller and smaller.
        most = min(len(self._waiting) // (2 * self._slots), 10_000)
        seconds = slower * self._cost(batch[0])
        while self._waiting and len(batch) <= most:
            seconds += slower * self._cost(self._waiting[0])
            if seconds > BATCH_S:
                break
            batch.append(self._waiting.popleft())
        return batch

    def rest(self) -> list[Run]:
        """All runs that are not handed out; then none are left."""
        rest = [*self._again, *self._waiting]
        self._again.clear()
        self._waiting.clear()
        return rest

    def one_by_one(self, runs: Iterable[Run]) -> None:
        """Hands out runs once more, each alone."""
        self._again.extend(runs)

    def took(self, batch: Sequence[Run], seconds: float) -> None:
        """Learns how long a batch took."""
        self._estimated += sum(map(self._cost, batch))
        self._taken += seconds

    def _cost(self, task: Run) -> float:
        """The estimate of a run (s): good enough to compare points, each of which is estimated once."""
        if (cost := self._costs.get(id(task.point))) is None:
            cost = self._costs[id(task.point)] = max(1e-6, _core.estimate(task.config())["wall_s"])
        return cost


class Progress:
    """Passes reports of workers on to a watcher: only those of runs that are under way, as some come late."""

    def __init__(self, watcher: Watcher | None) -> None:
        self._watcher = watcher
        self._lock = threading.Lock()
        self._under_way: set[str] = set()

    def begin(self, runs: Iterable[Run]) -> None:
        """Runs were handed out."""
        with self._lock:
            self._under_way.update(run.key for run in runs)

    def advanced(self, key: str, seconds: float) -> None:
        """A run has simulated so many seconds in total; called from any thread."""
        with self._lock:
            if self._watcher is not None and key in self._under_way:
                self._watcher.advanced(key, seconds)

    def finished(self, run: Run, failure: str | None) -> None:
        """A run ended."""
        with self._lock:
            self._under_way.discard(run.key)
            if self._watcher is not None:
                self._watcher.finished(run, failure)


def execute_elsewhere(
    runs: Sequence[Run],
    done: Callable[[Run, Finished], None],
    failed: Callable[[Run, str], None],
    executor: Executor,
    watcher: Watcher | None = None,
) -> None:
    """Does runs on an executor of another kind; arguments as of :func:`hopscope.campaign.execute.execute`.

    Raises:
        Interrupted: Ctrl-C; what had finished went to ``done``.
    """
    slots = slots_of(executor)
    batches, progress = Batches(runs, slots), Progress(watcher)
    collected = _Collected(batches, progress, done, failed)
    in_flight: dict[_Future, list[Run]] = {}
    try:
        with _reporting(executor, progress) as report:
            try:
                while True:
                    while len(in_flight) < 2 * slots and (batch := batches.next()):
                        progress.begin(batch)
                        in_flight[_submit(executor, batch, report)] = batch
                    if not in_flight:
                        break
                    ended, _ = wait(in_flight, timeout=0.5, return_when=FIRST_COMPLETED)
                    for future in ended:
                        collected.add(future, in_flight[future])
                        del in_flight[future]  # only now: what Ctrl-C keeps from being kept is settled once more
            finally:
                for future in in_flight:
                    future.cancel()
    except KeyboardInterrupt as interrupt:
        for future, batch in in_flight.items():  # what ended before it could be collected is kept too
            if future.done() and _lost(future) is None:
                collected.add(future, batch)
        raise Interrupted("interrupted") from interrupt


@dataclass(frozen=True)
class _Collected:
    """Takes what batches gave."""

    batches: Batches
    progress: Progress
    done: Callable[[Run, Finished], None]
    failed: Callable[[Run, str], None]

    def add(self, future: _Future, batch: list[Run]) -> None:
        """A batch ended.

        One whose worker was lost is done again run by run, so that only what is at fault itself fails.
        """
        lost = _lost(future)
        if lost is None:
            ended, seconds = future.result()
            self.batches.took(batch, seconds)
        elif isinstance(lost, CancelledError):  # there is nobody for the rest either
            batch = [*batch, *self.batches.rest()]
            ended = [Ended(None, _GIVEN_UP)] * len(batch)
        elif len(batch) > 1 and not isinstance(lost, HopscopeError):
            self.batches.one_by_one(batch)
            return
        else:
            ended = [Ended(None, message_of(lost))] * len(batch)
        for task, found in zip(batch, ended, strict=True):
            self._settle(task, found)

    def _settle(self, task: Run, found: Ended) -> None:
        message = None
        if found.document is not None:
            self.done(task, Finished(found.document))
        else:
            message = reported(task, found.message) if found.is_of_the_engine else found.message
            self.failed(task, message)
        self.progress.finished(task, message)


def reported(task: Run, message: str) -> str:
    """A message of the engine in the words of the scenario of its run."""
    key, _, rest = message.partition(": ")
    return f"{task.point.reported(key)}: {rest}"


def slots_of(executor: Executor) -> int:
    """How many runs an executor does at a time; those of the standard library know it by a name of their own."""
    found = getattr(executor, "slots", None) or getattr(executor, "_max_workers", None)
    return found if isinstance(found, int) and found > 0 else USUAL_SLOTS


def _reporting(executor: Executor, progress: Progress) -> contextlib.AbstractContextManager[Report | None]:
    """What workers report progress to, where the executor has a way for it."""
    reporting = getattr(executor, "reporting", None)
    return contextlib.nullcontext() if reporting is None else reporting(progress.advanced)


def _submit(executor: Executor, batch: Sequence[Run], report: Report | None) -> _Future:
    try:
        return executor.submit(run_tasks, _core.build_id(), list(_tasks(batch)), report)
    except HopscopeError:
        raise
    except Exception as error:  # an executor that has broken takes nothing more: these runs fail, by its reason
        future: _Future = Future()
        future.set_exception(error)
        return future


def _tasks(batch: Iterable[Run]) -> Iterator[Task]:
    """Runs as they travel: those of a point together, unless each has a field of its own."""
    for _, of_point in groupby(batch, lambda run: run.key if run.point.draws_field else id(run.point)):
        same = list(of_point)
        yield Task(same[0].config(), same[0].controls(), [(run.key, run.seed) for run in same])


def _lost(future: _Future) -> BaseException | None:
    """Why a batch gave nothing; None: it gave its results.

    Raises:
        KeyboardInterrupt, SystemExit: the batch ended so.
    """
    try:
        error = future.exception()
    except CancelledError as cancelled:
        return cancelled
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        raise error
    return error
