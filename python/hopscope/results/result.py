"""The result of a scenario: its points, their runs, and the tables and statistics made from them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope import _core, display
from hopscope.errors import InputError, NotFound, RunFailed, shown
from hopscope.results import metrics, remarks
from hopscope.results.samples import MEASURED, column, is_number
from hopscope.results.stats import Comparison, Interval, interval, paired
from hopscope.results.stored import RunResult, StoredRuns, Told, are_one_run
from hopscope.scenario.sweep import in_words, key_paths

if TYPE_CHECKING:
    import pandas as pd

    from hopscope.results.captured import Captured
    from hopscope.results.contrasts import Contrasts
    from hopscope.results.distributions import Distribution
    from hopscope.results.explain import Explanation
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
        told: what the tables of a store tell of the runs, where they need not be read for it.
    """

    index: int
    set: dict[str, Any]
    runs: Sequence[RunResult] = field(default_factory=list)
    told: Told | None = None

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
        return list(self.by_seed(metric).values())

    def by_seed(self, metric: str) -> dict[int, float]:
        """Returns seed -> value, without the seeds that have no sample."""
        values = zip(self.seeds, column(self.runs, metric), strict=True)
        return {seed: value for seed, value in values if value is not None}

    def interval(self, metric: str) -> Interval:
        """Returns mean and 95 % interval of a metric over the seeds; no interval where all seeds gave the same run."""
        if self.told is not None and metric in self.told.summary:
            found = Interval.of(self.told.summary[metric])
        else:
            found = interval(self.samples(metric))
        return replace(found, ci95=None, n=min(found.n, 1)) if found.n > 1 and self.is_one_run else found

    @functools.cached_property
    def is_one_run(self) -> bool:
        """Whether all seeds gave the same run: nothing is random, so there is one sample and no interval."""
        if self.told is not None and any(entry["min"] != entry["max"] for entry in self.told.summary.values()):
            return False
        return are_one_run(self.runs)

    @property
    def samples_a_metric(self) -> int:
        """Number of runs that tell something of noise: 1 where all seeds gave the same run."""
        return min(len(self.runs), 1) if self.is_one_run else len(self.runs)

    @functools.cached_property
    def summary(self) -> Mapping[str, dict[str, float | int | None]]:
        """Mean, 95 % interval, smallest, largest and number of samples of every metric that is a number."""
        return _Summary(self)

    @functools.cached_property
    def notes(self) -> Mapping[int, tuple[int, str]]:
        """What the engine has to say about flows: the first seed that has a note, and the note, by flow."""
        if self.told is not None:
            return self.told.notes
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
        if self.told is not None:
            yield from self.told.summary
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


