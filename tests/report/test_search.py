"""The outcome of a search in sentences."""

from __future__ import annotations

from typing import Any

import pytest

from hopscope.reporting import search

BEST = {"set": {"mac.queue": 5}, "mean": 8.0, "ci95": 0.5, "n": 5, "duration_s": 100.0, "verdict": "best"}
CASE: dict[str, Any] = {
    "values": [BEST],
    "neighbours_run": True,
    "runs": 5,
    "simulated_s": 500.0,
    "full_sweep_s": 500.0,
    "share": 1.0,
}


@pytest.mark.parametrize(
    ("gain", "words"),
    [
        (0.801, "is better than the best mean by more than 0.801 (95 %"),
        (0.0, "is better than the best mean (95 %"),
        (0.00012, "is better than the best mean by more than 0.00012 (95 %"),
    ],
)
def test_a_possible_gain_is_reported_where_there_is_one(gain: float, words: str) -> None:
    [sentence] = [line for line in search.sentences({**CASE, "possible_gain": gain}) if "no other value" in line]
    assert words in sentence


@pytest.mark.parametrize(
    ("metric", "label"),
    [
        ("network.aggregate_kbps", "throughput of all flows (kbit/s)"),
        ("flow.0.delay_ms", "delay of flow 0 (ms)"),
        ("flow.0.completion_s", "completion of flow 0 (s)"),
        ("group.web.loss_pct", "loss of group web (%)"),
        ("network.jain", "Jain index"),
        ("node.3.queue_drops", "queue drops of node 3 (packets)"),
        ("flow.0.unheard_of", "flow.0.unheard_of"),
    ],
)
def test_the_axis_of_a_search_has_a_unit(metric: str, label: str) -> None:
    assert search.chart({**CASE, "best": {"mac.queue": 5}}, metric).ylabel == label
