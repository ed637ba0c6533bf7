"""A result as one table a metric, and as one array a metric: swept keys across, not down."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError, NotFound, instead
from hopscope.io.extras import need
from hopscope.results import metrics
from hopscope.results.points import BaseResult
from hopscope.results.samples import is_number
from hopscope.scenario.naming import spoken
from hopscope.scenario.sweep import written

if TYPE_CHECKING:
    import pandas as pd

    from hopscope.scenario import Scenario


@dataclass(frozen=True)
class SweptAxis:
    """A direction of the sweep: a key, or keys that change together.

    Attributes:
        name: the key; of those that change together one whose values differ, or all.
        keys: all of them.
        labels: its values in the order of the sweep.
    """

    name: str
    keys: tuple[str, ...]
    labels: tuple[Any, ...]

    def of(self, values: Mapping[str, Any]) -> Any:
        """The label of a point."""
        if self.name in values:
            return _label(values[self.name])
        return spoken({key: values[key] for key in self.keys})


def axes(scenario: Scenario) -> list[SweptAxis]:
    """The directions of a sweep."""
    found: list[SweptAxis] = []
    for key in scenario.axes:
        if any(key in axis.keys for axis in found):
            continue
        keys = (key, *scenario.swept_with(key))
        rows = list(zip(*(scenario.axes[one] for one in keys), strict=True))
        names = (one for at, one in enumerate(keys) if len({repr(row[at]) for row in rows}) == len(rows))
        axis = SweptAxis(next(names, ", ".join(keys)), keys, ())
        found.append(replace(axis, labels=tuple(axis.of(dict(zip(keys, row, strict=True))) for row in rows)))
    return found


def table(result: BaseResult, metric: str, flow: int | None = None) -> pd.DataFrame:
    """Means of a metric, the last swept key across and the others down; see :meth:`Result.table`."""
    need("pandas")
    import pandas as pd

    name = dotted(result, metric, flow)
    *down, across = axes(result.scenario) or [SweptAxis(metric, (), (metric,))]
    means = {
        (*(axis.of(point.set) for axis in down), across.of(point.set) if across.keys else metric): point.interval(
            name
        ).mean
        for point in result.points
        if point.runs
    }
    if not down:
        found = pd.DataFrame({metric: [means.get((label,)) for label in across.labels]}, dtype="float64")
        return found.set_axis(pd.Index(across.labels, name=across.name)) if across.keys else found
    rows = list(itertools.product(*(axis.labels for axis in down)))
    values = [[means.get((*row, label)) for label in across.labels] for row in rows]
    index = pd.MultiIndex.from_tuples(rows, names=[axis.name for axis in down])
    whole = index if down[1:] else index.get_level_values(0)
    return pd.DataFrame(values, whole, pd.Index(across.labels, name=across.name), dtype="float64")


def dotted(result: BaseResult, metric: str, flow: int | None = None) -> str:
    """A metric by its dotted name; one without a place is the only flow's, that of the flow named, or the network's.

    Raises:
        InputError: several flows, and none is named.
        NotFound: no such metric or flow.
    """
    flows = max((len(run["flows"]) for point in result.points for run in point.runs[:1]), default=0)
    if "." in metric:
        return metric
    if any(one.name == metric for one in metrics.metrics("flow")):
        if flow is None and flows > 1:
            raise InputError(f"flow: the runs have {flows} flows; name one, such as flow=0")
        if flow is not None and not 0 <= flow < flows:
            raise NotFound(f"flow={flow!r}: no such flow; the result has {flows}")
        return f"flow.{flow or 0}.{metric}"
    if any(one.name == metric for one in metrics.metrics("network")):
        return f"network.{metric}"
    known = [one.name for scope in ("flow", "network") for one in metrics.metrics(scope) if one.kind == "sample"]
    raise NotFound(f'no metric "{metric}"{instead(metric, known, "flows and the network have {}")}')


def to_xarray(result: BaseResult) -> Any:
    """All metrics of flows and of the network as an ``xarray.Dataset``; see :meth:`Result.to_xarray`."""
    need("xarray")
    import numpy as np
    import xarray

    scenario = result.scenario
    swept = axes(scenario)
    seeds = sorted({int(run["seed"]) for point in result.points for run in point.runs})
    flows = range(max((len(run["flows"]) for point in result.points for run in point.runs), default=0))
    of_network = {**{axis.name: list(axis.labels) for axis in swept}, "seed": seeds}
    of_flows = {**of_network, "flow": list(flows)}
    arrays: dict[str, Any] = {}
    for point in result.points:
        place = [axis.labels.index(axis.of(point.set)) for axis in swept]
        for run in point.runs:
            for name, at, value in _values(run):
                dims = of_network if at is None else of_flows
                if name not in arrays:
                    arrays[name] = tuple(dims), np.full([len(values) for values in dims.values()], np.nan)
                arrays[name][1][(*place, seeds.index(int(run["seed"])), *([] if at is None else [at]))] = value
    coordinates: dict[str, Any] = dict(of_flows)
    for axis in swept:  # keys that change with the one that names the axis
        others = (key for key in axis.keys if key != axis.name)
        coordinates |= {key: (axis.name, [_label(value) for value in scenario.axes[key]]) for key in others}
    data = {name: (dims, array, _about(name)) for name, (dims, array) in arrays.items()}
    return xarray.Dataset(data, coordinates, {"title": scenario.title})


# --- Parts ----------------------------------------------------------------------------------------------------------


def _label(value: Any) -> Any:
    """A swept value as a label: tables and lists as text."""
    return written(value) if isinstance(value, (dict, list)) else value


def _values(run: Mapping[str, Any]) -> Iterator[tuple[str, int | None, float]]:
    """The samples of a run: name, flow (None: of the network), value."""
    labels = metrics.of_kind("label", "text", "shares")
    rows = [*enumerate(run["flows"]), (None, {f"network.{name}": value for name, value in run["network"].items()})]
    for at, row in rows:
        for name, value in row.items():
            if name not in labels and is_number(value):
                yield name, at, value


def _about(name: str) -> dict[str, str]:
    """What an array says of itself."""
    entry = metrics.of(name if "." in name else f"flow.{name}")
    return {} if entry is None else {"units": entry.unit, "long_name": entry.heading, "description": entry.doc}