class Result:
    """What a scenario gave.

    Attributes:
        scenario: what was run.
        points: the combinations of the sweep with their runs.
        failures: replications that did not finish.
        again: runs a scenario at so many runs at a time, with or without a bar; set by who ran this one.
        capture: does a run again and writes its capture; set by who ran this one.
    """

    def __init__(
        self,
        scenario: Scenario,
        points: list[PointResult],
        failures: list[Failure] | None = None,
        again: Callable[[Scenario, int | None, bool], Result] | None = None,
        capture: Callable[..., Captured] | None = None,
    ) -> None:
        self.scenario = scenario
        self.points = points
        self.failures = failures or []
        self.again = again
        self.capture = capture

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
            raise NotFound(f"{len(fits)} points have {dict(wanted)}; there are {_told(self.points)}")
        return fits[0]

    def timed(self) -> list[tuple[dict[str, Any], list[RunResult]]]:
        """Returns each point's swept values with its runs, which have ``measured_s`` beside what the engine tells.

        Counts a second need it: ``quick`` and ``--set`` may change how long a study measures.
        """
        of = self.scenario.points
        return [(p.set, [{**run, MEASURED: of[p.index].measured_s} for run in p.runs]) for p in self.points]

    def samples(self, metric: str, point: int = 0) -> list[float]:
        """Returns one value a seed; see :meth:`PointResult.samples`."""
        return _point(self, point, "point").samples(metric)

    def interval(self, metric: str, point: int = 0) -> Interval:
        """Returns mean and 95 % interval of a metric at a point."""
        return _point(self, point, "point").interval(metric)

    @functools.cached_property
    def flows(self) -> pd.DataFrame:
        """One row a point, seed and flow."""
        from hopscope.results import tables

        return tables.flows([self])

    @functools.cached_property
    def nodes(self) -> pd.DataFrame:
        """One row a point, seed and node."""
        from hopscope.results import tables

        return tables.nodes([self])

    @functools.cached_property
    def wires(self) -> pd.DataFrame:
        """One row a point, seed and direction of a wire; none where there are no wires."""
        from hopscope.results import tables

        return tables.wires([self])

    @functools.cached_property
    def links(self) -> pd.DataFrame:
        """The routes as packets went: one row a point, seed and link of the air that carried packets to one station.

        ``packets`` that got there in the measured time count once each: data, ACKs and messages of routing protocols.
        """
        from hopscope.results import tables

        return tables.links([self])

    @functools.cached_property
    def network(self) -> pd.DataFrame:
        """One row a point and seed."""
        from hopscope.results import tables

        return tables.network([self])

    @functools.cached_property
    def summary(self) -> pd.DataFrame:
        """One row a point and metric: mean, ci95 (half width), min, max, n."""
        from hopscope.results import tables

        return tables.summary([self])

    def series(
        self,
        name: str,
        *,
        flow: int | None = None,
        node: int | None = None,
        point: int | None = None,
        seed: int | None = None,
        to_end: bool = False,
    ) -> pd.DataFrame:
        """Returns a time series that the scenario kept: columns point, seed, flow or node, t_s (seconds), value.

        What the series are, their units, and what a value tells of the time around ``t_s``:
        :func:`hopscope.results.metrics.all_series`, ``hopscope list``.

        Args:
            name: one of those that ``series.keep`` can name.
            flow: only this flow.
            node: only this node.
            point: only this point.
            seed: only this seed.
            to_end: repeat the last value of a series of changes at the end of the run, until which it holds.

        Raises:
            NotFound: the scenario did not keep that series, or has no such flow, node, point or seed.
        """
        from hopscope.results import tables

        return tables.series(self, name, flow=flow, node=node, point=point, seed=seed, to_end=to_end)

    def across(
        self, key: str, metrics: Sequence[str] | None = None, *, values: Sequence[Any] | None = None
    ) -> Contrasts:
        """Returns the values of a swept key set against the first; see :func:`hopscope.results.contrasts.across`.

        Raises:
            InputError: the key is not swept, or nothing can be paired.
            NotFound: no such value or metric.
        """
        from hopscope.results.contrasts import across

        return across(self, key, metrics, values=values)

    def distribution(
        self,
        name: str = "delay",
        *,
        flow: int | None = None,
        point: int | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        progress: bool = False,
    ) -> Distribution:
        """Returns how the delays (ms) of packets, or the gaps (ms) between their arrivals, are distributed.

        Runs that kept no histograms (``distributions = true``) are done again with them; they take the same course.

        Args:
            name: ``delay`` or ``gap``.
            flow: of this flow; default: of all flows together.
            point: of this point; may be left out where there is only one.
            seed: of this seed; default: of all seeds together.
            jobs: runs at a time, where they have to be done; default: all cores.
            progress: show a bar meanwhile.

        Raises:
            NotFound: no such distribution, flow, point or seed.
            InputError: several points, and none is named.
            RunFailed: the runs kept none and cannot be done again.
        """
        from hopscope.results.distributions import distribution, has_distributions

        if has_distributions(self):
            return distribution(self, name, flow=flow, point=point, seed=seed)
        if self.again is None:
            raise RunFailed("the runs kept no histograms; run the scenario with distributions = true")
        kept = self.again(self.scenario.replace({"distributions": True}), jobs, progress)
        return distribution(kept, name, flow=flow, point=point, seed=seed)

    def plot(self, metric: str | None = None) -> Any:
        """Returns the figure of a metric of the flows, a matplotlib figure: over the swept key, or as bars.

        Args:
            metric: such as ``delay_ms``; default: throughput.

        Raises:
            NotFound: flows have no such metric, or no run has a sample of it.
        """
        return display.picture("result", self, metric=metric)

    def _repr_html_(self) -> str:
        return str(display.draw("result-html", self))

    def explain(self, *, jobs: int | None = None, progress: bool = False) -> Explanation:
        """Returns where the time of nodes and links and the delay of packets went, averaged over the seeds.

        Runs that kept no airtime ledger (``explain = true``) are done again with one; they take the same course.

        Args:
            jobs: runs at a time, where they have to be done; default: all cores.
            progress: show a bar on standard error meanwhile.

        Raises:
            RunFailed: a point has no finished run.
            Interrupted: Ctrl-C.
        """
        from hopscope.results.explain import explain, has_ledger

        if has_ledger(self):
            return explain(self)
        if self.again is None:
            raise RunFailed("the runs kept no airtime ledger; run the scenario with explain = true")
        return explain(self.again(self.scenario.replace({"explain": True}), jobs, progress))

    def pcap(
        self,
        path: str | Path,
        *,
        point: int = 0,
        seed: int | None = None,
        node: int | None = None,
        flow: int | None = None,
        radio: bool = True,
        host: bool = True,
        lost: bool = False,
        monitor: bool = False,
        force: bool = False,
    ) -> Captured:
        """Does a run again and writes it as a pcapng file; it takes the same course.

        Args:
            path: the file; ``.gz`` or ``.zst`` at the end of its name compresses it.
            point: which point of the sweep, by its number.
            seed: which seed; default: the first.
            node: this node alone.
            flow: packets of this flow alone, and the frames that carry, announce or answer them.
            radio: frames at the radios.
            host: IP packets at the hosts.
            lost: frames and packets that were lost, too, each with a comment that says why.
            monitor: frames for others that a radio could read, too.
            force: replace a file that is there.

        Raises:
            InputError: there is no such point, seed, node or flow, or the file is there already.
            RunFailed: the file cannot be opened.
        """
        from hopscope.results.captured import Choice

        if self.capture is None:
            raise RunFailed("this result cannot be run again; run its scenario, or open its store")
        choice = Choice(node, flow, radio, host, lost, monitor)
        return self.capture(self, Path(path), choice, point=point, seed=seed, force=force)

    def timeline(
        self,
        start: str | float = 0,
        stop: str | float | None = None,
        *,
        nodes: Sequence[int] | None = None,
        point: int | str = 0,
        seed: int | None = None,
    ) -> Any:
        """Does a run again and draws who was on the air, who heard it and what each node waited for.

        The picture shows itself in a notebook; its ``write`` makes a file.

        Args:
            start: first instant, in seconds or with a unit ("1.2s").
            stop: last instant; default: 50 ms later.
            nodes: rows for these nodes alone.
            point: the point of the sweep, by its number from 0 or as ``key=value``.
            seed: the seed; default: the first.

        Raises:
            InputError: there is no such point or node, or too much happens in that time to be drawn.
        """
        return display.draw("timeline", self.scenario, start=start, stop=stop, nodes=nodes, point=point, seed=seed)

    def sequence(
        self,
        flow: int = 0,
        *,
        start: str | float | None = None,
        stop: str | float | None = None,
        point: int | str = 0,
        seed: int | None = None,
    ) -> Any:
        """Does a run again and draws the sequence numbers of a flow over time, as tcptrace does.

        Args:
            flow: number of the flow.
            start: first instant; default: the start of the run.
            stop: last instant; default: the end of the run.
            point: the point of the sweep, by its number from 0 or as ``key=value``.
            seed: the seed; default: the first.

        Raises:
            InputError: there is no such point or flow, or too much happens in that time to be drawn.
        """
        return display.draw("sequence", self.scenario, flow=flow, start=start, stop=stop, point=point, seed=seed)

    def to_json(self) -> dict[str, Any]:
        """Returns the result as ``--json`` prints it."""
        document: dict[str, Any] = {"hopscope": _core.version()}
        if self.scenario.is_quick:
            document["quick"] = True
        if self.partial:
            document["partial"] = True
        document["scenario"] = self.scenario.resolved
        document["points"] = [
            {"set": point.set, "runs": [_run_json(run) for run in point.runs], "summary": dict(point.summary)}
            for point in self.points
        ]
        if told := remarks.remarks(self):
            document["remarks"] = told
        if self.failures:
            document["failures"] = [{"point": f.point, "seed": f.seed, "message": f.message} for f in self.failures]
        return document

    def __repr__(self) -> str:
        runs = sum(len(point.runs) for point in self.points)
        return f"Result({self.scenario.title!r}, points={len(self.points)}, runs={runs}, failures={len(self.failures)})"


