"""What a check says of a setting.

A statement that hangs on a difference within noise (see `hopscope.results.comparisons`) is neither passed nor failed:
the finding says that it is within noise and how many seeds that was, or that there was only one.
"""

from __future__ import annotations

from collections.abc import Callable

from hopscope.results.comparisons import Verdict
from hopscope.results.samples import NoSamplesError, Table
from hopscope.studies.verdict import Finding, Outcome

Check = Callable[[Table], tuple[Verdict, str]]
"""Judges one study: whether the statement holds, and the numbers it rests on."""


def judged(check: Check, table: Table) -> Finding:
    """What a check says of one setting."""
    try:
        holds, measured = check(table)
    except NoSamplesError as missing:
        return Finding(Outcome.UNDECIDED, "", table.label, str(missing))
    except ZeroDivisionError:
        # Nothing at all was carried where the statement speaks of shares.
        return Finding(Outcome.NOT_REPRODUCED, "a measured value it is a share of is zero", table.label)
    if holds is None:
        seeds = max(len(runs) for _, runs in table.points)
        # Where each replication is a field of its own there is one seed a point.
        noise = f"within the noise of {seeds} seeds; more seeds decide it" if seeds > 1 else "within the noise"
        return Finding(Outcome.UNDECIDED, measured, table.label, noise)
    return Finding(Outcome.REPRODUCED if holds else Outcome.NOT_REPRODUCED, measured, table.label)
