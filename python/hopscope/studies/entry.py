"""What a catalogue entry is made of.

An `Entry` is one table, figure or validation of a study: the scenarios that repeat it (`Setting`), what was published
(`Quantity`), what was stated about it (`Statement`), how it is drawn, and what had to be guessed (`notes`). Entries are
data; only the judging of a statement is a function, and most of those come from `hopscope.studies.statements`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from hopscope.reporting.chart import Chart
from hopscope.results.samples import Data, Estimate, Run, Table, Where
from hopscope.studies.verdict import Finding, Place, Verdict, conclude


@dataclass(frozen=True)
class Setting:
    """One scenario of an entry, with its sweep.

    Attributes:
        label: short name shown in tables and legends.
        scenario: a scenario as in a TOML file, sweep included.
        quick: top-level keys that replace those of `scenario` under `--quick`: a shorter sweep, or a duration, a
            warm-up or a number of seeds other than the usual (`hopscope.scenario.shorter`).
        decides: whether its findings decide a statement; otherwise they are shown for contrast (the same experiment
            under rules that its source did not use).
        row: see `Place.row`.
        reading: see `Place.reading`.
        named: names for combinations of swept values, by the key that stands for them.
        is_plain: whether each unpublished choice that it makes is the first of its axis.
    """

    label: str
    scenario: Mapping[str, Any]
    quick: Mapping[str, Any] = field(default_factory=dict)
    decides: bool = True
    row: str = ""
    reading: str = ""
    named: Mapping[str, Mapping[str, Where]] = field(default_factory=dict)
    is_plain: bool = True

    def table(self, points: Sequence[tuple[Where, Sequence[Run]]]) -> Table:
        """The results of this setting, with `named` in place of the keys that it combines."""
        found = Table(self.label, points)
        for key, names in self.named.items():
            found = found.named(key, names)
        return found

    def document(self, *, quick: bool = False) -> dict[str, Any]:
        """The scenario file of this setting; under `--quick` that from which `Scenario.quick` makes the short form."""
        kept = {key: self.quick[key] for key in self.quick.keys() - {"duration", "warmup", "seeds"}}
        return {**self.scenario, **(kept if quick else {})}


@dataclass(frozen=True)
class Quantity:
    """A number that is measured, with the published one.

    Attributes:
        label: what it is.
        unit: its unit, empty for a plain number.
        measure: takes the table of a setting; returns the interval, or `None` where the setting does not have it.
        stated: the published value, or what works it out; `None` when the source only describes it.
        source: where the value stands (table, figure, text), or why there is none.
        spread: half width of the published value's own 95 % interval, when known.
        extremes: smallest and largest published sample, when the source prints them.
        settings: which settings have the quantity, by label; all unless said.
        single: whether the published value is that of one run, so that it is judged by where it lies among ours.
    """

    label: str
    unit: str
    measure: Callable[[Table], Estimate | None]
    stated: float | Callable[[], float] | None = None
    source: str = ""
    spread: float | None = None
    settings: Callable[[str], bool] = lambda _label: True
    extremes: tuple[float, float] | None = None
    single: bool = False

    @property
    def published(self) -> float | None:
        """The published value. A model may take a second to work it out."""
        return self.stated() if callable(self.stated) else self.stated


Kind = Literal["claim", "goal", "definition", "default", "arithmetic", "foregone", "unstated"]
"""What a statement is; only a claim of the source is counted. A goal is what a design was to reach, a definition how it
is made, a default looked up, arithmetic on printed numbers; foregone can hardly fail, unstated says more than it."""


@dataclass(frozen=True)
class Statement:
    """Something the source states, which the results can confirm or contradict.

    Attributes:
        id: `c1`, `c2`, ... within the entry.
        text: the statement in our own words, with the criterion it is judged by.
        evaluate: takes the data of the entry; returns one finding for each setting judged.
        kind: see `Kind`.
        because: the cause, in one sentence, where it does not hold.
        fitted: whether the criterion was set after a first look at the results; the page says so.
        contradiction: how the source contradicts it elsewhere.
        published: the same check on the published numbers, if they can be judged.
        reference: the same check on what the reference simulator measured, if it was.
        settings: labels of the settings in which it is judged.
    """

    id: str
    text: str
    evaluate: Callable[[Data], Sequence[Finding]]
    kind: Kind = "claim"
    because: str = ""
    fitted: bool = False
    contradiction: str = ""
    published: Callable[[], Finding | None] = lambda: None
    reference: Callable[[], Finding | None] = lambda: None
    settings: frozenset[str] = frozenset()

    @property
    def claim(self) -> str:
        """The text without its criterion."""
        return self.text.partition(" (judged:")[0]

    def conclude(self, findings: Sequence[Finding], places: Mapping[str, Place]) -> Verdict:
        """The verdict from the findings that decide."""
        return conclude(
            findings,
            places,
            because=self.because,
            published=self.published(),
            reference=self.reference(),
            contradiction=self.contradiction,
        )


@dataclass(frozen=True)
class Part:
    """A case of an entry that can be run alone.

    Attributes:
        settings: which settings it needs, by label.
        statements: ids of the statements that can be judged on them.
    """

    settings: Callable[[str], bool]
    statements: Sequence[str] = ()


@dataclass(frozen=True)
class Entry:
    """One entry of the catalogue.

    Attributes:
        key: `paper.figure`, as typed after `hopscope reproduce`.
        title: one line.
        source: the publication.
        item: which table, figure or section of it.
        description: what is simulated, in a few sentences.
        settings: what is run; empty for an entry that only computes.
        quantities: numbers measured, with those published.
        statements: what is judged.
        charts: takes the data; returns the figures.
        notes: ambiguities of the source and the choices made here.
        parts: cases that can be run alone, by the name that follows the key and a dot.
    """

    key: str
    title: str
    source: str
    item: str
    description: str
    settings: Sequence[Setting] = ()
    quantities: Sequence[Quantity] = ()
    statements: Sequence[Statement] = ()
    charts: Callable[[Data], Sequence[Chart]] = lambda _data: ()
    notes: Sequence[str] = ()
    parts: Mapping[str, Part] = field(default_factory=dict)

    @property
    def validates(self) -> bool:
        """Whether it validates the simulator itself: a statement that fails is a defect."""
        return self.key.startswith("validation.")

    def only(self, name: str) -> Entry:
        """One of the parts as an entry of its own; its statements keep their ids."""
        part = self.parts[name]
        settings = [setting for setting in self.settings if part.settings(setting.label)]
        return replace(
            self,
            key=f"{self.key}.{name}",
            settings=settings,
            quantities=[q for q in self.quantities if any(q.settings(setting.label) for setting in settings)],
            statements=[s for s in self.statements if s.id in part.statements],
            parts={},
        )
