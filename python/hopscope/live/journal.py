"""The journal of a run: what it is about to make, by name, so that the next start removes what a dead run left.

A run has a folder with a journal, which it holds locked as long as it lives.  A lock ends with its process, also by
``kill -9``, and unlike a process number it is nobody else's afterwards.  Each line is written before its step is done.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hopscope.errors import InputError
from hopscope.live import kernel

#: Where namespaces have their names (ip-netns(8)).
NAMES = Path("/run/netns")

#: The variable by which programs of a run are known.
MARK = "HOPSCOPE_RUN"

_PREFIX, _FILE = "hs-", "journal"


def home() -> Path:
    """The folder of all runs: /run/hopscope for root, else that of the user."""
    user = os.environ.get("XDG_RUNTIME_DIR")
    for place in (Path("/run"), *([Path(user)] if user else [])):
        if os.access(place, os.W_OK):
            return place / "hopscope"
    return Path(tempfile.gettempdir()) / f"hopscope-{os.getuid()}"


class Journal:
    """The folder and the journal of a living run.

    Attributes:
        name: its name, such as ``hs-4711``, with which the names of all that it makes begin.
        folder: for its control socket and the settings of its daemons.
        mark: value of the variable by which its programs are known.
    """

    def __init__(self, runs: Path | None = None, name: str | None = None) -> None:
        runs = home() if runs is None else runs
        self.name = name or f"{_PREFIX}{os.getpid()}"
        self.folder = runs / self.name
        self.mark = f"{self.name}-{secrets.token_hex(6)}"
        runs.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = _create(self.folder)
        self.note("run", mark=self.mark)

    def note(self, step: str, **values: Any) -> None:
        """Writes what is about to be done."""
        # A kill loses nothing that was written; only a power cut does, which takes namespaces with it.
        os.write(self._file, (json.dumps({"step": step, **values}) + "\n").encode())

    def undo(self) -> list[str]:
        """Takes down what the run has made and removes the folder; returns what was removed, in words."""
        removed = _undo(self.folder)
        os.close(self._file)
        return removed


def recover(runs: Path | None = None) -> list[str]:
    """Removes what runs that are dead have left, and returns it in words; living runs are left alone."""
    removed: list[str] = []
    for folder in _folders(runs):
        with contextlib.suppress(FileNotFoundError, PermissionError), _dead(folder) as is_dead:
            if is_dead:
                removed += _undo(folder)
    return removed


def living(runs: Path | None = None) -> list[Path]:
    """The folders of the runs that live."""
    found = []
    for folder in _folders(runs):
        with contextlib.suppress(FileNotFoundError, PermissionError), _dead(folder) as is_dead:
            if not is_dead and folder.is_dir():
                found.append(folder)
    return found


def _folders(runs: Path | None) -> list[Path]:
    """The folders of runs, living or dead; None: where runs are by default."""
    runs = home() if runs is None else runs
    return sorted(runs.glob(f"{_PREFIX}*")) if runs.is_dir() else []


def _create(folder: Path) -> int:
    """Makes the folder of a run with its journal, and returns the journal, locked."""
    while True:
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            with _dead(folder) as is_dead:
                if is_dead:
                    _undo(folder)
                elif folder.is_dir():
                    raise InputError(f"{folder}: another run of this name is under way") from None
            continue
        try:
            file = os.open(folder / _FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            continue  # another start has taken the empty folder for one that was left
        fcntl.flock(file, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.fstat(file).st_ino == (folder / _FILE).stat().st_ino:
                return file
        os.close(file)


@contextlib.contextmanager
def _dead(folder: Path) -> Iterator[bool]:
    """Whether the run of a folder is dead; holds its lock meanwhile where it is."""
    try:
        file = os.open(folder / _FILE, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        # Killed between folder and journal, or just being made. Only an empty folder goes, which its owner makes again:
        # a journal may be written in it at any moment.
        with contextlib.suppress(OSError):
            folder.rmdir()
        yield False
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(file)


def _undo(folder: Path) -> list[str]:
    """Takes back what a journal names, last first; a second time it finds nothing to do."""
    removed = []
    for step in reversed(_steps(folder / _FILE)):
        match step.get("step"):
            case "run":
                # Programs last of all: a namespace lives as long as one of them.
                removed += [f"process {number}" for number in _end_programs(step["mark"])]
            case "namespace":
                if _unname(step["name"]):
                    removed.append(f"namespace {step['name']}")
            case _:
                pass
    shutil.rmtree(folder, ignore_errors=True)
    return removed


def _steps(journal: Path) -> list[dict[str, Any]]:
    """The lines of a journal; one that a kill has cut is not there: its step was not begun."""
    steps = []
    with contextlib.suppress(FileNotFoundError):
        for line in journal.read_text().splitlines():
            with contextlib.suppress(ValueError):
                steps.append(json.loads(line))
    return steps


def _unname(name: str) -> bool:
    """Takes the name of a namespace away, which ends with its last process; False where there is none."""
    place = NAMES / name
    if not name.startswith(_PREFIX) or not place.exists():
        return False
    with contextlib.suppress(OSError):  # made, but nothing mounted on it yet
        kernel.unbind(str(place))
    with contextlib.suppress(OSError):
        place.unlink()
    return True


def _end_programs(mark: str) -> list[int]:
    """Kills the processes whose environment has the mark of a run; returns their numbers."""
    wanted = f"{MARK}={mark}".encode()
    ended = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            process = os.pidfd_open(int(entry.name))
            try:
                # Looked at after the process is held: its number cannot become another's in between.
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    signal.pidfd_send_signal(process, signal.SIGKILL)
                    ended.append(int(entry.name))
            finally:
                os.close(process)
    return ended
