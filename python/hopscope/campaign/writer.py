"""Appending finished runs to a segment of this process, and committing them to the disk in groups.

Each run is handed to the operating system at once: it outlives this process. It outlives the machine once it is
committed, which is within half a second, or sooner when 256 runs wait.
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import os
import secrets
import threading
from pathlib import Path

from hopscope.campaign.segments import ENDING
from hopscope.io.files import commit_folder

#: Runs are committed after so many seconds, or when so many wait: a default of ours.
COMMIT_S, COMMIT_RUNS = 0.5, 256

#: The next segment begins when one has so many bytes: what damage costs, and what reading one takes, stays small.
SEGMENT_BYTES = 64_000_000


class Writer:
    """Appends to a segment, and begins another when it is full. Its methods may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._file: int | None = None
        self._size = 0
        self._waiting = 0
        self._is_new = False
        self._is_time = threading.Event()
        self._error: OSError | None = None

    def append(self, line: bytes) -> None:
        """Appends a line.

        Raises:
            OSError: it cannot be written, or those before it could not be committed.
        """
        with self._lock:
            if self._error is not None:
                raise self._error
            if self._file is not None and self._size + len(line) > SEGMENT_BYTES:
                self._end(self._file)
            if self._file is None:
                self._file = self._begin()
            self._write(self._file, line)
            self._waiting += 1
            if self._waiting == 1:
                threading.Thread(target=self._commit, name="hopscope-commit").start()
            elif self._waiting == COMMIT_RUNS:
                self._is_time.set()

    def commit_soon(self) -> None:
        """Commits what was appended, while this thread goes on."""
        self._is_time.set()

    def close(self) -> None:
        """Commits what was appended and ends the segment.

        Raises:
            OSError: it cannot be committed.
        """
        with self._lock:
            if self._file is not None:
                self._end(self._file)
            if self._error is not None:
                raise self._error

    def _begin(self) -> int:
        """Begins a segment, whose name sorts behind those begun before."""
        time = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        path = self._folder / f"{time}-{secrets.token_hex(4)}{ENDING}"
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o666)
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._size, self._is_new = 0, True
        return file

    def _write(self, file: int, line: bytes) -> None:
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(file, rest) :]
        except BaseException:  # what comes behind must not be part of this line
            os.ftruncate(file, self._size)
            raise
        self._size += len(line)

    def _commit(self) -> None:
        self._is_time.wait(COMMIT_S)
        with self._lock:
            self._waiting = 0
            self._is_time.clear()
            if self._file is None:
                return
            file = os.dup(self._file)  # which another thread may close meanwhile
        try:
            self._commit_file(file)
        except OSError as error:
            self._error = error
        finally:
            os.close(file)

    def _commit_file(self, file: int) -> None:
        os.fsync(file)
        if self._is_new:
            self._is_new = False  # first: another thread may begin a segment meanwhile, whose name is not there yet
            commit_folder(self._folder)

    def _end(self, file: int) -> None:
        self._file = None
        self._is_time.set()
        try:
            self._commit_file(file)
        finally:
            with contextlib.suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_UN)  # a copy of it may still be open
            os.close(file)
