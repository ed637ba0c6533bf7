"""The outcome of a search in words, as the terminal shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from hopscope.optimum.driver import Optimization, Optimum
    from hopscope.optimum.search import Looked


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


def _print_case(console: Console, case: Optimum) -> None:
    from rich.text import Text

    from hopscope.cli.table import interval_text
    from hopscope.optimum import decide

    place = ", ".join(f"{key} = {_plain(value)}" for key, value in case.set.items())
    best = ", ".join(f"{key} = {_plain(value)}" for key, value in case.best.items())
    top = decide.summary(case.look(case.found.best).samples)
    console.print(Text((f"{place}: " if place else "") + f"best at {best}", style="bold"))
    console.print(
        Text(
            f"  mean {interval_text(top.as_dict())} over {top.n} seed{'' if top.n == 1 else 's'} of {case.duration:g} s"
        )
    )
    for line in _sentences(case):
        console.print(Text(f"  {line}"))
    console.print(_table(case))
    if dropped := case.found.having("dropped"):
        seeds = min(len(entry.samples) for entry in dropped)
        words = f"* each by itself at 95 %, from as few as {seeds} seeds: of many such verdicts some are wrong"
        console.print(Text(words))


def _sentences(case: Optimum) -> list[str]:
    """The confidence statement."""
    found = case.found
    ties, open_ = found.having("not told apart"), found.having("undecided")
    lines = []
    if len(found.having("best", "not told apart", "worse")) > 1:
        lines.append(f"not told apart from it in full runs (95 %, seed by seed): {_listed(case, ties)}")
    if found.having("dropped", "undecided"):
        lines.append(f"left out by rank in shorter runs, not significantly worse there: {_listed(case, open_)}")
    if found.bound is not None:
        lines.append(
            "none of the other values run in full is better by more than "
            f"{_plain(round(found.bound, 3))} (95 %, all of them together)"
        )
    if not found.settled:
        lines.append("its neighbours had no full runs: the budget was spent")
    lines.append(
        f"{case.runs} runs, {case.simulated_s:g} s simulated: "
        f"{100 * case.share:.1f} % of the full sweep's {case.full_s:g} s"
    )
    return lines


def _table(case: Optimum) -> Any:
    from rich import box
    from rich.table import Table

    from hopscope.cli.table import interval_text
    from hopscope.optimum import decide

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for key in case.over:
        table.add_column(key, justify="right")
    for heading in ("mean", "runs", "duration (s)"):
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    for entry in case.found.looked:
        seen = decide.summary(entry.samples)
        table.add_row(
            *(_plain(number) for number in entry.value),
            interval_text(seen.as_dict()),
            str(seen.n),
            f"{entry.duration:g}",
            _VERDICTS[entry.verdict],
        )
    return table


_VERDICTS = {
    "best": "best",
    "not told apart": "not told apart from the best",
    "worse": "worse",
    "undecided": "left out, undecided",
    "dropped": "worse in shorter runs*",
}


def _print_total(console: Console, found: Optimization) -> None:
    from rich.text import Text

    used, full = (sum(getattr(case, name) for case in found.cases) for name in ("simulated_s", "full_s"))
    console.print(Text(f"all cases: {used:g} s simulated, {100 * used / full:.1f} % of the full sweep's {full:g} s"))


def _listed(case: Optimum, entries: list[Looked]) -> str:
    """Values of a list."""
    from hopscope.errors import ranges

    if len(case.over) == 1:
        return ranges([entry.value[0] for entry in entries]) or "none"
    return ", ".join(" / ".join(_plain(number) for number in entry.value) for entry in entries) or "none"


def _plain(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
