"""Files of positions and of video frames that a scenario names: their text is read here, what it means in Rust."""

from __future__ import annotations

from pathlib import Path

from hopscope.files import not_read, read_whole

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
    return found.replace("\r\n", "\n").replace("\r", "\n")
