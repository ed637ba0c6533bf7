"""What becomes of a store: its report, its table, the capture of one of its runs."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from hopscope import _core
from hopscope.campaign.manifest import not_again
from hopscope.campaign.nearby import store_meant
from hopscope.campaign.store import Store, missing, open_store
from hopscope.errors import InputError
from hopscope.io.extras import need

if TYPE_CHECKING:
    import pandas as pd

    from hopscope.reporting.interactive import Interactive
    from hopscope.reporting.overlay import Overlay
    from hopscope.reporting.recorded import Recorded
    from hopscope.reporting.series import Selection
    from hopscope.results.captured import Captured
    from hopscope.scenario import Scenario

_LOG = logging.getLogger("hopscope")


def report(
    store: str | Path | Store,
    out: str | Path | None = None,
    *,
    models: Sequence[str] = (),
    points: Sequence[str] = (),
    seeds: Sequence[int] = (),
    timelines: Sequence[str] = (),
    sequences: Sequence[int] = (),
    span: str | None = None,
    metrics: Sequence[str] = (),
    sort: str | None = None,
    descending: bool = False,
    measured: str | Path | pd.DataFrame | None = None,
    columns: Mapping[str, str] | None = None,
    interactive: bool = False,
) -> Path:
    """Writes the HTML report of a store; returns the path of the page.

    Args:
        store: a folder that a run has written, ``"last"`` for the newest, or a :class:`Store`.
        out: folder of the page; default: the store's.
        models: models to draw over the curves: ``"optimal-window"``, ``"mathis rtt=100ms"``.
        points: points whose time series are drawn, by number or as ``key=value``; default: the first.
        seeds: seeds whose time series are drawn; default: the first of the point.
        timelines: times of which to draw who was on the air: ``"1.2s..1.3s"``.
        sequences: flows whose sequence numbers are drawn.
        span: time of those; default: the whole run.
        metrics: metrics to show in place of the usual ones.
        sort: order the rows by a swept key or a metric.
        descending: largest first.
        measured: measurements to set the store against; see :meth:`Result.measured`.
        columns: what their columns hold, where that is not their name.
        interactive: the reader can run figures again in the page, with other values and seeds; the engine is in it.

    Raises:
        StoreError: the store cannot be read, or the page not be written.
        InputError: something named that is not there, the pages for browsers were not built, or a picture of a run on
            real stacks that only a run done again gives.
    """
    from hopscope.reporting.interactive import Interactive
    from hopscope.reporting.series import Selection
    from hopscope.studies.page import reproduction_page
    from hopscope.studies.reproduce import recall

    if columns and measured is None:
        raise InputError("columns: are those of what was measured, which is not there")
    opened = store if isinstance(store, Store) else open_store(store_meant(str(store)))
    if "live" in opened.manifest and (interactive or timelines or sequences):
        raise InputError(not_again(opened.path))
    if interactive:
        Interactive.check()
    folder = Path(out) if out is not None else opened.path
    drawn: _Drawn = {
        "overlays": _overlays(models),
        "selection": Selection(points, seeds) if points or seeds else None,
        "recorded": _recorded(timelines, sequences, span),
        "interactive": Interactive(opened.manifest.get("engine") == _core.build_id()) if interactive else None,
    }
    listed = {"metrics": metrics, "sort": sort, "descending": descending} if metrics or sort else None
    plain = not (any(drawn.values()) or listed or measured is not None)
    if (outcome := recall(opened) if plain else None) is None:
        page = _page(opened, folder, drawn, listed, measured, columns, plain=plain)
    else:
        page = reproduction_page(outcome, folder)
    if opened is not store:  # who opened it reports what is wrong with it
        for problem in opened.problems:
            _LOG.warning(problem)
    return page


def show(
    store: str | Path | Store,
    metrics: Sequence[str] | None = None,
    *,
    sort: str | None = None,
    descending: bool = False,
) -> pd.DataFrame:
    """Returns the table of a store: a row for each point and flow, of each metric mean, half width and number.

    Args:
        store: a folder that a run has written, ``"last"`` for the newest, or a :class:`Store`.
        metrics: names that flows have (``delay_ms``) or dotted names (``network.jain``); default: the usual ones.
        sort: order the rows by a swept key or a metric.
        descending: largest first.

    Raises:
        StoreError: the store cannot be read.
        NotFound: no such metric.
    """
    need("pandas")
    import pandas as pd

    from hopscope.reporting import listing

    opened = store if isinstance(store, Store) else open_store(store_meant(str(store)))
    results = opened.results(lazily=True)
    found = listing.listing(results, listing.chosen(results, metrics), sort=sort, descending=descending)
    return pd.DataFrame(found.columns())


def pcap(
    what: str | Path | Mapping[str, Any] | Scenario,
    path: str | Path,
    *,
    point: int | str = 0,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    node: int | None = None,
    flow: int | None = None,
    radio: bool = True,
    host: bool = True,
    lost: bool = False,
    monitor: bool = False,
    force: bool = False,
) -> Captured:
    """Does one run, or a stored one again, and writes its capture for Wireshark.

    Args:
        what: a scenario file, its keys as a mapping, a :class:`Scenario`, or the folder of a store.
        path: the file; ``.gz`` or ``.zst`` at the end of its name compresses it.
        point: the point of the sweep, by its number from 0 or as ``key=value``.
        seed: the seed; default: the first.
        set: dotted keys of a scenario to change.
        node: this node alone.
        flow: packets of this flow alone, and the frames around them.
        radio: frames at the radios.
        host: IP packets at the hosts.
        lost: what was lost, too, each with a comment that says why.
        monitor: frames for others that a radio could read, too.
        force: replace a file that is there.

    Raises:
        InputError: there is no such point, seed, node or flow, or the file is there already.
        RunFailed: the file cannot be written.
    """
    from hopscope.campaign.capture import run_captured
    from hopscope.io import output
    from hopscope.results.captured import Choice
    from hopscope.tracing import pick

    choice = Choice(node, flow, radio, host, lost, monitor)
    run = pick(what, point=point, seed=seed, set=set)
    choice.check(run.scenario)
    output.check(Path(path), force=force)
    return run_captured(run.point, run.seed, Path(path), choice, force=force)[1]


# --- Parts ----------------------------------------------------------------------------------------------------------


class _Drawn(TypedDict):
    """What is drawn that a report has not unasked."""

    overlays: list[Overlay]
    selection: Selection | None
    recorded: Recorded | None
    interactive: Interactive | None


def _page(
    opened: Store,
    folder: Path,
    drawn: _Drawn,
    listed: Mapping[str, Any] | None,
    measured: str | Path | pd.DataFrame | None,
    columns: Mapping[str, str] | None,
    *,
    plain: bool,
) -> Path:
    """The page of the results of a store."""
    from hopscope.reporting import listing, search
    from hopscope.reporting.measured import Measurement
    from hopscope.reporting.page import store_page

    results = opened.results()
    opened.problems += [*opened.repair_tables(results), *missing(results)]
    made = opened.manifest
    shown = None
    if listed is not None:
        names = listing.chosen(results, listed["metrics"])
        shown = listing.listing(results, names, sort=listed["sort"], descending=listed["descending"])
    return store_page(
        results,
        folder,
        title=opened.title,
        store=str(opened.path),
        engine=f"Hopscope {made.get('hopscope', 'unknown')}, engine build {made.get('engine', 'unknown')}",
        problems=opened.problems,
        outcome=search.outcome_of(opened) if plain else None,
        shown=shown,
        measured=None if measured is None else Measurement.of(results, measured, columns),
        **drawn,
    )


def _recorded(timelines: Sequence[str], flows: Sequence[int], span: str | None) -> Recorded | None:
    """What is to be drawn of single runs."""
    from hopscope.reporting.recorded import Recorded, Span

    if span is not None and not flows:
        raise InputError("--span: is the time of --sequence, which is not there")
    if not timelines and not flows:
        return None
    times = [Span.of(text, "--timeline") for text in timelines]
    return Recorded(times, flows, None if span is None else Span.of(span, "--span"))


def _overlays(texts: Sequence[str]) -> list[Overlay]:
    """Models with what is given of their parameters."""
    if not texts:
        return []
    from hopscope.reporting.overlay import parse

    return [parse(text) for text in texts]
