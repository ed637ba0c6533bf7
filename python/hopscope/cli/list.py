"""``hopscope list``: what there is to choose from, one line each."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from hopscope.cli import completing
from hopscope.cli.console import note, out


def command(
    section: Annotated[
        str | None,
        typer.Argument(
            metavar="SECTION",
            autocompletion=completing.sections,
            help="One section: keys, metrics, presets, transports, ...; default: all words.",
        ),
    ] = None,
    search: Annotated[
        str | None, typer.Option("--search", metavar="TEXT", help="Only lines that hold this text, of every section.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", metavar="", help="As JSON: section -> {name: description}.")
    ] = False,
) -> None:
    """List the catalogue and every word a scenario may use: profiles, presets, transports, routings and so on."""
    from hopscope.errors import InputError, instead
    from hopscope.reference import words

    if section is not None and section not in words.sections():
        raise InputError(f"list {section}: no such section{instead(section, words.sections(), 'sections: {}')}")
    if section is not None:
        sections = {section: words.section(section)}
    else:
        sections = words.words() | (words.more_words() if search is not None else {})
    if search is not None:
        sections = _holding(sections, search.casefold())
        if not sections:
            raise InputError(f"--search {search}: no name or line holds it")
    if as_json:
        typer.echo(json.dumps(sections, indent=2))
        return
    _print(sections)
    if section is None and search is None and out().is_terminal:
        note(f"also: hopscope list {', '.join(words.more_words())}; hopscope help WORD says more of one")


def _holding(sections: dict[str, dict[str, str]], text: str) -> dict[str, dict[str, str]]:
    found = {
        section: {name: line for name, line in entries.items() if text in f"{name} {line}".casefold()}
        for section, entries in sections.items()
    }
    return {section: entries for section, entries in found.items() if entries}


def _print(sections: dict[str, dict[str, str]]) -> None:
    """Prints the sections, page by page where a person reads them on a screen that they do not fit."""
    from contextlib import nullcontext

    from rich.table import Table
    from rich.text import Text

    console = out()
    lines = sum(len(entries) + 2 for entries in sections.values())
    with console.pager(styles=True) if console.is_terminal and lines > console.height else nullcontext():
        for section, entries in sections.items():
            console.print(Text(section, style="bold"))
            table = Table.grid(padding=(0, 2))
            for name, text in entries.items():
                table.add_row(Text("  " + name), Text(text))
            console.print(table)
            console.print()
