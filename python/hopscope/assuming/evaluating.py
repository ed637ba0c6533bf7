"""A study under a reading: its plain settings with what is assumed, run, and each statement evaluated."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hopscope.assuming.halves import chosen_half
from hopscope.assuming.search import StageName, State, States, single_departures
from hopscope.errors import InputError, Problem, ScenarioError
from hopscope.reporting.chart import Chart
from hopscope.results.samples import Data
from hopscope.running.runner import run_scenarios
from hopscope.scenario.assumptions import Reading, departing
from hopscope.studies.build import Study, read_study
from hopscope.studies.entry import Entry
from hopscope.studies.registry import is_folder, studies
from hopscope.studies.reproduce import EntryOutcome, Request, evaluate, identity, scenarios
from hopscope.studies.verdict import Outcome

SEEDS = {"screen": 3, "joint": 3, "race": 10}
"""Replications of the short form in each stage; a default of ours. The last stage is in full length, with the
replications of each setting, at most the study's `search_seeds`."""

_STATES: dict[Outcome, State] = {Outcome.REPRODUCED: "holds", Outcome.UNDECIDED: "open"}


def study_with_assumptions(key: str, *, trusted: bool) -> Study:
    """The study that a key or a folder means.

    Raises:
        InputError: there is none, or it has no assumptions.
    """
    if is_folder(key):
        study = read_study(Path(key), trusted=trusted)
    else:
        there = {study.key: study for study in studies()}
        if key not in there:
            having = ", ".join(study.key for study in studies() if study.assumptions)
            raise InputError(f"{key}: no such study; with assumptions: {having}, or a folder")
        study = there[key]
    if not study.assumptions:
        raise InputError(f"{study.folder / 'study.toml'}: has no [assumption.NAME]; nothing to choose among")
    return study


def touched(study: Study, *, trusted: bool) -> frozenset[str]:
    """The entries of which some departure changes a scenario; the others come out the same under every reading.

    Two departures touch no entry together that none of them touches alone: a value that is about what another one has
    set finds it only where that one has been.

    Raises:
        ScenarioError: a value of an assumption changes nothing, a scenario refuses it, or another one sets the same in
            the same scenario; with file, line and reason.
    """
    request = Request((study.key,), quick=True)
    entries = plain_entries(study)
    plain = _identities(entries)
    known = frozenset().union(*plain.values())
    scenarios(entries, request)
    found: set[str] = set()
    problems = []
    for reading in single_departures(study.assumptions):
        ((assumption, choice),) = reading.departures
        key = f"assumption.{assumption.name}.values.{choice.name}"
        try:
            departed = plain_entries(read_study(study.folder, trusted=trusted, reading=reading))
            changed = {entry for entry, own in _identities(departed).items() if own != plain[entry]}
            if not changed:
                problems.append(Problem(key, "changes no setting of this study that decides a claim", choice.place))
            # What it leaves alone has been checked.
            scenarios([_without(entry, known) for entry in departed if entry.key in changed], request)
            found |= changed
        except InputError as error:
            problems.append(Problem(key, f"a scenario refuses it: {str(error).splitlines()[0]}", choice.place))
    problems = problems or list(_order_matters(study, trusted=trusted))
    if problems:
        raise ScenarioError(problems)
    return frozenset(found)


def _order_matters(study: Study, *, trusted: bool) -> Iterator[Problem]:
    """Values of two assumptions that set one key in one scenario: a reading with both has two values for it."""
    for a, b in itertools.combinations(study.assumptions, 2):
        for first, second in itertools.product(a.choices, b.choices):
            if not first.changes.keys() & second.changes.keys():
                continue
            both = departing(study.assumptions, {a.name: first.name, b.name: second.name})
            ones, others = (
                _identities(plain_entries(read_study(study.folder, trusted=trusted, reading=reading)))
                for reading in (both, Reading(both.chosen[::-1]))
            )
            entry = next((entry for entry, own in ones.items() if own != others[entry]), None)
            if entry is not None:
                keys = ", ".join(sorted(first.changes.keys() & second.changes.keys()))
                words = f"sets {keys} in {entry}, which a value of assumption.{a.name} sets there as well"
                yield Problem(f"assumption.{b.name}.values.{second.name}", words, second.place)


def _without(entry: Entry, known: frozenset[str]) -> Entry:
    return replace(entry, settings=[one for one in entry.settings if identity(one, quick=True) not in known])


def _identities(entries: Sequence[Entry]) -> dict[str, frozenset[str]]:
    """Entry -> what its settings run, apart from their titles."""
    return {entry.key: frozenset(identity(one, quick=True) for one in entry.settings) for entry in entries}


