"""Which entries there are, and which of them a key or a folder means."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from hopscope.errors import InputError
from hopscope.studies.build import Study, read_study
from hopscope.studies.entry import Entry
from hopscope_studies import FOLDER, ORDER


@cache
def studies() -> tuple[Study, ...]:
    """The studies that ship as folders, in the order of the catalogue."""
    return tuple(read_study(FOLDER / name, trusted=True) for name in ORDER)


@cache
def entries() -> tuple[Entry, ...]:
    """Every entry of the catalogue, in its order."""
    return tuple(entry for study in studies() for entry in study.entries)


def is_folder(key: str) -> bool:
    """Whether a word names a study folder rather than a key, which one of the catalogue always is."""
    return "/" in key or key.startswith(".") or (key.partition(".")[0] not in ("all", *ORDER) and Path(key).is_dir())


def find(keys: Sequence[str], *, trusted: bool = False) -> list[Entry]:
    """The entries that the keys mean, each once, in the order of the catalogue, then those of folders.

    A key is the key of an entry, the beginning of one up to a dot (`fu2003`), that of a part of one
    (`afrakhteh2005.exp12.case3`), `all`, or a study folder (`./mystudy`).

    Args:
        keys: what is wanted.
        trusted: whether the Python of folders may be loaded.

    Raises:
        InputError: when a key means no entry; the message has the closest one and those near it.
    """
    own = [entry for path in folders(keys) for entry in read_study(path, trusted=trusted).entries]
    wanted: set[str] = set()
    for key in keys:
        if is_folder(key):
            continue
        matching = [e.key for e in entries() if key in ("all", e.key) or e.key.startswith(f"{key}.")]
        matching = matching or [part for e in entries() for part in _parts(e) if part == key]
        if not matching:
            raise InputError(_unknown(key))
        wanted.update(matching)
    found: list[Entry] = []
    for entry in entries() if wanted else ():
        # The whole has its parts in it.
        parts = [entry.only(name) for name in entry.parts if f"{entry.key}.{name}" in wanted]
        found += [entry] if entry.key in wanted else parts
    return [*found, *own]


def folders(keys: Sequence[str]) -> list[Path]:
    """The study folders among the keys."""
    return [Path(key) for key in dict.fromkeys(keys) if is_folder(key)]


def studies_of(keys: Sequence[str], *, trusted: bool = False) -> list[Study]:
    """The studies in folders that the keys mean something of, a reader's own included.

    Raises:
        InputError: a folder is no study.
    """
    chosen = {entry.key.partition(".")[0] for entry in find(keys, trusted=trusted)}
    return [
        *(study for study in studies() if study.key in chosen),
        *(read_study(path, trusted=trusted) for path in folders(keys)),
    ]


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
