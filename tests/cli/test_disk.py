"""A disk that takes no more: what is written is whole or absent, and nobody is blamed for bad input."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

#: Larger files than this cannot be written, in bytes: tables of the smallest stores fit, figures do not.
ROOM = 34 * 1024


@pytest.fixture
def cramped(folder: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def start(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["sh", "-c", f'ulimit -f {ROOM // 512}; exec "$0" -m hopscope "$@"', sys.executable, *arguments]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1800, check=False)

    return start


@pytest.mark.parametrize(
    ("command", "file"),
    [
        (("check", "chain.toml", "--picture", "p.png"), "p.png"),
        (("model", "optimal-window", "hops=1..48", "--plot", "p.png"), "p.png"),
        (("explain", "chain.toml", "--plot", "p.png", "--out", "kept"), "p.png"),
        (("report", "store"), "store/figures"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_without_room_the_status_is_one_and_no_picture_is_half_there(
    command: tuple[str, ...], file: str, hopscope: Any, cramped: Any, folder: Path
) -> None:
    assert hopscope("run", "chain.toml", "--out", "store").returncode == 0
    done = cramped(*command)
    assert (done.returncode, done.stdout) == (1, "")
    assert file in done.stderr
    assert "File too large" in done.stderr
    left = [path for path in folder.rglob("*") if path.suffix in {".png", ".svg", ".pdf", ".html", ".tmp"}]
    assert all(path.read_bytes().endswith((b"IEND\xaeB`\x82", b"</svg>\n", b"%%EOF\n")) for path in left)


def test_a_full_disk_is_no_bad_input(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno

    import hopscope as hs
    from hopscope.io import files
    from hopscope.reporting.page import store_page

    result = hs.run(folder / "chain.toml", out=folder / "store")

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(hs.RunFailed, match=r"other: cannot be written: the disk is full$"):
        hs.run(folder / "chain.toml", out=folder / "other")
    with pytest.raises(hs.RunFailed, match=r"the disk is full$"):
        store_page([result], folder / "page", title="x", store="store", engine="x")


def test_where_a_plot_goes_is_looked_at_before_the_runs(hopscope: Any, folder: Path) -> None:
    (folder / "taken.png").mkdir()
    for plot, reason in (
        ("/proc/none/x.png", "No such file or directory"),
        ("chain.toml/x.png", "Not a directory"),
        ("taken.png", "Is a directory"),
    ):
        done = hopscope("explain", "chain.toml", "--plot", plot)
        assert done.returncode == 2
        assert done.stderr == f"hopscope: --plot {plot}: cannot be written: {reason}\n"
        assert not (folder / "results").exists()
