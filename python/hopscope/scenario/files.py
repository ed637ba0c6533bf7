"""Files of positions and of video frames that a scenario names: their text is read here, what it means in Rust."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

from hopscope.io.files import not_read, read_whole

#: Names of columns, and types of video frames.
COLUMNS = frozenset(
    {"time", "t", "seconds", "node", "id", "x", "y", "z", "from", "to", "source", "destination"}
    | {"rssi", "rssi_dbm", "dbm", "loss", "loss_pct", "value", "type", "frame", "bytes", "size"}
)
FRAME_TYPES = frozenset({"i", "p", "b", "idr"})

#: Beginnings of statements of ns-2 and of XML.
_STARTS = (
    "$", "set ", "for ", "foreach ", "if ", "proc ", "puts ", "source ", "Agent/", "Application/", "Mac/", "Phy/", "<",
)  # fmt: skip
_COLUMN, _BETWEEN = re.compile(r"[,;\t]"), re.compile(r"[,;\s]+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan|[+-]?inf", re.IGNORECASE)

#: Larger files are refused before they are read, and compressed ones when they have given so much.
MAX_BYTES = 500_000_000

#: Ending of the file in which BonnMotion says what it has written into the other file.
PARAMS = ".params"

#: Most bytes of a file that goes with another.
MAX_COMPANION_BYTES = 1_000_000

#: Most members of a gzip file: each costs a copy of what follows.
MAX_MEMBERS = 1000

#: What a gzip file begins with (RFC 1952).
_GZIP = b"\x1f\x8b"


def text(path: Path, wanted: str) -> str:
    """Returns the text of a file, which may be compressed by gzip.

    Args:
        path: the file.
        wanted: what it should be, for messages.

    Raises:
        ValueError: it cannot be read, or its first line is no data.
    """
    found = script(path, wanted)
    if not _is_data(found):
        # Nothing of it is quoted: a stranger's scenario may name a private file, whose reader passes the message on.
        raise ValueError(f"{path}: its first line is none of {wanted}")
    return found


def script(path: Path, wanted: str) -> str:
    """Returns the text of a file that the user has named, whatever it holds; else as :func:`text`.

    Raises:
        ValueError: it cannot be read.
    """
    if "\0" in str(path):
        raise ValueError(f"{path}: embedded null byte")
    try:
        raw = read_whole(path, MAX_BYTES)
        found = (_unpacked(raw, path) if raw.startswith(_GZIP) else raw).decode("utf-8-sig")
    except OSError as error:
        raise ValueError(not_read(path, error, wanted)) from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: is no text file (UTF-8)") from error
    return found.replace("\r\n", "\n").replace("\r", "\n")


def _is_data(text: str) -> bool:
    """Whether the first line that says something has the form of data: numbers, column names, ns-2's Tcl, XML.

    What is wrong behind such a line is quoted in messages; a file without one is not of any format that is read.
    """
    first = next((line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")), "")
    header = [field.strip(' "').lower().split(" ")[0] for field in _COLUMN.split(first)]
    if first.startswith(_STARTS) or (len(header) > 1 and any(name in COLUMNS for name in header)):
        return True
    words = [word for word in _BETWEEN.split(first) if word]
    return all(_NUMBER.fullmatch(word) or word.lower() in COLUMNS | FRAME_TYPES for word in words)


def companion(path: Path, ending: str) -> Path:
    """Returns the name of the file that goes with another: ``walk.params`` with ``walk.movements.gz``.

    Args:
        path: the other file.
        ending: the ending in place of ``.gz`` and ``.movements``.
    """
    return path.with_name(path.name.removesuffix(".gz").removesuffix(".movements") + ending)


def short(path: Path) -> str | None:
    """Returns the text of a file of at most :data:`MAX_COMPANION_BYTES`, None where it cannot be read."""
    try:
        return read_whole(path, MAX_COMPANION_BYTES).decode("utf-8-sig", "replace")
    except (OSError, ValueError):
        return None


def _unpacked(data: bytes, path: Path) -> bytes:
    """The content of a gzip file of one or more members.

    Raises:
        ValueError: it is damaged, larger than :data:`MAX_BYTES`, or of more than :data:`MAX_MEMBERS` members.
    """
    pieces: list[bytes] = []
    left = MAX_BYTES + 1
    while data:
        if len(pieces) == MAX_MEMBERS:
            raise ValueError(f"{path}: is a gzip file of more than {MAX_MEMBERS} parts")
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            pieces.append(member.decompress(data, left))
        except zlib.error as error:
            raise ValueError(f"{path}: is no gzip file: {error}") from error
        left -= len(pieces[-1])
        if left <= 0:
            raise ValueError(f"{path}: is larger than {MAX_BYTES // 1_000_000} MB when unpacked")
        if not member.eof:
            raise ValueError(f"{path}: is no gzip file: it ends too early")
        data = member.unused_data.lstrip(b"\0")
    return b"".join(pieces)
