"""``hopscope trace FILE|STORE``: one run again, with its records on standard output or in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopscope.cli import options
from hopscope.cli.console import note
from hopscope.cli.streams import discard_standard_output
from hopscope.cli.trusting import asking
from hopscope.errors import InputError, RunFailed, counted


def command(
    source: options.Source,
    point: options.Point = "0",
    seed: options.Seed = None,
    node: options.OfNode = None,
    flow: options.OfFlow = None,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="NAME", help='Only records of this name, "Frame*" of several; repeatable.'),
    ] = None,
    start: options.From = None,
    stop: options.To = None,
    set_: options.Set = None,
    as_json: Annotated[bool, typer.Option("--json", metavar="", help="Print a JSON object a line.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the records there; .gz and .zst compress."),
    ] = None,
    trace_ns2: options.TraceNs2 = None,
    ns2_format: options.Ns2Format = "old",
    force: options.Force = False,
    no_progress: options.NoProgress = False,
    trust: options.Trust = False,
) -> None:
    """Run one run again and print its records."""
    from hopscope.io.output import Output, check
    from hopscope.tracing import Wanted, pick, write

    form = "json" if as_json else "text"
    if trace_ns2 is not None:
        if out is not None or as_json or kind:
            raise InputError("--trace-ns2: has lines of its own; --json, --kind and --out are for the records")
        out, form = trace_ns2, f"ns2-{ns2_format}"
    if out is not None:
        check(out, force=force)
    wanted = Wanted.of(nodes=node, flows=flow, kinds=kind, start=start, stop=stop)
    with asking(trust):
        run = pick(source, point=point, seed=seed, set=options.parse_set(set_))
        if run.remark:
            note(run.remark)
        with Output(out, force=force) as output:
            lines = write(run, form, wanted, output, progress=not no_progress)
    if output.problem is not None:
        if out is None:
            discard_standard_output()
        raise RunFailed(f"{output.name}: the trace ends after {counted(output.written, 'byte')}: {output.why()}")
    if lines == 0:
        note(f"no record matches: {wanted or 'the run has none'}")
    if out is not None:
        note(f"{counted(lines, 'record' if trace_ns2 is None else 'line')}: {out}")
