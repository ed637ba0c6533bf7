"""The same bits from every build and with any number of workers: the catalogue in quick form, results compared by hash.

    python bench/determinism.py [KEY ...] [--builds B,B,...] [--workers N,N,...] [--seconds S]

The installed engine with one worker is compared with itself with more workers, and with engines that are built in other
ways (into target/bits): `debug`, `release`, `pgo` (profile-guided; needs rustup's llvm-tools), and for the levels of
x86-64 `v2`, `v3`, `v4`, those that this processor has. `--builds ""` builds nothing. KEY as of `hopscope reproduce`
(all); `--seconds` ends every run after so much simulated time. Exit status 1, with the entries named, when a result
differs in anything but the wall time.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BITS = ROOT / "target" / "bits"

#: Flags of processors that a level of x86-64 adds to the one before (System V ABI, AMD64 supplement).
LEVELS = {"v2": {"sse4_2", "popcnt"}, "v3": {"avx2", "bmi2", "fma"}, "v4": {"avx512f", "avx512vl"}}
BUILDS = ("debug", "release", "pgo", *LEVELS)

#: Entries keep series of one value a second, which a shorter run has none of.
LEAST_S = 1.0


# --- In the process of one build --------------------------------------------------------------------------------------


def digests(keys: Sequence[str], jobs: int, seconds: float | None) -> Iterator[tuple[str, str]]:
    """Each entry that simulates with a hash of its results in quick form, wall times left out."""
    from hopscope.running.runner import run_scenarios
    from hopscope.studies.registry import find
    from hopscope.studies.reproduce import Request, scenarios

    for entry in find(keys):
        wanted = list(scenarios([entry], Request(tuple(keys), quick=True)).values())
        if seconds is not None:
            wanted = [scenario.shortened(seconds) for scenario in wanted]
        digest = hashlib.sha256()
        for result in run_scenarios(wanted, jobs=jobs) if wanted else []:
            document = result.to_json()
            for point in document["points"]:
                for run in point["runs"]:
                    del run["engine"]["wall_s"]
            digest.update(json.dumps([document["points"], list(result.failures)], sort_keys=True, default=str).encode())
        if wanted:
            yield entry.key, digest.hexdigest()


# --- Builds -----------------------------------------------------------------------------------------------------------


def known_levels() -> set[str]:
    """The levels of x86-64 above the first that this processor has."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    flags = next((set(line.split()) for line in lines if line.startswith("flags")), set())
    return {level for level, wanted in LEVELS.items() if wanted <= flags}


def package(build: str) -> Path:
    """Builds the engine in one way; a folder to put in front of Python's path, with the package and that engine."""
    folder = BITS / build
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "python", folder, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    engine = folder / "hopscope" / "_core.abi3.so"
    if build == "pgo":
        wheels = BITS / "wheels"
        subprocess.run([sys.executable, ROOT / "bench/release_wheel.py", wheels], check=True, stdout=sys.stderr)
        (wheel,) = wheels.glob("*.whl")
        shutil.unpack_archive(wheel, wheels / "open", "zip")
        (found,) = (wheels / "open" / "hopscope").glob("_core*.so")
    else:
        profile = "debug" if build == "debug" else "release"
        flags = os.environ.get("RUSTFLAGS", "") + (f" -C target-cpu=x86-64-{build}" if build in LEVELS else "")
        words = [
            "cargo",
            "build",
            "--quiet",
            "--locked",
            "-p",
            "hopscope-python",
            "--features",
            "pyo3/extension-module",
        ]
        words += ["--target-dir", str(BITS / f"target-{build}"), *([] if profile == "debug" else ["--release"])]
        subprocess.run(words, cwd=ROOT, env={**os.environ, "RUSTFLAGS": flags.strip()}, check=True, stdout=sys.stderr)
        found = BITS / f"target-{build}" / profile / "lib_core.so"
    shutil.copy(found, engine)
    return folder


def hashes(path: Path | None, arguments: Sequence[str]) -> dict[str, str]:
    """What `digests` gives in a process of its own, with the package that lies at a path or the installed one."""
    with tempfile.TemporaryDirectory() as folder:  # not a checkout, whose package would come first
        environment = {**os.environ, **({} if path is None else {"PYTHONPATH": str(path)})}
        words = [sys.executable, str(Path(__file__).resolve()), *arguments]
        done = subprocess.run(words, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return dict(line.split() for line in done.stdout.splitlines())


def listed(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("keys", nargs="*", default=["all"], metavar="KEY")
    parser.add_argument("--builds", type=listed, default=list(BUILDS), help="ways to build the engine (all)")
    parser.add_argument("--workers", type=listed, default=["2", "8"], help="numbers of workers besides one (2,8)")
    parser.add_argument("--seconds", type=float, help="simulated time of each run at most")
    parser.add_argument("--jobs", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.jobs is not None:
        for key, digest in digests(chosen.keys, chosen.jobs, chosen.seconds):
            print(key, digest, flush=True)
        return 0
    if unknown := [build for build in chosen.builds if build not in BUILDS]:
        parser.error(f"--builds: found {unknown[0]}; allowed are {', '.join(BUILDS)}")
    if chosen.seconds is not None and not chosen.seconds >= LEAST_S:
        parser.error(f"--seconds: found {chosen.seconds:g}; at least {LEAST_S:g}, the interval of series")
    common = [*chosen.keys, *([] if chosen.seconds is None else ["--seconds", str(chosen.seconds)])]
    first = hashes(None, [*common, "--jobs", "1"])
    print(f"installed engine, 1 worker: {len(first)} entries", flush=True)
    different = 0
    for label, build in [(f"{n} workers", None) for n in chosen.workers] + [(build, build) for build in chosen.builds]:
        if build in LEVELS and build not in known_levels():
            print(f"x86-64-{build}: left out, this processor has it not")
            continue
        jobs = label.split()[0] if build is None else str(os.cpu_count() or 1)
        found = hashes(None if build is None else package(build), [*common, "--jobs", jobs])
        others = sorted(key for key in first.keys() | found.keys() if first.get(key) != found.get(key))
        print(f"{label}: {'identical' if not others else 'DIFFERENT: ' + ', '.join(others)}", flush=True)
        different += len(others)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
