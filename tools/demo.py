"""What `make demo` shows: how many packets should be on their way over seven hops, under two sets of rules.

The scenario is that of `showcases/window`. Every number printed comes from the runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

import hopscope as hs
from hopscope.reporting.page import store_page
from hopscope.reporting.tables import table_of
from hopscope.results import Result
from hopscope.results.comparisons import Best, best
from hopscope.results.explain import Explanation

ROOT = Path(__file__).resolve().parents[1]
SCENARIO = ROOT / "showcases" / "window" / "scenario.toml"
WINDOW, RATE, DELAY = "flow.0.max_window", "flow.0.throughput_kbps", "flow.0.delay_ms"
RULES = {"ns2": "ns-2's rules", "standard": "the standard's rules"}
PUBLISHED = 3
"""The best window over seven hops in Figure 2 (left) of Fu et al. 2003."""
WIDEST = 24
NEXT = (
    "explain showcases/air/scenario.toml",
    "compare showcases/cubic/scenario.toml --by flow.0.transport",
    "reproduce fu2003.fig2-left",
)


def main() -> None:
    """Run, print the curve, the answer, its cause, and what to try next."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("results/demo")
    console = Console(width=min(100, Console().width), highlight=False)
    console.print("How many packets should be on their way over seven hops?", style="bold")
    console.print("One greedy TCP flow, 300 s, 5 seeds, window of the receiver from 1 to 32 packets:\n")
    result = hs.run(SCENARIO, out=folder, progress=True)
    overloaded = {"profile": "ns2", WINDOW: 32, "seeds": 1, "explain": True}
    show(result, hs.run(SCENARIO, set=overloaded).explain(), console)
    version = f"Hopscope {hs.__version__}"
    page = store_page([result], folder, title="How many packets?", store=str(folder), engine=version)
    console.print(f"\nReport: {page}")
    console.print("Next:")
    for command in NEXT:
        console.print(f"  {os.path.relpath(Path(sys.executable).parent / 'hopscope')} {command}", soft_wrap=True)


def show(result: Result, overloaded: Explanation, console: Console) -> None:
    """Print the curve and the answer.

    Args:
        result: of the sweep.
        overloaded: where the time goes at the largest window under ns-2's rules.
        console: where it goes.
    """
    table = table_of(result)
    tops = {profile: best(table, WINDOW, RATE, {"profile": profile}) for profile in RULES}
    console.print(curve(result, tops))
    console.print()
    for sentence in answer(result, tops):
        console.print(sentence)
    hidden = [said for point in overloaded.points for said in point.sentences() if "carrier-sense range" in said]
    for sentence in hidden[:1]:
        console.print(f"Why, as hopscope explain says: {sentence}")


def means(result: Result, metric: str) -> Mapping[tuple[str, int], float]:
    """The mean of a metric by rules and window."""
    table = table_of(result)
    windows = table.values(WINDOW)
    return {
        (profile, window): table.mean(metric, {"profile": profile, WINDOW: window})
        for profile in RULES
        for window in windows
    }


def curve(result: Result, tops: Mapping[str, Best]) -> Table:
    """Throughput as bars, and delay, by window and rules."""
    rates, delays = means(result, RATE), means(result, DELAY)
    most = max(rates.values())
    drawn = Table.grid(padding=(0, 2))
    drawn.add_row("window", *(cell for words in RULES.values() for cell in (f"{words}, kbit/s", "delay, ms")))
    for window in sorted({window for _, window in rates}):
        cells: list[Text] = []
        for profile in RULES:
            rate = rates[profile, window]
            bar = "█" * round(WIDEST * rate / most)
            style = "bold green" if window in tops[profile].ties else ""
            cells += [Text(f"{bar:{WIDEST}} {rate:5.1f}", style=style), Text(f"{delays[profile, window]:9.0f}")]
        drawn.add_row(Text(f"{window:6}"), *cells)
    return drawn


def answer(result: Result, tops: Mapping[str, Best]) -> Sequence[str]:
    """The finding, and its cause, in sentences."""
    rates, delays, loss = means(result, RATE), means(result, DELAY), means(result, "flow.0.loss_pct")
    ns2, standard = tops["ns2"].at, tops["standard"].at
    windows = sorted({window for _, window in rates})
    last = windows[-1]
    alike = [window for window in windows if rates["standard", window] >= 0.97 * rates["standard", standard]]
    published = "as Fu et al. (2003) published" if ns2 == PUBLISHED else f"where Fu et al. (2003) published {PUBLISHED}"
    cost = 100 * (1 - rates["ns2", last] / rates["ns2", ns2])
    few, many = (delays["standard", window] for window in (alike[0], last))
    return (
        f"Under ns-2's rules a window of {ns2} carries most, {published}; with {last} packets {cost:.0f} % less "
        f"arrive, and {loss['ns2', last]:.1f} % are lost on the way.",
        f"Under the standard's rules {alike[0]} packets are enough: more only wait, {few:.0f} to {many:.0f} ms.",
    )


if __name__ == "__main__":
    main()
