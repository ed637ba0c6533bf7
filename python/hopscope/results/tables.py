"""Results as pandas tables; a store has the same tables as Parquet files."""

from __future__ import annotations

from collections.abc import Sequence

from hopscope.errors import NotFound, did_you_mean, listed, ranges
from hopscope.io.extras import need
from hopscope.results import metrics, rows
from hopscope.results.points import BaseResult
from hopscope.results.rows import Columns, Row

need("pandas")
import pandas as pd  # noqa: E402 (its absence is named first)


def flows(results: Sequence[BaseResult]) -> pd.DataFrame:
    """The table of :func:`rows.flows`."""
    return _frame(rows.flows(results))


def nodes(results: Sequence[BaseResult]) -> pd.DataFrame:
    """The table of :func:`rows.nodes`."""
    return _frame(rows.nodes(results))


def wires(results: Sequence[BaseResult]) -> pd.DataFrame:
    """The table of :func:`rows.wires`."""
    return _frame(rows.wires(results))


def links(results: Sequence[BaseResult]) -> pd.DataFrame:
    """The table of :func:`rows.links`."""
    return _frame(rows.links(results))


def network(results: Sequence[BaseResult]) -> pd.DataFrame:
    """The table of :func:`rows.network`."""
    return _frame(rows.network(results))


def summary(results: Sequence[BaseResult]) -> pd.DataFrame:
    """The table of :func:`rows.summary`."""
    frame = _frame(rows.summary(results))
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
    for column, number, place in (("flow", flow, "flows"), ("node", node, "nodes")):
        if number is not None and column not in columns:
            by = next((f"by {other}" for other in ("flow", "node") if other in columns), "for the network as a whole")
            raise NotFound(f'{column}={number!r}: the series "{name}" is kept {by}, not by {column}')
        _look_up(column, number, {row["id"] for _, run in runs for row in run[place]})
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
                    labels = {**rows.labels(results, index, point), "seed": run["seed"], "series": name}
                    if len(data):
                        parts.append(pd.concat([_repeat(labels, len(data)), data], axis=1))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _frame(columns: Columns) -> pd.DataFrame:
    frame = pd.DataFrame(columns)
    without = [name for name in frame.columns if name not in rows.TEXTS and frame[name].isna().all()]
    return frame.astype(dict.fromkeys(without, "float64"))


def _repeat(values: Row, count: int) -> pd.DataFrame:
    return pd.DataFrame([values]).loc[[0] * count].reset_index(drop=True)
