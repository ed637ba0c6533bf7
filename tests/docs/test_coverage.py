"""The page of coverage is complete: every known item of the studies has a row, and what rows name exists."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from hopscope import studies

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import coverage as page  # noqa: E402

#: The items of the five studies: tables, figures, sections and claims with results.
ITEMS = {
    "fu2003": """table1 fig2-left fig2-middle fig2-right fig3 table2 cross-window grid-window random-window
        sec4.1-buffers table3 fig5-left fig5-middle fig5-right sec4.3 fig6 fig7 fig8-left fig8-right
        fig9-left fig9-middle fig9-right fig10-left fig10-middle fig10-right table4 table5 table6 sec6-vegas""",
    "afrakhteh2005": " ".join(f"exp{n:02}" for n in range(1, 14)),
    "anastasi2006": """fig3-left fig3-right fig4 fig5 fig6 fig7 fig8 fig9 fig10 fig11 table1 table2 table3 table4
        sec4.1-dack sec4.4""",
    "armaghani2008": """claim-gains claim-load-response claim-optimal-dwin fig2-4 fig2-7 fig3-5 fig3-6 table2-1 table4-1
        fig4-1 fig4-2 fig4-3 fig4-4 fig4-5 fig4-6 fig4-7 fig4-8 fig4-9 fig4-10""",
    "zhang2006": " ".join(
        [
            *(f"fig2-{n}" for n in (1, 2, 3, 5, 6)), "fig3-2", "fig3-3",
            *(f"fig6-{n}" for n in range(3, 24)), *(f"fig7-{n}" for n in range(1, 17)),
            *(f"table6-{n}" for n in range(1, 6)), *(f"table7-{n}" for n in range(1, 4)),
            "sec2-2-2-wlan-updown sec3-1-1-atp sec3-2-layer-rates sec3-2-2-1-vegas sec3-2-2-2-westwood",
            "sec3-2-2-3-tibet sec4-2-alt-window sec6-1-dcf-limits sec6-1-chain-capacity sec6-3 sec6-6-goals",
            "sec7-3-comparison sec8-future appA-1-1-elfn appA-1-2-tcpf appA-1-3-fixedrto appA-1-4-atcp appA-1-5-door",
            "appA-2-1-bn appA-2-2-optwnd appA-2-3-timer",
        ]
    ),
}  # fmt: skip

#: What the studies use or survey.
SCHEMES = [
    "Tahoe",
    "Reno",
    "NewReno",
    "SACK",
    "Vegas",
    "Westwood",
    "TIBET",
    "FAST",
    "Scalable",
    "HighSpeed",
    "TCP-AP",
    "ATP",
    "VPS",
    "TOPP",
    "SLoPS",
    "ELFN",
    "TCP-F",
    "DOOR",
    "ATCP",
    "I-TCP",
    "B/N",
    "timer",
    "DCCP",
    "reliable",
    "AODV",
    "OLSR",
    "RTS/CTS",
    "DAA",
    "MDA",
    "DCA",
    "LDA",
    "ADA",
    "RED",
    "pacing",
    "Jain",
    "max-min",
    "waypoint",
]


@pytest.mark.parametrize("study", page.STUDIES)
def test_every_item_has_a_row_with_a_verdict(study: str) -> None:
    found = {item: verdict for s, kind, item, _, _, verdict in page.rows() if s == study and kind == "experiment"}
    assert not set(ITEMS[study].split()) - set(found)
    assert all(found.values())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_has_a_row(scheme: str) -> None:
    assert [row for row in page.ROWS if row.kind == "scheme" and scheme in row.item], scheme


def test_a_row_is_shown_somewhere_or_says_why_not() -> None:
    assert all(bool(row.shown) != bool(row.open) for row in page.ROWS)
    items = [(row.study, row.item) for row in page.ROWS]
    assert len(items) == len(set(items))


def test_what_rows_name_exists() -> None:
    keys = {entry.key for entry in studies.entries()}
    for place in {place for row in page.ROWS for place in row.shown}:
        file, _, test = place.partition("::")
        if "/" not in file:
            assert file in keys, place
            continue
        text = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"\b(?:fn|def) {test}\b" if test else r"#\[test\]|\bdef test_", text), place


def test_every_entry_has_recorded_verdicts() -> None:
    for entry in studies.entries():
        study = entry.key.partition(".")[0]
        if study in page.STUDIES:
            known = page.verdicts(study).get(entry.key, {})
            assert set(known) == {statement.id for statement in entry.statements}, entry.key
