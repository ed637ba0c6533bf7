"""Consoles for data (standard output) and messages (standard error); both honour ``NO_COLOR``."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hopscope.errors import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from hopscope.scenario import Scenario

#: Width of tables that go to a file or a pipe.
PIPE_WIDTH = 160


def out() -> Console:
    """Returns the console for data."""
    return _safe()(width=_width(sys.stdout.isatty()), highlight=False, soft_wrap=False)


def err() -> Console:
    """Returns the console for messages."""
    return _safe()(stderr=True, width=_width(sys.stderr.isatty()), highlight=False)


@functools.cache
def _safe() -> type[Console]:
    """The class of consoles that show what would steer a terminal escaped, wherever in a table or text it stands."""
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class Safe(Console):
        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else segment._replace(text=visible(segment.text))

    return Safe


def echo(text: str) -> None:
    """Prints a line of data on standard output, with escapes for what would steer the terminal."""
    print(visible(text))


def note(text: str) -> None:
    """Prints a plain message on standard error."""
    print(visible(text), file=sys.stderr)


def titled(scenario: Scenario) -> str:
    """Returns the title of a scenario as tables show it: one made quick says so."""
    return scenario.title + (" (quick: fewer seeds, shorter runs)" if scenario.is_quick else "")


def _width(terminal: bool) -> int | None:
    return None if terminal or "COLUMNS" in os.environ else PIPE_WIDTH


def full_width(console: Console, table: Table) -> int:
    """Width of a table if there were room for everything."""
    from rich.measure import Measurement

    return Measurement.get(console, console.options.update(max_width=10_000), table).maximum
