"""The file of a run: one line of JSON with the run's key, the SHA-256 of its result, and the result."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

#: Format of run files.
FORMAT = 1

#: Larger run files are refused before they are read.
MAX_BYTES = 4_000_000_000

_RESULT = '"result": '
_END = "}\n"


def text(key: str, result_json: str) -> tuple[bytes, bytes]:
    """Returns the file of a run and the checksum of its result."""
    result = result_json.encode()
    found = hashlib.sha256(result)
    return b"%b%b%b%b" % (_head(key, found.hexdigest()), _RESULT.encode(), result, _END.encode()), found.digest()


def result(key: str, data: bytes) -> tuple[bytes, bytes] | None:
    """Returns the result in the file of a run, as JSON, and its checksum; None when the checksum does not fit."""
    head, _, rest = data.partition(_RESULT.encode())
    if not rest.endswith(_END.encode()):
        return None
    inner = rest[: -len(_END)]
    found = hashlib.sha256(inner)
    return (inner, found.digest()) if head == _head(key, found.hexdigest()) else None


def is_cut(data: bytes) -> bool:
    """Whether the end of the file of a run is missing."""
    return not data.endswith(_END.encode())


def sums(folder: Path, keys: Iterable[str]) -> dict[str, bytes]:
    """Returns the checksums of the results of many runs, each compared with what its file holds.

    Runs that are missing, or damaged in any way, are left out.

    Args:
        folder: where the files are.
        keys: of the runs.
    """
    found = {}
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return {}
    try:
        for key in keys:
            data = _read(f"{key}.json", place)
            if data is not None and (whole := result(key, data)) is not None:
                found[key] = whole[1]
    finally:
        os.close(place)
    return found


def _head(key: str, digest: str) -> bytes:
    return f'{{"format": {FORMAT}, "key": "{key}", "sha256": "{digest}", '.encode()


def _read(name: str, place: int) -> bytes | None:
    """A regular file of a folder, in as few calls as a hundred thousand of them want."""
    try:
        if not stat.S_ISREG(os.stat(name, dir_fd=place).st_mode):  # before it is opened: a pipe would wait
            return None
        file = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place)
    except OSError:
        return None
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            return None
        return os.read(file, status.st_size)
    except OSError:
        return None
    finally:
        os.close(file)
