"""Running one run for its records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.campaign import controls
from hopscope.campaign.progress import bar
from hopscope.campaign.stop import Stop
from hopscope.errors import InputError, Interrupted, RunFailed
from hopscope.io.output import Output
from hopscope.scenario import Scenario
from hopscope.tracing.pick import OneRun, pick
from hopscope.tracing.wanted import Wanted

#: The words for what a trace is written as.
FORMS = ("text", "json", "ns2-old", "ns2-new")


def trace(
    what: str | Path | Mapping[str, Any] | Scenario,
    *,
    point: int | str = 0,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    nodes: Sequence[int] | None = None,
    flows: Sequence[int] | None = None,
    kinds: Sequence[str] | None = None,
    start: str | float | None = None,
    stop: str | float | None = None,
    out: str | Path | None = None,
    form: str = "text",
    force: bool = False,
) -> list[dict[str, Any]] | int:
    """Runs one run for its records: frames, packets, drops, windows, timers, routes.

    Args:
        what: a scenario file, its keys as a mapping, a :class:`Scenario`, or the folder of a store, whose run is
            done again.
        point: the point of the sweep, by its number from 0 or as ``key=value``.
        seed: the seed; default: the scenario's first.
        set: dotted keys to change.
        nodes: only records at these nodes, and frames that go to them.
        flows: only records of these flows.
        kinds: only records of these names; ``*`` stands for any letters.
        start: only records from this instant on, in seconds or with a unit.
        stop: only records up to this instant, where the run ends.
        out: a file for them; ``.gz`` and ``.zst`` at its end compress.
        form: how the file is written: "text", "json" (an object a line), "ns2-old" or "ns2-new" (as ns-2 does).
        force: write over a file that exists.

    Returns:
        The records, each with its name as ``record``, its instant as ``time`` and its fields, times in whole
        nanoseconds; with ``out`` how many were written.

    Raises:
        InputError: the run cannot be done, or the file exists.
        RunFailed: the file could not be written to its end.
        Interrupted: Ctrl-C.
    """
    if form not in FORMS:
        raise InputError(f"form: found {form!r}; allowed: {', '.join(FORMS)}")
    run = pick(what, point=point, seed=seed, set=set)
    wanted = Wanted.of(nodes=nodes, flows=flows, kinds=kinds, start=start, stop=stop)
    if out is None:
        return records(run, wanted)
    output = Output(out, force=force)
    with output:
        lines = write(run, form, wanted, output)
    if output.problem is not None:
        raise RunFailed(f"{out}: the trace ends early: {output.why()}")
    return lines


def write(run: OneRun, form: str, wanted: Wanted, output: Output, *, progress: bool = False) -> int:
    """Runs a run and writes its records; the run ends with the last record wanted, or when the file takes no more.

    Args:
        run: the run.
        form: one of :data:`FORMS`.
        wanted: which records.
        output: where they go; it says itself when it could not take them.
        progress: show a bar on standard error.

    Returns:
        How many records were written.

    Raises:
        InputError: the run cannot be done.
        Interrupted: Ctrl-C.
    """
    lines = 0

    def take(text: str) -> bool:
        nonlocal lines
        lines += text.count("\n")
        return output.write(text.encode())

    _run(run, form, wanted, take, progress=progress)
    return lines


def records(run: OneRun, wanted: Wanted) -> list[dict[str, Any]]:
    """Runs a run and returns its records, each with its name as ``record``, its instant as ``time`` and its fields.

    Times are whole nanoseconds.

    Raises:
        InputError: the run cannot be done.
        Interrupted: Ctrl-C.
    """
    found: list[dict[str, Any]] = []
    follow(run, wanted, found.append)
    return found


def follow(run: OneRun, wanted: Wanted, take: Callable[[dict[str, Any]], None]) -> None:
    """Runs a run and hands over its records one by one, so that none has to be kept.

    Raises:
        InputError: the run cannot be done.
        Interrupted: Ctrl-C.
    """

    def each(batch: list[dict[str, Any]]) -> bool:
        for record in batch:
            take(record)
        return True

    _run(run, "values", wanted, each)


def _run(run: OneRun, form: str, wanted: Wanted, take: Callable[[Any], bool], *, progress: bool = False) -> None:
    stop = Stop()

    def goes_on(given: Any) -> bool:
        more = take(given)
        if not more:
            stop.token.set()
        return more

    last = wanted.stop_ns
    seconds = run.point.duration_s if last is None else min(run.point.duration_s, last / 1e9)
    request = controls.Trace(form, wanted.for_engine(), goes_on, cut=True)
    try:
        with bar(run.title, 1, seconds, shown=progress) as tally:
            controls.run(
                run.point.engine_config(run.seed),
                run.point.controls(),
                run.seed,
                stop,
                lambda simulated: tally.advanced("", simulated),
                engine=request,
            )
    except _core.Cancelled:
        if not stop.token.is_set():
            raise
    except _core.EngineError as error:
        key, _, message = str(error).partition(": ")
        raise InputError(f"{run.point.reported(key)}: {message}") from None
    except KeyboardInterrupt as interrupt:
        raise Interrupted("interrupted") from interrupt
