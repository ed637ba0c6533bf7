"""What a study measures: metrics by name, and readings of them at places.

A `Measure` is a metric of a run under the name that the study gives it: a path into the result, a ratio, difference or
sum of other measures, or a function of the study's own Python. A `Reading` is a number of a whole setting: the mean of
a measure at a place, where its best value over a sweep lies, or one reading over another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import add, mul, sub, truediv
from statistics import fmean, median, pstdev
from typing import Any

from hopscope.errors import shown
from hopscope.results.comparisons import best
from hopscope.results.samples import Estimate, NoSamplesError, Run, Table, Where, estimate, read
from hopscope.studies.folder import Part
from hopscope.studies.timeline import ENDS, OVER_TIME
from hopscope.studies.timeline import metric as over_time

FORMS = ("path", "ratio", "difference", "sum", "product", "time", "python")
Replicas = Mapping[tuple[Any, ...], float]
"""Samples by replication, see `Table.by_replica`."""

OVER: Mapping[str, Any] = {"sum": sum, "mean": fmean, "largest": max, "least": min, "deviation": pstdev}
"""What is made of the values at all flows or nodes of a path with a star; those without a value are left out."""


@dataclass(frozen=True)
class Measure:
    """A metric of a run, by the name of the study.

    Attributes:
        name: as statements and `published.csv` call it.
        label: as tables and figures call it.
        unit: its unit, empty for a plain number.
        value: computes it from a run.
        paths: of a metric by path, where its values stand in a run, one or many.
    """

    name: str
    label: str
    unit: str
    value: Callable[[Run], float | None]
    paths: Callable[[Run], list[str]] | None = None

    @property
    def __name__(self) -> str:
        return self.label

    @property
    def heading(self) -> str:
        """The label with the unit, for axes and panels."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    def __call__(self, run: Run) -> float | None:
        """The value in a run, or the published one in a row of published numbers."""
        if "published" in run:
            found: float | None = run["published"].get(self.name)
            return found
        return self.value(run)


def read_measures(part: Part) -> dict[str, Measure]:
    """The measures of a study: `[metric.NAME]` with `unit`, `label` and one of `FORMS`, `scale` times over."""
    found: dict[str, Measure] = {}
    for name, own in part.parts("metric"):
        label, unit = own.text("label", name), own.text("unit", "")
        scale = own.number("scale", 1.0)
        given = [form for form in FORMS if own.has(form)]
        if len(given) != 1:
            own.problem("", f"needs one of {', '.join(FORMS)}")
        elif given == ["path"]:
            over = own.text("over", "sum", choices=OVER)
            first = own.number("first", 0)
            if own.has("first") and (first not in range(1000) or "*" not in own.text("path")):
                own.problem(
                    "first", f"found {shown(own.values['first'])}; allowed: a number from 0, with a path that has *"
                )
            paths = partial(_paths, own.text("path"), int(first))
            found[name] = Measure(name, label, unit, _path(paths, scale, over), paths)
        elif given == ["time"]:
            what, flow = own.text("time", choices=OVER_TIME), own.values_of("flow")
            until = own.text("until", "run", choices=ENDS)
            if what in OVER_TIME:
                found[name] = Measure(name, label, unit, over_time(what, flow[0] if flow else 0, until))
        elif given == ["python"]:
            function = own.function("python")
            if function is not None:
                found[name] = Measure(name, label, unit, function)
        else:
            parts = own.texts(given[0])
            terms = [found[term].value if term in found else _path(partial(_paths, term, 0), 1.0) for term in parts]
            if len(terms) < 2:
                own.problem(given[0], "needs two measures or paths")
            found[name] = Measure(name, label, unit, _combined(given[0], terms, scale))
        own.done("a metric")
    return found


def _paths(path: str, first: int, run: Run) -> list[str]:
    """A path with a star at every flow or node from number `first` on; another as it is."""
    scope, star, rest = path.partition(".*.")
    return [f"{scope}.{place}.{rest}" for place in range(first, len(run[f"{scope}s"]))] if star else [path]


def _path(paths: Callable[[Run], list[str]], scale: float, over: str = "sum") -> Callable[[Run], float | None]:
    reduce = OVER.get(over, sum)

    def value(run: Run) -> float | None:
        values = [one for each in paths(run) if (one := read(run, each)) is not None]
        return scale * float(reduce(values)) if values else None

    return value


def _combined(form: str, terms: Sequence[Callable[[Run], float | None]], scale: float) -> Callable[[Run], float | None]:
    join = {"ratio": truediv, "difference": sub, "sum": add, "product": mul}[form]

    def value(run: Run) -> float | None:
        found = [one for term in terms if (one := term(run)) is not None]
        if len(found) < len(terms) or (form == "ratio" and 0 in found[1:]):
            return None
        return scale * float(reduce(join, found))

    return value


