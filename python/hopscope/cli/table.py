"""The table of a result in the terminal: one row a point and flow, each metric as mean ± 95 % interval."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from hopscope.results import PointResult, Result

if TYPE_CHECKING:
    from rich.console import Console

#: Metric -> heading of its column.
COLUMNS = {
    "throughput_kbps": "throughput\nkbit/s",
    "delay_ms": "delay\nms",
    "loss_pct": "loss\n%",
    "retransmission_index_pct": "retransmitted\n%",
    "mean_cwnd": "cwnd\nsegments",
    "timeouts": "timeouts",
}


def print_result(console: Console, result: Result) -> None:
    """Prints the table of a result and what stands out in it."""
    quick = " (quick: fewer seeds, shorter runs)" if result.scenario.is_quick else ""
    table = Table(title=Text(result.scenario.title + quick), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    swept = list(result.scenario.axes)
    for key in swept:
        table.add_column(Text(key), justify="right", overflow="fold")
    table.add_column("flow")
    shown = [name for name in COLUMNS if any(f".{name}" in metric for p in result.points for metric in p.summary)]
    for name in shown:
        table.add_column(COLUMNS[name], justify="right")
    table.add_column("n", justify="right")
    several = any(len(run["flows"]) > 1 for p in result.points for run in p.runs[:1])
    for point in result.points:
        labels = [_value(point.set[key]) for key in swept]
        for cells in _rows(point, shown, several):
            table.add_row(*labels, *cells)
            labels = [""] * len(swept)
    console.print(table)
    for line in _notes(result):
        console.print(Text(line))


def _rows(point: PointResult, shown: list[str], several: bool) -> Iterator[list[str]]:
    if not point.runs:
        yield ["no run yet", *([""] * len(shown)), "0"]
        return
    for flow in point.runs[0]["flows"]:
        prefix = f"flow.{flow['id']}."
        cells = [interval_text(point.summary.get(prefix + name)) for name in shown]
        yield [f"{flow['id']}: {flow['from']} to {flow['to']} {flow['transport']}", *cells, str(len(point.runs))]
    if several:
        jain = interval_text(point.summary.get("network.jain"))
        total = interval_text(point.summary.get("network.aggregate_kbps"))
        filled = [total if name == "throughput_kbps" else "" for name in shown]
        yield [f"all (Jain {jain})", *filled, str(len(point.runs))]


def _notes(result: Result) -> Iterator[str]:
    seen = set()
    for point in result.points:
        for run in point.runs:
            for flow in run["flows"]:
                if flow.get("note") and (key := (point.index, flow["id"], flow["note"])) not in seen:
                    seen.add(key)
                    yield f"point {point.index}, flow {flow['id']}: {flow['note']}"


def interval_text(summary: dict[str, Any] | None) -> str:
    """Returns ``mean ± half width``; a dash without samples."""
    if not summary or summary["mean"] is None:
        return "-"
    mean, width = summary["mean"], summary["ci95"]
    digits = 0 if abs(mean) >= 1000 else 1 if abs(mean) >= 10 else 2 if abs(mean) >= 1 else 3
    return f"{mean:.{digits}f}" if width is None else f"{mean:.{digits}f} ± {width:.{digits}f}"


def _value(value: Any) -> str:
    from hopscope.errors import shown

    return value if isinstance(value, str) else shown(value)
