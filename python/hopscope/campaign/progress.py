"""The progress bar on standard error: share of simulated time, runs, failures, time left."""

from __future__ import annotations

import importlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from hopscope.campaign.plan import Run

#: A notebook shows how far work has come that takes longer (s).
PATIENCE = 1.0


class Watcher(Protocol):
    """What is reported about the work; calls come from several threads."""

    def advanced(self, key: str, seconds: float) -> None:
        """A run has simulated so many seconds in total."""

    def finished(self, run: Run, failure: str | None) -> None:
        """A run ended, well or not."""


class Tally:
    """Simulated seconds of all runs so far; threads add to it, one thread reads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, float] = {}
        self._ended = 0.0
        self.runs = 0
        self.failures = 0

    def advanced(self, key: str, seconds: float) -> None:
        """A run has simulated so many seconds in total."""
        with self._lock:
            self._running[key] = seconds

    def finished(self, run: Run, failure: str | None) -> None:
        """A run ended."""
        with self._lock:
            self._running.pop(run.key, None)
            self._ended += run.weight
            self.runs += 1
            self.failures += failure is not None

    @property
    def seconds(self) -> float:
        """Simulated seconds so far."""
        with self._lock:
            return self._ended + sum(self._running.values())


@contextmanager
def bar(label: str, runs: int, seconds: float, *, shown: bool) -> Iterator[Tally]:
    """Shows a bar while the body works and yields the tally to report to.

    Args:
        label: text in front.
        runs: number of runs to do.
        seconds: simulated seconds of all of them.
        shown: False, or a standard error that is neither a terminal nor a notebook, gives a silent tally.
    """
    tally = Tally()
    in_notebook = "ipykernel" in sys.modules
    if not shown or runs == 0 or not (sys.stderr.isatty() or in_notebook):
        yield tally
        return
    with _line(label, seconds) if in_notebook else _bar(label, seconds) as paint:
        stop = threading.Event()

        def refresh() -> None:
            while True:
                failures = f", {tally.failures} failed" if tally.failures else ""
                paint(tally.seconds, f"{tally.runs}/{runs} runs{failures}")
                if stop.wait(0.2):
                    return

        painter = threading.Thread(target=refresh, daemon=True)
        painter.start()
        try:
            yield tally
        finally:
            stop.set()
            painter.join()


@contextmanager
def _bar(label: str, seconds: float) -> Iterator[Callable[[float, str], None]]:
    """A bar in the terminal, gone when the work is done; yields what paints it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[runs]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=seconds, runs="")
        yield lambda done, runs: progress.update(task, completed=done, runs=runs)


@contextmanager
def _line(label: str, seconds: float) -> Iterator[Callable[[float, str], None]]:
    """A line of text below the cell of a notebook, empty when the work is done; yields what paints it.

    A notebook keeps a place for every output, also for an empty one: what is done at once shows none.
    """
    display = importlib.import_module("IPython.display").display  # there wherever ipykernel is
    since = time.monotonic()
    handles: list[Any] = []

    def paint(done: float, runs: str) -> None:
        share = min(100.0, 100 * done / seconds) if seconds else 100.0
        text = {"text/plain": f"{label}: {share:.0f} %, {runs}"}
        if handles:
            handles[0].update(text, raw=True)
        elif time.monotonic() - since >= PATIENCE:
            handles.append(display(text, raw=True, display_id=True))

    try:
        yield paint
    finally:
        for handle in handles:
            handle.update({"text/plain": ""}, raw=True)
