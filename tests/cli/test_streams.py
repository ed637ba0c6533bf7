"""Standard streams that are closed, full or nobody reads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="file descriptors of POSIX")


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    text = command.replace("hopscope", f"'{sys.executable}' -m hopscope")
    return subprocess.run(["sh", "-c", text], cwd=folder, capture_output=True, text=True, timeout=1800, check=False)


def test_a_closed_standard_output_is_no_fault(folder: Path) -> None:
    ended = shell("hopscope list >&-", folder)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_messages_do_not_move_to_standard_output_when_standard_error_is_closed(folder: Path) -> None:
    ended = shell("hopscope check missing.toml 2>&-", folder)
    assert (ended.returncode, ended.stdout) == (2, "")


def test_a_reader_that_leaves_early_sees_no_traceback(folder: Path) -> None:
    ended = shell("hopscope schema | head -1", folder)
    assert (ended.stdout, ended.stderr) == ("{\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_behind_standard_output_is_told(folder: Path) -> None:
    ended = shell("hopscope list > /dev/full", folder)
    assert ended.returncode == 1
    assert ended.stderr == "hopscope: standard output: No space left on device\n"


def test_a_file_in_place_of_a_store_is_told(folder: Path) -> None:
    ended = shell("hopscope show chain.toml", folder)
    assert (ended.returncode, ended.stderr) == (2, "hopscope: chain.toml: is a file; a result store is a folder\n")


def test_help_shows_no_value_for_options_that_take_none(folder: Path) -> None:
    for verb in ("", "run", "reproduce", "list", "show", "check"):
        ended = shell(f"hopscope {verb} --help", folder)
        assert ended.returncode == 0
        flags = [line for line in ended.stdout.splitlines() if " --json " in line or " --quick " in line]
        assert not [line for line in flags if "<bool>" in line]
        assert flags or not verb
