"""Virtual time: what the command does around the kernel, by a stand-in for it, and, where it is built, the kernel."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hopscope.errors import InputError, RunFailed
from hopscope.live import guest, journal, virtual

ROOT = Path(__file__).resolve().parents[2]

#: Two hops and a window that keeps TCP from losses.
SCENARIO = """
duration = "5s"
seed = 7

[topology]
kind = "chain"
hops = 2

[[flow]]
from = 0
to = 2
transport = "tcp-newreno"
max_window = {window}
"""

#: A kernel's stand-in finds its folder by the option uml_dir.
STAND_IN = """#!/bin/sh
for word in "$@"; do case "$word" in uml_dir=*) folder=${word#uml_dir=} ;; esac; done
"""


def tool(name: str) -> ModuleType:
    """A module of tools/uml."""
    sys.path.insert(0, str(ROOT / "tools" / "uml"))
    try:
        spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / "uml" / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    finally:
        del sys.path[0]
    return module


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts a shell script in the place of the kernel."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def put(script: str) -> Path:
        place = tmp_path / "cache" / "hopscope" / "uml-6.1" / "linux"
        place.parent.mkdir(parents=True)
        place.write_text(STAND_IN + script)
        place.chmod(0o755)
        return place

    return put


@pytest.fixture(scope="session")
def real_kernel() -> Path:
    """The kernel that `make uml` has built; leaves a test out, visibly, where it is not."""
    try:
        return virtual.kernel()
    except InputError as error:
        pytest.skip(f"virtual time: {error}")


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "hopscope", "live", "--virtual", *words]


def scenario(folder: Path, window: int = 4) -> Path:
    file = folder / "chain.toml"
    file.write_text(SCENARIO.format(window=window))
    return file


def test_without_the_kernel_it_is_refused_in_one_line(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    file = str(scenario(tmp_path))
    done = subprocess.run(command(file), check=False, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "run: make uml" in done.stderr


def test_the_run_inside_has_the_options_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from hopscope.cli.main import build

    asked: list[tuple[list[str], int]] = []
    monkeypatch.setattr(virtual, "run", lambda words, seed: asked.append((words, seed)) or 5)
    file = str(scenario(tmp_path))
    given = ["live", file, "--virtual", "--duration", "2s", "--set", "flow.0.max_window=3", "--set", "net.arp=true"]
    done = CliRunner().invoke(build("live"), [*given, "--no-fifo", "--json", "--pcap", str(tmp_path / "x.pcapng")])
    assert done.exit_code == 5, done.output
    [(words, seed)] = asked
    assert seed == 7
    assert words[:2] == ["live", "--trust"]
    assert words[-2:] == ["--", file]
    assert "--virtual" not in words
    text = " ".join(words)
    for option in (
        "--duration 2s",
        "--set flow.0.max_window=3 --set net.arp=true",
        "--no-fifo",
        "--json",
        "--on-late warn",
    ):
        assert option in text


def test_output_and_status_of_the_run_inside_are_passed_on(stand_in: Any, capfd: pytest.CaptureFixture[str]) -> None:
    stand_in('echo "a result" >$folder/output; echo "a remark" >$folder/errors; printf 3 >$folder/status')
    assert virtual.run(["live", "x.toml"], 1) == 3
    assert capfd.readouterr() == ("a result\n", "a remark\n")
    assert not folder_of(os.getpid()).exists()


def test_output_comes_while_the_kernel_runs(stand_in: Any, tmp_path: Path) -> None:
    wait = tmp_path / "go-on"
    stand_in(f"echo early >$folder/output; until [ -e {wait} ]; do sleep 0.05; done; printf 0 >$folder/status")
    code = "from hopscope.live import virtual; print('status', virtual.run([], 1))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "early\n"
        wait.touch()
        assert process.stdout.readline() == "status 0\n"


def test_a_kernel_that_ends_by_itself_is_an_error_with_its_last_words(stand_in: Any) -> None:
    stand_in("echo 'Kernel panic - not syncing'; exit 1")
    with pytest.raises(RunFailed, match=r"ended by itself: Kernel panic - not syncing"):
        virtual.run([], 1)
    assert not folder_of(os.getpid()).exists()


def test_the_task_of_the_run_inside(stand_in: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept.json"
    stand_in(f'cp $folder/{guest.TASK} {kept}; echo "$@" >{kept}.words; printf 0 >$folder/status')
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/0")
    monkeypatch.chdir(tmp_path)
    virtual.run(["live", "a b.toml"], 9)
    task = guest.Task(**json.loads(kept.read_text()))
    assert task.words == [sys.executable, "-m", "hopscope", "live", "a b.toml"]
    assert (task.folder, task.seed, task.environment["PYTHONHASHSEED"]) == (str(tmp_path), 9, "0")
    assert "XDG_RUNTIME_DIR" not in task.environment
    words = Path(f"{kept}.words").read_text()
    assert "time-travel=inf-cpu time-travel-start=1704067200000000000" in words


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_the_kernel_ends_with_the_command(stand_in: Any, tmp_path: Path, how: int) -> None:
    started = tmp_path / "started"
    stand_in(f"echo $$ >{started}.part; mv {started}.part {started}; exec sleep 600")
    # A test in the background inherits that Ctrl-C is ignored.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{heard}\nfrom hopscope.live import virtual\nvirtual.run([], 1)"
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as process:
        try:
            number = appeared(started)
            process.send_signal(how)
            process.wait(60)
        finally:
            process.kill()
    assert gone(number)
    journal.recover()  # what the next start does
    assert not folder_of(process.pid).exists()


def folder_of(number: int) -> Path:
    """The folder of the run of a process; other runs of this machine have others."""
    return journal.home() / f"hs-{number}"


def appeared(file: Path) -> int:
    """The number in a file, as soon as it is there."""
    deadline = time.monotonic() + 120
    while not file.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return int(file.read_text())


def gone(number: int) -> bool:
    """Whether a process ends within ten seconds."""
    deadline = time.monotonic() + 10
    while Path(f"/proc/{number}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return not Path(f"/proc/{number}").exists()


def test_time_is_real_here() -> None:
    assert not guest.is_virtual()


def test_build_and_command_agree_on_the_place(stand_in: Any) -> None:
    place = stand_in("")
    tool("edits")
    assert tool("build").cache() == virtual.kernel().parent == place.parent


def test_options_of_the_kernel_are_named_once_and_explained() -> None:
    lines = (ROOT / "tools" / "uml" / "options.config").read_text().splitlines()
    options = [line for line in lines if line and not line.startswith("#")]
    assert all(line.startswith("CONFIG_") and line.endswith("=y") for line in options)
    assert len(options) == len(set(options))
    blocks = "\n".join(lines).split("\n\n")
    assert [block for block in blocks if not block.startswith("#")] == []


def test_another_source_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool("edits")
    build = tool("build")
    tree = tmp_path / "linux-source-6.1" / "arch"
    tree.mkdir(parents=True)
    archive = tmp_path / "other.tar"
    subprocess.run(["tar", "-cf", str(archive), "-C", str(tmp_path), "linux-source-6.1"], check=True)
    with pytest.raises(build.BuildError, match=r"is not the source that edits\.py knows"):
        build.prepared(tmp_path / "work", archive)
    with pytest.raises(build.BuildError, match="is not there"):
        build.prepared(tmp_path / "work", tmp_path / "none.tar.xz")


def test_an_edit_finds_each_of_its_places(tmp_path: Path) -> None:
    edits = tool("edits")
    for edit in edits.EDITS:
        file = tmp_path / edit.file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    with pytest.raises(ValueError, match="is there 0 times, not 1"):
        edits.apply(tmp_path)


def inside(folder: Path, name: str, window: int) -> dict[str, Any]:
    """What a run in virtual time gives."""
    out = folder / name
    done = subprocess.run(
        command(str(scenario(folder, window)), "--out", str(out), "--pcap", str(folder / f"{name}.pcapng")),
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "s of virtual time" in done.stdout
    found: dict[str, Any] = json.loads((out / "result.json").read_text())
    return found


@pytest.mark.parametrize("window", [4, 1000])
def test_runs_in_virtual_time_repeat_and_are_on_time(real_kernel: Path, tmp_path: Path, window: int) -> None:
    one, two = inside(tmp_path, "one", window), inside(tmp_path, "two", window)
    assert one["clock"] == "virtual"
    assert one["kernel"].startswith("Linux 6.1.")
    assert one["radio"]["verdict"] == "ok"
    assert one["radio"]["lateness_us"]["p99"] <= 5
    assert one["flows"][0]["throughput_kbps"] > 100
    for found in (one, two):
        found.pop("capture")  # it names its file
    assert one == two
    assert (tmp_path / "one.pcapng").read_bytes() == (tmp_path / "two.pcapng").read_bytes()


def test_the_real_kernel_ends_with_the_command(real_kernel: Path, tmp_path: Path) -> None:
    file = scenario(tmp_path)
    with subprocess.Popen(command(str(file), "--duration", "1000s"), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            while "3 nodes" not in (line := process.stderr.readline()):
                assert line, "it has ended"
        finally:
            process.kill()
    deadline = time.monotonic() + 10
    while running(real_kernel) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running(real_kernel) == []
    journal.recover()
    assert not folder_of(process.pid).exists()


def running(kernel: Path) -> list[str]:
    """Processes of the kernel, those of its programs among them."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "exe").resolve() == kernel:
                found.append(entry.name)
        except OSError:
            pass
    return found
