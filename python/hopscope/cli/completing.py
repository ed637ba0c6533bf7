"""What the shell offers at the tab key: keys with their values, metrics, entries, stores and words."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hopscope.scenario.fields import Field

Offers = list[tuple[str, str]]
"""What may be typed, with one line of help each."""


def assignments(incomplete: str) -> Offers:
    """``KEY=`` of every key of a scenario file; behind the equals sign the words that the key takes."""
    from hopscope.reference.keys import every_key
    from hopscope.reference.words import first_sentence

    name, equals, typed = incomplete.partition("=")
    found: dict[str, str] = {}
    for key in every_key():
        shown = key.name.replace("*", "0")
        said = first_sentence(key.field.doc)
        if equals and shown == _of_first(name):
            found |= {f"{name}={word}": said for word in _values(key.field) if word.startswith(typed)}
        elif not equals and shown.startswith(_of_first(name)):
            found[f"{_as_typed(shown, name)}="] = said
    return list(found.items())


def metrics(incomplete: str) -> Offers:
    """Metrics as tables name them: those of flows without, the others with what they are of."""
    from hopscope.reference.words import section

    names = {name.removeprefix("flow."): text for name, text in section("metrics").items()}
    return _starting(names, incomplete)


def entries(incomplete: str) -> Offers:
    """Studies and entries of the catalogue."""
    from hopscope.reference.words import section

    found = section("catalogue")
    papers = {key.partition(".")[0]: "every entry of it" for key in found}
    return _starting({**papers, "all": "every study", **found}, incomplete)


def studies(incomplete: str) -> Offers:
    """Studies that hold assumptions."""
    from hopscope.studies.registry import studies as every_study

    return _starting({study.key: study.title for study in every_study() if study.assumptions}, incomplete)


def stores(incomplete: str) -> Offers:
    """The stores in ``results``, the word for the newest, and folders."""
    from hopscope.campaign.nearby import LAST, nearby

    found = {str(store.path): store.title for store in nearby()}
    folder = Path(incomplete).parent
    folders = {str(path): "" for path in folder.glob("*") if path.is_dir()} if folder.is_dir() else {}
    return _starting({**({LAST: "the newest"} if found else {}), **folders, **found}, incomplete)


def names(incomplete: str) -> Offers:
    """Everything that ``hopscope help`` explains."""
    from hopscope.cli.main import VERBS
    from hopscope.reference.lookup import entries as every_entry

    verbs = {verb: text for verb, (_, text) in VERBS.items()}
    return _starting({**verbs, **{one.name: one.kind for one in every_entry()}}, incomplete)


def sections(incomplete: str) -> Offers:
    """Sections of ``hopscope list``."""
    from hopscope.reference.words import sections as names

    return _starting(dict.fromkeys(names(), "a section"), incomplete)


def _starting(found: dict[str, str], incomplete: str) -> Offers:
    return [(name, text) for name, text in found.items() if name.startswith(incomplete)]


def _values(field: Field) -> tuple[str, ...]:
    return field.choices or (("true", "false") if field.kind == "flag" else ())


def _of_first(name: str) -> str:
    """A dotted key with the number of the first flow, as keys are offered."""
    return ".".join("0" if _is_number(part) else part for part in name.split("."))


def _as_typed(shown: str, typed: str) -> str:
    """The offered key with the numbers of what was typed."""
    pairs = itertools.zip_longest(shown.split("."), typed.split(".")[:-1], fillvalue="")
    return ".".join(given if _is_number(given) else part for part, given in pairs)


def _is_number(part: str) -> bool:
    return part == "*" or part.isdigit()
