"""One flow over one wired bottleneck."""

from __future__ import annotations

import math
from typing import Any

import pytest

import hopscope as hs
from hopscope.catalog.entry import Outcome
from hopscope.catalog.reproduce import weigh
from hopscope.catalog.validation_bottleneck import BOTTLENECK
from hopscope.results.samples import Data

LINK: dict[str, Any] = {"rate": "2Mbps", "delay": "20ms", "queue": 10, "duration": "20s", "packet": 960}


def test_a_window_below_the_pipe_is_one_window_a_round_trip() -> None:
    run = hs.bottleneck("tcp-newreno", **LINK, max_window=5)
    round_trip = 0.040 + 1000 * 8 / 2e6
    assert run.goodput_kbps(5, 20) == pytest.approx(5 * 960 * 8e-3 / round_trip, rel=0.005)
    assert (run.drops_s, run.retransmissions, run.timeouts) == ([], 0, 0)
    assert run.samples["in_flight"].max() == 5
    assert run.samples["queue"].max() < 5


@pytest.mark.parametrize("transport", ["tcp-sack", "tcp-cubic", "tcp-vegas", "tcp-bbr", "tcp-bbr3"])
def test_the_rate_is_the_links(transport: str) -> None:
    run = hs.bottleneck(transport, **LINK)
    assert 0.93 < run.goodput_kbps(5, 20) / (2000 * 0.96) <= 1.002
    assert run.samples["queue"].max() <= 11
    assert run.samples["t_s"].is_monotonic_increasing


def test_a_control_in_python_runs_on_it_too() -> None:
    class Halving(hs.CongestionControl):
        share = 0.5

        def on_loss(self, flow: hs.FlowState) -> float:
            return max(self.share * flow.in_flight, 2.0)

    built_in, mine = hs.bottleneck("tcp-newreno", **LINK), hs.bottleneck(Halving, **LINK)
    assert mine.samples.equals(built_in.samples)
    assert mine.transport == "tcp:Halving"
    assert built_in.drops_s
    gentle = hs.bottleneck(Halving, **LINK, control={"share": 0.9})
    assert not gentle.samples.equals(mine.samples)

    class Wrong(hs.CongestionControl):
        def on_ack(self, flow: hs.FlowState) -> float:
            return math.nan

    with pytest.raises(hs.RunFailed, match=r"flow 0 at 0\.\d+ s: Wrong.on_ack returned nan"):
        hs.bottleneck(Wrong, **LINK)


def test_samples_can_be_thinned_and_a_file_ends() -> None:
    run = hs.bottleneck("tcp-sack", **LINK, interval="100ms", app="file", bytes="500kB")
    assert run.samples["t_s"].diff().min() >= 0.0999
    assert run.samples["t_s"].max() < 5
    whole = hs.bottleneck("tcp-sack", **LINK, app="file", bytes="500kB")
    assert whole.samples["acked"].iloc[-1] * 960 == pytest.approx(500_000)
    assert whole.goodput_kbps() == pytest.approx(run.goodput_kbps(), rel=0.1)
    with pytest.raises(ValueError, match="no two samples lie between 30 s and 40 s"):
        whole.goodput_kbps(30, 40)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rate": "0bps"}, "rate: found"),
        ({"rate": "fast"}, 'rate: "fast" is no number'),
        ({"delay": "200s"}, "delay: found"),
        ({"queue": -1}, "queue: found -1"),
        ({"queue": 1.5}, "queue: found 1.5"),
        ({"interval": "-1s"}, "interval: found"),
        ({"duration": "0s"}, "duration: found"),
        ({"packet": 9000}, "packet"),
        ({"paket": 900}, 'unknown key (did you mean "packet"?)'),
        ({"tcp": {"min_rt": 1}}, "unknown key"),
        ({"app": "cbr", "rate": "1Mbps"}, "is missing"),
        ({"app": "voice"}, "app: bulk and file are allowed"),
        ({"copies": 2}, "copies: one flow alone"),
        ({"transport": "udp"}, "transport: a TCP variant is needed"),
        ({"transport": "tcp-cubik"}, "did you mean"),
        ({"profile": "ns3"}, "profile: found"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(hs.InputError) as caught:
        hs.bottleneck(**{"transport": "tcp-sack", **LINK, **change})
    assert message in str(caught.value)


def test_cubic_and_bbr_follow_their_textbooks() -> None:
    _, judged, charts = weigh(BOTTLENECK, Data({}))
    outcomes = {j.statement.id: [finding.outcome for finding in j.findings] for j in judged}
    assert set(map(tuple, outcomes.values())) == {(Outcome.PASS,)}, outcomes
    assert [chart.name for chart in charts] == ["bottleneck-cubic", "bottleneck-bbr-window", "bottleneck-bbr-rate"]


def test_no_module_hides_the_function() -> None:
    import hopscope.wired  # noqa: F401 (a module of the same name would take its place)

    assert callable(hs.bottleneck)


def test_no_threshold_is_an_infinite_one_and_the_run_is_told_in_one_line() -> None:
    run = hs.bottleneck("tcp-newreno", **LINK)
    thresholds = run.samples["ssthresh"]
    assert math.isinf(thresholds.iloc[0])
    assert thresholds[~thresholds.map(math.isinf)].max() < 100
    assert thresholds.iloc[-1] < 100
    assert repr(run).startswith(f"Bottleneck('tcp-newreno', samples={len(run.samples)}, drops={len(run.drops_s)}, ")
    assert "\n" not in repr(run)
