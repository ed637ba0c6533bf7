"""Virtual time: ``hopscope live`` as it is, inside a kernel whose clock goes on only when nothing is left to be done.

The kernel is User-Mode Linux with ``time-travel=inf-cpu`` (see its ``--help``): a program of this user,
whose root is the file system of the host.  :mod:`.guest` is its first process.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO

from hopscope.errors import InputError, RunFailed
from hopscope.live import guest
from hopscope.live.journal import MARK, Journal

#: How often the output of the run inside is looked at, in seconds.
_PERIOD_S = 0.05

#: Memory of the kernel in MiB; the host gives what is used of it.
_MEMORY_MIB = 1024

#: Time of day at which every run begins, in nanoseconds after 1970: the 1st of January 2024 (a default).
_BEGIN_NS = 1_704_067_200 * 1_000_000_000

#: Variables that would name places, terminals or sessions of the host.
_LEFT_OUT = ("XDG_RUNTIME_DIR", "TMPDIR", "TMP", "TEMP", "DISPLAY", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS")

#: The kernel clones itself for the processes inside. The C library registers a place of each thread with the host for
#: restartable sequences (rseq(2), glibc from 2.35 on), which a clone has no more: the host would end it by a signal.
_NO_RSEQ = {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}

#: Lines of the kernel's messages that an error shows.
_TAIL = 3


def kernel() -> Path:
    """The kernel that ``make uml`` has built.

    Raises:
        InputError: it is not there.
    """
    home = os.environ.get("XDG_CACHE_HOME")
    found = (Path(home) if home else Path.home() / ".cache") / "hopscope" / "uml-6.1" / "linux"
    if not os.access(found, os.X_OK):
        raise InputError(
            f"--virtual: the kernel for virtual time is not built ({found}); in a checkout of Hopscope run: make uml"
        )
    return found


def run(words: Sequence[str], seed: int) -> int:
    """Runs ``hopscope`` with these words in virtual time, with the output of this process, and returns its status.

    Args:
        words: verb and options.
        seed: the kernel's randomness follows from it.

    Raises:
        InputError: there is no kernel.
        RunFailed: the kernel has ended by itself.
    """
    program = kernel()
    journal = Journal()
    try:
        folder = journal.folder
        task = guest.Task(
            words=[sys.executable, "-m", "hopscope", *words],
            folder=os.getcwd(),
            environment=_environment(os.environ),
            seed=seed,
        )
        first = _write(folder, task)
        streams = [(folder / guest.OUTPUT, sys.stdout), (folder / guest.ERRORS, sys.stderr)]
        environment = {**os.environ, MARK: journal.mark, "TMPDIR": str(_room()), **_NO_RSEQ}
        with (folder / "kernel.log").open("wb") as log:
            process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *_command(program, first.name)],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            _pass_on(process, streams)
        finally:
            process.kill()
            process.wait()
        return _status(folder)
    finally:
        journal.undo()


def _environment(own: Mapping[str, str]) -> dict[str, str]:
    """The environment of the run inside: that of this process, as wide as its terminal, and the same in each run."""
    kept = {name: value for name, value in own.items() if name not in _LEFT_OUT}
    if sys.stdout.isatty():
        kept["COLUMNS"] = str(shutil.get_terminal_size().columns)
    # The order of sets follows from the first. Compiled files are not written: they would differ in their times.
    return {**kept, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}


def _write(folder: Path, task: guest.Task) -> Path:
    """Writes what the first process needs, and returns it: a script, as kernels take no arguments with spaces."""
    (folder / guest.TASK).write_text(json.dumps(asdict(task)))
    for name in (guest.OUTPUT, guest.ERRORS):
        (folder / name).touch()
    first = folder / "first"
    words = [sys.executable, "-I", guest.__file__, str(folder)]
    first.write_text(f"#!/bin/sh\nexec {shlex.join(words)}\n")
    first.chmod(0o700)
    return first


def _room() -> Path:
    """Where the kernel's memory is: a file without a name, in memory where there is enough."""
    shared = Path("/dev/shm")
    with contextlib.suppress(OSError):
        found = os.statvfs(shared)
        if found.f_bavail * found.f_frsize > _MEMORY_MIB << 20:
            return shared
    return Path(tempfile.gettempdir())


def _command(program: Path, first: str) -> list[str]:
    """The kernel's command line, from the folder of the run: the same in each, as its randomness begins with it."""
    here = "/proc/self/cwd"
    return [
        str(program),
        f"mem={_MEMORY_MIB}M",
        *("root=hostfs", "rootfstype=hostfs", "rootflags=/", "rw", f"init={here}/{first}"),
        *("time-travel=inf-cpu", f"time-travel-start={_BEGIN_NS}"),
        *("con=null", "con0=null,fd:1", "quiet", "panic=-1"),
        *(f"uml_dir={here}/", "umid=kernel"),
    ]


def _pass_on(process: subprocess.Popen[bytes], streams: Sequence[tuple[Path, IO[str]]]) -> None:
    """Passes the output of the run inside on, as it comes, until the kernel ends."""
    with contextlib.ExitStack() as opened:
        files = [(opened.enter_context(path.open(encoding="utf-8", errors="replace")), to) for path, to in streams]
        is_over = False
        while not is_over:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_PERIOD_S)
                is_over = True
            for file, to in files:
                if text := file.read():
                    to.write(text)
                    to.flush()


def _status(folder: Path) -> int:
    """How the run inside has ended.

    Raises:
        RunFailed: the kernel has ended before it.
    """
    with contextlib.suppress(FileNotFoundError, ValueError):
        return int((folder / guest.STATUS).read_text())
    said = (folder / "kernel.log").read_text(errors="replace").splitlines()
    lines = [line.strip() for line in said if line.strip()][-_TAIL:]
    raise RunFailed(f"the kernel for virtual time has ended by itself: {' / '.join(lines) or 'it said nothing'}")
