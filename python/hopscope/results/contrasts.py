"""Two sides compared: the points of results paired by seed, each metric with its difference and verdict.

`contrasts` sets two results, or points of them, against each other; `across` sets the values of one swept key against
the first of them. What could not be paired is said, and where nothing can be paired that is an error.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError, NotFound, counted, did_you_mean, instead, listed, ranges
from hopscope.io.extras import need
from hopscope.results import metrics as metrics_
from hopscope.results.comparisons import Difference, Order, difference
from hopscope.results.points import BaseResult, PointResult, differences
from hopscope.results.samples import Estimate, NoSamplesError, Table, estimate, read
from hopscope.results.stats import number, relative, rounded
from hopscope.results.stored import are_one_run
from hopscope.scenario.naming import spoken
from hopscope.scenario.sweep import in_words, written

if TYPE_CHECKING:
    import pandas as pd

#: Flows whose own metrics are compared unasked; of more flows only the network's and the groups' are.
_FLOWS = 4

#: Points that a remark names.
_REPORTED = 6

#: Keys whose words say by themselves what they are: "tcp-cubic", "aodv", "fq-codel". Of others a word needs its key.
_SPEAKING = frozenset(
    {"transport", "control", "recovery", "protocol", "preset", "profile", "link", "kind", "app", "model"}
)


@dataclass(frozen=True)
class Side:
    """One of two sides.

    Attributes:
        name: what sentences and figures call it.
        result: what its points belong to.
        points: those of them that are compared.
        is_named: the name stays, even where the sides differ in one key whose values would name them.
    """

    name: str
    result: BaseResult
    points: Sequence[PointResult]
    is_named: bool = True

    @property
    def table(self) -> Table:
        """The points as a table of samples."""
        return Table(self.name, [(point.set, point.runs) for point in self.points])

    @property
    def keys(self) -> list[str]:
        """The keys in which its points differ from each other."""
        keys = dict.fromkeys(key for point in self.points for key in point.set)
        return [key for key in keys if len({repr(point.set.get(key)) for point in self.points}) > 1]


@dataclass(frozen=True)
class Contrast:
    """One metric of two sides at one place.

    Attributes:
        metric: its dotted name.
        place: swept values that both sides share.
        first, second: names of the sides.
        ours, theirs: the metric of the first and of the second, over the paired replications.
        difference: first minus second, replication by replication.
        n: number of pairs.
        alone: replications (seeds) that only one side has, in words; empty where all are paired.
        flows: number of flows of a run; one flow needs no number.
        is_exact: the replications of each side are one run, so that the difference has no noise.
        samples: what the two means are of, where they are not paired: "5 seeds, 3 measurements".
    """

    metric: str
    place: Mapping[str, Any]
    first: str
    second: str
    ours: Estimate
    theirs: Estimate
    difference: Difference
    n: int
    alone: str
    flows: int
    is_exact: bool = False
    samples: str = ""

    @property
    def unit(self) -> str:
        """Unit of the metric."""
        found = metrics_.of(self.metric)
        return found.unit if found is not None else ""

    @property
    def heading(self) -> str:
        """The metric in words, without its unit: "delay", "delay of flow 3"."""
        return metrics_.in_words(self.metric, self.flows)

    @property
    def percent(self) -> float | None:
        """The difference in per cent of the second side; `None` where that is zero."""
        return 100 * self.difference.mean / abs(self.theirs.mean) if self.theirs.mean else None

    @property
    def verdict(self) -> str:
        """In a word or two: "higher", "lower", "within noise", "equal", "one seed", "no interval"."""
        if self.difference.mean == 0 and not self.difference.ci95:
            return "equal"
        if self.difference.ci95 is None and not self.is_exact:
            return "no interval" if self.samples else "one seed"
        return self.difference.order.value

    @property
    def sentence(self) -> str:
        """The verdict with its numbers, as one sentence without a full stop."""
        # What is itself a share differs in points: after "(-84 %)" its difference would look like another share of it.
        unit = " percentage points" if self.unit == "%" else f" {self.unit}" if self.unit else ""
        where = f" at {spoken(self.place)}" if self.place else ""
        subject = f"{self.heading}{where}"
        size = rounded(abs(self.difference.mean), self.difference.ci95)
        share = "" if self.percent is None else f" ({relative(self.percent)})"
        exact = "nothing is random: all seeds give one run"
        pairs = self.samples or (exact if self.is_exact else counted(self.n, "seed"))
        if self.verdict == "equal":
            if self.is_exact or self.samples:
                return f"{subject}: {self.first} and {self.second} are equal; {pairs}"
            return f"{subject}: {self.first} and {self.second} are equal in each of {pairs}"
        if self.difference.ci95 is None and not self.is_exact:
            signed = f"{self.difference.mean:+.4g}{unit}"
            names = f"{self.first} against {self.second}"
            if self.samples:
                return f"{subject}: {names} {signed}{share}, without an interval ({pairs})"
            return f"{subject}: {names} {signed}{share} in one seed, which says nothing of noise"
        if self.difference.order is Order.NOISE:
            signed = rounded(self.difference.mean, self.difference.ci95)
            return (
                f"{subject}: within noise, {self.first} and {self.second} cannot be distinguished "
                f"({signed}{unit}, {pairs})"
            )
        order = "higher" if self.difference.order is Order.HIGHER else "lower"
        return f"{subject}: {self.first} is {order} than {self.second} by {size}{unit}{share}, {pairs}"

    def as_dict(self) -> dict[str, Any]:
        """The comparison as plain data."""
        return {
            "metric": self.metric,
            "unit": self.unit,
            "set": dict(self.place),
            "first": self.first,
            "second": self.second,
            "first_mean": self.ours.mean,
            "first_ci95": self.ours.ci95,
            "second_mean": self.theirs.mean,
            "second_ci95": self.theirs.ci95,
            "difference": self.difference.mean,
            "ci95": self.difference.ci95,
            "percent": self.percent,
            "n": self.n,
            "verdict": self.verdict,
            **({"samples": self.samples} if self.samples else {}),
        }


class Contrasts:
    """Everything that was compared.

    Attributes:
        title: what was compared with what.
        rows: one entry for each metric, place and pair of sides.
        remarks: what a reader should know: in which keys the sides differ, what was not paired.
        headline: all of it in one sentence; empty where the sentences of the rows say it.
    """

    def __init__(
        self, title: str, rows: Sequence[Contrast], remarks: Sequence[str] = (), *, headline: str = ""
    ) -> None:
        self.title = title
        self.rows = list(rows)
        self.remarks = list(remarks)
        self.headline = headline

    @property
    def sentences(self) -> list[str]:
        """One sentence a comparison."""
        return [row.sentence for row in self.rows]

    @property
    def is_paired(self) -> bool:
        """Whether differences are taken seed by seed; else they are those of means."""
        return not any(row.samples for row in self.rows)

    @property
    def table(self) -> pd.DataFrame:
        """One row a comparison: the names of the sides, means, difference, half width of its 95 % interval, verdict."""
        need("pandas")
        import pandas as pd

        rows = [row.as_dict() for row in self.rows]
        return pd.DataFrame([{**{k: v for k, v in row.items() if k != "set"}, **row["set"]} for row in rows])

    def plot(self) -> Any:
        """The figure of the comparisons, a matplotlib figure: a panel for each metric."""
        from hopscope.results import display

        return display.picture("contrasts", self)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain data."""
        headline = {"headline": self.headline} if self.headline else {}
        rows = [row.as_dict() for row in self.rows]
        return {"title": self.title, **headline, "comparisons": rows, "remarks": self.remarks}

    def __repr__(self) -> str:
        texts = [*filter(None, [self.headline]), *self.sentences, *self.remarks]
        return "\n".join([f"Contrasts({self.title!r})", *(f"  {text}" for text in texts)])

    def _repr_html_(self) -> str:
        from hopscope.results import display

        return str(display.draw("contrasts-html", self))


