"""The store: complete or absent runs, resume, damage, tables."""

from __future__ import annotations

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hopscope as hs
from hopscope.campaign import store as stores
from hopscope.campaign.plan import make_plan
from hopscope.errors import RunFailed, StoreError
from hopscope.scenario.toml_writer import to_toml
from runfiles import age, names, written_since


def strip(document: Any) -> Any:
    """A result without the only field that may differ between two runs."""
    if isinstance(document, dict):
        return {k: strip(v) for k, v in document.items() if k != "wall_s"}
    return [strip(v) for v in document] if isinstance(document, list) else document


def test_a_store_gives_the_result_back(chain: Path, tmp_path: Path) -> None:
    result = hs.run(chain, out=tmp_path / "store")
    [again] = hs.open_store(tmp_path / "store").results()
    assert again.to_json() == result.to_json()
    assert not again.partial
    assert sorted(p.name for p in (tmp_path / "store").iterdir()) == [
        "flows.parquet", "manifest.json", "network.parquet", "nodes.parquet", "runs", "runs.parquet", "summary.parquet",
    ]  # fmt: skip
    assert len(names(tmp_path / "store")) == 4


def test_the_tables_open_with_pandas(chain: Path, tmp_path: Path) -> None:
    result = hs.run(chain, out=tmp_path / "store", set={"series.keep": ["throughput"], "series.interval": "500ms"})
    flows = pd.read_parquet(tmp_path / "store" / "flows.parquet")
    assert flows["flow.0.packet"].tolist() == [500, 500, 1000, 1000]
    assert flows["throughput_kbps"].tolist() == result.flows["throughput_kbps"].tolist()
    assert len(pd.read_parquet(tmp_path / "store" / "nodes.parquet")) == 4 * 3
    assert set(pd.read_parquet(tmp_path / "store" / "series.parquet")["series"]) == {"throughput"}


