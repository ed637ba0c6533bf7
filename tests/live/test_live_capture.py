"""Captures of live runs, with the engine itself as the radio."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("nothing_left")

SCENARIO = """
duration = "600ms"
topology = { kind = "chain", hops = 1 }
flow = [{ from = 0, to = 1, transport = "udp", app = "cbr", rate = "80kbps", packet = 500 }]
"""


def live(folder: Path, capture: str) -> subprocess.CompletedProcess[str]:
    file = folder / "pair.toml"
    file.write_text(SCENARIO)
    words = [sys.executable, "-m", "hopscope", "live", str(file), "--pcap", capture, "--force"]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)


def test_a_capture_on_a_full_disk_is_said_to_be_cut(tmp_path: Path) -> None:
    done = live(tmp_path, "/dev/full")
    assert done.returncode == 1
    assert "/dev/full: the capture ended at " in done.stderr
    assert "No space left on device" in done.stderr
    assert done.stderr.endswith("hopscope: the capture is not whole; the run is\n")
    assert "the flow carried" in done.stdout


def test_a_capture_that_is_whole_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "pair.pcapng"
    done = live(tmp_path, str(file))
    assert done.returncode == 0, done.stderr
    assert f"{file}: " in done.stderr
    assert " packets" in done.stderr
    assert file.stat().st_size > 500
