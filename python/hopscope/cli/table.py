"""The table of a result in the terminal: one row a point and flow, each metric as mean ± 95 % interval."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from hopscope.cli.console import full_width, titled
from hopscope.report.axis import missing_unit
from hopscope.results import PointResult, Result, metrics
from hopscope.results.metrics import Metric
from hopscope.results.remarks import remarks
from hopscope.results.result import point_words
from hopscope.results.stats import interval_text
from hopscope.scenario.sweep import written

if TYPE_CHECKING:
    from rich.console import Console

#: More remarks than these are counted, not printed.
MAX_NOTES = 8


def print_result(console: Console, result: Result) -> None:
    """Prints the table of a result and what stands out in it; on a narrow terminal the last columns are left out."""
    flows = [flow for point in result.points for run in point.runs[:1] for flow in run["flows"]]
    has_tcp = any(flow["transport"].startswith("tcp") for flow in flows)
    several = _has_several(result)
    there = {"always": True, "tcp": has_tcp, "several": several}
    wanted = [metric for metric in metrics.shown("flow", "terminal") if there[metric.applies]]
    shown = list(wanted)
    table = _table(result, shown)
    while len(shown) > 1 and full_width(console, table) > console.width:
        shown.pop()
        table = _table(result, shown)
    console.print(table)
    if left_out := [metric.short for metric in wanted[len(shown) :]]:
        console.print(Text(f"(a wider terminal also shows: {', '.join(left_out)})"))
    for line in [*_notes(result), *remarks(result)]:
        console.print(Text(line))


def _table(result: Result, shown: list[Metric]) -> Table:
    table = Table(title=Text(titled(result.scenario)), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    swept = list(result.scenario.axes)
    for key, values in result.scenario.axes.items():
        table.add_column(Text(f"{key}\n{missing_unit(key, values)}"), justify="right", no_wrap=True)
    table.add_column("flow", no_wrap=True)
    for metric in shown:
        table.add_column(f"{metric.short}\n{metric.unit}", justify="right", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    several = _has_several(result)
    for point in result.points:
        labels = [written(point.set[key]) for key in swept]
        failed = any(failure.point == point.index for failure in result.failures)
        for cells in _rows(point, shown, several, failed=failed):
            table.add_row(*(Text(cell) for cell in (*labels, *cells)))
            labels = [""] * len(swept)
    return table


def _has_several(result: Result) -> bool:
    return any(len(run["flows"]) > 1 for point in result.points for run in point.runs[:1])


def _rows(point: PointResult, shown: list[Metric], several: bool, *, failed: bool) -> Iterator[list[str]]:
    if not point.runs:
        yield ["every run failed" if failed else "no run yet", *([""] * len(shown)), "0"]
        return
    for flow in point.runs[0]["flows"]:
        prefix = f"flow.{flow['id']}."
        cells = [interval_text(point.summary.get(prefix + metric.name), len(point.runs)) for metric in shown]
        label = f"{flow['id']}: {flow['from']} to {flow['to']} {flow['transport']}"
        yield [label, *cells, str(len(point.runs))]
    for group in point.runs[0].get("groups", {}):
        prefix = f"group.{group}."
        cells = [interval_text(point.summary.get(prefix + metric.total)) if metric.total else "" for metric in shown]
        jain = interval_text(point.summary.get(f"{prefix}jain"))
        yield [f"group {group} (Jain {jain})", *cells, str(len(point.runs))]
    if several:
        jain = interval_text(point.summary.get("network.jain"))
        total = interval_text(point.summary.get("network.aggregate_kbps"))
        filled = [total if metric.total == "aggregate_kbps" else "" for metric in shown]
        yield [f"all (Jain {jain})", *filled, str(len(point.runs))]


def _notes(result: Result) -> Iterator[str]:
    """What the engine has to say about flows, once a point and flow."""
    notes = {
        (point.index, flow["id"]): (
            f"{point_words(point.index, point.set)}, flow {flow['id']}, seed {run['seed']}: {flow['note']}"
        )
        for point in result.points
        for run in reversed(point.runs)
        for flow in run["flows"]
        if flow.get("note")
    }
    yield from list(notes.values())[:MAX_NOTES]
    if len(notes) > MAX_NOTES:
        yield f"... and {len(notes) - MAX_NOTES} more; all stand in the note column of flows.parquet"
