"""The store: complete or absent runs, resume, damage, tables."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hopscope as hs
from hopscope.campaign import manifest as manifests
from hopscope.campaign import store as stores
from hopscope.campaign.plan import make_plan
from hopscope.errors import RunFailed, StoreError
from hopscope.io import files
from hopscope.scenario.toml_writer import to_toml
from runfiles import age, names, remove, rewrite, written_since


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
        "tables.sha256",
    ]  # fmt: skip
    assert len(names(tmp_path / "store")) == 4


def test_the_tables_open_with_pandas(chain: Path, tmp_path: Path) -> None:
    result = hs.run(chain, out=tmp_path / "store", set={"series.keep": ["throughput"], "series.interval": "500ms"})
    flows = pd.read_parquet(tmp_path / "store" / "flows.parquet")
    assert flows["flow.0.packet"].tolist() == [500, 500, 1000, 1000]
    assert flows["throughput_kbps"].tolist() == result.flows["throughput_kbps"].tolist()
    assert len(pd.read_parquet(tmp_path / "store" / "nodes.parquet")) == 4 * 3
    assert set(pd.read_parquet(tmp_path / "store" / "series.parquet")["series"]) == {"throughput"}


def test_the_tables_are_those_of_the_result(chain: Path, tmp_path: Path) -> None:
    result = hs.run(chain, out=tmp_path / "store", set={"sweep.mac.queue": ["50", 5], "flow.0.packet": 500})
    for name in ("flows", "nodes", "network", "summary"):
        stored, ours = pd.read_parquet(tmp_path / "store" / f"{name}.parquet"), getattr(result, name)
        words = dict.fromkeys({"mac.queue", "note"} & set(ours), str)  # where pandas has objects
        pd.testing.assert_frame_equal(stored.astype(words), ours.astype(words))


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
    assert types["flows", "note"] == types["flows", "transport"] == "string"


def test_tables_of_several_stores_fit_together(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "a")
    file = {"from": 0, "to": 1, "transport": "tcp-newreno", "app": "file", "bytes": 8000}
    hs.run({"duration": "2s", "topology": {"kind": "chain", "hops": 1}, "flow": [file]}, out=tmp_path / "b")
    for table in ("flows", "nodes", "network", "summary"):
        schemas = [pq.read_schema(tmp_path / store / f"{table}.parquet").remove_metadata() for store in "ab"]
        together = pa.unify_schemas(schemas)
        assert "flow.0.packet" in together.names
        assert all(schema.field(name).type == together.field(name).type for schema in schemas for name in schema.names)


def _truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def _flip_a_bit(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 1
    file.write_bytes(data)


def _swap(file: Path) -> None:
    pq.write_table(pq.read_table(file.with_name("network.parquet")).slice(0, 3), file)


def _pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _endless(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


def _huge(file: Path) -> None:
    os.truncate(file, 6_000_000_000_000)  # it takes no room on the disk


@pytest.mark.parametrize(
    ("name", "harm", "reported"),
    [
        ("flows.parquet", _truncate, "flows.parquet is damaged"),
        ("summary.parquet", _flip_a_bit, "summary.parquet is damaged"),
        ("runs.parquet", _swap, "runs.parquet is damaged"),
        ("nodes.parquet", Path.unlink, "nodes.parquet is missing"),
        ("flows.parquet", _pipe, "flows.parquet is damaged"),
        ("summary.parquet", _endless, "summary.parquet is damaged"),
        ("runs.parquet", _huge, "runs.parquet is damaged"),
        ("tables.sha256", Path.unlink, "the checksums of the tables are missing"),
        ("tables.sha256", _truncate, "the checksums of the tables are damaged"),
    ],
)
def test_tables_that_do_not_fit_are_made_again(
    chain: Path, tmp_path: Path, name: str, harm: Callable[[Path], None], reported: str
) -> None:
    store = tmp_path / "store"
    result = hs.run(chain, out=store)
    whole = (store / name).read_bytes()
    assert hs.open_store(store).repair_tables([result]) == []
    harm(store / name)
    [said] = hs.open_store(store).repair_tables([result])
    assert f"{reported}: the tables were made again from the 4 runs that are there" in said
    assert (store / name).read_bytes() == whole
    assert hs.open_store(store).repair_tables([result]) == []


def test_tables_behind_their_runs_are_made_again(chain: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    hs.run(chain, out=store)
    remove(store)
    opened = hs.open_store(store)
    [said] = opened.repair_tables(opened.results())
    assert "the tables are not up to date: the tables were made again from the 3 runs" in said
    assert len(pq.read_table(store / "runs.parquet")) == 3


def test_ordinary_tools_verify_the_tables(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "tables.sha256"], cwd=tmp_path / "store", check=True)
    for file in (tmp_path / "store").glob("*.parquet"):
        pq.read_table(file, page_checksum_verification=True)


def _edited(manifest: dict[str, Any]) -> None:
    manifest["title"] = "another"


def _with_swapped_keys(manifest: dict[str, Any]) -> None:
    one, two = manifest["scenarios"][0]["points"]
    one["keys"], two["keys"] = two["keys"], one["keys"]
    manifest["sha256"] = manifests.digest(manifest)


def _with_another_value(manifest: dict[str, Any]) -> None:
    manifest["scenarios"][0]["document"]["duration"] = 3.0
    manifest["sha256"] = manifests.digest(manifest)


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (_edited, "its checksum does not fit: values were changed after it was written"),
        (_with_swapped_keys, r"is damaged \(point 0 lists runs that are not its own\)"),
        (_with_another_value, r"is damaged \(point 0 lists runs that are not its own\)"),
    ],
)
def test_a_changed_manifest_is_refused(
    chain: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None], reported: str
) -> None:
    hs.run(chain, out=tmp_path / "store")
    file = tmp_path / "store" / "manifest.json"
    manifest = json.loads(file.read_text())
    change(manifest)
    file.write_text(json.dumps(manifest))
    with pytest.raises(StoreError, match=reported):
        hs.open_store(tmp_path / "store").results()


def test_a_manifest_of_an_earlier_version_says_that_it_has_no_checksum(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    file = tmp_path / "store" / "manifest.json"
    manifest = json.loads(file.read_text())
    file.write_text(json.dumps(manifest | {"format": 1, "sha256": None}))
    opened = hs.open_store(tmp_path / "store")
    assert not opened.results()[0].partial
    assert ["has no checksum" in problem for problem in opened.problems] == [True]


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        ({"seed": 7}, "its seed is not that of its place"),
        ({"flows": {}}, "flows is no list"),
        ({"flows": [{"id": 0}]}, "flow 0 lacks from"),
        ({"flows": [3]}, "flows has no row 0"),
        ({"network": []}, "network is no table"),
        ({"network": {"jain": "high"}}, "network: jain is no sample"),
        ({"nodes": [{"id": 0, "drops": {"x": []}}]}, "node 0: drops is no counts"),
        ({"groups": [1]}, "groups is no table"),
        ({"series": {"cwnd": {"t_s": [1], "value": [1, 2]}}}, "series cwnd has columns of several lengths"),
        (
            {"nodes": [], "links": {"from": [], "to": [], "packets": []}},
            "has other flows, nodes or metrics than the other runs of its point",
        ),
        ("deep", "is no result"),
    ],
)
def test_a_forged_run_with_a_right_checksum_is_named(
    chain: Path, tmp_path: Path, change: dict[str, Any] | str, reported: str
) -> None:
    store = stores.Store(tmp_path / "store")
    hs.run(chain, out=store.path)
    victim = hs.open_store(store.path).manifest["scenarios"][0]["points"][0]["keys"][1]
    run = store.read(victim)
    store.keep(
        victim,
        "[" * 100_000 if isinstance(change, str) else json.dumps({**(run or {}), **change}, default=pa.Table.to_pydict),
    )
    opened = hs.open_store(store.path)
    [result] = opened.results()
    [said] = opened.problems
    assert (victim in said, reported in said) == (True, True), said
    assert sum(len(point.runs) for point in result.points) == 3
    opened.repair_tables([result])


def test_what_a_killed_start_left_is_removed(chain: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    hs.run(chain, out=store)
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    host = files._host()
    left = [f".a.json.{host}.{int(dead.stdout)}.0123abcd.tmp", ".a.json.00000000.1.0123abcd.tmp"]
    kept = [f".a.json.{host}.{os.getpid()}.0123abcd.tmp", ".b.json.00000000.1.0123abcd.tmp", "note.tmp"]
    for name in left + kept:
        (store / "runs" / name).touch()
    os.utime(store / "runs" / left[1], (0, 0))
    hs.run(chain, out=store)
    assert {name for name in os.listdir(store / "runs") if name.endswith(".tmp")} == set(kept)


@pytest.mark.parametrize("name", ["manifest.json", "runs", "tables.sha256"])
def test_pipes_and_devices_in_a_store_are_refused(chain: Path, tmp_path: Path, name: str) -> None:
    store = tmp_path / "store"
    result = hs.run(chain, out=store)
    victim = next((store / "runs").iterdir()) if name == "runs" else store / name
    victim.unlink()
    if name == "tables.sha256":
        victim.symlink_to("/dev/zero")
    else:
        os.mkfifo(victim)
    if name == "manifest.json":
        with pytest.raises(StoreError, match="cannot be read: is no regular file"):
            hs.open_store(store)
        return
    opened = hs.open_store(store)
    said = [*opened.problems, *opened.repair_tables(opened.results() if name == "runs" else [result]), *opened.problems]
    assert any("is no regular file" in line or "are damaged" in line for line in said)


def test_runs_of_other_settings_are_counted(chain: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    hs.run(chain, out=store, set={"series.keep": ["throughput"], "series.interval": "500ms"})
    assert hs.open_store(store).other_runs() == 0
    assert (store / "series.parquet").exists()
    hs.run(chain, out=store, set={"mac.queue": 5})
    assert hs.open_store(store).other_runs() == 4
    assert not (store / "series.parquet").exists()  # it would be that of the earlier scenario


def test_only_missing_runs_are_done(chain: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    first = hs.run(chain, out=store)
    before = names(store)
    victim = remove(store, sorted(before)[1])
    age(store)
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


@pytest.mark.parametrize(
    ("damage", "reported"),
    [
        ("truncate", "truncated"),
        ("flip", "its checksum does not fit"),
        ("joined", "its checksum does not fit"),
        ("binary", "line 1 is damaged"),
        ("noise", "line 1 is damaged"),
    ],
)
def test_a_damaged_run_is_named_and_done_again(chain: Path, tmp_path: Path, damage: str, reported: str) -> None:
    store = tmp_path / "store"
    first = hs.run(chain, out=store)
    [segment] = (store / "runs").iterdir()

    def harm(line: bytes) -> bytes:
        return {
            "truncate": line[: len(line) // 2] + b"\n",
            "flip": line.replace(b'"jain":1', b'"jain":2'),
            "joined": line[:-1],
            "binary": b"\xff\xfe" + line,
            "noise": b"\n",
        }[damage]

    rewrite(store, harm, key=json.loads(segment.read_bytes().splitlines()[0])["key"])
    opened = hs.open_store(store)
    [partial] = opened.results()
    assert partial.partial
    assert sum(len(p.runs) for p in partial.points) == (2 if damage == "joined" else 3)
    assert [reported in problem for problem in opened.problems] == [True]
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
    write, calls = os.write, []

    def full(file: int, data: memoryview) -> int:
        calls.append(file)
        if len(calls) > 4:
            raise OSError(28, "No space left on device")
        return write(file, data[:2000])  # the third run in part

    monkeypatch.setattr(os, "write", full)
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
    for change in ({"duration": 3}, {"mac.queue": 49}, {"series.keep": ["queue"]}, {"seed": 9}):
        assert not keys(change) & base, change
    tcp = {"flow.0.transport": "tcp-newreno"}
    assert not keys({**tcp, "tcp.min_rto": 2}) & keys(tcp)
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


def test_a_step_of_a_search_leaves_runs_and_its_end_the_tables(chain: Path, tmp_path: Path) -> None:
    one, two = hs.load(chain), hs.load(chain, {"title": "same", "seeds": 3})
    store = tmp_path / "store"
    hs.run_scenarios([one], store=store, tables=False)
    assert len(names(store)) == 4
    assert not list(store.glob("*.parquet"))
    results = hs.run_scenarios([one, two], store=store)
    assert hs.open_store(store).table_faults(results) == []


def test_a_segment_is_plain_json_line_by_line(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    [segment] = (tmp_path / "store" / "runs").iterdir()
    documents = pd.read_json(segment, lines=True)
    assert set(documents["key"]) == names(tmp_path / "store")
    assert [result["flows"][0]["id"] for result in documents["result"]] == [0] * 4


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
