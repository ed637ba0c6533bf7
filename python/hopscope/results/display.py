"""What draws and shows a result in a notebook, given by the top of the package: results know nothing of figures."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any, ClassVar

#: Name -> what makes the picture or page of something; filled in by :mod:`hopscope` itself.
_DRAWERS: dict[str, Callable[..., Any]] = {}


def give(name: str, drawer: Callable[..., Any]) -> None:
    """Gives what draws things of a name."""
    _DRAWERS[name] = drawer


def draw(name: str, thing: Any, **options: Any) -> Any:
    """Draws a thing of a name, with what was given for it."""
    return _DRAWERS[name](thing, **options)


class Shown:
    """Base of what shows itself in a notebook as the command prints it.

    Attributes:
        drawn: name of what prints it.
    """

    drawn: ClassVar[str]

    def _repr_html_(self) -> str:
        return str(draw(f"{self.drawn}-html", self))


def picture(name: str, thing: Any, **options: Any) -> Any:
    """The same for a matplotlib figure, which a notebook then shows as a picture, with or without pyplot."""
    figure = draw(name, thing, **options)
    if "ipykernel" in sys.modules:
        shell = importlib.import_module("IPython").get_ipython()
        forms = shell.display_formatter.formatters if shell is not None else {}
        if forms and not any(type(figure) in forms[form] for form in ("image/png", "image/svg+xml")):
            importlib.import_module("IPython.core.pylabtools").select_figure_formats(shell, {"png"})
    return figure
