"""The table of a result in the terminal: one row a point and flow, each metric as mean ± 95 % interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from hopscope.cli.console import full_width, note, titled
from hopscope.io.files import make_folder, not_written, write_whole
from hopscope.reporting import listing
from hopscope.reporting.axis import missing_unit
from hopscope.reporting.terminal import print_table
from hopscope.results import PointResult, Result, stacks
from hopscope.results.metrics import Metric
from hopscope.results.points import point_words
from hopscope.results.remarks import others, remarks
from hopscope.results.stats import interval_text, number
from hopscope.scenario.sweep import written

if TYPE_CHECKING:
    from rich.console import Console

#: More remarks than these are counted, not printed.
MAX_NOTES = 8

#: Of more rows of flows than these, over all points, a point shows those of all flows together and of its groups.
MAX_FLOWS = 60


def print_result(console: Console, result: Result) -> None:
    """Prints the table of a result and what stands out in it.

    On a narrow terminal columns that are the same in every row leave the table for a line below it, then the last ones
    are left out, by name.
    """
    for line in stacks.sentences(result):
        console.print(Text(line))
    wanted = [metric for metric in listing.default_metrics(result) if listing.has_samples(result, metric)]
    shown = list(wanted)
    table = _table(result, shown)
    if full_width(console, table) > console.width:
        shown = [metric for metric in wanted if not _is_constant(result, metric)] or wanted[:1]
        table = _table(result, shown)
    same = [metric for metric in wanted if metric not in shown]
    left_out: list[str] = []
    while len(shown) > 1 and full_width(console, table) > console.width:
        left_out.insert(0, shown.pop().short)
        table = _table(result, shown)
    print_table(console, table, keep=len(result.scenario.axes) + 1)
    if _is_folded(result):
        most = max(len(point.runs[0]["flows"]) for point in result.points if point.runs)
        text = f"(up to {most} flows a point, not one by one: hopscope show STORE --metric {wanted[0].name} lists them)"
        console.print(Text(text))
    if same:
        console.print(Text(f"(the same in every row: {', '.join(_constant(result, metric) for metric in same)})"))
    if left_out:
        console.print(Text(f"(a wider terminal also shows: {', '.join(left_out)})"))
    _print_heat_map(console, result)
    for line in [*_notes(result), *others(result)]:
        console.print(Text(line))


def _print_heat_map(console: Console, result: Result) -> None:
    """Of a sweep over two keys: the answer over both, and the best of each row and column in words."""
    if len(result.scenario.axes) < 2:
        return
    from hopscope.reporting import heatmap

    maps = heatmap.of_result(result)
    if maps:
        from hopscope.reporting.tables import headline

        print_table(console, heatmap.terminal(maps[0]))
        console.print(Text(heatmap.MARKS))
        for line in [*headline(result), *heatmap.sentences(result)]:
            console.print(Text(line))


def print_listing(
    console: Console,
    results: Sequence[Result],
    names: Sequence[str] | None,
    *,
    sort: str | None,
    descending: bool,
) -> None:
    """Prints chosen metrics, all of them however wide the terminal."""
    found = listing.listing(results, listing.chosen(results, names), sort=sort, descending=descending)
    grid = found.grid()
    table = Table(title=Text(titled(results[0].scenario)), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in grid.columns:
        table.add_column(Text(column.name), justify="right" if column.number else "left", no_wrap=True)
    for row in grid.rows:
        table.add_row(*map(Text, row))
    console.width = max(console.width, full_width(console, table))
    console.print(table)
    for text in dict.fromkeys(text for result in results for text in remarks(result)):
        console.print(Text(text))


def check_files(files: Sequence[Path] | None) -> None:
    """Refuses files whose ending names no format, before anything else is done."""
    for path in files or []:
        listing.check_format("--write", path)


def write_files(
    results: Sequence[Result], files: Sequence[Path], names: Sequence[str] | None, *, sort: str | None, descending: bool
) -> None:
    """Writes the table of chosen metrics.

    Raises:
        InputError: a place that cannot be written, a metric or column that is not there.
        RunFailed: the disk is full.
    """
    found = listing.listing(results, listing.chosen(results, names), sort=sort, descending=descending)
    for path in files:
        try:
            make_folder(path.parent)
            write_whole(path, listing.document(found, path.suffix.lower()))
        except OSError as error:
            raise not_written(f"--write {path}: cannot be written", error) from error
        note(f"table: {path}")


def print_fair(console: Console, result: Result, rows: Sequence[Mapping[str, Any]]) -> None:
    """Prints what criteria of fairness would give each flow, and what it had."""
    from hopscope.results.fairness import CRITERIA

    title = f"Fair shares of throughput (kbit/s): {titled(result.scenario)}"
    table = Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    heads = ["point", "flow", "hops", "measured", *(heading for _, heading, _ in CRITERIA), "measured /\nmax-min"]
    for index, head in enumerate(heads):
        table.add_column(Text(head), justify="left" if index == 1 else "right", no_wrap=True)
    for row in rows:
        values = [row["measured_kbps"], *(row[f"{name}_kbps"] for name, _, _ in CRITERIA)]
        cells = ["-" if value is None else number(value) for value in values]
        ratio = "-" if row["of_max_min"] is None else f"{row['of_max_min']:.2f}"
        flow = f"{row['flow']}: {row['from']} to {row['to']}"
        table.add_row(*(Text(cell) for cell in (str(row["point"]), flow, str(row["hops"]), *cells, ratio)))
    print_table(console, table, keep=2)


def _table(result: Result, shown: list[Metric]) -> Table:
    table = Table(title=Text(titled(result.scenario)), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    swept = list(result.scenario.axes)
    for key, values in result.scenario.axes.items():
        table.add_column(Text(f"{key}\n{missing_unit(key, values)}"), justify="right", no_wrap=True)
    table.add_column("flow", no_wrap=True)
    for metric in shown:
        table.add_column(f"{metric.short}\n{metric.unit}", justify="right", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    several, folded = listing.has_several(result), _is_folded(result)
    for point in result.points:
        labels = [written(point.set[key]) for key in swept]
        failed = any(failure.point == point.index for failure in result.failures)
        for cells in _rows(point, shown, several, failed=failed, folded=folded):
            table.add_row(*(Text(cell) for cell in (*labels, *cells)))
            labels = [""] * len(swept)
    return table


def _is_constant(result: Result, metric: Metric) -> bool:
    """Whether a metric does not vary, neither between rows nor over the seeds."""
    cells = set(listing.intervals(result, metric))
    return len(cells) == 1 and all(
        entry["min"] == entry["max"]
        for point in result.points
        for name, entry in point.summary.items()
        if name.startswith("flow.") and name.endswith(f".{metric.name}")
    )


def _constant(result: Result, metric: Metric) -> str:
    """A metric that does not vary, with its value."""
    cell = next(listing.intervals(result, metric)).partition(" ±")[0]
    return f"{metric.short} {cell}{' ' + metric.unit if metric.unit else ''}"


def _is_folded(result: Result) -> bool:
    """Whether there are so many flows that their rows would hide what the sweep reports."""
    flows = [len(point.runs[0]["flows"]) for point in result.points if point.runs]
    return sum(flows) > MAX_FLOWS and max(flows) > 1


def _rows(point: PointResult, shown: list[Metric], several: bool, *, failed: bool, folded: bool) -> Iterator[list[str]]:
    if not point.runs:
        yield ["every run failed" if failed else "no run yet", *([""] * len(shown)), "0"]
        return
    flows, n = point.runs[0]["flows"], point.samples_a_metric
    for flow in [] if folded and len(flows) > 1 else flows:
        prefix = f"flow.{flow['id']}."
        cells = [interval_text(point.summary.get(prefix + metric.name), n) for metric in shown]
        label = f"{flow['id']}: {flow['from']} to {flow['to']} {flow['transport']}"
        yield [label, *cells, str(n)]
    for group, about in point.runs[0].get("groups", {}).items():
        prefix = f"group.{group}."
        cells = [interval_text(point.summary.get(prefix + metric.total)) if metric.total else "" for metric in shown]
        jain = f" (Jain {interval_text(point.summary.get(f'{prefix}jain'))})" if len(about["flows"]) > 1 else ""
        yield [f"group {group}{jain}", *cells, str(n)]
    if several and len(flows) > 1:
        jain = interval_text(point.summary.get("network.jain"))
        total = interval_text(point.summary.get("network.aggregate_kbps"))
        filled = [total if metric.total == "aggregate_kbps" else "" for metric in shown]
        count = f" {len(flows)}" if folded else ""
        yield [f"all{count} (Jain {jain})", *filled, str(n)]


def _notes(result: Result) -> Iterator[str]:
    """What the engine has to say about flows, once a point and flow."""
    notes = [
        f"{point_words(point.index, point.set)}, flow {flow}, seed {seed}: {note}"
        for point in result.points
        for flow, (seed, note) in sorted(point.notes.items())
    ]
    yield from notes[:MAX_NOTES]
    if len(notes) > MAX_NOTES:
        yield f"... and {len(notes) - MAX_NOTES} more; all stand in the note column of flows.parquet"
