"""A reproduction in the terminal, as Rich tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopscope.errors import counted
from hopscope.reporting.terminal import print_table
from hopscope.reporting.wording import Column, Grid
from hopscope.results.samples import show
from hopscope.studies.grids import measured_grid, published, with_unit
from hopscope.studies.reproduce import common_readings
from hopscope.studies.verdict import Outcome

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from hopscope.studies.reproduce import EntryOutcome, Reproduction

_STYLES = {"pass": "green", "fail": "bold red", "open": "yellow"}


#: How the outcome of a statement is said in a word, and in a sentence of one and of several statements.
_WORDS: dict[Outcome, tuple[str, str, str]] = {
    Outcome.REPRODUCED: ("reproduced", "is reproduced", "are reproduced"),
    Outcome.IN_TREND: ("in trend", "is in trend", "are in trend"),
    Outcome.DEPENDS: ("depends", "depends on what is not published", "depend on what is not published"),
    Outcome.REFERENCE_AGREES: ("ns-2 agrees", "fails in ns-2 too", "fail in ns-2 too"),
    Outcome.CONTRADICTION: ("contradicted", "is contradicted by its source", "are contradicted by their source"),
    Outcome.KNOWN: ("cause known", "disagrees with a cause that is known", "disagree with a cause that is known"),
    Outcome.NOT_REPRODUCED: ("not reproduced", "is not reproduced", "are not reproduced"),
    Outcome.UNDECIDED: ("undecided", "is undecided", "are undecided"),
}

#: Up to so many statements are printed with what was measured below each; up to so many with it behind each.
_FEW_STATEMENTS, _MOST_STATEMENTS = 8, 30

#: Settings that have a column in the short form.
_MOST_SETTINGS = 3

#: More rows than this and the published numbers are counted only.
_MOST_NUMBERS = 12

#: So many remarks are printed; the rest is counted.
_MOST_REMARKS = 2


def print_reproduction(outcome: Reproduction, console: Console, *, details: bool = False) -> None:
    """Print a line for each verdict, or for each entry of many, and the tally.

    With `details` every entry in full: measured and published numbers, then each statement in each setting.
    """
    from rich.text import Text

    if details:
        for entry in outcome.entries:
            _print_entry(entry, outcome.caution, console)
    else:
        _print_short(outcome, console)
    known = [(e.entry.key, j) for e in outcome.entries for j in e.evaluated if j.outcome is Outcome.KNOWN]
    if known and details:
        console.print()
        console.print(Text("Disagree, and the cause is known:", style="bold"))
        for key, evaluated in known:
            console.print(
                Text(f"  {key}.{evaluated.statement.id}: {evaluated.statement.text} {evaluated.verdict.cause}")
            )
    console.print(Text(outcome.summary if details else tally(outcome), style="bold"))
    if outcome.caution:
        console.print(Text(f"Note: {outcome.caution}.", style="yellow"))
    for failure in outcome.failures:
        console.print(Text(f"run failed: {failure}", style="red"))


def _print_short(outcome: Reproduction, console: Console) -> None:
    from rich.text import Text

    total = sum(len(entry.evaluated) for entry in outcome.entries)
    if total > _MOST_STATEMENTS:
        _print_overview(outcome, console)
        return
    remarks: dict[str, None] = {}
    for entry in outcome.entries:
        _print_verdicts(entry, console, below=total <= _FEW_STATEMENTS)
        together = common_readings(entry.evaluated)
        remarks |= dict.fromkeys(remark for remark in entry.remarks if remark not in together)
    for remark in list(remarks)[:_MOST_REMARKS]:
        console.print(Text(remark, style="yellow"))
    if len(remarks) > _MOST_REMARKS:
        console.print(Text(f"{counted(len(remarks) - _MOST_REMARKS, 'more remark')}: --details", style="yellow"))


def tally(outcome: Reproduction) -> str:
    """How many statements hold, and what became of the others, in a sentence."""
    counts = {one: outcome.count(one) for one in Outcome}
    total = sum(counts.values())
    parts = [f"{count} {_WORDS[one][1 if count == 1 else 2]}" for one, count in counts.items() if count]
    words = f"Of {counted(total, 'statement')} {', '.join(parts)}." if total else "No statement is counted."
    return words + (f" {outcome.numbers_met}." if outcome.numbers_met else "")


def _print_overview(outcome: Reproduction, console: Console) -> None:
    """A line for each entry: how many of its statements hold, which do not, and what it is about."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(no_wrap=True, min_width=max(len(entry.entry.key) for entry in outcome.entries))
    table.add_column(no_wrap=True, justify="right", min_width=len("10 of 10"))
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=2)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    for entry in outcome.entries:
        claims = [one for one in entry.evaluated if one.statement.kind == "claim"]
        rest = Text(", ").join(
            Text(f"{one.statement.id} {_WORDS[one.outcome][0]}", style=_STYLES[one.outcome.tone])
            for one in claims
            if one.outcome is not Outcome.REPRODUCED
        )
        held = entry.count(Outcome.REPRODUCED)
        table.add_row(
            Text(entry.entry.key, style="bold"), f"{held} of {len(claims)}" if claims else "", rest, entry.entry.title
        )
    console.print(table)


