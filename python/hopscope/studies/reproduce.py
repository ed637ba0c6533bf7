"""Running catalogue entries and judging what they give.

`reproduce` runs the scenarios of all entries in one pool (a scenario that several entries share runs once), then
measures the quantities, judges the statements and builds the charts of every entry. Nothing is printed or written
here beyond the result store; see `hopscope.reporting`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError, StoreError, counted
from hopscope.io.files import make_folder, not_written, read_whole, write_whole
from hopscope.reporting.chart import Chart
from hopscope.results import display
from hopscope.results.remarks import silent_flows
from hopscope.results.samples import Data, Estimate, Table
from hopscope.scenario.changing import refuse_relabelled
from hopscope.studies.entry import Entry, Quantity, Setting, Statement
from hopscope.studies.registry import find, studies_of
from hopscope.studies.verdict import Finding, Outcome, Place, Verdict, cell

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from hopscope.campaign.store import Store
    from hopscope.results import Result
    from hopscope.scenario import Scenario
    from hopscope.studies.build import Study


REQUEST = "reproduction.json"
_MAX_REQUEST_BYTES = 1_000_000
"""File of a store that says which entries were reproduced into it, so that a report can judge them again."""


@dataclass(frozen=True)
class Measured:
    """A quantity and what each study gives for it."""

    quantity: Quantity
    values: tuple[tuple[str, Estimate], ...]

    def cell(self, value: Estimate) -> Finding | None:
        """How a measured value stands to the published one; `None` where nothing can be said."""
        own = self.quantity
        if own.published is None:
            return None
        return cell(value, own.published, extremes=own.extremes, spread=own.spread, single=own.single)


@dataclass(frozen=True)
class Evaluated:
    """A statement, its findings and its verdict.

    Attributes:
        statement: what is stated.
        findings: one for each setting judged.
        contrast: labels of settings whose findings do not decide.
        places: place of each setting.
    """

    statement: Statement
    findings: tuple[Finding, ...]
    contrast: frozenset[str] = frozenset()
    places: Mapping[str, Place] = field(default_factory=dict)

    def decides(self, finding: Finding) -> bool:
        """Whether a finding counts for the verdict."""
        return finding.setting not in self.contrast

    @cached_property
    def verdict(self) -> Verdict:
        """What became of the statement, with the cause."""
        return self.statement.conclude([f for f in self.findings if self.decides(f)], self.places)

    @property
    def outcome(self) -> Outcome:
        """The word of the verdict."""
        return self.verdict.outcome


@dataclass(frozen=True)
class EntryOutcome:
    """Everything one entry gave; `remarks` name flows that carried nothing, which a mean would hide."""

    entry: Entry
    measured: tuple[Measured, ...]
    evaluated: tuple[Evaluated, ...]
    charts: tuple[Chart, ...]
    results: Mapping[str, Result]
    remarks: tuple[str, ...] = ()

    def count(self, outcome: Outcome) -> int:
        """How many claims have this outcome."""
        return sum(j.outcome is outcome for j in self.evaluated if j.statement.kind == "claim")

    @property
    def aside(self) -> int:
        """How many statements are no claims (see `Kind`), and not counted."""
        return sum(j.statement.kind != "claim" for j in self.evaluated)

    def cells(self) -> list[tuple[Measured, str, Finding]]:
        """Every published number with what it says of a setting that decides."""
        deciding = {setting.label for setting in self.entry.settings if setting.decides}
        return [
            (row, label, found)
            for row in self.measured
            for label, value in row.values
            if label in deciding and (found := row.cell(value)) is not None
        ]


@dataclass(frozen=True)
class Request:
    """What is asked of `reproduce`.

    Attributes:
        keys: catalogue keys or study folders.
        quick: whether the runs are shortened (`--quick`).
        seeds: replications; `None`: each scenario's own.
        changes: scenario keys changed by `--set`; the results then are not those of the published setting.
    """

    keys: tuple[str, ...]
    quick: bool = field(default=False, kw_only=True)
    seeds: int | None = field(default=None, kw_only=True)
    changes: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    @property
    def command(self) -> str:
        """The command that repeats this."""
        words = ["hopscope", "reproduce", *self.keys]
        if self.quick:
            words.append("--quick")
        if self.seeds is not None:
            words.append(f"--seeds {self.seeds}")
        words.extend(f"--set {key}={value}" for key, value in self.changes.items())
        return " ".join(words)

    @property
    def caution(self) -> str:
        """What keeps the numbers from being those of the published setting; empty when nothing does."""
        parts = ["quick run: fewer seeds, shorter runs and fewer points than the published setting"] * self.quick
        if self.changes:
            changed = ", ".join(f"{key} = {value}" for key, value in self.changes.items())
            parts.append(f"changed from the published setting: {changed}")
        return "; ".join(parts)


@dataclass(frozen=True)
class Reproduction(Request, display.Shown):
    """The outcome of `reproduce`.

    Attributes:
        entries: one outcome for each entry, in the order of the catalogue.
        failures: runs that failed, in words.
        studies: the folders that the entries come from.
    """

    drawn = "reproduction"
    entries: tuple[EntryOutcome, ...] = ()
    failures: tuple[str, ...] = ()
    studies: tuple[Study, ...] = ()

    def __repr__(self) -> str:
        return f"Reproduction({', '.join(self.keys)}: {self.summary})"

    def count(self, outcome: Outcome) -> int:
        """How many claims have this outcome."""
        return sum(entry.count(outcome) for entry in self.entries)

    def headline(self, study: Study) -> list[tuple[str, Evaluated]]:
        """The main claims of a study that have been judged, each with the key of its entry."""
        found = {f"{e.entry.key}.{j.statement.id}": (e.entry.key, j) for e in self.entries for j in e.evaluated}
        return [found[key] for claim in study.headline if (key := f"{study.key}.{claim}") in found]

    @property
    def counts(self) -> dict[str, int]:
        """Verdict -> number of claims, those that occur, in the order of the verdicts."""
        return {o.value: count for o in Outcome if (count := self.count(o))}

    @property
    def summary(self) -> str:
        """The counts in words: claims, what is not counted, numbers of tables."""
        claims = sum(self.counts.values())
        words = counted(claims, "statement")
        words += ": " + ", ".join(f"{count} {name}" for name, count in self.counts.items()) if claims else ""
        if aside := sum(entry.aside for entry in self.entries):
            words += f"; {aside} more look up defaults or do sums"
        return words + (f"; {self.numbers_met}" if self.numbers_met else "")

    @property
    def numbers_met(self) -> str:
        """How many of the published numbers are met, in words; empty where none can be compared."""
        cells = [one for entry in self.entries for one in entry.cells()]
        met = {id(row) for row, _, found in cells if found.outcome is Outcome.REPRODUCED}
        return f"{len(met)} of {counted(len({id(row) for row, *_ in cells}), 'published number')} met" if cells else ""

    @property
    def exit_status(self) -> int:
        """0 once everything ran and was judged, 1 when a validation entry failed, 3 when runs failed."""
        if any(entry.entry.validates and entry.count(Outcome.NOT_REPRODUCED) for entry in self.entries):
            return 1
        return 3 if self.failures else 0

    @property
    def missing(self) -> int:
        """How many runs are not there yet, failed ones not counted (after a shard)."""
        found = {id(r): r for entry in self.entries for r in entry.results.values()}
        wanted = sum(len(r.points) * r.scenario.seeds for r in found.values())
        return wanted - sum(len(r.failures) + sum(len(p.runs) for p in r.points) for r in found.values())

    def to_json(self) -> dict[str, Any]:
        """The outcome as plain data: statements with findings, quantities with intervals, results of every study."""
        from hopscope import _core

        return {
            "hopscope": _core.version(),
            "command": self.command,
            "quick": self.quick,
            "changes": dict(self.changes),
            "failures": list(self.failures),
            "counts": {outcome.value: self.count(outcome) for outcome in Outcome},
            "summary": self.summary,
            "entries": [_entry_json(outcome) for outcome in self.entries],
        }


def reproduce(
    keys: str | Sequence[str],
    *,
    seeds: int | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    quick: bool = False,
    progress: bool = True,
    shard: tuple[int, int] | None = None,
    executor: Executor | None = None,
    announce: Callable[[list[Scenario]], object] | None = None,
    trusted: bool = True,
) -> Reproduction:
    """Runs entries of the catalogue and compares them with what was published.

    Args:
        keys: ``"fu2003"``, ``"fu2003.fig2-left"``, several of them, ``"all"``, or the folder of a study of your own.
        seeds: replications of every scenario; `None`: each scenario's own.
        jobs: runs at a time; `None`: all cores.
        out: store that keeps the runs, so that a second call only runs what is missing; `None`: nothing is kept.
        set: dotted keys to change in every scenario.
        quick: fewer seeds, shorter runs, shorter sweeps.
        progress: show a bar where there is a terminal or a notebook.
        shard: (i, n): run only every n-th run, starting with the i-th; the statements are judged on what there is.
        executor: runs the work instead of a pool of threads.
        announce: takes the scenarios before they run; not called when there are none.
        trusted: whether the Python of study folders among the keys may be loaded.

    Raises:
        InputError: for an unknown key or a bad change.
        Interrupted: on Ctrl-C; finished runs are in the store.
    """
    from hopscope.running.runner import run_scenarios

    keys = (keys,) if isinstance(keys, str) else tuple(keys)
    request = Request(keys, quick=quick, seeds=seeds, changes=dict(set or {}))
    chosen = find(keys, trusted=trusted)
    wanted = scenarios(chosen, request)
    found: dict[str, Result] = {}
    if wanted:
        if announce is not None:
            announce(list(wanted.values()))
        results = run_scenarios(
            list(wanted.values()),
            jobs=jobs,
            store=out,
            progress=progress,
            shard=shard,
            executor=executor,
            label=f"reproduce {' '.join(keys)}",
        )
        found = dict(zip(wanted, results, strict=True))
    if out is not None:
        _remember(Path(out), request)
    return _outcome(request, chosen, found, trusted=trusted)


def recall(store: Store) -> Reproduction | None:
    """Judge again what `reproduce` has left in a store, without running anything.

    Returns:
        The outcome; `None` when the store does not hold the runs of a reproduction by this version.
    """
    try:
        request = Request(**json.loads(read_whole(store.path / REQUEST, _MAX_REQUEST_BYTES)))
        chosen = find(request.keys)
        wanted = scenarios(chosen, request, is_stored=True)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, InputError):
        return None
    results = store.results()
    if [scenario.document for scenario in wanted.values()] != [result.scenario.document for result in results]:
        return None
    return _outcome(request, chosen, dict(zip(wanted, results, strict=True)), trusted=False)


def _remember(folder: Path, request: Request) -> None:
    try:
        make_folder(folder)
        write_whole(folder / REQUEST, json.dumps(asdict(request)).encode() + b"\n")
    except OSError as error:
        raise not_written(f"{folder / REQUEST}: cannot be written", error, StoreError) from error


def _outcome(request: Request, chosen: Sequence[Entry], found: Mapping[str, Result], *, trusted: bool) -> Reproduction:
    outcomes = []
    for entry in chosen:
        own = {study.label: found[identity(study, quick=request.quick)] for study in entry.settings}
        outcome = evaluate(entry, own)
        if request.changes and not entry.settings:
            outcome = replace(outcome, remarks=("nothing is simulated here: --set changes nothing",))
        outcomes.append(outcome)
    failures = tuple(
        f"{result.scenario.title}, {failure.place}, seed {failure.seed}: {failure.message}"
        for result in found.values()
        for failure in result.failures
    )
    studies = tuple(studies_of(request.keys, trusted=trusted))
    return Reproduction(**vars(request), entries=tuple(outcomes), failures=failures, studies=studies)


def evaluate(entry: Entry, results: Mapping[str, Result]) -> EntryOutcome:
    """Measure, judge and chart an entry from the results of its studies, by label."""
    tables = list(tables_of(entry, results).values())
    measured, evaluated, charts = weigh(entry, Data(tables))
    remarks = (*common_readings(evaluated), *silent_flows(tables))
    return EntryOutcome(entry, measured, evaluated, charts, dict(results), remarks)


def tables_of(entry: Entry, results: Mapping[str, Result]) -> dict[str, Table]:
    """The results of the studies of an entry as tables, by label; each run with the seconds that it measured."""
    settings = {setting.label: setting for setting in entry.settings}
    return {label: settings[label].table(result.timed()) for label, result in results.items()}


def common_readings(evaluated: Sequence[Evaluated]) -> list[str]:
    """In which one reading of what is not published most statements hold together; nothing without readings."""
    held: dict[str, dict[str, bool]] = {}
    for one in evaluated:
        if one.statement.kind == "claim":
            for finding in one.findings:
                reading = one.places.get(finding.setting, Place()).reading
                if reading and one.decides(finding):
                    before = held.setdefault(reading, {}).get(one.statement.id, True)
                    held[reading][one.statement.id] = before and finding.outcome is Outcome.REPRODUCED
    most = max((len(found) for found in held.values()), default=0)
    held = {reading: found for reading, found in held.items() if len(found) == most}
    if len(held) < 2 or most < 2:
        return []
    top = max(sum(found.values()) for found in held.values())
    best = [reading for reading, found in held.items() if sum(found.values()) == top]
    missing = ", ".join(name for name, holds in held[best[0]].items() if not holds)
    words = f"{top} of {counted(most, 'statement')} hold together in {best[0]}"
    more = f" and {len(best) - 1} more of {counted(len(held), 'reading')}" if len(best) > 1 else ""
    rest = f" (not {missing})" if missing else ""
    return [f"{words}{rest}{more}; in no reading more do" if missing else f"{words}{more}"]


def weigh(entry: Entry, data: Data) -> tuple[tuple[Measured, ...], tuple[Evaluated, ...], tuple[Chart, ...]]:
    """What the tables of an entry say: quantities that were measured, judged statements, charts that are not empty."""
    measured = []
    for quantity in entry.quantities:
        values = [
            (table.label, value)
            for table in data
            if quantity.settings(table.label) and (value := quantity.measure(table)) is not None
        ]
        if values:
            measured.append(Measured(quantity, tuple(values)))
    contrast = frozenset(setting.label for setting in entry.settings if not setting.decides)
    places = {setting.label: Place(setting.row, setting.reading) for setting in entry.settings}
    evaluated = [Evaluated(one, tuple(one.evaluate(data)), contrast, places) for one in entry.statements]
    charts = [chart for chart in entry.charts(data) if not chart.is_empty]
    return tuple(measured), tuple(evaluated), tuple(charts)


def scenarios(chosen: Sequence[Entry], request: Request, *, is_stored: bool = False) -> dict[str, Scenario]:
    """The different scenarios of the entries, by identity, in order; of a store's changes no code is loaded.

    Raises:
        InputError: for a bad change.
    """
    from hopscope.scenario import Scenario
    from hopscope.scenario.document import from_mapping, from_store

    if request.changes and not any(entry.settings for entry in chosen):
        names = ", ".join(entry.key for entry in chosen)
        raise InputError(f"--set {next(iter(request.changes))}: nothing to change, since {names} simulates nothing")
    found: dict[str, Scenario] = {}
    for entry in chosen:
        refuse_relabelled(entry.key, {one.label: one.scenario for one in entry.settings}, request.changes)
        for study in entry.settings:
            same = identity(study, quick=request.quick)
            if same in found:
                continue
            document = study.document(quick=request.quick)
            scenario = Scenario.from_document(from_store(document, {}) if is_stored else from_mapping(document))
            if request.quick:
                scenario = scenario.quick(study.quick)
            if request.changes:
                scenario = scenario.replace(dict(request.changes), origin="--set")
            # Said last, so that --quick --seeds 5 means five seeds.
            found[same] = scenario if request.seeds is None else scenario.replace({"seeds": request.seeds})
    return found


def identity(study: Setting, *, quick: bool) -> str:
    """What a scenario is apart from its title: settings that differ only in that share their runs."""
    document = {key: value for key, value in study.document(quick=quick).items() if key != "title"}
    return json.dumps([document, dict(study.quick) if quick else {}], sort_keys=True)


def _entry_json(outcome: EntryOutcome) -> dict[str, Any]:
    entry = outcome.entry
    return {
        **{name: getattr(entry, name) for name in ("key", "title", "source", "item")},
        "statements": [
            {
                **{name: getattr(evaluated.statement, name) for name in ("id", "text", "kind", "fitted")},
                "outcome": evaluated.outcome.value,
                "cause": evaluated.verdict.cause,
                "findings": [{**asdict(f), "decides": evaluated.decides(f)} for f in evaluated.findings],
            }
            for evaluated in outcome.evaluated
        ],
        "quantities": [
            {
                **{name: getattr(row.quantity, name) for name in ("label", "unit", "published")},
                **dict(zip(("published_min", "published_max"), row.quantity.extremes or (None, None), strict=True)),
                "source": row.quantity.source,
                "measured": {label: asdict(value) for label, value in row.values},
                "cells": {
                    label: {"outcome": found.outcome.value, "words": found.words}
                    for label, value in row.values
                    if (found := row.cell(value)) is not None
                },
            }
            for row in outcome.measured
        ],
        "notes": list(entry.notes),
        "remarks": list(outcome.remarks),
        "settings": {label: result.to_json() for label, result in outcome.results.items()},
    }
