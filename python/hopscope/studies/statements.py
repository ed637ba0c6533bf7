"""Statements of a study folder: checks by verbs, bound to settings, judged on results, published numbers, a reference.

A statement has one check or several (`[[...check]]`), all of which have to hold in a setting; `for` repeats a check at
every swept value of a key. `trend` is a weaker check, tried where the statement does not hold.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast, get_args

from hopscope.errors import did_you_mean, listed
from hopscope.results.samples import Data, NoSamplesError, Table
from hopscope.scenario.merging import matches
from hopscope.studies import direct
from hopscope.studies.entry import Kind, Statement
from hopscope.studies.folder import Part
from hopscope.studies.measures import OF, Measure
from hopscope.studies.published import Row, as_table
from hopscope.studies.settings import Built, Context, written
from hopscope.studies.verbs import VERBS, Check, Evaluation, all_of
from hopscope.studies.verdict import Finding, Outcome

_COMMON = ("verb", "metric", "at", "for", "given", "on")
_WHOLE = Measure("", "", "", lambda _run: None)


@dataclass(frozen=True)
class Bound:
    """A check bound to the settings it is judged in.

    Attributes:
        check: without the swept values of `loop`.
        loop: keys at every swept value of which it is judged.
        versus: label of the setting compared with, with axis names in braces; empty for none.
        given: a check that has to hold first; places where it does not are left out.
        on: label of the setting that is looked at instead, with axis names in braces; empty for the one judged.
        measures: the measure by label of the setting, where its name has axis names in braces.
        picks: values of keys of `loop` at which it is judged, where not at all.
    """

    check: Check
    loop: tuple[str, ...]
    versus: str
    given: Bound | None
    on: str = ""
    measures: Mapping[str, Measure] = field(default_factory=dict)
    picks: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def evaluate(self, built: Built, tables: Callable[[str], Table | None]) -> Evaluation:
        """Whether it holds in a setting, whose table and that of others `tables` gives by label.

        Raises:
            NoSamplesError: when nothing of it can be judged there.
        """
        table = tables(self.on.format(**built.names) if self.on else built.setting.label)
        other = tables(self.versus.format(**built.names)) if self.versus else None
        if table is None or (self.versus and other is None):
            raise NoSamplesError("the setting has no run")
        found: list[tuple[str, Evaluation]] = []
        missing: NoSamplesError | None = None
        for values in itertools.product(*(self._values(table, key) for key in self.loop)):
            at = dict(zip(self.loop, values, strict=True))
            measure = self.measures.get(built.setting.label, self.check.measure)
            check = replace(
                _placed(self.check, at), measure=measure, document=built.setting.scenario, names=built.names
            )
            name = ", ".join(f"{key.rpartition('.')[2]} {value}" for key, value in at.items())
            try:
                if self.given is not None and _placed(self.given.check, at).evaluate(table, other)[0] is not True:
                    continue
                found.append((name, check.evaluate(table, other)))
            except NoSamplesError as error:
                missing = error
        if not found:
            if missing is not None:
                raise missing
            if self.given is None:
                raise NoSamplesError("none of the places has a run")
            return False, "nowhere is what it presupposes"
        return all_of(found)

    def _values(self, table: Table, key: str) -> list[Any]:
        """The swept values at which it is judged: from `first` to `last`, where those are no ends of a curve."""
        ends = {} if self.check.along else self.check.args
        low, high = ends.get("first"), ends.get("last")
        values = [value for value in table.values(key) if key not in self.picks or value in self.picks[key]]
        return [v for v in values if (low is None or v >= low) and (high is None or v <= high)]


def _placed(check: Check, at: Mapping[str, Any]) -> Check:
    """A check at swept values of the keys that it is repeated over."""
    places = {name: {**check.at, **at, **spot} for name, spot in check.places.items()}
    than = None if check.than is None else {**check.at, **at, **check.than}
    return replace(check, at={**check.at, **at}, than=than, places=places)


def read_statement(part: Part, context: Context) -> Statement:
    """One `[[experiment.statement]]`."""
    identity, text = part.text("id"), part.text("text")
    criterion = part.text("criterion", "")
    wanted = part.texts("in") or ["*"]
    chosen = [built for built in context.settings if matches(built.setting.label, wanted)]
    for pattern in wanted:
        if not any(matches(built.setting.label, pattern) for built in context.settings):
            labels = [built.setting.label for built in context.settings]
            part.problem("in", f"no setting {pattern!r}{did_you_mean(pattern, labels)}; there are {listed(labels)}")
    kind = part.text("kind", "claim", choices=get_args(Kind))
    because, contradiction = part.text("because", ""), part.text("contradiction", "")
    fitted, on_published = part.flag("fitted", False), part.flag("published", True)
    own = ("id", "text", "criterion", "in", "kind", "because", "contradiction", "fitted", "published", "trend", "check")
    checks = [_bound(inner, context, chosen) for inner in part.array("check")]
    weaker = part.part("trend")
    if part.has("verb"):
        checks.append(_bound(part, context, chosen, own))
    else:
        if not checks:
            part.problem("", "verb is missing: a statement has a verb or [[experiment.statement.check]]")
        part.done("a statement")
    trend = _bound(weaker, context, chosen) if weaker is not None else None
    bound = [check for check in checks if check is not None]

    def evaluate(data: Data) -> list[Finding]:
        unrun = {built.setting.label for built in chosen if not built.runs}

        def tables(label: str) -> Table | None:
            return data[label] if label in data else Table(label, []) if label in unrun else None

        return [_finding(built, bound, trend, tables) for built in chosen]

    def on_numbers(rows: Sequence[Row], which: str) -> Callable[[], Finding | None]:
        return lambda: _on_numbers(chosen, bound, rows, which, context) if on_published else None

    return Statement(
        identity,
        f"{text} (judged: {criterion})" if criterion else text,
        evaluate,
        kind=cast(Kind, kind),
        because=because,
        fitted=fitted,
        contradiction=contradiction,
        published=on_numbers(context.published, "published"),
        reference=on_numbers(context.reference, "reference"),
        settings=frozenset(built.setting.label for built in chosen),
    )


def evaluated(check: Callable[[Table], Evaluation], table: Table) -> Finding:
    """What a check says of one setting: undecided where it hangs on a difference within noise."""
    try:
        holds, measured = check(table)
    except NoSamplesError as missing:
        return Finding(Outcome.UNDECIDED, "", table.label, str(missing))
    except ZeroDivisionError:
        # Nothing at all was carried where the statement speaks of shares.
        return Finding(Outcome.NOT_REPRODUCED, "a measured value it is a share of is zero", table.label)
    if holds is None:
        seeds = max((len(runs) for _, runs in table.points), default=1)
        # Where each replication is a field of its own there is one seed a point.
        noise = f"within the noise of {seeds} seeds; more seeds decide it" if seeds > 1 else "within the noise"
        return Finding(Outcome.UNDECIDED, measured, table.label, noise)
    return Finding(Outcome.REPRODUCED if holds else Outcome.NOT_REPRODUCED, measured, table.label)


def _finding(
    built: Built, bound: Sequence[Bound], trend: Bound | None, tables: Callable[[str], Table | None]
) -> Finding:
    table = tables(built.setting.label)
    if table is None:
        return Finding(Outcome.UNDECIDED, "", built.setting.label, "the setting has no run")

    def whole(_table: Table) -> Evaluation:
        return all_of([("", check.evaluate(built, tables)) for check in bound])

    finding = evaluated(whole, table)
    if finding.outcome is Outcome.NOT_REPRODUCED and trend is not None:
        weaker = evaluated(lambda _table: trend.evaluate(built, tables), table)
        if weaker.outcome is Outcome.REPRODUCED:
            return replace(finding, outcome=Outcome.IN_TREND, reason=f"in trend: {weaker.measured}")
    return finding


def _on_numbers(
    chosen: Sequence[Built], bound: Sequence[Bound], rows: Sequence[Row], which: str, context: Context
) -> Finding | None:
    """The same checks on published numbers or those of the reference simulator: the first that fails, or holds."""
    made: dict[str, Table] = {}
    for built in context.settings:
        fixed = getattr(built, which)
        if fixed is not None:
            made[built.setting.label] = as_table(built.setting.label, list(rows), fixed, context.keys)
    holds: Finding | None = None
    for built in chosen:
        table = made.get(built.setting.label)
        if table is None or not table.points or not built.setting.decides:
            continue
        if any(check.check.verb in (*direct.NAMES, "python") or check.on for check in bound):
            return None
        try:
            verdict, words = all_of([("", check.evaluate(built, made.get)) for check in bound])
        except (NoSamplesError, ZeroDivisionError):
            continue
        finding = Finding(Outcome.REPRODUCED if verdict else Outcome.NOT_REPRODUCED, words)
        if verdict is False:
            return finding
        if verdict is True:
            holds = finding
    return holds


def _bound(part: Part, context: Context, chosen: Sequence[Built], outer: Sequence[str] = ()) -> Bound | None:
    """One check, with everything it refers to looked up."""
    name = part.text("verb", choices=VERBS)
    verb = VERBS.get(name)
    if verb is None:
        return None
    metric = part.text("metric", "" if name in (*direct.NAMES, "python", "largest_of") else None)
    wanted = {built.setting.label: written(part, "metric", metric, built.names) for built in chosen} or {"": metric}
    several = {label: measure_of(part, "metric", one, context) for label, one in wanted.items()}
    measure = next(iter(several.values()))
    on = part.text("on", "")
    named = isinstance(part.values.get("for"), dict)
    picks = {context.key(key): list(values) for key, values in part.table("for").items()} if named else {}
    loop = tuple(picks) if picks else tuple(context.key(key) for key in part.texts("for"))
    at = context.where(part.table("at"))
    below = part.part("given")
    allowed = (*verb.needs, *verb.takes)
    for key in part.values:
        if key not in (*_COMMON, *allowed, *outer):
            hint = did_you_mean(key, [*_COMMON, *allowed])
            part.problem(key, f"verb {name} does not know {key!r}{hint}; it knows {', '.join((*_COMMON, *allowed))}")
    for key in verb.needs:
        if key not in part.values:
            part.problem("", f"verb {name} needs {key}")
    along = context.key(part.text("along")) if part.has("along") and "along" in allowed else ""
    than = context.where(part.table("than")) if part.has("than") and "than" in allowed else None
    places = {spot: context.where(inside.values) for spot, inside in part.parts("places")} if part.has("places") else {}
    plain = {key: part.values[key] for key in allowed if key in part.values}
    args = {key: value for key, value in plain.items() if key not in ("along", "than", "places", "versus")}
    if "best" in args:
        args["best_key"] = context.key(str(args["best"]))
    for inner in ("minus", "rivals"):
        if inner in args:
            args[inner] = context.where(part.table(inner))
    if "model" in args:
        args["model"] = next((context.formulas[one] for one in part.names("model", context.formulas)), None)
    if name == "largest_of":
        args |= {key: [measure_of(part, key, one, context) for one in part.texts(key)] for key in verb.needs}
    if "over" in args:
        args["over"] = context.key(str(args["over"]))
    if "to" in args:
        args["to"] = measure_of(part, "to", str(args["to"]), context)
    if args.get("of", "mean") not in (("loss",) if name in ("higher", "lower") and "of" in args else OF):
        part.problem("of", f"allowed: {'loss' if name in ('higher', 'lower') else listed(OF)}")
    _fit(part, name, args, several.values(), chosen)
    versus = part.text("versus", "") if "versus" in allowed else ""
    call = part.function("function") if name == "python" else None
    there = [("for", dict.fromkeys(loop, ...)), ("along", {along: ...} if along else {}), ("at", at)]
    there += [("places", spot) for spot in places.values()]
    there += [("for", {key: tuple(values) for key, values in picks.items()})]
    there += [(inner, args[inner]) for inner in ("minus", "rivals") if inner in args]
    for built in chosen:
        _places_exist(part, _other(part, "on", on, built, context) if on else built, there)
        compared = _other(part, "versus", versus, built, context) if versus else built
        _places_exist(part, compared, [("than", than or {})])
    given = _bound(below, context, chosen) if below is not None else None
    check = Check(name, measure, at, along, args, places, than, call=call)
    return Bound(check, loop, versus, given, on, several, picks)


def _fit(part: Part, name: str, args: Mapping[str, Any], measures: Iterable[Measure], chosen: Sequence[Built]) -> None:
    """Note arguments of a verb that do not go together, or a metric or setting that it cannot do with."""
    if name in ("higher", "lower") and "of" in args:
        for key in {"times", "rivals", "skip_zero", "or_equal"} & args.keys():
            part.problem(key, f"goes with no of; verb {name} compares losses as they are")
    if name == "tracks" and len({"share", "correlation"} & args.keys()) != 1:
        part.problem("", "verb tracks needs one of share, correlation")
    if name == "every_case" and any(measure.paths is None for measure in measures if measure.name):
        part.problem("metric", "verb every_case needs a metric with a path")
    if name == "bottleneck":
        part.table("link")
    if name == "probe":
        from hopscope.probing import METHODS, VALUES

        for key, known in (("method", METHODS), ("value", VALUES), ("against", METHODS)):
            part.text(key, "", choices=known)
    if name == "airtime" and not all("preset" in built.setting.scenario.get("radio", {}) for built in chosen):
        part.problem("in", "verb airtime needs settings with radio.preset")


def measure_of(part: Part, key: str, name: str, context: Context) -> Measure:
    """A measure by its name; one that nobody knows is noted."""
    if name and name not in context.measures:
        known = listed(context.measures)
        part.problem(key, f"no metric {name!r}{did_you_mean(name, context.measures)}; allowed: {known}")
    return context.measures.get(name, _WHOLE)


def _other(part: Part, key: str, text: str, built: Built, context: Context) -> Built | None:
    """The setting that a text with axis values in braces names."""
    label = written(part, key, text, built.names)
    found = {other.setting.label: other for other in context.settings}
    if label and label not in found:
        part.problem(key, f"no setting {label!r}{did_you_mean(label, found)}; there are {listed(found)}")
    return found.get(label)


def _places_exist(part: Part, built: Built | None, places: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Every key has to be swept in the setting, and every value (`...`: whichever) to be among those of the sweep."""
    for name, spot in places if built is not None else ():
        assert built is not None
        for key, value in spot.items():
            values = built.sweep.get(key)
            if values is None:
                swept = ", ".join(built.sweep) or "nothing"
                part.problem(name, f"{key} is not swept in {built.setting.label!r}, which sweeps {swept}")
            elif value is not ... and any(
                one not in values for one in (value if isinstance(value, tuple) else (value,))
            ):
                known = ", ".join(str(one) for one in values)
                part.problem(name, f"{built.setting.label!r} has no point {key} = {value}; its sweep has {known}")
