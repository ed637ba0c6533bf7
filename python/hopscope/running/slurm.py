"""Campaigns on a Slurm cluster: an array job over the shards of a scenario, and the merge that waits for it.

Options of ``sbatch`` and the variables of array jobs: https://slurm.schedmd.com/sbatch.html.
"""

from __future__ import annotations

import math
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopscope.campaign.cost import duration, estimate
from hopscope.campaign.nearby import default_out
from hopscope.campaign.plan import make_plan
from hopscope.errors import InputError
from hopscope.io.files import make_folder, not_written, write_whole
from hopscope.running.runner import COMMAND_SEEDS, prepare
from hopscope.scenario.spreading import values_of
from hopscope.scenario.sweep import set_text

#: Where nobody says how many tasks, each is to take so long by the estimate (s); a default of ours.
USUAL_TASK_S = 1800.0

#: Slurm takes no more tasks in an array unless its MaxArraySize was raised.
USUAL_MOST_TASKS = 1000

#: minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes, days-hours:minutes:seconds
_TIME = re.compile(r"(\d+-)?\d+(:\d+){0,2}")

#: What the scripts need as they write it.
_OURS = ("--array", "-a", "--dependency", "-d", "--parsable", "--wrap")


@dataclass(frozen=True)
class Jobs:
    """Scripts for Slurm.

    Attributes:
        files: the array job, the merge, and what submits both.
        tasks: tasks of the array.
        runs: runs that they do together.
        task_s: what a task takes by the estimate (s).
        command: submits them.
    """

    files: tuple[Path, ...]
    tasks: int
    runs: int
    task_s: float
    command: str


def slurm(
    file: str | Path,
    *,
    out: str | Path | None = None,
    folder: str | Path | None = None,
    tasks: int | None = None,
    time: str | None = None,
    cpus: int = 1,
    partition: str | None = None,
    sbatch: Sequence[str] = (),
    before: Sequence[str] = (),
    seeds: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    sweep: Mapping[str, Any] | None = None,
    quick: bool = False,
    trust: bool = False,
    force: bool = False,
) -> Jobs:
    """Writes an array job for Slurm that does the runs of a scenario, and the merge that waits for it.

    Args:
        file: the scenario.
        out: the result store, on a disk that all machines share; default: that of ``hopscope run``.
        folder: where the scripts and what the jobs print go; default: the name of the store with ``-slurm`` behind.
        tasks: tasks of the array; default: so many that each takes half an hour by the estimate.
        time: time limit of a task, as Slurm has it: ``30``, ``01:30:00``, ``1-12:00``.
        cpus: processors of a task; it does so many runs at a time.
        partition: partition of the cluster.
        sbatch: more options of ``sbatch``, such as ``--account=NAME``.
        before: lines of shell before the command, such as ``module load python``; with them ``hopscope`` is found on
            the path, without them the Python that runs now is taken.
        seeds: number of replications.
        set: dotted keys to change.
        sweep: dotted keys with the values that they take.
        quick: shorter runs and fewer seeds.
        trust: run code that the scenario names, wherever it lies.
        force: replace scripts that are there.

    Raises:
        InputError: a scenario or option that cannot be.
    """
    scenario = prepare(
        file,
        seeds=seeds,
        set=set,
        quick=quick,
        origin="--seeds",
        usual_seeds=COMMAND_SEEDS,
        sweep=sweep,
        swept_by="--sweep",
    )
    store = Path(out) if out is not None else default_out(scenario)
    runs = make_plan([scenario]).unique()
    cost = estimate(runs, 1).wall_s
    limit = _check(time=time, cpus=cpus, partition=partition, sbatch=sbatch, before=before)
    tasks = _tasks(tasks, len(runs), cost / cpus)
    task_s = cost / tasks / min(cpus, math.ceil(len(runs) / tasks))
    if limit is not None and task_s > limit:
        raise InputError(
            f"--time {time}: a task takes about {duration(task_s)} by the estimate; give it more time, or the "
            f"array more than {tasks} tasks"
        )
    place = Path(folder) if folder is not None else store.with_name(f"{store.name}-slurm")
    if "%" in str(place.absolute()) or "\n" in str(place.absolute()):
        raise InputError(f"{place}: Slurm replaces % in names of files; choose another folder with --to")
    words = _words(file, seeds=seeds, set=set, sweep=sweep, quick=quick, trust=trust)
    script = _Script(scenario.title, place.absolute(), Path.cwd(), store.absolute(), time, partition, sbatch, before)
    texts = {
        "array.sh": script.array(words, tasks, cpus),
        "merge.sh": script.merge(tasks),
        "submit.sh": script.submit(),
    }
    files = _write(place, texts, force)
    return Jobs(files, tasks, len(runs), task_s, f"sh {shlex.quote(str(files[-1]))}")


def _check(
    *, time: str | None, cpus: int, partition: str | None, sbatch: Sequence[str], before: Sequence[str]
) -> float | None:
    """Checks options and returns the time limit (s); None where there is none."""
    if type(cpus) is not int or cpus < 1:
        raise InputError(f"--cpus {cpus}: must be at least 1")
    if partition is not None and not re.fullmatch(r"[\w.,-]+", partition):
        raise InputError(f'--partition {partition!r}: expected the name of a partition, such as "short"')
    for line in sbatch:
        if not re.fullmatch(r"--?\w[^\n\r]*", line):
            raise InputError(f'--sbatch {line!r}: expected an option of sbatch, such as "--account=NAME"')
        if (name := re.split(r"[=\s]", line)[0]) in _OURS:
            raise InputError(f"--sbatch {line}: {name} is what --tasks and the merge are made by; leave it out")
    for line in before:
        if "\n" in line or "\r" in line or not line.strip():
            raise InputError(f'--before {line!r}: expected one line of shell, such as "module load python"')
    return None if time is None else _limit(time)


