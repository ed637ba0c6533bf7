"""``hopscope optimize FILE --over KEY=RANGE``: the best value of a key, without a full sweep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hopscope.cli import options
from hopscope.cli.console import note, out
from hopscope.cli.trusting import asking


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Scenario file (TOML).")],
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="KEY=RANGE",
            help='What to vary: "flow.*.max_window=1..32", a..b:step, or a list; repeatable.',
        ),
    ] = None,
    metric: Annotated[
        str, typer.Option("--metric", metavar="NAME", help="What to compare: network.NAME, flow.0.NAME, group.G.NAME.")
    ] = "network.aggregate_kbps",
    minimize: Annotated[
        bool, typer.Option("--minimize", "--minimise", metavar="", help="Look for the smallest mean.")
    ] = False,
    oracle: Annotated[
        bool,
        typer.Option(
            "--oracle",
            metavar="",
            help="The best fixed number of segments for one ACK, and the file's own ACK policies beside it.",
        ),
    ] = False,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget", metavar="B", help="Simulated time (5000s) or share of the full sweep (25%); default: 1/3."
        ),
    ] = None,
    shortest: Annotated[
        str | None,
        typer.Option("--shortest", metavar="T", help="Shortest run that says something of a full one; default: 10s."),
    ] = None,
    seeds: options.Seeds = None,
    set_: options.Set = None,
    jobs: options.Jobs = None,
    out_: options.Out = None,
    as_json: options.Json = False,
    quick: options.Quick = False,
    no_progress: options.NoProgress = False,
    trust: options.Trust = False,
) -> None:
    """Find the best value of a key."""
    from hopscope.cli.run import default_out, note_beside, report_failures_of
    from hopscope.optimum.driver import prepare_job
    from hopscope.optimum.words import print_optimization

    with asking(trust):
        job = prepare_job(
            file,
            over or [],
            metric=metric,
            minimize=minimize,
            oracle=oracle,
            budget=budget,
            shortest=shortest,
            seeds=seeds,
            set=options.parse_set(set_),
            quick=quick,
        )
        folder = out_ or default_out(job.base, "optimize-")
        found = job.work(folder, jobs, not no_progress, None)
    if as_json:
        typer.echo(json.dumps(found.to_json()))
    else:
        print_optimization(out(), found)
    note(f"results: {folder}")
    note_beside(folder)
    report_failures_of(found.failures, finished=True)
