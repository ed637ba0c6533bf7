"""Published studies: their entries done again, and the assumptions under which most statements hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from hopscope.assuming.evaluating import Evaluator, study_with_assumptions
from hopscope.assuming.search import Effort, Found, search
from hopscope.scenario.assumptions import reading_of
from hopscope.studies import reproduce as studies
from hopscope.studies.reproduce import Reproduction


def reproduce(
    keys: str | Sequence[str],
    *,
    seeds: int | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    quick: bool = False,
    progress: bool = True,
    shard: tuple[int, int] | None = None,
    executor: Executor | None = None,
) -> Reproduction:
    """Runs entries of the catalogue and compares them with what was published.

    Args:
        keys: ``"fu2003"``, ``"fu2003.fig2-left"``, several of them, ``"all"``, or the folder of a study of your own.
        seeds: number of replications; default: each scenario's own.
        jobs: runs at a time; default: all cores.
        out: result store, of which finished runs are not done again; without it nothing is written.
        set: dotted keys to change in every scenario.
        quick: fewer seeds, shorter runs, shorter sweeps.
        progress: show a bar where there is a terminal or a notebook.
        shard: ``(i, n)`` does only every n-th run, from the i-th on.
        executor: runs on another executor of :mod:`concurrent.futures`.

    Raises:
        InputError: no such entry, or a change that it refuses.
        Interrupted: Ctrl-C; finished runs are in the store.
    """
    return studies.reproduce(
        [keys] if isinstance(keys, str) else list(keys),
        seeds=seeds,
        jobs=jobs,
        store=out,
        quick=quick,
        changes=set,
        progress=progress,
        shard=shard,
        executor=executor,
        trusted=True,
    )


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
