"""Stores that are shown from their tables: the numbers of the runs, and only where the two are proved to fit."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import hopscope as hs
from hopscope.campaign import store as store_module
from hopscope.campaign.store import Store, open_store
from hopscope.cli import table
from hopscope.errors import StoreError
from hopscope.results.remarks import remarks
from hopscope.results.stored import StoredRuns
from runfiles import age, names, remove, rewrite, written_since

#: Two flows in a group, a wire, notes of the engine on one of them, and a limited window.
MANY: dict[str, Any] = {
    "title": "all that a table reports",
    "duration": "3s",
    "seeds": 3,
    "topology": {"kind": "chain", "hops": 2, "wired": 1},
    "wire": [{"from": 2, "to": 3, "rate": "10Mbps", "delay": "2ms"}],
    "flow": [
        {"from": 0, "to": 3, "transport": "tcp-newreno", "max_window": 2, "group": "both"},
        {"from": 0, "to": 2, "transport": "udp", "app": "cbr", "rate": "100kbps", "start": "2.9s", "group": "both"},
    ],
    "sweep": {"mac.queue": [1, 5]},
}


@pytest.fixture(autouse=True)
def _few_runs_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_FEW_BYTES", 0)


def text(store: Path, *, lazily: bool) -> str:
    """What the terminal shows of a store."""
    console = Console(file=io.StringIO(), width=200)
    for result in open_store(store).results(lazily=lazily):
        table.print_result(console, result)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def parsed(store: Store, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keys of the runs that a store parses from now on."""
    keys: list[str] = []
    read = store.read

    def noted(key: str, seed: int | None = None) -> Any:
        keys.append(key)
        return read(key, seed)

    monkeypatch.setattr(store, "read", noted)
    return keys


def edit(store: Path, place: int, change: dict[str, Any]) -> str:
    """Changes entries of the first flow in a run, under a right checksum; returns its key."""
    opened = Store(store)
    key = str(opened.manifest["scenarios"][0]["points"][place]["keys"][0])
    run = opened.read(key)
    assert run is not None
    run["flows"][0].update(change)
    opened.keep(key, json.dumps(run, default=pa.Table.to_pydict))
    return key


@pytest.mark.parametrize("absent", [0, 1, 3])
def test_tables_report_what_the_runs_report(tmp_path: Path, absent: int) -> None:
    hs.run(MANY, out=tmp_path / "store")
    keys = open_store(tmp_path / "store").manifest["scenarios"][0]["points"][0]["keys"]
    for key in keys[:absent]:
        remove(tmp_path / "store", key)
    opened = open_store(tmp_path / "store")
    opened.repair_tables(opened.results())
    [eager], [lazy] = opened.results(), opened.results(lazily=True)
    assert [isinstance(point.runs, StoredRuns) for point in lazy.points] == [True, True]
    assert lazy.partial == (absent > 0)
    for ours, theirs in zip(lazy.points, eager.points, strict=True):
        assert (ours.seeds, ours.notes) == (theirs.seeds, theirs.notes)
        assert dict(ours.summary) == dict(theirs.summary)
        assert list(ours.metrics()) == list(theirs.metrics())
        for metric in theirs.summary:
            assert ours.interval(metric) == theirs.interval(metric)
        assert list(ours.runs) == list(theirs.runs)
    assert remarks(lazy) == remarks(eager) != []
    assert text(tmp_path / "store", lazily=True) == text(tmp_path / "store", lazily=False)


def test_a_run_is_parsed_when_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hs.run(MANY, out=tmp_path / "store")
    opened = open_store(tmp_path / "store")
    keys = parsed(opened, monkeypatch)
    [result] = opened.results(lazily=True)
    assert result.interval("flow.0.throughput_kbps", 1).n == 3
    assert keys == []
    [run] = result.points[1].runs[1:2]
    assert (run["seed"], len(keys)) == (2, 1)
    assert result.points[1].runs[1] is run
    assert len(keys) == 1


def test_a_complete_store_is_neither_parsed_nor_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = hs.run(MANY, out=tmp_path / "store")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "store").rglob("*.*") if path.suffix != ".json"}
    monkeypatch.setattr(Store, "read", None)
    again = hs.run(MANY, out=tmp_path / "store")
    assert again.interval("flow.0.throughput_kbps", 1) == first.interval("flow.0.throughput_kbps", 1)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    monkeypatch.undo()
    assert [list(point.runs) for point in again.points] == [point.runs for point in first.points]


@pytest.mark.parametrize("harm", [lambda line: b"", lambda line: line.replace(b'"flows":[', b'"flows": [')])
def test_a_start_does_what_a_store_lacks(tmp_path: Path, harm: Callable[[bytes], bytes]) -> None:
    first = hs.run(MANY, out=tmp_path / "store")
    key = rewrite(tmp_path / "store", harm)
    age(tmp_path / "store")
    again = hs.run(MANY, out=tmp_path / "store")
    assert written_since(tmp_path / "store") == {key}
    assert not isinstance(again.points[0].runs, StoredRuns)
    assert again.interval("network.jain", 0) == first.interval("network.jain", 0)


