"""``hopscope explain``: what it prints, the document of ``--json``, the plot, bad input."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import hopscope as hs
from hopscope import _core
from hopscope.cli.explain import print_explanation
from hopscope.results.explain import Explanation

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


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    """A chain with more links than a table shows."""
    flow = {"from": 0, "to": "last", "transport": "tcp-newreno"}
    return hs.run(
        {"title": "long", "duration": "5s", "topology": {"kind": "chain", "hops": 9}, "flow": [flow]}
    ).explain()


def printed(explanation: Explanation, width: int) -> str:
    console = Console(width=width, file=io.StringIO())
    print_explanation(console, explanation)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_no_column_and_no_word_of_a_heading_is_cut_on_a_narrow_terminal(explanation: Explanation, width: int) -> None:
    text = printed(explanation, width)
    assert "\u2026" not in text
    assert max(map(len, text.splitlines())) <= width
    words = set(text.split())
    for word in (
        "transport",
        "overheard",
        "back-off,",
        "hidden",
        "receive",
        "contention",
        "delivered",
        "RTS,",
        "nothing",
    ):
        assert word in words, word
    [point] = explanation.points
    assert len(point.links) > 12
    assert f"the 12 of {len(point.links)} with most attempts; all with --json" in " ".join(text.split())


def test_the_balance_of_packets_and_what_was_given_up_in_vain_have_tables(explanation: Explanation) -> None:
    text = printed(explanation, 200)
    [point] = explanation.points
    rows = text.partition("What became of packets")[2].partition("Losses")[0]
    shown = {
        kind: [float(word) for word in re.findall(rf"^ +0 +{kind} +(.*)$", rows, re.MULTILINE)[0].split()]
        for kind in ("data", "ack")
    }
    for kind, (sent, delivered, lost, under_way, in_vain) in shown.items():
        assert sent == delivered + lost + under_way
        balance = point.packets[0][kind]
        assert [sent, lost] == [balance.sent, balance.lost]
        assert in_vain == sum(loss.count for loss in point.unconfirmed if loss.kind == kind)
    assert ("Given up although the next node had them: no losses" in text) == bool(point.unconfirmed)


def test_what_was_given_up_in_vain_is_listed_apart() -> None:
    flow = {"from": 0, "to": "last", "transport": "udp", "app": "cbr", "rate": "200kbit/s"}
    radio = {"error": {"kind": "uniform", "per": 0.5, "applies_to": "all"}}
    scenario = {
        "title": "lossy",
        "duration": "20s",
        "topology": {"kind": "chain", "hops": 1},
        "flow": [flow],
        "radio": radio,
    }
    explanation = hs.run(scenario).explain()
    [point] = explanation.points
    assert point.unconfirmed
    text = printed(explanation, 200)
    listed = text.partition("Given up although the next node had them")[2]
    assert re.search(rf"retry-limit .* {point.unconfirmed[0].count:.4g} *$", listed, re.MULTILINE)


def test_every_line_of_a_divided_table_begins_with_its_node(explanation: Explanation) -> None:
    nodes = printed(explanation, 60).partition("Where the delay")[0]
    whole = printed(explanation, 400).partition("Where the delay")[0]
    assert re.findall(r"^ +(\d+) ", whole, flags=re.MULTILINE) == [str(node) for node in range(10)]
    parts = re.findall(r"^ +(\d+) ", nodes, flags=re.MULTILINE)
    assert len(parts) > 10
    assert parts == [str(node) for node in range(10)] * (len(parts) // 10)


def test_a_table_says_what_it_leaves_out() -> None:
    from hopscope.reporting.tables import some_of

    assert some_of(12, 14, "with most attempts") == "; the 12 of 14 with most attempts; all with --json"
    assert some_of(14, 14, "with most attempts") == ""


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
        (("explain", "chain.toml", "--figure-width", "double"), "comes with --plot FILE"),
        (("explain", "chain.toml", "--plot", "shares.gif"), "--plot shares.gif: the ending names the format"),
        (("run", "chain.toml", "--set", "explain=7"), "explain"),
    ],
)
def test_bad_input_is_refused(hopscope: Any, folder: Path, arguments: tuple[str, ...], expected: str) -> None:
    done = hopscope(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert expected in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "results").exists()
