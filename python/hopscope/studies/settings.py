"""The settings of an experiment: a named scenario, what is changed in it, and the axes it is crossed with.

An axis has values by name; each changes the scenario. What the source leaves open is an axis with `unpublished`: its
values are readings of the same experiment, judged one by one. A value with `contrast` is shown with them and decides
nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hopscope.errors import did_you_mean, listed
from hopscope.scenario.assumptions import PLAIN, Reading
from hopscope.scenario.merging import deep_merge, matches, removed
from hopscope.studies.entry import Setting
from hopscope.studies.folder import Part
from hopscope.studies.formulas import Formula
from hopscope.studies.measures import Measure
from hopscope.studies.published import At, Row, place


@dataclass(frozen=True)
class Value:
    """One value of an axis: what it sets, removes, and whether it is for contrast."""

    name: str
    changes: Mapping[str, Any]
    without: tuple[str, ...]
    contrast: bool


@dataclass(frozen=True)
class Axis:
    """An axis: its values, what is unpublished about it (empty when it is what the source varied), the plain value."""

    name: str
    values: tuple[Value, ...]
    unpublished: str
    plain: Value | None


@dataclass(frozen=True)
class Built:
    """A setting with what statements need to know of it.

    Attributes:
        setting: as it runs.
        names: value of each axis by its name, to write labels with; `baseline` is the label of the setting to
            compare it with, where its table names one.
        published: names and values that pick its published numbers; `None` when it has none.
        reference: those that pick the numbers of the reference simulator.
        runs: whether it is run; one that is not is only looked up in.
    """

    setting: Setting
    names: Mapping[str, str]
    published: At | None
    reference: At | None
    runs: bool = True

    @property
    def sweep(self) -> Mapping[str, list[Any]]:
        """Swept values by key."""
        found: dict[str, list[Any]] = dict(self.setting.scenario.get("sweep", {}))
        for key, names in self.setting.named.items():
            given = {inner for where in names.values() for inner in where}
            if given <= found.keys():
                found = {k: values for k, values in found.items() if k not in given} | {key: list(names)}
        return found


@dataclass(frozen=True)
class Context:
    """What the experiments of a study share, and what the one at hand has.

    Attributes:
        study, source: key and publication.
        quick: keys that replace those of every scenario under `--quick`.
        keys: swept keys by short name.
        measures, notes, axes, scenarios, named, formulas: by name.
        published, reference: rows of its tables and those of the reference simulator.
        settings: of the experiment.
        reading: what is assumed where the source is silent; without departures: the plain reading.
    """

    study: str
    source: str
    quick: Mapping[str, Any]
    keys: dict[str, str] = field(default_factory=dict)
    measures: dict[str, Measure] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
    axes: dict[str, Axis] = field(default_factory=dict)
    scenarios: dict[str, dict[str, Any]] = field(default_factory=dict)
    named: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    formulas: dict[str, Formula] = field(default_factory=dict)
    published: Sequence[Row] = ()
    reference: Sequence[Row] = ()
    settings: Sequence[Built] = ()
    reading: Reading = PLAIN

    def key(self, name: str) -> str:
        """The swept key of a short name, or the name."""
        return self.keys.get(name, name)

    def where(self, names: Mapping[str, Any]) -> dict[str, Any]:
        """A place with short names spelt out; a list of values stands for the mean over them."""
        return {self.key(name): tuple(v) if isinstance(v, list) else v for name, v in names.items()}


def read_scenarios(part: Part, keys: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """`[scenario.NAME]`: scenarios by name; `base` names an earlier one, `without` removes keys of it."""
    found: dict[str, dict[str, Any]] = {}
    for name, own in part.parts("scenario"):
        given = dict(own.values)
        base = own.text("base", "")
        if base and base not in found:
            own.problem("base", f"no scenario {base!r} before this one{did_you_mean(base, found)}")
        without = own.texts("without")
        for key in ("base", "without"):
            given.pop(key, None)
        if isinstance(given.get("sweep"), dict):
            given["sweep"] = {keys.get(key, key): value for key, value in given["sweep"].items()}
        found[name] = deep_merge(removed(found.get(base, {}), without), given)
    return found


def read_axes(part: Part) -> dict[str, Axis]:
    """`[axis.NAME]` with `unpublished`, `alternatives`; `[axis.NAME.values.VALUE]`: `set`, `without`, `contrast`."""
    found: dict[str, Axis] = {}
    for name, own in part.parts("axis"):
        values = []
        for value, inside in own.parts("values"):
            values.append(
                Value(value, inside.table("set"), tuple(inside.texts("without")), inside.flag("contrast", False))
            )
            inside.done("a value of an axis")
        plain = None if own.flag("alternatives", False) or not values else values[0]
        found[name] = Axis(name, tuple(values), own.text("unpublished", ""), plain)
        own.done("an axis")
        if not values:
            own.problem("", "has no values")
    return found


def read_named(part: Part, keys: Mapping[str, str]) -> dict[str, dict[str, dict[str, Any]]]:
    """`[named.KEY]`: a key that stands for several swept ones, with names for combinations of their values."""
    return {
        name: {
            value: {keys.get(key, key): swept for key, swept in inside.values.items()} for value, inside in own.parts()
        }
        for name, own in part.parts("named")
    }


def build_settings(part: Part, context: Context) -> list[Built]:
    """The settings that one `[[experiment.setting]]` makes: one for each combination of the values of its axes."""
    scenarios, axes, keys = context.scenarios, context.axes, context.keys
    name = part.text("scenario")
    if name not in scenarios:
        part.problem("scenario", f"no scenario {name!r}{did_you_mean(name, scenarios)}; allowed: {listed(scenarios)}")
    crossed = [axes[name] for name in part.names("axes", axes, "no axis")]
    own, without = part.table("set"), part.texts("without")
    call = part.function("python", required=False)
    sweep = {keys.get(key, key): value for key, value in part.table("sweep").items()}
    shorter = deep_merge(context.quick, part.table("quick"))
    if isinstance(fewer := shorter.pop("sweep", None), dict):
        shorter["sweep"] = {keys.get(key, key): value for key, value in fewer.items()}
    pattern = part.text("label", ", ".join(f"{{{axis.name}}}" for axis in crossed) or name)
    row, contrast, runs = part.text("row", ""), part.flag("contrast", False), part.flag("run", True)
    only = [dict(table) for table in part.values_of("only") if isinstance(table, Mapping)]
    baseline = part.text("baseline", "")
    published = part.table("published") if part.has("published") else None
    reference = part.table("reference") if part.has("reference") else None
    part.done("a setting")
    found = []
    for values in itertools.product(*(axis.values for axis in crossed)):
        names = {axis.name: value.name for axis, value in zip(crossed, values, strict=True)}
        if only and not any(all(matches(names.get(a, ""), wanted) for a, wanted in one.items()) for one in only):
            continue
        document = removed(context.reading.before(scenarios.get(name, {})), without)
        document = deep_merge(document, own)
        for value in values:
            document = deep_merge(removed(document, value.without), value.changes)
        if call is not None:
            document = deep_merge(document, call(names))
        document = context.reading.after(document, names)
        if sweep:
            document["sweep"] = sweep
        label = written(part, "label", pattern, names)
        document["title"] = f"{context.study} {name}, {label}"
        reading = ", ".join(
            value.name for axis, value in zip(crossed, values, strict=True) if axis.unpublished and not value.contrast
        )
        decides = not contrast and not any(value.contrast for value in values)
        is_plain = all(value is axis.plain for axis, value in zip(crossed, values, strict=True) if axis.unpublished)
        own_row = ", ".join(
            [row] * bool(row)
            + [value.name for axis, value in zip(crossed, values, strict=True) if not axis.unpublished]
        )
        if baseline:
            names["baseline"] = written(part, "baseline", baseline, names)
        setting = Setting(label, document, shorter, decides, own_row, reading, context.named, is_plain)
        found.append(Built(setting, names, _filled_in(published, names), _filled_in(reference, names), runs))
    return found


def _filled_in(at: Mapping[str, Any] | None, names: Mapping[str, str]) -> At | None:
    """A place whose texts may hold axis names in braces; blanks of their values become dashes, as a CSV has them."""
    if at is None:
        return None
    dashed = {axis: value.replace(" ", "-") for axis, value in names.items()}
    return place({key: value.format(**dashed) if isinstance(value, str) else value for key, value in at.items()})


def written(part: Part, key: str, pattern: str, names: Mapping[str, str]) -> str:
    """A text with the axis values of a setting in its braces; empty where it names another."""
    try:
        return pattern.format(**names)
    except (KeyError, IndexError, ValueError):
        part.problem(key, f"found {pattern!r}; allowed in braces: {', '.join(names) or 'nothing'}")
        return ""
