"""Routes by link quality: static ones as an oracle, OLSR's by what it measures."""

from __future__ import annotations

from typing import Any

import pytest

import hopscope as hs
from hopscope.errors import ScenarioError
from hopscope.scenario import Scenario

#: 0 and 2 hear each other over 240 m; 1 stands halfway.
NEAR = {"kind": "chain", "hops": 2, "spacing": 120}
FLOW = {"from": 0, "to": 2, "transport": "udp", "app": "cbr", "rate": "50kbps", "packet": 500}
#: Of what goes directly 0.6 is lost: ETX 6.25, in one direction 2.5.
LOSSY = {"kind": "uniform", "per": 0.6, "links": [[0, 2], [2, 0]]}


def ran(routing: dict[str, Any], radio: dict[str, Any], **changes: Any) -> hs.Result:
    scenario = {"duration": "20s", "topology": NEAR, "radio": radio, "routing": routing, "flow": [FLOW], **changes}
    return hs.run(scenario, seeds=1)


def received(result: hs.Result) -> int:
    return int(result.flows["received_packets"].sum())


def forwarded(result: hs.Result) -> float:
    """Packets that node 1 forwarded, of those that arrived."""
    links = result.links
    if links.empty:
        return 0.0
    return float(links["packets"][links["from"] == 1].sum() / max(received(result), 1))


@pytest.mark.parametrize(("metric", "hops"), [("hops", 1), ("etx", 2), ("ett", 2), ("airtime", 2)])
def test_the_oracle_takes_two_good_hops_over_a_bad_one(metric: str, hops: int) -> None:
    run = ran({"metric": metric}, {"error": LOSSY})
    # Four attempts, and as many of RTS: the direct link delivers about a third.
    assert received(run) > (50 if hops == 1 else 200)
    assert forwarded(run) == pytest.approx(hops - 1, abs=0.02)


@pytest.mark.parametrize("metric", ["etx", "airtime"])
def test_the_oracle_makes_no_detour_around_a_good_link(metric: str) -> None:
    # ETX 1 / (0.9 * 0.9) = 1.23 against 2, in one direction 1.11 against 2.
    assert forwarded(ran({"metric": metric}, {"error": {**LOSSY, "per": 0.1}})) == 0


def test_small_slow_probes_hide_what_becomes_of_fast_long_frames() -> None:
    # 1 dB over 240 m and, with the fourth power of distance, 13 dB over 120 m.
    radio = {
        "interference": "sinr",
        "noise_floor": -64.7,
        "data_rate": "11Mbps",
        "basic_rate": "1Mbps",
        "error": {"kind": "sinr"},
    }
    by_probes = ran({"metric": "etx"}, radio)
    by_data = ran({"metric": "airtime"}, radio)
    sent = 20 * 50_000 / 4_000
    assert received(by_probes) < 0.3 * sent, "ETX calls the direct link a perfect one"
    assert received(by_data) > 0.95 * sent
    # Probes as long as data show more, but not what the rate does to them.
    longer = ran({"metric": "etx", "probe_size": 1500}, radio)
    assert forwarded(longer) == 0


def test_the_size_of_probes_decides_where_bits_are_wrong() -> None:
    # 0.898 of 134 bytes and 0.301 of 1,500 bytes arrive in each direction: ETX 1.24 or 11 against 2.
    radio = {"error": {"kind": "uniform", "ber": 1e-4, "links": LOSSY["links"]}}
    assert forwarded(ran({"metric": "etx"}, radio)) == 0
    assert forwarded(ran({"metric": "etx", "probe_size": 1500}, radio)) == pytest.approx(1, abs=0.02)


def test_olsr_measures_what_the_oracle_knows() -> None:
    times = {"duration": "160s", "warmup": "60s"}

    def share(parameters: str, **constants: Any) -> float:
        routing = {"protocol": "olsr", "parameters": parameters, "olsr": constants}
        return forwarded(ran(routing, {"error": LOSSY}, **times))

    assert share("olsr-etx") > 0.9
    assert share("olsrd") > 0.9
    assert share("olsr-etx", metric="ett") > 0.9
    assert share("olsr-unik", neighb_hold_time="20s") < 0.1, "by hops the bad link"


REFUSALS = [
    (
        {"routing": {"protocol": "aodv", "metric": "etx"}},
        'routing.metric: has no effect: it needs routing.protocol = "static"; found routing.protocol = "aodv"',
    ),
    (
        {"routing": {"protocol": "olsr", "metric": "etx"}},
        'routing.metric: has no effect: it needs routing.protocol = "static"; found routing.protocol = "olsr"',
    ),
    ({"radio": {"fading": "rayleigh"}}, "does not go with radio.fading, which moves the power of links"),
    (
        {"mobility": {"model": "random-waypoint", "area": [500, 500]}},
        "does not go with mobility, which moves the links",
    ),
    ({"wire": [{"from": 0, "to": 1, "rate": "1Mbps", "delay": "1ms"}]}, "does not go with [[wire]]"),
    (
        {"routing": {"metric": "airtime"}, "mac": {"rate_control": "arf"}},
        'found "airtime", which is worked out before the run; it does not go with mac.rate_control',
    ),
    (
        {"routing": {"protocol": "olsr", "olsr": {"metric": "etx", "hello_interval": "5s", "quality_window": 4}}},
        'routing.olsr.metric: "etx" needs probes, and none may come in quality_window, 4 s: hello_interval is 5 s',
    ),
    (
        {"routing": {"protocol": "olsr", "olsr": {"metric": "etx", "hysteresis": True}}},
        'routing.olsr.hysteresis: has no effect: it needs routing.olsr.metric = "hops"; found',
    ),
]


@pytest.mark.parametrize(("changes", "message"), REFUSALS)
def test_a_metric_that_cannot_be_worked_out_is_refused_by_name(changes: dict[str, Any], message: str) -> None:
    base = {"duration": "5s", "topology": {"kind": "chain", "hops": 2}, "flow": [FLOW], "routing": {"metric": "etx"}}
    with pytest.raises((ScenarioError, hs.HopscopeError)) as caught:
        hs.run(Scenario({**base, **changes}), seeds=1)
    assert message in str(caught.value)
