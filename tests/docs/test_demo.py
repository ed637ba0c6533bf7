"""What `make demo` prints: the curve, the answer and its cause, on one screen."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from rich.console import Console

import hopscope as hs
from hopscope.results.samples import Estimate

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import demo

SHORT = {"duration": "31s", "seeds": 2}


@pytest.fixture(scope="module")
def result() -> hs.Result:
    return hs.run(demo.SCENARIO, set=SHORT)


def test_the_demo_answers_on_one_screen(result: hs.Result) -> None:
    overloaded = hs.run(demo.SCENARIO, set={**SHORT, "profile": "ns2", demo.WINDOW: 32, "explain": True})
    file = io.StringIO()
    demo.show(result, overloaded.explain(), Console(file=file, width=100, highlight=False))
    lines = file.getvalue().splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 100
    text = " ".join(" ".join(lines).split())
    assert "Under ns-2's rules a window of " in text
    assert "Under the standard's rules 3 packets are enough: more only wait, " in text
    assert "carrier-sense range" in text


def test_what_to_try_next_is_there() -> None:
    files = [command.split()[1] for command in demo.NEXT if ".toml" in command]
    assert len(files) == 2
    for file in files:
        hs.load(demo.ROOT / file)


def test_the_best_window_is_called_published_only_where_it_is(result: hs.Result) -> None:
    tops = {profile: demo.Best(2, Estimate(1.0, None, 1.0, 1.0, 1), (2,)) for profile in demo.RULES}
    sentence, _ = demo.answer(result, tops)
    assert "where Fu et al. (2003) published 3" in sentence


def test_the_readme_has_what_the_demo_prints_and_is_short() -> None:
    page = (demo.ROOT / "README.md").read_text()
    assert len(page.splitlines()) < 120
    shown = page.partition("```text\n")[2].partition("\n```")[0].splitlines()
    assert len(shown) <= 40
    assert max(map(len, shown)) <= 100
    assert [line.removeprefix("  .venv/bin/hopscope ") for line in shown[-len(demo.NEXT) :]] == list(demo.NEXT)
