"""``hopscope compare``: stores, files, points of a sweep; what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runfiles import remove

TCP = """\
title = "pair"
duration = "6s"
topology = { kind = "chain", hops = 3 }
flow = [{ from = 0, to = "last", transport = "tcp-newreno", max_window = 16 }]
"""


@pytest.fixture
def tcp(folder: Path) -> Path:
    (folder / "tcp.toml").write_text(TCP)
    return folder


def test_a_question_becomes_sentence_number_and_figure(hopscope: Any, tcp: Path) -> None:
    done = hopscope(
        "compare", "tcp.toml", "--by", "flow.0.transport=tcp-newreno,tcp-vegas", "--figure", "f.pdf", "--report"
    )
    assert done.returncode == 0, done.stderr
    assert "tcp-vegas against tcp-newreno" in done.stdout
    assert "delay: tcp-vegas is lower than tcp-newreno by " in done.stdout
    assert ", 5 seeds" in done.stdout
    assert (tcp / "f.pdf").read_bytes().startswith(b"%PDF")
    [page] = (tcp / "results").glob("compare-pair-*/compare.html")
    assert "<img" in page.read_text()
    assert (page.parent / "figures" / "compare-differences.svg").exists()
    again = hopscope("compare", "tcp.toml", "--by", "flow.0.transport=tcp-newreno,tcp-vegas", "--json")
    reported = json.loads(again.stdout)
    assert {row["verdict"] for row in reported["comparisons"]} <= {"higher", "lower", "within noise", "equal"}
    assert [row["n"] for row in reported["comparisons"]] == [5, 5, 5]


def test_stores_and_files_and_their_points(hopscope: Any, tcp: Path) -> None:
    sweep = "sweep.flow.0.max_window=[1,16]"
    hopscope("run", "tcp.toml", "--seeds", "3", "--set", sweep, "--out", "a")
    hopscope("run", "tcp.toml", "--seeds", "3", "--set", sweep, "--set", "flow.0.transport=tcp-vegas", "--out", "b")
    done = hopscope("compare", "a", "b", "--metric", "delay_ms", "--out", "c")
    assert done.returncode == 0, done.stderr
    assert "delay at receiver's window 16: " in done.stdout
    assert not (tcp / "c" / "manifest.json").exists()
    points = hopscope("compare", "a:flow.0.max_window=1", "a:flow.0.max_window=16", "--json", "--out", "c")
    assert {row["first"] for row in json.loads(points.stdout)["comparisons"]} == {"max_window = 1"}
    mixed = hopscope("compare", "a:flow.0.max_window=16", "tcp.toml:mac.queue=2", "--json", "--out", "d")
    assert mixed.returncode == 0, mixed.stderr
    assert {row["n"] for row in json.loads(mixed.stdout)["comparisons"]} == {3}
    # A lost run: said, and paired over the rest.
    remove(tcp / "b")
    reported = hopscope("compare", "a", "b", "--metric", "delay_ms", "--out", "c")
    assert reported.returncode == 0
    assert ": paired over the rest" in reported.stdout
    assert "5 of 6 runs are there" in reported.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tcp.toml"], "one side alone"),
        (["tcp.toml", "--by", "flow.0.transport=tcp-cubic"], "expected at least two values"),
        (["tcp.toml", "--by", "flow.0.trnsport=tcp,udp"], '--by flow.0.trnsport=["tcp", "udp"]: sweep value tcp: '),
        (["tcp.toml", "--by", "flow.0.transport"], '--by "flow.0.transport=VALUE,VALUE"'),
        (["tcp.toml", "tcp.toml:flow.0.max_window=2", "--metric", "dely_ms"], 'did you mean "delay_ms"'),
        (["a", "chain.toml", "--set", "mac.queue=3"], "a: is a store of finished runs"),
        (["a:flow.0.max_window=2", "tcp.toml"], "no point has flow.0.max_window = 2"),
        (["a", "later"], "have no seed in common"),
        (["a", "udp", "--metric", "flow.0.shared_secret"], 'no metric "shared_secret"'),
        (["nothing", "a"], "nothing"),
        (["a", "tcp.toml", "--figure", "x.gif"], "--figure x.gif"),
    ],
)
def test_bad_input_is_named_with_status_2(hopscope: Any, tcp: Path, words: list[str], message: str) -> None:
    hopscope("run", "tcp.toml", "--seeds", "2", "--out", "a")
    hopscope("run", "tcp.toml", "--set", "seed=9", "--out", "later")
    hopscope("run", "chain.toml", "--out", "udp")
    done = hopscope("compare", *words, "--out", "x")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tcp / "x" / "compare.html").exists()


def test_measurements_stand_next_to_a_store(hopscope: Any, tcp: Path) -> None:
    sweep = "sweep.flow.0.max_window=[1,16]"
    hopscope("run", "tcp.toml", "--seeds", "2", "--set", sweep, "--out", "a")
    (tcp / "m.csv").write_text("w,throughput (Mbit/s),delay_ms\n1,0.4,30\n4,0.5,60\n16,0.5,\n")
    done = hopscope("compare", "a", "m.csv", "--map", "w=max_window", "--out", "c", "--report")
    assert done.returncode == 0, done.stderr
    assert "simulated against measured (m.csv)" in done.stdout
    assert "of 3 measured values cannot be distinguished from the simulation" in done.stdout
    assert "measured, not simulated: receiver's window 4" in done.stdout
    assert (tcp / "c/figures/throughput-kbps-over-flow-0-max_window.svg").exists()
    assert "n: seeds / measurements" in (tcp / "c/compare.html").read_text()
    again = hopscope("compare", "tcp.toml", "m.csv", "--map", "w=max_window", "--set", sweep, "--json", "--out", "d")
    assert [row["n"] for row in json.loads(again.stdout)["comparisons"]] == [5, 5, 5]
    page = hopscope("report", "a", "--measured", "m.csv", "--map", "w=max_window", "--out", "r")
    assert page.returncode == 0, page.stderr
    assert "Compared with m.csv" in (tcp / "r/report.html").read_text()
    for words, message in (
        (["compare", "a", "m.csv"], 'm.csv:1: column "w": no key or metric'),
        (["compare", "a", "m.csv", "--by", "flow.0.max_window"], "goes with two sides of runs"),
        (["compare", "a", "a", "--map", "w=max_window"], "--map: is for the columns of a file of measurements"),
        (["report", "a", "--map", "w=max_window"], "--map: is for the columns of --measured"),
        (["report", "a", "--measured", "none.csv"], "none.csv: cannot be read"),
    ):
        refused = hopscope(*words)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert message in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
