"""Writing files: as a whole or not at all, and what to say when it cannot be done."""

from __future__ import annotations

import errno
import os
import secrets
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


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file so that it is either there as a whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def make_way(what: str, path: Path) -> None:
    """Makes the folder of a file that long work will end with, and tries whether the file can be written there.

    Raises:
        InputError: the folder cannot be made or written, or the file is a folder.
        RunFailed: the disk is full.
    """
    trial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        path.parent.mkdir(parents=True, exist_ok=True)
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