def test_columns_without_a_sample_have_a_type(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    types = {
        (file.stem, field.name): str(field.type)
        for file in (tmp_path / "store").glob("*.parquet")
        for field in pq.read_schema(file)
    }
    assert "null" not in types.values()
    assert types["flows", "completion_s"] == types["network", "jain_interval"] == "double"
    assert types["network", "discovery_ms"] == "double"
    assert types["flows", "note"] == types["flows", "transport"] == "large_string"


def test_tables_of_several_stores_fit_together(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "a")
    file = {"from": 0, "to": 1, "transport": "tcp-newreno", "app": "file", "bytes": 8000}
    hs.run({"duration": "2s", "topology": {"kind": "chain", "hops": 1}, "flow": [file]}, out=tmp_path / "b")
    for table in ("flows", "nodes", "network", "summary"):
        schemas = [pq.read_schema(tmp_path / store / f"{table}.parquet").remove_metadata() for store in "ab"]
        together = pa.unify_schemas(schemas)
        assert "flow.0.packet" in together.names
        assert all(schema.field(name).type == together.field(name).type for schema in schemas for name in schema.names)


@pytest.mark.parametrize(("table", "why"), [("flows", "is damaged"), ("nodes", "is missing"), ("runs", "up to date")])
def test_tables_that_do_not_fit_are_made_again(chain: Path, tmp_path: Path, table: str, why: str) -> None:
    store = tmp_path / "store"
    result = hs.run(chain, out=store)
    file = store / f"{table}.parquet"
    whole = file.read_bytes()
    assert hs.open_store(store).mend_tables([result]) == []
    if why == "is damaged":
        file.write_bytes(whole[:-100])
    else:
        file.unlink()
    if why == "up to date":
        pq.write_table(pq.read_table(store / "network.parquet").slice(0, 3), file)
    [told] = hs.open_store(store).mend_tables([result])
    assert f"{table}.parquet is " in told
    assert why in told
    assert file.read_bytes() == whole
    assert hs.open_store(store).mend_tables([result]) == []


def test_runs_of_other_settings_are_counted(chain: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    hs.run(chain, out=store, set={"series.keep": ["throughput"], "series.interval": "500ms"})
    assert hs.open_store(store).beside() == 0
    assert (store / "series.parquet").exists()
    hs.run(chain, out=store, set={"mac.queue": 5})
    assert hs.open_store(store).beside() == 4
    assert not (store / "series.parquet").exists()  # it would be that of the earlier scenario


def test_only_missing_runs_are_done(chain: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    first = hs.run(chain, out=store)
    before = age(store)
    victim = sorted(before)[1]
    (store / "runs" / victim).unlink()
    second = hs.run(chain, out=store)
    assert names(store) == before
    assert written_since(store) == {victim}
    assert strip(second.to_json()) == strip(first.to_json())


def test_more_seeds_add_to_a_store(chain: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    hs.run(chain, out=store)
    before = age(store)
    result = hs.run(chain, out=store, seeds=3)
    assert written_since(store) == names(store) - before
    assert len(names(store)) == 6
    assert [len(p.runs) for p in result.points] == [3, 3]


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "binary"])
def test_a_damaged_run_is_named_and_done_again(chain: Path, tmp_path: Path, damage: str) -> None:
    store = tmp_path / "store"
    first = hs.run(chain, out=store)
    victim = sorted((store / "runs").iterdir())[0]
    data = victim.read_bytes()
    victim.write_bytes(
        {
            "truncate": data[: len(data) // 2],
            "flip": data.replace(b'"jain": 1', b'"jain": 2').replace(b'"jain":1', b'"jain":2'),
            "empty": b"",
            "binary": b"\xff\xfe" + data,
        }[damage]
    )
    assert victim.read_bytes() != data
    opened = hs.open_store(store)
    [partial] = opened.results()
    assert partial.partial
    assert sum(len(p.runs) for p in partial.points) == 3
    assert [victim.name in problem for problem in opened.problems] == [True]
    second = hs.run(chain, out=store)
    assert strip(second.to_json()) == strip(first.to_json())
    reopened = hs.open_store(store)
    assert not reopened.results()[0].partial
    assert reopened.problems == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is damaged"),
        ("[]", "is no manifest"),
        ('{"format": 99, "title": "", "scenarios": [1]}', "has format 99"),
        ('{"format": 1, "title": "", "scenarios": []}', "lists no scenarios"),
        ('{"format": 1, "title": "", "scenarios": [1]}', "is damaged"),
        ('{"format": 1, "title": "", "scenarios": [{"document": {}, "points": []}]}', "not accepted by this version"),
    ],
)
def test_a_damaged_manifest_is_explained_and_repaired_by_a_run(
    chain: Path, tmp_path: Path, content: str, message: str
) -> None:
    store = tmp_path / "store"
    hs.run(chain, out=store)
    before = age(store)
    (store / "manifest.json").write_text(content)
    with pytest.raises(StoreError, match=message):
        hs.open_store(store).results()
    hs.run(chain, out=store)
    assert (names(store), written_since(store)) == (before, set())
    assert not hs.open_store(store).results()[0].partial


def test_folders_that_are_no_store(chain: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such folder"):
        hs.open_store(tmp_path / "absent")
    with pytest.raises(StoreError, match="is no result store"):
        hs.open_store(tmp_path)
    with pytest.raises(StoreError, match="is a folder with other files in it"):
        hs.run(chain, out=tmp_path)
    with pytest.raises(StoreError, match="is a file"):
        hs.run(chain, out=chain)
    with pytest.raises(StoreError, match="cannot be written"):
        hs.run(chain, out="/proc/hopscope")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["chain.toml"]


def test_many_may_start_in_one_new_folder(chain: Path, tmp_path: Path) -> None:
    plan, together = make_plan([hs.load(chain)]), threading.Barrier(8)

    def start(folder: Path) -> None:
        together.wait()
        stores.Store(folder).prepare(plan, "shared")

    with ThreadPoolExecutor(8) as pool:
        for attempt in range(40):
            folder = tmp_path / str(attempt)
            for started in [pool.submit(start, folder) for _ in range(8)]:
                started.result()
            assert sorted(os.listdir(folder)) == ["manifest.json", "runs"]


def test_a_full_disk_keeps_finished_runs(chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "store"
    write, calls = stores.write_whole, []

    def full(path: Path, data: bytes) -> None:
        calls.append(path)
        if len(calls) > 3:
            raise OSError(28, "No space left on device")
        write(path, data)

    monkeypatch.setattr(stores, "write_whole", full)
    with pytest.raises(RunFailed, match="the disk is full; finished runs are kept"):
        hs.run(chain, out=store, jobs=1)
    monkeypatch.undo()
    before = age(store)
    assert len(before) == 2
    assert not hs.run(chain, out=store).partial
    assert written_since(store) == names(store) - before


def test_nothing_half_written_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="Input/output"):
        stores.write_whole(tmp_path / "x.json", b"data")
    assert list(tmp_path.iterdir()) == []


def test_the_key_of_a_run_depends_on_all_that_matters(chain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hopscope import _core

    def keys(changes: dict[str, Any]) -> set[str]:
        return {run.key for run in make_plan([hs.load(chain, changes)]).unique()}

    base = keys({})
    assert keys({"title": "other", "seeds": 2}) == base
    assert keys({"seeds": 3}) > base
    for change in ({"duration": 3}, {"mac.queue": 49}, {"tcp.min_rto": 2}, {"series.keep": ["queue"]}, {"seed": 9}):
        assert not keys(change) & base, change
    monkeypatch.setattr(_core, "build_id", lambda: "another build")
    assert not keys({}) & base


def test_equal_runs_of_two_scenarios_are_done_once(chain: Path, tmp_path: Path) -> None:
    one, two = hs.load(chain), hs.load(chain, {"title": "same", "seeds": 3})
    results = hs.run_scenarios([one, two], store=tmp_path / "store", label="both")
    assert len(names(tmp_path / "store")) == 6
    assert [len(r.points[0].runs) for r in results] == [2, 3]
    opened = hs.open_store(tmp_path / "store")
    assert opened.title == "both"
    assert [r.to_json() for r in opened.results()] == [r.to_json() for r in results]
    assert set(pd.read_parquet(tmp_path / "store" / "flows.parquet")["scenario"]) == {"short chain", "same"}


def test_a_run_file_is_plain_json(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    for path in (tmp_path / "store" / "runs").iterdir():
        document = json.loads(path.read_text())
        assert document["key"] == path.stem
        assert document["result"]["flows"][0]["id"] == 0


@pytest.mark.parametrize(
    "sweep",
    [
        {"topology.path": ["a.csv", "b.csv"]},
        {"topology": [{"kind": "file", "path": "a.csv"}, {"kind": "file", "path": "b.csv"}]},
    ],
)
def test_a_sweep_over_node_files_is_read_back_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sweep: dict[str, Any]
) -> None:
    folder = tmp_path / "scenario"
    folder.mkdir()
    for name, place in (("a", 100), ("b", 200)):
        (folder / f"{name}.csv").write_text(f"0,0\n{place},0\n")
    flow = {"from": 0, "to": 1, "transport": "udp", "app": "cbr", "rate": "100kbps"}
    scenario = {"duration": "1s", "topology": {"kind": "file"}, "flow": [flow], "sweep": sweep}
    (folder / "field.toml").write_text(to_toml(scenario))
    made = hs.run(folder / "field.toml", out=tmp_path / "store")
    monkeypatch.chdir(tmp_path)
    [result] = hs.open_store("store").results()
    assert [p.config(1) for p in result.scenario.points] == [p.config(1) for p in made.scenario.points]
    assert all(point.runs for point in result.points)


def test_a_sweep_over_traces_is_read_back(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("time,bytes\n0,1000\n0.5,2000\n")
    (tmp_path / "video.toml").write_text(
        'duration = "2s"\n[topology]\nkind = "chain"\nhops = 1\n[[flow]]\nfrom = 0\nto = 1\ntransport = "udp"\n'
        'app = "video"\ntrace = "a.csv"\n[sweep]\n"flow.0.trace" = ["a.csv", "b.csv"]\n'
    )
    hs.run(tmp_path / "video.toml", out=tmp_path / "store")
    [result] = hs.open_store(tmp_path / "store").results()
    assert [Path(point.set["flow.0.trace"]).name for point in result.points] == ["a.csv", "b.csv"]
    assert all(point.runs for point in result.points)
