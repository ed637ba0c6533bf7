"""Consoles for data (standard output) and messages (standard error); both honour ``NO_COLOR``."""

from __future__ import annotations

import os
import sys
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
    from rich.console import Console

    return Console(width=_width(sys.stdout.isatty()), highlight=False, soft_wrap=False)


def err() -> Console:
    """Returns the console for messages."""
    from rich.console import Console

    return Console(stderr=True, width=_width(sys.stderr.isatty()), highlight=False)


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