def _limit(time: str) -> float:
    """A time limit of Slurm (s)."""
    seconds = 0
    if _TIME.fullmatch(time):
        days, dash, rest = time.rpartition("-")
        numbers = [int(part) for part in rest.split(":")]
        if not dash and len(numbers) < 3:
            numbers.insert(0, 0)  # without hours
        hours, minutes, last = [*numbers, 0, 0][:3]
        seconds = 86_400 * int(days or 0) + 3600 * hours + 60 * minutes + last
    if seconds == 0:
        raise InputError(f"--time {time}: expected a time limit of Slurm above zero: 30 (minutes), 01:30:00, 1-12:00")
    return float(seconds)


def _tasks(given: int | None, runs: int, cost: float) -> int:
    if given is None:
        return max(1, min(runs, USUAL_MOST_TASKS, math.ceil(cost / USUAL_TASK_S)))
    if type(given) is not int or not 1 <= given <= runs:
        raise InputError(f"--tasks {given}: expected 1 to {runs}, the number of runs")
    return given


def _words(
    file: str | Path,
    *,
    seeds: int | None,
    set: Mapping[str, Any] | None,  # noqa: A002
    sweep: Mapping[str, Any] | None,
    quick: bool,
    trust: bool,
) -> list[str]:
    """The arguments of ``hopscope run`` that stand for a scenario."""
    words = [str(Path(file).absolute())]
    words += [] if seeds is None else ["--seeds", str(seeds)]
    for key, value in (set or {}).items():
        words += ["--set", set_text(key, value)]
    for key, values in (sweep or {}).items():
        text = ",".join(set_text(key, value).partition("=")[2] for value in values)
        if list(values_of(text)) != list(values):
            raise InputError(
                f"--sweep {key}: its values cannot stand in a command; write them into the [sweep] of the file"
            )
        words += ["--sweep", f"{key}={text}"]
    return [*words, *["--quick"] * quick, *["--trust"] * trust]


@dataclass(frozen=True)
class _Script:
    """The texts of the scripts."""

    title: str
    place: Path
    work: Path
    out: Path
    time: str | None
    partition: str | None
    sbatch: Sequence[str]
    before: Sequence[str]

    def array(self, words: Sequence[str], tasks: int, cpus: int) -> str:
        """The array job: a task is a shard."""
        options = [f"--array=1-{tasks}", f"--cpus-per-task={cpus}", *([f"--time={self.time}"] if self.time else [])]
        line = f'run {shlex.join(words)} --shard "$SLURM_ARRAY_TASK_ID/{tasks}" --jobs {cpus} --no-progress'
        return self._job("A task of this array is a shard of the campaign.", "array-%a", options, line)

    def merge(self, tasks: int) -> str:
        """The merge, which names what is missing."""
        said = "Brings the tables up to date when the array is done, and names shards that are missing."
        return self._job(said, "merge", [], f"merge --shards {tasks}")

    def submit(self) -> str:
        """What submits both: the merge begins when no task of the array is left, however they ended."""
        array, merge = (shlex.quote(str(self.place / name)) for name in ("array.sh", "merge.sh"))
        return (
            "#!/bin/sh\n# Submits the array job, and the merge that waits for it.\nset -eu\n"
            f"array=$(sbatch --parsable {array})\n"
            f'sbatch --dependency="afterany:${{array%%;*}}" {merge}\n'
        )

    def _job(self, said: str, log: str, options: Sequence[str], line: str) -> str:
        name = re.sub(r"[^\w.-]+", "-", self.title).strip("-") or "hopscope"
        every = [f"--job-name={name}", *options, *([f"--partition={self.partition}"] if self.partition else [])]
        every += [f"--output={shlex.quote(str(self.place / log))}.log", *self.sbatch]
        command = "hopscope" if self.before else f"{shlex.quote(sys.executable)} -m hopscope"
        verb, _, rest = line.partition(" ")
        store = shlex.quote(str(self.out))
        rest = f"{rest} --out {store}" if verb == "run" else f"{store} {rest}"
        return "\n".join(
            [
                "#!/bin/bash",
                f"# {said}",
                *(f"#SBATCH {option}" for option in every),
                *self.before,
                "set -eu",
                f"cd {shlex.quote(str(self.work))}",
                f"exec {command} {verb} {rest}",
                "",
            ]
        )


def _write(place: Path, texts: Mapping[str, str], force: bool) -> tuple[Path, ...]:
    files = tuple(place / name for name in texts)
    there = [file for file, text in zip(files, texts.values(), strict=True) if file.exists() and not _has(file, text)]
    if there and not force:
        raise InputError(f"{there[0]}: exists already; --force replaces it")
    try:
        make_folder(place)
        for file, text in zip(files, texts.values(), strict=True):
            write_whole(file, text.encode())
    except OSError as error:
        raise not_written(f"{place}: cannot be written", error) from error
    return files


def _has(file: Path, text: str) -> bool:
    try:
        return file.read_bytes() == text.encode()
    except OSError:
        return False
