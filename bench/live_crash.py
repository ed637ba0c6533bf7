"""Kills of ``hopscope live`` and ``shell`` at random moments: what docs/guide/live.md promises of them is tried.

    python bench/live_crash.py [--kills N] [--batch N] [--seed S]

Half of the runs end by ``kill -9``, half by Ctrl-C, at any moment from the first import to the middle of the run, with
programs, a daemon where there is one, and flows. A run that Ctrl-C has ended leaves nothing itself. After a batch
another run is started: then nothing is left of any, no namespace, device, mount, process, folder or socket. A namespace
with a name like those of runs, TAP devices, a folder and a process with a mark, all of somebody else, stay there.

It needs root, and says so and ends where it cannot run. Exit status 1, with the kill named, when something was left.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from hopscope.errors import InputError
from hopscope.live import checks, journal

SCENARIO = """\
duration = "{seconds}s"

[topology]
kind = "chain"
hops = 3

[[flow]]
from = 0
to = 3
transport = "tcp-newreno"

[[flow]]
from = 3
to = 0
transport = "udp"
app = "cbr"
rate = "80kbps"
packet = 500

[[node]]
routing = "{routing}"
on_exit = "go-on"

[[node]]
nodes = [0, 3]
run = "setsid sleep 300 & ping -q $n1"
on_exit = "go-on"
"""

#: How long killed processes may take to end, in seconds.
PATIENCE_S = 10.0

#: Share of the kills at any moment from the first import on; the others come after a step, at most so much later.
_ANY_SHARE, _SOON_S = 0.25, 0.1

#: Longest time until a kill at any moment, also on a machine on which a start takes long.
_LONGEST_S = 5.0

#: Lines of the journal: the run, four namespaces, four daemons and two programs.
_STEPS = 11

#: A process started in the background inherits an ignored SIGINT; the command must see it as a terminal's would.
AS_IN_A_TERMINAL = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])"
)

#: What somebody else has, with names like those of runs.
SPACE, DEVICE, FOLDER, MARK = "hs-elsewhere-n0", "hs-tap0", "other", "hs-elsewhere-00"


def main() -> None:
    """Kills runs, and ends with status 1 when one has left something."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--batch", type=int, default=5, help="kills before another run is started")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda _signal, _frame: sys.exit(143))  # takes away what it has made for others
    try:
        checks.system()
    except InputError as error:
        print(f"live_crash: left out: {error}")
        return
    with tempfile.TemporaryDirectory() as name, foreign() as before:
        campaign = Campaign(Path(name), random.Random(given.seed))
        for _ in range(0, given.kills, given.batch):
            campaign.batch(min(given.batch, given.kills - campaign.kills))
            if seen() != before:
                sys.exit(f"live_crash: what belongs to others was touched: {before} became {seen()}")
            print(campaign.words(), flush=True)


class Campaign:
    """Runs that are killed.

    Attributes:
        kills: how many so far.
    """

    def __init__(self, folder: Path, draw: random.Random) -> None:
        self.kills = 0
        self._draw = draw
        self._ends: collections.Counter[str] = collections.Counter()
        self._left: collections.Counter[str] = collections.Counter()
        routing = "babeld" if shutil.which("babeld") else "static"
        self._long, self._short = folder / "long.toml", folder / "short.toml"
        self._long.write_text(SCENARIO.format(seconds=300, routing=routing))
        self._short.write_text(SCENARIO.format(seconds=0.3, routing=routing))
        begun = time.monotonic()
        self._run_through()
        self._longest_s = min(_LONGEST_S, 1.5 * (time.monotonic() - begun))

    def batch(self, count: int) -> None:
        """Kills so many runs, starts another one, and looks for what is left."""
        killed = [self._kill() for _ in range(count)]
        self._run_through()
        for pid, how in killed:
            if left := awaited(pid):
                sys.exit(f"live_crash: after {how} of run hs-{pid} and the next start there is still: {left}")

    def words(self) -> str:
        """How the runs ended, and what the next starts have removed."""
        ends = ", ".join(f"{count} {how}" for how, count in sorted(self._ends.items()))
        left = ", ".join(f"{count} {what}" for what, count in sorted(self._left.items())) or "nothing"
        return f"{self.kills} kills ({ends}); the next start had to remove {left}; nothing is left, others untouched"

    def _run_through(self) -> None:
        done = subprocess.run(command("live", self._short), capture_output=True, text=True, check=False, timeout=300)
        if done.returncode != 0:
            sys.exit(f"live_crash: a run between kills failed: {done.stderr}")

    def _kill(self) -> tuple[int, str]:
        """Starts a run and ends it; returns its number and how it was ended."""
        verb = self._draw.choice(("live", "shell"))
        by = self._draw.choice((signal.SIGKILL, signal.SIGINT))
        devnull = subprocess.DEVNULL
        run = subprocess.Popen(command(verb, self._long), stdin=subprocess.PIPE, stdout=devnull, stderr=devnull)
        self._wait(run)
        stage = moment(run.pid)
        run.send_signal(by)
        run.wait(60)
        assert run.stdin is not None
        run.stdin.close()
        self.kills += 1
        if by == signal.SIGINT:
            self._ends[f"by Ctrl-C {stage}"] += 1
            if left := awaited(run.pid):
                sys.exit(f"live_crash: Ctrl-C in {verb} {stage}, run hs-{run.pid}, has left {left}")
        else:
            self._ends[f"by kill -9 {stage}"] += 1
            self._left.update({what: len(names) for what, names in leftovers(run.pid).items()})
        return run.pid, by.name

    def _wait(self, run: subprocess.Popen[bytes]) -> None:
        """Waits for the moment of a kill: any at all, or soon after a step of the set-up, which is short."""
        if self._draw.random() < _ANY_SHARE:
            time.sleep(self._draw.uniform(0, self._longest_s))
            return
        lines = self._draw.randint(1, _STEPS)
        written = journal.home() / f"hs-{run.pid}" / "journal"
        while run.poll() is None and not (written.exists() and written.read_bytes().count(b"\n") >= lines):
            time.sleep(0.001)
        time.sleep(self._draw.uniform(0, _SOON_S))


