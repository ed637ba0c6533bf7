"""``hopscope show STORE``: the tables of a store, finished or not, in the terminal or as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hopscope.cli import options
from hopscope.cli.console import note, out


def command(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="Folder that a run has written.")],
    metrics: options.Metrics = None,
    sort: options.Sort = None,
    descending: options.Descending = False,
    write: options.Write = None,
    as_json: options.Json = False,
) -> None:
    """Print the table of a store."""
    from hopscope.campaign.store import missing, open_store
    from hopscope.cli import table

    table.check_files(write)
    opened = open_store(store)
    results = opened.results()
    for problem in [*opened.problems, *opened.mend_tables(results), *missing(results)]:
        note(problem)
    if write:
        table.write_files(results, write, metrics, sort=sort, descending=descending)
        return
    if as_json:
        documents = [result.to_json() for result in results]
        typer.echo(json.dumps(documents[0] if len(documents) == 1 else documents))
        return
    console = out()
    if metrics or sort:
        table.print_listing(console, results, metrics, sort=sort, descending=descending)
        return
    for result in results:
        table.print_result(console, result)
