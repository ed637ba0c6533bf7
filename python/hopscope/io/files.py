"""Reading files with a bound, writing them as a whole or not at all, and what to say when it cannot be done.

A file is written under a temporary name first: ``.NAME.HOST.PID.RANDOM.tmp``, where HOST stands for the machine and its
process numbering. What a killed process has left is known by that name and removed by a later one.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import re
import secrets
import stat
import time
from io import BufferedReader
from pathlib import Path

from hopscope.errors import HopscopeError, InputError, RunFailed

#: Reasons that lie in the place that the caller has named; all others, such as a full disk, are no fault of the caller.
_OF_THE_PLACE = frozenset(
    {
        errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST,
        errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL,
    }
)  # fmt: skip

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


#: Errors of :func:`read_whole` that lie in what the file is, not in the way to it; their text says what it is.
_OF_THE_FILE = frozenset({errno.EISDIR, errno.EINVAL, errno.EFBIG})

#: Errors of reading that lie in what the file is or in the disk below it; all others, such as a missing permission or
#: too many open files, say nothing about the file.
_OF_ITS_CONTENT = _OF_THE_FILE | {errno.EIO, errno.ELOOP}

#: What another process may still be writing, for all that can be known, is left alone for so many seconds; a default.
FOREIGN_AGE_S = 86_400.0

#: Files are read on in pieces of so many bytes when they have more than their size says.
_PIECE = 1_000_000

_TEMPORARY = re.compile(r"\..+\.([0-9a-f]{8})\.([0-9]+)\.[0-9a-f]{8}\.tmp")


def read_whole(path: Path, limit: int) -> bytes:
    """Reads a regular file of at most ``limit`` bytes.

    Raises:
        OSError: it cannot be read, is larger, or is no regular file: a folder, a device, a pipe.
    """
    with open_regular(path, limit) as file:
        # Never asks for more than there is: as much as is asked for is allocated.
        data = file.read(os.fstat(file.fileno()).st_size)
        while len(data) <= limit and (more := file.read(_PIECE)):
            data += more
    if len(data) > limit:
        raise _too_large(path, limit)
    return data


def open_regular(path: Path, limit: int) -> BufferedReader:
    """Opens a regular file of at most ``limit`` bytes for reading.

    Raises:
        OSError: it cannot be opened, is larger, or is no regular file: a folder, a device, a pipe.
    """
    _require_regular(os.stat(path).st_mode, path)  # before it is opened: a pipe would wait for its writer
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        _require_regular(status.st_mode, path)
        if status.st_size > limit:
            raise _too_large(path, limit)
    except BaseException:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def _too_large(path: Path, limit: int) -> OSError:
    return OSError(errno.EFBIG, f"larger than {_size(limit)}", str(path))


def not_read(path: Path, error: OSError, wanted: str) -> str:
    """Returns why :func:`read_whole` failed; ``wanted`` is what the file should have been."""
    if error.errno in _OF_THE_FILE:
        return f"{path}: {error.strerror}; expected {wanted}"
    return f"{path}: cannot be read: {error.strerror or error}"


def reports_damage(error: OSError) -> bool:
    """Whether a file that could not be read is damaged, rather than one that may not be read."""
    return error.errno in _OF_ITS_CONTENT


def _require_regular(mode: int, path: Path) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "is no regular file but a device, pipe or socket", str(path))


def _size(limit: int) -> str:
    return f"{limit // 1_000_000} MB" if limit >= 1_000_000 else f"{limit} bytes"


def write_whole(path: Path, data: bytes, *, commit: bool = True) -> None:
    """Writes a file so that it is either there as a whole or not at all.

    Without ``commit`` that holds for a process that is killed; a machine that loses power may keep a part of it.
    """
    temporary = _temporary(path)
    try:
        with temporary.open("wb") as file:
            file.write(data)
            if commit:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if commit:
        commit_folder(path.parent)


def commit_folder(path: Path) -> None:
    """Waits until the names in a folder are on the disk."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{_host()}.{os.getpid()}.{secrets.token_hex(4)}.tmp")


def remove_litter(folder: Path) -> None:
    """Removes temporary files of processes that were killed while they wrote.

    Those of living processes stay, and for a day those of other machines, which may share the folder.
    """
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".tmp")]
    except FileNotFoundError:
        return
    for name in names:
        if (found := _TEMPORARY.fullmatch(name)) and _is_left(folder / name, found[1], int(found[2])):
            (folder / name).unlink(missing_ok=True)


def _is_left(path: Path, host: str, process: int) -> bool:
    if host != _host():
        try:
            return time.time() - path.lstat().st_mtime > FOREIGN_AGE_S
        except FileNotFoundError:
            return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OverflowError, PermissionError):
        return False
    return False


@functools.cache
def _host() -> str:
    """Eight digits that processes share exactly where they see each other's numbers."""
    parts = [os.uname().nodename]
    for source in ("/proc/sys/kernel/random/boot_id", "/proc/self/ns/pid"):
        try:
            parts.append(os.readlink(source) if os.path.islink(source) else Path(source).read_text())
        except OSError:
            continue
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]


def make_folder(path: Path) -> None:
    """Makes a folder with those above it; one of a thousand parts too, at which :meth:`Path.mkdir` gives up.

    Raises:
        OSError: it cannot be made.
    """
    absent = []
    while not path.is_dir():
        absent.append(path)
        if path.parent == path:
            break
        path = path.parent
    for folder in reversed(absent):
        folder.mkdir(exist_ok=True)


def make_way(what: str, path: Path) -> None:
    """Makes the folder of a file that long work will end with, and tries whether the file can be written there.

    Raises:
        InputError: the folder cannot be made or written, or the file is a folder.
        RunFailed: the disk is full.
    """
    trial = _temporary(path)
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        make_folder(path.parent)
        trial.touch()
        trial.unlink()
    except OSError as error:
        raise not_written(f"{what}: cannot be written", error) from error


def reason(error: OSError) -> str:
    """Returns why a file could not be written, in words."""
    if error.errno in _FULL:
        return "the disk is full"
    if error.errno == errno.EEXIST:  # what stands where a folder would have to be made
        return os.strerror(errno.ENOTDIR)
    return error.strerror or str(error)


def not_written(what: str, error: OSError, refusal: type[InputError] = InputError) -> HopscopeError:
    """Returns the error to raise for a file that could not be written.

    Args:
        what: the file or folder and what was to be done with it.
        error: what the system said.
        refusal: the error (exit status 2) when the place cannot be written at all, as a folder without permission.

    Returns:
        ``refusal`` for a fault of the place; :class:`RunFailed` (exit status 1) for any other, such as a full disk.
    """
    return (refusal if error.errno in _OF_THE_PLACE else RunFailed)(f"{what}: {reason(error)}")
