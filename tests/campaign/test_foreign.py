"""Stores of strangers: they open no file of their reader's, steer no terminal, and are bounded in what they open to."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hopscope as hs
from hopscope.campaign import manifest as manifests
from hopscope.campaign import tables
from hopscope.errors import StoreError

STEERING = "\x1b]0;evil\x07\x1b[2J\u202e\u2067\u200f"
SECRET = "correct horse battery staple"


def traced(folder: Path) -> dict[str, Any]:
    (folder / "rssi.csv").write_text("time,from,to,rssi\n0,0,1,-60\n1,0,1,-70\n")
    return {
        "duration": "3s",
        "topology": {"kind": "chain", "hops": 1},
        "radio": {"rssi_trace": str(folder / "rssi.csv")},
        "flow": [{"from": 0, "to": 1}],
    }


def forge(store: Path, change: Any) -> None:
    """Changes a manifest and gives it a checksum that fits, as a forger would."""
    file = store / manifests.NAME
    manifest = json.loads(file.read_text())
    change(manifest)
    file.write_text(json.dumps(manifest | {"sha256": manifests.digest(manifest)}))


def test_a_store_is_whole_without_the_files_that_its_scenario_named(tmp_path: Path) -> None:
    made = hs.run(traced(tmp_path), out=tmp_path / "store")
    (tmp_path / "rssi.csv").unlink()
    [found] = hs.open_store(tmp_path / "store").results()
    assert found.points[0].runs == made.points[0].runs
    # It can be run again, into a store of its own, which is whole as well.
    assert hs.run(found.scenario, out=tmp_path / "again").points[0].runs[0]["flows"] == made.points[0].runs[0]["flows"]
    assert len(list((tmp_path / "again" / "files").iterdir())) == 1
    with pytest.raises(hs.ScenarioError, match="the store does not hold this file"):
        found.scenario.replace({"radio.rssi_trace": str(tmp_path / "other.csv")})


def test_a_stored_scenario_opens_no_file_of_its_reader(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    store = tmp_path / "store"
    hs.run(traced(tmp_path), out=store)

    def change(manifest: dict[str, Any]) -> None:
        manifest["scenarios"][0]["document"]["radio"]["rssi_trace"] = str(secret)

    forge(store, change)
    with pytest.raises(StoreError, match="the store does not hold this file, and opens none of yours") as refused:
        hs.open_store(store).results()
    assert SECRET not in str(refused.value)


def test_a_kept_file_that_was_changed_is_damaged(tmp_path: Path) -> None:
    hs.run(traced(tmp_path), out=tmp_path / "store")
    [kept] = (tmp_path / "store" / "files").iterdir()
    kept.write_text("time,from,to,rssi\n0,0,1,-20\n")
    with pytest.raises(StoreError, match="is damaged: it is not what"):
        hs.open_store(tmp_path / "store").results()


@pytest.mark.parametrize("listed", [["a"], {"a": 1}, {"a": "../../etc/passwd"}, {"a": "z" * 63 + "/"}])
def test_a_list_of_kept_files_that_is_none_is_named(tmp_path: Path, listed: object) -> None:
    hs.run(traced(tmp_path), out=tmp_path / "store")
    forge(tmp_path / "store", lambda manifest: manifest["scenarios"][0].update(files=listed))
    with pytest.raises(StoreError, match="is damaged"):
        hs.open_store(tmp_path / "store").results()


def test_no_verb_lets_a_stranger_steer_the_terminal(tmp_path: Path) -> None:
    scenario = {
        "title": "plain",
        "duration": "1s",
        "topology": {"kind": "chain", "hops": 1},
        "flow": [{"from": 0, "to": 1, "group": "calls"}],
    }
    store = tmp_path / "store"
    hs.run(scenario, out=store, seeds=2)

    def change(manifest: dict[str, Any]) -> None:
        manifest |= {"title": STEERING, "hopscope": STEERING, "engine": STEERING}
        manifest["scenarios"][0]["title"] = STEERING
        manifest["scenarios"][0]["document"]["title"] = STEERING

    forge(store, change)
    verbs = ("verify", "show", "report", "compare", "trace", "timeline --out t.svg --to 10ms", "pcap --out c.pcapng")
    for verb, *options in map(str.split, verbs):
        stores = [store, store] if verb == "compare" else [store]
        words = [sys.executable, "-m", "hopscope", verb, *map(str, stores), *options]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
        said = (done.stdout + done.stderr).decode()
        assert not set(said) & set(STEERING) - set("evil]0;[2J"), (verb, said)
    page = (store / "report.html").read_text()
    assert not set(page) & set("\x1b\x07\u202e\u2067\u200f")
    assert "evil" in page


def test_tables_that_would_open_to_too_much_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table(
        {"point": [0] * 5000, "metric": ["network.jain"] * 5000, **{n: [1.0] * 5000 for n in tables._STATISTICS}}
    )
    pq.write_table(table, tmp_path / "summary.parquet")
    assert len(tables._opened(tmp_path / "summary.parquet", "metric").read()) == 5000
    monkeypatch.setattr(tables, "_MAX_ROWS", 4999)
    with pytest.raises(ValueError, match="5000 rows"):
        tables._opened(tmp_path / "summary.parquet", "metric")
    monkeypatch.setattr(tables, "_MAX_ROWS", 5000)
    monkeypatch.setattr(tables, "_MAX_OPENED_BYTES", 10)
    with pytest.raises(ValueError, match="bytes"):
        tables._opened(tmp_path / "summary.parquet", "metric")


def test_a_column_of_one_long_word_stays_as_short_as_in_the_file(tmp_path: Path) -> None:
    word = "x" * 1_000_000
    pq.write_table(pa.table({"metric": pa.array([word] * 2000).dictionary_encode()}), tmp_path / "bomb.parquet")
    assert (tmp_path / "bomb.parquet").stat().st_size < 2_500_000
    assert tables._opened(tmp_path / "bomb.parquet", "metric").read().nbytes < 5_000_000
