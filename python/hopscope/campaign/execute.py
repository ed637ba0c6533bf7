"""Doing runs in parallel: threads over the engine, which computes without Python's lock, or any other executor."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TypeAlias

from hopscope import _core
from hopscope.campaign.batches import execute_elsewhere, message_of, reported
from hopscope.campaign.controls import Trace, run
from hopscope.campaign.plan import Run
from hopscope.campaign.progress import Watcher
from hopscope.campaign.stop import Stop
from hopscope.errors import InputError, Interrupted
from hopscope.results.finished import Finished

if TYPE_CHECKING:
    from hopscope.campaign.capture import Captures

#: Gives each run the trace that is wanted of it, and is notified when the run has ended.
Traces: TypeAlias = "Callable[[Run], AbstractContextManager[Trace | None]]"


def default_jobs() -> int:
    """Number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
        executor: another executor, for example of a cluster; it gets batches of runs.
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
    if executor is not None:
        execute_elsewhere(runs, done, failed, executor, watcher)
        return
    workers = min(jobs or default_jobs(), len(runs))
    pool = ThreadPoolExecutor(workers, thread_name_prefix="hopscope")
    stop, waiting = Stop(), iter(runs)
    in_flight: dict[Future[Finished], Run] = {}
    room = 16 * workers  # enough that no worker waits for this thread

    def submit_next() -> None:
        while len(in_flight) < room and (run := next(waiting, None)) is not None:
            in_flight[_submit(pool, run, stop, watcher, captures, traces)] = run

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
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
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


def _submit(
    pool: Executor,
    task: Run,
    stop: Stop,
    watcher: Watcher | None,
    captures: Captures | None,
    traces: Traces | None,
) -> Future[Finished]:
    def work() -> Finished:
        advanced = None if watcher is None else (lambda seconds: watcher.advanced(task.key, seconds))
        if captures is not None:
            return captures.run(task, stop, advanced)
        with traces(task) if traces is not None else nullcontext() as trace:
            return run(task.config(), task.controls(), task.seed, stop, advanced, engine=trace)

    return pool.submit(work)


def _settle(
    run: Run,
    future: Future[Finished],
    done: Callable[[Run, Finished], None],
    failed: Callable[[Run, str], None],
    watcher: Watcher | None,
) -> None:
    error = future.exception()
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        raise error
    message = None
    if error is None:
        done(run, future.result())
    else:
        message = message_of(error)
        if isinstance(error, _core.EngineError):
            message = reported(run, message)
        failed(run, message)
    if watcher is not None:
        watcher.finished(run, message)
