"""``hopscope optimize FILE --over KEY=RANGE``: the best value of a key, without a full sweep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, TypedDict

import typer

from hopscope.cli import completing, options, picture
from hopscope.cli.console import note, out
from hopscope.cli.trusting import asking
from hopscope.errors import InputError


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Scenario file (TOML).")],
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="KEY=RANGE",
            autocompletion=completing.assignments,
            help='What to vary: "flow.*.max_window=1..32", a..b:step, or a list; repeatable.',
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option("--metric", metavar="NAME", help="What to compare: network.NAME, flow.0.NAME, group.G.NAME."),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option("--objective", metavar="WHAT", help="With --and: throughput, delay, fairness, ... or a metric."),
    ] = None,
    and_: Annotated[
        str | None,
        typer.Option(
            "--and", metavar="WHAT", help="A second objective: runs every value in full and prints the trade-off front."
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the front: .png, .svg or .pdf.")
    ] = None,
    figure_width: options.FigureWidth = None,
    font_size: options.FontSize = None,
    log: options.LogAxes = None,
    minimize: Annotated[
        bool, typer.Option("--minimize", "--minimise", metavar="", help="Look for the smallest mean.")
    ] = False,
    within: Annotated[
        str | None,
        typer.Option(
            "--within", metavar="SHARE", help="The smallest value within this share of the best mean is the answer: 2%."
        ),
    ] = None,
    oracle: Annotated[
        bool,
        typer.Option(
            "--oracle",
            metavar="",
            help="The best fixed number of segments for one ACK, and the file's own ACK policies next to it.",
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
    from hopscope.reporting.style import styled_as

    style = options.parse_style(figure_width, font_size, log, without="" if plot is not None else "--plot FILE")
    chosen: _Chosen = {"seeds": seeds, "set": options.parse_set(set_), "quick": quick}
    if objective is not None or and_ is not None:
        search = {"--metric": metric, "--minimize": minimize, "--within": within, "--oracle": oracle}
        search |= {"--budget": budget, "--shortest": shortest}
        _check_front(objective, and_, over, [name for name, value in search.items() if value])
        objectives = (objective or "throughput", and_ or "delay")
        with styled_as(style):
            _front(
                file, over or [], objectives, plot, chosen, jobs, out_, as_json, progress=not no_progress, trust=trust
            )
        return
    if plot is not None:
        raise InputError("--plot: draws a trade-off; give --objective and --and")
    from hopscope.campaign.nearby import default_out
    from hopscope.cli.run import note_other_runs, report_failures_of
    from hopscope.optimum.driver import METRIC, prepare_job
    from hopscope.optimum.words import print_optimization
    from hopscope.results.comparisons import AS_GOOD

    with asking(trust):
        job = prepare_job(
            file,
            over or [],
            metric=metric or METRIC,
            minimize=minimize,
            within=AS_GOOD if within is None else within,
            oracle=oracle,
            budget=budget,
            shortest=shortest,
            **chosen,
        )
        folder = out_ or default_out(job.base, "optimize-")
        found = job.work(folder, jobs, not no_progress, None)
    if as_json:
        typer.echo(json.dumps(found.to_json()))
    else:
        print_optimization(out(), found)
    note(f"results: {folder}")
    note_other_runs(folder)
    report_failures_of(found.failures, finished=True)


class _Chosen(TypedDict):
    """What both kinds of search take."""

    seeds: int | None
    set: dict[str, Any]
    quick: bool


def _check_front(objective: str | None, and_: str | None, over: list[str] | None, others: list[str]) -> None:
    """Refuses what does not go with a trade-off."""
    if objective is None or and_ is None:
        missing = "--and" if and_ is None else "--objective"
        raise InputError(
            f"{missing} is missing: a trade-off has two objectives, such as --objective throughput --and delay"
        )
    if others:
        raise InputError(f"{others[0]}: does not go with --objective and --and, which run every value in full")
    if not over:
        raise InputError('--over is missing: what to vary, for example --over "flow.*.max_window=1..32"')


def _front(
    file: Path,
    over: list[str],
    objectives: tuple[str, str],
    plot: Path | None,
    chosen: _Chosen,
    jobs: int | None,
    out_: Path | None,
    as_json: bool,
    *,
    progress: bool,
    trust: bool,
) -> None:
    """The trade-off between two objectives."""
    from hopscope.campaign.nearby import default_out
    from hopscope.cli.run import note_other_runs, report_failures_of
    from hopscope.optimum.front import trade_off
    from hopscope.optimum.words import print_trade_off
    from hopscope.reporting.front import chart
    from hopscope.reporting.plots import draw
    from hopscope.running.runner import prepare

    if plot is not None:
        picture.check("--plot", plot)
    with asking(trust):
        folder = out_ or default_out(prepare(file, **chosen), "trade-off-")
        found = trade_off(file, over, objectives, jobs=jobs, out=folder, progress=progress, **chosen)
    reported = found.to_json()
    if as_json:
        typer.echo(json.dumps(reported))
    else:
        print_trade_off(out(), found)
    if plot is not None:
        picture.write("--plot", plot, draw(chart(reported)))
    note(f"results: {folder}")
    note_other_runs(folder)
    failures = [failure for result in found.results for failure in result.failures]
    report_failures_of(failures, finished=True)
