"""``hopscope exec NODE COMMAND...``: a command at a node of a network that another terminal holds open."""

from __future__ import annotations

from typing import Annotated

import typer

#: Options behind the node are those of the command that runs there.
SETTINGS = {"allow_interspersed_args": False}


def command(
    node: Annotated[int, typer.Argument(metavar="NODE", min=0, help="Number of the node.")],
    words: Annotated[list[str], typer.Argument(metavar="COMMAND...", help="The command with its options.")],
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="NAME", help="Which run, such as hs-4711, where several are under way."),
    ] = None,
) -> None:
    """Run a command at a node of a network that is held open."""
    from hopscope.live.control import execute

    status = execute(node, words, run=run)
    if status:
        raise typer.Exit(status if status > 0 else 128 - status)
