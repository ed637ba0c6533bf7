"""No criterion changes: each statement is evaluated by what was written down before its runs.

`criteria/STUDY.jsonl` has a line for each statement and each metric. Those of 2b9316c, where the search for readings
began, were written from the studies as they stood there; a verb took the place of six checks in Python without another
meaning (0c0930d), and `beside` became `baseline`. Later ones name the commit that fixed them, before their first run
(`python tools/criteria.py STUDY COMMIT`).
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import criteria

ROOT = criteria.ROOT

#: Statements that are no longer counted, or counted as something else, with the reason. Their criteria stand.
KINDS = {
    "armaghani2008 claim-optimal-dwin.c2": ("unstated", "the thesis says that the best window depends, not whereto"),
    "armaghani2008 fig2-4.c1": ("definition", "an ACK for each packet is what the policy is"),
    "armaghani2008 fig2-4.c2": ("definition", "an ACK for every second packet is what the policy is"),
    "armaghani2008 fig3-5.c1": ("foregone", "without losses nothing could keep the window from its limit"),
    "armaghani2008 fig3-5.c2": ("foregone", "the rules of the window leave nothing else after a loss"),
    "mesh-routing static.c3": ("foregone", "with one data rate ETT is ETX times a constant"),
    "zhang2006 sec6-6.c2": ("goal", "the thesis reports itself that it was not reached"),
}


def changed(stands: dict[str, Any], now: dict[str, Any] | None) -> list[str]:
    """What differs from the line that stands, its commit apart."""
    if now is None:
        return ["is gone"]
    keys = {key: None for key in (*stands, *now) if key != "since"}
    return [f"{key}: {stands.get(key)} -> {now.get(key)}" for key in keys if stands.get(key) != now.get(key)]


@pytest.mark.parametrize("study", criteria.STUDIES)
def test_every_statement_is_evaluated_by_its_committed_criterion(study: str) -> None:
    stand, now = criteria.committed(study), criteria.criteria(ROOT / "studies" / study)
    found = {}
    for name, line in stand.items():
        kind, _reason = KINDS.get(f"{study} {name}", (line.get("kind"), ""))
        expected = line if kind is None else line | {"kind": kind}
        if words := changed(expected, now.get(name)):
            found[name] = words
    assert not found
    missing = now.keys() - stand.keys()
    assert not missing, f"no committed criterion; after the commit that fixes it: python tools/criteria.py {study} HASH"


def test_every_line_names_its_commit() -> None:
    for study in criteria.STUDIES:
        for name, line in criteria.committed(study).items():
            assert re.fullmatch(r"[0-9a-f]{7}", line["since"]), f"{study} {name}"


def test_a_moved_bound_is_a_change(tmp_path: Path) -> None:
    text = '[[experiment]]\nkey = "fig1"\n[[experiment.statement]]\nid = "c1"\ntext = "So."\n'
    text += 'verb = "within"\nmetric = "rate"\nlow = 1\nhigh = 2\nbecause = "{}"\n[metric]\nrate = {{ path = "{}" }}\n'

    def read(other: str, path: str = "a") -> dict[str, dict[str, Any]]:
        (tmp_path / "study.toml").write_text(other.format("Why.", path))
        return criteria.criteria(tmp_path)

    before = read(text)
    assert read(text.replace("Why.", "Another cause.")) == before
    after = read(text.replace("high = 2", "high = 3"))
    assert changed(before["fig1.c1"], after["fig1.c1"]) == [
        f"checks: {before['fig1.c1']['checks']} -> {after['fig1.c1']['checks']}"
    ]
    assert changed(before["metric.rate"], read(text, "b")["metric.rate"]) == ["path: a -> b"]
    assert changed(before["fig1.c1"], None) == ["is gone"]


def test_what_a_check_in_python_compares_is_part_of_the_criterion() -> None:
    line = criteria.committed("fu2003")["fig2-middle.c2"]
    assert "abs(peak.at-hops/4)<=2" in line["checks"][0]["code"]
