"""Bringing shards together: the runs of several folders into one store, and the tables of all of them."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from hopscope.campaign.store import Store, open_store
from hopscope.errors import InputError, PartialResult, StoreError, counted, ranges
from hopscope.io.files import not_written, read_whole, write_whole
from hopscope.results import Result

#: File that the merge at work in a store holds a lock on.
LOCK = "merge.lock"

#: Larger files of runs are refused.
_MAX_BYTES = 4_000_000_000

#: What a file system without locks says: there a merge goes on without.
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF})


def merge(store: str | Path, *others: str | Path, shards: int | None = None) -> Store:
    """Brings the runs of shards together, and the tables up to date.

    Args:
        store: the store that all shards shared, or that of one of them, which takes the runs of the others.
        others: stores of other shards of the same scenario; nothing in them is changed.
        shards: number of shards that were to be done, to name those that are missing.

    Raises:
        StoreError: one of them cannot be read, or another merge is at work.
        InputError: another store has runs of something else.
        PartialResult: runs are missing; the tables are made of those that are there.
    """
    if shards is not None and (type(shards) is not int or shards < 1):
        raise InputError(f"shards: found {shards!r}; expected a whole number of at least 1")
    target = open_store(store)
    sources = [open_store(other) for other in others]
    for source in sources:
        if not _keys(source) & _keys(target):
            raise InputError(f"{source.path}: has no run of {target.path}: its scenario, seeds or build are others")
    with _alone(target.path):
        for source in sources:
            _copy(source.path / "runs", target.path / "runs")
        target = open_store(store)
        results = target.results()
        target.write_tables(results)
    if missing := _missing(target, results):
        raise PartialResult(f"{target.path}: {_said(missing, len(_listed(target)), shards)}")
    return target


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keeps other merges out of a store.

    Raises:
        StoreError: one is at work there, or the folder cannot be written.
    """
    path = folder / LOCK
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise not_written(f"{path}: cannot be written", error, StoreError) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(f"{folder}: another merge is at work there; wait for it, nothing was changed") from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise not_written(f"{path}: cannot be locked", error, StoreError) from error
        yield
    finally:
        os.close(lock)


def _copy(source: Path, target: Path) -> None:
    """Copies files of runs that are not there, or have grown since."""
    try:
        for name in sorted(os.listdir(source)):
            path, there = source / name, target / name
            if name.startswith(".") or (there.is_file() and there.stat().st_size >= path.stat().st_size):
                continue
            write_whole(there, read_whole(path, _MAX_BYTES))
    except OSError as error:
        raise not_written(f"{target}: cannot take the runs of {source}", error, StoreError) from error


def _listed(store: Store) -> list[str]:
    """The keys of the runs that a store is to have, each once, in the order by which shards take them."""
    return list(
        dict.fromkeys(
            key for entry in store.manifest["scenarios"] for point in entry["points"] for key in point["keys"]
        )
    )


def _keys(store: Store) -> frozenset[str]:
    return frozenset(_listed(store))


def _missing(store: Store, results: Sequence[Result]) -> list[int]:
    """The places, in the order of shards, of runs that are not there."""
    there = {
        key
        for entry, result in zip(store.manifest["scenarios"], results, strict=True)
        for listed, point in zip(entry["points"], result.points, strict=True)
        for seeds in [frozenset(point.seeds)]
        for seed, key in enumerate(listed["keys"], result.scenario.seed)
        if seed in seeds
    }
    return [place for place, key in enumerate(_listed(store)) if key not in there]


def _said(missing: Sequence[int], wanted: int, shards: int | None) -> str:
    """What is missing, and what to do."""
    said = f"{len(missing)} of {counted(wanted, 'run')} are missing"
    rest = "the tables are made of the others"
    if shards is None:
        return f"{said}; {rest}; the command that made the store does them"
    lacking = sorted({place % shards + 1 for place in missing})
    noun = "shard" if len(lacking) == 1 else "shards"
    return f"{noun} {ranges(lacking)} of {shards}: {said}; {rest}; start again with --shard {lacking[0]}/{shards}" + (
        " and so on" if len(lacking) > 1 else ""
    )
