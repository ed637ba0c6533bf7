"""The finished runs of a store, as they lie in its folder ``runs``.

A segment is a file of lines, one a run (:mod:`hopscope.campaign.runline`). The process that began it alone appends to
it, and holds a lock on it meanwhile: so any number of processes fill a store at once. Of a run that lies in several
places, that in the segment begun last counts. Earlier versions wrote a file for each run, ``<key>.json``, which is such
a line as well.

A line that is none, or whose end a crash has cut off, is named by whoever reads the store, and dropped by the next
start.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hopscope.campaign import runline
from hopscope.errors import StoreError
from hopscope.io.files import FOREIGN_AGE_S, open_regular, read_whole, reports_damage, write_whole

#: Ends the name of a segment.
ENDING = ".jsonl"

#: Larger files of runs are refused before they are read.
MAX_BYTES = 4_000_000_000

_MISSING = "what was in it counts as missing and is done again by the next start"


class Place(NamedTuple):
    """Where the line of a run lies: a file of the folder, and its part of it; all of it without a size."""

    file: str
    begin: int = 0
    size: int | None = None


class Segments:
    """The runs of a folder, as they were when it was first looked at.

    Attributes:
        folder: the folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._seen: _Seen | None = None

    @property
    def places(self) -> Mapping[str, Place]:
        """Where each run lies that is there, by key.

        Raises:
            StoreError: a segment may not be read.
        """
        return self._look().places

    @property
    def faults(self) -> list[str]:
        """What lies in the segments and is no run, a line each.

        Raises:
            StoreError: a segment may not be read.
        """
        return [f"{fault}; {_MISSING}" for fault in self._look().faults]

    def look_again(self) -> None:
        """Sees what other processes have added."""
        self._seen = None

    def drop_faults(self) -> list[str]:
        """Writes segments again without the lines that are no runs, unless they are still being written.

        Returns:
            What was dropped, a line each.

        Raises:
            OSError: the folder cannot be written.
            StoreError: a segment may not be read.
        """
        self.look_again()
        dropped = [fault for fault in self._look().faults if fault.is_line]
        for path in dict.fromkeys(fault.path for fault in dropped):
            data = read_whole(path, MAX_BYTES)
            write_whole(path, b"".join(data[begin:end] for begin, end, key in _lines(data) if key is not None))
            self.look_again()
        return [f"{fault}; it was dropped, and what was in it is done again" for fault in dropped]

    def line(self, key: str) -> bytes | None:
        """Returns the line of a run; None where there is none.

        Raises:
            OSError: its file cannot be read.
        """
        place = self.places.get(key)
        if place is None:
            return None
        try:
            if place.size is None:
                return read_whole(self.folder / place.file, MAX_BYTES)
            with open_regular(self.folder / place.file, MAX_BYTES) as file:
                return os.pread(file.fileno(), place.size, place.begin)
        except FileNotFoundError:
            return None

    def bytes_of(self, keys: Iterable[str]) -> int:
        """How many bytes the lines of some runs have."""
        there = [self.places[key] for key in keys if key in self.places]
        old = [self.folder / place.file for place in there if place.size is None]
        return sum(place.size or 0 for place in there) + sum(file.stat().st_size for file in old if file.is_file())

    def sums(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Returns the checksums of the results of many runs, each compared with what its line holds.

        Runs that are missing, or damaged in any way, are left out.
        """
        by_file: dict[str, list[tuple[str, Place]]] = {}
        for key in keys:
            if (place := self.places.get(key)) is not None:
                by_file.setdefault(place.file, []).append((key, place))
        found = {}
        for name, runs in by_file.items():
            try:
                data = read_whole(self.folder / name, MAX_BYTES)
            except OSError:
                continue
            for key, (_, begin, size) in runs:
                line = data if size is None else data[begin : begin + size]
                if (whole := runline.result(key, line)) is not None:
                    found[key] = whole[1]
        return found

    def _look(self) -> _Seen:
        if self._seen is None:
            self._seen = _seen(self.folder)
        return self._seen


class _Fault(NamedTuple):
    """What is no run: a line of a segment, or a segment that cannot be read."""

    path: Path
    what: str
    is_line: bool

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


class _Seen(NamedTuple):
    """What a folder has: where each run lies, by key, and what is no run."""

    places: dict[str, Place]
    faults: list[_Fault]


def _seen(folder: Path) -> _Seen:
    """Looks through a folder; what another process may still be writing is no fault.

    Raises:
        StoreError: a segment may not be read.
    """
    names = _names(folder)
    keys = ((name, name.removesuffix(".json")) for name in names if name.endswith(".json"))
    seen = _Seen({key: Place(name) for name, key in keys if runline.is_key(key)}, [])
    for name in (name for name in names if name.endswith(ENDING)):
        path = folder / name
        try:
            data = read_whole(path, MAX_BYTES)
        except FileNotFoundError:
            continue
        except OSError as error:
            if not reports_damage(error):
                raise StoreError(f"{path}: cannot be read: {error.strerror or error}") from error
            seen.faults.append(_Fault(path, f"damaged ({error.strerror or error})", is_line=False))
            continue
        lines = list(_lines(data))
        seen.places.update((key, Place(name, begin, end - begin)) for begin, end, key in lines if key is not None)
        if (wrong := _wrong(data, lines)) and not _is_being_written(path):
            seen.faults.extend(_Fault(path, what, is_line=True) for what in wrong)
    return seen


def _names(folder: Path) -> list[str]:
    """The names in a folder, in order; none where it is not there."""
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StoreError(f"{folder}: cannot be read: {error.strerror or error}") from error


def _lines(data: bytes) -> Iterator[tuple[int, int, str | None]]:
    """Where each line begins and ends, and the key of its run; None for one that is none, or lacks its end."""
    begin = 0
    while end := data.find(b"\n", begin) + 1:
        yield begin, end, runline.key_at(data, begin, end)
        begin = end
    if begin < len(data):
        yield begin, len(data), None


def _wrong(data: bytes, lines: Sequence[tuple[int, int, str | None]]) -> list[str]:
    """What is wrong with lines that are no runs."""
    return [
        f"line {number} is damaged" if data.endswith(b"\n", 0, end) else f"line {number}, the last, is cut off"
        for number, (_, end, key) in enumerate(lines, 1)
        if key is None
    ]


def _is_being_written(path: Path) -> bool:
    """Whether the process that began a segment still appends to it."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return time.time() - os.fstat(file).st_mtime < FOREIGN_AGE_S
    finally:
        os.close(file)
    return False
