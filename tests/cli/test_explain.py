"""``hopscope explain``: what it prints, the document of ``--json``, the plot, bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hopscope import _core

CAUSES = dict(_core.ledger_causes())


def test_tables_and_sentences_stand_on_stdout(hopscope: Any, folder: Path) -> None:
    done = hopscope("explain", "chain.toml", "--plot", "shares.svg")
    assert done.returncode == 0, done.stderr
    for text in ("Where the time of each node goes", "Where the delay of a packet goes (ms)", "Flow 0: a packet takes"):
        assert done.stdout.count(text) == 2, text
    assert "flow.0.packet = 1000" in done.stdout
    assert (folder / "shares.svg").read_text().lstrip().startswith("<?xml")
    [store] = (folder / "results").iterdir()
    assert done.stderr == f"results: results/{store.name}\nplot: shares.svg\n"
    report = hopscope("report", f"results/{store.name}")
    assert report.returncode == 0, report.stderr
    assert "Where the time goes" in (store / "report.html").read_text()


def test_json_has_shares_that_add_up_and_delays(hopscope: Any) -> None:
    done = hopscope("explain", "chain.toml", "--json", "--set", "flow.0.packet=800")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert list(document) == ["hopscope", "scenario", "nodes", "links", "flows", "sentences", "points"]
    assert [node["id"] for node in document["nodes"]] == [0, 1, 2]
    for node in document["nodes"]:
        assert list(node["share_pct"]) == CAUSES["nodes"]
        assert sum(node["share_pct"].values()) == pytest.approx(100, abs=1e-9)
    for link in document["links"]:
        assert sum(link["share_pct"].values()) == pytest.approx(100, abs=1e-9)
    [flow] = document["flows"]
    assert list(flow["delay_ms"]) == CAUSES["delay"]
    [point] = document["points"]
    assert point["nodes"] == document["nodes"]
    ran = json.loads(hopscope("run", "chain.toml", "--json", "--set", "flow.0.packet=800").stdout)
    expected = ran["points"][0]["summary"]["flow.0.delay_ms"]["mean"]
    assert sum(flow["delay_ms"].values()) - flow["delay_ms"]["timeout"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("explain", "absent.toml"), "absent.toml"),
        (("explain", "chain.toml", "--set", "flow.0.pakket=5"), "did you mean"),
        (("explain", "chain.toml", "--plot", "shares.gif"), '--plot shares.gif: expected a file that ends in ".png"'),
        (("run", "chain.toml", "--set", "explain=7"), "explain"),
    ],
)
def test_bad_input_is_refused(hopscope: Any, folder: Path, arguments: tuple[str, ...], expected: str) -> None:
    done = hopscope(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert expected in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "results").exists()
