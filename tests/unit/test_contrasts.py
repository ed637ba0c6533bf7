"""Comparisons of two sides: pairing, verdicts in words, what is said of what could not be paired."""

from __future__ import annotations

from typing import Any

import pytest

import hopscope as hs
from hopscope.results.contrasts import Side, across, contrasts
from hopscope.results.remarks import remarks
from hopscope.results.stats import half_width, relative


def tcp(**changes: Any) -> hs.Scenario:
    base = hs.Scenario(
        title="chain", duration="8s", seeds=4, topology={"kind": "chain", "hops": 3},
        flow=[{"from": 0, "to": "last", "transport": "tcp-newreno", "max_window": 8}],
    )  # fmt: skip
    return base.replace(changes) if changes else base


@pytest.fixture(scope="module")
def controls() -> hs.Result:
    return hs.run(tcp(**{"sweep.flow.0.transport": ["tcp-newreno", "tcp-vegas"], "sweep.flow.0.max_window": [2, 16]}))


def test_values_of_a_key_are_set_against_the_first_at_each_place(controls: hs.Result) -> None:
    found = across(controls, "flow.0.transport", ["delay_ms"])
    assert [(row.first, row.second, row.place) for row in found.rows] == [
        ("tcp-vegas", "tcp-newreno", {"flow.0.max_window": window}) for window in (2, 16)
    ]
    row = found.rows[1]
    ours = controls.find({"flow.0.transport": "tcp-vegas", "flow.0.max_window": 16}).by_seed("flow.0.delay_ms")
    theirs = controls.find({"flow.0.transport": "tcp-newreno", "flow.0.max_window": 16}).by_seed("flow.0.delay_ms")
    differences = [ours[seed] - theirs[seed] for seed in (1, 2, 3, 4)]
    assert row.difference.mean == pytest.approx(sum(differences) / 4)
    assert row.difference.ci95 == pytest.approx(half_width(differences))
    assert (row.verdict, row.n) == ("lower", 4)
    assert row.sentence.startswith("delay at receiver's window 16: tcp-vegas is lower than tcp-newreno by ")
    assert row.sentence.endswith("ms (" + f"{row.percent:+.1f} %), 4 seeds")


def test_two_results_are_paired_where_their_swept_values_are_equal() -> None:
    ours = hs.run(tcp(**{"sweep.flow.0.max_window": [1, 2, 3], "flow.0.transport": "tcp-vegas"}))
    theirs = hs.run(tcp(**{"sweep.flow.0.max_window": [2, 3, 4]}))
    found = hs.contrasts(ours, theirs, ["throughput_kbps"])
    assert [row.place for row in found.rows] == [{"flow.0.max_window": 2}, {"flow.0.max_window": 3}]
    assert any("has flow.0.max_window = 1: left out" in text for text in found.remarks)
    assert any("has flow.0.max_window = 4: left out" in text for text in found.remarks)
    by = hs.contrasts(ours, theirs, ["throughput_kbps"], by="flow.0.max_window")
    assert [row.difference for row in by.rows] == [row.difference for row in found.rows]


def test_the_only_key_that_differs_names_the_sides() -> None:
    one, other = hs.run(tcp()), hs.run(tcp(**{"flow.0.transport": "tcp-vegas"}))
    found = hs.contrasts(one, other)
    assert found.title == "tcp-newreno against tcp-vegas"
    assert {row.metric for row in found.rows} == {"flow.0.throughput_kbps", "flow.0.delay_ms", "flow.0.loss_pct"}
    assert hs.contrasts(one, one).remarks == ["the two sides are the same scenario"]
    assert {row.verdict for row in hs.contrasts(one, one).rows} == {"equal"}
    both = hs.run(tcp(**{"flow.0.transport": "tcp-vegas", "mac.queue": 5}))
    assert any(
        "mac.queue = none / 5" in text or "mac.queue = 50 / 5" in text for text in hs.contrasts(one, both).remarks
    )


def test_a_word_that_says_nothing_alone_stands_with_its_key() -> None:
    ran = hs.run(tcp(**{"sweep.flow.0.ack": ["every", "delayed"]}))
    found = across(ran, "flow.0.ack", ["loss_pct"])
    assert found.title == "ack = delayed against ack = every"
    every, delayed = hs.run(tcp()), hs.run(tcp(**{"flow.0.ack": "delayed"}))
    assert hs.contrasts(delayed, every).title == "ack = delayed against ack = every"
    # A difference of shares is no share of anything.
    lossy = hs.run(tcp(**{"sweep.radio.error.per": [0.0, 0.4], "radio.error.kind": "uniform"}))
    [row] = across(lossy, "radio.error.per", ["loss_pct"]).rows
    assert "percentage points" in row.sentence


def test_sides_without_anything_random_are_compared_as_the_one_run_they_are() -> None:
    wired = hs.Scenario(
        duration="5s", seeds=3, topology={"kind": "positions", "positions": [[0, 0], [100, 0]], "wired": 2},
        wire=[{"from": 0, "to": 1, "rate": "1Mbps", "delay": "10ms"}],
        flow=[{"from": 0, "to": 1, "transport": "tcp-newreno"}],
    )  # fmt: skip
    found = across(hs.run(wired.replace({"sweep.flow.0.max_window": [4, 32]})), "flow.0.max_window")
    by_metric = {row.metric: row for row in found.rows}
    delay = by_metric["flow.0.delay_ms"]
    assert (delay.n, delay.difference.ci95, delay.verdict, delay.is_exact) == (1, None, "higher", True)
    assert "nothing is random: all seeds give one run" in delay.sentence
    assert "±" not in delay.sentence
    assert by_metric["flow.0.loss_pct"].verdict == "equal"


