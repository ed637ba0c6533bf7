"""Published numbers, and numbers of a reference simulator: a CSV with one value a row.

Columns: `table` (which table or figure), `metric` (a name of the study), `at` (where: "hops=2 window=3"), `value`,
`unit`, `low` and `high` (smallest and largest published run), `half` (half of the published 95 % interval), `single`
(yes: the value of one run), `source` (where it stands). Empty cells of `low` to `single` mean not given; an empty
`value` means stated but not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopscope.errors import Problem, did_you_mean
from hopscope.io.columns import at_line, read_csv
from hopscope.results.samples import Table
from hopscope.scenario.merging import number_or_text

COLUMNS = ("table", "metric", "at", "value", "unit", "low", "high", "half", "single", "source")
_NEEDED = ("table", "metric", "unit", "source")
_NUMBERS = ("value", "low", "high", "half")

At = frozenset[tuple[str, str]]
"""A place: names with their values as text."""


@dataclass(frozen=True)
class Row:
    """One published value.

    Attributes:
        table: the table or figure it belongs to.
        metric: name of its metric in the study.
        at: where, by short names.
        value: the value; `None` when it is not known.
        extremes: smallest and largest published run.
        half: half width of the published 95 % interval.
        single: whether it is the value of one run.
        source: where it stands.
    """

    table: str
    metric: str
    at: At
    value: float | None
    extremes: tuple[float, float] | None
    half: float | None
    single: bool
    source: str


def place(names: Mapping[str, Any]) -> At:
    """A place from names and values."""
    return frozenset((name, _text(value)) for name, value in names.items())


def read_numbers(file: Path, metrics: Mapping[str, str], problems: list[Problem]) -> list[Row]:
    """Read a CSV of numbers; what is wrong with it is added to `problems`.

    Args:
        file: the CSV; no rows when it is not there.
        metrics: names of the study's metrics with their units.
        problems: takes what is wrong, with file and line.
    """
    found: list[Row] = []
    for line, row in read_csv(file, (*_NEEDED, "value", "at"), problems, COLUMNS):
        wrong = _wrong(row, metrics)
        problems += [at_line(file, line, message) for message in wrong]
        if wrong:
            continue
        value, low, high, half = (float(row[name]) if row[name] else None for name in _NUMBERS)
        at = frozenset((name, value) for name, _, value in (pair.partition("=") for pair in row["at"].split()))
        extremes = None if low is None or high is None else (min(low, high), max(low, high))
        single = row["single"] == "yes"
        found.append(Row(row["table"], row["metric"], at, value, extremes, half, single, row["source"]))
    return found


def _wrong(row: Mapping[str, str], metrics: Mapping[str, str]) -> list[str]:
    """What is wrong with a row."""
    found = [f"{name} is missing" for name in _NEEDED if not row[name]]
    if row["metric"] and row["metric"] not in metrics:
        found.append(f"no metric {row['metric']!r}{did_you_mean(row['metric'], metrics)}")
    elif row["unit"] and metrics.get(row["metric"], row["unit"]) != row["unit"]:
        found.append(f"unit {row['unit']!r}, but {row['metric']} is in {metrics[row['metric']]!r}")
    for name in _NUMBERS:
        if row[name] and not isinstance(number_or_text(row[name]), (int, float)):
            found.append(f"{name}: found {row[name]!r}; allowed: a number or nothing")
    if any("=" not in pair for pair in row["at"].split()):
        found.append(f"at: found {row['at']!r}; allowed: names with values, such as hops=2 window=3")
    if bool(row["low"]) != bool(row["high"]):
        found.append("low and high come together")
    return found


def as_table(label: str, rows: list[Row], fixed: At, keys: Mapping[str, str]) -> Table:
    """The rows at a place as the table of a setting that sweeps what they leave open, one run at each point.

    Args:
        label: label of the setting.
        rows: the numbers.
        fixed: names and values that the setting holds fixed; rows elsewhere are left out.
        keys: swept key of each short name.
    """
    points: dict[At, dict[str, float]] = {}
    for row in rows:
        if fixed <= row.at and row.value is not None:
            points.setdefault(row.at - fixed, {})[row.metric] = row.value
    places = {at: {keys.get(name, name): number_or_text(value) for name, value in at} for at in points}
    return Table(label, [(places[at], [{"seed": 1, "published": values}]) for at, values in points.items()])


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
