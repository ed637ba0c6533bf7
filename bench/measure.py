"""Measuring helpers shared by the benchmarks: CPU seconds of a child process, medians, tables."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Child:
    """What one finished child process used."""

    cpu_s: float
    """User and system CPU seconds of the process and the children it waited for."""
    wall_s: float
    memory_mb: float
    """Largest resident set in megabytes."""
    stdout: str


class ChildError(Exception):
    """A measured command ended with an error; the message holds the command and the end of its output."""


def run_child(command: Sequence[str | Path], *, env: dict[str, str] | None = None, timeout: float = 3600.0) -> Child:
    """Runs a command to its end and measures it.

    Raises ChildError when it ends with another status than 0 or takes longer than `timeout` seconds.
    """
    words = [str(word) for word in command]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.perf_counter()
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env)
        # wait4 is the only call that says what this one child used.
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.perf_counter() - begin > timeout:
                process.kill()
                os.wait4(process.pid, 0)
                process.returncode = -9
                raise ChildError(f"{' '.join(words)}: not finished after {timeout:.0f} s")
            time.sleep(0.002)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        stdout = out.read().decode(errors="replace")
        if process.returncode != 0:
            tail = (stdout + err.read().decode(errors="replace")).strip().splitlines()[-12:]
            raise ChildError(f"{' '.join(words)}: status {process.returncode}\n" + "\n".join(tail))
    return Child(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, stdout)


def alternate(sides: dict[str, Callable[[int], float]], repeats: int) -> dict[str, list[float]]:
    """Calls each side with 1 .. repeats, all sides in turn, so that a slow spell of the machine hits them alike."""
    samples: dict[str, list[float]] = {name: [] for name in sides}
    for repeat in range(1, repeats + 1):
        for name, measure in sides.items():
            samples[name].append(measure(repeat))
    return samples


def median(values: Sequence[float]) -> float:
    """Median of the samples."""
    return statistics.median(values)


def spread(values: Sequence[float]) -> float:
    """(largest - smallest) / median: how noisy a measurement was."""
    middle = statistics.median(values)
    return (max(values) - min(values)) / middle if middle else 0.0


def machine() -> str:
    """Processor, number of cores and operating system, for the head of a report."""
    model = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}"
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A markdown table with aligned columns: first column left, the others right."""
    cells = [list(head), *[list(row) for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]

    def line(row: Sequence[str]) -> str:
        padded = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        return "| " + " | ".join([row[0].ljust(widths[0]), *padded[1:]]) + " |"

    rule = "|:" + "-" * (widths[0] + 1) + "|" + "|".join("-" * (width + 1) + ":" for width in widths[1:]) + "|"
    return "\n".join([line(head), rule, *[line(row) for row in rows]])


def note(text: str) -> None:
    """A progress line on stderr."""
    print(text, file=sys.stderr, flush=True)
