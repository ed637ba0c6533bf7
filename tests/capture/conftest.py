"""The tools that captures are held against."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope.results.captured import Captured

#: tshark checks every checksum there is, and gives bare numbers of TCP.
CHECKS = [
    *("-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"),
    *("-o", "wlan.check_checksum:TRUE", "-o", "tcp.relative_sequence_numbers:FALSE"),
]


def tool(name: str) -> str:
    """The path of a program; a test that lacks it is left out, but where all have to be there it fails."""
    path = shutil.which(name)
    if path is None and os.environ.get("HOPSCOPE_ALL_TOOLS"):
        pytest.fail(f"{name} is not installed, and here no test may be left out (Debian: apt install {name})")
    if path is None:
        pytest.skip(f"{name} is not installed (Debian: apt install {name})")
    return path


@pytest.fixture
def tshark() -> Callable[..., list[str]]:
    """Runs tshark over a file and gives its lines."""
    program = tool("tshark")

    def run(path: Path, *arguments: str) -> list[str]:
        done = subprocess.run([program, *CHECKS, "-r", path, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


@pytest.fixture
def tcptrace() -> Callable[[Path], str]:
    program = tool("tcptrace")

    def run(path: Path) -> str:
        return subprocess.run([program, "-lrn", path], capture_output=True, text=True, check=True).stdout

    return run


@pytest.fixture
def capture(tmp_path: Path) -> Callable[..., Captured]:
    """Writes the capture of a scenario to a file of a name."""

    def write(scenario: dict[str, Any], name: str = "run.pcapng", **choice: Any) -> Captured:
        return hs.run(scenario, seeds=1).pcap(tmp_path / name, **choice)

    return write
