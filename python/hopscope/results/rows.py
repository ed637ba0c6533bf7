"""The tables of results as columns of values, by name: what becomes pandas tables, and Parquet files in a store.

A row that has no value in a column has None there.
"""

from __future__ import annotations

import itertools
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
TEXTS = frozenset({"scenario", "transport", "stack", "verdict"}) | metrics.of_kind("text", "shares")

#: What the columns of counts by reason, part or kind begin with.
_COUNTS = tuple(f"{name}." for name in sorted(metrics.of_kind("counts")))

#: Columns of a mean, behind its labels and its metric.
_STATISTICS = ("mean", "ci95", "min", "max", "n")


def flows(results: Sequence[BaseResult]) -> Columns:
    """One row a point, seed and flow: labels, then the metrics (kbit/s, ms, %, segments, s)."""
    return _columns(results, lambda run: run["flows"], number="flow", inner=_as_text)


def nodes(results: Sequence[BaseResult]) -> Columns:
    """One row a point, seed and node; drops by reason as ``drops.<reason>``."""
    return _counted(_columns(results, lambda run: run["nodes"], number="node", inner=_spread))


def wires(results: Sequence[BaseResult]) -> Columns:
    """One row a point, seed and direction of a wire; none where there are no wires."""
    return _columns(results, lambda run: run.get("wires", ()), number="wire")


def links(results: Sequence[BaseResult]) -> Columns:
    """One row a point, seed and link of the air that carried packets to a single station: from, to, packets."""
    names = ("from", "to", "packets")
    return _columns(results, lambda run: [dict(zip(names, link, strict=True)) for link in links_of(run)])


def network(results: Sequence[BaseResult]) -> Columns:
    """One row a point and seed; routing packets by kind as ``routing_kinds.<kind>``."""
    return _counted(_columns(results, lambda run: (run["network"],), inner=_spread))


def runs(results: Sequence[BaseResult]) -> Columns:
    """One row a run: events, frames and wall seconds of the engine."""
    return _columns(results, lambda run: (run["engine"],))


def summary(results: Sequence[BaseResult]) -> Columns:
    """One row a point and metric: mean, half width of the 95 % interval, min, max, n."""
    parts = []
    for index, result in enumerate(results):
        for point in result.points:
            means = list(point.summary.values())
            found: Columns = {"metric": list(point.summary)}
            found |= {name: [values[name] for values in means] for name in _STATISTICS}
            parts.append(_labelled(labels(results, index, point), found))
    return _joined(parts, [*_label_columns(results), "metric", *_STATISTICS])


def _columns(
    results: Sequence[BaseResult],
    rows: Callable[[RunResult], Iterable[Row]],
    *,
    number: str = "",
    inner: Callable[[Columns], Columns] = lambda columns: columns,
) -> Columns:
    """Rows of runs as columns.

    Args:
        results: whose runs.
        rows: the rows of a run.
        number: the name of the column that a row has as ``id``, where it has one.
        inner: makes columns of those whose values are tables.
    """
    parts = []
    for index, result in enumerate(results):
        for point in result.points:
            seeded = ((run["seed"], row) for run in point.runs for row in rows(run))
            for names, alike in itertools.groupby(seeded, lambda one: tuple(one[1])):
                values = zip(*((seed, *row.values()) for seed, row in alike), strict=True)
                found = dict(zip(("seed", *names), map(list, values), strict=True))
                if number:
                    found = {"seed": found.pop("seed"), number: found.pop("id"), **found}
                parts.append(_labelled(labels(results, index, point), inner(found)))
    return _joined(parts, [*_label_columns(results), "seed"])


def _labelled(labels: Row, columns: Columns) -> Columns:
    """Columns behind those of labels, which are the same in all of their rows."""
    return {name: [value] * _length(columns) for name, value in labels.items()} | columns


def _joined(parts: Sequence[Columns], names: Sequence[str]) -> Columns:
    """Columns below one another, by name; None where a part lacks one, and empty ones of these names without a row."""
    found: Columns = {name: [] for part in parts if _length(part) for name in part} or {name: [] for name in names}
    for part in parts:
        missing = [None] * _length(part)
        for name, values in found.items():
            values.extend(part.get(name, missing))
    return found


def _length(columns: Columns) -> int:
    """The number of rows."""
    return len(next(iter(columns.values())))


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


def _as_text(columns: Columns) -> Columns:
    """Tables (shares by window size) as JSON text: their keys are data, not names of columns."""
    texts = {
        name: [json.dumps(value) if isinstance(value, dict) else value for value in columns[name]]
        for name in _with_tables(columns)
    }
    return columns | texts


def _spread(columns: Columns) -> Columns:
    """Tables (counts by reason or kind) as columns ``name.key`` behind the others."""
    names = _with_tables(columns)
    found: Columns = {}
    for index, row in enumerate(zip(*(columns[name] for name in names), strict=True)):
        for name, table in zip(names, row, strict=True):
            for key, value in table.items() if table else ():
                found.setdefault(f"{name}.{key}", [None] * _length(columns))[index] = value
    return {name: values for name, values in columns.items() if name not in names} | found


def _with_tables(columns: Columns) -> list[str]:
    """The columns whose values are tables."""
    return [name for name, values in columns.items() if dict in set(map(type, values))]