def plain_entries(study: Study) -> list[Entry]:
    """The entries with the plain settings that decide, and the claims that those decide.

    What is shown for contrast alone is left out: it costs runs under every reading, and no verdict needs it.
    """
    found = []
    for entry in study.entries:
        settings = [setting for setting in entry.settings if setting.is_plain and setting.decides]
        decided = {setting.label for setting in settings}
        statements = [s for s in entry.statements if s.kind == "claim" and decided & s.settings]
        if statements:
            charts: Callable[[Data], Sequence[Chart]] = lambda _data: ()  # noqa: E731
            found.append(replace(entry, settings=settings, statements=statements, charts=charts))
    return found


def claims(study: Study) -> list[str]:
    """The statements that are evaluated under a reading, by table and id: `fig4-4.c1`."""
    return [f"{entry.key.partition('.')[2]}.{s.id}" for entry in plain_entries(study) for s in entry.statements]


@dataclass(frozen=True)
class Number:
    """A published number with what was measured of it.

    Attributes:
        table: the table of the study, and the setting where it has several.
        label, unit: what is measured.
        published: the published value.
        mean: of the seeds.
        ci95: half width of its 95 % interval; `None` for one seed or for a value without one.
    """

    table: str
    label: str
    unit: str
    published: float
    mean: float
    ci95: float | None


@dataclass(frozen=True)
class Details:
    """What was measured under a reading in full length.

    Attributes:
        words: statement -> the numbers it rests on, in words.
        numbers: the published numbers with the measured ones.
    """

    words: Mapping[str, str]
    numbers: tuple[Number, ...]


@dataclass
class Evaluator:
    """Runs a study under readings and evaluates its claims; what `hopscope.assuming.search` evaluates.

    Attributes:
        study: as it is read plainly.
        store: keeps the runs, so that a second search only runs what is missing.
        jobs, progress, trusted: as of `reproduce`.
        begun: called with each reading and stage before it runs.
        details: what was measured under the readings looked at in full, by the label of the reading.
    """

    study: Study
    store: Path
    jobs: int | None = None
    progress: bool = False
    trusted: bool = False
    begun: Callable[[Reading, StageName], str] = lambda reading, stage: f"{stage}: {reading.label}"
    details: dict[str, Details] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # The checks of a study that ships are code of this package.
        self.trusted = self.trusted or any(one is self.study for one in studies())
        self.chosen = chosen_half(claims(self.study))
        self.touched = touched(self.study, trusted=self.trusted)

    def __call__(self, reading: Reading, stage: StageName) -> States:
        """What becomes of each statement that an assumption touches: of the chosen half, in `full` of both."""
        is_full = stage == "full"
        request = Request((self.study.key,), quick=not is_full, seeds=SEEDS.get(stage))
        study = read_study(self.study.folder, trusted=self.trusted, reading=reading)
        entries = [entry for entry in plain_entries(study) if entry.key in self.touched]
        if not is_full:
            entries = [kept for entry in entries if (kept := _of_half(entry, self.chosen)).statements]
        wanted = scenarios(entries, request)
        if is_full and (most := self.study.search_seeds):
            wanted = {same: one.replace({"seeds": min(one.seeds, most)}) for same, one in wanted.items()}
        results = run_scenarios(
            list(wanted.values()),
            jobs=self.jobs,
            store=self.store,
            progress=self.progress,
            label=self.begun(reading, stage),
            tables=is_full,
        )
        found = dict(zip(wanted, results, strict=True))
        states: dict[str, State] = {}
        words: dict[str, str] = {}
        numbers: list[Number] = []
        for entry in entries:
            own = {one.label: found[identity(one, quick=request.quick)] for one in entry.settings}
            outcome = evaluate(entry, own)
            table = entry.key.partition(".")[2]
            for one in outcome.evaluated:
                # The settings of other readings were not run: they do not decide.
                findings = [f for f in one.findings if f.setting in own and one.decides(f)]
                verdict = one.statement.conclude(findings, one.places)
                states[f"{table}.{one.statement.id}"] = _STATES.get(verdict.outcome, "fails")
                words[f"{table}.{one.statement.id}"] = "; ".join(dict.fromkeys(f.words for f in findings))
            numbers += _numbers(table, outcome)
        if is_full:
            self.details[reading.label] = Details(words, tuple(numbers))
        return states


def _numbers(table: str, outcome: EntryOutcome) -> Iterator[Number]:
    for row in outcome.measured:
        published = row.quantity.published
        for label, value in row.values:
            if published is not None:
                where = f"{table}, {label}" if len(outcome.results) > 1 else table
                yield Number(where, row.quantity.label, row.quantity.unit, published, value.mean, value.ci95)


def _of_half(entry: Entry, half: frozenset[str]) -> Entry:
    table = entry.key.partition(".")[2]
    statements = [s for s in entry.statements if f"{table}.{s.id}" in half]
    return replace(entry, statements=statements, quantities=[])
