"""The entry that sets profile as-ns3 beside ns-3.44: its reference, its scenarios, its judgement."""

from __future__ import annotations

import json

import pytest
from synthetic import outcomes

from hopscope import _core
from hopscope.catalog.reference import T975, rows_of
from hopscope.catalog.validation_ns3 import CAUSES, NS3, cells
from hopscope.results.samples import read
from hopscope.scenario import Scenario

BY_NAME = {cell.name: cell for cell in cells()}


def test_the_reference_is_whole():
    rows = rows_of("ns3")
    assert len(rows) == 422
    for row in rows:
        low, mean, high = float(row["min"]), float(row["mean"]), float(row["max"])
        slack = 1e-4 * abs(mean)
        assert low - slack <= mean <= high + slack, row
        assert int(row["n"]) in T975
    assert len(cells()) == len({cell.label for cell in cells()}) == len(BY_NAME) == 107
    assert (BY_NAME["n153"].reference["total_kbps"].mean, BY_NAME["n153"].tolerance) == (186.88, 0.03)
    assert all(cell.judged in cell.reference for cell in cells())
    assert set(CAUSES) < set(BY_NAME)


@pytest.mark.parametrize(
    ("name", "nodes", "flows"),
    [
        ("n000", 2, [(0, 1)]),
        ("n049", 6, [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0)]),
        ("n065", 3, [(0, 1), (2, 1)]),
        ("n076", 4, [(1, 0), (2, 3)]),
        ("n108", 6, [(0, 1), (2, 3), (4, 5)]),
        ("n134", 8, [(0, 7)]),
        ("n170", 13, [(0, 6), (7, 12)]),
        ("n171", 5, [(1, 0), (2, 0), (3, 0), (4, 0)]),
        ("n172", 25, [(10, 14), (2, 22)]),
        ("n173", 25, [(5, 9), (15, 19), (1, 21), (3, 23)]),
        ("n255", 2, [(0, 1)]),
    ],
)
def test_layouts(name, nodes, flows):
    scenario = BY_NAME[name].scenario()
    assert len(scenario["topology"]["positions"]) == nodes
    assert [(flow["from"], flow["to"]) for flow in scenario["flow"]] == flows


def test_every_cell_is_a_scenario_of_the_profile():
    base = json.loads(_core.base_config("as-ns3", "dsss-2M"))
    for cell in cells():
        config = Scenario(cell.scenario()).points[0].config(1)
        assert config["mac"]["retry_limit"] == base["mac"]["retry_limit"]
        assert config["warmup"] == float(cell.row["warm_s"]) * 1e9


def test_tcp_of_the_cells():
    plain, defaults = (Scenario(BY_NAME[name].scenario()).points[0].config(1)["flows"][0] for name in ("n162", "n244"))
    assert (plain["tcp"]["initial_window"], plain["tcp"]["timestamps"]) == (1, False)
    assert (defaults["tcp"]["initial_window"], defaults["tcp"]["timestamps"]) == (10, True)
    assert (plain["max_window"], defaults["max_window"]) == (32, 89)


def test_derived_metrics():
    run = {
        "flows": [{"throughput_kbps": float(i), "delay_ms": 10.0 * i, "received_packets": i} for i in range(1, 11)],
        "nodes": [{"rts_sent": 900, "data_sent": 90}, {"rts_sent": 0, "data_sent": 90}],
    }
    near, far = (read(run, BY_NAME["n106"].metric(name)) for name in ("near_kbps", "far_kbps"))
    assert (near, far) == (15.0, 40.0)
    assert read(run, BY_NAME["n106"].metric("tx_rts_per_s")) == pytest.approx(900 / 18)
    assert read(run, BY_NAME["n106"].metric("delay_mean_ms")) == pytest.approx(70.0)


def test_a_cell_passes_at_its_number_and_fails_beside_it():
    def carried(factor):
        def run(label, _where):
            cell = next(cell for cell in cells() if cell.label == label)
            reference = cell.reference
            values = {"network.aggregate_kbps": factor * reference["total_kbps"].mean}
            for key, name in (("rts_sent", "tx_rts_per_s"), ("data_sent", "tx_data_per_s")):
                sent = factor * reference[name].mean * cell.seconds if name in reference else 0.0
                values |= {f"node.{node}.{key}": 0.0 if node else sent for node in range(9)}
            if "delay_mean_ms" in reference:
                flows = range(len(cell.scenario()["flow"]))
                values |= {f"flow.{flow}.delay_ms": factor * reference["delay_mean_ms"].mean for flow in flows}
            return values

        return run

    right, wrong = outcomes(NS3, carried(1.0)), outcomes(NS3, carried(1.05))
    for number, cell in zip(right, cells(), strict=True):
        known = {"undecided"} if cell.name in CAUSES else None
        assert right[number] == (known or {"reproduced"}), cell.label
        assert wrong[number] == (known or {"not reproduced"}), cell.label
