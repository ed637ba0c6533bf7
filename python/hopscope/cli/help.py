"""``hopscope help WORD``: what a key, a metric or any other word means."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from hopscope.cli import completing, options
from hopscope.cli.console import out

if TYPE_CHECKING:
    from hopscope.reference.lookup import Entry

#: So many are explained in full; more are listed.
_MANY = 3


def command(
    context: typer.Context,
    word: Annotated[
        str | None,
        typer.Argument(
            metavar="WORD",
            autocompletion=completing.names,
            help="A key (mac.queue, queue), metric, preset, transport, model or verb.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Say what a key, a metric, a preset or any other word means."""
    from hopscope.cli.main import VERBS, build
    from hopscope.reference.lookup import look_up

    if word is None or (word in VERBS and not as_json):
        verb = [word] if word else []
        build(*verb)([*verb, "--help"], prog_name=context.find_root().info_name)
    found = look_up(word or "", list(VERBS))
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in found], indent=2))
    elif len(found) > _MANY:
        _listed(found)
    else:
        for number, one in enumerate(found):
            _explained(one, apart=number > 0)


def _explained(one: Entry, *, apart: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    console = out()
    if apart:
        console.print()
    console.print(Text.assemble((one.name, "bold"), f"  {one.kind}"))
    console.print(Text(one.text))
    table = Table.grid(padding=(0, 2))
    for label, text in one.facts:
        table.add_row(Text(label, style="dim"), Text(text))
    console.print(table)


def _listed(found: list[Entry]) -> None:
    from rich.table import Table
    from rich.text import Text

    from hopscope.reference.words import first_sentence

    console = out()
    table = Table.grid(padding=(0, 2))
    for one in found:
        table.add_row(Text(one.name, style="bold"), Text(one.kind), Text(first_sentence(one.text)))
    console.print(table)
    console.print("Give a whole name for more of one.", highlight=False)
