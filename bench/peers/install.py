"""Finds or installs what is measured: ns-2 from the distribution, ns-3 from its Python wheel, Hopscope's own wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from release_wheel import BuildError, build, newest_source

NS3_VERSION = "3.44.post0"
"""The wheel of the comparison. Debian's 3.37 crashes on TCP runs with a receiver-limited window."""
NS3_LIBRARIES = ("core", "network", "internet", "mobility", "propagation", "wifi", "applications", "traffic-control")


class MissingPeerError(Exception):
    """A peer is absent and cannot be installed from here; the message says how to get it."""


def find_ns2() -> str:
    """Path of the `ns` program; installs Debian's package `ns2` when run as root."""
    found = shutil.which("ns")
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-y", "-q", "ns2"]):
            subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
        found = shutil.which("ns")
    if found is None:
        raise MissingPeerError("ns-2 is not installed: on Debian or Ubuntu run `apt-get install ns2` as root")
    return found


def ns2_version() -> str:
    """Version of the installed Debian package, or a plain word when the package manager does not know."""
    if shutil.which("dpkg-query"):
        query = subprocess.run(
            ["dpkg-query", "-W", "-f=${Version}", "ns2"],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        if query.returncode == 0 and query.stdout:
            return query.stdout
    return "unknown version"


def find_ns3(work: Path, name: str = "ns3") -> Path:
    """Path of the compiled ns-3 program `name`; installs the wheel into `work` and compiles on first use."""
    source = Path(__file__).with_name(f"{name}.cc")
    program = work / f"{name}-peer"
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return program
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        raise MissingPeerError("ns-3 needs a C++ compiler: on Debian or Ubuntu run `apt-get install g++` as root")
    folder = work / "ns3"
    if not (folder / "ns3" / "include").is_dir():
        # --no-deps: the C++ libraries need none of the wheel's Python packages.
        pip = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--no-deps",
            "--target",
            str(folder),
            f"ns3=={NS3_VERSION}",
        ]
        done = subprocess.run(pip, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise MissingPeerError(
                f"ns-3's wheel ns3=={NS3_VERSION} cannot be installed here: {done.stderr.strip()[-400:]}"
            )
    include, libraries = folder / "ns3" / "include", folder / "ns3" / "lib64"
    command = [compiler, "-O2", "-std=c++20", "-isystem", str(include), str(source), "-o", str(program)]
    command += [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-Wl,--disable-new-dtags", "-Wl,--allow-shlib-undefined"]
    command += [f"-lns{NS3_VERSION.split('.post', maxsplit=1)[0]}-{name}" for name in NS3_LIBRARIES]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise MissingPeerError(f"ns-3's scenario program does not compile: {done.stderr.strip()[-800:]}")
    return program


def release_build(work: Path) -> Path:
    """Folder of the package of the release wheel; builds the wheel when a source is newer than the last one.

    The package lies next to that of the environment, not in it: put the folder into PYTHONPATH. Raises MissingToolError
    and BuildError.
    """
    folder = work / "hopscope"
    if folder.exists() and folder.stat().st_mtime > newest_source():
        return folder
    begun = time.time()
    wheel = build(work)
    shutil.rmtree(folder, ignore_errors=True)
    # --no-deps: the environment has the packages it needs, and both builds are to run with the same.
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(folder), str(wheel)]
    done = subprocess.run(pip, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise BuildError(done.stderr)
    os.utime(folder, (begun, begun))  # what changes while the wheel is built is not in it
    return folder
