"""Samples of metrics: what a study gave at each point of its sweep, seed by seed.

A `Table` holds the points of one study with one engine result for each seed; `Data` holds several tables by the label
of their study. A metric is a dotted path into a run (`flow.0.throughput_kbps`, `network.jain`,
`node.3.queue_max`, `group.voice.loss_pct`) or a function of a run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.errors import NotFound, did_you_mean, instead
from hopscope.results.stats import half_width, mean_of, number, rounded

Run = Mapping[str, Any]
Metric = str | Callable[[Run], float | None]
Where = Mapping[str, Any]
"""Swept values by key; a tuple stands for the mean over several values of its key, taken seed by seed."""

MEASURED = "measured_s"
"""Key of a run in a table of a study: the simulated seconds that count, those after the warm-up."""


class NoSamplesError(Exception):
    """No run has the value asked for."""


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds, with at least one sample.

    Attributes:
        mean: arithmetic mean.
        ci95: half width of the 95 % interval (Student's t); `None` for one sample or for a value without one.
        min, max: smallest and largest sample.
        n: number of samples.
    """

    mean: float
    ci95: float | None
    min: float
    max: float
    n: int


def estimate(values: Sequence[float]) -> Estimate:
    """Mean and 95 % interval of samples.

    Raises:
        NoSamplesError: without samples.
    """
    if not values:
        raise NoSamplesError("no samples")
    return Estimate(sum(values) / len(values), half_width(values), min(values), max(values), len(values))


class Table:
    """The results of one study: points of the sweep, each with one run for every seed."""

    def __init__(self, label: str, points: Sequence[tuple[Where, Sequence[Run]]]) -> None:
        self.label = label
        self.points = [(dict(where), list(runs)) for where, runs in points]

    def values(self, key: str) -> list[Any]:
        """The swept values of `key`, in the order of the sweep.

        Raises:
            NoSamplesError: when the study does not sweep it (any more, after a change).
        """
        seen: list[Any] = []
        for where, _ in self.points:
            if key in where and where[key] not in seen:
                seen.append(where[key])
        if not seen:
            raise NoSamplesError(f"{key} is not swept")
        return seen

    def named(self, key: str, names: Mapping[str, Where]) -> Table:
        """The table with one key in place of several: its values are names of combinations of theirs.

        Points of no name are left out; a table that does not sweep them stays as it is.
        """
        given = {inner for where in names.values() for inner in where}
        if not self.points or not given <= self.points[0][0].keys():
            return self
        points = [
            ({**{inner: value for inner, value in point.items() if inner not in given}, key: name}, runs)
            for name, where in names.items()
            for point, runs in self.points
            if _is_at(point, where)
        ]
        return Table(self.label, points)

    def runs(self, where: Where | None = None) -> list[Run]:
        """The runs of all points whose swept values contain `where`.

        Raises:
            NoSamplesError: when the sweep has no such point or none of its runs finished.
        """
        wanted = dict(where or {})
        found = [run for point, runs in self.points if _is_at(point, wanted) for run in runs]
        if not found:
            place = ", ".join(f"{key} = {value}" for key, value in wanted.items()) or "any point"
            raise NoSamplesError(f"no finished run at {place}")
        return found

    def by_seed(self, metric: Metric, where: Where | None = None) -> dict[int, float]:
        """The metric of each seed at one point; runs without a sample are left out."""
        return {int(run["seed"]): value for run in self.runs(where) if (value := read(run, metric)) is not None}

    def by_replica(self, metric: Metric, where: Where | None = None) -> dict[tuple[Any, ...], float]:
        """The metric of each replication at the matching points; those that lack a sample are left out.

        A replication is named by the swept values that `where` leaves open (a random field) and its seed.
        """
        fixed = where or {}
        found: dict[tuple[Any, ...], list[float | None]] = {}
        for point, runs in self.points:
            if _is_at(point, fixed):
                open_values = [str(value) for key, value in point.items() if key not in fixed]
                for run in runs:
                    found.setdefault((*open_values, int(run["seed"])), []).append(read(run, metric))
        known = {name: [v for v in values if v is not None] for name, values in found.items()}
        return {name: mean_of(values) for name, values in known.items() if len(values) == len(found[name])}

    def samples(self, metric: Metric, where: Where | None = None) -> list[float]:
        """The metric of every run at the matching points, at least one.

        Raises:
            NoSamplesError: when no run has the metric.
        """
        if where is not None and any(isinstance(value, tuple) for value in where.values()):
            found = list(self.by_replica(metric, where).values())
        else:
            found = [value for run in self.runs(where) if (value := read(run, metric)) is not None]
        if not found:
            name = metric if isinstance(metric, str) else getattr(metric, "__name__", "the quantity")
            raise NoSamplesError(f"no sample of {name}")
        return found

    def interval(self, metric: Metric, where: Where | None = None) -> Estimate:
        """Mean and 95 % interval of the metric over the seeds."""
        return estimate(self.samples(metric, where))

    def find(self, metric: Metric, where: Where | None = None) -> Estimate | None:
        """Mean and 95 % interval of the metric over the seeds; `None` where no run has it."""
        try:
            return self.interval(metric, where)
        except NoSamplesError:
            return None

    def mean(self, metric: Metric, where: Where | None = None) -> float:
        """Mean of the metric over the seeds."""
        return self.interval(metric, where).mean

    def curve(self, key: str, metric: Metric, where: Where | None = None) -> list[tuple[Any, Estimate]]:
        """The metric over the swept values of `key`; points without a sample are left out."""
        places = ((value, {**(where or {}), key: value}) for value in self.values(key))
        return [(value, found) for value, place in places if (found := self.find(metric, place)) is not None]


