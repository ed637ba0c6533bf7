"""Standard output and error as the command finds them: closed, broken, or without letters for what it writes."""

from __future__ import annotations

import codecs
import io
import os
import sys
import unicodedata

#: Signs that tables and messages use, by number, with what stands for them on terminals without them.
_SIGNS = {
    0xB1: "+-", 0xB7: ".", 0xD7: "x", 0x2013: "-", 0x2192: "->", 0x2212: "-", 0x2264: "<=", 0x2265: ">=",
}  # fmt: skip


def prepare() -> None:
    """Makes both streams take whatever is written to them."""
    _replace_closed()
    codecs.register_error("hopscope", _in_other_letters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="hopscope")


def discard_standard_output() -> None:
    """What is still buffered cannot be written either; the last flush of the process must not fail on it again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _replace_closed() -> None:
    """A stream that the caller has closed swallows its text; messages must never fall onto the other one."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (lives as long as the process)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _in_other_letters(error: UnicodeError) -> tuple[str, int]:
    """The base letter of an accented one, a usual substitute of a sign, else its number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(map(_in_ascii, letters)), error.end


def _in_ascii(letter: str) -> str:
    base = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return _SIGNS.get(ord(letter)) or base or letter.encode("ascii", "backslashreplace").decode()
