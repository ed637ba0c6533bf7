"""Files of positions and of video frames that a scenario names: their text is read here, what it means in Rust."""

from __future__ import annotations

from pathlib import Path

from hopscope.files import OF_THE_FILE, read_whole

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
        if error.errno in OF_THE_FILE:
            raise ValueError(f"{path}: {error.strerror}; expected {wanted}") from error
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: is no text file (UTF-8)") from error
    return found.replace("\r\n", "\n").replace("\r", "\n")
