"""What a notebook shows of an outcome: what the command prints of it, as HTML."""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from hopscope.api.scenarios import Check
    from hopscope.assuming.search import Found
    from hopscope.campaign.verify import Verification
    from hopscope.optimum.driver import Optimization
    from hopscope.optimum.front import TradeOff
    from hopscope.probing.driver import Probing
    from hopscope.results.explain import Explanation
    from hopscope.studies.reproduce import Reproduction

#: Letters in a line of a notebook.
_WIDTH = 110

_FORMAT = '<pre style="line-height:1.25; overflow-x:auto; font-family:monospace">{code}</pre>'


def explanation(found: Explanation) -> str:
    """Tables of nodes, flows, links and losses, and what stands out."""
    from hopscope.cli.explain import print_explanation

    return _printed(lambda console: print_explanation(console, found))


def optimization(found: Optimization) -> str:
    """The best value, how sure it is, and what was seen of every value."""
    from hopscope.optimum.words import print_optimization

    return _printed(lambda console: print_optimization(console, found))


def trade_off(found: TradeOff) -> str:
    """The front between two objectives."""
    from hopscope.optimum.words import print_trade_off

    return _printed(lambda console: print_trade_off(console, found))


def probing(found: Probing) -> str:
    """Each method's estimate with its error."""
    from hopscope.cli.probe import print_probing

    return _printed(lambda console: print_probing(console, found))


def reproduction(found: Reproduction) -> str:
    """A line for each verdict, and the tally."""
    from hopscope.cli.verdicts import print_reproduction

    return _printed(lambda console: print_reproduction(found, console))


def readings(found: Found) -> str:
    """What was found, and the readings on the front."""
    from hopscope.assuming import words
    from hopscope.cli.verdicts import rich
    from hopscope.reporting.terminal import print_table

    def show(console: Console) -> None:
        console.print(words.sentence(found), markup=False, highlight=False)
        print_table(console, rich(words.front(found)))
        console.print(words.difference(found), markup=False, highlight=False)

    return _printed(show)


def verification(found: Verification) -> str:
    """What was verified, and what was found wrong."""
    from hopscope.cli.verify import lines

    verdict = "proved" if found.is_proved else "not proved"
    return _lines([verdict, *lines(found), *found.problems, *found.differing])


def check(found: Check) -> str:
    """What would be run, and what in it may not be meant."""
    return _lines([found.scenario.title, str(found), *found.warnings])


# --- Parts ----------------------------------------------------------------------------------------------------------


def _printed(show: Callable[[Console], None]) -> str:
    """What a function prints, with its colours."""
    from rich.console import Console

    console = Console(file=io.StringIO(), record=True, width=_WIDTH, force_terminal=True, highlight=False)
    show(console)
    return console.export_html(inline_styles=True, code_format=_FORMAT)


def _lines(texts: Sequence[str]) -> str:
    """Lines, the first as a heading."""
    first, *others = map(html.escape, texts)
    return "".join([f"<p><strong>{first}</strong></p>", *(f'<p style="margin:.2em 0">{text}</p>' for text in others)])
