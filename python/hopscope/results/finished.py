"""A run that has ended: its results as values, and as the document that a store keeps."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hopscope.results.columns import document, opened, table
from hopscope.results.stored import RunResult

if TYPE_CHECKING:
    from hopscope import _core


class Finished:
    """What a run gave: as the engine has it, or as its document from an executor in another process."""

    def __init__(self, found: _core.Outcome | str) -> None:
        """Takes either."""
        self._found = found

    def document(self) -> str:
        """The run as a store keeps it."""
        return self._found if isinstance(self._found, str) else document(self._found.text(), self._found.series)

    def values(self) -> RunResult:
        """The entries of the run, its series as tables; made anew by each call."""
        if isinstance(self._found, str):
            return opened(json.loads(self._found))
        series = {name: table(columns) for name, columns in self._found.series}
        return self._found.values() | ({"series": series} if series else {})
