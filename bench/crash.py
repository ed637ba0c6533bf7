"""Kills, power cuts, corruptions and full disks: what docs/reference/store.md promises of them is tried.

    python bench/crash.py [--kills N] [--power N] [--corruptions N] [--full N] [--together N] [--seed S]

A process that is killed loses no finished run. A machine that loses power loses at most what was not committed; of that
nothing is shown half, and what was cut off is named. No run that is there is done again, and no wrong number is shown.

Each campaign prints how many cases it had and how they ended. Exit status 1, with the case named, when one broke a
promise; its store is kept and named then.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import hashlib
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from hopscope.campaign.store import open_store
from hopscope.cli.main import build
from hopscope.errors import HopscopeError

SCENARIO = """\
title = "what is killed"
duration = "3s"
seeds = 4

[topology]
kind = "chain"
hops = 3

[[flow]]
from = 0
to = "last"

[sweep]
"flow.0.max_window" = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32]
"""
RUNS = 40

#: A process started in the background inherits an ignored SIGINT; the command must see it as a terminal's would.
AS_IN_A_TERMINAL = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])"
)

#: What a traceback names once the command itself runs.
LOADED = ", in main\n"
#: What it begins with where the interpreter itself was not there yet.
STARTING = "Fatal Python error: init_import_site"

#: What Python prints of an interrupt that came while it imported a module, and that it does not pass on.
SWALLOWED = re.compile(r"Exception ignored in: .*\n(?:Traceback .*\n(?: .*\n)*)?KeyboardInterrupt: *\n")

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
TABLES = ("flows", "nodes", "network", "runs", "summary")


class BrokenPromiseError(Exception):
    """What a store must never do; the message names the case."""


def require(holds: bool, message: str) -> None:
    """Raises BrokenPromiseError with the message unless it holds."""
    if not holds:
        raise BrokenPromiseError(message)


# --- The command ------------------------------------------------------------------------------------------------------


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "hopscope", *map(str, arguments)]


def start(folder: Path, store: Path, room: int | None = None) -> subprocess.Popen[str]:
    """A run into a store; `room` bytes or a little less are the largest file that it can write."""
    words = command("run", folder / "scenario.toml", "--out", store, "--jobs", "2", "--no-progress")
    if room is not None:
        words = ["sh", "-c", f'ulimit -f {room // 512}; exec "$@"', "sh", *words]
    words = [sys.executable, "-c", AS_IN_A_TERMINAL, *words]
    return subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> str:
    """What a process said, once it has ended."""
    said = SWALLOWED.sub("", process.communicate(timeout=600)[1])
    # Before its first line runs, an interrupt is the interpreter's affair.
    interrupted = process.returncode in {1, -signal.SIGINT} and said.rstrip().endswith("KeyboardInterrupt")
    early = interrupted and (LOADED not in said or said.startswith(STARTING))
    require(early or ("Traceback" not in said and "a defect of Hopscope" not in said), said)
    return said


def shown(store: Path) -> tuple[int, dict[str, Any] | None, str]:
    """Status, document and messages of `hopscope show STORE --json`, in this process: starting one takes longer."""
    out, messages, status = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(messages):
        try:
            build()(["show", str(store), "--json"], standalone_mode=False)
        except HopscopeError as error:
            status = error.exit_status
            print(error, file=sys.stderr)
        except SystemExit as end:
            status = int(end.code or 0)
    return status, json.loads(out.getvalue()) if out.getvalue() else None, messages.getvalue()


def numbers(document: dict[str, Any]) -> dict[tuple[int, int], str]:
    """Each run of a document by point and seed, without the seconds that it took."""
    found = {}
    for index, point in enumerate(document["points"]):
        for run in point["runs"]:
            kept = {**run, "engine": {**run["engine"], "wall_s": 0.0}}
            found[index, run["seed"]] = json.dumps(kept, sort_keys=True)
    return found


def means(store: Path) -> dict[tuple[int, str], dict[str, Any]] | None:
    """What `hopscope show` prints is made of: means by point and metric, from the tables where they fit the runs."""
    try:
        [result] = open_store(store).results(lazily=True)
    except HopscopeError:
        return None
    return {(point.index, metric): values for point in result.points for metric, values in point.summary.items()}


def finished(store: Path) -> dict[str, tuple[str, str]]:
    """Finished runs of a store by key: the segment that each lies in, and the hash of its line."""
    there = {}
    for path in sorted((store / "runs").glob("*.jsonl")):
        for line in path.read_bytes().splitlines(keepends=True):
            with contextlib.suppress(ValueError):  # the end of a line that was being written
                there[json.loads(line)["key"]] = (path.name, hashlib.sha256(line).hexdigest())
    return there


def litter(store: Path) -> list[str]:
    """Files that a whole store does not have."""
    known = {"manifest.json", "tables.sha256", "runs", *(f"{name}.parquet" for name in (*TABLES, "series", "wires"))}
    odd = [path.name for path in store.iterdir() if path.name not in known]
    return odd + [path.name for path in (store / "runs").iterdir() if path.suffix != ".jsonl"]


# --- Campaigns --------------------------------------------------------------------------------------------------------


class Campaign:
    """Scenario, reference and a folder for stores."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.dice = random.Random(seed)
        (folder / "scenario.toml").write_text(SCENARIO)
        begun = time.monotonic()
        self.reference = folder / "reference"
        process = start(folder, self.reference)
        said = finish(process)
        require(process.returncode == 0, said)
        self.took = time.monotonic() - begun
        status, document, _ = shown(self.reference)
        require(status == 0 and document is not None, "the reference cannot be shown")
        assert document is not None
        self.expected = numbers(document)
        require(len(self.expected) == RUNS, "the reference lacks runs")

    def is_whole(self, store: Path) -> None:
        """Requires a finished store: every run with the reference's numbers, tables of them, and nothing else."""
        status, document, messages = shown(store)
        require(status == 0 and document is not None, messages)
        assert document is not None
        require(numbers(document) == self.expected, f"{store}: numbers differ from the reference")
        require(not litter(store), f"{store}: litter: {litter(store)}")
        for name in TABLES:
            ours, theirs = (pd.read_parquet(place / f"{name}.parquet") for place in (store, self.reference))
            unsettled = [column for column in ours.columns if "wall_s" in column]
            same = ours.drop(columns=unsettled).equals(theirs.drop(columns=unsettled))
            if name != "summary":
                require(same, f"{store}: {name}.parquet differs from the reference")

    def kills(self, count: int) -> collections.Counter[str]:
        """Starts a run again and again and kills it at a random moment; each store is finished in the end."""
        ends: collections.Counter[str] = collections.Counter()
        store, case = self.folder / "killed-0", 0
        before: dict[str, tuple[str, str]] = {}
        while case < count:
            kind = SIGNALS[case % len(SIGNALS)]
            process = start(self.folder, store)
            time.sleep(self.dice.random() * self.took)
            alive = process.poll() is None
            process.send_signal(kind)
            said = finish(process)
            after = finished(store) if store.exists() else {}
            lost = [name for name, state in before.items() if after.get(name) != state]
            require(not lost, f"case {case}, {kind.name}: {store}: runs lost or written again: {lost}")
            # Where an interrupt met a library at work, Python ends itself by SIGINT: a shell sees 130 in both cases.
            early = kind == signal.SIGINT and process.returncode == 1
            known = early or process.returncode in {0, 130, -kind, -signal.SIGINT}
            require(known, f"case {case}, {kind.name}: status {process.returncode}: {said}")
            if process.returncode == 0:
                ends["finished before the signal"] += 1
                self.is_whole(store)
                shutil.rmtree(store)
                before, store = {}, self.folder / f"killed-{case + 1}"
                continue
            case += alive
            ends[f"{kind.name}, {'some' if after else 'no'} runs there"] += 1
            before = after
        process = start(self.folder, store)
        finish(process)
        require(process.returncode == 0, f"{store}: status {process.returncode}")
        require(before.items() <= finished(store).items(), f"{store}: runs lost or written again at the end")
        self.is_whole(store)
        return ends

    def power(self, count: int) -> collections.Counter[str]:
        """Cuts a store at random as a power cut would: the end of its segment is gone or zeros, tables are empty."""
        ends: collections.Counter[str] = collections.Counter()
        for case in range(count):
            store = self.folder / f"power-{case}"
            shutil.copytree(self.reference, store)
            [segment] = (store / "runs").iterdir()
            content = segment.read_bytes()
            ends_of_lines = [at + 1 for at, octet in enumerate(content) if octet == ord("\n")]
            there = self.dice.choice([self.dice.randrange(len(content) + 1), self.dice.choice(ends_of_lines)])
            is_zeroed, torn = self.dice.random() < 0.3, content[:there] and content[there - 1] != ord("\n")
            segment.write_bytes(content[:there] + (bytes(len(content) - there) if is_zeroed else b""))
            for table in self.dice.sample(TABLES, self.dice.randrange(3)):
                (store / f"{table}.parquet").write_bytes(b"")
            before, where = finished(store), f"case {case}: {there} of {len(content)} bytes{', zeros' * is_zeroed}"
            status, document, messages = shown(store)
            require(status == 0 and document is not None, f"{where}: {messages}")
            assert document is not None
            found = numbers(document)
            require(all(self.expected[at] == run for at, run in found.items()), f"{where}: other numbers")
            require(len(found) == len(before), f"{where}: {len(found)} runs of {len(before)} are shown")
            cut_off = bool(torn) or (is_zeroed and there < len(content))
            require(("is cut off" in messages) == cut_off, f"{where}: {messages}")
            process = start(self.folder, store)
            said = finish(process)
            require(process.returncode == 0, f"{where}: status {process.returncode}: {said}")
            require(("is cut off; it was dropped" in said) == cut_off, f"{where}: {said}")
            after = finished(store)
            require(before.items() <= after.items(), f"{where}: runs lost or written again")
            require(len({name for name, _ in after.values()}) <= 2, f"{where}: more segments than starts")
            self.is_whole(store)
            ends["a line cut" if cut_off else "whole lines"] += 1
            shutil.rmtree(store)
        return ends

    def corruptions(self, count: int) -> collections.Counter[str]:
        """Damages a file of a finished store at random: the numbers that are shown are right, or none are."""
        ends: collections.Counter[str] = collections.Counter()
        for case in range(count):
            store = self.folder / f"damaged-{case}"
            shutil.copytree(self.reference, store)
            victim = self.dice.choice(
                [store / "manifest.json", store / "tables.sha256", *store.glob("*.parquet")]
                if case % 2
                else sorted((store / "runs").iterdir())
            )
            name, damage = self.dice.choice(sorted(DAMAGES.items()))
            where = f"case {case}: {name} of {victim.relative_to(store)}"
            damage(victim, self.dice)
            reported = means(store)
            status, document, messages = shown(store)
            if document is None:
                require(status in {1, 2} and bool(messages), f"{where}: status {status} without a reason")
                ends["refused"] += 1
            else:
                found = numbers(document)
                wrong = [place for place, run in found.items() if self.expected[place] != run]
                require(not wrong, f"{where}: other numbers at {wrong}")
                require(len(found) == RUNS or bool(messages), f"{where}: runs are missing without a word")
                summaries = [point["summary"].items() for point in document["points"]]
                of_runs = {(at, metric): values for at, of in enumerate(summaries) for metric, values in of}
                require(reported == of_runs, f"{where}: the table shows other means than the runs have")
                require(means(store) == of_runs, f"{where}: the table shows other means once it is repaired")
                ends["named, the rest shown" if len(found) < RUNS else "repaired or harmless"] += 1
            if case % 10 == 0:
                process = start(self.folder, store)
                said = finish(process)
                require(process.returncode in {0, 2}, f"{where}: status {process.returncode}: {said}")
                if process.returncode == 0:
                    self.is_whole(store)
                    ends["of these run again and whole"] += 1
            shutil.rmtree(store)
        return ends

    def full(self, count: int) -> collections.Counter[str]:
        """Runs with a limit on the size of files, as on a full disk, then without: nothing is half-written."""
        ends: collections.Counter[str] = collections.Counter()
        largest = max(path.stat().st_size for path in self.reference.rglob("*") if path.is_file())
        for case in range(count):
            store = self.folder / f"full-{case}"
            process = start(self.folder, store, self.dice.randrange(largest))
            said = finish(process)
            require(process.returncode in {0, 1, 2, 3}, f"case {case}: status {process.returncode}: {said}")
            require(process.returncode == 0 or bool(said), f"case {case}: status {process.returncode} without a reason")
            ends[f"status {process.returncode}"] += 1
            before = finished(store) if (store / "runs").exists() else {}
            process = start(self.folder, store)
            require(process.wait(600) == 0, f"case {case}: {store}: {finish(process)}")
            finish(process)
            require(before.items() <= finished(store).items(), f"case {case}: runs written again")
            self.is_whole(store)
            shutil.rmtree(store)
        return ends

    def together(self, count: int) -> collections.Counter[str]:
        """Three processes at once into one store, one of them killed: the store is whole once one has ended well."""
        ends: collections.Counter[str] = collections.Counter()
        for case in range(count):
            store = self.folder / f"together-{case}"
            processes = [start(self.folder, store) for _ in range(3)]
            time.sleep(self.dice.random() * self.took)
            processes[0].kill()
            for process in processes:
                said = finish(process)
                require(process.returncode in {0, -signal.SIGKILL}, f"case {case}: {process.returncode}: {said}")
            ends["killed" if processes[0].returncode else "finished before"] += 1
            process = start(self.folder, store)
            finish(process)
            self.is_whole(store)
            shutil.rmtree(store)
        return ends


