"""Results: samples, summaries, tables, JSON."""

from __future__ import annotations

import io
import json
from typing import Any

import pyarrow as pa
import pytest

from hopscope.errors import InputError
from hopscope.results import PointResult, Result, compare
from hopscope.scenario import Scenario

FLOW = {
    "id": 0, "from": 0, "to": 2, "transport": "tcp-newreno", "hops": 2, "throughput_kbps": 100.0, "goodput_kbps": 99.0,
    "delay_ms": 5.0, "jitter_ms": 1.0, "jitter_rfc3550_ms": 1.0, "loss_pct": 0.0, "retransmission_index_pct": 0.0,
    "mean_cwnd": 4.0, "timeouts": 0, "fast_retransmits": 0, "spurious_timeouts": 0, "tail_loss_probes": 0,
    "received_packets": 10, "sent_packets": 10,
    "retransmitted_packets": 0, "received_bytes": 14600, "duplicate_packets": 0, "mean_rtt_ms": 10.0,
    "completion_s": None, "first_delivery_s": 0.1, "cwnd_share": {"4": 1.0}, "note": None,
}  # fmt: skip
NETWORK = {"aggregate_kbps": 100.0, "jain": 1.0, "mac_retry_drops": 0, "queue_drops": 0, "link_drop_probability": 0.0}
NODE = {"id": 0, "queue_mean": 0.5, "queue_max": 3, "drops": {"queue-full": 2}}


def run(seed: int, throughput: float, **flow: Any) -> dict[str, Any]:
    return {
        "seed": seed,
        "flows": [{**FLOW, "throughput_kbps": throughput, **flow}],
        "nodes": [NODE, {**NODE, "id": 1, "drops": {}}],
        "network": {**NETWORK, "aggregate_kbps": throughput},
        "series": {"cwnd": pa.table({"flow": [0, 0], "t_s": [0.0, 1.0], "value": [1.0, 2.0]})},
        "engine": {"events": 5, "frames": 2, "wall_s": 0.1},
    }


@pytest.fixture
def result() -> Result:
    scenario = Scenario(
        topology={"kind": "chain", "hops": 2}, flow=[{"from": 0, "to": 2}], seeds=2, sweep={"flow.0.max_window": [1, 2]}
    )
    points = [
        PointResult(0, {"flow.0.max_window": 1}, [run(1, 90.0), run(2, 110.0)]),
        PointResult(1, {"flow.0.max_window": 2}, [run(1, 190.0, delay_ms=None), run(2, 210.0)]),
    ]
    return Result(scenario, points)


def test_samples_and_intervals(result: Result) -> None:
    assert result.samples("flow.0.throughput_kbps", 1) == [190.0, 210.0]
    assert result.samples("network.jain") == [1.0, 1.0]
    assert result.samples("node.1.queue_max") == [3.0, 3.0]
    assert result.interval("flow.0.throughput_kbps").mean == 100.0
    assert result.find({"flow.0.max_window": 2}).index == 1
    with pytest.raises(KeyError, match="0 points"):
        result.find({"flow.0.max_window": 9})


def test_seeds_without_a_sample_are_left_out(result: Result) -> None:
    assert result.samples("flow.0.delay_ms", 1) == [5.0]
    assert result.points[1].summary["flow.0.delay_ms"]["n"] == 1
    assert "flow.0.completion_s" not in result.points[0].summary


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("flow.0.throughput", 'did you mean "throughput_kbps"'),
        ("flow.7.delay_ms", "no flow 7: the result has 1"),
        ("flows.0.delay_ms", 'did you mean "flow"'),
        ("flow.0.transport", "is no number"),
    ],
)
def test_wrong_metrics_are_explained(result: Result, metric: str, message: str) -> None:
    with pytest.raises(KeyError) as caught:
        result.samples(metric)
    assert message in str(caught.value)