def test_without_arrow_means_are_those_of_the_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hs.run(MANY, out=tmp_path / "store")
    monkeypatch.setattr(store_module, "is_there", lambda _name: False)
    [lazy] = open_store(tmp_path / "store").results(lazily=True)
    assert [(type(point.runs), point.reported) for point in lazy.points] == [(StoredRuns, None)] * 2
    [eager] = open_store(tmp_path / "store").results()
    assert [dict(point.summary) for point in lazy.points] == [dict(point.summary) for point in eager.points]


def test_notes_are_those_of_the_first_seed_that_has_one(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    edit(tmp_path / "store", 1, {"note": "an uncommon flow"})
    opened = open_store(tmp_path / "store")
    opened.repair_tables(opened.results())
    [result] = opened.results(lazily=True)
    assert [dict(point.notes) for point in result.points] == [{}, {0: (1, "an uncommon flow")}]
    assert "point 1 (flow.0.packet = 1000), flow 0, seed 1: an uncommon flow" in text(tmp_path / "store", lazily=True)


def test_a_run_changed_after_its_tables_is_shown_as_it_is(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    edit(tmp_path / "store", 0, {"delay_ms": 1234.5})
    opened = open_store(tmp_path / "store")
    [result] = opened.results(lazily=True)
    assert result.interval("flow.0.delay_ms", 0).max == 1234.5
    assert opened.table_faults([result]) == ["the tables are not up to date"]


def test_a_damaged_run_is_named_and_left_out(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    victim = rewrite(tmp_path / "store", lambda line: line[:-40] + b"\n")
    for tables in ("behind the runs", "made again"):
        opened = open_store(tmp_path / "store")
        [result] = opened.results(lazily=True)
        assert sorted(len(point.runs) for point in result.points) == [1, 2], tables
        [said] = opened.problems
        assert victim in said
        assert "truncated" in said
        assert bool(opened.repair_tables([result])) == (tables == "behind the runs")


def test_a_store_that_lost_all_its_runs_is_shown_as_empty(chain: Path, tmp_path: Path) -> None:
    """Its tables, made again from no run, fit it: the second look at it ended with a traceback."""
    hs.run(chain, out=tmp_path / "s")
    for key in names(tmp_path / "s"):
        remove(tmp_path / "s", key)
    store = open_store(tmp_path / "s")
    store.repair_tables(store.results())
    [again] = open_store(tmp_path / "s").results(lazily=True)
    assert [len(point.runs) for point in again.points] == [0] * len(again.points)
    assert again.partial


def test_tables_with_another_value_are_not_believed(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    file = tmp_path / "store" / "summary.parquet"
    rows = pq.read_table(file)
    column = rows.column_names.index("mean")
    pq.write_table(rows.set_column(column, "mean", pc.add(rows["mean"], 1.0)), file)
    opened = open_store(tmp_path / "store")
    [lazy], [eager] = opened.results(lazily=True), opened.results()
    assert [dict(point.summary) for point in lazy.points] == [dict(point.summary) for point in eager.points]
    assert opened.table_faults([lazy]) == ["summary.parquet is damaged"]


def test_tables_of_an_earlier_version_are_made_again(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    file = tmp_path / "store" / "tables.sha256"
    file.write_text(file.read_text().replace("# made from runs ", "# made from "))
    opened = open_store(tmp_path / "store")
    [said] = opened.repair_tables(opened.results(lazily=True))
    assert "the tables, of an earlier version, do not say which runs they were made from" in said
    assert opened.repair_tables(opened.results(lazily=True)) == []


def test_a_run_that_is_added_while_a_store_is_shown_is_not_seen(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    [result] = open_store(tmp_path / "store").results(lazily=True)
    edit(tmp_path / "store", 0, {"delay_ms": 1234.5})
    assert result.points[0].runs[0]["flows"][0]["delay_ms"] < 1234.5


def test_a_run_that_changes_while_it_is_shown_is_reported(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    opened = open_store(tmp_path / "store")
    [result] = opened.results(lazily=True)
    key = opened.manifest["scenarios"][0]["points"][0]["keys"][0]
    rewrite(tmp_path / "store", lambda line: line.replace(b'"id":0', b'"id":1', 1), key=key)
    with pytest.raises(StoreError, match="was changed while the store was read"):
        result.points[0].runs[0]
    assert result.points[1].runs[0]["seed"] == 1


def test_scenarios_whose_rows_cannot_be_distinguished_are_read_whole(chain: Path, tmp_path: Path) -> None:
    one = hs.load(chain, {"sweep": {}})
    two = one.replace({"title": "same", "mac.queue": 5})
    hs.run_scenarios([one, two], store=tmp_path / "store")
    results = open_store(tmp_path / "store").results(lazily=True)
    assert [type(result.points[0].runs) for result in results] == [list, list]


def test_few_runs_are_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hs.run(MANY, out=tmp_path / "store")
    monkeypatch.setattr(store_module, "_FEW_BYTES", 1_000_000)
    [result] = open_store(tmp_path / "store").results(lazily=True)
    assert not any(isinstance(point.runs, StoredRuns) for point in result.points)
