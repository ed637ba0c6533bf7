"""The campaign of kills and corruptions, a few cases of it: that it finds what it looks for, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


def test_a_few_cases_of_each_campaign() -> None:
    few = ["--kills", "4", "--power", "3", "--corruptions", "25", "--full", "2", "--together", "1"]
    done = subprocess.run([sys.executable, BENCH / "crash.py", *few], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == [
        "kills: 4 cases",
        "power: 3 cases",
        "corruptions: 25 cases",
        "full: 2 cases",
        "together: 1 cases",
    ]


def test_a_number_that_differs_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    crash: ModuleType = __import__("crash")
    campaign = crash.Campaign(tmp_path, 1)
    place, run = next(iter(campaign.expected.items()))
    campaign.expected[place] = json.dumps({**json.loads(run), "seed": 99})
    with pytest.raises(crash.BrokenPromiseError, match="other numbers at"):
        campaign.corruptions(3)
