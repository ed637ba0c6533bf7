"""``hopscope report STORE``: the HTML report of a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopscope.cli import options
from hopscope.cli.console import echo, note
from hopscope.cli.trusting import asking
from hopscope.errors import InputError

if TYPE_CHECKING:
    from hopscope.reporting.overlay import Overlay
    from hopscope.reporting.recorded import Recorded


def command(
    store: options.Stored,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where report.html goes; default: into the store.")
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help='Draw a model over the curves: optimal-window, "mathis rtt=100ms"; repeatable.',
        ),
    ] = None,
    points: Annotated[
        list[str] | None,
        typer.Option(
            "--point",
            metavar="POINT",
            help="Point whose time series are drawn, by its number from 0 or as KEY=VALUE; repeatable; default: the "
            "first.",
        ),
    ] = None,
    seeds: Annotated[
        list[int] | None,
        typer.Option(
            "--seed", metavar="N", help="Seed whose time series are drawn; repeatable; default: the first of the point."
        ),
    ] = None,
    timelines: Annotated[
        list[str] | None,
        typer.Option(
            "--timeline",
            metavar="FROM[..TO]",
            help="Draw who was on the air in that time, by default 50 ms, of the chosen runs; repeatable.",
        ),
    ] = None,
    flows: Annotated[
        list[int] | None,
        typer.Option(
            "--sequence",
            metavar="F",
            min=0,
            help="Draw the sequence numbers of this flow, of the chosen runs; repeatable.",
        ),
    ] = None,
    span: Annotated[
        str | None, typer.Option("--span", metavar="FROM..TO", help="Time of --sequence; default: the whole run.")
    ] = None,
    measured: Annotated[
        Path | None,
        typer.Option("--measured", metavar="FILE.csv", help="Set the store against your own measurements, too."),
    ] = None,
    map_: options.Map = None,
    metrics: options.Metrics = None,
    sort: options.Sort = None,
    descending: options.Descending = False,
    write: options.Write = None,
    figure_width: options.FigureWidth = None,
    font_size: options.FontSize = None,
    log: options.LogAxes = None,
    trust: options.Trust = False,
) -> None:
    """Write the HTML report of a finished store."""
    from hopscope.campaign.store import missing, open_store
    from hopscope.cli import table
    from hopscope.io.extras import need
    from hopscope.reporting import listing, search
    from hopscope.reporting.measured import Measurement
    from hopscope.reporting.page import store_page
    from hopscope.reporting.series import Selection
    from hopscope.reporting.style import styled_as
    from hopscope.studies.page import reproduction_page
    from hopscope.studies.reproduce import recall

    need("jinja2", "matplotlib")
    table.check_files(write)
    style = options.parse_style(figure_width, font_size, log)
    overlays = _overlays(models or [])
    selection = Selection(points or (), seeds or ()) if points or seeds else None
    opened = open_store(store)
    recorded = _recorded(timelines, flows, span)
    if map_ and measured is None:
        raise InputError("--map: is for the columns of --measured, which is not there")
    picked = bool(metrics or sort or write or recorded or measured)
    outcome = None if overlays or selection or picked else recall(opened)
    if outcome is not None:
        with styled_as(style):
            page = reproduction_page(outcome, out or store)
    else:
        results = opened.results()
        opened.problems += [*opened.repair_tables(results), *missing(results)]
        made = opened.manifest
        names = table.chosen(results, metrics)
        own = None if measured is None else Measurement.of(results, measured, options.parse_map(map_))
        shown = listing.listing(results, names, sort=sort, descending=descending) if metrics or sort else None
        with asking(trust), styled_as(style):  # pictures of single runs are made by running them again
            page = store_page(
                results,
                out or store,
                title=opened.title,
                store=str(store),
                engine=f"Hopscope {made.get('hopscope', 'unknown')}, engine build {made.get('engine', 'unknown')}",
                problems=opened.problems,
                overlays=overlays,
                selection=selection,
                outcome=None if overlays or selection or picked else search.outcome_of(opened),
                shown=shown,
                recorded=recorded,
                measured=own,
            )
        if write:
            table.write_files(results, write, metrics, sort=sort, descending=descending)
    for problem in opened.problems:
        note(problem)
    echo(str(page))


def _recorded(timelines: list[str] | None, flows: list[int] | None, span: str | None) -> Recorded | None:
    """Reads what is to be drawn of single runs."""
    from hopscope.reporting.recorded import Recorded, Span

    if span is not None and not flows:
        raise InputError("--span: is the time of --sequence, which is not there")
    if not timelines and not flows:
        return None
    times = [Span.of(text, "--timeline") for text in timelines or ()]
    return Recorded(times, flows or (), None if span is None else Span.of(span, "--span"))


def _overlays(texts: list[str]) -> list[Overlay]:
    """Reads ``--model`` options."""
    if not texts:
        return []
    from hopscope.reporting.overlay import parse

    return [parse(text) for text in texts]
