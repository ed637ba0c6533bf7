"""Rate control: what a scenario may say of it, and what its nodes report."""

from __future__ import annotations

from typing import Any

import pytest

import hopscope as hs


def pair(metres: float, **mac: Any) -> dict[str, Any]:
    """Two stations, 802.11b, whose frames get lost by their ratio to the noise."""
    return {
        "duration": "4s",
        "warmup": "1s",
        "topology": {"kind": "positions", "positions": [[0, 0], [metres, 0]]},
        "profile": "as-ns3",
        "radio": {
            "preset": "hr-dsss-11M", "propagation": "log-distance", "frequency": 5.15e9, "tx_power": 0.04,
            "tx_range": 218, "cs_range": 218, "energy_range": 51.4,
        },
        "mac": {"rts_threshold": "off", **mac},
        "flow": [{"from": 0, "to": 1, "transport": "udp", "app": "bulk", "packet": 1460}],
    }  # fmt: skip


def sender(document: dict[str, Any]) -> dict[str, Any]:
    [run] = hs.run(hs.Scenario(document)).points[0].runs
    return {**run["nodes"][0], "throughput_kbps": run["flows"][0]["throughput_kbps"]}


@pytest.mark.parametrize("control", ["arf", "aarf", "minstrel"])
def test_a_rate_follows_the_distance(control: str) -> None:
    means = [sender(pair(metres, rate_control=control))["data_rate_mbps"] for metres in (20, 85)]
    assert means[0] > 10.7
    assert 5 < means[1] < 7


def test_a_fixed_rate_is_none_that_was_learnt() -> None:
    node = sender(pair(20))
    assert node["data_rate_mbps"] is None
    assert node["data_rates"] == {}
    assert node["data_sent"] > 0


def test_rates_may_be_chosen() -> None:
    node = sender(pair(20, rate_control="arf", rates=["2Mbps", "5.5Mbps"]))
    assert set(node["data_rates"]) <= {"2", "5.5"}
    assert node["data_rates"]["5.5"] > 0.9 * node["data_sent"]
    assert node["throughput_kbps"] < sender(pair(20, rate_control="arf"))["throughput_kbps"]


@pytest.mark.parametrize(
    ("mac", "message"),
    [
        ({"rate_control": "arff"}, 'did you mean "arf"'),
        ({"rate_control": "arf", "rates": ["54Mbps"]}, 'phy = "dsss" has 1, 2, 5.5, 11 Mbit/s'),
        ({"rate_control": "arf", "arf_successes": 0}, "arf_successes"),
        ({"rate_control": "minstrel", "minstrel_sampling": 101}, "at most 100"),
    ],
)
def test_what_cannot_be_is_refused(mac: dict[str, Any], message: str) -> None:
    with pytest.raises(hs.ScenarioError, match=message.replace("(", r"\(")):
        hs.run(hs.Scenario(pair(20, **mac)))
