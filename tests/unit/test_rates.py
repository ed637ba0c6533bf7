"""Rate control: what a scenario may say of it, and what its nodes report."""

from __future__ import annotations

import re
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


def ht_pair(metres: float, **mac: Any) -> dict[str, Any]:
    """The same with 802.11n at 20 MHz."""
    document = pair(metres, **mac)
    return document | {"radio": {**document["radio"], "preset": "ht-20"}}


CONTROLS: list[dict[str, str]] = [
    {"rate_control": "ideal"},
    *({"rate_control": "minstrel-ht", "minstrel_ht": rules} for rules in ("linux", "linux-5.12", "ns-3.44")),
]


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: "-".join(control.values()))
def test_an_mcs_follows_the_distance(control: dict[str, str]) -> None:
    # 65 Mbit/s of MCS 7 at 5 m. At 45 m the ratio is 13.7 dB: MCS 4 (39 Mbit/s) loses 1 % of the MPDUs, MCS 5 all.
    near, far = (sender(ht_pair(metres, **control)) for metres in (5, 45))
    assert near["data_rate_mbps"] > 60
    assert 20 < far["data_rate_mbps"] < 42
    assert max(near["data_rates"], key=near["data_rates"].get) == "HT20-MCS7"
    assert sum(far["data_rates"].values()) == far["data_sent"]


def test_an_mcs_that_is_fixed_is_none_that_was_learnt() -> None:
    node = sender(ht_pair(5))
    assert (node["data_rate_mbps"], node["data_rates"]) == (None, {})


def test_changes_of_the_mcs_are_traced() -> None:
    trace = hs.trace(hs.Scenario(ht_pair(5, rate_control="ideal")), kinds=["RateChanged"])
    rates = [record["rate"] for record in trace]
    assert rates == [65_000_000], "from the slowest to MCS 7 at once"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (ht_pair(5, rate_control="minstrel"), 'QoS stations have "fixed", "minstrel-ht" and "ideal"'),
        (pair(5, rate_control="minstrel-ht"), 'found "minstrel-ht" together with radio.ppdu_format = "non-ht"'),
        (pair(5, rate_control="ideal"), 'found "ideal" together with radio.ppdu_format = "non-ht"'),
        (ht_pair(5, minstrel_ht="linux"), 'has no effect: it needs mac.rate_control = "minstrel-ht"'),
        (ht_pair(5, rate_control="ideal", minstrel_ht_groups="all"), "has no effect"),
        (ht_pair(5, rate_control="minstrel-ht", ideal_ber=1e-4), "has no effect"),
        (ht_pair(5, rate_control="minstrel-ht", minstrel_ht="linux-4"), 'did you mean "linux'),
        (ht_pair(5, rate_control="minstrel-ht") | {"radio": {"preset": "ht-20", "mcs": 3}}, "radio.mcs: has no effect"),
    ],
)  # fmt: skip
def test_a_rate_control_without_its_modes_is_refused(document: dict[str, Any], message: str) -> None:
    with pytest.raises(hs.ScenarioError, match=re.escape(message)):
        hs.run(hs.Scenario(document))


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
