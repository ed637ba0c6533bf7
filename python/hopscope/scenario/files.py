"""Files of positions and of video frames that a scenario names: their text is read here, what it means in Rust."""

from __future__ import annotations

import functools
from pathlib import Path

from hopscope import _core
from hopscope.files import OF_THE_FILE, read_whole

Frames = list[tuple[int, int]]
"""(time since the start of the flow in nanoseconds, bytes), in order of time."""

#: Larger files are refused before they are read.
MAX_BYTES = 500_000_000


def read_positions(path: Path, form: str = "auto") -> list[list[float]]:
    """Returns the positions of a file in metres.

    Args:
        path: the file.
        form: ``csv`` (x,y a line, separated by comma, semicolon, tab or blank; more columns need a header that names
            x and y), ``ns2`` (lines ``$node_(i) set X_ value``), ``bonnmotion`` (one node a line: ``time x y ...``;
            the node must not move), or ``auto``.

    Raises:
        ValueError: it cannot be read or holds no positions of that form; the message names file and line.
    """
    return _core.positions(_text(path, "a file of positions"), str(path), form)


def read_trace(path: Path, frame_rate: float) -> Frames:
    """Returns the frames of a CSV file.

    Columns are separated by comma, semicolon, tab or blank. A header names them: ``time`` (seconds) or ``frame`` (whole
    numbers, at ``frame_rate`` frames per second from the first one on), and ``bytes``; without a header the two columns
    are time and bytes. Lines that begin with # are passed over.

    Raises:
        ValueError: the file cannot be read, or a line is no frame; the message names file and line.
    """
    try:
        changed = path.stat().st_mtime_ns
    except (OSError, ValueError):  # reading tells what is wrong
        changed = 0
    return _frames(path, frame_rate, changed)


@functools.lru_cache(maxsize=16)
def _frames(path: Path, frame_rate: float, _changed: int) -> Frames:
    """Reads once what many points of a sweep ask for."""
    return _core.frames(_text(path, "a CSV file"), str(path), frame_rate)


def _text(path: Path, wanted: str) -> str:
    if "\0" in str(path):
        raise ValueError(f"{path}: embedded null byte")
    try:
        text = read_whole(path, MAX_BYTES).decode("utf-8-sig")
    except OSError as error:
        if error.errno in OF_THE_FILE:
            raise ValueError(f"{path}: {error.strerror}; expected {wanted}") from error
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: is no text file (UTF-8)") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")
