"""A metric that is new in the engine's table is one of tables, reports, pages and Python without a line of Python."""

from __future__ import annotations

import functools
import importlib.util
import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import hopscope as hs
from hopscope import _core
from hopscope.results import metrics

SCENARIO: dict[str, Any] = {
    "topology": {"kind": "chain", "hops": 1},
    "flow": [{"from": 0, "to": 1, "group": "all"}],
    "duration": "1s",
}


@pytest.fixture
def result(monkeypatch: pytest.MonkeyPatch) -> hs.Result:
    """A result whose flows have a metric more, as the engine would give it."""
    entry = {
        "scope": "flow", "name": "wasted_ms", "doc": "Time wasted.", "unit": "ms", "heading": "wasted time",
        "short": "wasted", "kind": "sample", "applies": "always", "shown": "drawn", "total": "",
    }  # fmt: skip
    table = [*_core.metrics(), entry]
    monkeypatch.setattr(_core, "metrics", lambda: table)
    monkeypatch.setattr(metrics, "metrics", functools.cache(metrics.metrics.__wrapped__))
    found = hs.run(hs.Scenario(SCENARIO))
    for run in found.points[0].runs:
        run["flows"][0]["wasted_ms"] = 12.5
    return found


def test_python_has_it(result: hs.Result) -> None:
    assert result.flows["wasted_ms"].tolist() == [12.5]
    assert result.interval("flow.0.wasted_ms").mean == 12.5
    assert "flow.0.wasted_ms" in result.points[0].summary
    assert metrics.label("flow.0.wasted_ms") == "wasted time of flow 0 (ms)"


def test_tables_and_reports_have_it(result: hs.Result) -> None:
    from hopscope.cli.table import print_result
    from hopscope.reporting.tables import grids

    console = Console(file=io.StringIO(), width=200)
    print_result(console, result)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "wasted" in text
    assert "12.5" in text
    flows = next(grid for grid in grids(result, "x.toml") if grid.caption == "Flows")
    assert "wasted time (ms)" in [column.name for column in flows.columns]


def test_the_page_has_it(result: hs.Result) -> None:
    file = Path(__file__).parents[2] / "tools" / "generate.py"
    spec = importlib.util.spec_from_file_location("generate", file)
    assert spec is not None
    assert spec.loader is not None
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    assert "| `wasted_ms` | Time wasted. | ms |" in pages.metrics_page("flow")
