"""The two halves of a study's statements: readings are chosen on the one and tested on the other.

The division is fixed: it follows from the names alone, and every table of the study (an entry) gives both halves the
same number of statements, or one more to one of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def chosen_half(statements: Iterable[str]) -> frozenset[str]:
    """The statements on which readings are chosen, of all of a study by their ids (`fig4-4.c1`).

    Within a table the statements are ordered by the SHA-256 of their ids and dealt out in turn. Which half begins
    follows from the hash of the table's name.
    """
    tables: dict[str, list[str]] = {}
    for name in statements:
        tables.setdefault(name.rpartition(".")[0], []).append(name)
    found: set[str] = set()
    for table, names in tables.items():
        first = _hash(table) % 2
        found.update(sorted(names, key=_hash)[first::2])
    return frozenset(found)


def _hash(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest())
