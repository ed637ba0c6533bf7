"""Points of a result: their runs, and means and samples of their metrics."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError, NotFound, shown
from hopscope.results import metrics
from hopscope.results.samples import MEASURED, column, is_number
from hopscope.results.stats import Interval, interval
from hopscope.results.stored import Reported, RunResult, StoredRuns, are_one_run
from hopscope.scenario.sweep import in_words, key_paths

if TYPE_CHECKING:
    from hopscope.results.captured import Captured
    from hopscope.scenario import Scenario


@dataclass(frozen=True)
class Failure:
    """A replication that did not finish: its point, its seed, the reason, and the swept values of the point."""

    point: int
    seed: int
    message: str
    set: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def place(self) -> str:
        """The point in words."""
        return point_words(self.point, self.set)


def point_words(index: int, values: Mapping[str, Any]) -> str:
    """A point by its number and its swept values, as messages name it."""
    return f"point {index} ({in_words(values)})" if values else f"point {index}"


@dataclass(repr=False)
class PointResult:
    """Runs of one combination of the sweep.

    Attributes:
        index: position in the sweep.
        set: swept keys with their values; empty without a sweep.
        runs: results of the engine, ordered by seed.
        reported: what the tables of a store report the runs, where they need not be read for it.
    """

    index: int
    set: dict[str, Any]
    runs: Sequence[RunResult] = field(default_factory=list)
    reported: Reported | None = None

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs."""
        return list(self.runs.seeds) if isinstance(self.runs, StoredRuns) else [run["seed"] for run in self.runs]

    def samples(self, metric: str) -> list[float]:
        """Returns one value a seed; seeds without a sample (null) are left out.

        Args:
            metric: ``flow.<i>.<name>``, ``group.<group>.<name>``, ``node.<i>.<name>`` or ``network.<name>``.

        Raises:
            NotFound: no such metric.
        """
        return [value for value in column(self.runs, metric) if value is not None]

    def by_seed(self, metric: str) -> dict[int, float]:
        """Returns seed -> value, without the seeds that have no sample."""
        values = zip(self.seeds, column(self.runs, metric), strict=True)
        return {seed: value for seed, value in values if value is not None}

    def interval(self, metric: str) -> Interval:
        """Returns mean and 95 % interval of a metric over the seeds; no interval where all seeds gave the same run."""
        if self.reported is not None and metric in self.reported.summary:
            found = Interval.of(self.reported.summary[metric])
        else:
            found = interval(self.samples(metric))
        return replace(found, ci95=None, n=min(found.n, 1)) if found.n > 1 and self.is_one_run else found

    @functools.cached_property
    def is_one_run(self) -> bool:
        """Whether all seeds gave the same run: nothing is random, so there is one sample and no interval."""
        if self.reported is not None and any(entry["min"] != entry["max"] for entry in self.reported.summary.values()):
            return False
        return are_one_run(self.runs)

    @property
    def samples_a_metric(self) -> int:
        """Number of runs that say something of noise: 1 where all seeds gave the same run."""
        return min(len(self.runs), 1) if self.is_one_run else len(self.runs)

    @functools.cached_property
    def summary(self) -> Mapping[str, dict[str, float | int | None]]:
        """Mean, 95 % interval, smallest, largest and number of samples of every metric that is a number."""
        return _Summary(self)

    @functools.cached_property
    def notes(self) -> Mapping[int, tuple[int, str]]:
        """What the engine has to say about flows: the first seed that has a note, and the note, by flow."""
        if self.reported is not None:
            return self.reported.notes
        found: dict[int, tuple[int, str]] = {}
        for run in self.runs:
            for flow in run["flows"]:
                if flow.get("note"):
                    found.setdefault(flow["id"], (run["seed"], flow["note"]))
        return found

    def __repr__(self) -> str:
        return f"PointResult({self.index}, {self.set}, runs={len(self.runs)})"

    def metrics(self) -> Iterator[str]:
        """Yields the metrics of flows, wires, network and groups that are numbers."""
        if self.reported is not None:
            yield from self.reported.summary
            return
        if not self.runs:
            return
        labels = metrics.of_kind("label", "text", "shares")
        for flow in self.runs[0]["flows"]:
            for name in flow:
                if name not in labels and any(is_number(run["flows"][flow["id"]][name]) for run in self.runs):
                    yield f"flow.{flow['id']}.{name}"
        for wire in self.runs[0].get("wires", []):
            yield from (f"wire.{wire['id']}.{name}" for name in wire if name not in labels)
        for name, value in self.runs[0]["network"].items():
            if is_number(value) or any(is_number(run["network"][name]) for run in self.runs):
                yield f"network.{name}"
        for group, values in self.runs[0].get("groups", {}).items():
            for name in values:
                if any(is_number(run["groups"][group][name]) for run in self.runs):
                    yield f"group.{group}.{name}"


class _Summary(Mapping[str, dict[str, float | int | None]]):
    """The summary of a point, each metric when it is asked for."""

    def __init__(self, point: PointResult) -> None:
        self._point = point
        self._found: dict[str, dict[str, float | int | None] | None] = dict.fromkeys(point.metrics())

    def __getitem__(self, metric: str) -> dict[str, float | int | None]:
        found = self._found[metric]
        if found is None:
            found = self._found[metric] = self._point.interval(metric).as_dict()
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


