"""Percentiles against exact order statistics, histograms that add up, and the quality of speech."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest

import hopscope as hs
from hopscope.results.distributions import Distribution, added
from hopscope.results.shape import fault

VOICE: dict[str, Any] = {
    "duration": "20s",
    "topology": {"kind": "chain", "hops": 3},
    "flow": [
        {"from": 0, "to": 3, "transport": "udp", "app": "voice", "group": "voice"},
        {"from": 0, "to": 3, "transport": "tcp-newreno"},
    ],
}


def exact(values: list[float], per_cent: float) -> float:
    return sorted(values)[max(1, math.ceil(per_cent / 100 * len(values))) - 1]


def test_gaps_are_those_of_the_source_and_percentiles_are_in_order() -> None:
    """A stream of packets that are alone on the air has nearly one delay, and the gaps of its source."""
    flow = {"from": 0, "to": 1, "transport": "udp", "app": "cbr", "rate": "80kbps", "packet": 1000}
    result = hs.run({"duration": "30s", "topology": {"kind": "chain", "hops": 1}, "flow": [flow]})
    found = result.points[0].runs[0]["flows"][0]
    assert found["gap_p50_ms"] == pytest.approx(100, rel=0.01)
    assert found["delay_p50_ms"] == pytest.approx(found["delay_ms"], rel=0.05)
    assert found["delay_p50_ms"] <= found["delay_p95_ms"] <= found["delay_p99_ms"]


def test_percentiles_agree_with_the_engine_and_bound_the_mean() -> None:
    result = hs.run({**VOICE, "distributions": True}, seeds=3)
    for run in result.points[0].runs:
        for flow in run["flows"]:
            of = result.distribution("delay", flow=flow["id"], seed=run["seed"])
            assert of.n == flow["received_packets"]
            for per_cent in (50, 95, 99):
                assert of.percentile(per_cent) == pytest.approx(flow[f"delay_p{per_cent}_ms"], rel=1e-3)
            middles = (of.histogram["low_ms"] + of.histogram["high_ms"]) / 2
            assert (middles * of.histogram["count"]).sum() / of.n == pytest.approx(flow["delay_ms"], rel=0.004)
            assert result.distribution("gap", flow=flow["id"], seed=run["seed"]).n == flow["received_packets"] - 1


def test_distributions_of_seeds_and_flows_add_up() -> None:
    result = hs.run({**VOICE, "distributions": True}, seeds=2)
    whole = result.distribution("delay")
    parts = [result.distribution("delay", flow=flow, seed=seed) for flow in (0, 1) for seed in (1, 2)]
    assert added(parts) == whole == parts[0] + parts[1] + parts[2] + parts[3]
    assert whole.cdf["share"].is_monotonic_increasing
    assert whole.cdf["share"].iloc[-1] == pytest.approx(1)
    assert "p99" in repr(whole)


def test_runs_that_kept_none_are_done_again() -> None:
    again = hs.run(VOICE).distribution("delay", flow=0)
    assert again == hs.run({**VOICE, "distributions": True}).distribution("delay", flow=0)
    plain = json.loads(json.dumps(hs.run(VOICE).to_json()))["points"][0]["runs"][0]
    assert "distributions" not in plain


def test_python_percentiles_are_order_statistics_of_the_classes() -> None:
    rng = random.Random(1)
    values = [rng.expovariate(0.1) for _ in range(5000)]
    width = 1 / 128
    classes = sorted({math.floor(math.log(v) / math.log1p(width)) for v in values})
    edge = lambda k: (1 + width) ** k  # noqa: E731
    counts = [sum(edge(k) <= v < edge(k + 1) for v in values) for k in classes]
    of = Distribution(tuple(map(edge, classes)), tuple(edge(k + 1) for k in classes), tuple(counts))
    for per_cent in (1, 50, 95, 99, 99.9):
        assert of.percentile(per_cent) == pytest.approx(exact(values, per_cent), rel=0.004)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"name": "dely"}, r'no distribution of "dely" \(did you mean "delay"\?\)'),
        ({"flow": 7}, "flow=7: no such flow; the result has 0, 1"),
        ({"seed": 9}, "seed=9: no such seed"),
        ({"point": 4}, "point=4: no such point"),
    ],
)
def test_what_is_not_there_is_named(call: dict[str, Any], message: str) -> None:
    result = hs.run({**VOICE, "duration": "2s", "distributions": True})
    with pytest.raises(hs.InputError, match=message):
        result.distribution(**call)
    with pytest.raises(hs.InputError, match="expected 0 to 100"):
        result.distribution("delay").percentile(101)


def test_a_damaged_distribution_is_a_damaged_run() -> None:
    run = hs.run({**VOICE, "duration": "2s", "distributions": True}).points[0].runs[0]
    assert fault(run, 1) is None or fault(run, 1) == ""
    broken = {**run, "distributions": {"delay": {**run["distributions"]["delay"], "count": [1]}}}
    assert "columns of several lengths" in str(fault(broken, 1))


def test_speech_has_a_rating_and_a_score() -> None:
    quiet = hs.run({**VOICE, "flow": VOICE["flow"][:1]}, seeds=2)
    loaded = hs.run(VOICE, seeds=2)
    for run in quiet.points[0].runs:
        assert run["flows"][0]["r_factor"] > 90
        assert run["groups"]["voice"]["mos"] == pytest.approx(run["flows"][0]["mos"])
        assert run["groups"]["voice"]["delay_p99_ms"] == run["flows"][0]["delay_p99_ms"]
    for run in loaded.points[0].runs:
        assert 1 <= run["flows"][0]["mos"] < 4.4
        assert run["flows"][1]["mos"] is None
    worse = hs.run(VOICE, seeds=2, set={"flow.0.codec": "g711"})
    assert worse.interval("flow.0.r_factor").mean <= loaded.interval("flow.0.r_factor").mean


def test_a_codec_belongs_to_voice() -> None:
    with pytest.raises(hs.ScenarioError, match=r'flow.0.codec: has no effect: it needs flow.0.app = "voice"'):
        hs.Scenario(
            {**VOICE, "flow": [{"from": 0, "to": 1, "transport": "udp", "app": "cbr", "rate": 1, "codec": "g711"}]}
        )
    with pytest.raises(hs.ScenarioError, match=r"flow.0.codec"):
        hs.Scenario({**VOICE, "flow": [{"from": 0, "to": 1, "transport": "udp", "app": "voice", "codec": "opus"}]})


@pytest.mark.parametrize(
    ("links", "why"),
    [
        ([], "links is no table"),
        ({"from": [0], "to": [1]}, "links is no table"),
        ({"from": [0], "to": [1, 0], "packets": [3]}, "links has columns of several lengths"),
        ({"from": [0], "to": [1], "packets": [-3]}, "links holds something else than counts"),
        ({"from": [0], "to": [1], "packets": [2.5]}, "links holds something else than counts"),
        ({"from": [0], "to": [2], "packets": [3]}, "links has nodes that are not there"),
    ],
)
def test_links_that_are_none_are_named(links: object, why: str) -> None:

    from hopscope import _core

    scenario = hs.Scenario({"duration": "1s", "topology": {"kind": "chain", "hops": 1}, "flow": [{"from": 0, "to": 1}]})
    run = _core.run(scenario.points[0].config(1)).values()
    assert fault(run, 1) == ""
    assert run["links"]["from"] == [1, 0]
    assert fault({**run, "links": links}, 1) == why
