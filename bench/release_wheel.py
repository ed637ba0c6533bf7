"""Builds the release wheel: profile-guided, trained by bench/train.py.

    python bench/release_wheel.py [FOLDER]

The engine and the pages for browsers come first (`make web`). Then maturin builds the engine with counters, runs the
training on it in an environment of its own, and builds it again for what it saw. The wheel appears in FOLDER (dist)
when it is complete. Exit status 1 with the reason when it cannot be built.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: What `make web` builds into the package.
PAGES = ("engine.wasm.gz", "watch.html", "playground.html", "rerun.js")


class MissingToolError(Exception):
    """A program that the build needs is absent; the message says how to get it."""


class BuildError(Exception):
    """The build failed; the message is its log."""


def check_tools() -> None:
    """Raises MissingToolError unless cargo and the llvm-profdata that belongs to rustc are there."""
    if shutil.which("rustc") is None or shutil.which("cargo") is None:
        raise MissingToolError("a Rust toolchain is needed: rustc 1.85 or newer and cargo, see https://rustup.rs")
    command = ["rustc", "--print", "target-libdir"]
    libraries = subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    # One of another LLVM, as distributions have it, cannot read what the engine writes.
    if not (Path(libraries.strip()).parent / "bin" / "llvm-profdata").exists():
        raise MissingToolError("llvm-profdata is missing: run `rustup component add llvm-tools`")


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Runs a command at the top of the checkout; output and errors come as one text, whether it fails or not."""
    return subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )


def build_pages() -> None:
    """Builds the engine and the pages for browsers into the package.

    Raises MissingToolError and BuildError.
    """
    if shutil.which("npm") is None:
        raise MissingToolError("npm is missing, which builds the pages: Node.js 20 or newer, see https://nodejs.org")
    done = run(["make", "web"])
    absent = [name for name in PAGES if not (ROOT / "python" / "hopscope" / "web" / name).is_file()]
    if done.returncode != 0 or absent:
        raise BuildError(done.stdout or f"make web has not built {', '.join(absent)}")


def newest_source() -> float:
    """When the newest file that the wheel is made of was changed, in seconds since the epoch."""
    files = [ROOT / name for name in ("Cargo.toml", "Cargo.lock", "pyproject.toml", "bench/train.py")]
    files += [*(ROOT / "crates").rglob("*.*"), *(ROOT / "python").rglob("*.*"), *(ROOT / "studies").rglob("*.*")]
    return max(file.stat().st_mtime for file in files if file.suffix not in {".so", ".pyc"})


def build(folder: Path, options: Sequence[str] = ("--pgo",)) -> Path:
    """Builds the wheel into `folder`, by default profile-guided, and returns its path.

    Raises MissingToolError and BuildError.
    """
    if "--pgo" in options:
        check_tools()
    folder.mkdir(parents=True, exist_ok=True)
    # The training must load the installed wheel, not the package of a checkout.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    # Zig is a module of this Python, which maturin and bench/zig look for by the first Python on PATH.
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment.get("PATH", os.defpath)])
    environment["CARGO_ZIGBUILD_PYTHON_PATH"] = str(ROOT / "bench" / "zig")
    # A fresh target folder: the flags name a temporary file, so that no later build could use anything of this one.
    with tempfile.TemporaryDirectory(dir=folder, prefix=".building-") as unfinished:
        command = [sys.executable, "-m", "maturin", "build", "--release", "--locked", *options]
        command += ["--interpreter", sys.executable, "--target-dir", f"{unfinished}/target", "--out", unfinished]
        done = run(command, environment)
        if done.returncode != 0:
            raise BuildError(done.stdout)
        (wheel,) = Path(unfinished).glob("*.whl")
        return wheel.replace(folder / wheel.name)


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist")
    try:
        check_tools()
        print("building the pages for browsers", flush=True)
        build_pages()
        print("building the release wheel: with counters, training, again (minutes)", flush=True)
        print(build(folder))
    except (MissingToolError, BuildError) as reason:
        print(f"no wheel was built: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