def contrasts(
    first: Side | BaseResult, second: Side | BaseResult, metrics: Sequence[str] | None = None, *, by: str | None = None
) -> Contrasts:
    """Compare two sides, paired by seed.

    Points are set against each other where the swept keys that both sides have are equal; a key that only one side
    sweeps is crossed with the other side.

    Args:
        first: one side; a result stands for all its points.
        second: the other one.
        metrics: dotted names, or names that each flow or the network has ("delay_ms"); default: throughput, delay and
            loss, and of several flows the network's throughput and fairness.
        by: one swept key: one comparison for each of its values, over all replications at the other keys.

    Raises:
        InputError: the sides have no point or no seed in common, or do not sweep ``by``.
        NotFound: a side has no such metric.
    """
    first, second = _with_different_names(_as_side(first), _as_side(second))
    names = named(metrics, [first, second])
    places, remarks = _places(first, second, by)
    rows: list[Contrast] = []
    for place in places:
        sides = (first.table, place.ours, first.name), (second.table, place.theirs, second.name)
        rows += _rows(*sides, place.reported, names)
    reported = _of_runs(first, second)
    if not rows:
        raise InputError(_nothing(first, second, names))
    differ = differences(first.result, first.points[0], second.result, second.points[0])
    if not differ and not (first.keys or second.keys):
        reported.append("the two sides are the same scenario")
    elif differ and not _are_named(first, second, differ):
        reported.append(f"{first.name} / {second.name}: {', '.join(differ)}")
    return Contrasts(f"{first.name} against {second.name}", rows, [*remarks, *_of_pairs(rows), *reported, *_many(rows)])