class BaseResult:
    """What a scenario gave, without the tables and pictures made of it.

    Attributes:
        scenario: what was run.
        points: the combinations of the sweep with their runs.
        failures: replications that did not finish.
        again: runs a scenario at so many runs at a time, with or without a bar; set by who ran this one.
        capture: does a run again and writes its capture; set by who ran this one.
        live: of a run on real stacks: kernel, machine, when it began, seconds, verdict, cause; None: simulations.
    """

    def __init__(
        self,
        scenario: Scenario,
        points: list[PointResult],
        failures: list[Failure] | None = None,
        again: Callable[[Scenario, int | None, bool], BaseResult] | None = None,
        capture: Callable[..., Captured] | None = None,
        live: Mapping[str, Any] | None = None,
    ) -> None:
        self.scenario = scenario
        self.points = points
        self.failures = failures or []
        self.again = again
        self.capture = capture
        self.live = live

    @property
    def partial(self) -> bool:
        """Whether replications are missing."""
        return any(len(point.runs) < self.scenario.seeds for point in self.points)

    def find(self, wanted: Mapping[str, Any]) -> PointResult:
        """Returns the only point whose swept keys have these values.

        Raises:
            NotFound: none or several points fit.
        """
        fits = [p for p in self.points if all(k in p.set and p.set[k] == v for k, v in wanted.items())]
        if len(fits) != 1:
            raise NotFound(f"{len(fits)} points have {dict(wanted)}; there are {_points_in_words(self.points)}")
        return fits[0]

    def timed(self) -> list[tuple[dict[str, Any], list[RunResult]]]:
        """Returns each point's swept values with its runs, which have ``measured_s`` besides what the engine reports.

        Counts a second need it: ``quick`` and ``--set`` may change how long a study measures.
        """
        of = self.scenario.points
        return [(p.set, [{**run, MEASURED: of[p.index].measured_s} for run in p.runs]) for p in self.points]

    def samples(self, metric: str, point: int = 0) -> list[float]:
        """Returns one value a seed; see :meth:`PointResult.samples`."""
        return point_of(self, point, "point").samples(metric)

    def interval(self, metric: str, point: int = 0) -> Interval:
        """Returns mean and 95 % interval of a metric at a point."""
        return point_of(self, point, "point").interval(metric)


def point_of(result: BaseResult, index: int | None, argument: str) -> PointResult:
    """The point of a number, or the only one.

    Raises:
        InputError: several points, and none is named.
        NotFound: no such point.
    """
    if index is None and len(result.points) == 1:
        return result.points[0]
    if index is None:
        raise InputError(
            f"{argument}: {result.scenario.title!r} has several points; name one: {_points_in_words(result.points)}"
        )
    found = next((point for point in result.points if point.index == index), None)
    if found is None:
        raise NotFound(f"{argument}: found {index!r}; {result.scenario.title!r} has {_points_in_words(result.points)}")
    return found


def _points_in_words(points: Sequence[PointResult]) -> str:
    """Points in words, a dozen at most."""
    words = [f"{point.index} ({in_words(point.set)})" if point.set else str(point.index) for point in points[:12]]
    return ", ".join(words) + (f" and {len(points) - 12} more" if len(points) > 12 else "")


def _run_of(result: BaseResult, point: PointResult) -> tuple[dict[str, Any], set[str]]:
    """Every key of a point by its dotted name, and those that the scenario gives."""
    values = result.scenario.document
    values.pop("sweep", None)
    swept = {".".join(path) for axis in result.scenario.axes for path in key_paths(values, axis)}
    return _dotted(result.scenario.points[point.index].resolved), {*_dotted(values), *swept}


def differences(a: BaseResult, point_a: PointResult, b: BaseResult, point_b: PointResult) -> tuple[str, ...]:
    """The keys that either scenario gives and whose values differ, as ``key = value of a / value of b``.

    What is counted and kept (seeds, series, the ledger) is left out.
    """
    (ours, given), (theirs, others) = _run_of(a, point_a), _run_of(b, point_b)
    keys = [key for key in dict.fromkeys([*ours, *theirs]) if key in given | others]
    return tuple(
        f"{key} = {shown(ours[key]) if key in ours else 'none'} / {shown(theirs[key]) if key in theirs else 'none'}"
        for key in keys
        if key.split(".")[0] not in {"title", "seed", "seeds", "series", "distributions", "explain"}
        and ours.get(key) != theirs.get(key)
    )


def _dotted(values: Any, prefix: str = "") -> dict[str, Any]:
    """Tables, and lists of tables by number, as dotted keys."""
    if isinstance(values, list) and values and all(isinstance(value, dict) for value in values):
        values = {str(index): value for index, value in enumerate(values)}
    if not isinstance(values, dict):
        return {prefix: values}
    found: dict[str, Any] = {}
    for name, value in values.items():
        found |= _dotted(value, f"{prefix}.{name}" if prefix else str(name))
    return found
