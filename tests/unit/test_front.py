"""The trade-off between two objectives: which values are on the front, and what is said of the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope.errors import InputError
from hopscope.optimum.front import WORDS, Front, Tried, fronts, objective
from hopscope.results import PointResult, Result
from hopscope.results.stats import mean_of


def point(index: int, window: int, throughput: list[float], delay: list[float]) -> PointResult:
    runs = [
        {"seed": seed, "network": {"aggregate_kbps": kbps}, "flows": [{"delay_ms": ms, "received_packets": 10}]}
        for seed, (kbps, ms) in enumerate(zip(throughput, delay, strict=True))
    ]
    return PointResult(index, {"w": window}, runs)


def verdicts(points: list[PointResult]) -> dict[int, tuple[str, Any]]:
    scenario = hs.Scenario(topology={"kind": "chain", "hops": 1}, flow=[{"from": 0, "to": 1}])
    found = fronts(Result(scenario, points), ["w"], (WORDS["throughput"], WORDS["delay"]))
    return {int(entry.value[0]): (entry.verdict, entry.by) for entry in found}


def test_the_front_by_hand() -> None:
    found = verdicts(
        [
            point(0, 1, [100.0, 101.0], [10.0, 10.1]),
            point(1, 2, [200.0, 201.0], [20.0, 20.1]),
            point(2, 3, [150.0, 151.0], [30.0, 30.1]),  # less than 2, and later
            point(3, 4, [200.4, 200.4], [20.4, 19.9]),  # less than 2 cannot be known
            point(4, 5, [300.0, 301.0], [50.0, 50.1]),
        ]
    )
    assert {window: verdict for window, (verdict, _) in found.items()} == {
        1: "front", 2: "front", 3: "dominated", 4: "within noise", 5: "front",
    }  # fmt: skip
    assert found[3][1] == (2,)
    assert found[4][1] == (2,)


def test_equal_values_are_both_on_the_front() -> None:
    assert verdicts([point(0, 1, [5.0, 6.0], [1.0, 1.0]), point(1, 2, [5.0, 6.0], [1.0, 1.0])]) == {
        1: ("front", None),
        2: ("front", None),
    }


def test_a_value_without_a_sample_is_on_no_front() -> None:
    empty = PointResult(1, {"w": 2}, [{"seed": 0, "network": {"aggregate_kbps": 0.0}, "flows": []}])
    assert verdicts([point(0, 1, [5.0], [1.0]), empty])[2] == ("dominated", (1,))


def test_objectives_by_word_and_by_metric() -> None:
    assert objective("--and", "delay").minimize
    assert not objective("--and", "flow.0.throughput_kbps").minimize
    assert objective("--and", "flow.0.jitter_ms").minimize
    assert objective("--and", "network.jain:min").minimize
    with pytest.raises(InputError, match=r'no objective "thruput" \(did you mean the metric throughput_kbps\?\)'):
        objective("--objective", "thruput")
    with pytest.raises(InputError, match="allowed: min, max"):
        objective("--objective", "delay:less")


def test_a_trade_off_of_a_chain_is_that_of_its_runs(tmp_path: Path) -> None:
    chain = hs.Scenario(
        duration="20s", topology={"kind": "chain", "hops": 4}, flow=[{"from": 0, "to": 4, "transport": "tcp-newreno"}]
    )
    found = hs.trade_off(chain, {"flow.0.max_window": [1, 2, 3, 16]}, seeds=3, out=tmp_path / "a")
    [case] = found.cases
    assert isinstance(case, Front)
    assert all(isinstance(entry, Tried) for entry in case.front)
    # A window of one is the fastest, and more than the chain holds only waits.
    assert {entry.value[0] for entry in case.front} >= {1, 2}
    kbps, delays = ([mean_of(list(entry.samples[place].values())) for entry in case.front] for place in (0, 1))
    assert sorted(kbps) == [value for _, value in sorted(zip(delays, kbps, strict=True))]
    reported = found.to_json()
    assert json.loads(json.dumps(reported)) == reported
    kbps = hs.run(chain.replace({"flow.0.max_window": 2}), seeds=3).interval("network.aggregate_kbps")
    assert reported["cases"][0]["values"][1]["objectives"][0] == kbps.as_dict()
