"""``hopscope watch FILE|STORE``: a page in which a run can be watched, with the engine inside."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from hopscope.cli import options
from hopscope.cli.console import note

#: Where the page goes unless its user says it; a page of another run that is there is replaced.
_USUAL = Path("watch.html")


def command(
    source: options.Source,
    point: options.Point = "0",
    seed: options.Seed = None,
    set_: options.Set = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="The page; default: watch.html, replaced where it is one."),
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", metavar="", help="Write the page and open no browser.")] = False,
    force: options.Force = False,
) -> None:
    """Write a page in which a run can be watched, and open it."""
    from hopscope.watching import watch
    from hopscope.watching.page import check_place

    place = out or _USUAL
    check_place(place, force=force, replace=out is None)
    page = watch(source, point=point, seed=seed, set=options.parse_set(set_))
    if page.remark:
        note(page.remark)
    page.write(place, force=force, replace=out is None)
    note(f"page: {place}")
    if not no_open and not _opens(place):
        note(f"no browser opens here; open {place} in one")


def _opens(page: Path) -> bool:
    """Opens a page in the user's browser; false where there is none with windows of its own."""
    windows = sys.platform == "darwin" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    try:
        return windows and webbrowser.open(page.resolve().as_uri())
    except (OSError, webbrowser.Error):
        return False
