"""What the pages of the studies show of their readings, from `readings.json` of a study's folder.

The first screen of a page is a table of the claims that its readers come for (`docs/validation/headlines.toml`): what
is published, what is measured under the plain reading and under the supported one, and why.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hopscope.assuming import words
from hopscope.assuming.evaluating import Number
from hopscope.assuming.page import front_chart
from hopscope.assuming.record import Recorded, recorded
from hopscope.assuming.search import Evaluated, Found, each_once
from hopscope.reporting.plots import draw, save
from hopscope.reporting.wording import Grid
from hopscope.results.stats import number
from hopscope.studies.entry import Statement
from hopscope.studies.registry import studies

HEADLINES = Path(__file__).resolve().parents[1] / "docs" / "validation" / "headlines.toml"

Rows = tuple[list[str], list[list[str]]]
"""The head of a table and its rows."""


def searched(key: str) -> Recorded | None:
    """The recorded search of a study, if there is one."""
    return next((recorded(study) for study in studies() if study.key == key), None)


def statements(key: str) -> dict[str, Statement]:
    """The statements of a study by table and id: `fig4-4.c1`."""
    return {
        f"{entry.key.partition('.')[2]}.{one.id}": one
        for study in studies()
        if study.key == key
        for entry in study.entries
        for one in entry.statements
    }


def headlines(key: str, entries: Iterable[Mapping[str, Any]], search: Recorded | None) -> Rows | None:
    """The claims of the first screen with what was measured; `None` where a study has no such claims.

    Args:
        key: the study.
        entries: of its reproduction, as JSON.
        search: the recorded search of its readings; without one there is a column of verdicts alone.
    """
    lines = tomllib.loads(HEADLINES.read_text(encoding="utf-8")).get(key)
    if lines is None:
        return None
    stated = {f"{entry['key'].partition('.')[2]}.{s['id']}": s for entry in entries for s in entry["statements"]}
    own = statements(key)
    rows = []
    for name, line in lines.items():
        if search is None:
            cells = [f"**{stated[name]['outcome']}**"]
        else:
            cells = [_state(one, name, search) for one in _columns(search.found)]
        rows.append([f"{line['claim']} (`{name}`)", line["published"], *cells, line.get("why") or own[name].because])
    if search is None:
        return ["claim", "published", "here", "why"], rows
    under = [f"here, {_title(one, search.found)}" for one in _columns(search.found)]
    return ["claim", "published", *under, "why"], rows


def _columns(found: Found) -> Sequence[Evaluated]:
    """The plain reading, the supported one, and those that were added; each once."""
    return each_once(found.plain, found.supported, *found.added)


def _title(one: Evaluated, found: Found) -> str:
    if not one.reading.departures:
        return "plain reading, which is the supported one" if one == found.supported else "plain reading"
    return f"{'supported reading' if one == found.supported else 'added reading'} ({one.reading.label})"


def _state(one: Evaluated, name: str, search: Recorded) -> str:
    return f"**{words.MARKS[one.states[name]]}**: {search.details[one.reading.label].words[name]}"


def front(search: Recorded) -> Rows:
    """The front, a reading a row."""
    return markdown(words.front(search.found))


def interactions(search: Recorded) -> Rows:
    """The pairs of departures that do not add up."""
    return markdown(words.interactions(search.found))


def effects(search: Recorded) -> Rows:
    """What each departure alone does to each chosen statement: a dot where it is as under the plain reading."""
    names, rows = words.effects(search.found)
    first = rows[0][1]
    shown = [
        [label, *("·" if at and cell == usual else cell for cell, usual in zip(cells, first, strict=True))]
        for at, (label, cells) in enumerate(rows)
    ]
    return ["departure", *(f"`{name}`" for name in names)], shown


def numbers(search: Recorded) -> Rows:
    """The published numbers with what was measured under the plain reading, the supported one and those added."""
    shown = _columns(search.found)
    under = [{_of(one): one for one in search.details[reading.reading.label].numbers} for reading in shown]
    rows = [
        [
            f"`{one.table}`",
            f"{one.label} ({one.unit})" if one.unit else one.label,
            number(one.published),
            *(_value(column[_of(one)]) if _of(one) in column else "" for column in under),
        ]
        for one in search.details[search.found.plain.reading.label].numbers
    ]
    return ["table", "number", "published", *(_title(one, search.found) for one in shown)], rows


def _of(one: Number) -> tuple[str, str]:
    return one.table, one.label


def _value(one: Number) -> str:
    return number(one.mean) + ("" if one.ci95 is None else f" ± {number(one.ci95)}")


def failing(key: str, search: Recorded) -> Rows:
    """The statements that the supported reading does not make hold, with what was tried.

    A statement of the chosen half was evaluated under every reading of the search, one of the other half under the last
    ones alone.
    """
    found = search.found
    own = statements(key)
    tried = {one.reading.label: one for one in (*found.screened, *found.joint)}
    full = {one.reading.label: one for one in found.finalists}
    rows = []
    for name, state in found.supported.states.items():
        if state != "holds":
            every = list({**tried, **full}.values()) if name in found.chosen else list(full.values())
            held = sorted((one for one in every if one.states[name] == "holds"), key=lambda one: one.reading.weight)
            first = held[0].reading.label if held else ""
            rows.append([f"`{name}`", own[name].claim, words.MARKS[state], f"{len(held)} of {len(every)}", first])
    return ["statement", "", "supported reading", "holds in readings", "the lightest of them"], rows


def figure(key: str, search: Recorded, folder: Path) -> str:
    """Draw the front; return its file name."""
    stem = f"{key}-front"
    save(draw(front_chart(search.found)), folder, stem, ["svg"])
    return f"{stem}.svg"


def summary(search: Recorded) -> Sequence[str]:
    """What the supported reading earns, and the statements that it gains, loses and that still fail."""
    return [words.sentence(search.found), *words.difference(search.found).splitlines()]


def markdown(grid: Grid) -> Rows:
    """A table as head and rows."""
    return [column.name for column in grid.columns], [list(row) for row in grid.rows]


def pages(key: str, search: Recorded, folder: Path) -> Mapping[str, Rows | str]:
    """The parts of a study's page by name: tables as head and rows, the rest as markdown."""
    listed = "\n".join(f"- {line}" for line in summary(search))
    return {
        "front": front(search),
        "front-summary": f"{listed}\n",
        "front-figure": f"![{front_chart(search.found).caption}](generated/{figure(key, search, folder)})\n",
        "effects": effects(search),
        "interactions": interactions(search),
        "numbers": numbers(search),
        "failing": failing(key, search),
    }
