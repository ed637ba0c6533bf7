"""``hopscope sequence FILE|STORE --flow F``: sequence numbers over time, as tcptrace draws a connection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopscope.cli import options
from hopscope.cli.console import note
from hopscope.cli.trusting import asking


def command(
    source: options.Source,
    flow: Annotated[int, typer.Option("--flow", metavar="F", min=0, help="The flow, by number.")] = 0,
    start: options.From = None,
    stop: options.To = None,
    point: options.Point = "0",
    seed: options.Seed = None,
    set_: options.Set = None,
    out: options.Picture = Path("sequence.html"),
    force: options.Force = False,
    trust: options.Trust = False,
) -> None:
    """Draw a flow's data, ACKs, SACK blocks, retransmissions and window over time."""
    from hopscope.io import output
    from hopscope.reporting import picture
    from hopscope.reporting.segments import sequence

    picture.check(out)
    output.check(out, force=force)
    with asking(trust):
        drawn = sequence(source, flow=flow, start=start, stop=stop, point=point, seed=seed, set=options.parse_set(set_))
    drawn.write(out)
    note(f"picture: {out}")
