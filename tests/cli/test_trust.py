"""Code of strangers: what names it, what runs it, and what does not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import hopscope as hs
from hopscope.cli import main, trusting
from hopscope.errors import ScenarioError
from hopscope.usercode import trust

Call = Callable[..., tuple[int, str]]

OWN = """\
from pathlib import Path
import hopscope as hs

Path({canary!r}).touch()

class Own(hs.CongestionControl):
    share = 0.5

    def on_loss(self, flow):
        return max(self.share * flow.in_flight, 2.0)
"""


class Stranger:
    """A folder with a scenario that names a file, which leaves a canary wherever it runs."""

    def __init__(self, folder: Path, name: str = "tcp:own.py:Own") -> None:
        folder.mkdir(exist_ok=True)
        self.canary = folder.parent / "canary"
        self.code = folder / "own.py"
        self.code.write_text(OWN.format(canary=str(self.canary)))
        self.scenario = folder / "own.toml"
        self.scenario.write_text(
            'duration = "2s"\nseeds = 1\n[topology]\nkind = "chain"\nhops = 2\n'
            f'[[flow]]\nfrom = 0\nto = 2\ntransport = "{name}"\n'
        )

    @property
    def has_run(self) -> bool:
        return self.canary.exists()


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def start(*words: object) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["hopscope", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main.main()
        return int(end.value.code or 0), capsys.readouterr().err

    return start


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stranger:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return Stranger(tmp_path / "download")


def test_check_runs_nothing_and_says_so(stranger: Stranger, call: Call) -> None:
    status, said = call("check", stranger.scenario)
    assert (status, stranger.has_run) == (0, False)
    assert "tcp:own.py:Own names code, which was not loaded and not checked; --trust loads it" in said
    assert call("check", stranger.scenario, "--trust")[0] == 0
    assert stranger.has_run


def test_check_still_finds_what_needs_no_code(stranger: Stranger, call: Call) -> None:
    text = stranger.scenario.read_text()
    for name, reported in (("tcp:gone.py:Own", "gone.py: no such file"), ("tcp-newrino", "did you mean")):
        stranger.scenario.write_text(text.replace("tcp:own.py:Own", name))
        status, said = call("check", stranger.scenario)
        assert (status, reported in said) == (2, True), said
    stranger.scenario.write_text(text.replace("tcp:own.py:Own", "tcp") + 'control = "cubik"\n')
    status, said = call("check", stranger.scenario)
    assert (status, 'did you mean "cubic"' in said) == (2, True), said


@pytest.mark.parametrize("words", ["run", "explain", "optimize --over flow.0.max_window=1..2 --seeds 2"])
def test_code_from_elsewhere_needs_trust(stranger: Stranger, call: Call, words: str) -> None:
    verb, *rest = words.split()
    status, said = call(verb, stranger.scenario, *rest)
    assert (status, stranger.has_run) == (2, False), said
    assert "own.toml:8:1" not in said or "flow.0.transport" in said
    assert "own.py: is code that is not below your current folder, or not yours alone; it runs with --trust" in said
    status, said = call(verb, stranger.scenario, *rest, "--trust")
    assert (status, stranger.has_run) == (0, True), said
    assert f"runs code: {stranger.code}" in said


@pytest.mark.parametrize(
    "words",
    [
        "trace",
        "timeline --from 0s --to 50ms --out t.svg",
        "sequence --out s.svg",
        "pcap --out c.pcapng",
        "report --timeline 0.5s",
        "report --sequence 0",
    ],
)
def test_a_store_from_elsewhere_is_run_again_with_trust_alone(stranger: Stranger, call: Call, words: str) -> None:
    store = stranger.scenario.parent / "store"
    # Another process makes it: this one has not loaded the file.
    making = [sys.executable, "-m", "hopscope", "run", stranger.scenario, "--out", store, "--trust", "--no-progress"]
    subprocess.run(making, check=True, capture_output=True)
    stranger.canary.unlink()
    verb, *rest = words.split()
    status, said = call(verb, store, *rest)
    assert (status, stranger.has_run) == (1, False), said
    assert "own.py: is code that is not below your current folder, or not yours alone; it runs with --trust" in said
    status, said = call(verb, store, *rest, "--trust")
    assert (status, f"runs code: {stranger.code}" in said) == (0, True), said


@pytest.mark.parametrize("words", ["show", "report", "verify", "compare"])
def test_verbs_that_read_a_store_run_nothing(stranger: Stranger, call: Call, words: str) -> None:
    store = stranger.scenario.parent / "store"
    making = [sys.executable, "-m", "hopscope", "run", stranger.scenario, "--out", store, "--trust", "--no-progress"]
    subprocess.run(making, check=True, capture_output=True)
    stranger.canary.unlink()
    assert call(words, store, *([store] if words == "compare" else []))[0] == 0
    assert not stranger.has_run


def test_verbs_without_a_file_run_nothing(stranger: Stranger, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    # Not even in a folder whose files are named like modules.
    monkeypatch.chdir(stranger.scenario.parent)
    for name in ("hopscope_plugin", "own"):
        (stranger.scenario.parent / f"{name}.py").write_text(stranger.code.read_text())
    for words in (["schema"], ["list"], ["model", "mathis", "--about"]):
        assert call(*words)[0] == 0
    assert not stranger.has_run


def test_code_below_the_current_folder_runs_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.chdir(tmp_path)
    own = Stranger(tmp_path / "mine")
    status, said = call("run", own.scenario, "--out", "store")
    assert (status, own.has_run) == (0, True)
    assert f"runs code: {own.code}" in said


@pytest.mark.parametrize("others", [0o002, 0o020], ids=["everybody", "group"])
@pytest.mark.parametrize("part", ["file", "folder"])
def test_code_that_others_can_write_needs_trust(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call, part: str, others: int
) -> None:
    monkeypatch.chdir(tmp_path)
    own = Stranger(tmp_path / "mine")
    victim = own.code if part == "file" else own.code.parent
    victim.chmod(victim.stat().st_mode | others)
    assert call("run", own.scenario, "--out", "store")[0] == 2
    assert not own.has_run


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="files of other users are made by root")
def test_code_of_another_user_needs_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    monkeypatch.chdir(tmp_path)
    own = Stranger(tmp_path / "mine")
    os.chown(own.code, 65534, 65534)
    assert call("run", own.scenario, "--out", "store")[0] == 2
    assert not own.has_run


def test_a_link_out_of_the_folder_is_followed(stranger: Stranger, call: Call, tmp_path: Path) -> None:
    inside = tmp_path / "here" / "mine"
    own = Stranger(inside)
    own.code.unlink()
    own.code.symlink_to(stranger.code)
    assert call("run", own.scenario)[0] == 2
    assert not stranger.has_run


@pytest.mark.parametrize(("answer", "status"), [("y\n", 0), ("\n", 2), ("no\n", 2)])
def test_a_terminal_is_asked(
    stranger: Stranger, call: Call, monkeypatch: pytest.MonkeyPatch, answer: str, status: int
) -> None:
    monkeypatch.setattr(trusting, "_answer", lambda _question: answer)
    assert call("run", stranger.scenario)[0] == status
    assert stranger.has_run == (status == 0)


def test_modules_elsewhere_are_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "strange.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert trusting.is_trusted("strange")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert not trusting.is_trusted("strange")
    assert not any(trusting.is_trusted(name) for name in ("json.decoder", "numpy", "sys"))
    assert trusting.is_trusted("no_such_module")


def test_an_installed_package_declares_what_may_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site-packages"
    (site / "mine").mkdir(parents=True)
    for name in ("__init__", "declared", "other"):
        (site / "mine" / f"{name}.py").write_text("")
    about = site / "mine-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[hopscope]\nany = mine.declared:Control\n")
    monkeypatch.syspath_prepend(site)
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(site))
    assert trusting.is_trusted("mine.declared")
    assert not trusting.is_trusted("mine.other")
    assert not trusting.is_trusted("mine")


def test_a_program_decides_by_itself(stranger: Stranger) -> None:
    scenario = hs.load(stranger.scenario, code=False)
    assert (list(scenario.controls()), stranger.has_run) == (["tcp:own.py:Own"], False)
    with (
        trust.under(lambda code: f"not {Path(code).name}"),
        pytest.raises(ScenarioError, match=r"own\.py: not own\.py"),
    ):
        hs.load(stranger.scenario)
    hs.load(stranger.scenario)
    assert stranger.has_run


def test_the_question_names_the_file(
    stranger: Stranger, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return "yes\n"

    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert trusting._answer(str(stranger.code)) == "yes\n"
    assert str(stranger.code) in capsys.readouterr().err
