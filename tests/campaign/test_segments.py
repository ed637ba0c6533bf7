"""Segments: what is committed when, what a crash leaves, who may touch what, and stores of earlier versions."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope.campaign import runline, writer
from hopscope.campaign.segments import Segments
from hopscope.campaign.store import Store
from hopscope.campaign.writer import Writer
from hopscope.errors import RunFailed
from runfiles import age, lines, names, remove, written_since

#: Two runs of 0.2 s, as commit 81981b3b stored them: a file for each, tables, and a manifest of format 2.
OLD = Path(__file__).parent / "old_store"


def key(number: int) -> str:
    return f"{number:032x}"


def line(number: int, result: str = "{}") -> bytes:
    return runline.text(key(number), result)[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    return tmp_path / "runs"


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Takes the size of each file when it is committed."""
    sizes: list[int] = []
    fsync = os.fsync

    def noted(file: int) -> None:
        sizes.append(os.fstat(file).st_size)
        fsync(file)

    monkeypatch.setattr(os, "fsync", noted)
    return sizes


def cut(store: Path, by: int = 40) -> Path:
    """Cuts the end of the only segment of a store off."""
    [segment] = (store / "runs").glob("*.jsonl")
    os.truncate(segment, segment.stat().st_size - by)
    return segment


def test_a_line_that_was_cut_off_is_named_and_dropped_by_the_next_start(chain: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    hs.run(chain, out=store)
    segment = cut(store)
    opened = hs.open_store(store)
    [result] = opened.results()
    assert sum(len(point.runs) for point in result.points) == 3
    [said] = opened.problems
    assert said.startswith(f"{segment}: line 4, the last, is cut off; ")
    started = Store(store)
    started.prepare(hs.campaign.plan.make_plan([result.scenario]), "again")
    [said] = started.problems
    assert said == f"{segment}: line 4, the last, is cut off; it was dropped, and what was in it is done again"
    assert len(segment.read_bytes().splitlines()) == 3
    kept = age(store)
    hs.run(chain, out=store)
    assert len(names(store)) == 4
    assert written_since(store) == names(store) - kept
    reopened = hs.open_store(store)
    assert not reopened.results()[0].partial
    assert reopened.problems == []


def test_zeros_that_a_file_system_left_at_the_end_are_dropped(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    segment = cut(tmp_path / "store", 5000)
    os.truncate(segment, segment.stat().st_size + 5000)
    result = hs.run(chain, out=tmp_path / "store")
    assert not result.partial
    assert hs.open_store(tmp_path / "store").results()[0].to_json() == result.to_json()


def test_what_another_process_is_writing_is_left_alone(chain: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    hs.run(chain, out=store)
    other = Writer(store / "runs")
    other.append(line(1))
    segment = max((store / "runs").iterdir())
    with segment.open("ab") as file:
        file.write(line(2)[:100])
    opened = hs.open_store(store)
    assert not opened.results()[0].partial
    assert opened.problems == []
    assert opened.other_runs() == 1
    hs.run(chain, out=store)
    assert segment.read_bytes() == line(1) + line(2)[:100]
    other.close()
    hs.run(chain, out=store)
    assert segment.read_bytes() == line(1)


def test_without_locks_a_segment_is_left_alone_for_a_day(chain: Path, tmp_path: Path, monkeypatch: Any) -> None:
    def no_locks(_file: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    hs.run(chain, out=tmp_path / "store")
    segment = cut(tmp_path / "store")
    opened = hs.open_store(tmp_path / "store")
    assert (opened.results()[0].partial, opened.problems) == (True, [])
    os.utime(segment, (time.time() - 90_000, time.time() - 90_000))
    assert ["is cut off" in fault for fault in Segments(segment.parent).faults] == [True]
    hs.run(chain, out=tmp_path / "store")
    assert len(segment.read_bytes().splitlines()) == 3


def test_runs_are_committed_in_groups(folder: Path, commits: list[int]) -> None:
    one = Writer(folder)
    for number in range(1000):
        one.append(line(number))
    one.close()
    assert len(Segments(folder).places) == 1000
    assert 2 <= len(commits) <= 2 + 1000 // writer.COMMIT_RUNS + 3
    assert 1000 * len(line(0)) in commits


def test_a_run_is_committed_soon_though_none_follows(folder: Path, commits: list[int]) -> None:
    one = Writer(folder)
    one.append(line(1))
    deadline = time.monotonic() + 60
    while len(line(1)) not in commits:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    one.close()


def test_a_commit_that_fails_is_an_error(
    chain: Path, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_file: int) -> None:
        raise OSError(5, "Input/output error")

    one = Writer(folder)
    one.append(line(1))
    monkeypatch.setattr(os, "fsync", broken)
    time.sleep(writer.COMMIT_S + 0.5)
    with pytest.raises(OSError, match="Input/output"):
        one.append(line(2))
    with pytest.raises(OSError, match="Input/output"):
        one.close()
    monkeypatch.undo()
    store = Store(tmp_path / "store")
    store.prepare(hs.campaign.plan.make_plan([hs.load(chain)]), "x")
    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(RunFailed, match="a run cannot be written: Input/output error"), store.keeping():
        store.keep(key(1), "{}")


def test_a_full_segment_is_followed_by_another(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SEGMENT_BYTES", 3 * len(line(0)) + 1)
    one = Writer(folder)
    for number in range(10):
        one.append(line(number))
    one.append(line(10, "[" + "1," * 1000 + "1]"))  # larger than a segment
    one.close()
    assert [len(path.read_bytes().splitlines()) for path in sorted(folder.iterdir())] == [3, 3, 3, 1, 1]
    assert Segments(folder).places.keys() == {key(number) for number in range(11)}


def test_of_a_run_that_lies_in_two_segments_the_one_begun_last_counts(folder: Path) -> None:
    (folder / f"{key(1)}.json").write_bytes(line(1, "0"))
    for result in ("1", "2"):
        one = Writer(folder)
        one.append(line(1, result))
        one.close()
    (folder / "notes.txt").write_text("of somebody else")
    segments = Segments(folder)
    assert segments.line(key(1)) == line(1, "2")
    assert segments.sums([key(1), key(2)]) == {key(1): runline.text(key(1), "2")[1]}
    assert segments.bytes_of([key(1), key(2)]) == len(line(1, "2"))
    assert segments.faults == []


def test_many_threads_and_stores_write_at_once(folder: Path) -> None:
    stores = [Writer(folder) for _ in range(3)]

    def fill(begin: int) -> None:
        for number in range(begin, begin + 200):
            stores[number % 3].append(line(number))

    threads = [threading.Thread(target=fill, args=(begin,)) for begin in range(0, 1000, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        store.close()
    segments = Segments(folder)
    assert all(segments.line(key(number)) == line(number) for number in range(1000))


def test_a_store_of_an_earlier_version_is_read_and_added_to(tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(OLD, store)
    opened = hs.open_store(store)
    [result] = opened.results()
    assert (opened.problems, opened.repair_tables([result])) == ([], [])
    assert [run["flows"][0]["received_packets"] for run in result.points[0].runs] == [2, 2]
    # A start of this build adds runs of its own, and leaves the earlier ones as they are.
    before = age(store)
    again = hs.run(result.scenario, out=store)
    assert not again.partial
    assert hs.open_store(store).other_runs() == (0 if names(store) == before else 2)
    assert written_since(store) == names(store) - before
    assert lines(OLD).items() <= lines(store).items()


def test_a_damaged_file_of_an_earlier_version_is_named(tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(OLD, store)
    victim = min((store / "runs").iterdir())
    victim.write_bytes(victim.read_bytes()[:1000])
    opened = hs.open_store(store)
    assert opened.results()[0].partial
    [said] = opened.problems
    assert said.startswith(f"{victim}: damaged (truncated)")


def test_the_checksums_of_an_earlier_version_are_found_too() -> None:
    segments = Segments(OLD / "runs")
    found = segments.sums(sorted(segments.places))
    assert {of.hex() for of in found.values()} == {json.loads(text)["sha256"] for text in lines(OLD).values()}
    assert segments.bytes_of(found) == sum(len(text) for text in lines(OLD).values())


def test_a_run_that_was_removed_is_done_again(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    lost = remove(tmp_path / "store")
    age(tmp_path / "store")
    hs.run(chain, out=tmp_path / "store")
    assert written_since(tmp_path / "store") == {lost}
