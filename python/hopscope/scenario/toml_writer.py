"""A resolved scenario as TOML, readable as a scenario file again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

#: Larger tables inside a table get lines of their own.
INLINE_KEYS = 8

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def to_toml(document: Mapping[str, Any]) -> str:
    """Returns a scenario document as TOML: values first, then tables, then ``[[flow]]``; long inner tables apart."""
    lines = [f"{_key(name)} = {inline(value)}" for name, value in document.items() if not _is_table(value)]
    for name, value in document.items():
        if isinstance(value, Mapping):
            apart = {k: v for k, v in value.items() if isinstance(v, Mapping) and len(v) > INLINE_KEYS}
            lines += ["", f"[{_key(name)}]", *(f"{_key(k)} = {inline(v)}" for k, v in value.items() if k not in apart)]
            for inner, table in apart.items():
                header = f"[{_key(name)}.{_key(inner)}]"
                lines += ["", header, *(f"{_key(k)} = {inline(v)}" for k, v in table.items())]
        elif _is_table(value):
            for item in value:
                lines += ["", f"[[{_key(name)}]]", *(f"{_key(k)} = {inline(v)}" for k, v in item.items())]
    return "\n".join(lines) + "\n"


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)
    )


def _key(name: str) -> str:
    return name if _BARE.match(name) else _text(name)


def inline(value: Any) -> str:
    """Returns a value as TOML in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {inline(v)}" for k, v in value.items()) + " }" if value else "{}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(inline(item) for item in value) + "]"
    return repr(value)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