OF = ("mean", "median", "best at", "largest", "least", "loss", "gain")
"""Forms of a reading: the mean or the median over the seeds at a place; the swept value where the mean is largest; the
largest and the least mean over a sweep; by how many per cent the value at `at` lies below the largest over the sweep,
or above that at the place `over`."""


@dataclass(frozen=True)
class Reading:
    """A number of a setting.

    Attributes:
        measure: what is read.
        at: swept values of the place.
        of: see `OF`.
        along: swept key, where `of` needs one.
        over: swept values of the place whose value divides, giving per cent; paired by seed.
        first, last: ends of the part of the sweep that counts.
    """

    measure: Measure
    at: Where = field(default_factory=dict)
    of: str = "mean"
    along: str = ""
    over: Where | None = None
    first: Any = None
    last: Any = None

    def take(self, table: Table, other: Table | None = None) -> Estimate:
        """The reading in a setting; `over` and a difference of settings are read in `other` if given.

        Raises:
            NoSamplesError: the setting has no run there.
        """
        if self.of == "best at":
            return best(table, self.along, self.measure, self.at).value()
        if self.of == "median":
            half = median(table.samples(self.measure, self.at))
            if other is not None or self.over is not None:
                half *= 100 / median((other or table).samples(self.measure, self.over or self.at))
            return Estimate(half, None, half, half, 1)
        if self.of in ("largest", "least", "loss"):
            over, there = (None, None) if self.of == "loss" else (self.over, other)
            spots = {value: {**self.at, self.along: value} for value in table.values(self.along)}
            found = curve(table, self.measure, spots, over, there, None, self.first, self.last)
            if not found:
                raise NoSamplesError(f"no sample of {self.measure.label} along {self.along}")
            values = {at: estimate(list(samples.values())) for at, samples in found.items()}
            end = (min if self.of == "least" else max)(values, key=lambda at: values[at].mean)
            if self.of != "loss":
                return values[end]
            return paired(table, self.measure, self.at, table, spots[end], lambda a, b: 100 * (1 - a / b))
        if self.over is not None or other is not None:
            place = self.at if self.over is None else self.over
            less = 1 if self.of == "gain" else 0
            return paired(table, self.measure, self.at, other or table, place, lambda a, b: 100 * (a / b - less))
        return table.interval(self.measure, self.at)

    def find(self, table: Table) -> Estimate | None:
        """The reading; `None` where the setting does not have it."""
        try:
            return self.take(table)
        except (NoSamplesError, ZeroDivisionError):
            return None


def paired(
    table: Table,
    measure: Measure,
    at: Where,
    other: Table,
    place: Where,
    form: Callable[[float, float], float],
    against: Measure | None = None,
) -> Estimate:
    """What `form` makes of a measure at a place of a table and one at another place, by replication."""
    first, second = table.by_replica(measure, at), other.by_replica(against or measure, place)
    shared = sorted(first.keys() & second.keys())
    if not shared:
        raise NoSamplesError(f"no seed with both {dict(at)} and {dict(place)}")
    return estimate([form(first[seed], second[seed]) for seed in shared])


def curve(
    table: Table,
    measure: Measure,
    places: Mapping[Any, Where],
    over: Where | None = None,
    other: Table | None = None,
    minus: Where | None = None,
    first: Any = None,
    last: Any = None,
) -> dict[Any, Replicas]:
    """The samples of a measure at places by name, those from `first` to `last`; places without one are left out.

    In per cent of itself at `over` or in another setting, and less itself at `minus`, by replication.
    """
    low, high = (None if end is None else position(end) for end in (first, last))
    found: dict[Any, Replicas] = {}
    for name, at in places.items():
        if (low is not None and position(name) < low) or (high is not None and position(name) > high):
            continue
        values = table.by_replica(measure, at)
        if over is not None or other is not None:
            whole = (other or table).by_replica(measure, {**at, **(over or {})})
            values = {seed: 100 * value / whole[seed] for seed, value in values.items() if whole.get(seed)}
        if minus is not None:
            less = table.by_replica(measure, {**at, **minus})
            values = {seed: values[seed] - less[seed] for seed in values.keys() & less.keys()}
        if values:
            found[name] = values
    return found


def position(value: Any) -> float:
    """A swept value as a number; of a text the number that it begins with ("1730kbps").

    Raises:
        NoSamplesError: it begins with none.
    """
    if isinstance(value, str):
        found = re.match(r"[-+]?\d+(\.\d+)?", value)
        if found is None:
            raise NoSamplesError(f"{value!r} is no number")
        return float(found[0])
    return float(value)
