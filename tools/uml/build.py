"""Builds the kernel for ``hopscope live --virtual``: User-Mode Linux 6.1 of Debian's source, into the user's cache.

    python tools/uml/build.py [--source FILE] [--jobs N]

The source comes by apt-get, or is FILE: Debian's package linux-source-6.1 or the archive in it. It gets the lines of
edits.py and the options of options.config. A second call has nothing to do unless one of them has changed; one after an
interruption goes on where that was. Exit status 1 with the reason when it cannot be built.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import edits

HERE = Path(__file__).resolve().parent
OPTIONS = HERE / "options.config"
PACKAGE = "linux-source-6.1"

#: Where Debian's package has the archive.
INSTALLED = Path("/usr/src") / f"{PACKAGE}.tar.xz"

#: Program -> Debian's package of it.
TOOLS = {
    "gcc": "gcc",
    "make": "make",
    "flex": "flex",
    "bison": "bison",
    "bc": "bc",
    "strip": "binutils",
    "tar": "tar",
    "xz": "xz-utils",
    "dpkg-deb": "dpkg",
}

#: Steps of make, for the progress (counted for these options).
STEPS = 980

#: Steps between two lines of progress.
EVERY = 100

#: What no step of the build reads: documents, and sources of other machines. Their options are read.
UNUSED = (
    "Documentation/[!K]*",
    "arch/[!Kux]*.[chS]",
    "arch/[!Kux]*.dts*",
    "drivers/gpu/*.[ch]",
    "drivers/media/*.[ch]",
    "drivers/net/ethernet/*.[ch]",
    "drivers/net/wireless/*.[ch]",
    "drivers/staging/*.[ch]",
    "sound/*.[ch]",
    "tools/perf",
    "tools/testing",
)


class BuildError(Exception):
    """The kernel cannot be built; the message says why, and what would help."""


def main() -> None:
    """Builds what is not built yet."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--source", type=Path, metavar="FILE", help=f"{PACKAGE}.deb or {PACKAGE}.tar.xz; default: apt")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="compilers at once")
    given = parser.parse_args()
    try:
        build(cache(), given.source, given.jobs)
    except BuildError as error:
        print(f"{Path(__file__).name}: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        sys.exit(130)


def cache() -> Path:
    """The folder of the kernel, where the package looks for it (hopscope.live.virtual)."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "hopscope" / "uml-6.1"


def recipe() -> str:
    """What a kernel is made of, in short: another one is built anew."""
    parts = (OPTIONS.read_bytes(), (HERE / "edits.py").read_bytes())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def build(folder: Path, source: Path | None, jobs: int) -> None:
    """Builds the kernel into a folder.

    Raises:
        BuildError: it cannot be built.
    """
    kernel, made_of = folder / "linux", folder / "recipe"
    if kernel.exists() and made_of.exists() and made_of.read_text() == recipe():
        print(f"the kernel for virtual time is there: {kernel}")
        return
    check_tools()
    work = folder.with_name(f"{folder.name}.work")
    tree = prepared(work, source)
    configure(tree)
    compile_kernel(tree, jobs)
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / "linux.part"
    run(["strip", "-o", str(part), str(tree / "linux")])
    part.replace(kernel)
    made_of.write_text(recipe())
    shutil.rmtree(work)
    size = kernel.stat().st_size / 1e6
    print(f"the kernel for virtual time is built: {kernel} ({size:.1f} MB); try: hopscope live FILE --virtual")


def check_tools() -> None:
    """Refuses a machine of another kind, or without what the build needs.

    Raises:
        BuildError: it is such a machine.
    """
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        raise BuildError("virtual time needs Linux on x86-64")
    if missing := [package for tool, package in TOOLS.items() if shutil.which(tool) is None]:
        raise BuildError(f"programs are missing; Debian: apt install {' '.join(missing)} libc6-dev")


def prepared(work: Path, source: Path | None) -> Path:
    """The source with our lines in it, unpacked unless an earlier call has done so.

    Raises:
        BuildError: there is no source, or it is another one.
    """
    tree, ready = work / PACKAGE, work / "ready"
    if ready.exists() and ready.read_text() == recipe():
        return tree
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    archive = source or (INSTALLED if INSTALLED.exists() else download(work))
    if not archive.exists():
        raise BuildError(f"{archive}: is not there")
    if archive.suffix == ".deb":
        run(["dpkg-deb", "--extract", str(archive), str(work)])
        archive = work / INSTALLED.relative_to("/")
    print(f"unpacking {archive}", flush=True)
    without = [f"--exclude={PACKAGE}/{name}" for name in UNUSED]
    run(["tar", "--extract", "--file", str(archive), "--directory", str(work), *without])
    if not tree.is_dir():
        raise BuildError(f"{archive}: has no folder {PACKAGE}; expected Debian's source of Linux 6.1")
    try:
        edits.apply(tree)
    except (OSError, ValueError) as error:
        raise BuildError(f"{archive}: is not the source that edits.py knows: {error}") from None
    ready.write_text(recipe())
    return tree


def download(work: Path) -> Path:
    """Fetches Debian's package.

    Raises:
        BuildError: apt-get does not give it.
    """
    hint = f"give the package or its archive with --source FILE (Debian 12: {PACKAGE})"
    if shutil.which("apt-get") is None:
        raise BuildError(f"apt-get is not there; {hint}")
    print(f"fetching {PACKAGE} (139 MB)", flush=True)
    try:
        run(["apt-get", "download", "--quiet", PACKAGE], work)
        return next(work.glob(f"{PACKAGE}_*.deb"))
    except (BuildError, StopIteration) as error:
        raise BuildError(f"{error}; {hint}, or refresh the lists with: apt-get update") from None


def configure(tree: Path) -> None:
    """Sets our options and looks whether each one was taken.

    Raises:
        BuildError: one was not.
    """
    run(["make", "ARCH=um", f"KCONFIG_ALLCONFIG={OPTIONS}", "allnoconfig"], tree)
    taken = set((tree / ".config").read_text().splitlines())
    wanted = [line for line in OPTIONS.read_text().splitlines() if line and not line.startswith("#")]
    if lost := [line for line in wanted if line not in taken]:
        raise BuildError(f"this source does not take {', '.join(lost)}")


def compile_kernel(tree: Path, jobs: int) -> None:
    """Compiles and links, with a line of progress now and then.

    Raises:
        BuildError: a step has failed; the message has the end of what make said.
    """
    print("compiling: 10 to 15 minutes of processor time", flush=True)
    command = ["make", "ARCH=um", f"-j{jobs}", "linux"]
    said: list[str] = []
    with subprocess.Popen(
        command, cwd=tree, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as make:
        assert make.stdout is not None
        for number, line in enumerate(make.stdout, 1):
            said = [*said[-30:], line]
            if number % EVERY == 0:
                print(f"  step {number} of about {STEPS}", flush=True)
    if make.returncode != 0:
        raise BuildError(f"make has failed in {tree}:\n{''.join(said)}")


def run(command: Sequence[str], folder: Path | None = None) -> None:
    """Runs a command that says something only when it fails.

    Raises:
        BuildError: it has failed.
    """
    done = subprocess.run(command, cwd=folder, check=False, text=True, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[-5:]
        raise BuildError(f"{' '.join(command[:3])}: {' / '.join(said) or f'status {done.returncode}'}")


if __name__ == "__main__":
    main()
