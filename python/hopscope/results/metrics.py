"""What the entries of results are, of flows, nodes, the network and groups, and its time series: the engine's tables.

Nothing is said of a metric here: name, unit, meaning, heading and where it is shown stand with the field of the
engine's result that holds it. Tables, reports and pages read them here.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from hopscope import _core

#: Places where a metric is shown unasked, each including those before it.
_PLACES = ("stored", "report", "terminal", "drawn")

#: What has a metric, in words, where that is not the name of the scope.
_PLACED = {"wire": "wire direction"}


@dataclass(frozen=True)
class Metric:
    """One entry of a result.

    Attributes:
        scope: what has it: ``flow``, ``node``, ``network`` or ``group``.
        name: its name in results.
        doc: what it means.
        unit: unit of its numbers.
        heading: heading of its column, without the unit.
        short: the same where room is scarce.
        kind: ``sample``, ``label``, ``text``, ``shares`` (of time by a value) or ``counts`` (by reason, part or kind).
        applies: ``always``, ``tcp`` or ``several`` (flows).
        shown: ``stored``, ``report``, ``terminal`` or ``drawn``.
        total: the metric of a group of flows that adds it up; empty: none.
    """

    scope: str
    name: str
    doc: str
    unit: str
    heading: str
    short: str
    kind: str
    applies: str
    shown: str
    total: str

    @property
    def label(self) -> str:
        """Its heading with the unit: ``delay (ms)``."""
        return f"{self.heading} ({self.unit})" if self.unit else self.heading


@dataclass(frozen=True)
class Series:
    """A time series that a run can keep.

    Attributes:
        name: its name in scenarios and results.
        doc: what it means.
        unit: unit of its values.
        heading: heading of its axis, without the unit.
        owner: what has one of its own, ``flow`` or ``node``; empty: the network as a whole.
        course: what a value says of the time around its instant: it holds until the next (``changes``), was read then
            (``readings``), belongs to the interval that ends then (``intervals``), or was measured then and of the time
            between nothing is known (``samples``).
    """

    name: str
    doc: str = ""
    unit: str = ""
    heading: str = ""
    owner: str = "flow"
    course: str = "changes"

    @property
    def label(self) -> str:
        """Its heading with the unit: ``throughput (kbit/s)``."""
        return f"{self.heading} ({self.unit})" if self.unit else self.heading


@functools.cache
def all_series() -> tuple[Series, ...]:
    """The time series that a run can keep."""
    return tuple(Series(**entry) for entry in _core.series())


def series(name: str) -> Series:
    """A time series by name; one that the engine does not know, as of another version, by its name alone."""
    return next((one for one in all_series() if one.name == name), Series(name, heading=name))


@functools.cache
def metrics(scope: str) -> tuple[Metric, ...]:
    """The entries that a flow, a node, a direction of a wire, the network or a group has, in order."""
    return tuple(Metric(**entry) for entry in _core.metrics() if entry["scope"] == scope)


def shown(scope: str, place: str) -> tuple[Metric, ...]:
    """The samples that are shown in a place: ``report``, ``terminal`` or ``drawn``."""
    least = _PLACES.index(place)
    return tuple(m for m in metrics(scope) if m.kind == "sample" and _PLACES.index(m.shown) >= least)


def of_kind(*kinds: str) -> frozenset[str]:
    """Names of the entries of these kinds."""
    scopes = ("flow", "node", "wire", "network", "group")
    return frozenset(m.name for scope in scopes for m in metrics(scope) if m.kind in kinds)


def of(metric: str) -> Metric | None:
    """The table's entry of a dotted metric; None where it is none of them."""
    scope, _, rest = metric.partition(".")
    return next((m for m in metrics(scope) if m.name == rest.rpartition(".")[2]), None)


def in_words(metric: str, flows: int = 2) -> str:
    """A dotted metric in words, without its unit: ``delay of flow 3``; of the only flow of a run, ``delay``."""
    found = of(metric)
    if found is None:
        return metric
    place = metric.split(".", 1)[1].rpartition(".")[0]
    if not place or (found.scope == "flow" and flows == 1):
        return found.heading
    return f"{found.heading} of {_PLACED.get(found.scope, found.scope)} {place}"


def label(metric: str, flows: int = 2) -> str:
    """A dotted metric as an axis names it: ``delay of flow 3 (ms)``; one that is not in the table as it is."""
    found = of(metric)
    words = in_words(metric, flows)
    return f"{words} ({found.unit})" if found is not None and found.unit else words