def compare(a: Result, b: Result, metric: str, *, point_a: int | None = None, point_b: int | None = None) -> Comparison:
    """Compares a metric of two results seed by seed (a minus b).

    Args:
        a: one result; ``differs`` of the comparison names the keys in which what was run differs.
        b: the other one.
        metric: as of :meth:`PointResult.samples`.
        point_a: which point of the sweep of ``a``; may be left out where there is only one.
        point_b: the same of ``b``.

    Raises:
        InputError: a result with several points and none named, or no seed with a sample on both sides.
        NotFound: no such point or metric.
    """
    left, right = _point(a, point_a, "point_a"), _point(b, point_b, "point_b")
    ours, theirs = left.by_seed(metric), right.by_seed(metric)
    shared = sorted(ours.keys() & theirs.keys())
    if not shared:
        raise InputError(f'no seed has a sample of "{metric}" in both results; a comparison pairs equal seeds')
    found = paired([ours[s] for s in shared], [theirs[s] for s in shared])
    return replace(found, differs=differences(a, left, b, right))


def _point(result: Result, index: int | None, argument: str) -> PointResult:
    """The point of a comparison."""
    if index is None and len(result.points) == 1:
        return result.points[0]
    if index is None:
        raise InputError(f"{argument}: {result.scenario.title!r} has several points; name one: {_told(result.points)}")
    found = next((point for point in result.points if point.index == index), None)
    if found is None:
        raise NotFound(f"{argument}: found {index!r}; {result.scenario.title!r} has {_told(result.points)}")
    return found