def across(
    result: BaseResult, key: str, metrics: Sequence[str] | None = None, *, values: Sequence[Any] | None = None
) -> Contrasts:
    """Compare the values of a swept key with the first of them, paired by seed, at each combination of the other keys.

    Args:
        result: what was run.
        key: the swept key.
        metrics: as of :func:`contrasts`.
        values: those to compare, the first is what the others are set against; default: all.

    Raises:
        InputError: the key is not swept, has one value, or nothing can be paired.
        NotFound: a value that was not run, or no such metric.
    """
    if key not in result.scenario.axes:
        swept = listed(result.scenario.axes)
        hint = f"swept are {swept}{did_you_mean(key, result.scenario.axes)}" if swept else "nothing is swept"
        raise InputError(f'{result.scenario.title}: "{key}" is not swept; {hint}')
    there = list(result.scenario.axes[key])
    chosen = there if values is None else list(values)
    if absent := [value for value in chosen if value not in there]:
        raise NotFound(f"{key}: found {ranges(absent)}; {result.scenario.title} has {ranges(there)}")
    if len(chosen) < 2:
        raise InputError(f"{key}: one value ({written(chosen[0])}) has nothing to be compared with")
    whole = Side(result.scenario.title, result, result.points)
    names = named(metrics, [whole])
    table = whole.table
    linked = {key, *result.scenario.swept_with(key)}
    rest: list[dict[str, Any]] = []
    for point in result.points:
        place = {name: value for name, value in point.set.items() if name not in linked}
        if place not in rest:
            rest.append(place)
    base, *others = chosen
    rows: list[Contrast] = []
    for place, other in itertools.product(rest, others):
        ours, theirs = {**place, key: other}, {**place, key: base}
        rows += _rows((table, ours, _called(key, other)), (table, theirs, _called(key, base)), place, names)
    if not rows:
        raise InputError(f"{key}: no seed has a sample of {listed(names)} at two of its values")
    rows.sort(key=lambda row: names.index(row.metric))
    against = ", ".join(_called(key, value) for value in others)
    return Contrasts(f"{against} against {_called(key, base)}", rows, [*_of_pairs(rows), *_many(rows)])


def _called(key: str, value: Any) -> str:
    """A value of a key as the name of a side: a word that says what it is stands for itself."""
    name = key.rpartition(".")[2]
    return value if isinstance(value, str) and name in _SPEAKING else f"{name} = {written(value)}"


def _as_side(given: Side | BaseResult) -> Side:
    return given if isinstance(given, Side) else Side(given.scenario.title, given, given.points, is_named=False)


def _with_different_names(first: Side, second: Side) -> tuple[Side, Side]:
    """The two sides, named by the values of the only key in which they differ."""
    differ = differences(first.result, first.points[0], second.result, second.points[0])
    if len(differ) == 1 and not (first.keys or second.keys or first.is_named or second.is_named):
        key, _, values = differ[0].partition(" = ")
        ours, slash, theirs = values.partition(" / ")
        if slash and ours != theirs:
            quoted = ours.startswith('"') and theirs.startswith('"')
            bare = [text.strip('"') if quoted else text for text in (ours, theirs)]
            speaks = quoted and key.rpartition(".")[2] in _SPEAKING
            names = bare if speaks else [f"{key.rpartition('.')[2]} = {text}" for text in bare]
            return replace(first, name=names[0]), replace(second, name=names[1])
    if first.name == second.name:
        return replace(first, name=f"{first.name} (A)"), replace(second, name=f"{second.name} (B)")
    return first, second


