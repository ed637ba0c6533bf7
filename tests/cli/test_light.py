"""What the usual verbs load: none of the libraries that take longer to load than a short run takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hopscope.cli.main import VERBS

#: Libraries for tables, figures and reports, with those that they bring.
HEAVY = {"numpy", "pandas", "pyarrow", "scipy", "matplotlib", "moocore", "jinja2", "PIL", "pydantic"}

#: Does what the command does, and says which modules are there when it ends.
CODE = """
import atexit, sys
atexit.register(lambda: print("loaded:", *sys.modules, file=sys.stderr))
from hopscope.cli.main import main
main()
"""


def loaded(folder: Path, words: str) -> set[str]:
    """The modules that a command loads."""
    run = [sys.executable, "-c", CODE, *words.split()]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.rpartition("loaded: ")[2].split())


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("light")
    flow = '[[flow]]\nfrom = 0\nto = 2\ntransport = "tcp-newreno"\n'
    (folder / "chain.toml").write_text(f'duration = "2s"\n[topology]\nkind = "chain"\nhops = 2\n{flow}')
    assert not loaded(folder, "run chain.toml --seeds 2 --out a") & HEAVY
    assert not loaded(folder, "run chain.toml --seeds 2 --out b --set mac.queue=5 --json") & HEAVY
    assert (folder / "a" / "flows.parquet").exists()
    return folder


VERBS_THAT_ANSWER = (
    "show a",
    "show a --metric delay_ms --sort delay_ms",
    "show a --json",
    "show",
    "compare a b",
    "compare chain.toml --by mac.queue=5,50 --seeds 2",
    "check chain.toml",
    "explain chain.toml --seeds 1",
    "list transports",
    "list keys",
    "help mac.queue",
    "help run",
    "trace a --to 100ms",
    "--version",
    "--help",
)


@pytest.mark.parametrize("words", VERBS_THAT_ANSWER)
def test_a_usual_verb_loads_nothing_heavy(stored: Path, words: str) -> None:
    assert not loaded(stored, words) & HEAVY


def test_a_run_loads_nothing_of_captures_traces_and_clusters(stored: Path) -> None:
    modules = loaded(stored, "run chain.toml --seeds 1 --out c")
    assert "hopscope.campaign.execute" in modules
    assert not {"hopscope.campaign.capture", "hopscope.campaign.cluster", "hopscope.tracing"} & modules


def test_a_verb_loads_no_other_verb(stored: Path) -> None:
    verbs = {name for name in loaded(stored, "check chain.toml") if name.startswith("hopscope.cli.")}
    assert "hopscope.cli.check" in verbs
    assert not {f"hopscope.cli.{module}" for module, _ in VERBS.values() if module != "check"} & verbs
