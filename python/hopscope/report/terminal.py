"""A reproduction in the terminal, as Rich tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopscope.catalog.entry import Outcome
from hopscope.report.wording import Grid, measured_grid

if TYPE_CHECKING:
    from rich.console import Console

    from hopscope.catalog.reproduce import EntryOutcome, Reproduction

_STYLES = {Outcome.PASS: "green", Outcome.FAIL: "bold red", Outcome.NOT_REPRODUCIBLE: "yellow"}


def print_reproduction(outcome: Reproduction, console: Console) -> None:
    """Print every entry: measured beside published, then each statement with its outcome."""
    from rich.text import Text

    for entry in outcome.entries:
        _print_entry(entry, outcome.caution, console)
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
        console.print(_rich(grid))
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False)
    table.add_column("")
    table.add_column("statement", ratio=3, overflow="fold")
    table.add_column("judged in", ratio=1, overflow="fold")
    table.add_column("outcome", no_wrap=True)
    table.add_column("measured", ratio=4, overflow="fold")
    for judged in outcome.judged:
        for index, finding in enumerate(judged.findings):
            words = finding.measured
            if finding.reason:
                words = f"{words} [{finding.reason}]" if words else finding.reason
            table.add_row(
                Text(judged.statement.id if index == 0 else ""),
                Text(judged.statement.text if index == 0 else ""),
                Text(finding.study if judged.decides(finding) else f"{finding.study} (contrast)"),
                Text(finding.outcome.value, style=_STYLES[finding.outcome] if judged.decides(finding) else "dim"),
                Text(words),
            )
    console.print(table)
    for remark in outcome.remarks:
        console.print(Text(remark, style="yellow"))


def _rich(grid: Grid) -> object:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False)
    for column in grid.columns:
        table.add_column(column.name, justify="right" if column.number else "left", overflow="fold")
    for row in grid.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