def _is_at(point: Where, where: Where) -> bool:
    """Whether a point of a sweep has the values asked for."""
    return all(
        key in point and (point[key] in value if isinstance(value, tuple) else point[key] == value)
        for key, value in where.items()
    )


class Data:
    """The tables of an entry, by study label, in the order of its studies."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._tables = {table.label: table for table in tables}

    def __getitem__(self, label: str) -> Table:
        return self._tables[label]

    def __contains__(self, label: str) -> bool:
        return label in self._tables

    def __iter__(self) -> Iterator[Table]:
        return iter(self._tables.values())

    def __len__(self) -> int:
        return len(self._tables)


def column(runs: Sequence[Run], metric: str) -> list[float | None]:
    """The values of a metric in runs of the same shape, as `read` gives them."""
    scope, _, rest = metric.partition(".")
    index, _, name = rest.partition(".")
    is_of_row = scope in {"flow", "node", "wire"} and index.isdigit()
    if not is_of_row and scope != "network":
        return [read(run, metric) for run in runs]
    try:
        part, row = f"{scope}s", int(index) if is_of_row else 0
        values = [run[part][row][name] if is_of_row else run[scope][rest] for run in runs]
    except (KeyError, IndexError):
        return [read(run, metric) for run in runs]  # which says what is missing
    there = [value for value in values if value is not None]
    sound = set(map(type, there)) <= {int, float} and all(map(math.isfinite, there))
    if not sound:
        return [read(run, metric) for run in runs]
    if len(there) == len(values):
        return list(map(float, there))
    return [None if value is None else float(value) for value in values]


def read(run: Run, metric: Metric) -> float | None:
    """The value of a metric in one run; `None` when the run has no sample of it.

    Raises:
        NotFound: no such flow, node, group or name, so that a misspelt one is found at once.
    """
    if callable(metric):
        return metric(run)
    scope, _, rest = metric.partition(".")
    if scope == "network":
        table, name = run["network"], rest
    elif scope == "group":
        group, _, name = rest.partition(".")
        groups = run.get("groups", {})
        if group not in groups:
            known = f"has {', '.join(groups)}" if groups else "has none"
            raise NotFound(f'no group "{group}"; the result {known}{did_you_mean(group, groups)}')
        table = groups[group]
    elif scope in {"flow", "node", "wire"}:
        index, _, name = rest.partition(".")
        rows = run.get(f"{scope}s", [])
        if not index.isdigit() or int(index) >= len(rows):
            raise NotFound(f"no {scope} {index}: the result has {len(rows)}")
        table = rows[int(index)]
    else:
        hint = did_you_mean(scope, ["flow", "group", "node", "wire", "network"])
        raise NotFound(f'metric "{metric}" starts with none of flow., group., node., wire., network.{hint}')
    if name not in table:
        raise NotFound(f'no metric "{name}"{instead(name, table, f"{scope} has {{}}")}')
    value = table[name]
    if value is not None and not is_number(value):
        raise NotFound(f'"{metric}" is no number')
    return None if value is None else float(value)


def is_number(value: object) -> bool:
    """Whether an entry of a run is a sample: a finite number, and neither a flag nor a label."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def show(value: Estimate, unit: str = "") -> str:
    """An estimate as text: mean ± half width and unit; without ± for a single seed."""
    tail = f" {unit}" if unit else ""
    if value.ci95 is None:
        return f"{number(value.mean)}{tail}"
    return f"{rounded(value.mean, value.ci95)}{tail}"
