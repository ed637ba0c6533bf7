"""Options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hopscope.cli import completing
from hopscope.errors import InputError

if TYPE_CHECKING:
    from hopscope.reporting.style import FigureStyle
    from hopscope.results.captured import Choice

Seeds = Annotated[int | None, typer.Option("--seeds", metavar="N", min=1, help="Replications: seeds seed .. seed+N-1.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        autocompletion=completing.assignments,
        help="Change a dotted key, e.g. flow.0.max_window=3; repeatable.",
    ),
]
Sweep = Annotated[
    list[str] | None,
    typer.Option("--sweep", metavar="KEY=VALUES", help='Vary a dotted key: 1..32, "1..32 by 4" or 1,2,4; repeatable.'),
]
Jobs = Annotated[int | None, typer.Option("--jobs", metavar="N", min=1, help="Runs at a time; default: all cores.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Result store; finished runs in it are kept.")]
Json = Annotated[bool, typer.Option("--json", metavar="", help="Print the result as JSON and nothing else.")]
Quick = Annotated[
    bool,
    typer.Option("--quick", metavar="", help="Shorter runs, and as many seeds as stay cheap (--seeds N: so many)."),
]
NoProgress = Annotated[bool, typer.Option("--no-progress", metavar="", help="No progress bar.")]
Shard = Annotated[
    str | None,
    typer.Option("--shard", metavar="I/N", help="Do every N-th run from the I-th on; shards share one --out."),
]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask", metavar="ADDRESS", help="Do the runs on the workers of this Dask scheduler, e.g. tcp://HOST:8786."
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        metavar="NAME",
        autocompletion=completing.metrics,
        help="What to show: delay_p99_ms of every flow, network.jain, flow.0.delay_ms, group.G.NAME; repeatable.",
    ),
]
Sort = Annotated[str | None, typer.Option("--sort", metavar="NAME", help="Order rows by a swept key or a metric.")]
Descending = Annotated[bool, typer.Option("--descending", metavar="", help="Largest first.")]
Write = Annotated[
    list[Path] | None,
    typer.Option(
        "--write",
        metavar="FILE",
        help="Write the table there instead: .csv, .md, .tex (booktabs) or .parquet; repeatable.",
    ),
]
Trust = Annotated[
    bool,
    typer.Option(
        "--trust", metavar="", help="Run the code that a scenario or study names, wherever it lies; see SECURITY.md."
    ),
]


def stored(text: str) -> Path:
    """The store or file that a word means; `last` is the newest store."""
    from hopscope.campaign.nearby import store_meant

    return store_meant(text)


Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="COLUMN=NAME",
        help="The key or metric that a column of a measured file holds, - for none; repeatable.",
    ),
]
Stored = Annotated[
    Path,
    typer.Argument(
        metavar="STORE",
        parser=stored,
        autocompletion=completing.stores,
        help="Folder that a run has written; last: the newest.",
    ),
]
Source = Annotated[
    Path,
    typer.Argument(
        metavar="FILE|STORE", parser=stored, help="Scenario file (TOML), or a result store; last: the newest."
    ),
]
Picture = Annotated[
    Path, typer.Option("--out", metavar="FILE", help="The picture: .html, which can be zoomed, or .svg.")
]
Point = Annotated[
    str, typer.Option("--point", metavar="POINT", help="Point of the sweep, by its number from 0 or as KEY=VALUE.")
]
Seed = Annotated[int | None, typer.Option("--seed", metavar="S", help="Seed; default: the first of the scenario.")]
OfNode = Annotated[
    list[int] | None, typer.Option("--node", metavar="N", min=0, help="Only what happens at this node; repeatable.")
]
OfFlow = Annotated[
    list[int] | None, typer.Option("--flow", metavar="F", min=0, help="Only what belongs to this flow; repeatable.")
]
From = Annotated[str | None, typer.Option("--from", metavar="TIME", help='First instant, such as "1.2s".')]
To = Annotated[str | None, typer.Option("--to", metavar="TIME", help="Last instant; the run ends there.")]
TraceNs2 = Annotated[
    Path | None,
    typer.Option(
        "--trace-ns2",
        metavar="FILE",
        help="Write the lines that ns-2 traces have; .gz and .zst compress; one file for each run.",
    ),
]
Ns2Format = Annotated[
    Literal["old", "new"], typer.Option("--ns2-format", help="Which wireless format of ns-2; wires have their own.")
]
PcapNode = Annotated[int | None, typer.Option("--node", metavar="N", min=0, help="Capture this node alone.")]
PcapFlow = Annotated[
    int | None,
    typer.Option("--flow", metavar="F", min=0, help="Capture packets of this flow alone, and the frames around them."),
]
PcapRadio = Annotated[bool, typer.Option("--radio", metavar="", help="Capture radios alone: frames of 802.11.")]
PcapHost = Annotated[bool, typer.Option("--host", metavar="", help="Capture hosts alone: IP packets.")]
PcapLost = Annotated[
    bool, typer.Option("--lost", metavar="", help="Capture what was lost, too, each with a comment that says why.")
]
PcapMonitor = Annotated[
    bool,
    typer.Option("--monitor", metavar="", help="Capture frames for others, too, as far as a radio could read them."),
]
FigureWidth = Annotated[
    str | None,
    typer.Option("--figure-width", metavar="WIDTH", help="Figures for a paper: single, double (columns) or inches."),
]
FontSize = Annotated[
    float | None,
    typer.Option("--font-size", metavar="POINTS", help="Letters of figures; default: 10, with --figure-width 8."),
]
LogAxes = Annotated[
    Literal["x", "y", "xy"] | None,
    typer.Option("--log", help="Logarithmic axes of curves, where all their numbers are above zero."),
]
Force = Annotated[bool, typer.Option("--force", metavar="", help="Replace files that are there.")]


def parse_choice(
    node: int | None,
    flow: int | None,
    *,
    radio: bool = False,
    host: bool = False,
    lost: bool = False,
    monitor: bool = False,
) -> Choice:
    """Reads the options of a capture; both layers where neither is named."""
    from hopscope.results.captured import Choice

    return Choice(node, flow, radio=radio or not host, host=host or not radio, lost=lost, monitor=monitor)


def parse_set(items: list[str] | None) -> dict[str, Any]:
    """Reads ``--set`` options; the last of equal keys counts.

    Raises:
        InputError: an item is no ``key=value``.
    """
    from hopscope.scenario.sweep import parse_set as parse_one

    return dict(parse_one(item) for item in items or [])


def parse_sweep(items: list[str] | None) -> dict[str, Any]:
    """Reads ``--sweep`` options: key -> the values that it takes.

    Raises:
        InputError: an item is no ``key=values``, or its values cannot be read.
    """
    from hopscope.scenario.spreading import values_of

    found = {}
    for item in items or []:
        key, equals, text = item.partition("=")
        if not equals or not key.strip():
            raise InputError(f'--sweep {item}: expected key=values, for example "flow.0.max_window=1..32"')
        try:
            found[key.strip()] = values_of(text)
        except ValueError as error:
            raise InputError(f"--sweep {item}: {error}") from error
    return found


def parse_map(items: list[str] | None) -> dict[str, str]:
    """Reads ``--map`` options: name of a column -> key or metric.

    Raises:
        InputError: an item is no ``column=name``.
    """
    found = {}
    for item in items or []:
        column, equals, name = item.rpartition("=")
        if not equals or not column.strip() or not name.strip():
            raise InputError(f'--map {item}: expected COLUMN=KEY or COLUMN=METRIC, for example "rate=throughput_kbps"')
        found[column.strip()] = name.strip()
    return found


def parse_style(
    width: str | None, font: float | None, log: Literal["x", "y", "xy"] | None, *, without: str = ""
) -> FigureStyle:
    """Reads what a paper asks of figures.

    Args:
        width: ``--figure-width``.
        font: ``--font-size``.
        log: ``--log``.
        without: what the user would have to give for a figure; empty: one is drawn.

    Raises:
        InputError: a width or a size of letters that cannot be drawn, or any of them where nothing is drawn.
    """
    from hopscope.reporting.style import read

    if without:
        for option, value in (("--figure-width", width), ("--font-size", font), ("--log", log)):
            if value is not None:
                given = f"{value:g}" if isinstance(value, float) else value
                raise InputError(f"{option} {given}: is for a figure, which comes with {without}")
    return read(width, font, log or "")


def parse_shard(text: str | None) -> tuple[int, int] | None:
    """Reads ``--shard i/n``.

    Raises:
        InputError: not of that form, or i is not within 1..n.
    """
    if text is None:
        return None
    index, slash, count = text.partition("/")
    if slash and index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count):
        return int(index), int(count)
    raise InputError(f'--shard {text}: expected i/n with 1 <= i <= n, for example "1/4"')
