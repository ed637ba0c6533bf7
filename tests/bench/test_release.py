"""What trains and builds the release wheel, without building it: that takes minutes."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import time
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hopscope import Scenario, _core

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "bench"


@pytest.fixture(autouse=True)
def folders_of_the_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    monkeypatch.syspath_prepend(str(BENCH / "peers"))


@pytest.fixture
def train() -> ModuleType:
    import train

    return train


@pytest.fixture
def release_wheel() -> ModuleType:
    import release_wheel

    return release_wheel


# --- training ---------------------------------------------------------------------------------------------------------


def test_the_training_runs_every_scenario_it_names(train: ModuleType) -> None:
    done = subprocess.run([sys.executable, BENCH / "train.py"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [*train.SCENARIOS, "probes"]


def test_the_training_leaves_no_protocol_and_no_profile_out(train: ModuleType) -> None:
    configs = [point.config(1) for document in train.SCENARIOS.values() for point in Scenario(document).points]
    flows = [flow for config in configs for flow in config["flows"]]
    assert {flow["transport"] for flow in flows} >= {name for name, _ in _core.transports()}
    (protocol,) = (field for field in _core.parameters("routing") if field.name == "protocol")
    assert {config["routing"]["protocol"] for config in configs} == set(protocol.choices)
    assert all(document["sweep"]["profile"] == _core.profiles() for document in train.SCENARIOS.values())
    assert {config["explain"] for config in configs} == {True, False}


def test_a_run_that_trains_nothing_is_reported(
    train: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    late = [{"from": 0, "to": "last", "start": "1s"}]
    silent = {"duration": "1001ms", "topology": train.CHAIN, "flow": late, "sweep": {"profile": ["ns2"]}}
    monkeypatch.setattr(train, "SCENARIOS", {"silent": silent})
    assert train.main() == 1
    assert "silent: nothing was delivered with {'profile': 'ns2'}" in capsys.readouterr().err


# --- building ---------------------------------------------------------------------------------------------------------


def test_without_llvm_tools_one_line_says_how_to_get_them(tmp_path: Path) -> None:
    for program in ("rustc", "cargo"):
        (tmp_path / program).write_text(f"#!/bin/sh\necho {tmp_path}/lib\n")
        (tmp_path / program).chmod(0o755)
    command = [sys.executable, BENCH / "release_wheel.py", tmp_path / "dist"]
    environment = {**os.environ, "PATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    reason = "llvm-profdata is missing: run `rustup component add llvm-tools`"
    assert done.stderr == f"no wheel was built: {reason}\n"
    assert not (tmp_path / "dist").exists()


def test_make_builds_profile_guided_where_the_tools_are_and_tests_plainly(tmp_path: Path) -> None:
    (tmp_path / "rustc").write_text(f"#!/bin/sh\necho {tmp_path}/lib\n")
    (tmp_path / "rustc").chmod(0o755)
    (tmp_path / "lib").mkdir()

    def commands(*words: str) -> str:
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path)}
        command = ["make", "-n", "-C", BENCH.parent, f"VENV={tmp_path}/venv", *words]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout

    assert "--pgo" not in commands("build")
    assert "rustup component add llvm-tools" in commands("build")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "llvm-profdata").touch()
    assert "maturin develop --release --locked --pgo" in commands("build")
    assert "llvm-tools" not in commands("build")
    for plain in (["build", "PLAIN=1"], ["test-python"], ["demo"]):
        said = commands(*plain)
        assert "maturin develop --release --locked" in said
        assert "--pgo" not in said


def test_without_zig_or_rust_for_the_machine_one_line_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    import wheels

    monkeypatch.setattr(sys, "argv", ["wheels.py", str(tmp_path), "--only", "aarch64"])
    monkeypatch.setattr(wheels.importlib.util, "find_spec", lambda _name: None)
    assert wheels.main() == 1
    said = "no wheel was built: Zig is missing: run `pip install --require-hashes -r requirements/wheels.txt`\n"
    assert capsys.readouterr().err == said
    monkeypatch.setattr(wheels.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setitem(wheels.TARGETS, "aarch64", "another-machine")
    assert wheels.main() == 1
    assert "Rust for another-machine is missing: run `rustup target add another-machine`" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_pages_come_before_wheels_or_none_is_built(
    release_wheel: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(release_wheel.shutil, "which", lambda _name: None)
    with pytest.raises(release_wheel.MissingToolError, match="npm is missing"):
        release_wheel.build_pages()
    monkeypatch.setattr(release_wheel.shutil, "which", lambda name: name)
    monkeypatch.setattr(release_wheel, "ROOT", tmp_path)
    done = subprocess.CompletedProcess(["make", "web"], 0, stdout="")
    monkeypatch.setattr(subprocess, "run", lambda command, **_options: done if command == ["make", "web"] else None)
    with pytest.raises(release_wheel.BuildError, match=r"make web has not built engine\.wasm\.gz, watch\.html"):
        release_wheel.build_pages()
    folder = tmp_path / "python" / "hopscope" / "web"
    folder.mkdir(parents=True)
    for name in release_wheel.PAGES:
        (folder / name).touch()
    release_wheel.build_pages()
    done.returncode, done.stdout = 2, "the log"
    with pytest.raises(release_wheel.BuildError, match="the log"):
        release_wheel.build_pages()


class Maturin:
    """Stands in for maturin: writes a wheel that says which build it is of, and ends with `status`."""

    def __init__(self) -> None:
        self.status = 0
        self.builds = 0

    def build(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        assert "--pgo" in command
        self.builds += 1
        info = "hopscope-1.0.dist-info"
        folder = Path(command[command.index("--out") + 1])
        with zipfile.ZipFile(folder / "hopscope-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr("hopscope/build.txt", str(self.builds))
            wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: hopscope\nVersion: 1.0\n")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")
        return subprocess.CompletedProcess(command, self.status, stdout="the log")


@pytest.fixture
def maturin(release_wheel: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Maturin:
    stand_in, real = Maturin(), subprocess.run

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        return stand_in.build(command) if "maturin" in command else real(command, **options)

    monkeypatch.setattr(release_wheel, "check_tools", lambda: None)
    monkeypatch.setattr(subprocess, "run", run)
    return stand_in


def test_only_a_finished_wheel_appears(release_wheel: ModuleType, maturin: Maturin, tmp_path: Path) -> None:
    maturin.status = 1
    with pytest.raises(release_wheel.BuildError, match="the log"):
        release_wheel.build(tmp_path / "dist")
    assert not list((tmp_path / "dist").iterdir())
    maturin.status = 0
    wheel = release_wheel.build(tmp_path / "dist")
    assert list((tmp_path / "dist").iterdir()) == [wheel]


# --- measuring --------------------------------------------------------------------------------------------------------


def test_the_peers_build_again_what_has_changed(
    maturin: Maturin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import install

    package = install.release_build(tmp_path)
    assert (package / "hopscope" / "build.txt").read_text() == "1"
    assert install.release_build(tmp_path) == package
    assert maturin.builds == 1
    monkeypatch.setattr(install, "newest_source", time.time)
    install.release_build(tmp_path)
    assert (package / "hopscope" / "build.txt").read_text() == "2"


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    import run

    monkeypatch.setattr(run, "find_ns2", lambda: "ns")
    monkeypatch.setattr(run, "find_ns3", lambda work: work / "ns3-peer")
    return run


def test_the_peers_are_measured_beside_the_release_build(
    peers: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "release_build", lambda work: work / "hopscope")
    bench = peers.Bench(tmp_path)
    assert bench.build == peers.PLAIN
    assert list(bench.environments) == [""]
    bench.use_release_build()
    assert bench.build == peers.BOTH
    assert bench.environments[peers.WHEEL]["PYTHONPATH"] == str(tmp_path / "hopscope")


def test_without_llvm_tools_the_peers_say_that_they_are_measured_beside_the_plain_build(
    peers: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(work: Path) -> Path:
        raise peers.MissingToolError("no llvm-tools")

    monkeypatch.setattr(peers, "release_build", missing)
    bench = peers.Bench(tmp_path)
    bench.use_release_build()
    assert bench.build == peers.PLAIN
    assert list(bench.environments) == [""]
    assert "the release wheel is left out: no llvm-tools" in capsys.readouterr().err


def test_the_package_lists_the_crates_that_it_is_made_of() -> None:
    files = importlib.metadata.files("hopscope") or []
    (found,) = (file.locate() for file in files if file.match("*.dist-info/sboms/*.cyclonedx.json"))
    bill = json.loads(Path(str(found)).read_text())
    listed = {(part["name"], part["version"]) for part in bill["components"]}
    locked = {(part["name"], part["version"]) for part in tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]}
    assert {"hopscope-engine", "serde_json", "pyo3"} <= {name for name, _version in listed}
    assert listed <= locked


def test_the_readme_says_what_was_recorded_when_and_of_which_build(
    peers: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = tmp_path / "README.md"
    begin, end = "<!-- peers: written by bench/peers/run.py --record -->\n", "<!-- /peers -->"
    readme.write_text(f"before\n{begin}old\n{end}\nafter\n")
    monkeypatch.setattr(peers, "HERE", tmp_path / "bench" / "peers")
    (tmp_path / "bench" / "peers").mkdir(parents=True)
    origin = peers.origin()
    assert "Hopscope as `make` builds it" in origin
    assert "at commit unknown" in origin
    peers.record("all", f"{origin}\ntable")
    assert readme.read_text() == f"before\n{begin}{origin}\ntable\n{end}\nafter\n"
    assert (tmp_path / "bench" / "peers" / "results.md").read_text() == "all"


def test_the_figures_of_the_readme_stand_in_the_table_of_the_documentation() -> None:
    rows = re.findall(r"^\| ([^|:]+?): ([^|]+?) +\|(.*)\|$", (ROOT / "bench/peers/results.md").read_text(), flags=re.M)
    cost = {(title, label): [cell.strip() for cell in cells.split("|")] for title, label, cells in rows}
    table = (ROOT / "README.md").read_text().partition("<!-- peers")[2].partition("<!-- /peers -->")[0]
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("| ")]
    labels = ("Hopscope `ns2`, AODV", "ns-2, AODV, headers trimmed", "Hopscope `standard`, static", "ns-3, static")
    assert {title for title, *_ in lines[1:]} == {title for title, _ in cost} - {"scenario"}
    for title, *cells in lines[1:]:
        for label, cell in zip(labels, cells, strict=True):
            seconds, _, ratio = cell.partition(" (")
            assert float(seconds) == pytest.approx(float(cost[title, label][3]), rel=5e-3)
            assert ratio.removesuffix(" times)") == cost[title, label][5]
