"""Time series: what they are comes from the engine's table, their values as Arrow, and older stores stay readable."""

from __future__ import annotations

import base64
import functools
import importlib.util
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hopscope as hs
from hopscope import _core
from hopscope.campaign.store import Store
from hopscope.reference.words import words as listing
from hopscope.reporting.series import Selection, charts
from hopscope.results import metrics
from hopscope.results.columns import document, opened, table
from runfiles import lines

SCENARIO: dict[str, Any] = {
    "topology": {"kind": "chain", "hops": 2},
    "flow": [{"from": 0, "to": 2}],
    "duration": "2s",
    "series": {"keep": ["cwnd", "queue", "fairness"], "interval": "500ms"},
}
NEW = {
    "name": "backlog", "doc": "Bytes that wait at a node.", "unit": "bytes", "heading": "backlog", "owner": "node",
    "course": "intervals",
}  # fmt: skip


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine's table with another series, and another heading of one that there is."""
    entries = _core.series()
    [window] = [entry for entry in entries if entry["name"] == "cwnd"]
    window["heading"] = "width of the window"
    reported = [*entries, NEW]
    monkeypatch.setattr(_core, "series", lambda: reported)
    monkeypatch.setattr(metrics, "all_series", functools.cache(metrics.all_series.__wrapped__))


def test_a_new_series_is_drawn_listed_and_on_its_page(known: None) -> None:
    result = hs.run(hs.Scenario(SCENARIO))
    for run in result.points[0].runs:
        run["series"]["backlog"] = pa.table({"node": [0, 1], "t_s": [0.5, 0.5], "value": [10.0, 20.0]})
    found = {chart.name: chart for chart in charts(result, Selection())}
    drawn = found["backlog-over-time"]
    assert (drawn.ylabel, drawn.caption[:17]) == ("backlog (bytes)", "Backlog over time")
    assert [(line.label, line.x) for line in drawn.panels[0].lines] == [("node 0", [0.0, 0.5]), ("node 1", [0.0, 0.5])]
    assert found["cwnd-over-time"].ylabel == "width of the window (segments)"
    assert result.series("backlog", node=1)["value"].tolist() == [20.0]
    assert listing()["series"]["backlog"] == NEW["doc"]
    file = Path(__file__).parents[2] / "tools" / "generate.py"
    spec = importlib.util.spec_from_file_location("generate", file)
    assert spec is not None
    assert spec.loader is not None
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    assert "| `backlog` | node | Bytes that wait at a node. | belongs to the interval" in pages.series_page()


def test_series_cross_as_columns_beside_the_results() -> None:
    found = _core.run(hs.Scenario(SCENARIO).points[0].config(1))
    assert "series" not in found.values()
    tables = {name: table(columns) for name, columns in found.series}
    assert {name: one.schema.names for name, one in tables.items()} == {
        "cwnd": ["flow", "t_s", "value"],
        "fairness": ["t_s", "value"],
        "queue": ["node", "t_s", "value"],
    }
    assert tables["queue"]["t_s"].to_pylist()[:4] == [0.5, 0.5, 0.5, 1.0]
    assert tables["queue"]["node"].to_pylist()[:4] == [0, 1, 2, 0]
    kept = opened(json.loads(document(found.text(), found.series)))["series"]
    assert kept == tables


def test_a_store_of_an_earlier_version_gives_the_same(tmp_path: Path) -> None:
    now = hs.run(hs.Scenario(SCENARIO), out=tmp_path / "now")
    [key] = Store(tmp_path / "now").manifest["scenarios"][0]["points"][0]["keys"]
    streams = json.loads(lines(tmp_path / "now")[key])["result"]["series"]
    assert all(base64.b64decode(stream, validate=True) for stream in streams.values())
    run = Store(tmp_path / "now").read(key)
    assert run is not None
    lists = json.dumps(run, default=pa.Table.to_pydict)
    assert '"series": {"cwnd": {"flow": [0, ' in lists
    Store(tmp_path / "now").keep(key, lists)
    [then] = hs.open_store(tmp_path / "now").results()
    for name in SCENARIO["series"]["keep"]:
        assert then.series(name).equals(now.series(name)), name


@pytest.mark.parametrize("bad", ["no base64", base64.b64encode(b"no stream").decode(), ""])
def test_a_series_that_is_no_table_is_named(tmp_path: Path, bad: str) -> None:
    hs.run(hs.Scenario(SCENARIO), out=tmp_path)
    [key] = Store(tmp_path).manifest["scenarios"][0]["points"][0]["keys"]
    store = Store(tmp_path)
    run = store.read(key)
    store.keep(key, json.dumps({**(run or {}), "series": {"cwnd": bad}}))
    assert store.read(key) is None
    assert "series cwnd is no table of Arrow" in store.problems[0]
