"""The assumptions under which most statements of a published study hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hopscope.assuming.evaluating import Evaluator, study_with_assumptions
from hopscope.assuming.search import Effort, Found, search
from hopscope.scenario.assumptions import reading_of


def readings(
    key: str,
    out: str | Path,
    *,
    most: int = 128,
    added: Sequence[str] = (),
    jobs: int | None = None,
    progress: bool = True,
) -> Found:
    """Finds the fewest assumptions under which most statements of a study hold.

    Args:
        key: a study with assumptions, or the folder of one of your own.
        out: result store: a second call goes on where the first was interrupted.
        most: combinations of assumptions that are tried, those of least weight.
        added: readings of your own, such as ``"routing=AODV, packet=1000 bytes"``, which are evaluated in full.
        jobs: runs at a time; default: all cores.
        progress: show a bar where there is a terminal or a notebook.

    Raises:
        InputError: no such study, it has no assumptions, or not those of a reading of yours.
        Interrupted: Ctrl-C; finished runs are in the store.
    """
    study = study_with_assumptions(key, trusted=True)
    own = [reading_of(text, study.assumptions) for text in added]
    evaluator = Evaluator(
        study, Path(out), jobs=jobs, progress=progress, trusted=True, begun=lambda reading, _stage: reading.label
    )
    return search(study.assumptions, evaluator.chosen, evaluator, effort=Effort.of(most), added=own)
