"""validation.models is judged on results that equal the models, and on results that do not."""

from __future__ import annotations

import pytest
from synthetic import data, outcomes

from hopscope.catalog import validation_models as vm

PASS, FAIL, OPEN = {"reproduced"}, {"not reproduced"}, {"undecided"}
IP = 1500 / 1472


def exact(label, where, factor=1.0, seventh=0.145):
    """What an engine that is the model itself would give, times a factor."""
    if label == vm.ONE_HOP.label:
        return {"throughput_kbps": factor * vm.hop_model(where[vm.PRESET], where[vm.RTS]) / IP}
    if label == vm.ONE_PACKET.label:
        return {"throughput_kbps": factor * vm.wait_model(where[vm.HOPS])}
    if label == vm.GREEDY_NS2.label:
        return {"throughput_kbps": 1500.0 * (1 if where[vm.HOPS] == 1 else factor * seventh)}
    if label == vm.GREEDY_STANDARD.label:
        scale = factor if where[vm.HOPS] > 1 else 1.0
        return {"throughput_kbps": scale * vm.chain_model(where[vm.HOPS]) / IP}
    if label == vm.SACK.label:
        return {"throughput_kbps": factor * vm.mathis_model(where[vm.LOSS])}
    if label == vm.RENO.label:
        return {"throughput_kbps": factor * vm.padhye_model(where[vm.LOSS])}
    stations = int(label.split()[0])
    share = (factor * vm.cell_model(stations, "collision_probability")) ** vm.ATTEMPTS
    received = 1000 * stations
    return {
        "network.aggregate_kbps": factor * vm.cell_model(stations) / IP,
        "network.mac_retry_drops": received * share / (1 - share),
    }


def judged(factor):
    return outcomes(vm.MODELS, lambda label, where: exact(label, where, factor))


def test_the_models_agree_with_themselves():
    found = judged(1.0)
    assert found == dict.fromkeys(found, PASS)


@pytest.mark.parametrize(
    ("factor", "failing"),
    [
        (1.006, {"c1"}),
        (0.975, {"c1", "c2", "c6", "c7"}),
        (0.94, {"c1", "c2", "c3", "c6", "c7", "c8"}),
        (0.89, {"c1", "c2", "c3", "c6", "c7", "c8", "c9"}),
        (1.5, {"c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10"}),
    ],
)
def test_each_statement_has_its_own_tolerance(factor, failing):
    assert {name for name, outcome in judged(factor).items() if outcome == FAIL} == failing


def test_every_chart_has_the_model_beside_the_engine():
    charts = vm.MODELS.charts(data(vm.MODELS, exact))
    assert [chart.name for chart in charts] == ["one-hop", "chains", "tcp-under-loss"]
    for chart in charts[1:]:
        for panel in chart.panels:
            assert any(line.reference for line in panel.lines)
            assert any(not line.reference and line.y for line in panel.lines)
