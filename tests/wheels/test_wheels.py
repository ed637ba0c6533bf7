"""The wheels in dist/, where they were built: what is in them, and that one works alone, without a compiler.

Needs pytest and nothing of this package, so that it tries the wheel and not the checkout. The wheel for aarch64 runs on
another machine under qemu-user (Debian: qemu-user-static) where AARCH64_ROOT names a folder with the files of a Python
3.11 for aarch64: unpacked, libpython3.11-stdlib and python3.11-minimal with what they need.
"""

from __future__ import annotations

import gzip
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WHEELS = sorted((ROOT / "dist").glob("hopscope-*-manylinux*.whl"))

#: What an installation may take on the disk without pip, in MB.
MOST = 120

SCENARIO = """\
duration = "2s"
[topology]
kind = "chain"
hops = 2
[[flow]]
from = 0
to = 2
transport = "tcp-newreno"
"""

VERBS = (
    "run chain.toml --seeds 2 --out a",
    "show a --write t.csv",
    "compare a chain.toml:mac.queue=5",
    "check chain.toml",
    "explain chain.toml",
    "list",
    "help mac.queue",
    "verify a",
    "optimize chain.toml --over mac.queue=5,50",
    "watch chain.toml --no-open",
)

#: What runs in a browser.
PAGES = {"engine.wasm.gz", "watch.html", "playground.html", "rerun.js"}


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda wheel: wheel.name)
def test_a_wheel_is_for_every_python_and_old_systems(wheel: Path) -> None:
    name, *_, systems = wheel.stem.split("-")
    assert (name, wheel.stem.count("-cp311-abi3-")) == ("hopscope", 1)
    assert re.fullmatch(r"manylinux2014_(\w+)\.manylinux_2_17_\1", systems)
    assert wheel.stat().st_size < 12_000_000


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda wheel: wheel.name)
def test_a_wheel_has_the_licences_and_the_list_of_its_crates(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        names = {Path(name).name: name for name in file.namelist() if ".dist-info/" in name}
        assert {"LICENSE-MIT", "LICENSE-APACHE"} <= names.keys()
        [bill] = [json.loads(file.read(name)) for short, name in names.items() if short.endswith(".cyclonedx.json")]
    assert bill["bomFormat"] == "CycloneDX"
    assert "hopscope-engine" in {part["name"] for part in bill["components"]}


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda wheel: wheel.name)
def test_a_wheel_has_the_engine_and_the_pages_for_browsers(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        assert {name for name in file.namelist() if name.startswith("hopscope/web/")} >= {
            f"hopscope/web/{name}" for name in PAGES
        }
        assert gzip.decompress(file.read("hopscope/web/engine.wasm.gz")).startswith(b"\0asm")


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a scenario, and an environment with the wheel and what it needs."""
    wheel = next((wheel for wheel in WHEELS if wheel.name.endswith(f"_{platform.machine()}.whl")), None)
    if wheel is None:
        pytest.skip(f"no wheel for {platform.machine()} in dist: make wheels")
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder / "env", with_pip=True)
    command = [folder / "env/bin/python", "-m", "pip", "install", "-q", "--only-binary", ":all:", wheel]
    subprocess.run(command, check=True, env=surroundings(folder))
    (folder / "chain.toml").write_text(SCENARIO)
    return folder


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], dict[str, str]]:
    """A folder with a scenario; how a Python of aarch64 starts under qemu, and its environment with the wheel."""
    wheel = next((wheel for wheel in WHEELS if wheel.name.endswith("_aarch64.whl")), None)
    root, qemu = os.environ.get("AARCH64_ROOT"), shutil.which("qemu-aarch64-static")
    if wheel is None or root is None or qemu is None or platform.machine() == "aarch64":
        pytest.skip("needs a wheel for aarch64, qemu-aarch64-static and AARCH64_ROOT, on another machine")
    folder = tmp_path_factory.mktemp("foreign")
    options = [f"--platform=manylinux{system}_aarch64" for system in ("2014", "_2_27", "_2_28")]
    options += ["--python-version=3.11", "--only-binary=:all:", f"--target={folder / 'packages'}"]
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", *options, wheel], check=True)
    (folder / "chain.toml").write_text(SCENARIO)
    start = [qemu, "-L", root, f"{root}/usr/bin/python3.11", "-m", "hopscope"]
    return folder, start, {"PATH": "", "HOME": str(folder), "PYTHONPATH": str(folder / "packages")}


def surroundings(folder: Path) -> dict[str, str]:
    """An environment in which nothing but the installed programs is found, a compiler least of all."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "HTTP", "http"))}
    return {**kept, "PATH": str(folder / "env/bin"), "HOME": str(folder)}


def test_the_main_verbs_work_in_an_empty_environment_without_a_compiler(empty: Path) -> None:
    for words in VERBS:
        command = [empty / "env/bin/hopscope", *words.split()]
        done = subprocess.run(command, cwd=empty, env=surroundings(empty), capture_output=True, text=True, check=False)
        assert done.returncode == 0, (words, done.stderr)
    assert (empty / "a/flows.parquet").exists()
    assert (empty / "watch.html").stat().st_size < 3_000_000


def test_the_wheel_for_aarch64_gives_the_same_numbers(
    foreign: tuple[Path, list[str], dict[str, str]], empty: Path
) -> None:
    folder, start, environment = foreign
    for words in VERBS:
        command = [*start, *words.split()]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (words, done.stderr)
    for words in ("run chain.toml --seeds 2 --out again", "show again --write again.csv"):
        here = [empty / "env/bin/hopscope", *words.split()]
        subprocess.run(here, cwd=empty, env=surroundings(empty), capture_output=True, check=True)
    assert (folder / "t.csv").read_bytes() == (empty / "again.csv").read_bytes()


def test_an_installation_is_small(empty: Path) -> None:
    [packages] = (empty / "env/lib").glob("python3*/site-packages")
    tools = ("pip", "setuptools", "pkg_resources", "wheel")
    parts = [part for part in packages.iterdir() if not part.name.startswith(tools)]
    files = [file for part in parts for file in ([part] if part.is_file() else part.rglob("*")) if file.is_file()]
    size = sum(file.stat().st_size for file in files if file.suffix != ".pyc")
    assert size < MOST * 1_000_000, f"{size / 1e6:.0f} MB on {sys.platform}"


def test_what_is_not_installed_is_named(empty: Path) -> None:
    command = [empty / "env/bin/hopscope", "report", "a"]
    done = subprocess.run(command, cwd=empty, env=surroundings(empty), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert 'jinja2 and matplotlib are not installed; they come with: pip install "hopscope[plots]"' in done.stderr
