"""The result of a scenario: its points, their runs, and the tables and statistics made from them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.errors import InputError, RunFailed
from hopscope.results import display, remarks
from hopscope.results.points import BaseResult, differences, point_of
from hopscope.results.stats import Comparison, paired
from hopscope.results.stored import RunResult

if TYPE_CHECKING:
    import pandas as pd

    from hopscope.results.captured import Captured
    from hopscope.results.contrasts import Contrasts
    from hopscope.results.distributions import Distribution
    from hopscope.results.explain import Explanation


class Result(BaseResult):
    """What a scenario gave, with its tables, pictures and comparisons.

    Attributes:
        scenario: what was run.
        points: the combinations of the sweep with their runs.
        failures: replications that did not finish.
        again: runs a scenario at so many runs at a time, with or without a bar; set by who ran this one.
        capture: does a run again and writes its capture; set by who ran this one.
        live: of a run on real stacks: kernel, machine, when it began, seconds, verdict, cause; None: simulations.
    """

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

    def table(self, metric: str, *, flow: int | None = None) -> pd.DataFrame:
        """Returns the means of a metric over the sweep: the last swept key across, the others down.

        Args:
            metric: dotted (``network.jain``), or a name that flows or the network have (``delay_ms``).
            flow: whose, where there are several flows.

        Raises:
            InputError: several flows, and none is named.
            NotFound: no such metric or flow.
        """
        from hopscope.results.wide import table

        return table(self, metric, flow)

    def to_xarray(self) -> Any:
        """Returns all metrics as an ``xarray.Dataset``: a dimension for each swept key, the seed and the flow.

        Those of the network are named ``network.NAME``; keys that change together share a dimension. It needs the
        extra ``xarray``.

        Raises:
            InputError: xarray is not installed.
        """
        from hopscope.results.wide import to_xarray

        return to_xarray(self)

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

        What the series are, their units, and what a value says of the time around ``t_s``:
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

    def measured(
        self,
        what: str | Path | pd.DataFrame,
        columns: Mapping[str, str] | None = None,
        *,
        only: Sequence[str] | None = None,
    ) -> Contrasts:
        """Returns the result set against what was measured; see :func:`hopscope.results.measured.read`.

        Args:
            what: a file of comma-separated values, or a pandas table: columns of swept keys and of metrics.
            columns: name of a column -> key or metric that it holds, ``"-"`` to leave it out; others are found by name.
            only: metrics to compare; default: all that were measured.

        Raises:
            InputError: a column, a unit or a value without meaning here, or nothing that was simulated.
        """
        from hopscope.results.against import against
        from hopscope.results.contrasts import Side
        from hopscope.results.measured import read

        side = Side(self.scenario.title, self, self.points)
        return against(side, read(what, self.scenario, columns), only)

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
            RunFailed: it ran on real stacks.
        """
        self._check_again()
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
            RunFailed: it ran on real stacks.
        """
        self._check_again()
        return display.draw("sequence", self.scenario, flow=flow, start=start, stop=stop, point=point, seed=seed)

    def _check_again(self) -> None:
        """Refuses to simulate what real stacks did.

        Raises:
            RunFailed: it ran on real stacks.
        """
        if self.live is not None:
            raise RunFailed("a run on real stacks cannot be done again: its scenario can be simulated")

    def to_json(self) -> dict[str, Any]:
        """Returns the result as ``--json`` prints it."""
        document: dict[str, Any] = {"hopscope": _core.version()}
        if self.scenario.is_quick:
            document["quick"] = True
        if self.partial:
            document["partial"] = True
        if self.live is not None:
            document["live"] = dict(self.live)
        document["scenario"] = self.scenario.resolved
        document["points"] = [
            {"set": point.set, "runs": [_run_json(run) for run in point.runs], "summary": dict(point.summary)}
            for point in self.points
        ]
        if reported := remarks.remarks(self):
            document["remarks"] = reported
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
    left, right = point_of(a, point_a, "point_a"), point_of(b, point_b, "point_b")
    ours, theirs = left.by_seed(metric), right.by_seed(metric)
    shared = sorted(ours.keys() & theirs.keys())
    if not shared:
        raise InputError(f'no seed has a sample of "{metric}" in both results; a comparison pairs equal seeds')
    found = paired([ours[s] for s in shared], [theirs[s] for s in shared])
    return replace(found, differs=differences(a, left, b, right))


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
