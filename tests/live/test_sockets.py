"""What flows over kernels are said to have done: the definitions of a simulation, worked out by hand."""

from __future__ import annotations

import socket
from dataclasses import replace

import pytest

from hopscope.live import counters
from hopscope.live.counters import TcpInfo
from hopscope.live.flows import RealFlow
from hopscope.live.measured import Arrivals, Measured
from hopscope.results.metrics import metrics

MS, S = 1_000_000, 1_000_000_000

UDP = RealFlow(
    number=0, source=0, destination=3, transport="udp", control="", port=5001, packet=100, window=800, start_ns=0,
    stop_ns=None, limit=None, rate=8_000.0, timestamps=False, ecn=False,
)  # fmt: skip
TCP = replace(UDP, transport="tcp-reno", control="reno", packet=1000, window=4000, rate=None)


def udp(came: list[tuple[int, int, int]], *, offered: int, before: int = 0, warmup: int = 0) -> Measured:
    """A flow of which datagrams (number, instant, delay) came."""
    found = Measured(UDP, warmup, S)
    found.offered, found.offered_before = offered, before
    for number, now, delay in came:
        found.arrivals.datagram(now, 100, delay, again=number in found.seen)
        found.seen.add(number)
    return found


def test_every_column_of_a_simulation_is_there() -> None:
    row = udp([], offered=0).row(S, 0, 3)
    assert set(row) == {metric.name for metric in metrics("flow")} - {"reply_to"} | {"stack"}
    assert (row["stack"], row["hops"], row["cwnd_share"], row["throughput_kbps"]) == ("kernel", 3, {}, 0.0)


def test_datagrams_are_lost_in_flight_or_received_again() -> None:
    came = [(0, 100 * MS, 4 * MS), (1, 200 * MS, 8 * MS), (1, 210 * MS, 18 * MS), (4, 500 * MS, 2 * MS)]
    row = udp(came, offered=7).row(S, under_way=1, hops=3)
    # 2 and 3 are lost for sure; of 5 and 6 the radio has one.
    names = ("sent_packets", "received_packets", "duplicate_packets", "lost_packets", "in_flight", "received_bytes")
    assert [row[name] for name in names] == [7, 4, 1, 3, 1, 300]
    assert row["loss_pct"] == pytest.approx(100 * 3 / 7)
    assert (row["throughput_kbps"], row["goodput_kbps"], row["overall_kbps"]) == (2.4, 2.4, 3.2)
    assert row["first_delivery_s"] == 0.1
    assert row["longest_outage_s"] == 0.5


def test_delays_are_those_of_all_copies_with_order_statistics() -> None:
    delays = [4, 8, 18, 2]
    row = udp([(n, (n + 1) * 100 * MS, d * MS) for n, d in enumerate(delays)], offered=4).row(S, 0, 3)
    assert row["delay_ms"] == 8
    assert [row[f"delay_p{p}_ms"] for p in (50, 95, 99)] == [4, 18, 18]
    assert [row[f"gap_p{p}_ms"] for p in (50, 95, 99)] == [100, 100, 100]
    assert row["jitter_ms"] == (4 + 10 + 16) / 4
    # RFC 3550: J += (|D| - J) / 16.
    assert row["jitter_rfc3550_ms"] == pytest.approx(((4 / 16) * 15 / 16 + 10 / 16) * 15 / 16 + 16 / 16)


def test_what_came_before_the_warm_up_does_not_count() -> None:
    came = [(0, 100 * MS, MS), (1, 600 * MS, MS), (2, 700 * MS, MS)]
    row = udp(came, offered=3, before=1, warmup=500 * MS).row(S, 0, 3)
    assert (row["sent_packets"], row["received_packets"], row["lost_packets"]) == (2, 2, 0)
    assert row["throughput_kbps"] == pytest.approx(200 * 8 / 0.5 / 1000)
    assert row["first_delivery_s"] == 0.1
    assert row["longest_outage_s"] == pytest.approx(0.3)


def test_starvation_is_the_share_of_long_gaps() -> None:
    arrivals = Arrivals(UDP, 0, 1_000 * MS)
    for ms in (500, 2_500):
        arrivals.deliver(ms * MS, 1)
    # As in crates/hopscope-engine/src/metrics/starvation.rs.
    assert arrivals.outages(4_000 * MS) == (2.0, 100 * 3.5 / 4)
    assert Arrivals(UDP, 0, MS).outages(0) == (None, None)


