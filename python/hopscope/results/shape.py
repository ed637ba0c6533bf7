"""Whether what a file holds has the shape of a run, so that nothing that reads it stumbles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hopscope.results.metrics import metrics

#: Parts of a run that are lists of rows, with the scope of their metrics, and those that are one row.
_ROWS = {"flows": "flow", "nodes": "node", "wires": "wire"}


def fault(run: object, seed: int | None = None) -> str:
    """Returns what is wrong with a run; empty when nothing is.

    Args:
        run: what a file holds.
        seed: the seed that it should have; None: any.
    """
    return next(_faults(run, seed), "")


def outline(run: dict[str, Any]) -> tuple[object, ...]:
    """Returns what all runs of a point have in common: how many rows of what, with which entries."""
    rows = tuple(tuple(tuple(row) for row in run.get(part, [])) for part in _ROWS)
    groups = tuple((name, tuple(row)) for name, row in run.get("groups", {}).items())
    return (*rows, groups, tuple(run["network"]))


def _faults(run: object, seed: int | None) -> Iterator[str]:
    if not isinstance(run, dict):
        yield "is no table"
        return
    if type(run.get("seed")) is not int or seed not in (None, run["seed"]):
        yield "its seed is not that of its place"
    for part in ("flows", "nodes", "network", "engine"):
        if part not in run:
            yield f"lacks {part}"
    for part, scope in _ROWS.items():
        rows = run.get(part, [])
        if not isinstance(rows, list):
            yield f"{part} is no list"
            return
        for index, row in enumerate(rows):
            if not isinstance(row, dict) or row.get("id") != index:
                yield f"{part} has no row {index}"
                return
            yield from _of_row(row, scope, f"{scope} {index}")
    yield from _of_row(run.get("network"), "network", "network")
    yield from _of_row(run.get("engine"), "engine", "engine")
    yield from _of_groups(run.get("groups", {}))
    yield from _of_series(run.get("series", {}))
    if not isinstance(run.get("ledger", {}), dict):
        yield "ledger is no table"


def _of_row(row: object, scope: str, place: str) -> Iterator[str]:
    if not isinstance(row, dict):
        yield f"{place} is no table"
        return
    kinds = {metric.name: metric.kind for metric in metrics(scope)}
    if scope == "flow":
        for name in ("from", "to"):
            if type(row.get(name)) is not int:
                yield f"{place} lacks {name}"
        if not isinstance(row.get("transport"), str):
            yield f"{place} lacks transport"
    for name, value in row.items():
        if not _fits(value, kinds.get(name, "")):
            yield f"{place}: {name} is no {kinds.get(name) or 'sample'}"


def _fits(value: object, kind: str) -> bool:
    if kind in ("shares", "counts"):
        return isinstance(value, dict) and all(_is_sample(one) for one in value.values())
    if kind == "label":
        return isinstance(value, (int, str, list)) or value is None
    if kind == "text":
        return isinstance(value, str) or value is None
    if kind == "sample":
        return _is_sample(value)
    return _is_sample(value) or isinstance(value, (str, dict))  # of an entry that this version does not know


def _is_sample(value: object) -> bool:
    return value is None or isinstance(value, (int, float))


def _of_groups(groups: object) -> Iterator[str]:
    if not isinstance(groups, dict):
        yield "groups is no table"
        return
    for name, row in groups.items():
        yield from _of_row(row, "group", f"group {name}")


def _of_series(series: object) -> Iterator[str]:
    tables: dict[str, Any] = series if isinstance(series, dict) else {}
    if tables is not series:
        yield "series is no table"
    for name, columns in tables.items():
        if isinstance(columns, str):
            continue  # an Arrow stream, judged where it is opened
        if not isinstance(columns, dict) or not all(isinstance(column, list) for column in columns.values()):
            yield f"series {name} is no table of columns"
        elif len({len(column) for column in columns.values()}) > 1 or "t_s" not in columns:
            yield f"series {name} has columns of several lengths"
        elif not all(_is_sample(value) for column in columns.values() for value in column):
            yield f"series {name} holds something else than numbers"