def test_tables(result: Result) -> None:
    assert list(result.flows.columns[:6]) == ["point", "flow.0.max_window", "seed", "flow", "from", "to"]
    assert result.flows["throughput_kbps"].tolist() == [90.0, 110.0, 190.0, 210.0]
    assert len(result.nodes) == 8
    assert result.nodes["drops.queue-full"].tolist() == [2, 0] * 4
    assert result.network["aggregate_kbps"].tolist() == [90.0, 110.0, 190.0, 210.0]
    summary = result.summary.set_index(["point", "metric"])
    assert summary.loc[(1, "flow.0.throughput_kbps"), "mean"] == 200.0
    assert summary.loc[(1, "flow.0.throughput_kbps"), "n"] == 2


def test_series(result: Result) -> None:
    frame = result.series("cwnd", flow=0, point=1)
    assert list(frame.columns) == ["point", "seed", "flow", "t_s", "value"]
    assert frame["seed"].tolist() == [1, 1, 2, 2]
    assert result.series("cwnd", seed=2)["point"].tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("name", "chosen", "message"),
    [
        ("queue", {}, 'kept no series "queue"; it kept "cwnd"'),
        ("cwd", {}, 'did you mean "cwnd"'),
        ("cwnd", {"flow": 9}, "flow=9: no such flow; the result has 0"),
        ("cwnd", {"node": 0}, 'node=0: the series "cwnd" is kept by flow, not by node'),
        ("cwnd", {"flow": 0, "seed": 99}, "seed=99: no such seed; the result has 1, 2"),
        ("cwnd", {"seed": 99}, "seed=99: no such seed"),
        ("cwnd", {"point": 5}, "point=5: no such point; the result has 0, 1"),
    ],
)
def test_series_that_are_not_there_are_refused(result: Result, name: str, chosen: dict[str, int], message: str) -> None:
    with pytest.raises(InputError) as caught:
        result.series(name, **chosen)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert isinstance(caught.value, KeyError)


def test_series_of_a_flow_without_samples_are_empty(result: Result) -> None:
    for point in result.points:
        for one in point.runs:
            one["series"]["cwnd"] = one["series"]["cwnd"].slice(0, 0)
    found = result.series("cwnd", flow=0)
    assert found.empty
    assert list(found.columns) == ["point", "seed", "flow", "t_s", "value"]


def test_comparison_is_paired_by_seed(result: Result) -> None:
    found = compare(result, result, "flow.0.throughput_kbps", point_a=1, point_b=0)
    assert (found.mean_difference, found.ci95, found.n, found.verdict) == (100.0, 0.0, 2, "a is higher")
    assert found.differs == ("flow.0.max_window = 2 / 1",)


def test_a_comparison_does_not_guess_the_point(result: Result) -> None:
    with pytest.raises(InputError, match=r"point_a: .* several points; name one: 0 \(flow.0.max_window = 1\), 1 \("):
        compare(result, result, "flow.0.throughput_kbps")
    with pytest.raises(InputError, match=r"point_b: found 2; .* has 0"):
        compare(result, result, "flow.0.throughput_kbps", point_a=0, point_b=2)


def test_a_comparison_names_what_else_differs(result: Result) -> None:
    other = Scenario(
        topology={"kind": "chain", "hops": 4},
        flow=[{"from": 0, "to": 2, "max_window": 1}],
        duration="20s",
        seeds=9,
        series={"keep": ["rtt"]},
        mac={"queue": 50},
    )
    single = Result(other, [PointResult(0, {}, [run(1, 80.0), run(2, 90.0)])])
    found = compare(result, single, "flow.0.throughput_kbps", point_a=0)
    assert found.mean_difference == 15.0
    assert found.differs == ("duration = 300 / 20", "topology.hops = 2 / 4")


def test_what_is_printed_is_short(result: Result) -> None:
    assert str(result.points) == (
        "[PointResult(0, {'flow.0.max_window': 1}, runs=2), PointResult(1, {'flow.0.max_window': 2}, runs=2)]"
    )


