"""A result set against what its user has measured: at each point the simulated mean less the measured one.

Nothing pairs a measurement with a seed: the half width of a difference is the root of the sum of the squares of both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hopscope.errors import InputError, NotFound, counted, listed
from hopscope.results.comparisons import Difference, Order
from hopscope.results.contrasts import Contrast, Contrasts, Side, named
from hopscope.results.measured import Measured
from hopscope.results.points import PointResult
from hopscope.results.samples import Estimate
from hopscope.results.stats import relative
from hopscope.scenario.naming import spoken

#: What the two sides are called.
SIMULATED, MEASURED = "simulated", "measured"

#: Places that a remark names.
_NAMED = 6


def against(side: Side, measured: Measured, metrics: Sequence[str] | None = None) -> Contrasts:
    """Sets points of a result against measurements.

    A file that lacks a swept key is set against each value of it.

    Args:
        side: what was simulated.
        measured: what was measured.
        metrics: those to compare; default: all that were measured.

    Raises:
        InputError: nothing that was measured was simulated, or a metric was not measured.
    """
    names = measured.metrics if metrics is None else named(metrics, [side])
    if absent := [name for name in names if name not in measured.metrics]:
        raise InputError(f"{measured.name}: has no {listed(absent)}; it has {listed(measured.metrics)}")
    rows = [row for name in names for point in side.points if (row := _row(point, measured, name)) is not None]
    if not rows:
        swept = ", ".join(spoken(point.set) for point in side.points[:_NAMED] if point.set) or "one point"
        raise InputError(f"{measured.name}: none of its places was simulated; {side.name} has {swept}")
    title = f"{SIMULATED} against {MEASURED} ({measured.name})"
    return Contrasts(title, rows, list(_remarks(side, measured)), headline=_headline(rows))


def is_simulated(place: Mapping[str, Any], points: Sequence[PointResult]) -> bool:
    """Whether one of the points has the values of a place."""
    return any(all(point.set.get(key) == value for key, value in place.items()) for point in points)


def _row(point: PointResult, measured: Measured, metric: str) -> Contrast | None:
    """The two means of a metric at a point; None where one of them has no sample."""
    theirs = measured.at(point.set, metric)
    if theirs is None or not point.runs:
        return None
    try:
        found = point.interval(metric)
    except NotFound as error:
        raise InputError(f"{measured.name}: {error}") from error
    if found.mean is None or found.min is None or found.max is None:
        return None
    ours = Estimate(found.mean, found.ci95, found.min, found.max, found.n)
    halves = [half for half in (ours.ci95, theirs.ci95) if half is not None]
    mean, half = ours.mean - theirs.mean, math.hypot(*halves) if halves else None
    order = Order.LOWER if mean < 0 else Order.HIGHER
    difference = Difference(Order.NOISE if abs(mean) <= (half or 0.0) else order, mean, half)
    seeds = "all seeds give one run" if point.is_one_run else counted(ours.n, "seed")
    given = " with its interval" if theirs.n == 1 and theirs.ci95 is not None else ""
    samples = f"{seeds}, {counted(theirs.n, 'measurement')}{given}"
    flows = len(point.runs[0]["flows"])
    return Contrast(
        metric, dict(point.set), SIMULATED, MEASURED, ours, theirs, difference, ours.n, "", flows, samples=samples
    )


def _headline(rows: Sequence[Contrast]) -> str:
    """How many measured values the simulation agrees with, and where it is farthest off."""
    noise = [row for row in rows if row.verdict in ("within noise", "equal")]
    values = counted(len(rows), "measured value")
    text = f"{len(noise)} of {values} cannot be distinguished from the simulation"
    off = [row for row in rows if row not in noise and row.percent is not None]
    if not off:
        return text
    worst = max(off, key=lambda row: abs(row.percent or 0))
    where = f" at {spoken(worst.place)}" if worst.place else ""
    return f"{text}; farthest off is {worst.heading}{where} ({relative(worst.percent or 0)})"


def _remarks(side: Side, measured: Measured) -> Iterator[str]:
    """What of the measurements was left out, and which keys they leave open."""
    apart = [place for place in measured.places() if not is_simulated(place, side.points)]
    if apart:
        more = f" and {len(apart) - _NAMED} more" if len(apart) > _NAMED else ""
        yield f"measured, not simulated: {', '.join(spoken(place) for place in apart[:_NAMED])}{more}"
    if open_ := [key for key in side.keys if key not in measured.keys]:
        yield f"{measured.name} has no column {listed(open_)}: each value is set against the same measurements"
