"""Libraries that only an extra of the package brings: what is missing is named with the command that adds it."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from hopscope.errors import InputError

#: Library -> the smallest extra that brings it.
EXTRAS = {
    "jinja2": "plots",
    "matplotlib": "plots",
    "pandas": "notebook",
    "pyarrow": "notebook",
    "moocore": "all",
    "scipy": "all",
    "xarray": "xarray",
    "distributed": "dask",
    "pyroute2": "live",
}


class MissingLibrary(InputError, ImportError):
    """Something was asked for that needs a library that is not installed."""


def is_there(library: str) -> bool:
    """Whether a library is installed; it is not loaded."""
    return sys.modules.get(library) is not None or find_spec(library) is not None


def need(*libraries: str) -> None:
    """Refuses to go on without libraries; called before they are imported, and before long work that they end.

    Raises:
        MissingLibrary: one of them is not installed.
    """
    missing = [library for library in libraries if not is_there(library)]
    if missing:
        extras = {EXTRAS[library] for library in missing}
        extra = extras.pop() if len(extras) == 1 else "all"
        said = "is not installed; it comes" if len(missing) == 1 else "are not installed; they come"
        raise MissingLibrary(f'{" and ".join(missing)} {said} with: pip install "hopscope[{extra}]"')
