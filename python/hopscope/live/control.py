"""``hopscope exec``: commands at the nodes of a run that another process holds, by a socket in the folder of the run.

A request is one line of JSON with the streams of whoever asks (SCM_RIGHTS, unix(7)); the answer is one line, too.
"""

from __future__ import annotations

import array
import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

from hopscope.errors import InputError, RunFailed
from hopscope.live import journal, programs
from hopscope.live.session import Session

#: Name of the socket in the folder of a run.
NAME = "control"

#: Octets of a request.
_MOST = 65536


class Control:
    """Answers ``hopscope exec`` as long as it is open.

    Args:
        session: the run.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(str(session.folder / NAME))
        self._socket.listen()
        self._running: set[int] = set()
        threading.Thread(target=self._accept, name="control", daemon=True).start()

    def close(self) -> None:
        """Ends the commands that are under way, and answers no more."""
        # close alone does not wake the thread that waits in accept.
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for group in list(self._running):
            _kill(group)

    def _accept(self) -> None:
        while True:
            try:
                asked, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(asked,), daemon=True).start()

    def _answer(self, asked: socket.socket) -> None:
        streams: list[int] = []
        with asked, contextlib.suppress(OSError):
            try:
                request, streams = _request(asked)
                answer = self._do(request, streams, asked)
            except (ValueError, KeyError, TypeError, OSError) as error:
                answer = {"problem": f"{type(error).__name__}: {error}"}
            finally:
                for stream in streams:
                    os.close(stream)
            asked.sendall((json.dumps(answer) + "\n").encode())

    def _do(self, request: dict[str, Any], streams: list[int], asked: socket.socket) -> dict[str, Any]:
        node, words = int(request["node"]), [str(word) for word in request["words"]]
        if not 0 <= node < self._session.real.nodes:
            return {"problem": f"node {node} does not exist; nodes are 0 to {self._session.real.nodes - 1}"}
        environment = {**request.get("environment", {}), **self._session.own_environment(node)}
        # This thread waits for the command, which ends when the thread does.
        process = programs.attached(
            self._session.inside(node), words, environment, (streams[0], streams[1], streams[2]), request.get("folder")
        )
        self._running.add(process.pid)
        threading.Thread(target=_end_with, args=(asked, process), daemon=True).start()
        status = process.wait()
        self._running.discard(process.pid)
        return {"status": status}


def _end_with(asked: socket.socket, process: subprocess.Popen[bytes]) -> None:
    """Ends a command whose asker has gone."""
    with contextlib.suppress(OSError):
        if asked.recv(1) == b"" and process.poll() is None:
            _kill(process.pid)


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _request(asked: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """A request with the streams that came with it."""
    text, streams, _, _ = socket.recv_fds(asked, _MOST, 3)
    while not text.endswith(b"\n"):
        more = asked.recv(_MOST)
        if not more or len(text) > 16 * _MOST:
            raise ValueError("the request ends too early")
        text += more
    if len(streams) != 3:
        raise ValueError("a request brings three streams")
    return json.loads(text), list(array.array("i", streams))


def execute(node: int, words: list[str], *, run: str | None = None, runs: Path | None = None) -> int:
    """Runs a command at a node of a run that lives, with the streams of this process, and returns its status.

    Args:
        node: the node.
        words: the command.
        run: name of the run, such as ``hs-4711``; None: the only one that can be asked.
        runs: the folder of all runs.

    Raises:
        InputError: there is no such run or node.
        RunFailed: the run has ended meanwhile.
    """
    folder = _chosen(run, runs)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        try:
            asking.connect(str(folder / NAME))
        except OSError as error:
            raise InputError(f"{folder.name}: does not answer ({error.strerror})") from None
        request = {"node": node, "words": words, "environment": dict(os.environ), "folder": os.getcwd()}
        socket.send_fds(asking, [(json.dumps(request) + "\n").encode()], [0, 1, 2])
        answer = asking.makefile().readline()
    if not answer:
        raise RunFailed(f"{folder.name}: the run has ended")
    found = json.loads(answer)
    if "problem" in found:
        raise InputError(str(found["problem"]))
    return int(found["status"])


def _chosen(run: str | None, runs: Path | None) -> Path:
    folders = [folder for folder in journal.living(runs) if (folder / NAME).exists()]
    names = ", ".join(folder.name for folder in folders)
    if run is not None:
        for folder in folders:
            if folder.name == run:
                return folder
        there = f"those that can be asked: {names}" if names else "none is under way"
        raise InputError(f"--run {run}: there is no such run; {there}")
    if len(folders) == 1:
        return folders[0]
    if folders:
        raise InputError(f"several runs are under way: {names}; name one with --run")
    raise InputError("no run is under way; start one with: hopscope shell FILE")
