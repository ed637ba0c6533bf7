"""What needs a library that an extra brings, without it: one line with the command that adds it, before any work."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import hopscope
from hopscope.io.extras import EXTRAS, MissingLibrary, need

PACKAGE = Path(hopscope.__file__).parent

#: Runs the command as if the libraries of all extras were not installed.
CODE = f"""
import sys
sys.modules.update(dict.fromkeys({list(EXTRAS)}))
from hopscope.cli.main import main
main()
"""


def imported(node: ast.AST) -> set[str]:
    """Libraries of extras that are imported inside a node, but for types."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return set()
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = [node.module or ""]
    found = {name.partition(".")[0] for name in names} & EXTRAS.keys()
    return found.union(*(imported(inner) for inner in ast.iter_child_nodes(node)))


def needed(tree: ast.AST) -> set[str]:
    """Libraries that calls of ``need`` and ``is_there`` name."""
    return {
        word.value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and ast.unparse(call.func) in {"need", "is_there"}
        for word in call.args
        if isinstance(word, ast.Constant)
    }


def test_a_module_that_imports_an_optional_library_says_when_it_is_missing() -> None:
    trees = {path: ast.parse(path.read_text()) for path in PACKAGE.rglob("*.py")}
    silent = {path.name: sorted(names) for path, tree in trees.items() if (names := imported(tree) - needed(tree))}
    assert silent == {}
    assert sum(bool(imported(tree)) for tree in trees.values()) > 10


def call(folder: Path, words: str) -> subprocess.CompletedProcess[str]:
    run = [sys.executable, "-c", CODE, *words.split()]
    return subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("base")
    flow = '[[flow]]\nfrom = 0\nto = 2\ntransport = "tcp-newreno"\n'
    (place / "chain.toml").write_text(f'duration = "2s"\n[topology]\nkind = "chain"\nhops = 2\n{flow}')
    assert call(place, "run chain.toml --seeds 2 --out a").returncode == 0
    return place


@pytest.mark.parametrize(
    "words",
    [
        "show a --write t.csv",
        "show a --write t.parquet",
        "compare a chain.toml:mac.queue=5",
        "explain chain.toml",
        "optimize chain.toml --over mac.queue=5,50",
        "verify a",
    ],
)
def test_the_base_is_enough(folder: Path, words: str) -> None:
    done = call(folder, words)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "library", "extra"),
    [
        ("report a", "jinja2 and matplotlib are not installed; they come", "plots"),
        ("reproduce fu2003.table1", "jinja2 and matplotlib are not installed; they come", "plots"),
        ("compare a a --report", "jinja2 and matplotlib are not installed; they come", "plots"),
        ("check chain.toml --picture p.svg", "matplotlib is not installed; it comes", "plots"),
        ('run chain.toml --set series.keep=["cwnd"]', "pandas and pyarrow are not installed; they come", "notebook"),
        ("show a --fair", "scipy is not installed; it comes", "all"),
        (
            "optimize chain.toml --over mac.queue=5,9 --objective loss --and delay",
            "moocore is not installed; it comes",
            "all",
        ),
    ],
)
def test_what_is_missing_is_named_with_the_command_that_adds_it(
    folder: Path, words: str, library: str, extra: str
) -> None:
    done = call(folder, words)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr == f'hopscope: {library} with: pip install "hopscope[{extra}]"\n'


def test_python_names_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingLibrary, match=r'^scipy is not installed; it comes with: pip install "hopscope\[all\]"$'):
        need("scipy")
