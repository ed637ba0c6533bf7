"""A reproduction in the terminal, as Rich tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopscope.report.terminal import print_table
from hopscope.report.wording import Grid
from hopscope.studies.grids import measured_grid
from hopscope.studies.verdict import Outcome

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from hopscope.studies.reproduce import EntryOutcome, Reproduction

_STYLES = {"pass": "green", "fail": "bold red", "open": "yellow"}


def print_reproduction(outcome: Reproduction, console: Console) -> None:
    """Print every entry: measured and published numbers, then each statement with its outcome."""
    from rich.text import Text

    for entry in outcome.entries:
        _print_entry(entry, outcome.caution, console)
    known = [(e.entry.key, j) for e in outcome.entries for j in e.evaluated if j.outcome is Outcome.KNOWN]
    if known:
        console.print()
        console.print(Text("Disagree, and the cause is known:", style="bold"))
        for key, evaluated in known:
            console.print(
                Text(f"  {key}.{evaluated.statement.id}: {evaluated.statement.text} {evaluated.verdict.cause}")
            )
    console.print(Text(outcome.summary, style="bold"))
    if outcome.caution:
        console.print(Text(f"Note: {outcome.caution}.", style="yellow"))
    for failure in outcome.failures:
        console.print(Text(f"run failed: {failure}", style="red"))


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
