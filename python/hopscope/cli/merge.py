"""``hopscope merge STORE``: bring the runs of shards together, and the tables up to date."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopscope.cli import completing, options


def command(
    store: options.Stored,
    others: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[STORE]...",
            parser=options.stored,
            autocompletion=completing.stores,
            help="Stores of other shards, whose runs it takes; not where all shared one.",
        ),
    ] = None,
    shards: Annotated[
        int | None, typer.Option("--shards", metavar="N", min=1, help="Number of shards, to name those missing.")
    ] = None,
) -> None:
    """Bring the runs of shards together."""
    from hopscope.campaign.merge import merge
    from hopscope.cli.console import echo, note
    from hopscope.errors import counted

    made = merge(store, *(others or []), shards=shards)
    for problem in made.problems:
        note(problem)
    runs = sum(len(point.runs) for result in made.results() for point in result.points)
    echo(f"{made.path}: all {counted(runs, 'run')} are there, and the tables are made of them")
