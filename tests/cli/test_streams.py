"""Standard streams that are closed, full or nobody reads."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hopscope as hs
from hopscope.cli import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="file descriptors of POSIX")


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    text = command.replace("hopscope", f"'{sys.executable}' -m hopscope")
    return subprocess.run(["sh", "-c", text], cwd=folder, capture_output=True, text=True, timeout=1800, check=False)


def test_a_closed_standard_output_is_no_fault(folder: Path) -> None:
    ended = shell("hopscope list >&-", folder)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_messages_do_not_move_to_standard_output_when_standard_error_is_closed(folder: Path) -> None:
    ended = shell("hopscope check missing.toml 2>&-", folder)
    assert (ended.returncode, ended.stdout) == (2, "")


def test_a_reader_that_leaves_early_sees_no_traceback(folder: Path) -> None:
    ended = shell("hopscope schema | head -1", folder)
    assert (ended.stdout, ended.stderr) == ("{\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_behind_standard_output_is_reported(folder: Path) -> None:
    ended = shell("hopscope list > /dev/full", folder)
    assert ended.returncode == 1
    assert ended.stderr == "hopscope: standard output: No space left on device\n"


def test_a_file_in_place_of_a_store_is_reported(folder: Path) -> None:
    ended = shell("hopscope show chain.toml", folder)
    assert (ended.returncode, ended.stderr) == (2, "hopscope: chain.toml: is a file; a result store is a folder\n")


def test_help_shows_no_value_for_options_that_take_none(folder: Path) -> None:
    for verb in ("", "run", "reproduce", "list", "show", "check"):
        ended = shell(f"hopscope {verb} --help", folder)
        assert ended.returncode == 0
        flags = [line for line in ended.stdout.splitlines() if " --json " in line or " --quick " in line]
        assert not [line for line in flags if "<bool>" in line]
        assert flags or not verb


ACCENTED = "Café über 2 hops → 250 m ☃"


@pytest.mark.parametrize("command", ["run FILE --out store", "explain FILE", "check FILE"])
def test_an_ascii_terminal_shows_an_accented_title(folder: Path, command: str) -> None:
    text = (folder / "chain.toml").read_text().replace("short chain", ACCENTED)
    (folder / "chain.toml").write_text(text, encoding="utf-8")
    ascii_only = "env LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0"
    ended = shell(f"{ascii_only} hopscope {command.replace('FILE', 'chain.toml')}", folder)
    assert (ended.returncode, "Traceback" in ended.stderr) == (0, False), ended.stderr
    if "check" not in command:
        assert "Cafe uber 2 hops -> 250 m \\u2603" in ended.stdout


STEERING = "\\u001b]0;evil\\u0007\\u001b[2J\\u202ename"


def test_nothing_of_a_file_steers_the_terminal(folder: Path) -> None:
    text = (folder / "chain.toml").read_text().replace("short chain", STEERING)
    (folder / "chain.toml").write_text(text)
    (folder / "wrong.toml").write_text(f'"{STEERING}" = 1\n{text}')
    seen = ""
    for command in ("run chain.toml --out store", "show store", "explain chain.toml", "check wrong.toml"):
        ended = shell(f"hopscope {command}", folder)
        assert ended.returncode == (2 if "wrong" in command else 0), ended.stderr
        assert r"\x1b]0;evil\x07\x1b[2J\u202ename" in ended.stdout + ended.stderr, command
        seen += ended.stdout + ended.stderr
    assert not set(seen) & set("\x1b\x07\u202e")


@pytest.mark.skipif(sys.platform == "darwin", reason="names of files are UTF-8 there")
def test_names_that_are_no_utf8_are_ordinary_names(folder: Path) -> None:
    name = os.fsdecode(b"st\xff\xfe")
    os.rename(folder / "chain.toml", folder / f"{name}.toml")
    for words in (["run", f"{name}.toml", "--out", name], ["show", name], ["report", name], ["verify", name]):
        command = [sys.executable, "-m", "hopscope", *words]
        ended = subprocess.run(command, cwd=folder, capture_output=True, timeout=1800, check=False)
        assert (ended.returncode, b"Traceback" in ended.stderr) == (0, False), ended.stderr
    assert b"st\\udcff\\udcfe" in (folder / name / "report.html").read_bytes()


def test_a_folder_of_a_thousand_parts_is_made(folder: Path) -> None:
    deep = "/".join(["d"] * 1200)
    ended = shell(f"hopscope run chain.toml --out {deep} && hopscope show {deep} --json; rm -rf d", folder)
    assert "Traceback" not in ended.stderr, ended.stderr[-1000:]
    assert len(json.loads(ended.stdout[ended.stdout.index("{") :])["points"]) == 2


@pytest.mark.parametrize("verb", ["run", "check", "explain"])
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_pipes_and_devices_are_no_scenarios(folder: Path, verb: str, kind: str) -> None:
    file = "/dev/zero"
    if kind == "pipe":
        file = "pipe.toml"
        os.mkfifo(folder / file)
    ended = shell(f"hopscope {verb} {file}", folder)
    assert ended.returncode == 2
    said = f"{file}: is no regular file but a device, pipe or socket; expected a scenario file (TOML)"
    assert ended.stderr == f"hopscope: {said}\n"


def test_a_defect_is_reported_in_a_line_and_keeps_its_traceback(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_given: list[str], **_: object) -> None:
        raise ZeroDivisionError("three by nothing")

    monkeypatch.setattr(main, "build", lambda *_: broken)
    monkeypatch.setattr(sys, "argv", ["hopscope", "check"])
    with pytest.raises(SystemExit) as end:
        main.main()
    said = capsys.readouterr().err
    kept = Path(said.partition("traceback is in ")[2].partition(";")[0])
    assert (end.value.code, "Traceback" in said) == (1, False)
    assert "a defect of Hopscope: ZeroDivisionError: three by nothing" in said
    assert "ZeroDivisionError" in kept.read_text()
    kept.unlink()


def test_an_interrupt_while_a_class_is_made_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def loading(_given: list[str], **_: object) -> None:
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr(main, "build", lambda *_: loading)
    monkeypatch.setattr(sys, "argv", ["hopscope", "check"])
    with pytest.raises(SystemExit) as end:
        main.main()
    assert (end.value.code, capsys.readouterr().err) == (130, "hopscope: interrupted\n")


@pytest.mark.parametrize(
    "around",
    [
        "env -i", "env -i LC_ALL=C", "env -i LC_ALL=POSIX HOME=/proc", "env -i TZ=Asia/Kathmandu HOME=/nonexistent",
        "umask 077; env -i",
    ],
)  # fmt: skip
def test_runs_in_unusual_surroundings(folder: Path, around: str) -> None:
    place = folder / "ein Ort é"
    place.mkdir()
    (folder / "chain.toml").rename(place / "chain.toml")
    package = Path(hs.__file__).parent.parent
    for words in ("run chain.toml --out store", "show store", "report store"):
        ended = shell(f'{around} PYTHONPATH="{package}" hopscope {words}', place)
        assert (ended.returncode, "Traceback" in ended.stderr) == (0, False), ended.stderr
    assert (place / "store" / "report.html").stat().st_size > 10_000


#: Root without its powers is a user like any other: it reads and writes what is its own, and what others let it.
ORDINARY = "setpriv --bounding-set=-all --inh-caps=-all " if hasattr(os, "getuid") and os.getuid() == 0 else ""


@pytest.mark.skipif(
    ORDINARY != "" and shutil.which("setpriv") is None, reason="root needs setpriv to put off its powers"
)
def test_a_store_that_one_may_only_read_is_shown_and_reported_elsewhere(folder: Path) -> None:
    """Such as that of a colleague: nothing is written into it, what cannot be read of it is reported."""
    assert shell("hopscope run chain.toml --out store", folder).returncode == 0
    (folder / "store" / "flows.parquet").write_bytes(b"damaged")
    secret = folder / "store" / "tables.sha256"
    secret.chmod(0)
    inside = [folder / "store", folder / "store" / "runs"]
    before = {path: path.stat().st_mtime_ns for path in (folder / "store").rglob("*")}
    for place in inside:
        place.chmod(0o555)
    reported = {
        "show store": (0, "the checksums of the tables cannot be read (Permission denied)"),
        "report store --out page": (0, "flows.parquet cannot be written: Permission denied; the runs are kept"),
        "verify store": (1, "the checksums of the tables cannot be read (Permission denied)"),
        "report store": (2, "cannot write the report (--out puts it elsewhere): Permission denied"),
        "run chain.toml --out store": (2, "store: cannot be written: Permission denied"),
    }
    for words, (status, why) in reported.items():
        ended = shell(f"{ORDINARY}hopscope {words}", folder)
        assert (ended.returncode, "Traceback" in ended.stderr) == (status, False), ended.stderr
        assert why in ended.stdout + ended.stderr, words
    assert {path: path.stat().st_mtime_ns for path in (folder / "store").rglob("*")} == before
    assert (folder / "page" / "report.html").stat().st_size > 10_000
    for place in inside:
        place.chmod(0o755)


@pytest.mark.skipif(
    ORDINARY != "" and shutil.which("setpriv") is None, reason="root needs setpriv to put off its powers"
)
def test_a_run_that_may_not_be_read_is_not_damaged(folder: Path) -> None:
    """It is refused as any other input that may not be read, and stays as it is: no start puts another in its place."""
    assert shell("hopscope run chain.toml --out store", folder).returncode == 0
    secret = sorted((folder / "store" / "runs").iterdir())[0]
    secret.chmod(0)
    before = secret.stat()
    for words in ("show store", "show store --json", "report store", "verify store", "run chain.toml --out store"):
        ended = shell(f"{ORDINARY}hopscope {words}", folder)
        assert (ended.returncode, "Traceback" in ended.stderr) == (2, False), words
        assert f"{secret.name}: cannot be read: Permission denied" in ended.stderr, words
        assert "damaged" not in ended.stderr, words
    assert (secret.stat().st_ino, secret.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
