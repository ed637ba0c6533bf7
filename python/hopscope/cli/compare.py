"""``hopscope compare A B``: is the one better than the other, by how much, and is the difference beyond noise."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopscope.cli import completing, options
from hopscope.cli.console import note, out
from hopscope.cli.trusting import asking
from hopscope.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from hopscope.results import Result
    from hopscope.results.contrasts import Contrasts, Side
    from hopscope.results.measured import Measured
    from hopscope.scenario import Scenario

#: Endings of files that hold measurements.
MEASURED = (".csv", ".tsv")

#: What a quick run leaves out of its figures.
NO_PDF = "figures of a quick run have no PDF; --figure-width writes it"


def command(
    first: Annotated[
        str,
        typer.Argument(
            metavar="A", help="A store or a scenario file; A:KEY=VALUE,... takes points of a store or changes a file."
        ),
    ],
    second: Annotated[
        str | None,
        typer.Argument(
            metavar="[B]",
            help="What A is set against, or your own measurements: FILE.csv; not needed with --by KEY.",
            show_default=False,
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="What to compare: flow.0.delay_ms, network.jain, or delay_ms of every flow; repeatable; default: "
            "throughput, delay and loss.",
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="KEY[=V1,V2...]",
            autocompletion=completing.assignments,
            help="With A alone: set the values of a key against the first of them. With B: one comparison a value.",
        ),
    ] = None,
    map_: options.Map = None,
    figure: Annotated[
        Path | None, typer.Option("--figure", metavar="FILE", help="Write the figure there too: .png, .svg or .pdf.")
    ] = None,
    seeds: options.Seeds = None,
    set_: options.Set = None,
    jobs: options.Jobs = None,
    out_: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Where runs, page and figures go.")] = None,
    report: Annotated[bool, typer.Option("--report", metavar="", help="Write a page with figures, too.")] = False,
    as_json: options.Json = False,
    quick: options.Quick = False,
    no_progress: options.NoProgress = False,
    figure_width: options.FigureWidth = None,
    font_size: options.FontSize = None,
    log: options.LogAxes = None,
    trust: options.Trust = False,
) -> None:
    """Compare two stores, scenario files, or points of a sweep."""
    from hopscope.cli import picture
    from hopscope.cli.run import announce, note_other_runs, report_failures_of
    from hopscope.io.extras import need
    from hopscope.reporting.style import styled_as
    from hopscope.results.against import against
    from hopscope.results.contrasts import across, contrasts
    from hopscope.results.measured import read
    from hopscope.results.remarks import remarks
    from hopscope.running.runner import run_scenarios

    if report:
        need("jinja2", "matplotlib")
    if figure is not None:
        picture.check("--figure", figure)
    without = "" if report or figure is not None else "--report or --figure FILE"
    style = options.parse_style(figure_width, font_size, log, without=without)
    key, values = _key(by)
    file = Path(second) if second is not None and Path(second).suffix.lower() in MEASURED else None
    if file is not None:
        if by is not None:
            raise InputError(f"--by {by}: goes with two sides of runs; {file} holds measurements")
        second = None
    elif map_:
        raise InputError("--map: is for the columns of a file of measurements, FILE.csv in place of B")
    if second is None and key is None and file is None:
        raise InputError("one side alone: name the other one, or a key whose values are compared: --by KEY")
    if second is not None and values is not None:
        raise InputError(f"--by {by}: with two sides, --by names a key that both sweep, without values")
    with asking(trust):
        sides = [
            _Given.read(text, options.parse_set(set_), seeds=seeds, quick=quick, axis=(key, values))
            for text in (first, second)
            if text is not None
        ]
    if second is None and values is None and file is None:
        _check_swept(sides[0], str(key))
    measured = None if file is None else read(file, sides[0].of, options.parse_map(map_))
    _same_seeds(sides, seeds)
    folder = out_ or _default_out(sides, by if file is None else str(file))
    scenarios = [side.scenario for side in sides if side.scenario is not None]
    results: list[Result] = []
    if scenarios:
        announce(scenarios, jobs)
        title = f"compare {', '.join(dict.fromkeys(scenario.title for scenario in scenarios))}"
        results = run_scenarios(scenarios, jobs=jobs, store=folder, progress=not no_progress, label=title)
    failures = [failure for result in results for failure in result.failures]
    if failures and not any(point.runs for result in results for point in result.points):
        report_failures_of(failures, finished=False)
    ran = iter(results)
    found_sides = [side.side(next(ran) if side.scenario is not None else None) for side in sides]
    if measured is not None:
        found = against(found_sides[0], measured, metrics)
    elif second is None:
        found = across(found_sides[0].result, str(key), metrics, values=values)
    else:
        found = contrasts(found_sides[0], found_sides[1], metrics, by=key)
    limits: dict[str, list[str]] = {}
    for side in found_sides:
        for text in remarks(side.result):
            limits.setdefault(text, []).append(side.name)
    of_all = len(found_sides)
    found.remarks += [text if len(of) == of_all else f"{', '.join(of)}: {text}" for text, of in limits.items()]
    page, short = None, any(side.result.scenario.is_quick for side in found_sides)
    with styled_as(style):
        if report:
            own = None if measured is None else (sides[0].stored or results[0], measured)
            page = _page(found, folder, own, quick=short)
        if figure is not None:
            from hopscope.reporting import contrasts as drawn

            picture.write("--figure", figure, drawn.figure(found))
    if as_json:
        typer.echo(json.dumps(found.to_json()))
    else:
        _print(found)
    if page is not None:
        note(f"page and figures: {page}")
        if short and style.width is None:
            note(NO_PDF)
    if scenarios:
        note(f"results: {folder}")
        note_other_runs(folder)
    report_failures_of(failures, finished=True)


# --- The sides ------------------------------------------------------------------------------------------------------


@dataclass
class _Given:
    """A side as the user gave it: a scenario to run, or a store that was opened.

    Attributes:
        name: what the user called it.
        chosen: swept values that its points must have.
        scenario: what is run; None for a store.
        stored: the result of a store.
    """

    name: str
    chosen: dict[str, Any]
    scenario: Scenario | None = None
    stored: Result | None = None

    @classmethod
    def read(
        cls, text: str, changes: dict[str, Any], *, seeds: int | None, quick: bool, axis: tuple[str | None, Any]
    ) -> _Given:
        """Reads ``PATH`` or ``PATH:KEY=VALUE,...``."""
        path, chosen = _split(text)
        named = [f"{key} = {value}" if len(chosen) == 1 else str(value) for key, value in chosen.items()]
        name = named[0] if named else _stem(path)  # of several the first: it is what the user thought of first
        if path.is_dir():
            if changes or quick or seeds is not None:
                raise InputError(
                    f"{path}: is a store of finished runs; --set, --seeds and --quick are for scenario files"
                )
            if axis[1] is not None:
                _check_values(path, *axis)
            return cls(name, chosen, stored=_stored(path))
        from hopscope.running.runner import COMMAND_SEEDS, prepare

        key, values = axis
        scenario = prepare(
            path,
            seeds=seeds,
            set={**changes, **chosen},
            quick=quick,
            origin="--seeds",
            usual_seeds=COMMAND_SEEDS,
            sweep={} if key is None or values is None else {key: values},
            swept_by="--by",
        )
        return cls(name, {}, scenario=scenario)

    @property
    def of(self) -> Scenario:
        """What is run, or was."""
        if self.scenario is not None:
            return self.scenario
        assert self.stored is not None
        return self.stored.scenario

    def side(self, ran: Result | None) -> Side:
        """The side with its runs: those just made, or those of the store."""
        from hopscope.results.contrasts import Side

        result = ran or self.stored
        assert result is not None
        points = [point for point in result.points if all(point.set.get(k) == v for k, v in self.chosen.items())]
        if not points:
            known = ", ".join(result.scenario.axes) or "nothing"
            words = ", ".join(f"{key} = {value}" for key, value in self.chosen.items())
            raise InputError(f"{result.scenario.title}: no point has {words}; it sweeps {known}")
        return Side(self.name, result, points, is_named=False)


def _split(text: str) -> tuple[Path, dict[str, Any]]:
    """A path and what follows it behind a colon; a path that is there is taken whole; `last` is the newest store."""
    from hopscope.campaign.nearby import LAST, store_meant
    from hopscope.scenario.spreading import parts_of
    from hopscope.scenario.sweep import parse_set

    first, colon, rest = text.partition(":")
    if first == LAST:
        text = f"{store_meant(LAST)}{colon}{rest}"
    path, colon, rest = text.partition(":")
    while colon and not Path(path).exists():
        more, colon, rest = rest.partition(":")
        path = f"{path}:{more}"
    if Path(text).exists() or not colon:
        return Path(text), {}
    return Path(path), dict(parse_set(part) for part in parts_of(rest))


def _key(by: str | None) -> tuple[str | None, list[Any] | None]:
    """A key, and the values given for it."""
    from hopscope.scenario.spreading import values_of

    key, equals, text = (by or "").partition("=")
    if not equals:
        return (key.strip() or None), None
    try:
        values = values_of(text)
    except ValueError as error:
        raise InputError(f"--by {by}: {error}") from error
    if len(values) < 2:
        raise InputError(f'--by {by}: expected at least two values, such as "flow.0.transport=tcp-cubic,tcp-newreno"')
    return key.strip(), values


def _check_swept(side: _Given, key: str) -> None:
    """A key without values must be one that is swept; nothing has run yet."""
    scenario = side.of
    if key in scenario.axes:
        return
    swept = f"it sweeps {', '.join(scenario.axes)}" if scenario.axes else "nothing is swept"
    hint = f'; name the values to compare: --by "{key}=VALUE,VALUE"' if side.scenario is not None else ""
    raise InputError(f'{side.name}: "{key}" is not swept{did_you_mean(key, scenario.axes)}; {swept}{hint}')


def _check_values(path: Path, key: str | None, values: Sequence[Any]) -> None:
    """The values that --by names must have been run."""
    there = _stored(path).scenario.axes
    if key not in there:
        raise InputError(
            f'{path}: "{key}" is not swept{did_you_mean(key, there)}; it sweeps {", ".join(there) or "nothing"}'
        )
    if absent := [str(value) for value in values if value not in there[str(key)]]:
        raise InputError(
            f"{path}: {key} was not run at {', '.join(absent)}; it has {', '.join(map(str, there[str(key)]))}"
        )


def _stored(path: Path) -> Result:
    """The result of a store of one scenario."""
    from hopscope.campaign.store import open_store

    opened = open_store(path)
    results = opened.results()
    for problem in opened.problems:
        note(problem)
    if len(results) != 1:
        titles = "; ".join(result.scenario.title for result in results[:4])
        raise InputError(f"{path}: holds {len(results)} scenarios ({titles}); a side is one scenario")
    return results[0]


def _same_seeds(sides: list[_Given], seeds: int | None) -> None:
    """A file set against a store is run with the seeds of the store, unless it or the user says otherwise."""
    stored = next((side.stored for side in sides if side.stored is not None), None)
    if stored is None or seeds is not None:
        return
    for side in sides:
        if side.scenario is not None:
            like = {"seed": stored.scenario.seed, "seeds": stored.scenario.seeds}
            side.scenario = side.scenario.replace(like)


def _stem(path: Path) -> str:
    """A short name of a side."""
    return path.stem if path.suffix == ".toml" else path.name


def _default_out(sides: Sequence[_Given], by: str | None) -> Path:
    """A folder of its own for each comparison."""
    from hopscope.campaign.nearby import FOLDER

    documents = [{} if side.scenario is None else side.scenario.standalone() for side in sides]
    for document in documents:
        document.pop("seeds", None)
    reported = [[side.name, side.chosen] for side in sides], documents
    text = json.dumps([reported, by], sort_keys=True, default=str)
    stem = "-".join(side.scenario.title if side.scenario is not None else side.name for side in sides)
    slug = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")[:48].strip("-") or "sides"
    return FOLDER / f"compare-{slug}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


# --- What is reported ------------------------------------------------------------------------------------------------


def _print(found: Contrasts) -> None:
    """The verdicts, then the table, then what to know of them."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from hopscope.reporting import contrasts as reported
    from hopscope.reporting.terminal import print_table

    console = out()
    console.print(Text(found.title, style="bold"))
    for line in reported.sentences(found):
        console.print(Text(f"  {line}"))
    grid = reported.grid(found)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in grid.columns:
        table.add_column(Text(column.name), justify="right" if column.number else "left")
    for row in grid.rows:
        table.add_row(*map(Text, row))
    print_table(console, table)


def _page(found: Contrasts, folder: Path, own: tuple[Result, Measured] | None, *, quick: bool) -> Path:
    """Writes the page of a comparison with its figures."""
    from hopscope.reporting import contrasts as reported
    from hopscope.reporting import measured
    from hopscope.reporting.page import comparison, write_page

    charts = reported.charts(found) if own is None else measured.charts(found, *own)
    section = comparison(found, folder, charts, heading="", quick=quick)
    context = {"title": found.title, "comparison": section, "quick": quick, "paired": found.is_paired}
    return write_page(folder / "compare.html", "compare.html.j2", context)
