"""``hopscope optimize FILE --over KEY=RANGE``: the best value of a key, without a full sweep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopscope.cli import options
from hopscope.cli.console import note, out

if TYPE_CHECKING:
    from rich.console import Console

    from hopscope.optimum import Optimization, Optimum
    from hopscope.optimum.search import Looked


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
) -> None:
    """Find the best value of a key."""
    from hopscope.cli.run import default_out, report_failures_of
    from hopscope.optimum.driver import prepare_job

    job = prepare_job(
        file,
        over or [],
        metric=metric,
        minimize=minimize,
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
    report_failures_of(found.failures, finished=True)


def print_optimization(console: Console, found: Optimization) -> None:
    """Prints the best value, how sure it is, and what was seen of every value."""
    from rich.text import Text

    quick = " (quick: shorter runs)" if found.scenario.is_quick else ""
    goal = "smallest" if found.minimize else "largest"
    console.print(Text(f"{found.scenario.title}{quick}: {goal} {found.metric}", style="bold"))
    for case in found.cases:
        console.print()
        _print_case(console, case)
    if len(found.cases) > 1:
        _print_total(console, found)


def _print_case(console: Console, case: Optimum) -> None:
    from rich.text import Text

    from hopscope.cli.table import interval_text
    from hopscope.optimum import decide

    place = ", ".join(f"{key} = {_plain(value)}" for key, value in case.set.items())
    best = ", ".join(f"{key} = {_plain(value)}" for key, value in case.best.items())
    top = decide.summary(case.look(case.found.best).samples)
    console.print(Text((f"{place}: " if place else "") + f"best at {best}", style="bold"))
    console.print(
        Text(
            f"  mean {interval_text(top.as_dict())} over {top.n} seed{'' if top.n == 1 else 's'} of {case.duration:g} s"
        )
    )
    for line in _sentences(case):
        console.print(Text(f"  {line}"))
    console.print(_table(case))


def _sentences(case: Optimum) -> list[str]:
    """The confidence statement."""
    found = case.found
    ties, open_ = found.having("not told apart"), found.having("undecided")
    lines = []
    if len(found.having("best", "not told apart", "worse")) > 1:
        lines.append(f"not told apart from it in full runs (95 %, seed by seed): {_listed(case, ties)}")
    if found.having("dropped", "undecided"):
        lines.append(f"left out after shorter runs that do not decide: {_listed(case, open_)}")
    if found.bound is not None:
        lines.append(
            "none of the other values run in full is better by more than "
            f"{_plain(round(found.bound, 3))} (95 %, all of them together)"
        )
    if not found.settled:
        lines.append("its neighbours had no full runs: the budget was spent")
    lines.append(
        f"{case.runs} runs, {case.simulated_s:g} s simulated: "
        f"{100 * case.share:.1f} % of the full sweep's {case.full_s:g} s"
    )
    return lines


def _table(case: Optimum) -> Any:
    from rich import box
    from rich.table import Table

    from hopscope.cli.table import interval_text
    from hopscope.optimum import decide

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for key in case.over:
        table.add_column(key, justify="right")
    for heading in ("mean", "runs", "duration (s)"):
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    for entry in case.found.looked:
        seen = decide.summary(entry.samples)
        table.add_row(
            *(_plain(number) for number in entry.value),
            interval_text(seen.as_dict()),
            str(seen.n),
            f"{entry.duration:g}",
            _VERDICTS[entry.verdict],
        )
    return table


_VERDICTS = {
    "best": "best",
    "not told apart": "not told apart from the best",
    "worse": "worse",
    "undecided": "left out, undecided",
    "dropped": "worse in shorter runs",
}


def _print_total(console: Console, found: Optimization) -> None:
    from rich.text import Text

    used, full = (sum(getattr(case, name) for case in found.cases) for name in ("simulated_s", "full_s"))
    console.print(Text(f"all cases: {used:g} s simulated, {100 * used / full:.1f} % of the full sweep's {full:g} s"))


def _listed(case: Optimum, entries: list[Looked]) -> str:
    """Values of a list."""
    from hopscope.catalog.judge import ranges

    if len(case.over) == 1:
        return ranges([entry.value[0] for entry in entries]) or "none"
    return ", ".join(" / ".join(_plain(number) for number in entry.value) for entry in entries) or "none"


def _plain(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
