"""The verbs of statements: what a study folder can say of a setting without Python.

A verb takes the arguments of its check and the table of a setting (and of another one, where the check compares
settings); it says whether the statement holds, `None` where the noise of the runs hides it, with the numbers in words.
`VERBS` has them by name with the arguments each knows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

from hopscope.results.comparisons import Verdict, best_among, between, difference, every, exceeds
from hopscope.results.samples import Estimate, NoSamplesError, Table, Where, estimate, read, show
from hopscope.results.stats import gradual, number, rank_correlation, slope
from hopscope.studies.measures import Measure, Reading, Replicas, curve, paired, position

Evaluation = tuple[Verdict, str]


@dataclass(frozen=True)
class Check:
    """A check of one setting, ready to be judged.

    Attributes:
        verb: name in `VERBS`.
        measure: what it is about.
        at: swept values of the place.
        along: swept key.
        args: further arguments by name.
        places: named places (`{name: swept values}`), for verbs over places instead of a sweep.
        than: swept values of the place compared with.
        document: the scenario of the setting.
        names: what each axis has in it, by name.
        call: the study's own function, for the verb `python`.
    """

    verb: str
    measure: Measure
    at: Where = field(default_factory=dict)
    along: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, Where] = field(default_factory=dict)
    than: Where | None = None
    document: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    call: Callable[..., Evaluation] | None = None

    def evaluate(self, table: Table, other: Table | None) -> Evaluation:
        """Whether it holds in a setting, against another where it compares settings."""
        return VERBS[self.verb].evaluate(self, table, other)

    @property
    def limits(self) -> tuple[float, float]:
        """From where to where, `low` and `high`; without either there is no end."""
        return self.args.get("low", -math.inf), self.args.get("high", math.inf)

    @property
    def compared_at(self) -> Where:
        """The place compared with: its own, unless `than` names another."""
        return self.at if self.than is None else self.than

    def reading(self) -> Reading:
        """The number that the check limits."""
        ends = self.args.get("first"), self.args.get("last")
        return Reading(self.measure, self.at, self.args.get("of", "mean"), self.along, self.than, *ends)

    def curve(
        self, table: Table, over: Where | None = None, other: Table | None = None, *, least: int = 1
    ) -> dict[Any, Replicas]:
        """The measure along the swept key from `first` to `last`, or over the named places; see `measures.curve`."""
        ends = self.args.get("first"), self.args.get("last")
        found = curve(table, self.measure, self.spots(table), over, other, self.args.get("minus"), *ends)
        if len(found) < least:
            few = "no sample" if least == 1 else f"fewer than {least} points"
            raise NoSamplesError(f"{few} of {self.measure.label} along {self.along or 'the places'}")
        return found

    def means(self, table: Table, least: int = 2) -> dict[Any, float]:
        """The means of the curve."""
        return _means(self.curve(table, least=least))

    def spots(self, table: Table) -> dict[Any, Where]:
        """The named places, or those along the swept key."""
        if self.places:
            return dict(self.places)
        return {value: {**self.at, self.along: value} for value in table.values(self.along)}


Evaluate = Callable[..., Evaluation]


@dataclass(frozen=True)
class Verb:
    """A verb: the function that judges, the arguments it cannot do without, and further ones it knows."""

    evaluate: Evaluate
    needs: Sequence[str]
    takes: Sequence[str]


VERBS: dict[str, Verb] = {}


def verb(name: str, needs: str = "", takes: str = "", **fixed: int) -> Callable[[Evaluate], Evaluate]:
    """Enter a function as a verb; `along`, `than` and `places` are read as places, other arguments as they are."""

    def enter(evaluate: Evaluate) -> Evaluate:
        VERBS[name] = Verb(partial(evaluate, **fixed), needs.split(), takes.split())
        return evaluate

    return enter


def _less(a: Replicas, b: Replicas, times: float = 1.0) -> Estimate:
    """The difference a less b, so many times over, by replication."""
    return estimate([a[name] - times * b[name] for name in sorted(a.keys() & b.keys())])


def _means(found: Mapping[Any, Replicas]) -> dict[Any, float]:
    return {at: sum(values.values()) / len(values) for at, values in found.items()}


def _step(a: Replicas, b: Replicas, sign: int) -> Verdict:
    """Whether b is above (below) a."""
    return exceeds(_less(b, a) if sign > 0 else _less(a, b))


def _shown(values: Replicas, unit: str = "") -> str:
    return show(estimate(list(values.values())), unit)


def _words(means: Mapping[Any, float], unit: str = "") -> str:
    return f"{', '.join(f'{number(value)} at {at}' for at, value in means.items())} {unit}".rstrip()


# --- Optima and orders ----------------------------------------------------------------------------------------------


@verb("peak_at", takes="along places value not only least")
def _peak_at(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """The largest mean (`least`: the least) is at `value` (or one of them), or not at `not`; `only`: beyond noise."""
    peak = best_among(table, check.measure, check.spots(table), least=bool(check.args.get("least")))
    words = peak.words(check.measure.unit)
    if peak.top.mean == 0 and "least" not in check.args:
        return False, f"nothing anywhere: {words}"
    if "not" in check.args:
        banned = check.args["not"]
        if banned not in peak.ties:
            return True, words
        return (None if len(peak.ties) > 1 else False), words
    allowed = check.args["value"]
    values = allowed if isinstance(allowed, list) else [allowed]
    if peak.at in values:
        return (peak.ties == (peak.at,) if check.args.get("only") else True), words
    return (None if any(value in peak.ties for value in values) else False), words


@verb("ranks", "places", "order")
def _ranks(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """The named places in this order, highest first, beyond noise."""
    names = check.args.get("order") or list(check.places)
    found = {name: table.interval(check.measure, check.places[name]) for name in names}
    words = ", ".join(f"{name} {show(value, check.measure.unit)}" for name, value in found.items())
    steps = [difference(table, check.measure, check.places[a], check.places[b]).is_higher for a, b in pairwise(names)]
    return every(steps), words


@verb("higher", takes="than versus rivals times skip_zero or_equal first last of along", sign=1)
@verb("lower", takes="than versus rivals times skip_zero or_equal first last of along", sign=-1)
def _compared(check: Check, table: Table, other: Table | None, *, sign: int) -> Evaluation:
    """Above or below the value at `than`, at each of `rivals` (a key with values), or in the setting `versus`.

    `times`: or that many times the value; `or_equal`: or within noise of it; `of = "loss"`: of the losses along a key.
    """
    if check.args.get("of") == "loss":
        here, there = (check.reading().take(found) for found in (table, other or table))
        apart, half = sign * (here.mean - there.mean), (here.ci95 or 0.0) + (there.ci95 or 0.0)
        return (None if abs(apart) <= half else apart > 0), f"loses {show(here, '%')} against {show(there, '%')}"
    if "rivals" in check.args:
        [(key, values)] = check.args["rivals"].items()
        args = {name: value for name, value in check.args.items() if name != "rivals"}
        each = {value: replace(check, than={**check.at, key: value}, args=args) for value in values}
        return all_of([(f"against {at}", _compared(one, table, other, sign=sign)) for at, one in each.items()])
    times = check.args.get("times")
    if times is not None:
        share = check.reading().take(table, other)
        above = exceeds(share, 100 * times)
        words = f"{show(share, '%')} of it, against {number(100 * times)} %"
        return above if above is None or sign > 0 else not above, words
    gap = difference(table, check.measure, check.at, check.compared_at, other=other)
    a, b = table.interval(check.measure, check.at), (other or table).interval(check.measure, check.compared_at)
    if check.args.get("skip_zero") and a.mean == b.mean == 0:
        raise NoSamplesError("both are zero")
    unit = check.measure.unit
    holds = gap.is_higher if sign > 0 else gap.is_lower
    if holds is None and check.args.get("or_equal"):
        holds = True
    return holds, f"{show(a, unit)} against {show(b, unit)}: {gap.words(unit or 'apart')}"


@verb("opposed", "to versus")
def _opposed(check: Check, table: Table, other: Table | None) -> Evaluation:
    """Of it and `versus` that with more of the metric `to` has less of this one; holds where noise hides which has."""
    cost, gap = (difference(table, one, {}, {}, other=other) for one in (check.args["to"], check.measure))
    words = f"{cost.words(check.args['to'].unit or 'apart')}, {gap.words(check.measure.unit or 'apart')}"
    if cost.is_higher is None:
        return True, words
    return gap.is_lower if cost.is_higher else gap.is_higher, words


# --- Shapes along a sweep --------------------------------------------------------------------------------------------


@verb("rises", takes="along places minus how correlation first last than versus", sign=1)
@verb("falls", takes="along places minus how correlation first last than versus", sign=-1)
def _monotone(check: Check, table: Table, other: Table | None, *, sign: int) -> Evaluation:
    """Along a key or places: at every step, as a trend, between the ends or gradually; in % of `than` or `versus`.

    With `minus`: what lies between the place and that one.
    """
    unit = check.measure.unit if check.than is None and other is None else "%"
    found = check.curve(table, check.than, other)
    how, first, last = check.args.get("how", "steps"), next(iter(found)), list(found)[-1]
    words = f"{_shown(found[first])} at {first} to {_shown(found[last], unit)} at {last}"
    if how == "gradually":
        return gradual([sign * mean for mean in _means(found).values()])
    ends = _step(found[first], found[last], sign)
    if how == "trend":
        trend = rank_correlation([position(x) for x in found], list(_means(found).values()))
        return every([sign * trend >= check.args.get("correlation", 0.8), ends]), f"{words}, correlation {trend:.2f}"
    if how == "ends":
        return ends, words
    steps = [(f"{a} to {b}", _step(found[a], found[b], sign)) for a, b in pairwise(found)]
    for verdict, said in ((False, "not"), (None, "noise")):
        if names := [name for name, holds in steps if holds is verdict]:
            words += f"; {said} from {', '.join(names)}"
    return every(holds for _, holds in steps), words


@verb("steady", "share", "along places minus about first last")
def _steady(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """The least is at most `share` % below the largest; `about = "mean"`: all are within `share` % of their mean."""
    means = check.means(table, least=1)
    low, high, level = min(means.values()), max(means.values()), sum(means.values()) / len(means)
    if high == 0:
        return False, "nothing anywhere"
    words = _words(means, check.measure.unit)
    if check.args.get("about") == "mean":
        off = 100 * max(high - level, level - low) / abs(level)
        return off <= check.args["share"], f"{words}: up to {off:.0f} % off their mean"
    spread = 100 * (1 - low / high)
    return spread <= check.args["share"], f"{words}: the least {spread:.1f} % below the largest"


@verb("rises_on", "along share", "first last")
def _rises_on(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """Grows at every step, each by at least `share` % of the step before for one unit of the key."""
    means = check.means(table, 3)
    steps = [(b - a) / (position(y) - position(x)) for (x, a), (y, b) in pairwise(means.items())]
    words = f"steps of {', then '.join(number(step) for step in steps)} {check.measure.unit}".rstrip()
    least = check.args["share"] / 100
    return steps[0] > 0 and all(b >= least * a > 0 for a, b in pairwise(steps)), words


@verb("slope", "along low high", "best")
def _slope(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """The fitted line rises by `low` to `high`; `best`: that of the best value of that key."""
    spots = check.spots(table)
    lines = [
        _best_of_each(check, table, at) if "best" in check.args else table.by_replica(check.measure, at)
        for at in spots.values()
    ]
    whole = sorted(set.intersection(*(set(line) for line in lines)))
    places = [position(value) for value in spots]
    measured = estimate([slope(places, [line[seed] for line in lines]) for seed in whole])
    return between(measured, check.args["low"], check.args["high"]), f"slope {show(measured)}"


def _best_of_each(check: Check, table: Table, at: Where) -> Replicas:
    """Where the measure is largest along the key `best`, for each seed."""
    key = check.args["best_key"]
    found = curve(table, check.measure, {value: {**at, key: value} for value in table.values(key)})
    seeds = {seed for samples in found.values() for seed in samples}
    reached = {seed: {value: found[value][seed] for value in found if seed in found[value]} for seed in seeds}
    return {seed: float(max(own, key=lambda value: own[value])) for seed, own in reached.items()}


@verb("straight", "along share", "first last")
def _straight(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """At most `share` % of the largest value off a straight line."""
    means = check.means(table)
    x, y = [position(at) for at in means], list(means.values())
    tilt = slope(x, y)
    level = sum(y) / len(y) - tilt * sum(x) / len(x)
    top = max(abs(value) for value in y) or 1.0
    off = 100 * max(abs(b - level - tilt * a) for a, b in zip(x, y, strict=True)) / top
    return off <= check.args["share"], f"at most {off:.1f} % of the largest value off a straight line"


@verb("saturates", "along share", "first last")
def _saturates(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """From nine tenths of its largest value on it stays within `share` %; a level from the first value on is none."""
    means = check.means(table)
    top = max(means.values())
    if top == 0:
        return False, "nothing anywhere"
    start = next(place for place, mean in enumerate(means.values()) if mean >= 0.9 * top)
    beyond = list(means.values())[start:]
    words = f"from {list(means)[start]} on between {number(min(beyond))} and {number(max(beyond))}"
    holds = start > 0 and len(beyond) >= 3 and 1 - min(beyond) / max(beyond) <= check.args["share"] / 100
    return holds, words


@verb("precedes", "along to limit")
def _precedes(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """Along a key it reaches `limit` at a smaller value than the metric `to` does, if that does at all."""

    def first(measure: Measure) -> Any:
        curve = table.curve(check.along, measure, check.at)
        return next((place for place, (_, value) in enumerate(curve) if value.mean >= check.args["limit"]), None)

    own, other = first(check.measure), first(check.args["to"])
    values = table.values(check.along)
    where = ["nowhere" if at is None else f"from {values[at]} on" for at in (own, other)]
    words = f"{check.measure.label} {where[0]}, {check.args['to'].label} {where[1]}"
    return own is not None and (other is None or own < other), words


@verb("tracks", "along to", "share correlation")
def _tracks(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """Off the metric `to` by at most `share` % of its largest value in the mean, or in step with it (`correlation`)."""
    curves = [[value.mean for _, value in table.curve(check.along, one)] for one in (check.args["to"], check.measure)]
    if any(len(curve) < len(table.values(check.along)) for curve in curves):
        raise NoSamplesError(f"no sample at some value of {check.along}")
    whole, own = curves
    if "correlation" in check.args:
        trend = rank_correlation(whole, own)
        return trend >= check.args["correlation"], f"rank correlation {trend:.2f}"
    top = max(whole)
    if top == 0:
        return False, "nothing anywhere"
    share = 100 * sum(abs(a - b) for a, b in zip(whole, own, strict=True)) / len(whole) / top
    words = f"mean error {number(share)} % of the largest, {number(top)}; here at most {number(max(own))}"
    return share <= check.args["share"], words


# --- Limits ----------------------------------------------------------------------------------------------------------


@verb("largest_of", "metrics value", "high")
def _largest_of(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """The largest mean of the `metrics` is that of one of `value`, and at most `high`."""
    means = {measure.label: table.mean(measure, check.at) for measure in check.args["metrics"]}
    top = max(means, key=lambda name: means[name])
    words = f"{top}; means {', '.join(number(mean) for mean in means.values())}"
    allowed = {measure.label for measure in check.args["value"]}
    return means[top] <= check.args.get("high", math.inf) and top in allowed, words


@verb("every_case", takes="low high")
def _every_case(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """Every value behind the metric is there in every run, and from `low` to `high`."""
    assert check.measure.paths is not None
    found = [read(run, path) for run in table.runs() for path in check.measure.paths(run)]
    values = [value for value in found if value is not None]
    if len(values) < len(found):
        return False, f"no value in {len(found) - len(values)} of {len(found)} cases"
    words = f"{show(table.interval(check.measure), check.measure.unit)}, {number(min(values))} to {number(max(values))}"
    least, most = check.limits
    return least <= min(values) and max(values) <= most, words


@verb("within", "low high", "to than versus of along runs first last")
@verb("at_least", "limit", "to than versus of along runs first last")
@verb("at_most", "limit", "to than versus of along runs first last")
def _limited(check: Check, table: Table, other: Table | None) -> Evaluation:
    """From `low` to `high`, at least or at most `limit`; in per cent of the metric `to`, of `than` or of `versus`."""
    least, most = check.limits
    if "limit" in check.args:
        least, most = (check.args["limit"], most) if check.verb == "at_least" else (least, check.args["limit"])
    unit = "%" if check.than is not None or other is not None or check.args.get("of") == "loss" else check.measure.unit
    if "to" in check.args:
        whole: Measure = check.args["to"]
        found = paired(
            table, check.measure, check.at, other or table, check.compared_at, lambda a, b: 100 * a / b, whole
        )
        return between(found, least, most), show(found, "%")
    if check.args.get("runs") == "all":
        samples = table.samples(check.measure, check.at)
        words = f"{number(min(samples))} to {number(max(samples))} {unit}".rstrip() + " over the runs"
        return least <= min(samples) and max(samples) <= most, words
    measured = check.reading().take(table, other)
    return between(measured, least, most), show(measured, unit if check.args.get("of") != "best at" else "")


@verb("gain_between", takes="than versus low high of along first last")
def _gain(check: Check, table: Table, other: Table | None) -> Evaluation:
    """`low` to `high` % more than at `than` or in `versus`."""
    reading = check.reading()
    if reading.over is None and other is None:
        reading = replace(reading, over=check.at)
    found = reading.take(table, other)
    gained = Estimate(found.mean - 100, found.ci95, found.min - 100, found.max - 100, found.n)
    return between(gained, *check.limits), f"{'+' if gained.mean > 0 else ''}{show(gained, '%')}"


@verb("close", "share", "value model than of along first last")
def _close(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """Within `share` % of `value`, or of what a model gives there."""
    measured = check.reading().take(table)
    if "model" not in check.args and "value" not in check.args:
        raise NoSamplesError("close needs value or model")
    value = check.args["model"].value({**check.names, **check.at}) if "model" in check.args else check.args["value"]
    margin = abs(value) * check.args["share"] / 100
    words = f"{show(measured, '%' if check.than is not None else check.measure.unit)} against {number(value)}"
    off = f": {100 * (measured.mean / value - 1):+.2f} %" if "model" in check.args else ""
    return between(measured, value - margin, value + margin), words + off


@verb("share", takes="above below low high than versus")
def _share(check: Check, table: Table, other: Table | None) -> Evaluation:
    """`low` to `high` % of the runs lie above or below; in per cent of `than` or `versus`, where compared."""
    samples = table.samples(check.measure, check.at)
    if check.than is not None or other is not None:
        here, there = (
            table.by_replica(check.measure, check.at),
            (other or table).by_replica(check.measure, check.compared_at),
        )
        samples = [100 * here[name] / there[name] for name in here.keys() & there.keys()]
    above, below = check.args.get("above", -math.inf), check.args.get("below", math.inf)
    part = 100 * sum(above < value < below for value in samples) / len(samples)
    low, high = check.args.get("low", 0), check.args.get("high", 100)
    return low <= part <= high, f"{part:.0f} % of {len(samples)} runs"


@verb("python", "function", "along to than versus places value low high first last")
def _python(check: Check, table: Table, other: Table | None) -> Evaluation:
    """A function of checks.py."""
    assert check.call is not None
    return check.call(check, table, other) if other is not None else check.call(check, table)


# --- One place against others -----------------------------------------------------------------------------------------


@verb("exceeds", "times", "than versus of along first last")
def _exceeds(check: Check, table: Table, other: Table | None) -> Evaluation:
    """Above `times` the value at `than` or in `versus`; `of = "largest"`: its largest along a key."""
    largest = check.args.get("of") == "largest"
    found = check.curve(table, least=2) if largest else {0: table.by_replica(check.measure, check.at)}
    here = max(found.values(), key=lambda values: estimate(list(values.values())).mean)
    there = (other or table).by_replica(check.measure, check.compared_at)
    times, unit = float(check.args["times"]), check.measure.unit
    words = f"{_shown(here, unit)} against {_shown(there, unit)}, {number(times)} times over"
    return exceeds(_less(here, there, times)), words


@verb("nearest", "over to value versus")
def _nearest(check: Check, table: Table, other: Table | None) -> Evaluation:
    """Of the metric `to` over the key `over` of `versus`, that at `value` is the nearest."""
    reached = table.interval(check.measure, check.at)
    curve = (other or table).curve(check.args["over"], check.args["to"], {})
    at = min(curve, key=lambda point: abs(point[1].mean - reached.mean))
    words = f"{show(reached, check.measure.unit)} is nearest to {show(at[1], check.measure.unit)} at {at[0]}"
    return at[0] == check.args["value"], words


# --- How a curve bends -----------------------------------------------------------------------------------------------


@verb("even_steps", "along share", "first last")
def _even_steps(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """Rises, by steps that differ by at most `share` % from their mean."""
    means = check.means(table)
    steps = [b - a for a, b in pairwise(means.values())]
    mean = sum(steps) / len(steps)
    off = max(abs(step - mean) for step in steps)
    words = f"{_words(means, check.measure.unit)}: steps {number(min(steps))} to {number(max(steps))}"
    return mean > 0 and off <= check.args["share"] / 100 * mean, words


@verb("flattens", "along until after share")
def _flattens(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """Relative steps beyond `after` are at most `share` % of the least up to `until`."""
    means = check.means(table)
    early: list[float] = []
    late: list[float] = []
    for (a, before), (b, after) in pairwise(means.items()):
        change = 100 * abs(after / before - 1)
        if position(b) <= check.args["until"]:
            early.append(change)
        elif position(a) >= check.args["after"]:
            late.append(change)
    if not early or not late:
        raise NoSamplesError("no step before or after")
    words = f"steps of {number(min(early))} % or more up to {check.args['until']}, at most {number(max(late))} % beyond"
    return max(late) <= check.args["share"] / 100 * min(early), words


@verb("slower", "along before then share")
def _slower(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """The slope between the values of `then` is at most `share` % of that between those of `before`."""
    slopes = []
    words = []
    for a, b in (check.args["before"], check.args["then"]):
        ends = [table.mean(check.measure, {**check.at, check.along: value}) for value in (a, b)]
        slopes.append((ends[1] - ends[0]) / (position(b) - position(a)))
        words.append(f"{number(ends[0])} to {number(ends[1])} {check.measure.unit} from {a} to {b}")
    return abs(slopes[1]) <= check.args["share"] / 100 * abs(slopes[0]), ", ".join(words)


@verb("dips", "along low high share", "first last")
def _dips(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """Least from `low` to `high`, and both ends `share` % or more above that."""
    means = check.means(table)
    lowest = min(means, key=lambda at: means[at])
    ends = [next(iter(means.values())), list(means.values())[-1]]
    inside = position(check.args["low"]) <= position(lowest) <= position(check.args["high"])
    high = min(ends) >= (1 + check.args["share"] / 100) * means[lowest]
    unit = check.measure.unit
    words = f"{number(ends[0])} {unit} at first, least {number(means[lowest])} at {lowest}, {number(ends[1])} at last"
    return inside and high, words


@verb("gains_fall", "places pairs")
def _gains_fall(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """The relative changes between the places of each of `pairs` fall from pair to pair."""
    gains: dict[str, Replicas] = {}
    for first, last in check.args["pairs"]:
        before, after = (table.by_replica(check.measure, check.places[name]) for name in (first, last))
        shared = before.keys() & after.keys()
        gains[f"{first} to {last}"] = {name: 100 * (after[name] / before[name] - 1) for name in shared}
    words = ", ".join(f"{name} {_shown(gain, '%')}" for name, gain in gains.items())
    return every(exceeds(_less(a, b)) for a, b in pairwise(gains.values())), words


@verb("first_below", "along limit value", "first last")
def _first_below(check: Check, table: Table, _other: Table | None) -> Evaluation:
    """Along a key it is below `limit` from `value` on."""
    means = check.means(table)
    at = next((value for value, mean in means.items() if mean < check.args["limit"]), None)
    return at == check.args["value"], f"{at if at is not None else 'nowhere'} ({_words(means, check.measure.unit)})"


def all_of(evaluations: Sequence[tuple[str, Evaluation]]) -> Evaluation:
    """Every part has to hold; the words name those that do not first."""
    verdict = every(evaluated for _, (evaluated, _) in evaluations)
    if verdict is True or len(evaluations) == 1:
        chosen = list(evaluations[:3])
    else:
        chosen = [item for item in evaluations if item[1][0] is verdict]
    words = "; ".join(f"{name}: {text}" if name else text for name, (_, text) in chosen[:3])
    if len(evaluations) > 1 and len(evaluations) > len(chosen[:3]):
        held = sum(evaluated is True for _, (evaluated, _) in evaluations)
        words += f" (holds at {held} of {len(evaluations)} places)"
    return verdict, words
