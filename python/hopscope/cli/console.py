"""Consoles for data (standard output) and messages (standard error); both honour ``NO_COLOR``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

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
    print(text, file=sys.stderr)


def _width(terminal: bool) -> int | None:
    return None if terminal or "COLUMNS" in os.environ else PIPE_WIDTH
