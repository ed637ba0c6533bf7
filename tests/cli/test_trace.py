"""``hopscope trace``, and ``--trace-ns2`` of ``run``: what is printed, what is refused, what a broken output leaves."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import hopscope as hs

Hopscope = Callable[..., "subprocess.CompletedProcess[str]"]


def test_text_and_json_have_a_line_for_each_record(hopscope: Hopscope, folder: Path) -> None:
    text = hopscope("trace", "chain.toml", "--to", "1.1s")
    lines = hopscope("trace", "chain.toml", "--to", "1.1s", "--json")
    assert (text.returncode, text.stderr) == (lines.returncode, lines.stderr) == (0, "")
    records = [json.loads(line) for line in lines.stdout.splitlines()]
    assert len(records) == len(text.stdout.splitlines()) > 100
    assert all(record["time"] <= 1_100_000_000 for record in records)
    assert [line.split()[1] for line in text.stdout.splitlines()] == [record["record"] for record in records]
    assert hs.trace(folder / "chain.toml", stop="1.1s") == records


def test_a_stored_run_is_traced_by_point_and_seed(hopscope: Hopscope, folder: Path) -> None:
    assert hopscope("run", "chain.toml", "--out", "store", "--seeds", "2", "--no-progress").returncode == 0
    chosen = ["--kind", "Delivered", "--json"]
    found = hopscope("trace", "store", "--point", "1", "--seed", "2", *chosen)
    assert (found.returncode, found.stderr) == (0, "")
    [run] = [run for run in hs.open_store(folder / "store").results()[0].points[1].runs if run["seed"] == 2]
    delivered = sum(json.loads(line)["bytes"] for line in found.stdout.splitlines())
    assert delivered == run["flows"][0]["received_bytes"] > 0
    assert found.stdout != hopscope("trace", "store", "--point", "0", "--seed", "2", *chosen).stdout
    assert found.stdout == hopscope("trace", "chain.toml", "--point", "1", "--seed", "2", *chosen).stdout
    for verb in ("trace", "timeline", "sequence", "pcap"):
        refused = hopscope(verb, "store", "--point", "2")
        reported = "hopscope: point 2: there is none; the points are 0 to 1, which differ in flow.0.packet\n"
        assert (refused.returncode, refused.stderr) == (2, reported), verb
        refused = hopscope(verb, "store", "--seed", "9")
        reported = "hopscope: seed 9: found no such run; allowed: 1, 2\n"
        assert (refused.returncode, refused.stderr) == (2, reported), verb


def test_a_point_is_named_by_its_value_too(hopscope: Hopscope) -> None:
    named = [hopscope("trace", "chain.toml", "--point", point, "--to", "1.1s") for point in ("1", "flow.0.packet=1000")]
    assert named[0].returncode == 0
    assert named[0].stdout == named[1].stdout != hopscope("trace", "chain.toml", "--to", "1.1s").stdout
    for verb, file in (("timeline", "t.svg"), ("sequence", "s.svg"), ("pcap", "c.pcapng")):
        done = hopscope(verb, "chain.toml", "--point", "flow.0.packet=1000", "--out", file)
        assert done.returncode == 0, done.stderr
        refused = hopscope(verb, "chain.toml", "--point", "flow.0.packet=7", "--out", file, "--force")
        reported = "point flow.0.packet=7: there is none; the points are 0 to 1, which differ in flow.0.packet"
        assert (refused.returncode, refused.stderr) == (2, f"hopscope: {reported}\n"), verb


def test_what_matches_nothing_is_said_and_no_error(hopscope: Hopscope) -> None:
    ended = hopscope("trace", "chain.toml", "--node", "99", "--kind", "dropped", "--to", "1.2s")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr == "no record matches: node 99; kind Dropped; to 1.2 s\n"


def test_a_node_that_is_not_there_has_no_timeline(hopscope: Hopscope, folder: Path) -> None:
    ended = hopscope("timeline", "chain.toml", "--node", "99", "--out", "absent.html")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "hopscope: node 99: there is none; the nodes are 0 to 2\n"
    assert not (folder / "absent.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--kind", "Droped"],
            'kind Droped: no record has that name (did you mean "Dropped"?); there are "FrameBegan"',
        ),
        (["--from", "soon"], "from soon: "),
        (["--from", "2s", "--to", "1s"], "to 1s: lies before from 2s"),
        (["--trace-ns2", "x.tr", "--json"], "--trace-ns2: has lines of its own"),
        (["--out", "chain.toml"], "chain.toml: is there already; --force replaces it"),
        (["--out", "chain.toml/x"], "chain.toml/x: cannot be written: Not a directory"),
    ],
)
def test_bad_requests_are_refused(arguments: list[str], message: str, hopscope: Hopscope, folder: Path) -> None:
    before = (folder / "chain.toml").read_text()
    ended = hopscope("trace", "chain.toml", *arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"hopscope: {message}")
    assert (folder / "chain.toml").read_text() == before
    assert sorted(p.name for p in folder.iterdir()) == ["chain.toml"]


def test_endings_compress_and_force_writes_over(hopscope: Hopscope, folder: Path) -> None:
    for name in ("a.txt", "a.txt.gz", "a.txt.zst"):
        assert hopscope("trace", "chain.toml", "--to", "1.1s", "--out", name).returncode == 0
    plain = (folder / "a.txt").read_bytes()
    assert gzip.decompress((folder / "a.txt.gz").read_bytes()) == plain
    with pa.CompressedInputStream(str(folder / "a.txt.zst"), "zstd") as stream:
        assert stream.read() == plain
    shorter = hopscope("trace", "chain.toml", "--to", "1.05s", "--out", "a.txt", "--force")
    assert shorter.returncode == 0
    assert plain.startswith((folder / "a.txt").read_bytes())
    assert len((folder / "a.txt").read_bytes()) < len(plain)


def test_run_writes_an_ns2_trace_of_each_run(hopscope: Hopscope, folder: Path) -> None:
    ended = hopscope("run", "chain.toml", "--seeds", "2", "--out", "store", "--trace-ns2", "t.tr.gz", "--no-progress")
    assert ended.returncode == 0
    assert "ns-2 trace: 4 files, the first t.p0.s1.tr.gz" in ended.stderr
    plain = hopscope("run", "chain.toml", "--seeds", "2", "--out", "plain", "--no-progress")
    assert plain.stdout == ended.stdout
    text = gzip.decompress((folder / "t.p1.s2.tr.gz").read_bytes()).decode()
    assert hopscope("trace", "store", "--point", "1", "--seed", "2", "--trace-ns2", "again.tr").returncode == 0
    assert (folder / "again.tr").read_text() == text
    refused = hopscope("run", "chain.toml", "--seeds", "2", "--out", "store", "--trace-ns2", "t.tr.gz")
    assert (refused.returncode, refused.stderr) == (
        2,
        "hopscope: t.p0.s1.tr.gz: is there already; --force replaces it\n",
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_ends_the_trace_and_not_the_run(hopscope: Hopscope, folder: Path) -> None:
    one = (folder / "chain.toml").read_text().partition("[sweep]")[0]
    (folder / "chain.toml").write_text(one)
    ended = hopscope("run", "chain.toml", "--seeds", "1", "--out", "store", "--trace-ns2", "/dev/full", "--no-progress")
    assert ended.returncode == 0
    assert "/dev/full: the trace ends early: the disk is full; its run is whole\n" in ended.stderr
    assert "kbit/s" in ended.stdout
    alone = hopscope("trace", "chain.toml", "--out", "/dev/full")
    assert alone.returncode == 1
    assert "/dev/full: the trace ends" in alone.stderr
    assert "the disk is full" in alone.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_reader_that_leaves_ends_the_trace_with_a_message(folder: Path) -> None:
    command = f"'{sys.executable}' -m hopscope trace chain.toml | head -n 1"
    ended = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert len(ended.stdout.splitlines()) == 1
    assert ended.stderr.startswith("hopscope: standard output: the trace ends after ")
    assert ended.stderr.endswith("its reader has gone\n")
