"""Results as pandas tables; the store writes the same tables as Parquet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd

from hopscope.errors import NotFound, did_you_mean, listed, ranges
from hopscope.results import metrics
from hopscope.results.points import BaseResult, PointResult
from hopscope.results.stored import RunResult, links_of

Row = dict[str, Any]

#: Columns of text, which may be empty in every row; other columns without a sample are numbers all the same.
_TEXTS = frozenset({"scenario", "transport"}) | metrics.of_kind("text", "shares")


def flows(results: Sequence[BaseResult]) -> pd.DataFrame:
    """One row a point, seed and flow: labels, then the metrics (kbit/s, ms, %, segments, s)."""
    return _frame(results, lambda run: ({"flow": row["id"], **_as_text(_without(row, "id"))} for row in run["flows"]))


def nodes(results: Sequence[BaseResult]) -> pd.DataFrame:
    """One row a point, seed and node; drops by reason as ``drops.<reason>``."""
    return _counted(
        _frame(results, lambda run: ({"node": row["id"], **_spread(_without(row, "id"))} for row in run["nodes"]))
    )


def wires(results: Sequence[BaseResult]) -> pd.DataFrame:
    """One row a point, seed and direction of a wire; none where there are no wires."""
    return _frame(results, lambda run: ({"wire": row["id"], **_without(row, "id")} for row in run.get("wires", [])))


def links(results: Sequence[BaseResult]) -> pd.DataFrame:
    """One row a point, seed and link of the air that carried packets to a single station: from, to, packets."""
    names = ("from", "to", "packets")
    return _frame(results, lambda run: (dict(zip(names, link, strict=True)) for link in links_of(run)))


def network(results: Sequence[BaseResult]) -> pd.DataFrame:
    """One row a point and seed; routing packets by kind as ``routing_kinds.<kind>``."""
    return _counted(_frame(results, lambda run: [_spread(run["network"])]))


def runs(results: Sequence[BaseResult]) -> pd.DataFrame:
    """One row a run: events, frames and wall seconds of the engine."""
    return _frame(results, lambda run: [run["engine"]])


def summary(results: Sequence[BaseResult]) -> pd.DataFrame:
    """One row a point and metric: mean, half width of the 95 % interval, min, max, n."""
    rows = [
        {**_labels(results, index, point), "metric": metric, **values}
        for index, result in enumerate(results)
        for point in result.points
        for metric, values in point.summary.items()
    ]
    columns = [*_label_columns(results), "metric", "mean", "ci95", "min", "max", "n"]
    frame = pd.DataFrame(rows, columns=None if rows else columns)
    numbers = ["mean", "ci95", "min", "max"]
    frame[numbers] = frame[numbers].astype("float64")
    return frame


def series(
    result: BaseResult,
    name: str,
    *,
    flow: int | None,
    node: int | None,
    point: int | None,
    seed: int | None,
    to_end: bool,
) -> pd.DataFrame:
    """One row a sample of a kept time series; see :meth:`Result.series`."""
    runs = [(p.index, run) for p in result.points for run in p.runs]
    kept = sorted({kind for _, run in runs for kind in run.get("series", {})})
    if name not in kept:
        hint = f"it kept {listed(kept)}" if kept else 'ask for it with [series] keep = ["cwnd"]'
        hint = hint if runs else "no run has finished"
        raise NotFound(f'the scenario kept no series "{name}"{did_you_mean(name, kept)}; {hint}')
    columns = next(run["series"][name].column_names for _, run in runs if name in run.get("series", {}))
    for column, number, rows in (("flow", flow, "flows"), ("node", node, "nodes")):
        if number is not None and column not in columns:
            by = next((f"by {other}" for other in ("flow", "node") if other in columns), "for the network as a whole")
            raise NotFound(f'{column}={number!r}: the series "{name}" is kept {by}, not by {column}')
        _look_up(column, number, {row["id"] for _, run in runs for row in run[rows]})
    _look_up("point", point, {index for index, _ in runs})
    _look_up("seed", seed, {run["seed"] for index, run in runs if point in (None, index)})
    parts = []
    for index, run in runs:
        if point in (None, index) and seed in (None, run["seed"]):
            data = run["series"][name].to_pandas() if name in run.get("series", {}) else pd.DataFrame()
            if to_end and metrics.series(name).course == "changes" and len(data):
                owners = [column for column in columns if column in ("flow", "node")]
                last = (data.groupby(owners) if owners else data).tail(1)
                last = last.assign(t_s=result.scenario.points[index].duration_s)
                data = pd.concat([data, last]).sort_values([*owners, "t_s"], ignore_index=True, kind="stable")
            parts.append(pd.concat([_repeat({"point": index, "seed": run["seed"]}, len(data)), data], axis=1))
    parts = [part for part in parts if len(part)]
    frame = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["point", "seed", *columns])
    for column, number in (("flow", flow), ("node", node)):
        if number is not None:
            frame = frame[frame[column] == number].reset_index(drop=True)
    return frame


def _look_up(what: str, wanted: int | None, there: set[int]) -> None:
    """Refuses the number of something that a result does not have.

    Raises:
        NotFound: it is not among those there.
    """
    if wanted is not None and wanted not in there:
        raise NotFound(f"{what}={wanted!r}: no such {what}; the result has {ranges(sorted(there)) or 'none'}")


def all_series(results: Sequence[BaseResult]) -> pd.DataFrame:
    """Every kept series in one long table: labels, seed, series, flow, node, t_s, value."""
    parts = []
    for index, result in enumerate(results):
        for point in result.points:
            for run in point.runs:
                for name, table in run.get("series", {}).items():
                    data = table.to_pandas()
                    labels = {**_labels(results, index, point), "seed": run["seed"], "series": name}
                    if len(data):
                        parts.append(pd.concat([_repeat(labels, len(data)), data], axis=1))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _frame(results: Sequence[BaseResult], rows: Callable[[RunResult], Iterable[Row]]) -> pd.DataFrame:
    table = [
        {**_labels(results, index, point), "seed": run["seed"], **row}
        for index, result in enumerate(results)
        for point in result.points
        for run in point.runs
        for row in rows(run)
    ]
    frame = pd.DataFrame(table, columns=None if table else [*_label_columns(results), "seed"])
    without = [name for name in frame.columns if name not in _TEXTS and frame[name].isna().all()]
    return frame.astype(dict.fromkeys(without, "float64"))


#: What the columns of counts by reason, part or kind begin with.
_COUNTS = tuple(f"{name}." for name in sorted(metrics.of_kind("counts")))


def _counted(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows without a reason or kind that others have counted it zero times: means over rows are those of all."""
    counts = [name for name in frame.columns if name.startswith(_COUNTS)]
    return frame.fillna(dict.fromkeys(counts, 0)).astype(dict.fromkeys(counts, "int64"))


def _labels(results: Sequence[BaseResult], index: int, point: PointResult) -> Row:
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


def _repeat(values: Row, count: int) -> pd.DataFrame:
    return pd.DataFrame([values]).loc[[0] * count].reset_index(drop=True)
