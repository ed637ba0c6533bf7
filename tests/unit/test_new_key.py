"""A key that is new in the engine's schema is one of the file, the pages and the messages without a line of Python."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hopscope.errors import ScenarioError
from hopscope.scenario import Scenario, keys
from hopscope.scenario.document import from_mapping, parse
from hopscope.scenario.fields import Field
from hopscope.scenario.lower import lower
from hopscope.scenario.resolve import resolve

NEW = Field("beacon_gap", "time", "Time between beacons.", "s", default=5, maximum=9, source="a test")
BASE: dict[str, Any] = {"topology": {"kind": "chain", "hops": 2}, "flow": [{"from": 0, "to": 2}], "duration": 1}
#: Tables whose keys reach the engine under their names.
TABLES = ("mac", "tcp", "series")


@pytest.fixture(params=TABLES)
def section(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A table of the schema that has the new key."""
    name: str = request.param
    doc, fields, many = keys._TABLES[name]
    monkeypatch.setitem(keys._TABLES, name, (doc, (*fields, NEW), many))
    return name


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    """What writes the reference pages."""
    file = Path(__file__).parents[2] / "docs" / "generate.py"
    spec = importlib.util.spec_from_file_location("generate", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_is_read_with_its_unit_and_reaches_the_engine(section: str) -> None:
    resolved, problems = resolve(from_mapping({**BASE, section: {"beacon_gap": "250ms"}}))
    assert problems == []
    config = lower(resolved, 1)
    found = config["flows"][0]["tcp"] if section == "tcp" else config[section]
    assert found["beacon_gap"] == 250_000_000


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("beacon_gab = 1", "unknown key"),
        ("beacon_gap = 10", "beacon_gap: found 10; must be at most 9 s"),
        ('beacon_gap = "1m"', 'unknown unit "m"; allowed: '),
    ],
)
def test_mistakes_are_told_with_file_line_and_key(section: str, line: str, message: str) -> None:
    text = f'[topology]\nkind = "chain"\nhops = 2\n[[flow]]\nfrom = 0\nto = 2\n[{section}]\n{line}\n'
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_document(parse(text, "file.toml"))
    assert f"file.toml:8:1: {section}.beacon_ga" in str(caught.value)
    assert message in str(caught.value)
    if "gab" in line:
        assert 'did you mean "beacon_gap"?' in str(caught.value)


def test_its_page_has_it(section: str, pages: ModuleType) -> None:
    rows = [line for line in pages.scenario_page().splitlines() if line.startswith("| `beacon_gap` ")]
    assert [row.split(" | ")[1:3] for row in rows] == [["Time between beacons.", "s"]]


@pytest.mark.parametrize("name", ["", *keys.ENGINE_SECTIONS, *keys.NUMBERED, "series"])
def test_every_key_has_its_place_in_the_schema_that_editors_complete_from(name: str) -> None:
    place = keys.schema()["properties"]
    if name:
        place = place[name].get("items", place[name])["properties"]
    for field in keys.table(name):
        assert field.doc in json.dumps(place[field.name], ensure_ascii=False).replace('\\"', '"')
