"""Shards brought together: by scripts for Slurm, run here in a shell, and by merge."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope.campaign.merge import LOCK
from hopscope.errors import PartialResult, StoreError
from hopscope.running.slurm import _limit

#: Stands in for sbatch: notes its arguments, and gives numbers to jobs.
SBATCH = """\
#!/bin/sh
echo "$@" >> "$NOTES"
if [ "$1" = --parsable ]; then echo "17;cluster"; else echo "Submitted batch job 18"; fi
"""


def flows_of(result: hs.Result) -> list[Any]:
    return [[run["flows"] for run in point.runs] for point in result.points]


def task(script: Path, number: int | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **({} if number is None else {"SLURM_ARRAY_TASK_ID": str(number)})}
    return subprocess.run(["bash", script], env=environment, capture_output=True, text=True, check=False)


def test_the_array_and_the_merge_give_the_whole_store(chain: Path, tmp_path: Path) -> None:
    store, folder = tmp_path / "a store", tmp_path / "its scripts"
    options = ["--account=mine", "--mem=1G"]
    jobs = hs.slurm(
        chain, out=store, folder=folder, tasks=3, seeds=3, partition="short", time="1:00:00", sbatch=options
    )
    assert (jobs.tasks, jobs.runs) == (3, 6)
    array, merge, submit = jobs.files
    lines = array.read_text().splitlines()
    assert {
        "#SBATCH --array=1-3", "#SBATCH --time=1:00:00", "#SBATCH --partition=short", "#SBATCH --account=mine",
        "#SBATCH --job-name=short-chain", "#SBATCH --mem=1G", "#SBATCH --cpus-per-task=1",
    } <= set(lines)  # fmt: skip

    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sbatch").write_text(SBATCH)
    (tmp_path / "bin" / "sbatch").chmod(0o755)
    path = f"{tmp_path}/bin:{os.environ['PATH']}"
    notes = tmp_path / "notes"
    subprocess.run(jobs.command, shell=True, env={"PATH": path, "NOTES": str(notes)}, check=True, capture_output=True)
    assert notes.read_text().splitlines() == [f"--parsable {array}", f"--dependency=afterany:17 {merge}"]
    assert submit.name == "submit.sh"

    assert (task(array, 1).returncode, task(array, 3).returncode) == (0, 0)
    lacking = task(merge)
    assert lacking.returncode == 3
    said = "shard 2 of 3: 2 of 6 runs are missing; the tables are made of the others; start again with --shard 2/3"
    assert lacking.stderr == f"hopscope: {store}: {said}\n"
    assert hs.verify(store, sample=0).problems == ()
    assert task(array, 2).returncode == 0
    done = task(merge)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{store}: all 6 runs are there, and the tables are made of them\n"
    assert hs.verify(store, sample=0).is_proved
    [result] = hs.open_store(store).results()
    assert flows_of(result) == flows_of(hs.run(chain, seeds=3))


def test_lines_before_the_command_find_hopscope_on_the_path(chain: Path, tmp_path: Path) -> None:
    keys = {"flow.0.rate": "50kbps", "mac.queue": 5}
    jobs = hs.slurm(
        chain,
        out=tmp_path / "s",
        tasks=1,
        before=["module load python"],
        set=keys,
        sweep={"topology.hops": [1, 2]},
        cpus=4,
    )
    text = jobs.files[0].read_text()
    assert "\nmodule load python\nset -eu\n" in text
    assert "\nexec hopscope run " in text
    assert " --set flow.0.rate=50kbps --set mac.queue=5 --sweep topology.hops=1,2 " in text
    assert '--shard "$SLURM_ARRAY_TASK_ID/1" --jobs 4 --no-progress' in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tasks": 0}, "--tasks 0: expected 1 to 4, the number of runs"),
        ({"tasks": 5}, "--tasks 5: expected 1 to 4"),
        ({"time": "soon"}, "--time soon: expected a time limit of Slurm"),
        ({"time": "0"}, "--time 0: expected a time limit of Slurm above zero"),
        ({"time": "0:01", "set": {"duration": "100000s"}, "tasks": 1}, "--time 0:01: a task takes about"),
        ({"cpus": 0}, "--cpus 0: must be at least 1"),
        ({"partition": "a b"}, "--partition 'a b': expected the name"),
        ({"sbatch": ["mem=1"]}, "--sbatch 'mem=1': expected an option"),
        ({"sbatch": ["--array=1-9"]}, "--sbatch --array=1-9: --array is what"),
        ({"before": ["a\nb"]}, "--before 'a"),
        ({"folder": "per%cent"}, "choose another folder"),
    ],
)
def test_nonsense_is_refused_by_name(chain: Path, tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(hs.InputError) as refused:
        hs.slurm(chain, out=tmp_path / "store", **options)
    assert said in str(refused.value)
    assert not (tmp_path / "store-slurm").exists()


def test_scripts_that_are_there_are_not_replaced_unless_wanted(chain: Path, tmp_path: Path) -> None:
    first = hs.slurm(chain, out=tmp_path / "store", tasks=2)
    assert hs.slurm(chain, out=tmp_path / "store", tasks=2) == first
    with pytest.raises(hs.InputError, match=r"array\.sh: exists already; --force replaces it"):
        hs.slurm(chain, out=tmp_path / "store", tasks=4)
    assert hs.slurm(chain, out=tmp_path / "store", tasks=4, force=True).tasks == 4


@pytest.mark.parametrize(
    ("time", "seconds"),
    [("30", 1800), ("30:15", 1815), ("1:30:00", 5400), ("1-12", 129_600), ("1-12:30", 131_400), ("0-0:0:9", 9)],
)
def test_time_limits_are_read_as_slurm_reads_them(time: str, seconds: int) -> None:
    assert _limit(time) == seconds


def test_shards_of_folders_of_their_own_are_merged_into_one(chain: Path, tmp_path: Path) -> None:
    one, two, other = (tmp_path / name for name in ("one", "two", "other"))
    hs.run(chain, out=one, shard=(1, 2))
    hs.run(chain, out=two, shard=(2, 2))
    before = sorted((path.name, path.read_bytes()) for path in (two / "runs").iterdir())
    with pytest.raises(
        PartialResult, match=r"one: 2 of 4 runs are missing; the tables are made of the others; the com"
    ):
        hs.merge(one)
    hs.merge(one, two)
    assert hs.verify(one).is_proved
    assert sorted((path.name, path.read_bytes()) for path in (two / "runs").iterdir()) == before
    assert flows_of(hs.open_store(one).results()[0]) == flows_of(hs.run(chain))
    hs.run(chain, set={"duration": "1s"}, out=other)
    with pytest.raises(hs.InputError, match=r"other: has no run of .*one: its scenario, seeds or build are others"):
        hs.merge(one, other)
    shutil.rmtree(other)
    with pytest.raises(StoreError, match="other: no such folder"):
        hs.merge(one, other)
    assert hs.verify(one, sample=0).is_proved


def test_of_two_merges_at_once_one_waits(chain: Path, tmp_path: Path) -> None:
    hs.run(chain, out=tmp_path / "store")
    with (tmp_path / "store" / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = [sys.executable, "-m", "hopscope", "merge", str(tmp_path / "store")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("store: another merge is at work there; wait for it, nothing was changed\n")
    hs.merge(tmp_path / "store")
