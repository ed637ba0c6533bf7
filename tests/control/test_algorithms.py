"""The algorithms of the showcase beside the engine's own, and what a control may see, set and ask for."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest

import hopscope as hs

FILE = Path(__file__).resolve().parents[2] / "showcases" / "algorithms" / "algorithms.py"


def module() -> Any:
    spec = importlib.util.spec_from_file_location("showcase_algorithms", FILE)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


ALGORITHMS = module()


def wire(transport: Any, *, loss: float = 0.0, seeds: int = 1, tcp: dict[str, Any] | None = None, **more: Any) -> Any:
    """Flows over a link of 10 Mbit/s and 40 ms."""
    link = {"from": 0, "to": 1, "rate": "10Mbps", "delay": "20ms", "queue": 50, "loss": loss, **more.pop("link", {})}
    flow = {"from": 0, "to": 1, "max_window": 200, "transport": transport, **more.pop("flow", {})}
    document = {
        "duration": "30s",
        "seeds": seeds,
        "topology": {"kind": "wired", "wired": 2},
        "routing": {"protocol": "static"},
        "wire": [link],
        "flow": [flow],
        "tcp": tcp or {},
        **more,
    }
    result = hs.run(hs.Scenario(document), jobs=1)
    assert not result.failures, result.failures[0].message
    return result.flows


FIGURES = ["throughput_kbps", "delay_ms", "mean_cwnd", "timeouts", "sent_packets", "retransmission_index_pct"]


@pytest.mark.parametrize("loss", [0.0, 0.005])
def test_cubic_is_the_engines_to_the_digit(loss: float) -> None:
    options: dict[str, Any] = {"loss": loss, "tcp": {"cubic_hystart": False}, "flow": {"recovery": "sack"}}
    engine = wire("tcp-cubic", **options)
    own = wire(ALGORITHMS.Cubic, **{**options, "tcp": {}})
    assert own[FIGURES].to_dict() == engine[FIGURES].to_dict()


@pytest.mark.parametrize("loss", [0.0, 0.005])
def test_bbr_is_the_engines_but_for_the_start_of_its_cycle(loss: float) -> None:
    own = wire(ALGORITHMS.Bbr, loss=loss, flow={"recovery": "rack"})
    engine = wire("tcp-bbr", loss=loss)
    for figure in ("throughput_kbps", "delay_ms", "mean_cwnd"):
        assert own[figure].mean() == pytest.approx(engine[figure].mean(), rel=0.005), figure


def test_vegas_keeps_as_few_packets_queued_as_the_engines() -> None:
    own, engine = wire(ALGORITHMS.Vegas), wire("tcp-vegas")
    assert own["throughput_kbps"].mean() == pytest.approx(engine["throughput_kbps"].mean(), rel=0.01)
    # 20 ms one way and one to three packets of 1.2 ms queued, of which a packet waits for the others.
    assert all(21.2 <= flows["delay_ms"].mean() <= 20.0 + 1.2 * 4.5 for flows in (own, engine))


def test_the_share_of_marks_decides_the_cut() -> None:
    options: dict[str, Any] = {"link": {"link": "codel"}, "tcp": {"ecn": True}, "flow": {"recovery": "sack"}}
    own = wire(ALGORITHMS.Dctcp, **options)
    halving = wire("tcp-newreno", **options)
    assert own["throughput_kbps"].mean() > 1.1 * halving["throughput_kbps"].mean()
    assert own["delay_ms"].mean() < 35.0, "the queue stays far below its room of 60 ms"


class Records(hs.CongestionControl):
    """Notes what it is shown."""

    seen: ClassVar[list[tuple[Any, ...]]] = []

    def on_every_ack(self, flow: hs.FlowState) -> None:
        times = (flow.now_s, flow.interval_s)
        news = (flow.acked, flow.newly_delivered, flow.newly_sacked, flow.newly_lost)
        totals = (flow.delivered, flow.prior_delivered, flow.sample_delivered)
        self.seen.append(("ack", times, news, totals, flow.in_recovery, flow.queue, flow.mac))

    def on_sent(self, flow: hs.FlowState) -> None:
        self.seen.append(("sent", flow.now_s, flow.sent))


def test_each_ack_shows_what_it_brings() -> None:
    Records.seen = []
    flows = wire(Records, loss=0.01, flow={"recovery": "rack"})
    acks = [row for row in Records.seen if row[0] == "ack"]
    sent = [row for row in Records.seen if row[0] == "sent"]
    assert len(sent) == flows["sent_packets"].iloc[0] - 1, "all but the SYN"
    assert acks[-1][3][0] == pytest.approx(sum(row[2][1] for row in acks)), "what is delivered adds up"
    assert any(row[4] and row[2][0] == 0.0 < row[2][2] for row in acks), "duplicates in a recovery are shown"
    assert 0 < sum(row[2][3] for row in acks) <= flows["sent_packets"].iloc[0] * 0.05
    for _, (_, interval), (_, delivered, sacked, _), (total, prior, sample), *_ in acks:
        assert 0.0 <= sacked <= delivered
        if prior is not None:
            assert interval > 0.0
            assert prior + sample == pytest.approx(total)
    assert 0 < max(row[5] for row in acks) <= 50, "the queue of the link"
    assert set(acks[-1][6].values()) == {0}, "a wire has no MAC"


def test_a_control_sees_the_radio_of_its_node() -> None:
    looks: list[tuple[Any, Any]] = []

    class Looks(hs.CongestionControl):
        def on_every_ack(self, flow: hs.FlowState) -> None:
            looks.append((flow.queue, flow.mac))

    hs.run(
        {"duration": "5s", "topology": {"kind": "chain", "hops": 2}, "flow": [{"from": 0, "to": 2, "transport": Looks}]}
    )
    assert max(queue for queue, _ in looks) > 0
    first, last = looks[0][1], looks[-1][1]
    assert set(first) == {"rts", "data", "packets", "retries", "given_up", "data_failures"}
    assert last["data"] > first["data"] > 0


def test_a_timer_and_a_threshold_of_ones_own() -> None:
    calls: list[tuple[float, float]] = []

    class Clock(hs.CongestionControl):
        def on_every_ack(self, flow: hs.FlowState) -> None:
            if not calls and flow.now_s < 0.5:
                flow.wake(1.0)

        def on_timer(self, flow: hs.FlowState) -> float:
            calls.append((flow.now_s, flow.ssthresh))
            flow.ssthresh = 10.0 + len(calls)
            flow.wake(flow.now_s + 0.5)
            return 4.0

    wire(Clock, duration="3.9s", flow={"max_window": 20})
    assert [at for at, _ in calls] == pytest.approx([1.0 + 0.5 * k for k in range(6)], abs=1e-9)
    assert [threshold for _, threshold in calls[1:]] == [11.0, 12.0, 13.0, 14.0, 15.0]
    assert calls[0][1] == math.inf


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("return math.nan", "returned nan; a window is a finite number of segments above 0"),
        ("flow.ssthresh = math.nan", "ssthresh = NaN; a number of segments above 0 is allowed"),
        ("flow.ssthresh = 0", "ssthresh = 0; a number of segments above 0 is allowed"),
        ("flow.wake(0.5)", "wake(0.5); an instant after now"),
        ("flow.wake(math.inf)", "wake(inf); an instant after now"),
    ],
)
def test_what_makes_no_sense_ends_the_run_with_flow_time_and_value(what: str, message: str) -> None:
    space: dict[str, Any] = {"hs": hs, "math": math}
    body = f"        if flow.now_s > 1:\n            {what}\n"
    exec(f"class Bad(hs.CongestionControl):\n    def on_every_ack(self, flow):\n{body}", space)
    flow = {"from": 0, "to": 1, "transport": space["Bad"]}
    [failure] = hs.run({"duration": "3s", "topology": {"kind": "chain", "hops": 1}, "flow": [flow]}).failures
    assert failure.message.startswith("flow 0 at 1.")
    assert message in failure.message


def test_sending_sets_no_window() -> None:
    class Eager(hs.CongestionControl):
        def on_sent(self, flow: hs.FlowState) -> float:
            return 5.0

    flow = {"from": 0, "to": 1, "transport": Eager}
    [failure] = hs.run({"duration": "2s", "topology": {"kind": "chain", "hops": 1}, "flow": [flow]}).failures
    assert "returned 5.0; on_sent sets no window" in failure.message
