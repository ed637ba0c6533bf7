"""``hopscope reproduce KEY...``: run catalogue entries, set them beside the published values, judge the statements."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from hopscope.cli import options
from hopscope.cli.console import note, out


def command(
    keys: Annotated[
        list[str],
        typer.Argument(metavar="KEY...", help="Catalogue entries: fu2003.fig2-left, fu2003, all; see hopscope list."),
    ],
    seeds: options.Seeds = None,
    set_: options.Set = None,
    jobs: options.Jobs = None,
    out_: options.Out = None,
    as_json: options.Json = False,
    quick: options.Quick = False,
    no_progress: options.NoProgress = False,
    shard: options.Shard = None,
) -> None:
    """Run entries of the catalogue and set them beside the published values."""
    from hopscope.catalog.reproduce import reproduce
    from hopscope.cli.run import announce
    from hopscope.report.page import reproduction_page
    from hopscope.report.terminal import print_reproduction

    part = options.parse_shard(shard)
    folder = out_ or Path("results") / f"reproduce-{_slug(keys)}"
    outcome = reproduce(
        keys,
        seeds=seeds,
        jobs=jobs,
        store=folder,
        quick=quick,
        changes=options.parse_set(set_),
        progress=not no_progress,
        shard=part,
        announce=lambda planned: announce(planned, jobs),
    )
    if part is not None and outcome.missing:
        note(
            f"shard {part[0]}/{part[1]} done; {outcome.missing} runs are still missing in {folder}. "
            "The statements are judged when all shards are there: repeat without --shard."
        )
        if as_json:
            typer.echo(json.dumps(outcome.to_json()))
        return
    page = reproduction_page(outcome, folder)
    if as_json:
        typer.echo(json.dumps({**outcome.to_json(), "report": str(page)}))
    else:
        print_reproduction(outcome, out())
    note(f"report: {page}")
    if outcome.exit_status:
        raise typer.Exit(outcome.exit_status)


def _slug(keys: list[str]) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", "-".join(keys).lower()).strip("-.")[:80]
