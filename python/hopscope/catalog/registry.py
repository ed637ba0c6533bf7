"""Which entries there are, and which of them a key means."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Sequence
from functools import cache

from hopscope.catalog.entry import Entry
from hopscope.errors import InputError

MODULES = (
    "fu2003",
    "afrakhteh2005",
    "anastasi2006",
    "validation_ns2",
    "validation_ns3",
    "validation_theory",
    "validation_models",
    "validation_recovery",
    "validation_bottleneck",
)
"""Modules of this package that hold `ENTRIES`, in the order of the catalogue."""


@cache
def entries() -> tuple[Entry, ...]:
    """Every entry, in the order of the catalogue."""
    found: list[Entry] = []
    for name in MODULES:
        found.extend(importlib.import_module(f"hopscope.catalog.{name}").ENTRIES)
    return tuple(found)


def find(keys: Sequence[str]) -> list[Entry]:
    """The entries that the keys mean, each once, in the order of the catalogue.

    A key is the key of an entry, the beginning of one up to a dot (`fu2003`), that of a part of one
    (`afrakhteh2005.exp12.case3`), or `all`.

    Raises:
        InputError: when a key means no entry; the message has the closest one and those near it.
    """
    wanted: set[str] = set()
    for key in keys:
        matching = [e.key for e in entries() if key in ("all", e.key) or e.key.startswith(f"{key}.")]
        matching = matching or [part for e in entries() for part in _parts(e) if part == key]
        if not matching:
            raise InputError(_unknown(key))
        wanted.update(matching)
    found: list[Entry] = []
    for entry in entries():
        # The whole has its parts in it.
        parts = [entry.only(name) for name in entry.parts if f"{entry.key}.{name}" in wanted]
        found += [entry] if entry.key in wanted else parts
    return found


def _parts(entry: Entry) -> list[str]:
    return [f"{entry.key}.{name}" for name in entry.parts]


def _unknown(key: str) -> str:
    known = [key for entry in entries() for key in (entry.key, *_parts(entry))]
    groups = list(dict.fromkeys(name.partition(".")[0] for name in known))
    paper = [name for name in known if name.startswith(f"{key.partition('.')[0]}.")]
    # The beginning of a key is more than a likeness.
    begun = [name for name in (*groups, *known) if key and name.startswith(key)]
    close = begun or difflib.get_close_matches(key, ["all", *groups, *known], n=1, cutoff=0.5)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    words = f"beginning with it: {', '.join(begun)}" if begun else f"allowed: all, {', '.join(paper or groups)}"
    return f"catalogue key {key!r}: no such entry{hint}; {words}; hopscope list has every key"
