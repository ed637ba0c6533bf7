"""``hopscope import FILE``: a scenario file of an ns-2 script."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

#: Statements that are printed with the scenario, which lists all.
MOST_LINES = 30


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="ns-2 Tcl script; it is read, not executed.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where the scenario is written; default: printed.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", metavar="", help="Replace a file that is there.")] = False,
) -> None:
    """Make a scenario file of an ns-2 Tcl script; status 1 where something in it is not followed."""
    from hopscope.cli.console import note
    from hopscope.errors import counted
    from hopscope.io import output
    from hopscope.scenario.scripts import of_ns2

    if out is not None:
        output.check(out, force=force, option="--out ")
    text, left = of_ns2(file)
    with output.Output(out, force=force) as target:
        target.write(text.encode())
    for line in left[:MOST_LINES]:
        note(line)
    if left:
        note(f"{file}: {counted(len(left), 'statement')} not followed; all stand at the beginning of the scenario")
        raise typer.Exit(1)
