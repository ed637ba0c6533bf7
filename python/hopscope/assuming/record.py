"""What a search has found, kept in the folder of its study, so that pages show it without an hour of runs.

`readings.json` has the names of the statements once, and for each reading that was evaluated a letter a statement:
`h` holds, `o` open, `f` fails, `-` not evaluated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hopscope.assuming.evaluating import Details, Number, claims
from hopscope.assuming.search import Evaluated, Found, State, States
from hopscope.errors import InputError, StoreError
from hopscope.io.files import not_written, write_whole
from hopscope.scenario.assumptions import departing
from hopscope.studies.build import Study

FILE = "readings.json"

_LETTERS: dict[State, str] = {"holds": "h", "open": "o", "fails": "f"}
_STATES: dict[str, State] = {letter: state for state, letter in _LETTERS.items()}


@dataclass(frozen=True)
class Recorded:
    """A search as it was recorded.

    Attributes:
        found: what it found.
        details: what was measured under the readings looked at in full, by the label of the reading.
        version: of Hopscope, that ran it.
    """

    found: Found
    details: Mapping[str, Details]
    version: str


def record(study: Study, found: Found, details: Mapping[str, Details]) -> Path:
    """Write what a search has found into the folder of its study; return the file.

    Raises:
        StoreError: the folder cannot be written.
        RunFailed: the disk is full.
    """
    from hopscope import _core

    names = claims(study)
    document = {
        "hopscope": _core.version(),
        "statements": names,
        "chosen": [name for name in names if name in found.chosen],
        "inert": [assumption.name for assumption in found.inert],
        "combinations": found.combinations,
        "screened": _rows(found.screened, names),
        "joint": _rows(found.joint, names),
        "finalists": _rows(found.finalists, names),
        "added": [one.reading.key for one in found.added],
        "measured": {one.reading.label: asdict(details[one.reading.label]) for one in found.shown},
    }
    file = study.folder / FILE
    try:
        write_whole(file, (_text(document) + "\n").encode())
    except OSError as error:
        raise not_written(f"{file}: cannot be written", error, StoreError) from error
    return file


def recorded(study: Study) -> Recorded | None:
    """What was recorded of a study; `None` where nothing was.

    Raises:
        InputError: the file is none of ours, or the study has other statements or assumptions by now.
    """
    file = study.folder / FILE
    if not file.is_file():
        return None
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        names = document["statements"]
        by = {assumption.name: assumption for assumption in study.assumptions}
        screened, joint, finalists = (
            tuple(_evaluated(study, row, names) for row in document[stage])
            for stage in ("screened", "joint", "finalists")
        )
        found = Found(
            frozenset(document["chosen"]),
            screened,
            tuple(by[name] for name in document["inert"]),
            joint,
            document["combinations"],
            finalists,
            tuple(one for key in document["added"] for one in finalists if one.reading.key == key),
        )
        details = {label: _details(row) for label, row in document["measured"].items()}
        version = str(document["hopscope"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{file}: is no search that fits this study: {error}; record it again") from error
    if names != claims(study):
        raise InputError(f"{file}: the study has other statements by now; record it again")
    return Recorded(found, details, version)


def _rows(evaluated: Sequence[Evaluated], names: Sequence[str]) -> list[list[Any]]:
    return [
        [one.reading.key, "".join(_LETTERS[one.states[name]] if name in one.states else "-" for name in names)]
        for one in evaluated
    ]


def _evaluated(study: Study, row: Sequence[Any], names: Sequence[str]) -> Evaluated:
    departures, letters = row
    states: States = {name: _STATES[letter] for name, letter in zip(names, letters, strict=True) if letter != "-"}
    return Evaluated(departing(study.assumptions, departures), states)


def _details(row: Mapping[str, Any]) -> Details:
    return Details(dict(row["words"]), tuple(Number(**number) for number in row["numbers"]))


def _text(document: Mapping[str, Any]) -> str:
    """JSON with a reading a line, so that a difference shows which changed."""
    parts = []
    for key, value in document.items():
        if isinstance(value, list) and value and isinstance(value[0], list):
            lines = ",\n".join(f"  {json.dumps(row)}" for row in value)
            parts.append(f" {json.dumps(key)}: [\n{lines}\n ]")
        else:
            indented = json.dumps(value, indent=1).replace("\n", "\n ")
            parts.append(f" {json.dumps(key)}: {indented}")
    return "{\n" + ",\n".join(parts) + "\n}"
