"""`hopscope show --fair`: fair shares beside what was measured, in the terminal and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hopscope as hs


def test_the_command_shows_fair_shares(hopscope: Any, tmp_path: Path) -> None:
    flows = [{"from": 0, "to": 3}, {"from": 0, "to": 1}]
    scenario = hs.Scenario({"duration": "3s", "topology": {"kind": "chain", "hops": 3}, "flow": flows})
    hs.run(scenario, out=tmp_path / "store")
    store = str(tmp_path / "store")
    shown = hopscope("show", store, "--fair")
    assert shown.returncode == 0, shown.stderr
    assert "Fair shares of throughput" in shown.stdout
    assert "proportional" in shown.stdout
    document = json.loads(hopscope("show", store, "--fair", "--json").stdout)
    assert [row["flow"] for row in document["fair_shares"]] == [0, 1]
    assert "fair_shares" not in json.loads(hopscope("show", store, "--json").stdout)
    refused = hopscope("show", store, "--fair", "--write", "table.csv")
    assert refused.returncode == 2
    assert "--fair goes to the terminal" in refused.stderr
