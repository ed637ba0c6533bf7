"""``hopscope show STORE``: the tables of a store, finished or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hopscope.cli import options
from hopscope.cli.console import note, out


def command(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="Folder that a run has written.")],
    as_json: options.Json = False,
) -> None:
    """Print the table of a store."""
    from hopscope.campaign.store import missing, open_store

    opened = open_store(store)
    results = opened.results()
    for problem in [*opened.problems, *opened.mend_tables(results), *missing(results)]:
        note(problem)
    if as_json:
        documents = [result.to_json() for result in results]
        typer.echo(json.dumps(documents[0] if len(documents) == 1 else documents))
        return
    from hopscope.cli.table import print_result

    console = out()
    for result in results:
        print_result(console, result)
