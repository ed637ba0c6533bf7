"""What a catalogue entry is made of.

An `Entry` is one table, figure or validation of a study: the scenarios that repeat it (`Study`), what was published
(`Quantity`), what was stated about it (`Statement`), how it is drawn, and what had to be guessed (`notes`). Entries are
data; only the judging of a statement is a function, and most of those come from `hopscope.catalog.judge`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from hopscope.report.chart import Chart
from hopscope.results.samples import Data, Estimate, Table


class Outcome(StrEnum):
    """How a published statement fared."""

    PASS = "pass"
    FAIL = "fail"
    NOT_REPRODUCIBLE = "not reproducible"


@dataclass(frozen=True)
class Finding:
    """The judgement of one statement in one study.

    Attributes:
        outcome: pass, fail, or not reproducible.
        measured: the numbers it rests on, in words, with intervals.
        study: label of the study judged; empty when the statement is about several at once.
        reason: why it is not reproducible, or what limits the judgement.
    """

    outcome: Outcome
    measured: str
    study: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Study:
    """One scenario of an entry, with its sweep.

    Attributes:
        label: short name shown in tables and legends.
        scenario: a scenario as in a TOML file, sweep included.
        quick: top-level keys that replace those of `scenario` under `--quick`: a shorter sweep, or a duration or number
            of seeds other than the usual (a tenth of the duration, two seeds).
        decides: whether its findings decide a statement; otherwise they are shown for contrast (the same experiment
            under rules that its source did not use).
    """

    label: str
    scenario: Mapping[str, Any]
    quick: Mapping[str, Any] = field(default_factory=dict)
    decides: bool = True

    def document(self, *, quick: bool = False) -> dict[str, Any]:
        """The scenario file of this study."""
        return {**self.scenario, **(self.quick if quick else {})}


@dataclass(frozen=True)
class Quantity:
    """A number that is measured, beside the published one.

    Attributes:
        label: what it is.
        unit: its unit, empty for a plain number.
        measure: takes the table of a study; returns the interval, or `None` where the study does not have it.
        published: the published value; `None` when the source only describes it.
        source: where the value stands (table, figure, text), or why there is none.
        spread: half width of the published value's own 95 % interval, when known.
        extremes: smallest and largest published sample, when the source prints them.
        studies: which studies have the quantity, by label; all unless said.
        relative: whether the deviation from the published value means something in percent (not for a window).
    """

    label: str
    unit: str
    measure: Callable[[Table], Estimate | None]
    published: float | None = None
    source: str = ""
    spread: float | None = None
    studies: Callable[[str], bool] = lambda _label: True
    relative: bool = True
    extremes: tuple[float, float] | None = None


@dataclass(frozen=True)
class Statement:
    """Something the source states, which the results can confirm or contradict.

    Attributes:
        id: `c1`, `c2`, ... within the entry.
        text: the statement in our own words, with the criterion it is judged by.
        judge: takes the data of the entry; returns one finding for each study judged.
    """

    id: str
    text: str
    judge: Callable[[Data], Sequence[Finding]]


@dataclass(frozen=True)
class Part:
    """A case of an entry that can be run alone.

    Attributes:
        studies: which studies it needs, by label.
        statements: ids of the statements that can be judged on them.
    """

    studies: Callable[[str], bool]
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
        studies: what is run; empty for an entry that only computes.
        quantities: measured beside published.
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
    studies: Sequence[Study] = ()
    quantities: Sequence[Quantity] = ()
    statements: Sequence[Statement] = ()
    charts: Callable[[Data], Sequence[Chart]] = lambda _data: ()
    notes: Sequence[str] = ()
    parts: Mapping[str, Part] = field(default_factory=dict)

    def only(self, name: str) -> Entry:
        """One of the parts as an entry of its own; its statements keep their ids."""
        part = self.parts[name]
        studies = [study for study in self.studies if part.studies(study.label)]
        return replace(
            self,
            key=f"{self.key}.{name}",
            studies=studies,
            quantities=[q for q in self.quantities if any(q.studies(study.label) for study in studies)],
            statements=[s for s in self.statements if s.id in part.statements],
            parts={},
        )
