"""What draws and shows a result in a notebook, given by the top of the package: results know nothing of figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Name -> what makes the picture or page of something; filled in by :mod:`hopscope` itself.
_DRAWERS: dict[str, Callable[..., Any]] = {}


def give(name: str, drawer: Callable[..., Any]) -> None:
    """Gives what draws things of a name."""
    _DRAWERS[name] = drawer


def draw(name: str, thing: Any, **options: Any) -> Any:
    """Draws a thing of a name, with what was given for it."""
    return _DRAWERS[name](thing, **options)
