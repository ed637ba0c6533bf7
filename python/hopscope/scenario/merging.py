"""Changing scenario documents: tables merged, keys looked up and taken out, labels matched, blanks filled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

_ALONE = re.compile(r"\{(\w+)\}")


def deep_merge(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Tables merged key by key; other values replace those before. Dotted keys reach inside (`*`: all of a list).

    What does not change is shared with `base` and `changes`, so that nobody may change a document in place.
    """
    merged = dict(base)
    for key, value in changes.items():
        head, dot, rest = key.partition(".")
        below = merged.get(head)
        if dot and isinstance(below, list):
            index, _, inside = rest.partition(".")
            merged[head] = tables = list(below)
            for place in range(len(tables)) if index == "*" else [int(index)]:
                tables[place] = deep_merge(tables[place], {inside: value})
        elif dot and head != "sweep":
            merged[head] = deep_merge(below if isinstance(below, dict) else {}, {rest: value})
        elif key != "sweep" and isinstance(value, Mapping) and isinstance(below, dict):
            merged[key] = deep_merge(below, value)
        else:
            merged[key] = value
    return merged


def at_key(document: Any, key: str) -> Any:
    """What stands at a dotted key of a document, `flow.0.rate` (`*`: at each of a list); nothing is an empty text."""
    head, _, rest = key.partition(".")
    if isinstance(document, list):
        if head == "*":
            return [at_key(each, rest) for each in document]
        below = document[int(head)] if head.isdigit() and int(head) < len(document) else ""
    else:
        below = document.get(head, "") if isinstance(document, Mapping) else ""
    return at_key(below, rest) if rest else below


def matches(label: str, wanted: Any) -> bool:
    """Whether a label is one of the wanted ones; `*` stands for anything."""
    patterns = wanted if isinstance(wanted, list) else [wanted]
    return any(fnmatchcase(label, str(pattern)) for pattern in patterns)


def removed(scenario: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """The scenario without some dotted keys; what stays is shared with it, as by :func:`deep_merge`."""
    left = dict(scenario)
    for key in keys:
        left = _without(left, key.split("."))
    return left


def _without(table: Any, path: Sequence[str]) -> Any:
    """A table or a list of tables without what stands at a path."""
    head, *rest = path
    if isinstance(table, list):
        place = int(head)
        return [*table[:place], _without(table[place], rest), *table[place + 1 :]]
    if head not in table:
        return table
    return {**table, head: _without(table[head], rest)} if rest else {k: v for k, v in table.items() if k != head}


def filled(value: Any, names: Mapping[str, Any]) -> Any:
    """A document with values for the `{names}` in it; one that stands alone becomes a number where it is one."""
    if isinstance(value, Mapping):
        return {key: filled(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, names) for item in value]
    if not isinstance(value, str) or "{" not in value:
        return value
    return number_or_text(names[alone[1]]) if (alone := _ALONE.fullmatch(value)) else value.format(**names)


def number_or_text(value: Any) -> Any:
    """A text as the number that it is, if it is one."""
    for kind in (int, float):
        try:
            return kind(value) if isinstance(value, str) else value
        except ValueError:
            continue
    return value
