"""Whether what a file holds has the shape of a run, so that nothing that reads it stumbles."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from types import NoneType
from typing import Any

from hopscope.results.metrics import metrics

#: Parts of a run that are lists of rows, with the scope of their metrics, and those that are one row.
_ROWS = {"flows": "flow", "nodes": "node", "wires": "wire"}

#: Kinds of metrics that are tables of samples.
_TABLES = ("shares", "counts")

_SAMPLE = (int, float, NoneType)
#: What the entry of a metric can be, by its kind, and an entry that this version does not know.
_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(_TABLES, (dict,)), "label": (int, str, list, NoneType), "text": (str, NoneType), "sample": _SAMPLE
}  # fmt: skip
_OF_UNKNOWN = (*_SAMPLE, str, dict)


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
    yield from _of_links(run.get("links", {"from": [], "to": [], "packets": []}), len(run.get("nodes", [])))
    yield from _of_distributions(run.get("distributions", {}))
    if not isinstance(run.get("ledger", {}), dict):
        yield "ledger is no table"


def _of_row(row: object, scope: str, place: str) -> Iterator[str]:
    if not isinstance(row, dict):
        yield f"{place} is no table"
        return
    types = tuple(map(type, row.values()))
    for wrong in _of_types(scope, tuple(row), types):
        yield f"{place}{wrong}"
    for name, kind in _tables(scope) if dict in types else ():
        value = row.get(name)
        if isinstance(value, dict) and not all(map(_is_sample, value.values())):
            yield f"{place}: {name} is no {kind}"


@functools.cache
def _kinds(scope: str) -> dict[str, str]:
    return {metric.name: metric.kind for metric in metrics(scope)}


@functools.cache
def _tables(scope: str) -> tuple[tuple[str, str], ...]:
    """The metrics that are tables of samples, each with its kind."""
    return tuple((name, kind) for name, kind in _kinds(scope).items() if kind in _TABLES)


@functools.cache
def _of_types(scope: str, names: tuple[str, ...], types: tuple[type, ...]) -> tuple[str, ...]:
    """What is wrong with rows whose entries have these types, which the rows of many runs share."""
    kinds, found = _kinds(scope), dict(zip(names, types, strict=True))
    wrong = []
    if scope == "flow":
        wrong += [f" lacks {name}" for name in ("from", "to") if found.get(name) is not int]
        if found.get("transport") is not str:
            wrong.append(" lacks transport")
    for name, of in found.items():
        if not issubclass(of, _TYPES.get(kinds.get(name, ""), _OF_UNKNOWN)):
            wrong.append(f": {name} is no {kinds.get(name) or 'sample'}")
    return tuple(wrong)


def _is_sample(value: object) -> bool:
    return isinstance(value, _SAMPLE)


def _of_groups(groups: object) -> Iterator[str]:
    if not isinstance(groups, dict):
        yield "groups is no table"
        return
    for name, row in groups.items():
        yield from _of_row(row, "group", f"group {name}")


def _of_links(links: object, nodes: int) -> Iterator[str]:
    whole = isinstance(links, dict) and list(links) == ["from", "to", "packets"]
    columns = list(links.values()) if isinstance(links, dict) else []
    if not whole or not all(isinstance(column, list) for column in columns):
        yield "links is no table"
    elif len({len(column) for column in columns}) > 1:
        yield "links has columns of several lengths"
    elif not all(type(value) is int and value >= 0 for column in columns for value in column):
        yield "links holds something else than counts"
    elif any(node >= nodes for column in columns[:2] for node in column):
        yield "links has nodes that are not there"


def _of_distributions(tables: object) -> Iterator[str]:
    if not isinstance(tables, dict):
        yield "distributions is no table"
        return
    for name, columns in tables.items():
        whole = isinstance(columns, dict) and columns.keys() == {"flow", "low_ms", "high_ms", "count"}
        if not whole or not all(isinstance(column, list) for column in columns.values()):
            yield f"distribution {name} is no table of classes"
        elif len({len(column) for column in columns.values()}) > 1:
            yield f"distribution {name} has columns of several lengths"
        elif not all(isinstance(value, (int, float)) for column in columns.values() for value in column):
            yield f"distribution {name} holds something else than numbers"


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
