"""One flow over one wired bottleneck."""

from __future__ import annotations

import dataclasses
import inspect
import math
from typing import Any

import pytest

import hopscope as hs
from hopscope import studies
from hopscope.results.samples import Data
from hopscope.studies.reproduce import weigh
from hopscope.studies.verdict import Outcome

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
        ({"rate": "0bps"}, 'rate: found "0bps"; must be at least 1 bit/s'),
        ({"rate": 0}, "rate: found 0; must be at least 1 bit/s"),
        ({"rate": "-2Mbps"}, "rate: found"),
        ({"rate": math.nan}, "rate: found nan"),
        ({"rate": "2Tbps"}, "rate: "),
        ({"rate": "fast"}, 'rate: "fast" is no number'),
        ({"rate": None}, "rate: found"),
        ({"delay": "200s"}, "delay: found"),
        ({"delay": "-1ms"}, "delay: found"),
        ({"delay": "20m"}, "delay: "),
        ({"queue": -1}, "queue: found -1"),
        ({"queue": 1.5}, "queue: found 1.5"),
        ({"queue": 1_000_001}, "queue: found 1000001"),
        ({"interval": "-1s"}, "interval: found"),
        ({"seed": -1}, "seed: found -1"),
        ({"max_window": 0}, "max_window: found 0"),
        ({"duration": "0s"}, "duration: found"),
        ({"packet": 9000}, "packet"),
        ({"paket": 900}, 'unknown key (did you mean "packet"?)'),
        ({"tcp": {"min_rt": 1}}, "unknown key"),
        ({"app": "cbr", "rate": "1Mbps"}, "is missing"),
        ({"app": "voice"}, "app: bulk and file are allowed"),
        ({"copies": 2}, "copies: one flow alone"),
        ({"reply": {}}, "reply: the bottleneck carries data one way"),
        ({"transport": "udp"}, "transport: a TCP variant is needed"),
        ({"transport": "tcp-cubik"}, "did you mean"),
        ({"profile": "ns3"}, "profile: found"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(hs.InputError) as caught:
        hs.bottleneck(**{"transport": "tcp-sack", **LINK, **change})
    assert message in str(caught.value)


def test_all_that_does_not_fit_is_reported_at_once() -> None:
    with pytest.raises(hs.InputError) as caught:
        hs.bottleneck("tcp-sack", rate="-1bps", delay="-1s")
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == ["rate", "delay"]
    with pytest.raises(hs.InputError) as caught:
        hs.bottleneck("tcp-sack", app="voice", duration="2000000s")
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == ["app", "duration"]


def test_cubic_and_bbr_follow_their_textbooks() -> None:
    [entry] = studies.find(["validation.bottleneck"])
    _, evaluated, charts = weigh(entry, Data({}))
    outcomes = {j.statement.id: [finding.outcome for finding in j.findings] for j in evaluated}
    assert set(map(tuple, outcomes.values())) == {(Outcome.REPRODUCED,)}, outcomes
    assert [chart.name for chart in charts] == ["bottleneck-cubic", "bottleneck-bbr-window", "bottleneck-bbr-rate"]


def test_no_module_hides_the_function() -> None:
    import hopscope.running.wired  # noqa: F401 (a module of the same name would take its place)

    assert callable(hs.bottleneck)


def test_no_threshold_is_an_infinite_one_and_the_run_is_reported_in_one_line() -> None:
    run = hs.bottleneck("tcp-newreno", **LINK)
    thresholds = run.samples["ssthresh"]
    assert math.isinf(thresholds.iloc[0])
    assert thresholds[~thresholds.map(math.isinf)].max() < 100
    assert thresholds.iloc[-1] < 100
    assert repr(run).startswith(f"Bottleneck('tcp-newreno', samples={len(run.samples)}, drops={len(run.drops_s)}, ")
    assert "\n" not in repr(run)


# --- What stays whatever computes it ---------------------------------------------------------------------------------


def test_the_signature_is_public() -> None:
    parameters = inspect.signature(hs.bottleneck).parameters
    assert {name: p.default for name, p in parameters.items() if name not in {"tcp", "flow"}} == {
        "transport": "tcp-newreno", "rate": "10Mbps", "delay": "20ms", "queue": 100, "duration": "60s", "interval": 0,
        "seed": 1, "profile": "standard",
    }  # fmt: skip
    assert [name for name, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD] == ["transport"]
    fields = [field.name for field in dataclasses.fields(hs.Bottleneck)]
    assert fields == ["transport", "samples", "drops_s", "retransmissions", "timeouts", "packet"]


def test_the_columns_are_public() -> None:
    run = hs.bottleneck("tcp-sack", **LINK)
    assert {name: str(kind) for name, kind in run.samples.dtypes.items()} == {
        "t_s": "float64", "cwnd": "float64", "ssthresh": "float64", "in_flight": "float64", "queue": "float64",
        "sent": "int64", "acked": "float64",
    }  # fmt: skip
    assert (run.packet, type(run.retransmissions), type(run.timeouts)) == (960, int, int)
    assert run.samples.index.tolist() == list(range(len(run.samples)))
    assert run.drops_s == sorted(run.drops_s)
    assert 0 < run.drops_s[0] < run.samples["t_s"].iloc[-1] < 20
    # Segments that were sent are new ones, acknowledged or under way, or repeated ones.
    last = run.samples.iloc[-1]
    assert last["sent"] == last["acked"] + last["in_flight"] + run.retransmissions


def test_the_first_round_trips_are_those_of_pencil_and_paper() -> None:
    """The SYN takes 48 bytes on the link, the handshake's last ACK 40, data a packet time, what comes back nothing."""
    run = hs.bottleneck("tcp-newreno", **LINK)
    syn, bare, packet, there_and_back = 48 * 8 / 2e6, 40 * 8 / 2e6, 1000 * 8 / 2e6, 0.040
    handshake = syn + there_and_back
    first = handshake + bare + packet + there_and_back
    rows = run.samples
    expected = [
        handshake,
        *(first + n * packet for n in range(4)),
        *(first + there_and_back + n * packet for n in (1, 2)),
    ]
    assert rows["t_s"].head(7).tolist() == pytest.approx(expected, abs=1e-9)
    assert rows["cwnd"].head(7).tolist() == [4, 5, 6, 7, 8, 9, 10]
    # As the ACK finds it, before what the ACK lets go: sent so far, acknowledged so far.
    assert rows["acked"].head(7).tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert rows["queue"].head(7).tolist() == pytest.approx([0, 0, 1, 2, 3, 0, 1], abs=0.01)


#: What today's engine gives on three paths: at most this far from it after the first loss, where the order of events
#: at one instant may shift a sawtooth; to the segment before.
GENTLE: dict[str, Any] = {"rate": "2Mbps", "delay": "5ms", "queue": 4, "duration": "20s", "packet": 960}
DEEP: dict[str, Any] = {"rate": "2Mbps", "delay": "10ms", "queue": 30, "duration": "20s", "packet": 960}


@dataclasses.dataclass(frozen=True)
class Golden:
    """Values of one run.

    Attributes:
        path: the bottleneck.
        cwnd: window by instant (s), within 5 % or half a segment.
        goodput: from 5 s to 20 s (kbit/s), within 1 %.
        drops: their number, within 5 % or one.
        first_drop: its instant, within one packet time; None without drops.
        mean_cwnd, mean_queue: over the samples from 5 s on, within 5 %.
        timeouts: exactly.
    """

    path: dict[str, Any]
    cwnd: dict[float, float]
    goodput: float
    drops: int
    first_drop: float | None
    mean_cwnd: float
    mean_queue: float
    timeouts: int = 0


GOLDENS: dict[str, Golden] = {
    "tcp-newreno": Golden(
        GENTLE, {0.03: 6.0, 2: 6.97, 4: 8.04, 6: 8.88, 10: 5.51, 12: 6.82, 14: 7.92}, 1920, 129, 0.0363, 6.376, 2.351
    ),
    "tcp-cubic": Golden(
        DEEP, {0.2: 22.25, 1: 29.61, 2: 36.79, 3: 29.47, 4: 33.22, 5: 36.99, 6: 32.07, 7: 36.4, 8: 28.19},
        1920, 10, 0.4323, 32.15, 25.676,
    ),
    "tcp-vegas": Golden(LINK, {0.2: 8, 0.3: 16, 0.5: 13, 1: 13, 10: 13, 19: 13}, 1920, 0, None, 13, 2),
    "tcp-bbr": Golden(LINK, {0.1: 8, 0.2: 23, 0.3: 38, 1: 28, 5: 28, 19: 28}, 1897.96, 55, 0.2031, 27.817, 1.291),
    "tcp-sack": Golden(
        LINK, {0.2: 23, 0.5: 21.5, 1: 15.47, 3: 18.21, 5: 20.58, 10: 14.12, 15: 20.73}, 1920, 44, 0.1923, 17.1, 5.783
    ),
}  # fmt: skip


@pytest.mark.parametrize("transport", GOLDENS)
def test_a_run_is_what_it_was(transport: str) -> None:
    golden = GOLDENS[transport]
    run = hs.bottleneck(transport, **golden.path)
    rows = run.samples
    found = {at: float(rows["cwnd"][rows["t_s"] <= at].iloc[-1]) for at in golden.cwnd}
    assert found == pytest.approx(golden.cwnd, rel=0.05, abs=0.5)
    assert run.goodput_kbps(5, 20) == pytest.approx(golden.goodput, rel=0.01)
    assert len(run.drops_s) == pytest.approx(golden.drops, rel=0.05, abs=1)
    assert run.timeouts == golden.timeouts
    if golden.first_drop is None:
        assert run.drops_s == []
    else:
        assert run.drops_s[0] == pytest.approx(golden.first_drop, abs=0.004)
    later = rows[rows["t_s"] >= 5]
    assert later["cwnd"].mean() == pytest.approx(golden.mean_cwnd, rel=0.05)
    assert later["queue"].mean() == pytest.approx(golden.mean_queue, rel=0.05)
