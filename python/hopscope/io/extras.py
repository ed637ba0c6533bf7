"""Libraries that only an extra brings."""

from __future__ import annotations

import importlib
from typing import Any

from hopscope.errors import InputError


def library(name: str, extra: str) -> Any:
    """Returns a library as a module.

    Args:
        name: of the library.
        extra: the extra of this package that brings it.

    Raises:
        InputError: it is not there; the message says what installs it.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(f'{name} is not installed; it comes with: pip install "hopscope[{extra}]"') from error
