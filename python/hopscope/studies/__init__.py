"""Studies: published work as scenarios, numbers and judged statements, read from folders of data.

A study is a folder (`study.toml`, `published.csv`, `notes.md`, `verdicts.json`); those that ship with the package lie
in `data/`, a reader's own lies anywhere and runs by `hopscope reproduce ./folder`. The guide "Studies" has its keys.
"""

from __future__ import annotations

from hopscope.studies.entry import Entry, Quantity, Setting, Statement
from hopscope.studies.registry import entries, find
from hopscope.studies.verdict import Finding, Outcome

__all__ = ["Entry", "Finding", "Outcome", "Quantity", "Setting", "Statement", "entries", "find"]
