"""``hopscope report STORE``: the HTML report of a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopscope.cli import options
from hopscope.cli.console import echo, note
from hopscope.cli.trusting import asking
from hopscope.errors import InputError


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
    interactive: Annotated[
        bool,
        typer.Option(
            "--interactive",
            metavar="",
            help="Let the reader run figures again in the page, with other values and seeds: the engine is in it.",
        ),
    ] = False,
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
    from hopscope.api.stores import report
    from hopscope.campaign.store import open_store
    from hopscope.cli import table
    from hopscope.io.extras import need
    from hopscope.reporting.style import styled_as

    need("jinja2", "matplotlib")
    table.check_files(write)
    style = options.parse_style(figure_width, font_size, log)
    if map_ and measured is None:
        raise InputError("--map: is for the columns of --measured, which is not there")
    opened = open_store(store)
    with asking(trust), styled_as(style):  # pictures of single runs are made by running them again
        page = report(
            opened,
            out,
            models=models or (),
            points=points or (),
            seeds=seeds or (),
            timelines=timelines or (),
            sequences=flows or (),
            span=span,
            metrics=metrics or (),
            sort=sort,
            descending=descending,
            measured=measured,
            columns=options.parse_map(map_),
            interactive=interactive,
        )
    if write:
        table.write_files(opened.results(lazily=True), write, metrics, sort=sort, descending=descending)
    for problem in opened.problems:
        note(problem)
    echo(str(page))