def test_large_differences_are_reported_as_multiples() -> None:
    assert [relative(percent) for percent in (12.34, -100.0, 1000.0, 1520.0, 98_000.0)] == [
        "+12.3 %", "-100.0 %", "+1000.0 %", "16.2 times", "981 times",
    ]  # fmt: skip


def test_a_seed_that_one_side_lacks_is_said_and_the_rest_is_paired() -> None:
    one, other = hs.run(tcp(seeds=3)), hs.run(tcp(seeds=4, **{"flow.0.transport": "tcp-vegas"}))
    found = hs.contrasts(one, other)
    assert {row.n for row in found.rows} == {3}
    assert "seed 4 only in tcp-vegas: paired over the rest" in found.remarks


def test_where_nothing_can_be_paired_the_reason_is_named() -> None:
    one, later = hs.run(tcp(seeds=2)), hs.run(tcp(seed=7, seeds=2))
    with pytest.raises(hs.InputError, match=r"no seed in common: chain \(A\) has 1, 2, chain \(B\) has 7, 8"):
        hs.contrasts(one, later)
    low, high = (hs.run(tcp(seeds=2, **{"sweep.flow.0.max_window": values})) for values in ([1, 2], [8, 16]))
    with pytest.raises(hs.InputError, match=r"no point in common: flow.0.max_window is 1, 2 in .* and 8, 16 in"):
        hs.contrasts(low, high)
    with pytest.raises(hs.InputError, match=r'no metric "delay"'):
        hs.contrasts(one, one, ["delay"])
    with pytest.raises(hs.InputError, match=r"chain \(A\): no flow 3: the result has 1"):
        hs.contrasts(one, one, ["flow.3.delay_ms"])
    with pytest.raises(hs.InputError, match=r'"mac.queu" is not swept; swept are "flow.0.max_window"'):
        across(low, "mac.queu")
    with pytest.raises(hs.InputError, match=r"flow.0.max_window: found 5; chain has 1, 2"):
        across(low, "flow.0.max_window", values=[1, 5])


def test_one_seed_has_no_interval_and_no_verdict() -> None:
    one, other = hs.run(tcp(seeds=1)), hs.run(tcp(seeds=1, **{"flow.0.max_window": 1}))
    [row] = hs.contrasts(one, other, ["throughput_kbps"]).rows
    assert row.verdict == "one seed"
    assert "says nothing of noise" in row.sentence


def test_points_of_one_result_are_sides() -> None:
    result = hs.run(tcp(**{"sweep.flow.0.max_window": [1, 8]}))
    few, many = (Side(f"window {p.set['flow.0.max_window']}", result, [p]) for p in result.points)
    [row] = contrasts(many, few, ["delay_ms"]).rows
    assert row.difference.mean == pytest.approx(row.ours.mean - row.theirs.mean)
    assert row.verdict == "higher"


def test_the_receivers_window_is_named_where_it_limits() -> None:
    limited = hs.run(tcp(**{"flow.0.max_window": 2}))
    flow = limited.points[0].runs[0]["flows"][0]
    assert flow["window_limited_pct"] == pytest.approx(100 * flow["cwnd_share"]["2"])
    [reported] = remarks(limited)
    assert "limits the flow for " in reported
    assert any("max_window" in text for text in limited.to_json()["remarks"])
    assert remarks(hs.run(tcp(**{"sweep.flow.0.max_window": [2, 3]}))) == []
    assert remarks(hs.run(tcp(**{"flow.0.max_window": 1000}))) == []
    assert hs.run(tcp(**{"flow.0.max_window": 5000})).points[0].runs[0]["flows"][0]["window_limited_pct"] is None


def test_a_notebook_shows_tables_figures_and_short_errors(controls: hs.Result) -> None:
    page = controls._repr_html_()
    assert "<table>" in page
    assert "tcp-vegas" in page
    found = controls.across("flow.0.transport")
    assert "is lower than" in found._repr_html_()
    assert len(found.table) == len(found.rows) == 6
    assert found.plot().axes
    assert controls.plot("delay_ms").axes[0].get_ylabel() == "delay (ms)"
    with pytest.raises(hs.InputError, match="did you mean") as caught:
        controls.plot("dely_ms")
    assert caught.value._render_traceback_()[0].startswith('NotFound: no metric "dely_ms"')


def test_one_flow_and_two_have_the_network_in_common() -> None:
    flow = {"from": 0, "to": "last", "transport": "tcp-newreno"}
    one, two = hs.run(tcp(seeds=2)), hs.run(tcp(seeds=2, flow=[flow, {**flow, "from": "last", "to": 0}]))
    assert {row.metric for row in hs.contrasts(one, two).rows} == {"network.aggregate_kbps"}
    assert {row.metric for row in hs.contrasts(two, two).rows} >= {"network.jain", "flow.1.delay_ms"}
