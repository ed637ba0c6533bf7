"""validation.models is judged on results that equal the models, and on results that do not."""

from __future__ import annotations

import pytest
from synthetic import data, outcomes

from hopscope import studies as catalog
from hopscope.models.registry import model

[MODELS] = catalog.find(["validation.models"])
PASS, FAIL = {"reproduced"}, {"not reproduced"}
IP = 1500 / 1472
HOPS, LOSS = "topology.hops", "radio.error.per"
RATES = {"dsss-1M": "1Mbps", "dsss-2M": "2Mbps", "hr-dsss-5.5M": "5500kbps", "hr-dsss-11M": "11Mbps"}
ATTEMPTS = 7


def says(name, what="throughput_kbps", **values):
    return model(name)(**values)[what]


def round_trip():
    """Four delays of the link layer, and the exchanges of a segment and of its ACK without contention."""
    exchanges = sum(
        says("dcf-throughput", "cycle_us", packet=size + 40, phy="ofdm", rate="54Mbps", control_rate="24Mbps")
        for size in (1000, 0)
    )
    return 0.1 + exchanges / 1e6


def cell(stations, what="throughput_kbps"):
    options = {"packet": 1500, "rate": "2Mbps", "control_rate": "2Mbps", "retry_limit": ATTEMPTS, "back_to_back": True}
    return says("bianchi", what, stations=stations, **options)


def exact(label, where, factor=1.0, seventh=0.145):
    """What an engine that is the model itself would give, times a factor."""
    if label == "one hop":
        rate, rts = RATES[where["radio.preset"]], where["mac.rts_threshold"] == 0
        found = says("dcf-throughput", packet=1500, phy="dsss", rate=rate, control_rate="1Mbps", rts=rts)
        return {"throughput_kbps": factor * found / IP}
    if label == "one packet at a time":
        return {"throughput_kbps": factor * says("stop-and-wait", hops=where[HOPS], payload=1460, rts=True)}
    if label == "greedy chain, ns2":
        return {"throughput_kbps": 1500.0 * (1 if where[HOPS] == 1 else factor * seventh)}
    if label == "greedy chain, standard":
        scale = factor if where[HOPS] > 1 else 1.0
        return {"throughput_kbps": scale * says("chain-capacity", hops=where[HOPS], packet=1500, rts=True) / IP}
    if label == "tcp-sack under loss":
        return {"throughput_kbps": factor * says("mathis", mss=1000, rtt=round_trip(), loss=where[LOSS])}
    if label == "tcp-reno under loss":
        return {"throughput_kbps": factor * says("padhye", mss=1000, rtt=round_trip(), loss=where[LOSS], rto=1.0)}
    stations = int(label.split()[0])
    share = (factor * cell(stations, "collision_probability")) ** ATTEMPTS
    received = 1000 * stations
    return {
        "network.aggregate_kbps": factor * cell(stations) / IP,
        "network.mac_retry_drops": received * share / (1 - share),
    }


def evaluated(factor):
    return outcomes(MODELS, lambda label, where: exact(label, where, factor))


def test_the_models_agree_with_themselves():
    found = evaluated(1.0)
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
    assert {name for name, outcome in evaluated(factor).items() if outcome == FAIL} == failing


def test_every_chart_has_the_model_beside_the_engine():
    charts = MODELS.charts(data(MODELS, exact))
    assert [chart.name for chart in charts] == ["one-hop", "stop-and-wait", "chains", "tcp-under-loss"]
    for chart in charts[1:]:
        for panel in chart.panels:
            assert any(line.reference for line in panel.lines)
            assert any(not line.reference and line.y for line in panel.lines)
