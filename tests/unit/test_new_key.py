"""Every key of the engine's schema is one of the file, the pages, completion and the messages without a line of Python.

That a key which is new is read, lowered, shown and refused is tested where keys are read, in Rust
(``crates/hopscope-scenario/src/resolve/tests.rs``); here what Python makes of the schema is walked key by key.
"""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hopscope.errors import ScenarioError
from hopscope.scenario import Scenario, keys
from hopscope.scenario.document import parse
from hopscope.scenario.fields import Field

NEW = Field("beacon_gap", "time", "Time between beacons.", "s", default=5, maximum=9, source="a test")
#: Every table but the topology and the sweep.
TABLES = ("", *keys.ENGINE_SECTIONS, *keys.NUMBERED, "series")
HEAD = '[topology]\nkind = "chain"\nhops = 2\n[[flow]]\nfrom = 0\nto = 2\n'


def refusal(table: str, line: str) -> str:
    """What a file says with one line more in a table; the line is the last one."""
    if not table:
        text = f"{line}\n{HEAD}"
    elif table == "flow":
        text = f"{HEAD}{line}\n"
    else:
        text = f"{HEAD}[[{table}]]\n{line}\n" if table in keys.NUMBERED else f"{HEAD}[{table}]\n{line}\n"
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_document(parse(text, "file.toml"))
    number = text[: text.index(line)].count("\n") + 1
    at = f"{table}.0." if table in keys.NUMBERED else f"{table}." if table else ""
    name = line.split(" =", maxsplit=1)[0]
    reported = [
        said for said in str(caught.value).splitlines() if said.startswith(f"file.toml:{number}:1: {at}{name}: ")
    ]
    assert reported, str(caught.value)
    return reported[0].removeprefix(f"file.toml:{number}:1: {at}{name}: ")


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    """What writes the reference pages."""
    file = Path(__file__).parents[2] / "tools" / "generate.py"
    spec = importlib.util.spec_from_file_location("generate", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("table", TABLES)
def test_numbers_out_of_range_are_refused_with_file_line_key_and_range(table: str) -> None:
    for field in keys.table(table):
        if field.kind not in {"int", "int-or-off", "float", "time"}:
            continue
        if field.maximum is not None:
            assert "; must be at most " in refusal(table, f"{field.name} = {field.maximum * 2 + 1:.0f}"), field.name
        if field.minimum is not None:
            least = "above" if field.exclusive else "at least"
            below = math.floor(field.minimum) - 1
            message = refusal(table, f"{field.name} = {below}")
            assert f"found {below}; must be {least} {field.minimum:g}" in message, field.name


@pytest.mark.parametrize("table", TABLES)
def test_words_that_a_key_does_not_take_are_refused_with_those_it_takes(table: str) -> None:
    for field in keys.table(table):
        if field.kind == "choice":
            message = refusal(table, f'{field.name} = "{field.choices[0]}_"')
            asked = f'found "{field.choices[0]}_" (did you mean "{field.choices[0]}"?)'
            assert message.startswith(asked), field.name
            assert "(did you mean" in message, field.name


@pytest.mark.parametrize("table", TABLES)
def test_a_key_that_is_misspelt_is_offered(table: str) -> None:
    for field in keys.table(table):
        message = refusal(table, f"{field.name.upper()} = 1")
        assert message.startswith("unknown key"), message
        assert f'(did you mean "{field.name}"?)' in message, message


@pytest.mark.parametrize("table", ["mac", "tcp", "series"])
def test_the_page_has_a_new_key(table: str, pages: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    doc, fields, many = keys._TABLES[table]
    monkeypatch.setitem(keys._TABLES, table, (doc, (*fields, NEW), many))
    rows = [line for line in pages.scenario_page().splitlines() if line.startswith("| `beacon_gap` ")]
    assert [row.split(" | ")[1:3] for row in rows] == [["Time between beacons.", "s"]]


@pytest.mark.parametrize("table", TABLES)
def test_every_key_has_its_place_in_the_schema_that_editors_complete_from(table: str) -> None:
    place: dict[str, Any] = keys.schema()["properties"]
    if table:
        place = place[table].get("items", place[table])["properties"]
    for field in keys.table(table):
        assert field.doc in json.dumps(place[field.name], ensure_ascii=False).replace('\\"', '"')
