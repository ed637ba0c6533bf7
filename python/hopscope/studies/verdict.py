"""Verdicts: how a published statement or a published number fared, and why.

A statement is judged in each setting on its own (`Finding`); `conclude` weighs the findings of the settings that
decide, what the published numbers say of the statement themselves, and what the reference simulator says, into one
`Verdict` with its cause.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from hopscope.errors import counted
from hopscope.results.samples import Estimate
from hopscope.results.stats import number


class Outcome(StrEnum):
    """How a published statement fared; a closed set."""

    REPRODUCED = "reproduced"
    IN_TREND = "in trend"
    DEPENDS = "depends on what is not published"
    REFERENCE_AGREES = "the reference simulator agrees with us"
    CONTRADICTION = "the source contradicts itself"
    KNOWN = "disagrees, cause known"
    NOT_REPRODUCED = "not reproduced"
    UNDECIDED = "undecided"

    @property
    def tone(self) -> str:
        """How strongly it speaks, for the colours of reports: pass, fail or open."""
        if self in (Outcome.REPRODUCED, Outcome.IN_TREND):
            return "pass"
        return "fail" if self is Outcome.NOT_REPRODUCED else "open"


@dataclass(frozen=True)
class Finding:
    """The judgement of one statement in one setting.

    Attributes:
        outcome: reproduced, in trend, not reproduced, undecided, or disagrees with a cause that is known.
        measured: the numbers it rests on, in words, with intervals.
        setting: label of the setting judged; empty when the statement is about several at once.
        reason: why it is undecided, what limits the judgement, or the known cause.
    """

    outcome: Outcome
    measured: str
    setting: str = ""
    reason: str = ""

    @property
    def words(self) -> str:
        """What was measured, or why nothing was."""
        return self.measured or self.reason


@dataclass(frozen=True)
class Verdict:
    """What became of a statement.

    Attributes:
        outcome: one of the closed set.
        cause: why, in one sentence; never empty.
    """

    outcome: Outcome
    cause: str


@dataclass(frozen=True)
class Place:
    """Where a setting stands among those of its entry.

    Attributes:
        row: what the source published and the setting repeats: a row of a table, a panel. Every row has to hold.
        reading: the unpublished choices that the setting makes, in words; settings of one row that differ in it are
            readings of the same experiment. Empty when nothing was chosen.
    """

    row: str = ""
    reading: str = ""


_WORST_FIRST = (
    Outcome.CONTRADICTION,
    Outcome.NOT_REPRODUCED,
    Outcome.KNOWN,
    Outcome.REFERENCE_AGREES,
    Outcome.DEPENDS,
    Outcome.UNDECIDED,
    Outcome.IN_TREND,
    Outcome.REPRODUCED,
)


def conclude(
    findings: Sequence[Finding],
    places: Mapping[str, Place],
    *,
    because: str = "",
    published: Finding | None = None,
    reference: Finding | None = None,
    contradiction: str = "",
) -> Verdict:
    """The verdict on a statement.

    Args:
        findings: those that decide, at least one setting.
        places: place of each setting by its label.
        because: what the authors of the study folder found to be the cause when the statement does not hold.
        published: the same check on the published numbers.
        reference: the same check on what the reference simulator measured.
        contradiction: how the source contradicts the statement elsewhere than in its numbers.
    """
    ours = "; ".join(dict.fromkeys(_in_setting(f) for f in findings[:2]))
    if contradiction:
        return Verdict(Outcome.CONTRADICTION, f"{_sentence(contradiction)} Measured: {ours}.")
    if published is not None and published.outcome is Outcome.NOT_REPRODUCED:
        return Verdict(
            Outcome.CONTRADICTION,
            f"The published numbers do not have it themselves ({published.words}); measured: {ours}.",
        )
    rows: dict[str, list[Finding]] = {}
    for finding in findings:
        rows.setdefault(places.get(finding.setting, Place()).row, []).append(finding)
    evaluated = {row: _row(found, places) for row, found in rows.items()}
    if not evaluated:
        return Verdict(Outcome.UNDECIDED, "No setting that decides it has run.")
    worst = min(evaluated.values(), key=lambda verdict: _WORST_FIRST.index(verdict.outcome))
    outcome, cause = worst.outcome, worst.cause
    if len(evaluated) > 1 and outcome is not Outcome.REPRODUCED:
        held = sum(verdict.outcome is Outcome.REPRODUCED for verdict in evaluated.values())
        cause = f"{_sentence(cause)} It holds in {held} of {len(evaluated)} rows."
    if outcome is Outcome.NOT_REPRODUCED and reference is not None:
        if reference.outcome is Outcome.NOT_REPRODUCED:
            outcome = Outcome.REFERENCE_AGREES
            cause = f"ns-2.35 does not have it either ({reference.words}); measured: {ours}."
        elif reference.outcome is Outcome.REPRODUCED:
            cause = f"{_sentence(cause)} ns-2.35 has it ({reference.words})."
    if because and outcome in (Outcome.NOT_REPRODUCED, Outcome.IN_TREND, Outcome.REFERENCE_AGREES, Outcome.DEPENDS):
        unknown = cause.startswith("No cause is known")
        cause = because if unknown else f"{_sentence(because)} {_sentence(cause)}"
    return Verdict(outcome, _sentence(cause))


def _row(findings: Sequence[Finding], places: Mapping[str, Place]) -> Verdict:
    """The verdict on the readings of one row."""
    by = {o: [f for f in findings if f.outcome is o] for o in Outcome}
    held, trend = by[Outcome.REPRODUCED], by[Outcome.IN_TREND]
    if known := by[Outcome.KNOWN]:
        return Verdict(Outcome.KNOWN, f"{_sentence(known[0].reason)} Measured: {_in_setting(known[0])}.")
    failed, undecided = by[Outcome.NOT_REPRODUCED], by[Outcome.UNDECIDED]
    readings = [f for f in findings if places.get(f.setting, Place()).reading]
    rest = f"; in trend with {_names(trend, places)}" if trend else ""
    if len(readings) > 1 and held and (failed or trend):
        share = f"{len(held)} of {len(findings)} readings"
        which = _names(held, places)
        rest += _pattern(held, findings, places)
        return Verdict(Outcome.DEPENDS, f"It holds in {share} of what is not published: {which}{rest}.")
    if failed and undecided and len(readings) > 1:
        noise = _names(undecided, places)
        which = f"not with {_names(failed, places)}; hidden by noise with {noise}{rest}"
        return Verdict(Outcome.UNDECIDED, f"Not decided by these runs: {which} ({_in_setting(undecided[0])}).")
    if failed and trend:
        share = f"in none of {len(findings)} readings of what is not published"
        return Verdict(Outcome.NOT_REPRODUCED, f"It holds {share}{rest}.")
    if failed:
        return Verdict(Outcome.NOT_REPRODUCED, f"No cause is known; measured: {_in_setting(failed[0])}.")
    if undecided:
        first = undecided[0]
        reason = first.reason or "within the noise"
        words = f"{_in_setting(first)}: {reason}" if first.measured else _in_setting(first)
        return Verdict(Outcome.UNDECIDED, f"Not decided by these runs: {words}.")
    if trend:
        return Verdict(Outcome.IN_TREND, f"The direction is there, the size is not: {_in_setting(trend[0])}.")
    return Verdict(Outcome.REPRODUCED, f"Measured: {_in_setting(held[0])}.")


_MANY = 6
"""More readings than this are not listed one by one."""


def _names(findings: Sequence[Finding], places: Mapping[str, Place]) -> str:
    """The readings of findings; of many, what they share and the first two."""
    names = [places.get(f.setting, Place()).reading or f.setting for f in findings]
    if len(names) <= _MANY:
        return "; ".join(names) if any(", " in name for name in names) else ", ".join(names)
    parts = [name.split(", ") for name in names]
    always = [part for part in parts[0] if all(part in other for other in parts)]
    common = f"all with {' and '.join(always)}, " if always else ""
    return f"{common}such as {names[0]}; {names[1]}"


def _pattern(held: Sequence[Finding], findings: Sequence[Finding], places: Mapping[str, Place]) -> str:
    """Which values of the readings it always holds with, and with which never, where there are many readings."""
    if len(findings) <= _MANY:
        return ""
    counts: dict[str, list[int]] = {}
    for finding in findings:
        for value in places.get(finding.setting, Place()).reading.split(", "):
            count = counts.setdefault(value, [0, 0])
            count[0] += finding in held
            count[1] += 1
    always = [value for value, (held_in, of) in counts.items() if value and held_in == of]
    never = [value for value, (held_in, _) in counts.items() if value and held_in == 0]
    words = f"; always with {', '.join(always)}" if always else ""
    return words + (f"; never with {', '.join(never)}" if never else "")


def _in_setting(finding: Finding) -> str:
    words = finding.words.rstrip(".")
    return f"{finding.setting}: {words}" if finding.setting else words


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


# --- Published numbers ----------------------------------------------------------------------------------------------


def cell(
    measured: Estimate,
    published: float,
    *,
    extremes: tuple[float, float] | None = None,
    spread: float | None = None,
    single: bool = False,
) -> Finding | None:
    """How a measured mean stands to a published number.

    With published extremes or a published interval: inside, or by how much outside. A published single run: by where
    it lies in our distribution over the seeds. `None` where the source says nothing of its spread.
    """
    if extremes is not None or spread is not None:
        low, high = sorted(extremes) if extremes is not None else (published - (spread or 0), published + (spread or 0))
        # Some means are printed outside their own extremes.
        low, high = min(low, published), max(high, published)
        kind = "published extremes" if extremes is not None else "published interval"
        return _against(measured, low, high, published, kind)
    if not single:
        return None
    if measured.n < 3:
        return Finding(Outcome.UNDECIDED, "", reason=f"a distribution over {counted(measured.n, 'seed')} says nothing")
    if measured.min <= published <= measured.max:
        return Finding(
            Outcome.REPRODUCED, f"the published run lies among ours ({number(measured.min)} to {number(measured.max)})"
        )
    gap = max(measured.min - published, published - measured.max)
    side = "below" if published < measured.min else "above"
    share = 100 * gap / abs(published) if published else 0.0
    far = f" by {share:.{0 if share >= 1 else 2}f} %" if published else f" by {number(gap)}"
    return Finding(Outcome.NOT_REPRODUCED, f"the published run lies {side} all {measured.n} of ours{far}")


def _against(measured: Estimate, low: float, high: float, published: float, kind: str) -> Finding:
    half = measured.ci95 or 0.0
    if low <= measured.mean <= high:
        return Finding(Outcome.REPRODUCED, f"inside the {kind}")
    gap = measured.mean - high if measured.mean > high else low - measured.mean
    side = "above" if measured.mean > high else "below"
    far = f"{100 * gap / abs(published):.1f} % of the published value" if published else number(gap)
    words = f"{far} {side} the {kind}"
    if gap <= half:
        return Finding(Outcome.UNDECIDED, words, reason="its interval reaches in")
    return Finding(Outcome.NOT_REPRODUCED, words)
