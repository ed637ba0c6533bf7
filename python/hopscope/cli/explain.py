"""``hopscope explain FILE``: run a scenario with its airtime ledger and say where the time went."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from hopscope.cli import options, picture
from hopscope.cli.console import note, out, titled
from hopscope.cli.run import announce, report_failures
from hopscope.cli.trusting import asking
from hopscope.errors import InputError, counted

if TYPE_CHECKING:
    from rich.console import Console

    from hopscope.reporting.wording import Grid
    from hopscope.results.accounts import Loss
from hopscope.results import stacks
from hopscope.results.explain import Explanation, PointExplanation

#: More losses and links than these are left to ``--json``.
MAX_ROWS = 12


def command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Scenario file (TOML), or a store whose runs kept their ledgers.")
    ],
    seeds: options.Seeds = None,
    set_: options.Set = None,
    jobs: options.Jobs = None,
    out_: options.Out = None,
    as_json: options.Json = False,
    quick: options.Quick = False,
    no_progress: options.NoProgress = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the shares of each node: .png, .svg or .pdf.")
    ] = None,
    figure_width: options.FigureWidth = None,
    font_size: options.FontSize = None,
    trust: options.Trust = False,
) -> None:
    """Run a scenario and say where the time of nodes, links and packets goes."""
    from hopscope.campaign.nearby import default_out
    from hopscope.io.files import make_way
    from hopscope.reporting.style import styled_as
    from hopscope.running.runner import prepare, run_scenarios

    style = options.parse_style(figure_width, font_size, None, without="" if plot is not None else "--plot FILE")
    if plot is not None:
        picture.check("--plot", plot)
    if file.is_dir():
        asked = (("--seeds", seeds), ("--set", set_), ("--jobs", jobs), ("--out", out_), ("--quick", quick))
        explanation = _stored(file, [option for option, value in asked if value])
        with styled_as(style):
            _show(explanation, plot, as_json=as_json)
        _note_plot(plot)
        return
    changes = {**options.parse_set(set_), "explain": True}
    with asking(trust):
        scenario = prepare(file, seeds=seeds, set=changes, quick=quick, origin="--seeds")
    announce([scenario], jobs)
    if plot is not None:
        make_way(f"--plot {plot}", plot)
    folder = out_ or default_out(scenario)
    [result] = run_scenarios([scenario], jobs=jobs, store=folder, progress=not no_progress)
    if not all(point.runs for point in result.points):
        report_failures(result)
    with styled_as(style):
        _show(result.explain(), plot, as_json=as_json)
    note(f"results: {folder}")
    _note_plot(plot)
    report_failures(result)


def _note_plot(plot: Path | None) -> None:
    if plot is not None:
        note(f"plot: {plot}")


def _show(explanation: Explanation, plot: Path | None, *, as_json: bool) -> None:
    """Prints an explanation, and draws it where a file is named."""
    if plot is not None:
        _draw(explanation, plot)
    if as_json:
        typer.echo(json.dumps(explanation.to_json()))
    else:
        print_explanation(out(), explanation)


def _stored(folder: Path, given: Sequence[str]) -> Explanation:
    """The explanation of the runs of a store.

    Raises:
        InputError: an option is for runs that are still to be done, or the runs kept no ledgers.
    """
    from hopscope.campaign.store import missing, open_store
    from hopscope.results.explain import has_ledger

    if given:
        raise InputError(f"{folder}: is a store, whose runs are as they are; {given[0]} is for a scenario file")
    opened = open_store(folder)
    results = opened.results()
    for problem in [*opened.problems, *missing(results)]:
        note(problem)
    if len(results) > 1:
        raise InputError(f"{folder}: holds {len(results)} scenarios; explain takes one: their report has all")
    if not has_ledger(results[0]):
        raise InputError(
            f"{folder}: its runs kept no airtime ledger; explain = true, or hopscope live --explain, keeps it"
        )
    return results[0].explain()


def print_explanation(console: Console, explanation: Explanation) -> None:
    """Prints tables of nodes, flows, links and losses, and what stands out in words."""
    from rich.text import Text

    from hopscope.scenario.sweep import in_words

    scenario = explanation.result.scenario
    for line in stacks.sentences(explanation.result):
        console.print(Text(line))
    console.print(Text(f"{titled(scenario)}, {counted(scenario.seeds, 'seed')}", style="bold"))
    for point in explanation.points:
        if point.set:
            console.print(Text(f"\n{in_words(point.set)}", style="bold"))
        for grid in _grids(point):
            if grid.rows:
                _print_grid(console, grid)
        for sentence in point.sentences():
            console.print(Text(sentence))


def print_nodes(console: Console, explanation: Explanation) -> None:
    """Prints where the time of nodes went, and the first thing that stands out: in short what all tables say."""
    from rich.text import Text

    from hopscope.reporting.tables import ledger_grid

    for point in explanation.points:
        _print_grid(console, ledger_grid(point))
        for sentence in point.sentences()[:1]:
            console.print(Text(sentence))


def _grids(point: PointExplanation) -> list[Grid]:
    from hopscope.reporting.tables import ledger_grid, some_of
    from hopscope.reporting.wording import Column, Grid
    from hopscope.results.stats import interval_text

    every = point.delays[0] if point.delays else ()  # flows over kernels have no accounts
    parts = [part for part in every if any(delay[part].mean for delay in point.delays)]
    delays = Grid(
        [Column("flow", number=True), *(Column(part, number=True) for part in parts)],
        [
            [str(flow), *(interval_text(delay[part].as_dict()) for part in parts)]
            for flow, delay in enumerate(point.delays)
        ],
        "Where the delay of a packet goes (ms)",
    )
    ordered = sorted(point.links, key=lambda link: -link.attempts)[:MAX_ROWS]
    causes = (
        [cause for cause in point.links[0].share if any(link.share[cause].mean for link in ordered)] if ordered else []
    )
    links = Grid(
        [Column("link"), Column("attempts", number=True), *(Column(cause, number=True) for cause in causes)],
        [
            [
                f"{link.source} to {link.target}",
                f"{link.attempts:.0f}",
                *(interval_text(link.share[cause].as_dict()) for cause in causes),
            ]
            for link in ordered
        ],
        f"Where the time of each link goes (%{some_of(len(ordered), len(point.links), 'with most attempts')})",
    )
    packets = Grid(
        [Column("flow", number=True), Column("packets")]
        + [Column(name, number=True) for name in ("sent", "delivered", "lost", "under way", "unconfirmed")],
        [
            [str(flow), kind, *(f"{count:.4g}" for count in _counts(point, flow, kind))]
            for flow, balances in enumerate(point.packets)
            for kind in balances
        ],
        "What became of packets (mean of a run; sent = delivered + lost + under way)",
    )
    losses = _losses(point.losses, "Losses")
    unconfirmed = _losses(point.unconfirmed, "Given up although the next node had them: no losses")
    return [ledger_grid(point), *_qos(point), delays, links, packets, losses, unconfirmed]


def _qos(point: PointExplanation) -> list[Grid]:
    """Of QoS stations: of what their PPDUs consist, and what became of MPDUs; without rows where there are none."""
    from hopscope.reporting.tables import some_of
    from hopscope.reporting.wording import Column, Grid

    busiest = sorted(point.ppdus.items(), key=lambda found: -found[1].ppdus)[:MAX_ROWS]
    ppdus = Grid(
        [
            Column(name, number=True)
            for name in (
                "node",
                "PPDUs",
                "MPDUs in one",
                "packets in one",
                "preamble",
                "packets",
                "headers and filling",
            )
        ],
        [
            [
                str(node),
                f"{found.ppdus:.0f}",
                f"{found.mpdus / found.ppdus:.1f}",
                f"{found.packets / found.ppdus:.1f}",
                *(f"{share:.1f}" for share in (found.preamble_pct, found.payload_pct, found.overhead_pct)),
            ]
            for node, found in sorted(busiest)
        ],
        f"Of what the time of data PPDUs consists (%{some_of(len(busiest), len(point.ppdus), 'that send most')})",
    )
    sending = [link for link in point.links if link.mpdus is not None]
    ordered = sorted(sending, key=lambda link: -(link.mpdus.sent if link.mpdus else 0))[:MAX_ROWS]
    causes = list(dict.fromkeys(lost.cause for link in ordered if link.mpdus for lost in link.mpdus.lost))
    mpdus = Grid(
        [Column("link"), Column("sent", number=True), Column("came", number=True)]
        + [Column(f"lost: {cause}", number=True) for cause in causes],
        [
            [f"{link.source} to {link.target}", f"{link.mpdus.sent:.0f}", f"{link.mpdus.came:.0f}"]
            + [f"{sum(lost.count for lost in link.mpdus.lost if lost.cause == cause):.4g}" for cause in causes]
            for link in ordered
            if link.mpdus is not None
        ],
        f"What became of MPDUs (mean of a run{some_of(len(ordered), len(sending), 'with most MPDUs')})",
    )
    return [ppdus, mpdus]


def _counts(point: PointExplanation, flow: int, kind: str) -> list[float]:
    """What became of the packets of a kind: the balance, and how many of them some node gave up in vain."""
    balance = point.packets[flow][kind]
    in_vain = sum(loss.count for loss in point.unconfirmed if (loss.flow, loss.kind) == (flow, kind))
    return [balance.sent, balance.delivered, balance.lost, balance.under_way, in_vain]


def _losses(losses: Sequence[Loss], caption: str) -> Grid:
    from hopscope.reporting.tables import some_of
    from hopscope.reporting.wording import Column, Grid

    shown = losses[:MAX_ROWS]
    return Grid(
        [Column(name) for name in ("flow", "packets", "hop", "node", "reason", "last attempt", "with")]
        + [Column("count", number=True)],
        [
            [
                str(loss.flow),
                loss.kind,
                str(loss.hop),
                str(loss.node),
                loss.reason,
                loss.cause or "",
                "" if loss.by is None else f"node {loss.by}",
                f"{loss.count:.4g}",
            ]
            for loss in shown
        ],
        f"{caption} (mean of a run{some_of(len(shown), len(losses), 'that are most frequent')})",
    )


def _print_grid(console: Console, grid: Grid) -> None:
    """Prints a table; headings stand in lines of whole words."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from hopscope.reporting.terminal import print_table

    console.print(Text(f"\n{grid.caption}", style="italic"))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for column in grid.columns:
        justify: Literal["left", "right"] = "right" if column.number else "left"
        table.add_column(_in_lines(column.name), justify=justify, vertical="bottom")
    for row in grid.rows:
        table.add_row(*map(Text, row))
    print_table(console, table)


def _in_lines(heading: str) -> str:
    return heading.replace(" ", "\n") if " " in heading else heading.replace("-", "-\n")


def _draw(explanation: Explanation, plot: Path) -> None:
    from hopscope.reporting import plots
    from hopscope.reporting.tables import ledger_charts

    picture.write("--plot", plot, plots.draw(ledger_charts(explanation.result)[0]))
