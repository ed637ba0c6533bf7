"""The campaign on real kernels: which runs are still to be measured, and what becomes of those that were."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

import pytest

from hopscope.scenario import Scenario

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import kernels

CAMPAIGN = kernels.Campaign(("control", "hops"), (("cubic", "1"), ("reno", "2")), ("Two cells.",), kernels.as_it_is)


def run(cell: tuple[str, str], seed: int, goodput: float, verdict: str = "ok") -> dict[str, str]:
    values = {"seed": str(seed), "goodput_kbps": str(goodput), "again_pct": "1.5", "problem": "", "verdict": verdict}
    late = {"late_p50_us": "30", "late_p99_us": "90", "late_max_us": "800", "above_1ms_pct": "0"}
    return {"control": cell[0], "hops": cell[1], **values, **late, "date": "2026-11-27", "kernel": "6.18"}


def test_what_was_in_time_is_not_measured_again(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    assert kernels.read(file) == []
    for row in (
        run(("cubic", "1"), 1, 100),
        run(("reno", "2"), 1, 100, "missed"),
        run(("cubic", "1"), 3, 100, "degraded"),
    ):
        kernels.add(file, row)
    rows = kernels.read(file)
    everything = re.compile("")
    assert kernels.missing(CAMPAIGN, rows, 2, everything) == [
        (("reno", "2"), 1),
        (("cubic", "1"), 2),
        (("reno", "2"), 2),
    ]
    assert kernels.missing(CAMPAIGN, rows, 2, re.compile("^cubic 1$")) == [(("cubic", "1"), 2)]
    assert kernels.missing(CAMPAIGN, rows, 0, everything) == []


def test_the_file_of_the_study_leaves_out_what_missed_real_time() -> None:
    rows = [
        run(("cubic", "1"), 1, 100),
        run(("cubic", "1"), 2, 300, "degraded"),
        run(("cubic", "1"), 3, 9000, "missed"),
    ]
    lines = kernels.table(CAMPAIGN, rows, "kernel").splitlines()
    head = " ".join(line for line in lines if line.startswith("#"))
    assert "3 runs: 1 ok, 1 degraded, 1 missed; 1 run that missed real time left out" in head
    assert "Linux 6.18;" in head
    assert "2026-11-27." in head
    found = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    # (300 - 100) / sqrt(2)
    numbers = {"n": "2", "mean": "200", "min": "100", "max": "300", "sd": "141.421"}
    assert found[0] == {"control": "cubic", "hops": "1", "metric": "goodput_kbps", **numbers}
    # A single run has no spread: reno stays out.
    assert [row["metric"] for row in found] == ["goodput_kbps", "again_pct"]


@pytest.mark.parametrize("name", kernels.CAMPAIGNS)
def test_kernels_run_the_scenario_of_each_cell(name: str) -> None:
    campaign = kernels.CAMPAIGNS[name]
    found = kernels.scenarios(name)
    assert tuple(found) == campaign.cells
    for cell, document in found.items():
        names = dict(zip(campaign.columns, cell, strict=True))
        config = Scenario(document).points[0].config(1)
        [flow] = config["flows"]
        assert len(config["nodes"]) == int(names["hops"]) + 1
        assert flow["max_window"] == (1000 if names["window"] == "none" else int(names["window"]))
        assert flow["ack"] == "linux-modern"


def test_olsrd_runs_at_each_node_in_place_of_the_engines_routing() -> None:
    found = kernels.scenarios("kernel-testbed")
    assert {cell[0] for cell, document in found.items() if "node" in document} == {"olsrd"}
    daemon, engine = found[("olsrd", "3", "2")], found[("olsr", "3", "2")]
    assert (daemon["node"], daemon["routing"]) == ([{"routing": "olsrd"}], {"protocol": "static"})
    assert engine["routing"]["protocol"] == "olsr"