def _told(points: Sequence[PointResult]) -> str:
    """Points in words, a dozen at most."""
    words = [f"{point.index} ({in_words(point.set)})" if point.set else str(point.index) for point in points[:12]]
    return ", ".join(words) + (f" and {len(points) - 12} more" if len(points) > 12 else "")


def _run_of(result: Result, point: PointResult) -> tuple[dict[str, Any], set[str]]:
    """Every key of a point by its dotted name, and those that the scenario gives."""
    values = result.scenario.document
    values.pop("sweep", None)
    swept = {".".join(path) for axis in result.scenario.axes for path in key_paths(values, axis)}
    return _dotted(result.scenario.points[point.index].resolved), {*_dotted(values), *swept}


def differences(a: Result, point_a: PointResult, b: Result, point_b: PointResult) -> tuple[str, ...]:
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


def _run_json(run: RunResult) -> dict[str, Any]:
    """The public part of a run; nodes and links stay in the store."""
    document = {name: run[name] for name in ("seed", "flows", "network", "engine")}
    if run.get("groups"):
        document["groups"] = run["groups"]
    if run.get("distributions"):
        document["distributions"] = run["distributions"]
    if run.get("series"):
        document["series"] = {name: table.to_pydict() for name, table in run["series"].items()}
    return document
