"""Verbs on shapes and shares: how a curve bends along a sweep, and how one place stands to several others.

They are part of `hopscope.studies.verbs.VERBS`. A curve here is a measure along the swept key of a check; with
`minus` it is the difference to another place at each value, seed by seed.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hopscope.results.comparisons import Verdict, best_among
from hopscope.results.samples import Estimate, NoSamplesError, Table, estimate, show
from hopscope.results.stats import number
from hopscope.studies.judge import between, every, rank_correlation
from hopscope.studies.measures import Measure, Reading, position

if TYPE_CHECKING:
    from hopscope.studies.verbs import Check, Judgement

Replicas = Mapping[tuple[Any, ...], float]


def _less(a: Replicas, b: Replicas, times: float = 1.0) -> Estimate:
    """The difference a less b, so many times over, by replication."""
    shared = sorted(a.keys() & b.keys())
    if not shared:
        raise NoSamplesError("no seed has both values")
    return estimate([a[name] - times * b[name] for name in shared])


def _above(gap: Estimate) -> Verdict:
    """Whether a difference is above zero; `None` within noise."""
    return None if abs(gap.mean) <= (gap.ci95 or 0.0) else gap.mean > 0


def _curve(check: Check, table: Table) -> dict[Any, Replicas]:
    """The measure along the key of the check, between `first` and `last`, less that at `minus`."""
    low, high = check.args.get("first"), check.args.get("last")
    minus = check.args.get("minus")
    found: dict[Any, Replicas] = {}
    for value in table.values(check.along):
        if (low is not None and position(value) < position(low)) or (
            high is not None and position(value) > position(high)
        ):
            continue
        here = {**check.at, check.along: value}
        values = table.by_replica(check.measure, here)
        if minus is not None:
            other = table.by_replica(check.measure, {**here, **minus})
            values = {name: values[name] - other[name] for name in values.keys() & other.keys()}
        if values:
            found[value] = values
    if len(found) < 2:
        raise NoSamplesError(f"fewer than two points of {check.measure.label} along {check.along}")
    return found


def _means(curve: Mapping[Any, Replicas]) -> dict[Any, float]:
    return {at: sum(values.values()) / len(values) for at, values in curve.items()}


def _words(means: Mapping[Any, float], unit: str = "") -> str:
    return f"{', '.join(f'{number(value)} at {at}' for at, value in means.items())} {unit}".rstrip()


# --- One place beside others -----------------------------------------------------------------------------------------


def _exceeds(check: Check, table: Table, other: Table | None) -> Judgement:
    times = float(check.args["times"])
    than = check.at if check.than is None else check.than
    here = _replicas(Reading(check.measure, check.at, check.args.get("of", "mean"), check.along), check, table)
    there = (other or table).by_replica(check.measure, than)
    unit = check.measure.unit
    words = f"{show(estimate(list(here.values())), unit)} against {show(estimate(list(there.values())), unit)}"
    return _above(_less(here, there, times)), f"{words}, {number(times)} times over"


def _replicas(reading: Reading, check: Check, table: Table) -> Replicas:
    """The samples of a reading: at its place, or at the value between `first` and `last` with the largest mean."""
    if reading.of != "largest":
        return table.by_replica(reading.measure, reading.at)
    curve = _curve(check, table)
    means = _means(curve)
    return curve[max(means, key=lambda at: means[at])]


def _against_each(check: Check, table: Table, _other: Table | None, *, sign: int) -> Judgement:
    [(key, values)] = check.args["rivals"].items()
    verdicts: list[Verdict] = []
    here = table.by_replica(check.measure, check.at)
    words = [
        f"{', '.join(str(v) for v in check.at.values())}: {show(estimate(list(here.values())), check.measure.unit)}"
    ]
    for value in values:
        there = table.by_replica(check.measure, {**check.at, key: value})
        gap = _less(here, there)
        above = _above(gap)
        verdicts.append(above if sign > 0 or above is None else not above)
        if verdicts[-1] is not True:
            words.append(f"{'not' if verdicts[-1] is False else 'noise'} against {value} ({number(gap.mean)})")
    return every(verdicts), "; ".join(words)


def _amounts_to(check: Check, table: Table, other: Table | None) -> Judgement:
    whole: Measure = check.args["to"]
    than = check.at if check.than is None else check.than
    here, there = table.by_replica(check.measure, check.at), (other or table).by_replica(whole, than)
    shared = sorted(here.keys() & there.keys())
    measured = estimate([100 * here[name] / there[name] for name in shared])
    return between(measured, check.args["low"], check.args["high"]), show(measured, "%")


def _nearest(check: Check, table: Table, other: Table | None) -> Judgement:
    reached = table.interval(check.measure, check.at)
    curve = (other or table).curve(check.args["over"], check.args["to"], {})
    at = min(curve, key=lambda point: abs(point[1].mean - reached.mean))
    words = f"{show(reached, check.measure.unit)} is nearest to {show(at[1], check.measure.unit)} at {at[0]}"
    return at[0] == check.args["value"], words


def _lowest_at(check: Check, table: Table, _other: Table | None) -> Judgement:
    downward = Measure(check.measure.name, check.measure.label, check.measure.unit, _negative(check.measure))
    lowest = best_among(table, downward, check.spots(table))
    value = check.args["value"]
    words = f"lowest at {lowest.at} ({number(-lowest.top.mean)} {check.measure.unit})"
    if lowest.at == value:
        return True, words
    return (None if value in lowest.ties else False), words


def _negative(measure: Measure) -> Any:
    def value(run: Any) -> float | None:
        found = measure(run)
        return None if found is None else -found

    return value


# --- How a curve bends -----------------------------------------------------------------------------------------------


def _gap(check: Check, table: Table, _other: Table | None) -> Judgement:
    curve = _curve(check, table)
    means = _means(curve)
    how, values = check.args["how"], list(means.values())
    if how == "steady":
        level = sum(values) / len(values)
        off = 100 * max(abs(value - level) for value in values) / abs(level)
        return off <= check.args["share"], f"{_words(means, check.measure.unit)}: up to {off:.0f} % off their mean"
    sign = 1 if how == "rises" else -1
    if check.args.get("correlation") is not None:
        trend = sign * rank_correlation([position(at) for at in means], values)
        ends = list(curve.values())
        far = _above(_less(ends[-1], ends[0])) if sign > 0 else _above(_less(ends[0], ends[-1]))
        return every([trend >= check.args["correlation"], far]), _words(means, check.measure.unit)
    steps = [_above(_less(b, a)) if sign > 0 else _above(_less(a, b)) for a, b in itertools.pairwise(curve.values())]
    return every(steps), _words(means, check.measure.unit)


def _even_steps(check: Check, table: Table, _other: Table | None) -> Judgement:
    means = _means(_curve(check, table))
    steps = [b - a for a, b in itertools.pairwise(means.values())]
    mean = sum(steps) / len(steps)
    off = max(abs(step - mean) for step in steps)
    words = f"{_words(means, check.measure.unit)}: steps {number(min(steps))} to {number(max(steps))}"
    return mean > 0 and off <= check.args["share"] / 100 * mean, words


def _flattens(check: Check, table: Table, _other: Table | None) -> Judgement:
    means = _means(_curve(check, table))
    early: list[float] = []
    late: list[float] = []
    for (a, before), (b, after) in itertools.pairwise(means.items()):
        change = 100 * abs(after / before - 1)
        if position(b) <= check.args["until"]:
            early.append(change)
        elif position(a) >= check.args["after"]:
            late.append(change)
    if not early or not late:
        raise NoSamplesError("no step before or after")
    words = f"steps of {number(min(early))} % or more up to {check.args['until']}, at most {number(max(late))} % beyond"
    return max(late) <= check.args["share"] / 100 * min(early), words


def _slower(check: Check, table: Table, _other: Table | None) -> Judgement:
    slopes = []
    words = []
    for a, b in (check.args["before"], check.args["then"]):
        ends = [table.mean(check.measure, {**check.at, check.along: value}) for value in (a, b)]
        slopes.append((ends[1] - ends[0]) / (position(b) - position(a)))
        words.append(f"{number(ends[0])} to {number(ends[1])} {check.measure.unit} from {a} to {b}")
    return abs(slopes[1]) <= check.args["share"] / 100 * abs(slopes[0]), ", ".join(words)


def _dips(check: Check, table: Table, _other: Table | None) -> Judgement:
    means = _means(_curve(check, table))
    lowest = min(means, key=lambda at: means[at])
    ends = [next(iter(means.values())), list(means.values())[-1]]
    inside = position(check.args["low"]) <= position(lowest) <= position(check.args["high"])
    high = min(ends) >= (1 + check.args["share"] / 100) * means[lowest]
    unit = check.measure.unit
    words = f"{number(ends[0])} {unit} at first, least {number(means[lowest])} at {lowest}, {number(ends[1])} at last"
    return inside and high, words


def _gains_fall(check: Check, table: Table, _other: Table | None) -> Judgement:
    gains: list[Replicas] = []
    for first, last in check.args["pairs"]:
        before = table.by_replica(check.measure, check.places[first])
        after = table.by_replica(check.measure, check.places[last])
        gains.append({name: 100 * (after[name] / before[name] - 1) for name in before.keys() & after.keys()})
    shown = [f"{first} to {last} {show(estimate(list(g.values())), '%')}" for (first, last), g in _named(check, gains)]
    steps = [_above(_less(a, b)) for a, b in itertools.pairwise(gains)]
    return every(steps), ", ".join(shown)


def _named(check: Check, gains: Sequence[Replicas]) -> list[tuple[tuple[str, str], Replicas]]:
    return list(zip(check.args["pairs"], gains, strict=True))


def _first_below(check: Check, table: Table, _other: Table | None) -> Judgement:
    means = _means(_curve(check, table))
    at = next((value for value, mean in means.items() if mean < check.args["limit"]), None)
    return at == check.args["value"], f"{at if at is not None else 'nowhere'} ({_words(means, check.measure.unit)})"


# Name: function, arguments it cannot do without, further arguments, what it says.
SHAPES: Mapping[str, tuple[Any, Sequence[str], Sequence[str], str]] = {
    "exceeds": (
        _exceeds,
        ("times",),
        ("than", "versus", "of", "along", "first", "last"),
        'above `times` the value at `than` or in `versus`; with `of = "largest"` its largest along a key',
    ),
    "leads": (
        lambda c, t, o: _against_each(c, t, o, sign=1),
        ("rivals",),
        (),
        "above the value at each of `rivals`, a key with values",
    ),
    "trails": (lambda c, t, o: _against_each(c, t, o, sign=-1), ("rivals",), (), "below each of them"),
    "amounts_to": (
        _amounts_to,
        ("to", "low", "high"),
        ("than", "versus"),
        "`low` to `high` % of the metric `to`, there or at `than` or in `versus`",
    ),
    "nearest": (
        _nearest,
        ("over", "to", "value", "versus"),
        (),
        "of the metric `to` over the key `over` of the setting `versus`, that at `value` is the nearest",
    ),
    "lowest_at": (_lowest_at, ("value",), ("along", "places"), "the least mean is at `value`"),
    "gap": (
        _gap,
        ("along", "minus", "how"),
        ("share", "correlation", "first", "last"),
        "what lies between the place and `minus` rises, falls (at every step, or as a trend with `correlation`) or is "
        "steady (within `share` % of its mean) along a key",
    ),
    "even_steps": (
        _even_steps,
        ("along", "share"),
        ("first", "last"),
        "rises, by steps that differ by at most `share` % from their mean",
    ),
    "flattens": (
        _flattens,
        ("along", "until", "after", "share"),
        (),
        "its relative steps beyond `after` are at most `share` % of the least one up to `until`",
    ),
    "slower": (
        _slower,
        ("along", "before", "then", "share"),
        (),
        "its slope between the two values of `then` is at most `share` % of that between those of `before`",
    ),
    "dips": (
        _dips,
        ("along", "low", "high", "share"),
        ("first", "last"),
        "least from `low` to `high`, and both ends `share` % or more above that",
    ),
    "gains_fall": (
        _gains_fall,
        ("places", "pairs"),
        (),
        "the relative changes between the places of each of `pairs` fall from pair to pair",
    ),
    "first_below": (
        _first_below,
        ("along", "limit", "value"),
        ("first", "last"),
        "along a key it is below `limit` from `value` on",
    ),
}
