"""`hopscope new`: each template runs as written, explains its keys, and replaces nothing unasked."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hopscope.cli.main import build
from hopscope.cli.new import FOLDER, TEMPLATES, write
from hopscope.errors import InputError


def hopscope(*words: str) -> str:
    """What the command prints on standard output; raises what it refuses."""
    result = CliRunner().invoke(build(), list(words), env={"COLUMNS": "80"}, prog_name="hopscope")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_runs_as_written_by_each_command_that_it_names(template: str, desk: Path) -> None:
    hopscope("new", "mine", "--template", template)
    file = desk / "mine" / "study.toml" if template == "study" else desk / "mine.toml"
    commands = [shlex.split(line)[1:] for line in re.findall(r"^#   (hopscope .*?)(?:   |$)", file.read_text(), re.M)]
    assert len(commands) > 1
    for words in commands:
        short = [] if words[0] == "check" else ["--quick", "--no-progress"]
        assert hopscope(*words, *(word for word in short if word not in words)).strip() or words[0] == "check"


@pytest.mark.parametrize("file", sorted(FOLDER.rglob("*.toml")), ids=lambda file: file.stem)
def test_every_key_of_a_template_has_a_comment_where_it_stands_first(file: Path) -> None:
    explained = set()
    for line in file.read_text().splitlines():
        key, equals, _ = line.partition(" = ")
        if equals and not line.startswith("#"):
            assert key in explained or " # " in line, line
            explained.add(key)
    assert explained


def test_without_a_name_the_templates_are_listed() -> None:
    listed = hopscope("new")
    assert [line.split()[0] for line in listed.splitlines() if not line.startswith(" ")] == list(TEMPLATES)
    assert max(map(len, listed.splitlines())) <= 80


def test_a_name_alone_gives_a_chain_under_that_name_in_its_folder(desk: Path) -> None:
    hopscope("new", "work/first")
    text = (desk / "work" / "first.toml").read_text()
    assert 'title = "first"' in text
    assert "NAME" not in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mine", "--template", "grdi"], 'did you mean "grid"'),
        (["mine", "--template", "xyzzy"], "chain, grid, field"),
        (["a b"], "letters, digits"),
        (["--template", "grid"], "expected a name"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_line(words: list[str], said: str, desk: Path) -> None:
    with pytest.raises(InputError) as refused:
        hopscope("new", *words)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not list(desk.iterdir())


def test_nothing_is_replaced_unasked(desk: Path) -> None:
    (desk / "mine.py").write_text("own")
    with pytest.raises(InputError, match=r"mine\.py: is there already; --force replaces it"):
        hopscope("new", "mine", "--template", "control")
    assert [(path.name, path.read_text()) for path in desk.iterdir()] == [("mine.py", "own")]
    hopscope("new", "mine", "--template", "control", "--force")
    assert "class Gentle" in (desk / "mine.py").read_text()
    with pytest.raises(InputError, match="cannot be written: Not a directory"):
        write("study", desk / "mine.py")
