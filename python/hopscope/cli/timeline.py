"""``hopscope timeline FILE|STORE``: a picture of who was on the air, who heard it and what each node waited for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopscope.cli import options
from hopscope.cli.console import note
from hopscope.cli.trusting import asking


def command(
    source: options.Source,
    start: options.From = "0s",
    stop: Annotated[
        str | None, typer.Option("--to", metavar="TIME", help="Last instant; default: 50 ms after the first.")
    ] = None,
    node: Annotated[
        list[int] | None, typer.Option("--node", metavar="N", min=0, help="A row for this node; repeatable.")
    ] = None,
    point: options.Point = "0",
    seed: options.Seed = None,
    set_: options.Set = None,
    out: options.Picture = Path("timeline.html"),
    force: options.Force = False,
    trust: options.Trust = False,
) -> None:
    """Draw what happens on the air in a part of a run."""
    from hopscope.io import output
    from hopscope.reporting import picture
    from hopscope.reporting.timeline import timeline

    picture.check(out)
    output.check(out, force=force)
    with asking(trust):
        drawn = timeline(
            source, start=start or 0, stop=stop, nodes=node, point=point, seed=seed, set=options.parse_set(set_)
        )
    drawn.write(out)
    note(f"picture: {out}")