def default_metrics(*results: BaseResult) -> list[str]:
    """The metrics that are compared unasked: those that mean the same in all runs, however many flows these have."""
    runs = [point.runs[0] for result in results for point in result.points if point.runs]
    if not runs:
        return []
    counts = {len(run["flows"]) for run in runs}
    groups = [name for name in runs[0].get("groups", {}) if all(name in run.get("groups", {}) for run in runs)]
    drawn = [metric.name for metric in metrics_.shown("flow", "drawn")]
    if counts == {1}:
        return [f"flow.0.{name}" for name in drawn]
    found = ["network.aggregate_kbps", "network.jain"]
    totals = [m.total for m in metrics_.shown("flow", "drawn") if m.total]
    found += [f"group.{group}.{name}" for group in groups for name in totals]
    if len(counts) == 1 and max(counts) <= _FLOWS:
        found += [f"flow.{flow}.{name}" for name in drawn for flow in range(max(counts))]
    return found


# --- Metrics --------------------------------------------------------------------------------------------------------


def named(wanted: Sequence[str] | None, sides: Sequence[Side]) -> list[str]:
    """The dotted metrics that were asked for, which each side must have."""
    results = [side.result for side in sides]
    empty = [side.name for side in sides if not any(point.runs for point in side.points)]
    if empty:
        raise InputError(f"{' and '.join(empty)}: no run has finished")
    if wanted is None:
        return default_metrics(*results)
    names = dict.fromkeys(name for text in wanted for name in _spelt(text, results))
    for name, side in itertools.product(names, sides):
        run = next(point.runs[0] for point in side.points if point.runs)
        try:
            read(run, name)
        except NotFound as error:
            raise NotFound(f"{side.name}: {error}") from error
    return list(names)


def _spelt(text: str, results: Sequence[BaseResult]) -> Iterator[str]:
    """A metric by its dotted name; one without a place is that of every flow, or of the network."""
    if "." in text:
        yield text
        return
    flows = min(len(next(p.runs[0] for p in result.points if p.runs)["flows"]) for result in results)
    if any(metric.name == text for metric in metrics_.metrics("flow")):
        yield from (f"flow.{flow}.{text}" for flow in range(flows))
    elif any(metric.name == text for metric in metrics_.metrics("network")):
        yield f"network.{text}"
    else:
        known = [m.name for scope in ("flow", "network") for m in metrics_.metrics(scope) if m.kind == "sample"]
        raise NotFound(f'no metric "{text}"{instead(text, known, "flows and the network have {}")}')


# --- Places ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Place:
    """Where two sides are compared: its swept values in words, and those of each side."""

    reported: dict[str, Any]
    ours: dict[str, Any]
    theirs: dict[str, Any]


def _places(first: Side, second: Side, by: str | None) -> tuple[list[_Place], list[str]]:
    """Where the sides are compared, and which points only one of them has."""
    ours, theirs = (list(dict.fromkeys(key for point in side.points for key in point.set)) for side in (first, second))
    shared = [key for key in ours if key in theirs]
    if by is not None:
        for side, keys in ((first, ours), (second, theirs)):
            if by not in keys:
                hint = f"swept are {listed(keys)}{did_you_mean(by, keys)}" if keys else "nothing is swept"
                raise InputError(f'{side.name}: "{by}" is not swept; {hint}')
        shared = [by]
    varied = [*first.keys, *second.keys]
    shared = [key for key in shared if key in varied or by]  # a key with one value on each side is what they differ in
    found: list[_Place] = []
    for a, b in itertools.product(first.points, second.points):
        if any(a.set[key] != b.set[key] for key in shared):
            continue
        reported = {key: value for key, value in {**b.set, **a.set}.items() if key in (shared if by else varied)}
        place = _Place(reported, dict(reported), dict(reported)) if by else _Place(reported, dict(a.set), dict(b.set))
        if place not in found:
            found.append(place)
    if not found:
        raise InputError(f"{first.name} and {second.name} have no point in common{_apart(first, second, shared)}")
    idle = [(first, [place.ours for place in found]), (second, [place.theirs for place in found])]
    return found, list(filter(None, (_left_out(side, used) for side, used in idle)))


def _apart(first: Side, second: Side, shared: Sequence[str]) -> str:
    """The first key of which the sides have no value in common, with the values."""
    for key in shared:
        ours, theirs = (list(dict.fromkeys(written(p.set[key]) for p in side.points)) for side in (first, second))
        if not set(ours) & set(theirs):
            return f": {key} is {ranges(ours)} in {first.name} and {ranges(theirs)} in {second.name}"
    return ""


