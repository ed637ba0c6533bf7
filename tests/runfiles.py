"""The runs of a store for tests: which there are, which were written again, and stores in which one is changed.

Time stamps of long ago show what was written since, as a file system's clock is coarse.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

LONG_AGO = 1_000_000_000


def lines(store: Path) -> dict[str, bytes]:
    """Returns the line of each run of a store, by key, as its segments and the files of earlier versions have it."""
    return {key: line for path in _files(store) for key, line in _lines(path).items()}


def names(store: Path) -> set[str]:
    """Returns the keys of the runs of a store."""
    return set(lines(store))


def age(store: Path) -> set[str]:
    """Makes all runs of a store old and returns their keys."""
    for path in _files(store):
        os.utime(path, (LONG_AGO, LONG_AGO))
    return names(store)


def written_since(store: Path) -> set[str]:
    """Returns the keys of the runs that were written after `age`."""
    return {key for path in _files(store) if path.stat().st_mtime != LONG_AGO for key in _lines(path)}


def rewrite(store: Path, change: Callable[[bytes], bytes], *, key: str | None = None) -> str:
    """Changes the line of a run, the first by key unless one is named, and returns its key."""
    key = key or min(names(store))
    for path in _files(store):
        found = _lines(path)
        if key in found:
            path.write_bytes(b"".join({**found, key: change(found[key])}.values()))
    return key


def remove(store: Path, key: str | None = None) -> str:
    """Removes a run, the first by key unless one is named, and returns its key."""
    return rewrite(store, lambda _: b"", key=key)


def _files(store: Path) -> list[Path]:
    return sorted((store / "runs").iterdir(), key=lambda path: (path.suffix == ".jsonl", path.name))


def _lines(path: Path) -> dict[str, bytes]:
    whole = (line for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n"))
    return {json.loads(line)["key"]: line for line in whole}
