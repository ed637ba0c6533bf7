"""Files of positions and of video frames that a scenario names: their text is read here, what it means in Rust."""

from __future__ import annotations

import re
from pathlib import Path

from hopscope.files import not_read, read_whole

#: Names of columns, and types of video frames.
COLUMNS = frozenset(
    {"time", "t", "seconds", "node", "id", "x", "y", "z", "from", "to", "source", "destination"}
    | {"rssi", "rssi_dbm", "dbm", "loss", "loss_pct", "value", "type", "frame", "bytes", "size"}
)
FRAME_TYPES = frozenset({"i", "p", "b", "idr"})

#: Beginnings of statements of ns-2 and of XML.
_STARTS = ("$", "set ", "for ", "proc ", "source ", "<")
_COLUMN, _BETWEEN = re.compile(r"[,;\t]"), re.compile(r"[,;\s]+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan|[+-]?inf", re.IGNORECASE)

#: Larger files are refused before they are read.
MAX_BYTES = 500_000_000


def text(path: Path, wanted: str) -> str:
    """Returns the text of a file.

    Args:
        path: the file.
        wanted: what it should be, for messages.

    Raises:
        ValueError: it cannot be read.
    """
    if "\0" in str(path):
        raise ValueError(f"{path}: embedded null byte")
    try:
        found = read_whole(path, MAX_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise ValueError(not_read(path, error, wanted)) from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: is no text file (UTF-8)") from error
    found = found.replace("\r\n", "\n").replace("\r", "\n")
    if not _is_data(found):
        # Nothing of it is quoted: a stranger's scenario may name a private file, whose reader passes the message on.
        raise ValueError(f"{path}: its first line is none of {wanted}")
    return found


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
