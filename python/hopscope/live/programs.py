"""Programs at nodes: started in the namespace of their node, with a log each, and ended with all that they started.

Each runs as the first process of a process namespace: when it ends, or its run is killed, the kernel ends the rest,
also what has made itself a daemon.  The tools are those of util-linux.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hopscope.errors import InputError

#: Tools of util-linux that start a program.
TOOLS = ("setpriv", "nsenter", "unshare")

#: How long a program may take to end by itself, in seconds.
PATIENCE_S = 0.5

#: Lines of a log that a message shows.
_TAIL = 3


@dataclass(frozen=True)
class Program:
    """A program that was started.

    Attributes:
        node: where it runs.
        title: what messages call it.
        on_exit: what becomes of the run when it ends.
        is_daemon: it is not meant to end at all.
        log: its output.
        process: the process that waits for it.
    """

    node: int
    title: str
    on_exit: str
    is_daemon: bool
    log: Path
    process: subprocess.Popen[bytes]

    def ends_run(self) -> bool:
        """Whether it has ended in a way that ends the run."""
        status = self.process.poll()
        if status is None or self.on_exit == "go-on":
            return False
        return self.on_exit == "end" or self.is_daemon or status != 0

    def has_failed(self) -> bool:
        """Whether it has ended as it should not."""
        status = self.process.poll()
        return status is not None and (self.is_daemon or status != 0)

    def in_words(self) -> str:
        """That it has ended, with its status and the end of its log."""
        status = self.process.poll()
        how = f"was ended by signal {-status}" if status is not None and status < 0 else f"ended with status {status}"
        lines = self.tail()
        said = f"; its log ends with: {' / '.join(lines)}" if lines else "; its log is empty"
        return f"node {self.node}: {self.title} {how}{said}"

    def tail(self) -> list[str]:
        """The last lines of its log."""
        try:
            text = self.log.read_bytes()[-4000:].decode(errors="replace")
        except FileNotFoundError:
            return []
        return [line.strip() for line in text.splitlines() if line.strip()][-_TAIL:]


def check_tools() -> None:
    """Refuses a system without the tools that start programs.

    Raises:
        InputError: one is missing.
    """
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        raise InputError(f"{missing[0]}: is not installed; hopscope live starts programs with it (package util-linux)")


def inside(namespace: int) -> list[str]:
    """The words before a command that runs it in a network namespace and ends it with this process."""
    return [
        *("setpriv", "--pdeathsig", "KILL", "nsenter", f"--net=/proc/{os.getpid()}/fd/{namespace}"),
        *("unshare", "--pid", "--fork", "--kill-child=KILL", "--"),
    ]


def start(
    namespace: int,
    command: str,
    environment: Mapping[str, str],
    *,
    node: int,
    title: str,
    on_exit: str,
    log: Path,
    is_daemon: bool = False,
) -> Program:
    """Starts a command for a shell in a namespace.  The thread that calls this must live as long as the program.

    Raises:
        OSError: it cannot be started.
    """
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*inside(namespace), "sh", "-c", command],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Program(node, title, on_exit, is_daemon, log, process)


def attached(
    namespace: int,
    words: list[str],
    environment: Mapping[str, str],
    streams: tuple[int, int, int] | None,
    folder: str | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a command in a namespace with the streams of whoever asks for it (input, output, errors).

    Without streams it has those of this process, in whose terminal Ctrl-C reaches it.

    Raises:
        OSError: it cannot be started.
    """
    into, out, errors = streams or (None, None, None)
    # The first process of a process namespace does not hear Ctrl-C: a shell is that one, and the command its child.
    command = [*inside(namespace), "sh", "-c", '"$@"\nexit $?', "sh", *words]
    return subprocess.Popen(
        command,
        env=dict(environment),
        stdin=into,
        stdout=out,
        stderr=errors,
        cwd=folder,
        start_new_session=streams is not None,
    )


def end(programs: list[Program]) -> None:
    """Ends programs: asks them first, and ends those that do not answer in time."""
    for program in programs:
        _signal(program.process, signal.SIGTERM)
    last = time.monotonic() + PATIENCE_S
    for program in programs:
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.process.wait(max(0.0, last - time.monotonic()))
    for program in programs:
        _signal(program.process, signal.SIGKILL)
        program.process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
