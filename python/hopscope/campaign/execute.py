"""Doing runs in parallel: threads over the engine, which computes without Python's lock, or any other executor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, TypeAlias

from hopscope import _core
from hopscope.campaign.capture import Captures
from hopscope.campaign.controls import Trace, run
from hopscope.campaign.plan import Run
from hopscope.campaign.stop import Stop
from hopscope.errors import HopscopeError, InputError, Interrupted
from hopscope.results.finished import Finished
from hopscope.scenario.controls import FlowControl


class Watcher(Protocol):
    """What is reported about the work; calls come from several threads."""

    def advanced(self, key: str, seconds: float) -> None:
        """A run has simulated so many seconds in total."""

    def finished(self, run: Run, failure: str | None) -> None:
        """A run ended, well or not."""


#: Gives each run the trace that is wanted of it, and is notified when the run has ended.
Traces: TypeAlias = "Callable[[Run], AbstractContextManager[Trace | None]]"


def default_jobs() -> int:
    """Number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_config(config: _core.Config, controls: Sequence[Sequence[FlowControl]] = (), seed: int = 0) -> str:
    """Runs one configuration and returns its document; executors in other processes and machines get it by name."""
    return run(config, controls, seed).document()


def execute(
    runs: Sequence[Run],
    done: Callable[[Run, Finished], None],
    failed: Callable[[Run, str], None],
    *,
    jobs: int | None = None,
    executor: Executor | None = None,
    watcher: Watcher | None = None,
    captures: Captures | None = None,
    traces: Traces | None = None,
) -> None:
    """Does runs; ``done`` and ``failed`` are called from the calling thread as they end, in no fixed order.

    Args:
        runs: what to do.
        done: takes a run and what it gave.
        failed: takes a run and the reason.
        jobs: runs at a time; default: all cores.
        executor: another executor, for example of a cluster; it gets :func:`run_config`.
        watcher: is notified of progress.
        captures: each run writes one, which takes an executor of ours.
        traces: records wanted of the runs; only without an executor of another kind.

    Raises:
        InputError: ``jobs`` is no whole number of at least 1, or another executor is to write captures.
        Interrupted: Ctrl-C; running simulations were stopped, finished ones went to ``done``.
    """
    _check(jobs, executor, captures)
    if not runs:
        return
    workers = min(jobs or default_jobs(), len(runs))
    own = executor is None
    pool = executor or ThreadPoolExecutor(workers, thread_name_prefix="hopscope")
    stop = Stop()
    in_flight: dict[Future[Any], Run] = {}
    waiting = iter(runs)
    # Enough that no worker waits for this thread; an executor of another kind knows its own size, which may be larger.
    room = 16 * workers if own else max(256, 2 * workers)

    def submit_next() -> None:
        while len(in_flight) < room and (run := next(waiting, None)) is not None:
            in_flight[_submit(pool, run, own, stop, watcher, captures, traces)] = run

    try:
        try:
            submit_next()
            while in_flight:
                ended, _ = wait(in_flight, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in ended:
                    _settle(in_flight[future], future, done, failed, watcher)
                    del in_flight[future]  # only now: a run that Ctrl-C keeps from being kept is settled once more
                submit_next()
        finally:
            _end(pool, own, stop, in_flight)
    except KeyboardInterrupt as interrupt:
        for future, run in in_flight.items():  # what ended before it could be collected is kept too
            if future.done() and not future.cancelled() and future.exception() is None:
                _settle(run, future, done, failed, watcher)
        raise Interrupted("interrupted") from interrupt


def _check(jobs: int | None, executor: Executor | None, captures: Captures | None) -> None:
    if jobs is not None and (type(jobs) is not int or jobs < 1):
        raise InputError(f"jobs: found {jobs!r}; expected a whole number of at least 1")
    if captures is not None and executor is not None:
        raise InputError("executor: captures are written by runs in this process alone; leave the executor out")


def _end(pool: Executor, own: bool, stop: Stop, in_flight: Iterable[Future[Any]]) -> None:
    """Takes back what has not begun, asks what runs to end, and waits for it where the pool is ours."""
    stop.set()
    for future in in_flight:
        future.cancel()
    if own:
        pool.shutdown(wait=True, cancel_futures=True)


def _submit(
    pool: Executor,
    task: Run,
    own: bool,
    stop: Stop,
    watcher: Watcher | None,
    captures: Captures | None,
    traces: Traces | None,
) -> Future[Any]:
    if not own:
        return pool.submit(run_config, task.config(), task.controls(), task.seed)

    def work() -> Finished:
        advanced = None if watcher is None else (lambda seconds: watcher.advanced(task.key, seconds))
        if captures is not None:
            return captures.run(task, stop, advanced)
        with traces(task) if traces is not None else nullcontext() as trace:
            return run(task.config(), task.controls(), task.seed, stop, advanced, engine=trace)

    return pool.submit(work)


def _settle(
    run: Run,
    future: Future[Any],
    done: Callable[[Run, Finished], None],
    failed: Callable[[Run, str], None],
    watcher: Watcher | None,
) -> None:
    error = future.exception()
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        raise error
    message = None
    if error is None:
        found = future.result()
        done(run, found if isinstance(found, Finished) else Finished(found))
    else:
        message = _message(run, error)
        failed(run, message)
    if watcher is not None:
        watcher.finished(run, message)


def _message(run: Run, error: BaseException) -> str:
    """What a failed run says, in the words of its scenario."""
    if isinstance(error, _core.EngineError):
        key, _, message = str(error).partition(": ")  # an exception of another process has its text alone
        return f"{run.point.reported(key)}: {message}"
    if isinstance(error, HopscopeError):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
