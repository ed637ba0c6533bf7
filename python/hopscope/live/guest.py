"""The first process of the kernel for virtual time: mounts what programs expect, runs one command, and ends the kernel.

    python -I guest.py FOLDER

The folder has the task, gets the command's output as it comes, and its status at the end.  The root is the file system
of the host; what belongs to the host's kernel or to its living runs is covered.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

#: Names in the folder.
TASK, OUTPUT, ERRORS, STATUS = "task.json", "output", "errors", "status"

#: Mounts: type, place, options. Below /run are names of namespaces and folders of runs, which are those of the host.
_MOUNTS = (
    ("proc", "/proc", ""),
    ("sysfs", "/sys", ""),
    ("devtmpfs", "/dev", ""),
    ("devpts", "/dev/pts", "ptmxmode=0666"),
    ("tmpfs", "/dev/shm", ""),
    ("tmpfs", "/run", "mode=755"),
)

#: Names of /dev that devtmpfs does not make.
_LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2", "ptmx": "pts/ptmx"}

#: Adds octets to the kernel's randomness, and has it use them at once (linux/random.h).
_ADD_ENTROPY, _RESEED = 0x40085203, 0x5207

#: Ends the machine (linux/reboot.h).
_POWER_OFF = 0x4321FEDC

_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Task:
    """What the kernel is to do.

    Attributes:
        words: the command.
        folder: where it runs.
        environment: its environment.
        seed: its randomness follows from it.
    """

    words: list[str]
    folder: str
    environment: dict[str, str]
    seed: int


def is_virtual() -> bool:
    """Whether time is virtual here: this process runs in such a kernel."""
    try:
        return "time-travel=inf-cpu" in Path("/proc/cmdline").read_text().split()
    except OSError:
        return False


def main() -> None:
    """Runs the task of a folder and ends the kernel."""
    folder = Path(sys.argv[1])
    task = Task(**json.loads((folder / TASK).read_text()))
    # Opened before mounts cover the folder; written through, so that the other side sees each line.
    flags = os.O_WRONLY | os.O_CREAT | os.O_SYNC
    output, errors, status = (os.open(folder / name, flags, 0o600) for name in (OUTPUT, ERRORS, STATUS))
    try:
        _mount()
        _seed(task.seed)
        os.chdir(task.folder)
        done = subprocess.run(
            task.words,
            check=False,
            env=task.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
        )
        os.write(status, str(done.returncode if done.returncode >= 0 else 128 - done.returncode).encode())
    except OSError as error:
        os.write(errors, f"the kernel for virtual time: {error.filename or ''} {error.strerror}\n".encode())
        os.write(status, b"1")
    finally:
        os.sync()
        _LIBC.reboot(_POWER_OFF)


def _mount() -> None:
    for kind, place, settings in _MOUNTS:
        if kind in ("devpts", "tmpfs") and place.startswith("/dev"):
            os.makedirs(place, exist_ok=True)
        if _LIBC.mount(b"none", place.encode(), kind.encode(), 0, settings.encode()) != 0:
            why = ctypes.get_errno()
            if why != errno.EBUSY:  # there already
                raise OSError(why, os.strerror(why), place)
    for name, target in _LINKS.items():
        link = Path("/dev") / name
        link.unlink(missing_ok=True)
        link.symlink_to(target)


def _seed(seed: int) -> None:
    """Has the kernel's randomness follow from a seed; the host's does not come in (tools/uml/edits.py)."""
    octets = hashlib.sha512(str(seed).encode()).digest()
    # struct rand_pool_info: bits, octets, and then those.
    request = (8 * len(octets)).to_bytes(4, sys.byteorder) + len(octets).to_bytes(4, sys.byteorder) + octets
    with open("/dev/urandom", "rb") as source:
        fcntl.ioctl(source, _ADD_ENTROPY, request)
        fcntl.ioctl(source, _RESEED)


if __name__ == "__main__":
    main()
