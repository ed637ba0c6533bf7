"""From a study folder to entries: reads `study.toml` and puts the scenarios, numbers and statements together."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from hopscope.errors import did_you_mean, listed
from hopscope.scenario.assumptions import PLAIN, Assumption, twice_set
from hopscope.scenario.assumptions import Reading as Assumed
from hopscope.scenario.merging import matches
from hopscope.studies.assumed import read_assumptions
from hopscope.studies.cells import read_cells
from hopscope.studies.entry import Entry, Quantity
from hopscope.studies.entry import Part as Case
from hopscope.studies.figures import read_figure
from hopscope.studies.folder import NOTES, PUBLISHED, REFERENCE, Part, open_folder
from hopscope.studies.formulas import read_formulas
from hopscope.studies.measures import OF, Reading, read_measures
from hopscope.studies.published import place, read_numbers
from hopscope.studies.settings import Built, Context, build_settings, read_axes, read_named, read_scenarios
from hopscope.studies.statements import measure_of, read_statement


@dataclass(frozen=True)
class Study:
    """A study folder, ready to be reproduced.

    Attributes:
        key: the beginning of the keys of its entries.
        title, source: as published.
        headline: ids of its main claims (`fig2-left.c1`), for its page.
        folder: where it lies.
        notes: prose of its authors.
        entries: what can be reproduced.
        assumptions: what it does not publish, for `hopscope readings`.
        search_seeds: the most replications of a setting in the last stage of that search; 0: its own.
    """

    key: str
    title: str
    source: str
    headline: tuple[str, ...]
    folder: Path
    notes: str
    entries: tuple[Entry, ...]
    assumptions: tuple[Assumption, ...] = ()
    search_seeds: int = 0

    @property
    def paragraphs(self) -> list[str]:
        """The notes, a text each paragraph."""
        return [" ".join(text.split()) for text in self.notes.split("\n\n") if text.strip()]


def read_study(path: Path, *, trusted: bool, reading: Assumed = PLAIN) -> Study:
    """Read a study folder and check everything in it that can be checked without running.

    Args:
        path: the folder.
        trusted: whether its Python may be loaded.
        reading: what is assumed where the source is silent.

    Raises:
        InputError: it is no study folder; the message has every problem with file, line and key.
    """
    folder = open_folder(path, trusted=trusted)
    parts = [Part(folder, document, document.values, ()) for document in folder.documents]
    head = parts[0].part("study")
    if head is None:
        parts[0].problem("", "[study] is missing: key, title and source of the study")
        folder.refuse()
    assert head is not None
    key, title, source = head.text("key"), head.text("title"), head.text("source")
    headline, quick = head.texts("headline"), head.table("quick")
    search_seeds = head.count("search_seeds", 0, least=2)
    head.done("a study")
    shared = Context(key, source, quick, reading=reading)
    for part in parts:
        shared.keys.update({name: str(value) for name, value in part.table("keys").items()})
        shared.measures.update(read_measures(part))
        shared.notes.update(part.table("notes"))
        shared.axes.update(read_axes(part))
    assumptions = tuple({name: one for part in parts for name, one in read_assumptions(part).items()}.values())
    folder.problems += twice_set(assumptions)
    for part in parts:
        shared.scenarios.update(read_scenarios(part, shared.keys))
        shared.named.update(read_named(part, shared.keys))
        shared.formulas.update(read_formulas(part, shared.keys))
    units = {name: measure.unit or "1" for name, measure in shared.measures.items()}
    numbers = [read_numbers(path / file, units, folder.problems) for file in (PUBLISHED, REFERENCE)]
    shared = replace(shared, published=numbers[0], reference=numbers[1])
    entries = [_entry(part, shared) for whole in parts for part in whole.array("experiment")]
    for part in parts:
        part.has("study")
        part.table("study")
        part.done("a study file")
    _unique(parts[0], [entry.key for entry in entries], "experiment")
    claims = {f"{entry.key.partition('.')[2]}.{s.id}" for entry in entries for s in entry.statements}
    for claim in headline:
        if claim not in claims:
            head.problem("headline", f"no statement {claim!r}{did_you_mean(claim, claims)}")
    folder.refuse()
    file = path / NOTES
    prose = file.read_text(encoding="utf-8") if file.is_file() else ""
    return Study(key, title, source, tuple(headline), path, prose, tuple(entries), assumptions, search_seeds)


def _unique(part: Part, names: Sequence[str], what: str) -> None:
    for name in {name for name in names if names.count(name) > 1}:
        part.problem("", f"{what} {name!r} stands twice")


def _entry(part: Part, shared: Context) -> Entry:
    """One `[[experiment]]`."""
    key = part.text("key")
    tables = part.names("tables", dict.fromkeys(row.table for row in shared.published), f"{PUBLISHED} has no table")
    others = part.names("reference", dict.fromkeys(row.table for row in shared.reference), f"{REFERENCE} has no table")
    settings = [built for inner in part.array("setting") for built in build_settings(inner, shared)]
    _unique(part, [built.setting.label for built in settings], "setting")
    published = [row for row in shared.published if row.table in tables]
    reference = [row for row in shared.reference if row.table in others]
    context = replace(shared, settings=settings, published=published, reference=reference)
    statements = [read_statement(inner, context) for inner in part.array("statement")]
    _unique(part, [statement.id for statement in statements], "statement")
    quantities = [quantity for inner in part.array("quantity") for quantity in _quantities(inner, context)]
    charts = [read_figure(inner, context) for inner in part.array("figure")]
    measured = part.part("cells")
    cells = read_cells(measured, shared) if measured is not None else None
    own = [built.setting for built in settings if built.runs]
    if cells is not None:
        own += cells.settings
        quantities += cells.quantities
        statements += cells.statements
        charts.append(cells.charts)
    entry = Entry(
        key=f"{shared.study}.{key}",
        title=part.text("title"),
        source=part.text("source", shared.source),
        item=part.text("item", ""),
        description=part.text("description", ""),
        settings=own,
        quantities=quantities,
        statements=statements,
        charts=lambda data: [chart for draw in charts for chart in draw(data)],
        notes=[str(shared.notes.get(note, note)) for note in part.texts("notes")],
        parts={name: _case(inner) for name, inner in part.parts("part")},
    )
    part.done("an experiment")
    return entry


def _quantities(part: Part, context: Context) -> list[Quantity]:
    """The quantities that one `[[experiment.quantity]]` makes: one at each value of the keys of `for`."""
    metric = part.text("metric")
    measure = measure_of(part, "metric", metric, context)
    names, fixed = part.texts("for"), part.table("at")
    form, along = part.text("of", "mean", choices=OF), part.text("along", "")
    over = context.where(part.table("over")) if part.has("over") else None
    wanted = part.texts("in") or ["*"]
    chosen = [built for built in context.settings if matches(built.setting.label, wanted)]
    label = part.text("label", "")
    model = next((context.formulas[name] for name in part.names("model", context.formulas)), None)
    words = part.text("source", "")
    part.done("a quantity")
    found = []
    groups: dict[Any, list[Built]] = {}
    for built in chosen:
        # A model may differ from setting to setting.
        groups.setdefault(built.setting.label if model is not None else built.published, []).append(built)
    for members in groups.values():
        at = members[0].published
        labels = frozenset(built.setting.label for built in members)
        axes = []
        for name in names:
            key = context.key(name)
            values = list(dict.fromkeys(v for built in members for v in built.sweep.get(key, [])))
            if not values:
                part.problem("for", f"{key} is not swept in {listed(sorted(labels))}")
            axes.append(values)
        extra = ", ".join(value for _, value in sorted(at)) if at and len(groups) > 1 else ""
        for spot in itertools.product(*axes):
            names_at = {**fixed, **dict(zip(names, spot, strict=True))}
            single = {name: value for name, value in names_at.items() if not isinstance(value, list)}
            here = (metric, place(single) | (at or frozenset()))
            row = next((row for row in context.published if at is not None and (row.metric, row.at) == here), None)
            where = {**members[0].names, **names_at}
            stem = label.format(**where) if label else ", ".join(f"{n} {v}" for n, v in names_at.items())
            title = ", ".join(part_ for part_ in (measure.label, extra, stem) if part_)
            reading = Reading(measure, context.where(names_at), form, context.key(along) if along else "", over)
            found.append(
                Quantity(
                    title,
                    "%" if over is not None or form == "loss" else "" if form == "best at" else measure.unit,
                    reading.find,
                    cache(partial(model.value, where)) if model else row.value if row else None,
                    "model" if model else row.source if row else words or "not printed",
                    row.half if row else None,
                    settings=lambda name, labels=labels: name in labels,  # type: ignore[misc]
                    extremes=row.extremes if row else None,
                    single=row.single if row else False,
                )
            )
    return found


def _case(part: Part) -> Case:
    wanted, statements = part.texts("in"), part.texts("statements")
    part.done("a part")
    return Case(lambda label: matches(label, wanted), statements)