def _left_out(side: Side, used: Sequence[Mapping[str, Any]]) -> str:
    """The points of a side that the other one has not."""
    idle = [p for p in side.points if not any(all(p.set.get(k) == v for k, v in where.items()) for where in used)]
    if not idle:
        return ""
    words = "; ".join(in_words(point.set) for point in idle[:_REPORTED]) + ("; ..." if len(idle) > _REPORTED else "")
    return f"only {side.name} has {words}: left out"


def _rows(
    ours: tuple[Table, dict[str, Any], str],
    theirs: tuple[Table, dict[str, Any], str],
    place: dict[str, Any],
    names: Sequence[str],
) -> Iterator[Contrast]:
    """A row for each metric with a pair of samples."""
    (table, where, first), (other, there, second) = ours, theirs
    for metric in names:
        try:
            found = difference(table, metric, where, there, other=other)
            a, b = table.by_replica(metric, where), other.by_replica(metric, there)
        except NoSamplesError:
            continue
        flows = len(table.runs(where)[0]["flows"])
        about = metrics_.of(metric)
        if flows == 1 and about is not None and about.applies == "several":
            continue  # one flow shares with nobody
        shared = sorted(a.keys() & b.keys())
        is_exact = are_one_run(table.runs(where)) and are_one_run(other.runs(there))
        if is_exact:
            found, shared = replace(found, ci95=None), shared[:1]
        yield Contrast(
            metric,
            place,
            first,
            second,
            estimate([a[s] for s in shared]),
            estimate([b[s] for s in shared]),
            found,
            len(shared),
            "; ".join(filter(None, [_only(a.keys() - b.keys(), first), _only(b.keys() - a.keys(), second)])),
            flows,
            is_exact,
        )


def _only(replicas: Any, name: str) -> str:
    """The replications that one side alone has a sample of."""
    seeds = sorted({replica[-1] for replica in replicas})
    return f"seed{'s' * (len(seeds) > 1)} {ranges(seeds)} only in {name}" if seeds else ""


# --- Remarks --------------------------------------------------------------------------------------------------------


def _of_pairs(rows: Sequence[Contrast]) -> list[str]:
    """What was not paired, once for each cause."""
    causes: dict[str, list[str]] = {}
    for row in rows:
        if row.alone:
            causes.setdefault(row.alone, []).append(row.heading)
    every = len({row.heading for row in rows})
    return [
        f"{cause}: paired over the rest" + ("" if len(set(of)) == every else f" ({', '.join(dict.fromkeys(of))})")
        for cause, of in causes.items()
    ]


def _of_runs(first: Side, second: Side) -> list[str]:
    """The shares of runs that are missing."""
    return [
        f"{side.name}: {have} of {want} runs are there"
        for side in (first, second)
        if (have := sum(len(p.runs) for p in side.points)) < (want := len(side.points) * side.result.scenario.seeds)
    ]


def _many(rows: Sequence[Contrast]) -> list[str]:
    """One in twenty intervals misses by chance, which matters where there are twenty."""
    evaluated = [row for row in rows if row.difference.ci95 is not None]
    if len(evaluated) < 20:
        return []
    expected = number(round(len(evaluated) / 20, 1))
    return [f"{len(evaluated)} comparisons at 95 %: about {expected} of them call chance a difference"]


def _are_named(first: Side, second: Side, differ: Sequence[str]) -> bool:
    """Whether the only key in which the sides differ is what they are named by."""
    values = [name.rpartition(" = ")[2] for name in (first.name, second.name)]
    return len(differ) == 1 and differ[0].replace('"', "").endswith(f"= {' / '.join(values)}")


def _nothing(first: Side, second: Side, names: Sequence[str]) -> str:
    """Why there is nothing to compare."""
    seeds = [sorted({run["seed"] for point in side.points for run in point.runs}) for side in (first, second)]
    if not set(seeds[0]) & set(seeds[1]):
        return (
            f"{first.name} and {second.name} have no seed in common: {first.name} has {ranges(seeds[0])}, "
            f"{second.name} has {ranges(seeds[1])}; a comparison pairs equal seeds"
        )
    return f"no seed has a sample of {listed(names)} in both {first.name} and {second.name}"
