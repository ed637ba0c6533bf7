"""``hopscope pcap FILE|STORE``: do one run, or a stored one again, and write its capture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopscope.cli import options
from hopscope.cli.console import note
from hopscope.cli.trusting import asking
from hopscope.errors import InputError, RunFailed

if TYPE_CHECKING:
    from hopscope.results.captured import Captured, Choice
    from hopscope.tracing import OneRun


def command(
    source: options.Source,
    point: options.Point = "0",
    seed: options.Seed = None,
    node: options.PcapNode = None,
    flow: options.PcapFlow = None,
    radio: options.PcapRadio = False,
    host: options.PcapHost = False,
    lost: options.PcapLost = False,
    monitor: options.PcapMonitor = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Where it goes, compressed as the name says (.gz, .zst); - is standard output; default: named after "
            "scenario, point and seed, in the current folder.",
        ),
    ] = None,
    force: options.Force = False,
    set_: options.Set = None,
    as_json: Annotated[
        bool, typer.Option("--json", metavar="", help="Print what came of it, with the engine's own counts, as JSON.")
    ] = False,
    trust: options.Trust = False,
) -> None:
    """Write the capture of a run for Wireshark."""
    from hopscope.campaign.nearby import default_out
    from hopscope.tracing import pick

    choice = options.parse_choice(node, flow, radio=radio, host=host, lost=lost, monitor=monitor)
    if as_json and out == Path("-"):
        raise InputError("--json: standard output has the capture itself, with --out -; name a file there")
    with asking(trust):
        run = pick(source, point=point, seed=seed, set=options.parse_set(set_))
        choice.check(run.scenario, "--")
        path = out or Path(f"{default_out(run.scenario).name}-point-{run.point.index}-seed-{run.seed}.pcapng")
        captured = _write(run, path, choice, force=force)
    if as_json:
        typer.echo(json.dumps(captured.to_json()))
    note(captured.sentence())
    if captured.has_failed:
        raise RunFailed("the capture is not whole")


def _write(run: OneRun, path: Path, choice: Choice, *, force: bool) -> Captured:
    """Does the run; says where it differs from the stored one."""
    from hopscope.campaign.capture import STDOUT, run_captured
    from hopscope.campaign.verify import difference
    from hopscope.io import output
    from hopscope.io.files import make_way

    if path != STDOUT:
        output.check(path, force=force, option="--out ")
        if not path.exists():
            make_way(f"--out {path}", path)
    found, captured = run_captured(run.point, run.seed, path, choice, force=force)
    if run.stored is not None and (where := difference(run.stored, found.values())) is not None:
        note(f"the run is not the stored one: {where}; another build has made the store")
    return captured
