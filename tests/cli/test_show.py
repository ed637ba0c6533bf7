"""``hopscope show``: chosen metrics, sorted, and written as CSV, Markdown, LaTeX and Parquet."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import hopscope as hs
from hopscope.reporting import listing
from hopscope.reporting.wording import Column, Grid


@pytest.fixture
def store(hopscope: Any, folder: Path) -> Path:
    done = hopscope("run", "chain.toml", "--seeds", "3", "--set", "sweep.flow.0.packet=[500,1400,1000]", "--out", "s")
    assert done.returncode == 0, done.stderr
    return folder / "s"


def rows(text: str) -> list[list[str]]:
    lines = [line.split("  ") for line in text.splitlines()]
    return [[cell.strip() for cell in line if cell.strip()] for line in lines if "± " in "".join(line)]


def test_metrics_are_chosen_and_sorted(hopscope: Any, store: Path) -> None:
    done = hopscope("show", "s", "--metric", "delay_p99_ms", "--metric", "network.jain", "--sort", "delay_p99_ms")
    assert done.returncode == 0, done.stderr
    assert "99th percentile of the delay (ms)" in done.stdout
    assert [row[0] for row in rows(done.stdout)] == ["500", "1000", "1400"]
    down = hopscope("show", "s", "--sort", "flow.0.packet", "--descending")
    assert [row[0] for row in rows(down.stdout)] == ["1400", "1000", "500"]
    narrow = hopscope(
        "show", "s", "--metric", "throughput_kbps", "--metric", "delay_ms", "--metric", "gap_p99_ms", COLUMNS="40"
    )
    assert "99th percentile of the gap" in narrow.stdout


def test_what_does_not_vary_leaves_a_narrow_table_and_is_said(hopscope: Any, folder: Path) -> None:
    tcp = ("--set", "flow.0.transport=tcp-newreno")
    hopscope("run", "chain.toml", "--out", "t", *tcp)
    narrow = hopscope("show", "t", COLUMNS="90").stdout
    assert "(the same in every row: " in narrow
    assert "timeouts 0" in narrow
    assert max(map(len, narrow.splitlines()[:8])) <= 90


def test_a_run_shows_chosen_metrics_at_once(hopscope: Any, store: Path) -> None:
    run = ("run", "chain.toml", "--seeds", "3", "--set", "sweep.flow.0.packet=[500,1400,1000]", "--out", "s")
    chosen = ("--metric", "delay_p99_ms", "--sort", "delay_p99_ms")
    done = hopscope(*run, *chosen)
    assert (done.returncode, done.stdout) == (0, hopscope("show", "s", *chosen).stdout), done.stderr
    assert [row[0] for row in rows(done.stdout)] == ["500", "1000", "1400"]
    assert hopscope(*run, "--write", "run.csv").stdout == ""
    hopscope("show", "s", "--write", "show.csv")
    assert (store.parent / "run.csv").read_bytes() == (store.parent / "show.csv").read_bytes()
    refused = hopscope("run", "chain.toml", "--metric", "delay_m", "--out", "none")
    assert refused.returncode == 2
    assert 'no metric "delay_m" (did you mean "delay_ms"?)' in refused.stderr
    assert not (store.parent / "none").exists()
    assert "--json prints every metric" in hopscope("run", "chain.toml", "--json", "--metric", "delay_ms").stderr


def test_many_flows_do_not_hide_the_sweep(hopscope: Any, folder: Path) -> None:
    voice = ("--set", "flow.0.app=voice", "--set", "flow.0.group=calls", "--set", "duration=4s")
    many = ("--set", 'sweep={"flow.0.copies"=[1,30,31]}')
    done = hopscope("run", "chain.toml", *voice, *many, "--out", "v")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("group calls (Jain ") == 2  # one flow shares with nobody
    assert [f"all {count} (Jain " in done.stdout for count in (1, 30, 31)] == [False, True, True]
    assert done.stdout.count(": 0 to ") == 1
    assert "(up to 31 flows a point, not one by one: hopscope show STORE --metric " in done.stdout
    few = hopscope("run", "chain.toml", *voice, "--set", 'sweep={"flow.0.copies"=[1,2,3]}', "--out", "w")
    assert few.stdout.count(": 0 to ") == 6
    assert "one by one" not in few.stdout


def test_tables_are_files(hopscope: Any, store: Path) -> None:
    files = ["t/a.csv", "t/a.md", "t/a.tex", "t/a.parquet"]
    chosen = ("--metric", "delay_ms", "--metric", "flow.0.loss_pct", "--sort", "flow.0.packet")
    done = hopscope("show", "s", *chosen, *(word for file in files for word in ("--write", file)))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    folder = store.parent / "t"
    [result] = hs.open_store(store).results()
    frame = pd.read_parquet(folder / "a.parquet")
    for point in result.points:
        row = frame[frame["flow.0.packet"] == point.set["flow.0.packet"]].iloc[0]
        assert row["delay_ms"] == point.interval("flow.0.delay_ms").mean
        assert row["delay_ms.ci95"] == point.interval("flow.0.delay_ms").ci95
        assert row["delay_ms.n"] == 3
    with (folder / "a.csv").open() as file:
        assert [line["flow.0.packet"] for line in csv.DictReader(file)] == ["500", "1000", "1400"]
    text = (folder / "a.md").read_text().splitlines()
    assert text[1].count("---") == text[0].count("|") - 1 == 5
    latex = (folder / "a.tex").read_text()
    assert all(rule in latex for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"$\pm$", r"flow.0.packet (bytes)"))
    assert latex.count(r" \\") == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--metric", "dely_ms"], 'did you mean "delay_ms"'),
        (["--metric", "flow.9.delay_ms"], "no flow 9"),
        (["--sort", "delay"], '--sort: no column "delay"'),
        (["--write", "x.xlsx"], "--write x.xlsx: the ending names the format"),
    ],
)
def test_bad_input_is_refused(hopscope: Any, store: Path, words: list[str], message: str) -> None:
    done = hopscope("show", "s", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert not (store.parent / "x.xlsx").exists()


def test_a_report_shows_the_chosen_metrics(hopscope: Any, store: Path) -> None:
    done = hopscope(
        "report", "s", "--metric", "gap_p95_ms", "--sort", "flow.0.packet", "--descending", "--write", "r.tex"
    )
    assert done.returncode == 0, done.stderr
    page = (store / "report.html").read_text()
    assert "95th percentile of the gap between arrivals (ms)" in page
    assert (store / "figures" / "gap-p95-ms-over-flow-0-packet.svg").exists()
    assert (store.parent / "r.tex").read_text().count(r" \\") == 4
    refused = hopscope("report", "s", "--metric", "dely_ms")
    assert refused.returncode == 2
    assert 'did you mean "delay_ms"' in refused.stderr


def test_what_a_stranger_named_does_nothing_in_a_table() -> None:
    """HTML and links run in Markdown, and a line break in a cell is the end of its row."""
    grid = Grid([Column("topology.path"), Column("n", number=True)], [["two\nlines <b>`[x](y)\\|&lt;\x1b[2J", "1"]])
    marked = listing.markdown(grid).splitlines()
    assert marked[2:] == [r"| two lines \<b>\`\[x\](y)\\\|\&lt;\\x1b\[2J | 1 |"]
    tex = listing.latex(grid).splitlines()
    cell = r"two lines \textless{}b\textgreater{}`[x](y)\textbackslash{}\textbar{}\&lt;\textbackslash{}x1b[2J"
    assert tex[5:6] == [cell + r" & 1 \\"]


@pytest.mark.parametrize(
    ("cell", "is_formula"),
    [
        ("-90 dBm", False), ("-5", False), ("+1.5e-3", False), ("-2+3", True), ("-cmd()", True), ("@SUM(1)", True),
        ("=1", True), ("a=b", False), ("-1e", False),
    ],
)  # fmt: skip
def test_quantities_are_no_formulas(cell: str, is_formula: bool) -> None:
    assert listing._no_formula(cell) == ("'" + cell if is_formula else cell)
    assert listing._no_formula(-5) == -5
