"""Every `hopscope` command of the documents is run, cut short, in a folder that has the files it names."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from hopscope.cli import main as cli
from hopscope.studies import registry

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "showcases").rglob("*.md"))]

#: The folder that pages show as that of a store, and what else stands for one.
STORE = "results/7-hop-chain-1a2b3c4d"

#: A run is cut to this; what takes minutes even so is looked up only.
SHORT = ["--set", "duration=4s", "--no-progress"]
LOOKED_UP = {"fu2003", "validation", "all"}


def commands() -> list[tuple[str, str]]:
    """The lines of console blocks that begin with the command, without those that show a form: [--seeds N]."""
    found = []
    for page in PAGES:
        if {"generated", "_build"} & set(page.parts):
            continue
        for block in re.findall(r"^```console\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE):
            lines = [line.split(" #")[0].strip() for line in block.replace("\\\n", " ").splitlines()]
            found += [(str(page.relative_to(ROOT)), line) for line in lines if line.startswith("hopscope ")]
    return [(page, line) for page, line in dict.fromkeys(found) if "[" not in line.split("--set")[0]]


def short(words: list[str]) -> list[str]:
    """The command cut short."""
    verb = words[0]
    if "--dask" in words:  # without a scheduler; tests/campaign/test_cluster.py has one
        at = words.index("--dask")
        words = [*words[:at], *words[at + 2 :]]
    if verb in {"run", "explain"}:
        return [*words, *SHORT, "--seeds", "2"]
    if verb == "compare":
        return [*words, "--quick", "--no-progress", "--seeds", "2"]
    if verb == "optimize" and "--and" in words:  # every value in full
        return [*words, *SHORT, "--seeds", "2"]
    if verb == "optimize":
        rest = [word for n, word in enumerate(words) if not {"--seeds", "--budget"} & set(words[max(0, n - 1) : n + 1])]
        return [*rest, *SHORT, "--seeds", "2", "--shortest", "2s", "--budget", "100%"]
    if verb == "probe":
        return [*words, "--seeds", "1"]
    if verb == "reproduce":
        return [*words, "--quick", "--no-progress", "--seeds", "1"]
    return words


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files and the store that the pages name."""
    folder = tmp_path_factory.mktemp("desk")
    text = next(b for b in re.findall(r"```toml\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL))
    (folder / "chain.toml").write_text('title = "7-hop chain"\n' + text.replace('"300s"', '"30s"'))
    (folder / "field.toml").write_text(
        'duration = "4s"\n[topology]\nkind = "random"\nnodes = 12\narea = [500, 500]\nconnected = true\n'
        '[mac]\nlink = "lred"\n[[flow]]\npattern = "random"\ncopies = 2\n'
    )
    guide = (ROOT / "docs/guide/modern.md").read_text()
    modern = next(b for b in re.findall(r"```toml\n(.*?)```", guide, flags=re.DOTALL))
    (folder / "modern.toml").write_text(modern.replace('"20s"', '"1s"'))
    guide = (ROOT / "docs/guide/mesh.md").read_text()
    mesh = next(b for b in re.findall(r"```toml\n(.*?)```", guide, flags=re.DOTALL))
    (folder / "mesh.toml").write_text(re.sub(r'"(120|60|30|5)s"', lambda one: f'"{max(1, int(one[1]) // 30)}s"', mesh))
    guide = (ROOT / "docs/guide/compare.md").read_text()
    measured = re.search(r"`testbed.csv`.*?```text\n(.*?)```", guide, flags=re.DOTALL)
    assert measured is not None
    (folder / "testbed.csv").write_text(measured[1])
    shutil.copytree(ROOT / "showcases", folder / "showcases")
    shutil.copy(ROOT / "tests/foreign/scripts/chain.tcl", folder / "script.tcl")
    for name in (STORE, "STORE"):
        words = ["run", "chain.toml", "--seeds", "2", "--out", name, "--no-progress", "--set", "duration=4s"]
        assert start(folder, words) == 0
    for shard in (1, 2, 3):
        words = ["run", "chain.toml", "--out", f"shard-{shard}", "--no-progress", "--set", "duration=1s"]
        assert start(folder, [*words, "--shard", f"{shard}/3"]) == 0
    return folder


def start(folder: Path, words: list[str]) -> int:
    """The exit status of the command in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["hopscope", *words])
        try:
            cli.main()
        except SystemExit as end:
            return int(end.code or 0)
    return 0


@pytest.mark.parametrize(("page", "line"), commands(), ids=[f"{page}: {line[:60]}" for page, line in commands()])
def test_a_command_of_a_page_runs(page: str, line: str, desk: Path, capsys: Any) -> None:
    words = shlex.split(line)[1:]
    if words[0] == "reproduce" and set(words) & LOOKED_UP:
        chosen = registry.find([word for word in words[1:] if word in LOOKED_UP])
        assert chosen, f"{page}: {line}"
        return
    words, target = (words[: words.index(">")], words[-1]) if ">" in words else (words, "")
    status = start(desk, short(words))
    reported = capsys.readouterr()
    if target:
        (desk / target).write_text(reported.out)
    assert status == 0, f"{page}: {line}\n{reported.err}"
    assert reported.out or reported.err, f"{page}: {line}"


def recipes() -> list[tuple[str, str]]:
    """The ten recipes of the list in `showcases/README.md`: folder and command."""
    page = (ROOT / "showcases" / "README.md").read_text()
    return re.findall(r"^\| \[.*?\]\((\w+)/index\.md\) \| .*? \| `(hopscope .*?)` \|", page, flags=re.MULTILINE)


def test_there_are_ten_recipes_each_with_scenario_command_and_figure() -> None:
    found = recipes()
    assert len(found) == 10
    for folder, command in found:
        place = ROOT / "showcases" / folder
        page = (place / "index.md").read_text()
        assert page.startswith("# "), folder
        assert page.splitlines()[0].endswith("?"), folder
        assert command in page, f"{folder}: its page does not give the command"
        assert (place / "scenario.toml").exists()
        figure = re.search(r"!\[.*?\]\((figure\.png)\)", page)
        assert figure is not None, f"{folder}: no figure"
        assert (place / figure[1]).read_bytes().startswith(b"\x89PNG")
    assert "(showcases/README.md)" in (ROOT / "README.md").read_text()
    assert "(guide/recipes.md)" in (ROOT / "docs/index.md").read_text()
    reported = (ROOT / "docs/guide/recipes.md").read_text()
    assert all(command in reported for _, command in found)


@pytest.mark.parametrize(("folder", "command"), recipes(), ids=[folder for folder, _ in recipes()])
def test_a_recipe_runs(folder: str, command: str, desk: Path, capsys: Any) -> None:
    words = shlex.split(command)[1:]
    status = start(desk, [*short(words), "--out", f"out/{folder}"])
    reported = capsys.readouterr()
    assert status == 0, reported.err
    assert "±" in reported.out or "%" in reported.out


NOTEBOOKS = [page for page in PAGES if "```{code-cell}" in page.read_text()]


@pytest.mark.parametrize("page", NOTEBOOKS, ids=[page.stem for page in NOTEBOOKS])
def test_the_cells_of_a_page_run_one_after_the_other(
    page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What sphinx does when it builds the page, in short runs and without a kernel."""
    import matplotlib as mpl

    monkeypatch.chdir(tmp_path)
    cells = re.findall(r"^```\{code-cell\} ipython3\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert cells
    shown: dict[str, Any] = {"__name__": "__main__"}
    with mpl.rc_context({"backend": "Agg"}):
        for cell in cells:
            short = re.sub(r'"(60|120)s"', '"4s"', cell)
            exec(compile(short, str(page), "exec"), shown)