def test_columns_without_a_sample_keep_their_type(result: Result) -> None:
    assert result.flows["completion_s"].dtype == "float64"
    assert result.flows["note"].dtype == object


def test_json_has_the_shape_of_the_contract(result: Result) -> None:
    document = json.loads(json.dumps(result.to_json()))
    assert list(document) == ["hopscope", "scenario", "points"]
    assert document["scenario"]["sweep"] == {"flow.0.max_window": [1, 2]}
    point = document["points"][0]
    assert list(point) == ["set", "runs", "summary"]
    assert point["set"] == {"flow.0.max_window": 1}
    first = point["runs"][0]
    assert list(first) == ["seed", "flows", "network", "engine", "series"]
    wanted = {
        "id", "from", "to", "transport", "throughput_kbps", "goodput_kbps", "delay_ms", "jitter_ms", "loss_pct",
        "retransmission_index_pct", "mean_cwnd", "timeouts", "received_packets",
    }  # fmt: skip
    assert wanted <= first["flows"][0].keys()
    assert first["network"].keys() == NETWORK.keys()
    assert first["engine"].keys() == {"events", "frames", "wall_s"}
    assert point["summary"]["flow.0.throughput_kbps"].keys() == {"mean", "ci95", "min", "max", "n"}


def test_quick_and_failures_stand_in_the_json(result: Result) -> None:
    from hopscope.results import Failure

    found = Result(result.scenario.quick(), result.points, [Failure(0, 2, "why")]).to_json()
    assert found["quick"] is True
    assert found["failures"] == [{"point": 0, "seed": 2, "message": "why"}]


def test_a_mean_of_fewer_samples_than_runs_says_so() -> None:
    """A flow that delivered nothing in a run has no delay there; the column n counts its runs."""
    from rich.console import Console

    import hopscope as hs
    from hopscope.cli.table import print_result
    from hopscope.reporting.tables import _flows

    found = hs.run(
        {
            "duration": "0.02s",
            "topology": {"kind": "chain", "hops": 1},
            "radio": {"error": {"kind": "uniform", "per": 0.5}},
            "flow": [{"from": 0, "to": 1, "transport": "udp", "app": "file", "bytes": 1000}],
        },
        seeds=8,
    )
    n = found.points[0].summary["flow.0.delay_ms"]["n"]
    assert 0 < n < 8
    console = Console(width=200, record=True, file=io.StringIO())
    print_result(console, found)
    # Delay and loss: of a copy that was still in flight at the end neither is known.
    assert console.export_text().count(f"(n={n})") == 2
    assert sum(f"(n={n})" in cell for row in _flows(found).rows for cell in row) >= 1


def test_replications_that_are_one_run_have_no_interval() -> None:
    import hopscope as hs
    from hopscope.results.remarks import remarks

    wired = {
        "duration": "5s",
        "topology": {"kind": "positions", "positions": [[0, 0], [100, 0]], "wired": 2},
        "wire": [{"from": 0, "to": 1, "rate": "1Mbps", "delay": "10ms"}],
        "flow": [{"from": 0, "to": 1, "transport": "tcp-newreno"}],
    }
    found = hs.run(wired, seeds=5)
    reported = found.points[0].summary["flow.0.delay_ms"]
    assert (reported["ci95"], reported["n"]) == (None, 1)
    assert found.points[0].is_one_run
    assert any("the 5 seeds give the same run" in text and "start_jitter" in text for text in remarks(found))
    random = hs.run(hs.Scenario(wired).replace({"flow.0.start_jitter": "1s"}), seeds=5)
    reported = random.points[0].summary["flow.0.delay_ms"]
    assert (reported["n"], random.points[0].is_one_run) == (5, False)
    assert reported["ci95"] > 0
    assert not any("the same run" in text for text in remarks(random))
