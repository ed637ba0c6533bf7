"""Recorded verdicts: what the catalogue gave when it was last looked at, and what has changed since.

`verdicts.json` of a study folder holds the verdict of every statement in full length and, for those that a quick run
can report, in quick form. `changes` is the regression test of the catalogue.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from hopscope.errors import InputError, StoreError
from hopscope.io.files import not_written, write_whole
from hopscope.studies.build import Study
from hopscope.studies.folder import VERDICTS
from hopscope.studies.reproduce import Reproduction
from hopscope.studies.verdict import Outcome

Recorded = dict[str, dict[str, str]]
"""Entry -> statement -> verdict."""


def recorded(folder: Path, *, quick: bool) -> Recorded:
    """The verdicts recorded in a study folder; none when nothing has been.

    Raises:
        InputError: the file is no JSON of verdicts.
    """
    file = folder / VERDICTS
    if not file.is_file():
        return {}
    try:
        found: Recorded = json.loads(file.read_text(encoding="utf-8")).get(_form(quick), {})
        words = {word for statements in found.values() for word in statements.values()}
    except (ValueError, AttributeError) as error:
        raise InputError(f"{file}: is no JSON of recorded verdicts: {error}") from error
    if wrong := words - set(Outcome):
        allowed = ", ".join(repr(o.value) for o in Outcome)
        raise InputError(f"{file}: {sorted(wrong)[0]!r} is no verdict; allowed: {allowed}")
    return found


def changes(outcome: Reproduction, studies: Sequence[Study]) -> list[str]:
    """Every verdict that differs from the recorded one, in words; one that was never recorded counts as changed."""
    found = []
    for study in studies:
        before = recorded(study.folder, quick=outcome.quick)
        for entry in outcome.entries:
            if not entry.entry.key.startswith(f"{study.key}."):
                continue
            known = before.get(entry.entry.key, {})
            for one in entry.evaluated:
                was, now = known.get(one.statement.id), one.outcome.value
                if was != now:
                    found.append(f"{entry.entry.key}.{one.statement.id}: {was or 'not recorded'} before, {now} now")
    return found


def record(outcome: Reproduction, studies: Sequence[Study]) -> list[Path]:
    """Write the verdicts of a reproduction into the folders of its studies; return the files.

    Raises:
        StoreError: a folder cannot be written.
        RunFailed: the disk is full.
    """
    written = []
    for study in studies:
        file = study.folder / VERDICTS
        whole = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        form: Recorded = whole.setdefault(_form(outcome.quick), {})
        for entry in outcome.entries:
            if entry.entry.key.startswith(f"{study.key}."):
                form[entry.entry.key] = {j.statement.id: j.outcome.value for j in entry.evaluated}
        order = [entry.key for entry in study.entries]
        whole[_form(outcome.quick)] = {key: form[key] for key in order if form.get(key)}
        try:
            write_whole(file, (json.dumps(whole, indent=2) + "\n").encode())
        except OSError as error:
            raise not_written(f"{file}: cannot be written", error, StoreError) from error
        written.append(file)
    return written


def _form(quick: bool) -> str:
    return "quick" if quick else "full"
