"""The catalogue: published studies as scenarios, numbers and judged statements.

To add an entry, append it to `ENTRIES` of the module of its paper; for a new paper, add a module and name it in
`hopscope.catalog.registry.MODULES`. See `hopscope.catalog.entry.Entry` for the parts of an entry.
"""

from __future__ import annotations

from hopscope.catalog.entry import Entry, Finding, Outcome, Quantity, Statement, Study
from hopscope.catalog.registry import entries, find

__all__ = ["Entry", "Finding", "Outcome", "Quantity", "Statement", "Study", "entries", "find"]
