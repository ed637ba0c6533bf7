"""The command as a user starts it: another process in an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Hopscope = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def folder(tmp_path: Path, chain_text: str) -> Path:
    (tmp_path / "chain.toml").write_text(chain_text)
    return tmp_path


@pytest.fixture
def hopscope(folder: Path) -> Hopscope:
    def start(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "hopscope", *arguments],
            cwd=folder,
            env={**os.environ, "COLUMNS": "160", **environment},
            capture_output=True,
            text=True,
            timeout=1800,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    return start
