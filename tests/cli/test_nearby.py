"""`hopscope show` without a store lists those that are there, and `last` is the newest of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

import hopscope as hs
from hopscope.campaign.nearby import nearby, store_meant
from hopscope.cli.main import build
from hopscope.errors import StoreError

SCENARIO = {
    "duration": "2s",
    "seeds": 1,
    "topology": {"kind": "chain", "hops": 1},
    "flow": [{"from": 0, "to": 1, "app": "cbr", "rate": "100kbps", "transport": "udp"}],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three stores, the newest last; a folder that is none and a damaged one."""
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(("old", "middle", "new")):
        hs.run(hs.Scenario(**SCENARIO, title=name), out=Path("results") / name)
        os.utime(Path("results") / name / "manifest.json", (1e9 + number, 1e9 + number))
    (tmp_path / "results" / "plots").mkdir()
    damaged = tmp_path / "results" / "damaged"
    damaged.mkdir()
    (damaged / "manifest.json").write_text("{")
    os.utime(damaged / "manifest.json", (1, 1))
    return tmp_path


def hopscope(*words: str) -> str:
    result = CliRunner().invoke(build(), list(words), env={"COLUMNS": "160"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0
    return result.stdout


def test_stores_are_listed_newest_first(folder: Path) -> None:
    assert [one.path.name for one in nearby()] == ["new", "middle", "old", "damaged"]
    lines = hopscope("show").splitlines()
    assert [line.split()[-1] for line in lines[:3]] == ["results/new", "results/middle", "results/old"]
    assert "1 run " in lines[0]
    assert "cannot be read" in lines[3]
    assert [one["title"] for one in json.loads(hopscope("show", "--json"))][:3] == ["new", "middle", "old"]


def test_last_is_the_newest_store(folder: Path) -> None:
    assert hopscope("show", "last") == hopscope("show", "results/new")
    assert json.loads(hopscope("verify", "last", "--json"))
    assert "old" in hopscope("compare", "results/old", "last")


def test_a_folder_of_that_name_comes_first(folder: Path) -> None:
    (folder / "last").mkdir()
    assert store_meant("last") == Path("last")


def test_without_a_store_both_say_what_writes_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert hopscope("show") == ""
    with pytest.raises(StoreError, match="last: no store in results; hopscope run FILE writes one"):
        hopscope("show", "last")
