"""Which runs of a store were written again: time stamps of long ago show it, since a file system's clock is coarse."""

from __future__ import annotations

import os
from pathlib import Path

LONG_AGO = 1_000_000_000


def age(store: Path) -> set[str]:
    """Makes all runs of a store old and returns their names."""
    names = set()
    for path in (store / "runs").iterdir():
        os.utime(path, (LONG_AGO, LONG_AGO))
        names.add(path.name)
    return names


def written_since(store: Path) -> set[str]:
    """Returns the runs that were written after `age`."""
    return {path.name for path in (store / "runs").iterdir() if path.stat().st_mtime != LONG_AGO}


def names(store: Path) -> set[str]:
    """Returns the names of the runs of a store."""
    return {path.name for path in (store / "runs").iterdir()}