# --- Damages ----------------------------------------------------------------------------------------------------------


def _edited(edit: Callable[[bytearray, random.Random], bytes | bytearray]) -> Callable[[Path, random.Random], None]:
    def damage(path: Path, dice: random.Random) -> None:
        path.write_bytes(edit(bytearray(path.read_bytes()), dice))

    return damage


def _flip(content: bytearray, dice: random.Random) -> bytearray:
    content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
    return content


def _digit(content: bytearray, dice: random.Random) -> bytearray:
    digits = [index for index, octet in enumerate(content) if 48 <= octet <= 57]
    if digits:
        index = dice.choice(digits)
        content[index] = 48 + (content[index] - 48 + dice.randrange(1, 10)) % 10
    return content


def _noise(content: bytearray, dice: random.Random) -> bytearray:
    begin = dice.randrange(len(content))
    content[begin : begin + dice.randrange(1, 200)] = dice.randbytes(dice.randrange(200))
    return content


def _swap(path: Path, dice: random.Random) -> None:
    other = dice.choice(sorted(one for one in path.parent.iterdir() if one.is_file()))
    kept = path.read_bytes()
    path.write_bytes(other.read_bytes())
    other.write_bytes(kept)


DAMAGES: dict[str, Callable[[Path, random.Random], None]] = {
    "a bit": _edited(_flip),
    "a digit": _edited(_digit),
    "noise": _edited(_noise),
    "the end cut": _edited(lambda content, dice: content[: dice.randrange(len(content))]),
    "the beginning cut": _edited(lambda content, dice: content[dice.randrange(1, len(content)) :]),
    "something behind": _edited(lambda content, dice: content + dice.randbytes(dice.randrange(1, 100))),
    "twice": _edited(lambda content, _: content + content),
    "zeros": _edited(lambda content, _: bytes(len(content))),
    "emptied": _edited(lambda _content, _: b""),
    "removed": lambda path, _: path.unlink(),
    "swapped": _swap,
}


@contextlib.contextmanager
def kept_when_broken() -> Iterator[Path]:
    """A folder that goes unless a promise was broken in it."""
    folder = Path(tempfile.mkdtemp(prefix="hopscope-crash-"))
    try:
        yield folder
    except BrokenPromiseError:
        print(f"kept: {folder}", file=sys.stderr)
        raise
    shutil.rmtree(folder)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cases = {"kills": 1000, "power": 100, "corruptions": 1000, "full": 50, "together": 20}
    for name, count in cases.items():
        parser.add_argument(f"--{name}", type=int, default=count, help=f"cases of this campaign ({count})")
    parser.add_argument("--seed", type=int, default=1, help="of the random moments and damages (1)")
    chosen = parser.parse_args(arguments)
    os.environ["NO_COLOR"] = "1"
    try:
        with kept_when_broken() as folder:
            campaign = Campaign(folder, chosen.seed)
            for name in cases:
                ends = getattr(campaign, name)(getattr(chosen, name))
                reported = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
                print(f"{name}: {getattr(chosen, name)} cases, no promise broken ({reported})", flush=True)
    except BrokenPromiseError as broken:
        print(f"a promise was broken: {broken}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
