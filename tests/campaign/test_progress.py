"""Progress: a bar in a terminal, a line in a notebook, nothing elsewhere."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import hopscope as hs

SCENARIO: dict[str, Any] = {
    "title": "short",
    "duration": "1s",
    "seeds": 2,
    "topology": {"kind": "chain", "hops": 1},
    "flow": [{"from": 0, "to": 1}],
}


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a notebook has shown below its cell, in order."""
    shown: list[str] = []

    def display(data: dict[str, str], *, raw: bool, display_id: bool) -> SimpleNamespace:
        assert raw
        assert display_id
        shown.append(data["text/plain"])
        return SimpleNamespace(update=lambda data, raw: shown.append(data["text/plain"]))

    module = ModuleType("IPython.display")
    module.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return shown


def test_a_notebook_has_a_line_that_ends_empty(notebook: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hopscope.campaign.progress.PATIENCE", 0.0)
    hs.run(SCENARIO)
    assert any(text.startswith("short: ") and text.endswith("/2 runs") for text in notebook)
    assert notebook[-1] == ""


def test_what_is_done_at_once_leaves_no_empty_output(notebook: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hopscope.campaign.progress.PATIENCE", 1e9)
    hs.run(SCENARIO)
    assert notebook == []


def test_it_can_be_turned_off(notebook: list[str]) -> None:
    hs.run(SCENARIO, progress=False)
    assert notebook == []


def test_a_pipe_gets_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    hs.run(SCENARIO)
    assert capfd.readouterr().err == ""
