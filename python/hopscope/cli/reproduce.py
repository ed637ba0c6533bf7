"""``hopscope reproduce KEY...``: run entries of the catalogue and compare them with what was published."""

from __future__ import annotations

import json
import re
from typing import Annotated

import typer

from hopscope.cli import completing, options
from hopscope.cli.console import note, out
from hopscope.cli.trusting import asking


def command(
    keys: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY...",
            autocompletion=completing.entries,
            help="Catalogue entries: fu2003.fig2-left, fu2003, all (see hopscope list); or a study folder: ./mystudy.",
        ),
    ],
    seeds: options.Seeds = None,
    set_: options.Set = None,
    jobs: options.Jobs = None,
    out_: options.Out = None,
    as_json: options.Json = False,
    quick: options.Quick = False,
    no_progress: options.NoProgress = False,
    shard: options.Shard = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Compare with the verdicts recorded in the study's folder; status 1 if one changed."
        ),
    ] = False,
    record_: Annotated[
        bool, typer.Option("--record", help="Record the verdicts in the study's folder, for --check.")
    ] = False,
    details: Annotated[
        bool, typer.Option("--details", help="Print every number and every statement in every setting.")
    ] = False,
    figure_width: options.FigureWidth = None,
    font_size: options.FontSize = None,
    log: options.LogAxes = None,
    trust: options.Trust = False,
) -> None:
    """Run entries of the catalogue and compare them with the published values."""
    from hopscope.campaign.nearby import FOLDER
    from hopscope.cli.compare import NO_PDF
    from hopscope.cli.run import announce
    from hopscope.cli.verdicts import print_reproduction
    from hopscope.io.extras import need
    from hopscope.reporting.style import styled_as
    from hopscope.studies.page import reproduction_page
    from hopscope.studies.record import changes, record
    from hopscope.studies.registry import studies_of
    from hopscope.studies.reproduce import reproduce

    need("jinja2", "matplotlib")
    part, style = options.parse_shard(shard), options.parse_style(figure_width, font_size, log)
    folder = out_ or FOLDER / f"reproduce-{_slug(keys)}"
    with asking(trust):
        outcome = reproduce(
            keys,
            seeds=seeds,
            jobs=jobs,
            out=folder,
            quick=quick,
            set=options.parse_set(set_),
            progress=not no_progress,
            shard=part,
            announce=lambda planned: announce(planned, jobs),
            trusted=trust,
        )
    if part is not None and outcome.missing:
        note(
            f"shard {part[0]}/{part[1]} done; {outcome.missing} runs are still missing in {folder}. "
            "The statements are judged when all shards are there: repeat without --shard."
        )
        if as_json:
            typer.echo(json.dumps(outcome.to_json()))
        return
    with styled_as(style):
        page = reproduction_page(outcome, folder)
    chosen = studies_of(keys, trusted=trust) if check or record_ else []
    changed = changes(outcome, chosen) if check else []
    if as_json:
        extra = {"changed": changed} if check else {}
        typer.echo(json.dumps({**outcome.to_json(), **extra, "report": str(page)}))
    else:
        print_reproduction(outcome, out(), details=details)
        if not details:
            note("every number and every setting: --details")
        if quick and style.width is None:
            note(NO_PDF)
    note(f"report: {page}")
    for line in changed:
        note(f"changed: {line}")
    if record_:
        for file in record(outcome, chosen):
            note(f"recorded: {file}")
    if status := outcome.exit_status or (1 if changed else 0):
        raise typer.Exit(status)


def _slug(keys: list[str]) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", "-".join(keys).lower()).strip("-.")[:80]
