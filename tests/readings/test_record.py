"""What a search found is kept in the study's folder and read again, as long as it fits the study."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.readings.test_of_a_study import ASSUMPTIONS, add, folder

from hopscope.assuming.evaluating import Details, Number, claims
from hopscope.assuming.record import FILE, record, recorded
from hopscope.assuming.search import Evaluated, Found, State, search
from hopscope.errors import InputError
from hopscope.scenario.assumptions import Reading, reading_of
from hopscope.studies.build import Study, read_study
from hopscope.studies.registry import studies

__all__ = ["folder"]


def found_in(study: Study, added: tuple[Reading, ...] = ()) -> Found:
    """A search in which the light load makes every statement hold."""
    names = claims(study)

    def evaluate(reading: Reading, _stage: str) -> dict[str, State]:
        return dict.fromkeys(names, "holds" if "load" in reading.key else "open")

    return search(study.assumptions, frozenset(names[:1]), evaluate, added=added)


def details_of(found: Found) -> dict[str, Details]:
    number = Number("rts", "throughput", "kbit/s", 290.0, 287.5, None)
    return {one.reading.label: Details(dict.fromkeys(one.states, "287 ± 3"), (number,)) for one in found.finalists}


def test_what_is_recorded_is_read_again(folder: Path) -> None:
    study = read_study(add(folder, ASSUMPTIONS), trusted=False)
    found = found_in(study)
    details = details_of(found)
    assert record(study, found, details) == folder / FILE
    again = recorded(study)
    assert again is not None
    assert _plain(again.found.finalists) == _plain(found.finalists)
    assert _plain(again.found.screened) == _plain(found.screened)
    assert _plain(again.found.joint) == _plain(found.joint)
    assert again.found.supported.reading.key == {"load": "100 kbit/s"}
    assert again.found.chosen == found.chosen
    assert again.details == {label: details[label] for label in ("plain", "100 kbit/s")}


def test_a_reading_that_was_added_is_recorded_with_its_numbers(folder: Path) -> None:
    study = read_study(add(folder, ASSUMPTIONS), trusted=False)
    found = found_in(study, (reading_of("packet=1400 bytes", study.assumptions),))
    record(study, found, details_of(found))
    again = recorded(study)
    assert again is not None
    assert _plain(again.found.added) == [({"packet": "1400 bytes"}, dict.fromkeys(claims(study), "open"))]
    assert again.details.keys() == {"plain", "100 kbit/s", "1400 bytes"}


def _plain(evaluated: tuple[Evaluated, ...]) -> list[tuple[dict[str, str], dict[str, State]]]:
    return [(one.reading.key, dict(one.states)) for one in evaluated]


def test_nothing_recorded_is_none(folder: Path) -> None:
    assert recorded(read_study(add(folder, ASSUMPTIONS), trusted=False)) is None


def test_a_record_of_other_statements_or_assumptions_is_refused(folder: Path) -> None:
    study = read_study(add(folder, ASSUMPTIONS), trusted=False)
    found = found_in(study)
    record(study, found, details_of(found))
    file = folder / FILE
    whole = json.loads(file.read_text())
    for damaged in (
        "[",
        json.dumps(whole).replace("100 kbit/s", "50 kbit/s"),
        json.dumps(whole | {"statements": [*whole["statements"][1:], "rts.c9"]}),
        json.dumps(whole | {"finalists": 3}),
    ):
        file.write_text(damaged)
        with pytest.raises(InputError, match=f"{FILE}: .*record it again"):
            recorded(study)


def test_the_records_that_ship_fit_their_studies() -> None:
    for study in studies():
        search_of_it = recorded(study)
        if search_of_it is not None:
            labels = {one.reading.label for one in search_of_it.found.finalists}
            assert search_of_it.found.supported.reading.label in labels & search_of_it.details.keys()
