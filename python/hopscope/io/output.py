"""Files that are written piece by piece while something long runs: compressed by their ending, never over an old one.

A file that can no longer be written, as on a full disk or into a pipe whose reader has gone, takes no more; what it was
written for goes on.
"""

from __future__ import annotations

import errno
import gzip
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from hopscope.errors import InputError
from hopscope.io.extras import need
from hopscope.io.files import make_folder, not_written, reason

#: Endings of compressed files with the name of the compression.
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}


class Output:
    """A file, or standard output, that takes bytes as they come.

    Attributes:
        name: how messages call it.
        problem: why it takes no more; None while it does.
        written: bytes taken so far, before compression.
    """

    def __init__(self, path: str | Path | None, *, force: bool = False) -> None:
        """Opens a file; ``None`` is standard output.

        Args:
            path: the file; ``.gz`` and ``.zst`` at its end compress.
            force: write over a file that exists.

        Raises:
            InputError: the file exists, or the place cannot be written.
            RunFailed: the disk is full.
        """
        self.name = "standard output" if path is None else str(path)
        self.problem: OSError | None = None
        self.written = 0
        self._layers: list[Any] = []
        if path is None:
            self._layers.append(sys.stdout.buffer)
        else:
            try:
                self._layers += _opened(Path(path), force)
            except OSError as error:
                raise not_written(f"{self.name}: cannot be written", error) from error

    def write(self, data: bytes) -> bool:
        """Takes bytes; false once it takes no more."""
        if self.problem is None:
            try:
                self._layers[-1].write(data)
                self.written += len(data)
            except OSError as error:
                self.problem = error
        return self.problem is None

    def close(self) -> bool:
        """Ends the file; false where something of it could not be written."""
        for layer in reversed(self._layers):
            try:
                if layer is sys.stdout.buffer:
                    layer.flush()
                else:
                    layer.close()
            except OSError as error:
                self.problem = self.problem or error
        self._layers.clear()
        return self.problem is None

    @property
    def has_lost_reader(self) -> bool:
        """Whether nobody reads the other end any more."""
        return self.problem is not None and self.problem.errno == errno.EPIPE

    def why(self) -> str:
        """Says why it takes no more."""
        if self.problem is None:
            return ""
        return "its reader has gone" if self.has_lost_reader else reason(self.problem)

    def __enter__(self) -> Output:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()


def check(path: str | Path, *, force: bool, option: str = "") -> None:
    """Refuses a file that is there before anything is run for it; devices and pipes may be there.

    Args:
        path: the file.
        force: it may be replaced.
        option: what the user wrote before it, for the message.

    Raises:
        InputError: it is there, or is a folder.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{option}{path}: is a folder; expected the name of a file")
    if path.is_file() and not force:
        raise InputError(f"{option}{path}: is there already; --force replaces it")


def _opened(path: Path, force: bool) -> list[Any]:
    """The file and what compresses into it, outermost last."""
    check(path, force=force)
    make_folder(path.parent)
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_TRUNC
    file: IO[bytes] = os.fdopen(os.open(path, flags, 0o666), "wb")
    compression = COMPRESSIONS.get(path.suffix.lower())
    if compression is None:
        return [file]
    if compression == "gzip":
        return [file, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0)]
    need("pyarrow")
    import pyarrow as pa

    return [file, pa.CompressedOutputStream(pa.PythonFile(file, mode="w"), compression)]
