"""Scenarios on real Linux kernels, from Python: a run with its result, and a network that is held open."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from hopscope.live import Session
    from hopscope.results import Result
    from hopscope.scenario import Scenario

_LOG = logging.getLogger("hopscope")


def run_live(
    what: str | Path | Mapping[str, Any] | Scenario,
    *,
    duration: str | float | None = None,
    point: int | str = 0,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    on_late: Literal["warn", "abort"] = "warn",
    fifo: bool = True,
    net: str | None = None,
    simulated_flows: bool = False,
    explain: bool = False,
    pcap: str | Path | None = None,
    out: str | Path | None = None,
    force: bool = False,
) -> Result:
    """Runs a scenario on real Linux kernels, in real time, and returns the tables that a simulation has.

    ``result.live`` says whether to trust the run, ``result.points[0].runs[0]["live"]`` all that the radio reports.

    Args:
        what: a scenario file, its keys as a mapping, or a :class:`Scenario`.
        duration: end of the run, seconds or text such as ``"30s"``; default: the scenario's.
        point: the point of the sweep, by its number from 0 or as ``key=value``.
        seed: of the radio; default: the scenario's first.
        set: dotted keys to change.
        on_late: ``"abort"`` ends a run that misses real time.
        fifo: ask for SCHED_FIFO.
        net: IPv4 net of the nodes; default: 10.0.0.0/16, unless the host uses it.
        simulated_flows: leave the flows in the engine, next to real programs.
        explain: keep the airtime ledger, for ``result.explain()``.
        pcap: file for the frames of all radios.
        out: folder for tables, logs of programs and the result.
        force: replace that file, and the run in that folder.

    Raises:
        InputError: the system, the scenario or an argument does not allow it; nothing is left.
        RunFailed: a program or the radio has failed; everything was taken down.
    """
    with _held(
        what, duration, point, seed, set, endless=False, on_late=on_late, fifo=fifo, net=net, explain=explain,
        simulated_flows=simulated_flows, pcap=pcap, out=out, force=force,
    ) as session:  # fmt: skip
        for remark in session.wait():
            _LOG.warning(remark)
        session.finish()
        if session.captured is not None and not session.captured.is_whole:
            _LOG.warning(session.captured.sentence())
    assert session.result is not None
    return session.result


@contextlib.contextmanager
def shell(
    what: str | Path | Mapping[str, Any] | Scenario,
    *,
    duration: str | float | None = None,
    point: int | str = 0,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    **options: Any,
) -> Iterator[Session]:
    """Holds a scenario open on real Linux kernels: a context, whose end takes everything down.

    ``session.command(3, "ping -c 3 $n7")`` runs a command at node 3, ``session.change("link-cut", **{"from": 1, "to":
    2})`` does what an event does, ``session.finish()`` ends flows and radio, after which ``session.result`` is there.

    Args:
        what: as of :func:`run_live`.
        duration: end of the run; default: none.
        point: as of :func:`run_live`.
        seed: as of :func:`run_live`.
        set: as of :func:`run_live`.
        options: the others of :func:`run_live`.

    Raises:
        InputError: the system, the scenario or an argument does not allow it; nothing is left.
    """
    with _held(what, duration, point, seed, set, endless=True, **options) as session:
        yield session


@contextlib.contextmanager
def _held(
    what: str | Path | Mapping[str, Any] | Scenario,
    duration: str | float | None,
    point: int | str,
    seed: int | None,
    changes: Mapping[str, Any] | None,
    *,
    endless: bool,
    pcap: str | Path | None = None,
    out: str | Path | None = None,
    force: bool = False,
    **options: Any,
) -> Iterator[Session]:
    """A session that has been started, its places checked before."""
    from hopscope.live import LiveOptions, Session, plan, stored
    from hopscope.live.options import seconds

    folder, capture = (None if place is None else Path(place) for place in (out, pcap))
    stored.check_places(folder, capture, force=force)
    asked = LiveOptions(seconds(duration, "duration"), pcap=capture, out=folder, force=force, **options)
    run = plan.chosen(what, point=point, seed=seed, set=changes)
    with Session(run, asked, endless=endless) as session:
        for remark in session.remarks:
            _LOG.warning(remark)
        session.start()
        yield session
