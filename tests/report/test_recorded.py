"""Pictures of single runs in reports and in notebooks."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import hopscope as hs
from hopscope.errors import InputError
from hopscope.reporting.page import store_page
from hopscope.reporting.recorded import MOST_PICTURES, Recorded, Span
from hopscope.reporting.series import Selection

SCENE = {
    "title": "chain",
    "duration": "3s",
    "seeds": 2,
    "topology": {"kind": "chain", "hops": 2},
    "flow": [{"from": 0, "to": 2}],
    "sweep": {"flow.0.max_window": [4, 32]},
}


@pytest.fixture(scope="module")
def result() -> hs.Result:
    return hs.run(SCENE)


def page(result: hs.Result, folder: Path, recorded: Recorded, selection: Selection | None = None) -> str:
    path = store_page([result], folder, title="t", store="s", engine="e", selection=selection, recorded=recorded)
    return path.read_text()


def test_a_report_shows_the_chosen_run(result: hs.Result, tmp_path: Path) -> None:
    recorded = Recorded([Span.of("1s..1.02s", "--timeline")], [0], Span.of("0s..2s", "--timeline"))
    text = page(result, tmp_path, recorded, Selection(("flow.0.max_window=32",), (2,)))
    titles = re.findall(r'<text class="title"[^>]*>([^<]*)</text>', text)
    run = "chain, point 1 (flow.0.max_window = 32), seed 2"
    assert titles == [f"{run}: 1 s to 1.02 s", f"{run}, flow 0: node 0 to 2"]
    assert '<svg id="picture-1"' in text
    assert 'getElementById("picture-2")' in text
    own = hs.timeline(SCENE, start="1s", stop="1.02s", point=1, seed=2)
    assert all(mark in text for mark in own.marks), "it is the picture of the verb"
    assert page(result, tmp_path, recorded, Selection(("1",), (2,))) == text, "the same report again"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("..0.5s", 'found "..0.5s"; expected FROM or FROM..TO, such as 1.5s..1.6s'),
        ("1s..", 'found "1s.."; expected FROM or FROM..TO, such as 1.5s..1.6s'),
        ("", 'found ""; expected FROM or FROM..TO, such as 1.5s..1.6s'),
        ("soon", 'soon: from soon: "soon" is no number with a unit'),
        ("2s..1s", "2s..1s: to 1s: lies before from 2s"),
        ("1s..2s..3s", '1s..2s..3s: to 2s..3s: unknown unit "s..3s"'),
    ],
)
def test_a_time_that_is_none_is_refused_with_its_option(text: str, why: str) -> None:
    with pytest.raises(InputError) as refusal:
        Span.of(text, "--span")
    assert str(refusal.value).replace("--span: ", "--span ").startswith(f"--span {why}")


def test_a_report_stays_small(result: hs.Result, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"ask for 16 pictures; a report holds {MOST_PICTURES} at most"):
        page(result, tmp_path, Recorded([Span("0s")] * 2, [0, 0]), Selection(("0", "1"), (1, 2)))
    with pytest.raises(InputError, match="more than 10000 marks"):
        page(result, tmp_path, Recorded([Span.of("0s..3s", "--timeline")]))
    with pytest.raises(InputError, match="flow 3: there is none"):
        page(result, tmp_path, Recorded(flows=[3]))
    assert not list(tmp_path.iterdir()), "nothing is written"


def test_a_result_draws_its_runs_in_a_notebook(result: hs.Result) -> None:
    drawn = result.timeline("1s", "1.01s", nodes=[1], point=1, seed=2)
    assert drawn.marks == hs.timeline(SCENE, start="1s", stop="1.01s", nodes=[1], point=1, seed=2).marks
    flow = result.sequence(point="flow.0.max_window=4", stop="2s")
    assert "flow 0: node 0 to 2" in flow._repr_html_()
    # The wheel is the notebook's own; with the control key it zooms.
    assert "alone = false" in flow._repr_html_()
    assert "alone = true" in flow.html()


def test_the_command_says_what_it_needs(result: hs.Result, tmp_path: Path) -> None:
    hs.run(SCENE, out=tmp_path / "store")

    def report(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "hopscope", "report", str(tmp_path / "store"), *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    refused = report("--span", "1s..2s")
    assert (refused.returncode, refused.stderr) == (
        2,
        "hopscope: --span: is the time of --sequence, which is not there\n",
    )
    done = report("--timeline", "1s", "--sequence", "0", "--span", "1s..2s", "--point", "1")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'store' / 'report.html'}\n")
    assert (tmp_path / "store" / "report.html").read_text().count('class="plot"') == 2