def _print_verdicts(outcome: EntryOutcome, console: Console, *, below: bool) -> None:
    """The title, a line for each statement with what was measured, below or behind it, and a few published numbers."""
    from rich.table import Table
    from rich.text import Text

    entry = outcome.entry
    heading = Text(entry.key, style="bold cyan").append(f"  {entry.title}", style="bold")
    heading.append(f"  ({entry.item})", style="dim")
    console.print(heading, no_wrap=not below, overflow="fold" if below else "ellipsis")
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    if not below:
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    for one in outcome.evaluated:
        mark = Text(_WORDS[one.outcome][0], style=_STYLES[one.outcome.tone])
        if one.statement.kind != "claim":
            mark = Text(one.statement.kind, style="dim")
        words = one.statement.claim
        # The mark says so already.
        cause = one.verdict.cause.removeprefix("Measured: ").removeprefix("Not decided by these runs: ")
        if below:
            table.add_row(mark, one.statement.id, words)
            table.add_row("", "", Text(cause, style="dim"))
        else:
            table.add_row(mark, one.statement.id, words, Text(cause, style="dim"))
    console.print(table)
    rows = [row for row in outcome.measured if row.quantity.published is not None]
    if below and 0 < len(rows) <= _MOST_NUMBERS:
        print_table(console, rich(published_grid(outcome)))


def published_grid(outcome: EntryOutcome) -> Grid:
    """The numbers that are published, with those measured in the settings that decide.

    Numbers of one metric stand below its name, by what they differ in: windows down, settings across.
    """
    rows = [row for row in outcome.measured if row.quantity.published is not None]
    decide = {one.label for one in outcome.entry.settings if one.decides}
    labels = list(dict.fromkeys(label for row in rows for label, _ in row.values if label in decide))[:_MOST_SETTINGS]
    columns = [Column("number"), *(Column(label, number=True) for label in labels), Column("published", number=True)]
    stems = [(row.quantity.label.rpartition(", ")[0], row.quantity.unit) for row in rows]
    cells: list[list[str]] = []
    for number, (row, (stem, unit)) in enumerate(zip(rows, stems, strict=True)):
        name = with_unit(row)
        if stem and stems.count((stem, unit)) > 1:
            name = f"  {row.quantity.label.rpartition(', ')[2]}"
            if stems.index((stem, unit)) == number:
                cells.append([f"{stem} ({unit})" if unit else stem, *("" for _ in columns[1:])])
        values = dict(row.values)
        cells.append([name, *(show(values[label]) if label in values else "" for label in labels), published(row)])
    return Grid(columns, cells)


def _print_entry(outcome: EntryOutcome, caution: str, console: Console) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    entry = outcome.entry
    console.print()
    heading = Text(entry.key, style="bold cyan").append(f"  {entry.title}", style="bold")
    console.print(heading.append(f"  ({entry.item})", style="dim"))
    if caution:
        console.print(Text(caution, style="yellow"))
    grid = measured_grid(outcome)
    if grid.rows:
        print_table(console, rich(grid))
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False)
    table.add_column("")
    table.add_column("statement", ratio=3, overflow="fold")
    table.add_column("verdict", ratio=1, overflow="fold")
    table.add_column("cause; what each setting gave", ratio=5, overflow="fold")
    for evaluated in outcome.evaluated:
        statement = evaluated.statement
        aside = "" if statement.kind == "claim" else f" [{statement.kind}, not counted]"
        fitted = " [criterion set after a first look]" if statement.fitted else ""
        table.add_row(
            Text(statement.id),
            Text(f"{statement.text}{aside}{fitted}"),
            Text(evaluated.outcome.value, style=_STYLES[evaluated.outcome.tone]),
            Text(evaluated.verdict.cause),
        )
        for finding in evaluated.findings if len(evaluated.findings) > 1 else ():
            words = finding.measured
            if finding.reason:
                words = f"{words} [{finding.reason}]" if words else finding.reason
            contrast = "" if evaluated.decides(finding) else " (contrast)"
            line = f"{finding.setting}{contrast}: {finding.outcome.value}. {words}"
            table.add_row("", "", "", Text(line, style="dim"))
    console.print(table)
    for remark in outcome.remarks:
        console.print(Text(remark, style="yellow"))


def rich(grid: Grid) -> Table:
    """A grid as a table of Rich."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False)
    for column in grid.columns:
        table.add_column(column.name, justify="right" if column.number else "left")
    for row in grid.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
