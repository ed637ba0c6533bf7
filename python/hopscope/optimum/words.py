"""The outcome of a search in words, as the terminal shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopscope.reporting import search

if TYPE_CHECKING:
    from rich.console import Console

    from hopscope.optimum.driver import Optimization, Optimum
    from hopscope.optimum.front import TradeOff
    from hopscope.reporting.wording import Grid


def text(found: Optimization) -> str:
    """Returns what :func:`print_optimization` prints, without colours."""
    import io

    from rich.console import Console

    page = io.StringIO()
    print_optimization(Console(file=page, width=120, highlight=False, color_system=None), found)
    return page.getvalue().rstrip("\n")


def print_optimization(console: Console, found: Optimization) -> None:
    """Prints the best value, how sure it is, and what was seen of every value."""
    from rich.text import Text

    quick = " (quick: shorter runs)" if found.scenario.is_quick else ""
    goal = "smallest" if found.minimize else "largest"
    console.print(Text(f"{found.scenario.title}{quick}: {goal} {found.metric}", style="bold"))
    for case in found.cases:
        console.print()
        _print_case(console, case)
    if len(found.cases) > 1:
        _print_total(console, found)


def print_trade_off(console: Console, found: TradeOff) -> None:
    """Prints the front between two objectives, and what was seen of every value."""
    from rich.text import Text

    from hopscope.reporting import front

    reported = found.to_json()
    quick = " (quick: shorter runs)" if found.scenario.is_quick else ""
    console.print(Text(f"{found.scenario.title}{quick}: {front.title(reported)}", style="bold"))
    for case in reported["cases"]:
        console.print()
        place = f"{search.place(case)}: " if case["set"] else ""
        console.print(Text(f"{place}{front.sentence(case)}", style="bold"))
        _print_grid(console, front.grid(case, reported))


def _print_grid(console: Console, grid: Grid) -> None:
    from rich import box
    from rich.table import Table

    from hopscope.reporting.terminal import print_table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in grid.columns:
        table.add_column(column.name, justify="right" if column.number else "left")
    for row in grid.rows:
        table.add_row(*row)
    print_table(console, table)


def _print_case(console: Console, case: Optimum) -> None:
    from rich.text import Text

    reported = case.to_json()
    place = search.place(reported)
    console.print(Text((f"{place}: " if place else "") + f"best at {search.best(reported)}", style="bold"))
    for line in search.sentences(reported):
        console.print(Text(f"  {line}"))
    _print_grid(console, search.values(reported))
    if footnote := search.footnote(reported):
        console.print(Text(footnote))


def _print_total(console: Console, found: Optimization) -> None:
    from rich.text import Text

    used, full = (sum(getattr(case, name) for case in found.cases) for name in ("simulated_s", "full_s"))
    console.print(Text(f"all cases: {used:g} s simulated, {100 * used / full:.1f} % of the full sweep's {full:g} s"))
