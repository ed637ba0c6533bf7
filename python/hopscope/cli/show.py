"""``hopscope show STORE``: the tables of a store, finished or not, in the terminal or as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopscope.cli import completing, options
from hopscope.cli.console import note, out
from hopscope.errors import InputError, counted

if TYPE_CHECKING:
    from hopscope.results import Result


def command(
    store: Annotated[
        Path | None,
        typer.Argument(
            metavar="STORE",
            parser=options.stored,
            autocompletion=completing.stores,
            help="Folder that a run has written; last: the newest; without one the stores in results are listed.",
        ),
    ] = None,
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

    if store is None:
        _list_stores(as_json=as_json)
        return
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


def _list_stores(*, as_json: bool) -> None:
    """Prints the stores in `results`, the newest first."""
    from dataclasses import asdict
    from datetime import datetime

    from rich.table import Table
    from rich.text import Text

    from hopscope.campaign.nearby import FOLDER, nearby

    found = nearby()
    if as_json:
        typer.echo(json.dumps([{**asdict(one), "path": str(one.path)} for one in found]))
        return
    if not found:
        note(f"no store in {FOLDER}; hopscope run FILE writes one")
        return
    table = Table.grid(padding=(0, 2))
    for one in found:
        when = datetime.fromtimestamp(one.written).strftime("%Y-%m-%d %H:%M")
        table.add_row(Text(when), Text(counted(one.runs, "run")), Text(one.title), Text(str(one.path)))
    out().print(table)


def _shares(result: Result) -> list[dict[str, Any]]:
    from hopscope.results.fairness import rows

    return list(rows(result))
