"""A run as a store keeps it: a line of JSON with the run's key, the SHA-256 of its result, and the result."""

from __future__ import annotations

import hashlib
import re

#: Format of these lines.
FORMAT = 1

_KEY = re.compile("[0-9a-f]{32}")
_RESULT = b'"result": '
_END = b"}\n"
_HEAD = re.compile(rb'\{"format": %d, "key": "([0-9a-f]{32})", "sha256": "[0-9a-f]{64}", %b' % (FORMAT, _RESULT))


def text(key: str, result_json: str) -> tuple[bytes, bytes]:
    """Returns the line of a run and the checksum of its result."""
    result = result_json.encode()
    found = hashlib.sha256(result)
    return b"%b%b%b%b" % (_head(key, found.hexdigest()), _RESULT, result, _END), found.digest()


def result(key: str, line: bytes) -> tuple[bytes, bytes] | None:
    """Returns the result in the line of a run, as JSON, and its checksum; None when the checksum does not fit."""
    head, _, rest = line.partition(_RESULT)
    if not rest.endswith(_END):
        return None
    inner = rest[: -len(_END)]
    found = hashlib.sha256(inner)
    return (inner, found.digest()) if head == _head(key, found.hexdigest()) else None


def key_at(data: bytes, begin: int, end: int) -> str | None:
    """Returns the key of the run whose line is a part of some data; None where that does not begin as such a line."""
    found = _HEAD.match(data, begin, end)
    return None if found is None else found[1].decode()


def is_cut(line: bytes) -> bool:
    """Whether the end of the line of a run is missing."""
    return not line.endswith(_END)


def is_key(text: str) -> bool:
    """Whether a text has the form of the key of a run."""
    return _KEY.fullmatch(text) is not None


def _head(key: str, digest: str) -> bytes:
    return f'{{"format": {FORMAT}, "key": "{key}", "sha256": "{digest}", '.encode()
