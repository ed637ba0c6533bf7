"""Distributions of delays and of gaps between arrivals: histograms that add up, their percentiles and CDFs.

The engine counts every delay in classes that grow with the value (HDR histogram): a percentile is that of the sorted
values to 0.4 %, and below 131 us to 0.26 us.  Histograms of several seeds have the same classes, so that adding them
loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError, NotFound, instead, ranges
from hopscope.io.extras import need

if TYPE_CHECKING:
    import pandas as pd

    from hopscope.results.points import BaseResult, PointResult
    from hopscope.results.stored import RunResult

#: What there are distributions of: name -> heading of an axis, in ms.
KINDS = {"delay": "delay", "gap": "gap between arrivals"}


@dataclass(frozen=True)
class Distribution:
    """Values counted in classes.

    Attributes:
        low_ms: smallest value of each class with values in it, in order (ms).
        high_ms: smallest value of the class above each (ms).
        count: number of values in each.
    """

    low_ms: tuple[float, ...]
    high_ms: tuple[float, ...]
    count: tuple[int, ...]

    @property
    def n(self) -> int:
        """Number of values."""
        return sum(self.count)

    def percentile(self, per_cent: float) -> float:
        """Returns the smallest value (ms) that at least so many per cent of all do not exceed.

        It is the middle of its class: the order statistic to 0.4 %.

        Raises:
            InputError: a share outside 0 to 100, or no values.
        """
        if not 0 <= per_cent <= 100:
            raise InputError(f"percentile: found {per_cent}; expected 0 to 100")
        if not self.count:
            raise InputError("percentile: there are no values")
        wanted, below = per_cent / 100 * self.n, 0
        for low, high, count in zip(self.low_ms, self.high_ms, self.count, strict=True):
            below += count
            if below >= wanted:
                return (low + high) / 2
        return (self.low_ms[-1] + self.high_ms[-1]) / 2

    @property
    def cdf(self) -> pd.DataFrame:
        """The share of values below each upper end of a class: columns ``value_ms``, ``share``."""
        need("pandas")
        import pandas as pd

        total, below, shares = self.n, 0, []
        for count in self.count:
            below += count
            shares.append(below / total)
        return pd.DataFrame({"value_ms": list(self.high_ms), "share": shares})

    @property
    def histogram(self) -> pd.DataFrame:
        """The classes with values in them: columns ``low_ms``, ``high_ms``, ``count``."""
        need("pandas")
        import pandas as pd

        return pd.DataFrame({"low_ms": list(self.low_ms), "high_ms": list(self.high_ms), "count": list(self.count)})

    def __add__(self, other: Distribution) -> Distribution:
        """The distribution of all values of both."""
        return added([self, other])

    def __repr__(self) -> str:
        reported = f", median {self.percentile(50):.4g} ms, p99 {self.percentile(99):.4g} ms" if self.count else ""
        return f"Distribution(n={self.n}{reported})"


def added(several: Iterable[Distribution]) -> Distribution:
    """The distribution of all values of several."""
    found: dict[tuple[float, float], int] = {}
    for one in several:
        for low, high, count in zip(one.low_ms, one.high_ms, one.count, strict=True):
            found[low, high] = found.get((low, high), 0) + count
    classes = sorted(found)
    return Distribution(
        tuple(low for low, _ in classes), tuple(high for _, high in classes), tuple(found[at] for at in classes)
    )


def has_distributions(result: BaseResult) -> bool:
    """Whether the runs kept their distributions."""
    runs = [run for point in result.points for run in point.runs]
    return bool(runs) and all("distributions" in run for run in runs)


def distribution(
    result: BaseResult, name: str, *, flow: int | None, point: int | None, seed: int | None
) -> Distribution:
    """The distribution of a flow or of all flows, over seeds or of one; see :meth:`Result.distribution`."""
    if name not in KINDS:
        raise NotFound(f'no distribution of "{name}"{instead(name, KINDS, "there are {}")}')
    points = [entry for entry in result.points if point in (None, entry.index)]
    if not points:
        raise NotFound(f"point={point!r}: no such point; the result has {ranges([p.index for p in result.points])}")
    if point is None and len(points) > 1:
        raise InputError(f"point: {result.scenario.title!r} has {len(points)} points; name one")
    return of_point(points[0], name, flow=flow, seed=seed)


def curves(result: BaseResult, name: str) -> Iterator[tuple[PointResult, int, Distribution]]:
    """The distributions that have a shape: point, flow, and the values of all seeds, at least two of them."""
    for point in result.points:
        for flow in range(max((len(run["flows"]) for run in point.runs), default=0)):
            found = of_point(point, name, flow=flow)
            if found.n > 1:
                yield point, flow, found


def of_point(point: PointResult, name: str, *, flow: int | None, seed: int | None = None) -> Distribution:
    """The distribution of a point of runs that kept it."""
    runs = [run for run in point.runs if seed in (None, run["seed"])]
    if not runs:
        raise NotFound(f"seed={seed!r}: no such seed; the point has {ranges([run['seed'] for run in point.runs])}")
    flows = len(runs[0]["flows"])
    if flow is not None and not 0 <= flow < flows:
        raise NotFound(f"flow={flow!r}: no such flow; the result has {ranges(list(range(flows)))}")
    return added(_of_run(run, name, flow) for run in runs)


def _of_run(run: RunResult, name: str, flow: int | None) -> Distribution:
    table: Mapping[str, Any] = run["distributions"][name]
    chosen = [place for place, of in enumerate(table["flow"]) if flow in (None, of)]
    columns = (tuple(table[column][place] for place in chosen) for column in ("low_ms", "high_ms", "count"))
    return Distribution(*columns)
