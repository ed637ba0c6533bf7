"""Builds the wheels that a release publishes: abi3, manylinux2014, for x86-64 and for aarch64.

    python bench/wheels.py [FOLDER] [--only MACHINE] [--plain]

The pages for browsers come first (`make web`). Zig, from PyPI (``requirements/wheels.txt``), is the linker: it links
against glibc 2.17 whatever the machine has, and for the other machine as well. The wheel for this machine is
profile-guided, as ``make wheel`` builds it, unless ``--plain`` is given; that for the other one is not, as its training
cannot run here. In ``*.dist-info`` are the licences and the list of the crates (CycloneDX). A wheel appears in FOLDER
(dist) when it is complete. Exit status 1 with the reason when one cannot be built.
"""

from __future__ import annotations

import argparse
import importlib.util
import platform
import subprocess
import sys
from pathlib import Path

from release_wheel import ROOT, BuildError, MissingToolError, build, build_pages, check_tools

#: Machine -> the target of rustc.
TARGETS = {"x86_64": "x86_64-unknown-linux-gnu", "aarch64": "aarch64-unknown-linux-gnu"}


def check_target(target: str) -> None:
    """Raises MissingToolError unless Zig and the standard library of a target are there."""
    if importlib.util.find_spec("ziglang") is None:
        raise MissingToolError("Zig is missing: run `pip install --require-hashes -r requirements/wheels.txt`")
    command = ["rustc", "--print", "target-libdir", "--target", target]
    folder = subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    if not folder.strip() or not Path(folder.strip()).is_dir():
        raise MissingToolError(f"Rust for {target} is missing: run `rustup target add {target}`")


def wheel(machine: str, folder: Path, *, plain: bool) -> Path:
    """Builds the wheel for a machine and returns its path.

    Raises MissingToolError and BuildError.
    """
    target = TARGETS[machine]
    guided = machine == platform.machine() and not plain
    if guided:
        check_tools()
    options = ["--zig", "--compatibility", "manylinux2014", "--target", target]
    return build(folder, [*options, *(["--pgo"] if guided else [])])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist")
    parser.add_argument("--only", choices=TARGETS)
    parser.add_argument("--plain", action="store_true")
    given = parser.parse_args()
    try:
        machines = [given.only] if given.only else list(TARGETS)
        for machine in machines:
            check_target(TARGETS[machine])
        print("building the pages for browsers", flush=True)
        build_pages()
        for machine in machines:
            print(f"building the wheel for {machine} (minutes)", flush=True)
            print(wheel(machine, given.folder, plain=given.plain), flush=True)
    except (MissingToolError, BuildError) as reason:
        print(f"no wheel was built: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
