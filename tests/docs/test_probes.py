"""The table of bandwidth estimators: six paths that can be probed, and distributions that are those of the runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import hopscope as hs
from hopscope.probing import Estimate, Probed, Probing
from hopscope.probing.path import path_of
from hopscope.probing.truth import Truth

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import probes


def test_three_paths_are_wired_and_three_are_not() -> None:
    wired = [name for name, scenario in probes.PATHS.items() if "wire" in scenario]
    assert (len(probes.PATHS), len(wired)) == (6, 3)
    for scenario in probes.PATHS.values():
        path = path_of(hs.Scenario(scenario))
        assert path.ends == (0, len(path.scenario.points[0].config(1)["nodes"]) - 1)
        assert path.others == len(scenario["flow"]) - 1


def test_a_row_reports_median_half_and_all_of_the_errors() -> None:
    path = path_of(hs.Scenario(probes.PATHS["1 hop"]))
    truth = Truth(1e6, 0.5e6)
    reported = [0.9e6, 1e6, 1.1e6, 1.2e6, 1.4e6]
    runs = [Probed("packet-pair", seed, Estimate(capacity=one), truth, 1.0, 2) for seed, one in enumerate(reported)]
    runs.append(Probed("packet-pair", 9, None, truth, 0.0, 0, "nothing came back"))
    found = Probing(path, tuple(runs))
    assert list(probes.rows("here", found)) == [
        ["here", "packet-pair", "capacity", "1000", "+10", "-5 to +30", "-10 to +40", "5"]
    ]
    assert "| here | packet-pair | capacity | 1000 | +10 |" in probes.table({"here": found})
    assert found.summary("packet-pair", "capacity_error").mean == pytest.approx(12)
    assert found.to_json()["runs"][5]["why"] == "nothing came back"
