"""The tables of results as columns of values, by name: what becomes pandas tables, and Parquet files in a store.

A row that has no value in a column has None there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hopscope.results import metrics
from hopscope.results.points import BaseResult, PointResult
from hopscope.results.stored import RunResult, links_of

Row = dict[str, Any]

Columns = dict[str, list[Any]]
"""Name -> the value of each row."""

#: Columns of text, which may be empty in every row; other columns without a sample are numbers all the same.
TEXTS = frozenset({"scenario", "transport"}) | metrics.of_kind("text", "shares")

#: What the columns of counts by reason, part or kind begin with.
_COUNTS = tuple(f"{name}." for name in sorted(metrics.of_kind("counts")))


def flows(results: Sequence[BaseResult]) -> Columns:
    """One row a point, seed and flow: labels, then the metrics (kbit/s, ms, %, segments, s)."""
    return _columns(results, lambda run: ({"flow": row["id"], **_as_text(_without(row, "id"))} for row in run["flows"]))


def nodes(results: Sequence[BaseResult]) -> Columns:
    """One row a point, seed and node; drops by reason as ``drops.<reason>``."""
    return _counted(
        _columns(results, lambda run: ({"node": row["id"], **_spread(_without(row, "id"))} for row in run["nodes"]))
    )


def wires(results: Sequence[BaseResult]) -> Columns:
    """One row a point, seed and direction of a wire; none where there are no wires."""
    return _columns(results, lambda run: ({"wire": row["id"], **_without(row, "id")} for row in run.get("wires", [])))


def links(results: Sequence[BaseResult]) -> Columns:
    """One row a point, seed and link of the air that carried packets to a single station: from, to, packets."""
    names = ("from", "to", "packets")
    return _columns(results, lambda run: (dict(zip(names, link, strict=True)) for link in links_of(run)))


def network(results: Sequence[BaseResult]) -> Columns:
    """One row a point and seed; routing packets by kind as ``routing_kinds.<kind>``."""
    return _counted(_columns(results, lambda run: [_spread(run["network"])]))


def runs(results: Sequence[BaseResult]) -> Columns:
    """One row a run: events, frames and wall seconds of the engine."""
    return _columns(results, lambda run: [run["engine"]])


def summary(results: Sequence[BaseResult]) -> Columns:
    """One row a point and metric: mean, half width of the 95 % interval, min, max, n."""
    rows = [
        {**labels(results, index, point), "metric": metric, **values}
        for index, result in enumerate(results)
        for point in result.points
        for metric, values in point.summary.items()
    ]
    return _of_rows(rows, [*_label_columns(results), "metric", "mean", "ci95", "min", "max", "n"])


def _columns(results: Sequence[BaseResult], rows: Callable[[RunResult], Iterable[Row]]) -> Columns:
    table = [
        {**labels(results, index, point), "seed": run["seed"], **row}
        for index, result in enumerate(results)
        for point in result.points
        for run in point.runs
        for row in rows(run)
    ]
    return _of_rows(table, [*_label_columns(results), "seed"])


def _of_rows(rows: Sequence[Row], names: Sequence[str]) -> Columns:
    """Rows as columns; without a row, empty ones of these names."""
    found = dict.fromkeys(name for row in rows for name in row) or dict.fromkeys(names)
    return {name: [row.get(name) for row in rows] for name in found}


def _counted(columns: Columns) -> Columns:
    """Rows without a reason or kind that others have counted it zero times: means over rows are those of all."""
    return {
        name: [value or 0 for value in values] if name.startswith(_COUNTS) else values
        for name, values in columns.items()
    }


def labels(results: Sequence[BaseResult], index: int, point: PointResult) -> Row:
    """Scenario (when there are several), point and swept keys of a row."""
    labels: Row = {"scenario": results[index].scenario.title} if len(results) > 1 else {}
    labels["point"] = point.index
    for key, value in point.set.items():
        labels[key] = json.dumps(value) if isinstance(value, (dict, list)) else value
    return labels


def _label_columns(results: Sequence[BaseResult]) -> list[str]:
    swept = dict.fromkeys(key for result in results for key in result.scenario.axes)
    return [*(["scenario"] if len(results) > 1 else []), "point", *swept]


def _without(row: Row, *names: str) -> Row:
    return {name: value for name, value in row.items() if name not in names}


def _as_text(row: Row) -> Row:
    """Tables inside a row (shares by window size) as JSON text: their keys are data, not names of columns."""
    return {name: json.dumps(value) if isinstance(value, dict) else value for name, value in row.items()}


def _spread(row: Row) -> Row:
    """Tables inside a row (counts by reason or kind) as columns ``name.key`` behind the others."""
    plain = {name: value for name, value in row.items() if not isinstance(value, dict)}
    inner = {f"{n}.{key}": v for n, table in row.items() if isinstance(table, dict) for key, v in table.items()}
    return plain | inner
