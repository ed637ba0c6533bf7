"""The history of figures: what `make bench` keeps of a commit, and what the documentation shows of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import benchmarks
import history


def test_a_commit_has_one_line_on_a_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "history.jsonl"
    said = {"log": "abc1234", "status": ""}
    monkeypatch.setattr(history, "_git", lambda verb, *_: said[verb])
    history.record({"one": 1.0, "two": 2.00001}, file)
    history.record({"one": 3.0}, file)
    said["status"] = " M crates/x.rs"
    history.record({"one": 4.0}, file)
    found = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(line["commit"], line["figures"]) for line in found] == [
        ("abc1234", {"one": 3.0, "two": 2.0}),
        ("abc1234+", {"one": 4.0}),
    ]
    monkeypatch.setattr(history, "machine", lambda: "another")
    assert history.record({"one": 5.0}, file)["machine"] == "another"
    assert len(file.read_text().splitlines()) == 3


def test_frames_are_counted_between_two_runs() -> None:
    counted = history.instructions_a_frame(
        Path("bench"),
        lambda _binary, _scenario, seconds: 1000 + 300 * int(seconds),
        lambda words: {"frames": 3.0 * int(words[2])},
    )
    assert set(counted.values()) == {100.0}
    assert len(counted) == len(history.FRAMES)


def test_the_page_has_the_last_commits_and_a_panel_for_each_figure() -> None:
    measured = [
        {
            "commit": f"c{n}",
            "date": "2026-11-26",
            "machine": "m",
            "figures": {"one": 1234.5 + n, **({"two": 0.25} if n else {})},
        }
        for n in range(12)
    ]
    head, rows = benchmarks.rows(measured)
    assert head[0] == "figure"
    assert head[1:] == [f"c{n}, 2026-11-26" for n in range(2, 12)]
    assert rows[0][:2] == ["one", "1,236"]
    assert rows[1][:2] == ["two", "0.25"]
    assert [ax.get_title(loc="left") for ax in benchmarks.chart(measured).axes] == ["one", "two"]


def test_the_kept_figures_are_of_the_kinds_that_are_measured() -> None:
    for line in benchmarks.lines():
        assert {"commit", "date", "measured", "machine", "figures"} == line.keys()
        assert all(value > 0 for value in line["figures"].values())
