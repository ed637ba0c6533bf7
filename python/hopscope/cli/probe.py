"""``hopscope probe FILE --method M``: estimates of what a path carries, compared with what it really carries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopscope.cli import options
from hopscope.cli.console import out
from hopscope.cli.trusting import asking
from hopscope.errors import counted

if TYPE_CHECKING:
    from rich.console import Console

    from hopscope.probing import Probing


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Scenario file (TOML), without a sweep.")],
    method: Annotated[
        list[str],
        typer.Option(
            "--method",
            metavar="M",
            help="packet-pair, packet-pair-by-acks, vps, slops, topp, westwood, westwood-by-acks, tibet, tcp-ap, "
            "or all; repeatable.",
        ),
    ],
    from_: Annotated[
        int | None, typer.Option("--from", metavar="NODE", help="Node that sends; default: that of the first flow.")
    ] = None,
    to: Annotated[
        int | None,
        typer.Option(
            "--to", metavar="NODE", help="Node that the probes go to; without both they replace the first flow."
        ),
    ] = None,
    size: Annotated[
        int, typer.Option("--size", metavar="BYTES", help="Bytes of a probe with network header; default: 1500.")
    ] = 1500,
    after: Annotated[
        str | None,
        typer.Option(
            "--after", metavar="T", help="When probing begins; default: 1s after the last other flow started."
        ),
    ] = None,
    seeds: options.Seeds = None,
    set_: options.Set = None,
    as_json: options.Json = False,
    trust: options.Trust = False,
) -> None:
    """Estimate what a path carries."""
    from hopscope.probing import probe
    from hopscope.scenario import units

    begin: float | None = None
    if after is not None:
        try:
            begin = float(units.parse(after, "s"))
        except units.QuantityError as error:
            from hopscope.errors import InputError

            raise InputError(f"--after {after}: expected a time, for example 10s") from error
    with asking(trust):
        found = probe(file, method, ends=(from_, to), size=size, seeds=seeds, after=begin, set=options.parse_set(set_))
    if as_json:
        typer.echo(json.dumps(found.to_json()))
    else:
        print_probing(out(), found)


def print_probing(console: Console, found: Probing) -> None:
    """Prints what each method estimates, with its error."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from hopscope.reporting.terminal import print_table
    from hopscope.results.stats import interval_text

    path = found.path
    seeds = len({run.seed for run in found.runs})
    console.print(
        Text(
            f"{path.scenario.title}: node {path.ends[0]} to node {path.ends[1]}, {path.size}-byte packets", style="bold"
        )
    )
    others = counted(path.others, "other flow")
    console.print(
        f"with {others}, probed from {path.begin:g} s on; mean and 95 % interval over {counted(seeds, 'seed')}"
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("method", "capacity (kbit/s)", "error (%)", "available (kbit/s)", "error (%)", "probes", "seconds"):
        table.add_column(name, justify="left" if name == "method" else "right")
    real = [interval_text(_thousandth(found.truth(what).as_dict())) for what in ("capacity", "available")]
    table.add_row("the path itself", real[0], "", real[1], "", "", "")
    missing = []
    for name in found.methods:
        runs = found.of(name)
        cells = []
        for what in ("capacity", "available"):
            cells.append(interval_text(_thousandth(found.summary(name, what).as_dict()), len(runs)))
            cells.append(interval_text(found.summary(name, f"{what}_error").as_dict()))
        packets, seconds = (sum(getattr(run, what) for run in runs) / len(runs) for what in ("packets", "seconds"))
        table.add_row(name, *("" if cell == "-" else cell for cell in cells), f"{packets:.0f}", f"{seconds:.0f}")
        missing += [f"{name}, seed {run.seed}: {run.why}" for run in runs if run.estimate is None]
    print_table(console, table)
    for line in missing:
        console.print(Text(line))


def _thousandth(reported: dict[str, float | int | None]) -> dict[str, float | int | None]:
    """An interval of bit/s in kbit/s."""
    return {name: value if name == "n" or value is None else value / 1e3 for name, value in reported.items()}