def command(verb: str, file: Path) -> list[str]:
    """The command in a process of its own."""
    return [sys.executable, "-c", AS_IN_A_TERMINAL, sys.executable, "-m", "hopscope", verb, str(file)]


def moment(pid: int) -> str:
    """How far a run is, by its journal."""
    with contextlib.suppress(FileNotFoundError):
        text = (journal.home() / f"hs-{pid}" / "journal").read_text()
        return "in the run" if '"program"' in text else "in the set-up"
    return "before the set-up"


def leftovers(pid: int) -> dict[str, list[str]]:
    """What there is of a run, by kind."""
    name = f"hs-{pid}"
    marked = f"{journal.MARK}={name}-".encode()
    found = {
        "namespaces": [path.name for path in journal.NAMES.glob(f"{name}-*")],
        "mounts": [line for line in Path("/proc/self/mounts").read_text().splitlines() if f"/{name}-" in line],
        "folders": [str(path) for path in journal.home().glob(name)],
        "sockets": [line for line in Path("/proc/net/unix").read_text().splitlines() if f"/{name}/" in line],
        "processes": [entry.name for entry in Path("/proc").glob("[0-9]*") if marked in environment(entry)],
    }
    return {what: names for what, names in found.items() if names}


def awaited(pid: int) -> dict[str, list[str]]:
    """What is left of a run once what was killed has had time to end."""
    last = time.monotonic() + PATIENCE_S
    while (left := leftovers(pid)) and time.monotonic() < last:
        time.sleep(0.05)
    return left


def environment(process: Path) -> bytes:
    """The environment of a process; empty where it has ended."""
    try:
        return (process / "environ").read_bytes()
    except OSError:
        return b""


@contextlib.contextmanager
def foreign() -> Iterator[dict[str, object]]:
    """What belongs to others, as it is before the kills; taken away in the end."""
    place = journal.home() / FOLDER
    place.mkdir(parents=True)
    shell("ip", "netns", "add", SPACE)
    shell("ip", "-n", SPACE, "tuntap", "add", "dev", DEVICE, "mode", "tap")
    shell("ip", "tuntap", "add", "dev", DEVICE, "mode", "tap")
    sleeper = subprocess.Popen(["sleep", "100000"], env={**os.environ, journal.MARK: MARK})
    try:
        yield seen()
    finally:
        sleeper.kill()
        sleeper.wait()
        shell("ip", "link", "delete", DEVICE)
        shell("ip", "netns", "delete", SPACE)
        place.rmdir()


def seen() -> dict[str, object]:
    """What others have: devices with their numbers, the namespace with what is in it, the process, the folder."""
    network = Path("/sys/class/net")
    marked = f"{journal.MARK}={MARK}".encode()
    return {
        "devices": {path.name: (path / "ifindex").read_text().strip() for path in sorted(network.iterdir())},
        "namespace": (journal.NAMES / SPACE).stat().st_ino,
        "in it": shell("ip", "-n", SPACE, "-brief", "link"),
        "processes": [entry.name for entry in Path("/proc").glob("[0-9]*") if marked in environment(entry)],
        "folder": (journal.home() / FOLDER).is_dir(),
    }


def shell(*words: str) -> str:
    """What a command prints."""
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
