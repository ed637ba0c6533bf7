"""``hopscope show STORE``: the tables of a store, finished or not, in the terminal or as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopscope.cli import options
from hopscope.cli.console import note, out
from hopscope.errors import InputError

if TYPE_CHECKING:
    from hopscope.results import Result


def command(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="Folder that a run has written.")],
    metrics: options.Metrics = None,
    sort: options.Sort = None,
    descending: options.Descending = False,
    write: options.Write = None,
    as_json: options.Json = False,
    fair: Annotated[
        bool,
        typer.Option(
            "--fair",
            metavar="",
            help="Also what max-min, proportional and potential-delay fairness would give each flow.",
        ),
    ] = False,
) -> None:
    """Print the table of a store."""
    from hopscope.campaign.store import missing, open_store
    from hopscope.cli import table

    if write and fair:
        raise InputError("--fair goes to the terminal and to --json, not with --write")
    table.check_files(write)
    opened = open_store(store)
    results = opened.results(lazily=not as_json)
    for problem in [*opened.problems, *opened.repair_tables(results), *missing(results)]:
        note(problem)
    if write:
        table.write_files(results, write, metrics, sort=sort, descending=descending)
        return
    shares = [_shares(result) for result in results] if fair else []
    if as_json:
        documents = [result.to_json() for result in results]
        for document, rows in zip(documents, shares, strict=False):
            document["fair_shares"] = rows
        typer.echo(json.dumps(documents[0] if len(documents) == 1 else documents))
        return
    console = out()
    if metrics or sort:
        table.print_listing(console, results, metrics, sort=sort, descending=descending)
    for index, result in enumerate(results):
        if not (metrics or sort):
            table.print_result(console, result)
        if fair:
            table.print_fair(console, result, shares[index])


def _shares(result: Result) -> list[dict[str, Any]]:
    from hopscope.results.fairness import rows

    return list(rows(result))
