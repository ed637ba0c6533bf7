"""The journal: what a dead run has left is removed by name, what lives or belongs to others is not touched."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hopscope.errors import InputError
from hopscope.live import journal
from hopscope.live.journal import Journal, living, recover

#: Makes a journal in the folder that is named, says so, and waits for its end.
HOLD = """
import sys, time
from pathlib import Path
from hopscope.live.journal import Journal
held = Journal(Path(sys.argv[1]), sys.argv[2])
held.note("namespace", name=sys.argv[2] + "-n0")
print("held", flush=True)
time.sleep(60)
"""


@contextlib.contextmanager
def hold(runs: Path, name: str) -> Iterator[subprocess.Popen[str]]:
    """A run that lives; it is killed at the end."""
    with subprocess.Popen([sys.executable, "-c", HOLD, str(runs), name], stdout=subprocess.PIPE, text=True) as held:
        assert held.stdout is not None
        assert held.stdout.readline() == "held\n"
        yield held
        held.kill()


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the place of /run/netns."""
    place = tmp_path / "netns"
    place.mkdir()
    monkeypatch.setattr(journal, "NAMES", place)
    return place


def test_a_step_stands_in_the_journal_before_it_is_done(tmp_path: Path) -> None:
    held = Journal(tmp_path, "hs-1")
    held.note("namespace", name="hs-1-n0")
    steps = [json.loads(line) for line in (tmp_path / "hs-1" / "journal").read_text().splitlines()]
    assert [step["step"] for step in steps] == ["run", "namespace"]
    assert steps[0]["mark"] == held.mark
    held.undo()
    assert not (tmp_path / "hs-1").exists()


def test_what_a_killed_run_has_left_is_removed_and_a_living_one_is_left_alone(tmp_path: Path, names: Path) -> None:
    runs = tmp_path / "runs"
    with hold(runs, "hs-1"):
        pass
    (names / "other").touch()
    (names / "hs-1-n0").touch()
    with hold(runs, "hs-2"):
        (names / "hs-2-n0").touch()
        assert recover(runs) == ["namespace hs-1-n0"]
        assert sorted(path.name for path in names.iterdir()) == ["hs-2-n0", "other"]
        assert [folder.name for folder in living(runs)] == ["hs-2"]
        assert recover(runs) == []
    assert recover(runs) == ["namespace hs-2-n0"]
    assert list(runs.iterdir()) == []


def test_the_name_of_a_living_run_is_not_taken(tmp_path: Path) -> None:
    with hold(tmp_path, "hs-1"), pytest.raises(InputError, match="another run of this name"):
        Journal(tmp_path, "hs-1")
    Journal(tmp_path, "hs-1").undo()


def test_a_line_that_a_kill_has_cut_and_names_of_others_are_not_followed(tmp_path: Path, names: Path) -> None:
    folder = tmp_path / "hs-1"
    folder.mkdir()
    lines = [
        '{"step": "run", "mark": "hs-1-00"}',
        '{"step": "namespace", "name": "other"}',
        '{"step": "namespace", "na',
    ]
    (folder / "journal").write_text("\n".join(lines))
    (names / "other").touch()
    assert recover(tmp_path) == []
    assert (names / "other").exists()
    assert not folder.exists()


def test_a_folder_without_a_journal_was_killed_at_its_beginning(tmp_path: Path) -> None:
    (tmp_path / "hs-1").mkdir()
    assert recover(tmp_path) == []
    assert not (tmp_path / "hs-1").exists()


def test_a_folder_that_gets_its_journal_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A start between the making of a folder and of its journal must not take them for left over."""
    folder = tmp_path / "hs-1"
    folder.mkdir()
    rmdir = Path.rmdir

    def slow(self: Path) -> None:
        (self / "journal").write_text("{}\n")  # what the owner does now
        rmdir(self)

    monkeypatch.setattr(Path, "rmdir", slow)
    assert journal.recover(tmp_path) == []
    assert (folder / "journal").exists()


def test_programs_of_a_dead_run_end_by_their_mark_alone(tmp_path: Path) -> None:
    folder = tmp_path / "hs-1"
    folder.mkdir()
    (folder / "journal").write_text('{"step": "run", "mark": "hs-1-abc"}\n')

    def sleep(mark: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(["sleep", "60"], env={**os.environ, journal.MARK: mark})

    own, other = sleep("hs-1-abc"), sleep("hs-1-abcd")
    try:
        assert recover(tmp_path) == [f"process {own.pid}"]
        assert own.wait(5) == -9
        assert other.poll() is None
    finally:
        for process in (own, other):
            process.kill()
            process.wait()