class Ends:
    """Readings of both ends, one after the other, in place of TCP_INFO."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now: dict[str, TcpInfo] = {}
        monkeypatch.setattr(counters, "read", lambda end: None if end is None else self.now[end])

    def run(self, measured: Measured, before: dict[str, TcpInfo] | None, after: dict[str, TcpInfo]) -> None:
        connection = measured.connection
        if before is not None:
            self._open(measured)
            self.now = before
            connection.begin()
        else:
            connection.begin()
            self._open(measured)
        self.now = after
        connection.refresh()
        connection.end()
        connection.end()  # the thread of an end does so too, later

    def _open(self, measured: Measured) -> None:
        measured.connection.sender.open("sender")  # type: ignore[arg-type]
        measured.connection.receiver.open("receiver")  # type: ignore[arg-type]


def test_a_connection_counts_its_syn_as_a_packet_and_what_it_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = Measured(TCP, 0, S)
    measured.arrivals.deliver(500 * MS, 20_000)
    sender = TcpInfo(
        rtt_us=12_000, cwnd=10, retransmitted=2, segments_sent=24, data_sent=23, timeouts=1, window_limited_us=250_000
    )
    after = {"sender": sender, "receiver": TcpInfo(segments_sent=10, data_received=21)}
    Ends(monkeypatch).run(measured, None, after)
    row = measured.row(S, 5, 3)
    assert (row["sent_packets"], row["received_packets"], row["retransmitted_packets"]) == (24, 22, 2)
    assert row["retransmission_index_pct"] == 10  # 2 of the 20 that 20,000 bytes fill
    assert (row["acks_sent"], row["timeouts"], row["mean_rtt_ms"], row["mean_cwnd"]) == (11, 1, 12, 4)
    assert row["window_limited_pct"] == 25
    # Two of the segments may be under way, and what came of first copies alone is not known.
    assert [row[name] for name in ("loss_pct", "lost_packets", "goodput_kbps", "overall_kbps", "delay_ms")] == [
        None
    ] * 5
    measured.is_complete = True
    row = measured.row(S, 5, 3)
    assert (row["lost_packets"], row["in_flight"], row["loss_pct"]) == (2, 0, 100 * 2 / 24)


def test_counters_before_the_warm_up_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = Measured(TCP, 500 * MS, S)
    measured.arrivals.deliver(700 * MS, 10_000)
    before = {"sender": TcpInfo(segments_sent=31, data_sent=30), "receiver": TcpInfo(data_received=30)}
    after = {"sender": TcpInfo(segments_sent=41, data_sent=40), "receiver": TcpInfo(data_received=40, segments_sent=5)}
    Ends(monkeypatch).run(measured, before, after)
    row = measured.row(S, 0, 3)
    assert (row["sent_packets"], row["received_packets"], row["acks_sent"]) == (10, 10, 5)
    assert (row["goodput_kbps"], row["loss_pct"], row["duplicate_packets"]) == (160, 0, 0)


def test_a_kernel_that_does_not_count_timeouts_leaves_them_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = Measured(TCP, 0, S)
    Ends(monkeypatch).run(measured, None, {"sender": TcpInfo(timeouts=None), "receiver": TcpInfo()})
    assert measured.row(S, 0, 3)["timeouts"] is None


def test_a_flow_without_a_connection_says_why() -> None:
    measured = Measured(TCP, 0, S)
    measured.problem = "has no connection: the run was over first"
    row = measured.row(S, 0, None)
    assert (row["received_packets"], row["sent_packets"], row["note"]) == (0, None, measured.problem)


def test_the_counters_of_the_kernel_are_where_they_are_looked_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as sender:
        receiver, _ = server.accept()
        with receiver:
            for _ in range(3):
                sender.send(bytes(1000))
                assert len(receiver.recv(2000)) == 1000
                receiver.send(b"x")
                sender.recv(1)
            sent, came = counters.read(sender), counters.read(receiver)
    assert sent is not None
    assert came is not None
    assert (sent.data_sent, came.data_received, sent.retransmitted) == (3, 3, 0)
    assert sent.bytes_acked == 3001  # the SYN is one
    assert 4 <= sent.segments_sent <= 8
    assert sent.rtt_us > 0
    assert sent.cwnd >= 3
    assert counters.read(sender) is None  # closed
