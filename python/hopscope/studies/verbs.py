"""The verbs of statements: what a study folder can say of a setting without Python.

A verb takes the arguments of its check and the table of a setting (and of another one, where the check compares
settings); it says whether the statement holds, `None` where the noise of the runs hides it, with the numbers in words.
`VERBS` has them by name with the arguments each knows.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hopscope.results.comparisons import Verdict, best_among, difference
from hopscope.results.samples import Estimate, NoSamplesError, Table, Where, estimate, show
from hopscope.results.stats import number
from hopscope.studies.judge import between, every, exceeds, gradual, rank_correlation, slope
from hopscope.studies.measures import Measure, Reading, bounded, position, relative
from hopscope.studies.shapes import SHAPES

Judgement = tuple[Verdict, str]


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
    call: Callable[..., Judgement] | None = None

    def judge(self, table: Table, other: Table | None) -> Judgement:
        """Whether it holds in a setting, beside another where it compares settings."""
        return VERBS[self.verb].judge(self, table, other)

    def reading(self) -> Reading:
        """The number that the check limits."""
        ends = self.args.get("first"), self.args.get("last")
        return Reading(self.measure, self.at, self.args.get("of", "mean"), self.along, self.than, *ends)

    def curve(self, table: Table) -> list[tuple[Any, Estimate]]:
        """The measure along the swept key, between `first` and `last`, or over the named places."""
        if self.places:
            found = ((name, table.find(self.measure, at)) for name, at in self.places.items())
            kept = [(name, value) for name, value in found if value is not None]
        else:
            kept = bounded(
                table.curve(self.along, self.measure, self.at), self.args.get("first"), self.args.get("last")
            )
        if not kept:
            raise NoSamplesError(f"no sample of {self.measure.label} along {self.along or 'the places'}")
        return kept

    def spots(self, table: Table) -> dict[Any, Where]:
        """The named places, or those along the swept key."""
        if self.places:
            return dict(self.places)
        return {value: {**self.at, self.along: value} for value in table.values(self.along)}


@dataclass(frozen=True)
class Verb:
    """A verb.

    Attributes:
        judge: says whether a check holds.
        needs: arguments it cannot do without; `along`, `than` and `places` are read as places, the rest as they are.
        takes: further arguments it knows.
        text: one line, for the guide.
    """

    judge: Callable[[Check, Table, Table | None], Judgement]
    needs: Sequence[str]
    takes: Sequence[str]
    text: str


# --- Optima and orders ----------------------------------------------------------------------------------------------


def _peak_at(check: Check, table: Table, _other: Table | None) -> Judgement:
    peak = best_among(table, check.measure, check.spots(table))
    words = peak.words(check.measure.unit)
    if peak.top.mean == 0:
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


def _ranks(check: Check, table: Table, _other: Table | None) -> Judgement:
    names = check.args.get("order") or list(check.places)
    found = {name: table.interval(check.measure, check.places[name]) for name in names}
    words = ", ".join(f"{name} {show(value, check.measure.unit)}" for name, value in found.items())
    steps = [
        difference(table, check.measure, check.places[a], check.places[b]).is_higher
        for a, b in itertools.pairwise(names)
    ]
    return every(steps), words


def _compared(check: Check, table: Table, other: Table | None, *, higher: bool) -> Judgement:
    times = check.args.get("times")
    if times is not None:
        share = check.reading().take(table, other)
        above = exceeds(share, 100 * times)
        words = f"{show(share, '%')} of it, against {number(100 * times)} %"
        return above if above is None or higher else not above, words
    than = check.at if check.than is None else check.than
    gap = difference(table, check.measure, check.at, than, other=other)
    a, b = table.interval(check.measure, check.at), (other or table).interval(check.measure, than)
    if check.args.get("skip_zero") and a.mean == b.mean == 0:
        raise NoSamplesError("both are zero")
    unit = check.measure.unit
    holds = gap.is_higher if higher else gap.is_lower
    if holds is None and check.args.get("or_equal"):
        holds = True
    return holds, f"{show(a, unit)} against {show(b, unit)}: {gap.words(unit or 'apart')}"


# --- Shapes along a sweep --------------------------------------------------------------------------------------------


def _monotone(check: Check, table: Table, other: Table | None, *, sign: int) -> Judgement:
    unit = check.measure.unit
    if check.than is not None or other is not None:
        table, unit = relative(table, check.measure, check.than, other), "%"
    curve = check.curve(table)
    how = check.args.get("how", "steps")
    first, last = curve[0][0], curve[-1][0]
    words = f"{show(curve[0][1])} at {first} to {show(curve[-1][1], unit)} at {last}"
    if how == "gradually":
        verdict, text = gradual([sign * estimate_.mean for _, estimate_ in curve])
        return verdict, text
    if how == "trend":
        trend = rank_correlation([position(x) for x, _ in curve], [y.mean for _, y in curve])
        ends = _step(check, table, first, last, sign)
        return every([sign * trend >= check.args.get("correlation", 0.8), ends]), f"{words}, correlation {trend:.2f}"
    if how == "ends":
        return _step(check, table, first, last, sign), words
    steps = [(a, b, _step(check, table, a, b, sign)) for (a, _), (b, _) in itertools.pairwise(curve)]
    broken = [f"{a} to {b}" for a, b, holds in steps if holds is False]
    hidden = [f"{a} to {b}" for a, b, holds in steps if holds is None]
    tail = (f"; not from {', '.join(broken)}" if broken else "") + (
        f"; noise from {', '.join(hidden)}" if hidden else ""
    )
    return every(holds for *_, holds in steps), words + tail


def _step(check: Check, table: Table, a: Any, b: Any, sign: int) -> Verdict:
    spots = check.places or {x: {**check.at, check.along: x} for x in (a, b)}
    gap = difference(table, check.measure, spots[b], spots[a])
    return gap.is_higher if sign > 0 else gap.is_lower


def _steady(check: Check, table: Table, _other: Table | None) -> Judgement:
    points = (
        {str(x): y for x, y in check.curve(table)}
        if check.along
        else {name: table.interval(check.measure, at) for name, at in check.places.items()}
    )
    means = {name: value.mean for name, value in points.items()}
    low, high = min(means.values()), max(means.values())
    if high == 0:
        return False, "nothing anywhere"
    spread = 100 * (1 - low / high)
    words = ", ".join(f"{number(value)} at {name}" for name, value in means.items())
    return spread <= check.args["share"], f"{words}: the least {spread:.1f} % below the largest"


def _rises_on(check: Check, table: Table, _other: Table | None) -> Judgement:
    curve = check.curve(table)
    if len(curve) < 3:
        raise NoSamplesError("fewer than three points")
    steps = [(b.mean - a.mean) / (position(y) - position(x)) for (x, a), (y, b) in itertools.pairwise(curve)]
    words = f"steps of {', then '.join(number(step) for step in steps)} {check.measure.unit}".rstrip()
    least = check.args["share"] / 100
    return steps[0] > 0 and all(b >= least * a > 0 for a, b in itertools.pairwise(steps)), words


def _slope(check: Check, table: Table, _other: Table | None) -> Judgement:
    values = table.values(check.along)
    places = [{**check.at, check.along: value} for value in values]
    lines = [
        _best_of_each(check, table, at) if "best" in check.args else table.by_seed(check.measure, at) for at in places
    ]
    whole = sorted(set.intersection(*(set(line) for line in lines)))
    measured = estimate(
        [slope([position(value) for value in values], [line[seed] for line in lines]) for seed in whole]
    )
    return between(measured, check.args["low"], check.args["high"]), f"slope {show(measured)}"


def _best_of_each(check: Check, table: Table, at: Where) -> dict[int, float]:
    """Where the measure is largest along the key `best`, for each seed."""
    key = check.args["best_key"]
    found: dict[int, dict[Any, float]] = {}
    for value in table.values(key):
        for seed, sample in table.by_seed(check.measure, {**at, key: value}).items():
            found.setdefault(seed, {})[value] = sample
    return {seed: float(max(reached, key=lambda value: reached[value])) for seed, reached in found.items()}


def _straight(check: Check, table: Table, _other: Table | None) -> Judgement:
    curve = check.curve(table)
    x, y = [position(a) for a, _ in curve], [b.mean for _, b in curve]
    tilt = slope(x, y)
    level = sum(y) / len(y) - tilt * sum(x) / len(x)
    top = max(abs(value) for value in y) or 1.0
    off = 100 * max(abs(b - level - tilt * a) for a, b in zip(x, y, strict=True)) / top
    return off <= check.args["share"], f"at most {off:.1f} % of the largest value off a straight line"


# --- Limits ----------------------------------------------------------------------------------------------------------


def _limited(check: Check, table: Table, other: Table | None) -> Judgement:
    low = check.args.get("low", check.args.get("limit") if check.verb == "at_least" else None)
    high = check.args.get("high", check.args.get("limit") if check.verb == "at_most" else None)
    least, most = (-float("inf") if low is None else low), (float("inf") if high is None else high)
    unit = "%" if check.than is not None or other is not None or check.args.get("of") == "loss" else check.measure.unit
    if check.args.get("runs") == "all":
        samples = table.samples(check.measure, check.at)
        words = f"{number(min(samples))} to {number(max(samples))} {unit}".rstrip() + " over the runs"
        return least <= min(samples) and max(samples) <= most, words
    measured = check.reading().take(table, other)
    return between(measured, least, most), show(measured, unit if check.args.get("of") != "best at" else "")


def _gain(check: Check, table: Table, other: Table | None) -> Judgement:
    reading = check.reading()
    if reading.over is None and other is None:
        reading = replace(reading, over=check.at)
    found = reading.take(table, other)
    gained = Estimate(found.mean - 100, found.ci95, found.min - 100, found.max - 100, found.n)
    low, high = check.args.get("low", -float("inf")), check.args.get("high", float("inf"))
    return between(gained, low, high), f"{'+' if gained.mean > 0 else ''}{show(gained, '%')}"


def _close(check: Check, table: Table, _other: Table | None) -> Judgement:
    measured = check.reading().take(table)
    if "model" not in check.args and "value" not in check.args:
        raise NoSamplesError("close needs value or model")
    value = check.args["model"].value({**check.names, **check.at}) if "model" in check.args else check.args["value"]
    margin = abs(value) * check.args["share"] / 100
    words = f"{show(measured, '%' if check.than is not None else check.measure.unit)} against {number(value)}"
    off = f": {100 * (measured.mean / value - 1):+.2f} %" if "model" in check.args else ""
    return between(measured, value - margin, value + margin), words + off


def _share(check: Check, table: Table, _other: Table | None) -> Judgement:
    samples = table.samples(check.measure, check.at)
    above, below = check.args.get("above", -float("inf")), check.args.get("below", float("inf"))
    part = 100 * sum(above < value < below for value in samples) / len(samples)
    low, high = check.args.get("low", 0), check.args.get("high", 100)
    return low <= part <= high, f"{part:.0f} % of {len(samples)} runs"


def _is_set(check: Check, _table: Table, _other: Table | None) -> Judgement:
    from hopscope.scenario import Scenario

    found: Any = Scenario(check.document).points[0].config(1)
    for name in str(check.args["key"]).split("."):
        found = found[int(name)] if isinstance(found, list) else found.get(name)
    shown = "off" if found is None else found
    return shown == check.args["value"], f"{check.args['key']} = {shown}"


def _python(check: Check, table: Table, other: Table | None) -> Judgement:
    assert check.call is not None
    return check.call(check, table, other) if other is not None else check.call(check, table)


_COMPARING = ("than", "versus", "times", "skip_zero", "or_equal", "first", "last")
_CURVE = ("along", "places", "how", "correlation", "first", "last", "than", "versus")
_LIMITED = ("than", "versus", "of", "along", "runs", "first", "last")

VERBS: Mapping[str, Verb] = {
    "peak_at": Verb(
        _peak_at,
        (),
        ("along", "places", "value", "not", "only"),
        "the largest mean is at `value` (or one of them), or not at `not`; `only`: beyond noise",
    ),
    "ranks": Verb(_ranks, ("places",), ("order",), "the named places in this order, highest first, beyond noise"),
    "higher": Verb(
        lambda c, t, o: _compared(c, t, o, higher=True),
        (),
        _COMPARING,
        "above the value at `than` or in the setting `versus`, or above `times` that; `or_equal`: not below it but "
        "for noise",
    ),
    "lower": Verb(lambda c, t, o: _compared(c, t, o, higher=False), (), _COMPARING, "below it"),
    "rises": Verb(
        lambda c, t, o: _monotone(c, t, o, sign=1),
        (),
        _CURVE,
        "grows along a key or over places: at every step, as a trend, between the ends, or gradually; "
        "with `than` or `versus` in per cent of that",
    ),
    "falls": Verb(lambda c, t, o: _monotone(c, t, o, sign=-1), (), _CURVE, "falls likewise"),
    "rises_on": Verb(
        _rises_on,
        ("along", "share"),
        ("first", "last"),
        "grows at every step, each by at least `share` % of the step before for one unit of the key",
    ),
    "steady": Verb(
        _steady, ("share",), ("along", "places", "first", "last"), "the least at most `share` % below the largest"
    ),
    "straight": Verb(_straight, ("along", "share"), ("first", "last"), "at most `share` % of the largest off a line"),
    "slope": Verb(
        _slope,
        ("along", "low", "high"),
        ("best",),
        "the fitted line rises by `low` to `high`; `best`: of the best value of that key",
    ),
    "within": Verb(_limited, ("low", "high"), _LIMITED, "from `low` to `high`"),
    "at_least": Verb(_limited, ("limit",), _LIMITED, "at least `limit`"),
    "at_most": Verb(_limited, ("limit",), _LIMITED, "at most `limit`"),
    "gain_between": Verb(
        _gain,
        (),
        ("than", "versus", "low", "high", "of", "along", "first", "last"),
        "`low` to `high` % more than at `than` or in `versus`",
    ),
    "close": Verb(
        _close,
        ("share",),
        ("value", "model", "than", "of", "along", "first", "last"),
        "within `share` % of `value`, or of what a model gives there",
    ),
    "share": Verb(_share, (), ("above", "below", "low", "high"), "`low` to `high` % of the runs lie above or below"),
    "is_set": Verb(
        _is_set, ("key", "value"), (), "a key of the engine's configuration has this value (a default: not counted)"
    ),
    "python": Verb(
        _python,
        ("function",),
        ("along", "than", "versus", "places", "value", "low", "high", "first", "last"),
        "a function of checks.py",
    ),
    **{name: Verb(*parts) for name, parts in SHAPES.items()},
}


def all_of(judgements: Sequence[tuple[str, Judgement]]) -> Judgement:
    """Every part has to hold; the words name those that do not first."""
    verdict = every(judged for _, (judged, _) in judgements)
    if verdict is True or len(judgements) == 1:
        chosen = list(judgements[:3])
    else:
        chosen = [item for item in judgements if item[1][0] is verdict]
    words = "; ".join(f"{name}: {text}" if name else text for name, (_, text) in chosen[:3])
    if len(judgements) > 1 and len(judgements) > len(chosen[:3]):
        held = sum(judged is True for _, (judged, _) in judgements)
        words += f" (holds at {held} of {len(judgements)} places)"
    return verdict, words
