"""Each page of a study opens with its claims and its key figure, and folds the rest."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from hopscope.assuming.evaluating import claims
from hopscope.studies.registry import studies

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import readings

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "validation"
LINES = tomllib.loads((PAGES / "headlines.toml").read_text())
BY_KEY = {study.key: study for study in studies()}

#: Words before the first fold, the table of claims included.
MOST_WORDS = 400


def test_all_five_studies_and_those_of_this_project_have_headlines() -> None:
    five = {"fu2003", "afrakhteh2005", "anastasi2006", "armaghani2008", "zhang2006"}
    assert set(LINES) == five | {"multihop-ht", "mesh-routing"}


@pytest.mark.parametrize("key", LINES)
def test_headlines_are_claims_with_a_reason(key: str) -> None:
    study = BY_KEY[key]
    assert set(LINES[key]) <= set(claims(study))
    own = readings.statements(key)
    for name, line in LINES[key].items():
        assert line["claim"]
        assert line["published"]
        assert line.get("why") or own[name].because, f"{name} says no reason"


@pytest.mark.parametrize("key", LINES)
def test_a_page_opens_with_claims_and_figure_in_few_words(key: str) -> None:
    text = (PAGES / f"{key}.md").read_text()
    assert text.startswith("---\nfold: true\n---\n")
    first, _, rest = text.removeprefix("---\nfold: true\n---\n").partition("\n## ")
    assert rest
    assert f"generated/{key}-headlines.md" in first
    assert re.search(r"!\[|figure\.md", first)
    shown = sum(
        len(f"{line['claim']} {line['published']} {line.get('why', '')}".split()) for line in LINES[key].values()
    )
    assert len(first.split()) + shown < MOST_WORDS


def test_a_study_without_a_search_has_verdicts_in_one_column() -> None:
    key, lines = "anastasi2006", LINES["anastasi2006"]
    entries: dict[str, list[dict[str, str]]] = {}
    for name in lines:
        entry, _, statement = name.rpartition(".")
        entries.setdefault(entry, []).append({"id": statement, "outcome": "reproduced"})
    rows = readings.headlines(key, [{"key": f"{key}.{e}", "statements": s} for e, s in entries.items()], None)
    assert rows is not None
    assert rows[0] == ["claim", "published", "here", "why"]
    assert [row[2] for row in rows[1]] == ["**reproduced**"] * len(lines)
    assert readings.headlines("broch1998", [], None) is None
