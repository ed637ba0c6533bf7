"""What a flow over kernels has done, measured at its sockets, and its row among the results.

A metric has the meaning that it has in a simulation (``hopscope list metrics``), or is left empty where sockets do not
show it: they know nothing of the copies of a segment on the way.
"""

from __future__ import annotations

import math
import threading
from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from hopscope.live.counters import Connection, End
from hopscope.live.flows import RealFlow
from hopscope.results.metrics import metrics

#: Where a flow ran, as the column ``stack`` has it.
KERNEL, ENGINE = "kernel", "engine"


class Arrivals:
    """What came at the receiver, in nanoseconds since the run began; of what came before the warm-up only the first.

    Attributes:
        begins: start of the measured time of the flow.
        warmup: start of that of the run.
        payload: octets handed up in the measured time, each once.
        payload_of_all: the same with what came again.
        datagrams, again: those that came, and the part of them that had come before; of TCP none are seen.
        first: instant of the first payload of all; None: nothing came.
        delays: of each datagram, from socket to socket.
        gaps: between datagrams.
    """

    def __init__(self, flow: RealFlow, warmup_ns: int, starved_after_ns: int) -> None:
        self.payload = self.payload_of_all = self.datagrams = self.again = 0
        self.first: int | None = None
        self.delays, self.gaps = array("q"), array("q")
        self.begins = max(flow.start_ns, warmup_ns)
        self.warmup, self._limit = warmup_ns, starved_after_ns
        self._last = self.begins
        self._last_datagram: int | None = None
        self._starved = self._longest = 0

    def deliver(self, now: int, octets: int) -> None:
        """Payload was handed up that had not been before."""
        self.first = now if self.first is None else self.first
        if now < self.warmup:
            return
        self.payload += octets
        self.payload_of_all += octets
        gap = max(0, now - self._last)
        self._starved += gap if gap > self._limit else 0
        self._longest = max(self._longest, gap)
        self._last = max(self._last, now)

    def datagram(self, now: int, octets: int, delay: int, *, again: bool) -> None:
        """A datagram came."""
        if now >= self.warmup:
            self.datagrams += 1
            self.delays.append(delay)
            if self._last_datagram is not None:
                self.gaps.append(max(0, now - self._last_datagram))
            self._last_datagram = now
            if again:
                self.again += 1
                self.payload_of_all += octets
        if not again:
            self.deliver(now, octets)

    def outages(self, ends: int) -> tuple[float | None, float | None]:
        """The longest time without payload (s) and the share of time in long ones (%), up to the end of the flow."""
        whole = ends - self.begins
        if whole <= 0:
            return None, None
        # The gap under way counts, though nobody knows yet how long it gets.
        gap = max(0, ends - self._last)
        starved = self._starved + (gap if gap > self._limit else 0)
        return max(self._longest, gap) / 1e9, 100.0 * starved / whole


class Measured:
    """A flow as its two ends see it.

    Attributes:
        flow: the flow.
        arrivals: what came.
        connection: the counters of TCP.
        offered, offered_before: datagrams that were sent since the run began, and those of them before the warm-up.
        seen: numbers of the datagrams that came.
        arrived: set when all of a file, or what the sender has sent up to its end, has arrived.
        done_ns: when all of a file was acknowledged; None: it was not.
        is_complete: the sender has ended, and all of it has arrived.
        problem: why it did not run; empty.
    """

    def __init__(self, flow: RealFlow, warmup_ns: int, starved_after_ns: int) -> None:
        self.flow = flow
        self.arrivals = Arrivals(flow, warmup_ns, starved_after_ns)
        self.connection = Connection()
        self.offered, self.offered_before = 0, 0
        self.seen: set[int] = set()
        self.arrived = threading.Event()
        self.done_ns: int | None = None
        self.is_complete = False
        self.problem = ""

    def row(self, ends: int, under_way: int, hops: int | None) -> dict[str, Any]:
        """The entry of results, with every column that a flow of a simulation has.

        Args:
            ends: when the run ended, nanoseconds.
            under_way: frames that the radio had neither got across by then nor lost.
            hops: those of its static route; None: it has none.
        """
        flow = self.flow
        about = {"id": flow.number, "from": flow.source, "to": flow.destination, "transport": flow.transport}
        columns = [one for one in metrics("flow") if one.name != "reply_to"]
        empty: dict[str, Any] = {one.name: {} if one.kind == "shares" else None for one in columns}
        known = self._of_tcp(ends) if flow.is_tcp else self._of_udp(ends, under_way)
        ran = {"stack": KERNEL, "hops": hops, "note": self.problem or None}
        return {**about, "stack": None, **empty, **about, **self._carried(ends), **known, **ran}

    def _own_end(self, ends: int) -> int:
        """When the flow was over: its application has stopped, all of a file was acknowledged, or the run has ended."""
        return min(at for at in (ends, self.flow.stop_ns, self.done_ns) if at is not None)

    def _carried(self, ends: int) -> dict[str, Any]:
        """What is measured alike of either transport."""
        came, start = self.arrivals, self.flow.start_ns
        outage, starved = came.outages(self._own_end(ends))
        return {
            "throughput_kbps": _kbps(came.payload, ends - came.warmup) or 0.0,
            "received_bytes": came.payload,
            "longest_outage_s": outage,
            "starved_pct": starved,
            "completion_s": None if self.done_ns is None else (self.done_ns - start) / 1e9,
            "first_delivery_s": None if came.first is None else (came.first - start) / 1e9,
        }

    def _of_udp(self, ends: int, under_way: int) -> dict[str, Any]:
        """What datagrams show: each has its number and the instant at which it left."""
        came, first = self.arrivals, self.offered_before
        # Those behind the last one that came may be under way, but no more of them than the radio has.
        behind = self.offered - (max(self.seen) + 1 if self.seen else first)
        in_flight = min(behind, under_way)
        lost = max(0, self.offered - first - in_flight - sum(number >= first for number in self.seen))
        decided = came.datagrams + lost
        return {
            "goodput_kbps": _kbps(came.payload, ends - came.warmup),
            "overall_kbps": _kbps(came.payload_of_all, ends - came.begins),
            "sent_packets": self.offered - first,
            "received_packets": came.datagrams,
            "duplicate_packets": came.again,
            "lost_packets": lost,
            "in_flight": in_flight,
            "loss_pct": 100.0 * lost / decided if decided else None,
            "retransmitted_packets": 0,
            "delay_ms": sum(came.delays) / len(came.delays) / 1e6 if came.delays else None,
            **_percentiles("delay", came.delays),
            **_percentiles("gap", came.gaps),
            **_jitter(came.delays),
        }

    def _of_tcp(self, ends: int) -> dict[str, Any]:
        """What the counters of the kernel show; of the copies of a segment on the way they know nothing."""
        came, sender, receiver = self.arrivals, self.connection.sender, self.connection.receiver
        again = sender.counted("retransmitted")
        sent = _with_syn(sender)
        received = _with_syn(receiver) or 0
        acks = _sum(*(_without_data(end) for end in (sender, receiver)))
        own = self._own_end(ends) - came.begins
        limited = sender.counted("window_limited_us")
        most = self.flow.window // self.flow.packet
        found: dict[str, Any] = {
            "sent_packets": sent,
            "received_packets": received,
            "retransmitted_packets": again,
            "timeouts": sender.counted("timeouts"),
            "acks_sent": acks,
            "acks_per_packet": acks / received if acks is not None and received else None,
            "mean_rtt_ms": _mean(self.connection.rtts_us, 1e3),
            "mean_cwnd": _mean([min(window, most) for window in self.connection.windows], 1),
            "window_limited_pct": min(100.0, limited * 1e5 / own) if limited is not None and own > 0 else None,
        }
        if again is not None and came.payload:
            found["retransmission_index_pct"] = 100.0 * again / math.ceil(came.payload / self.flow.packet)
        if again == 0:  # each segment has left once: what came is goodput, and no copy came twice
            found["goodput_kbps"] = _kbps(came.payload, ends - came.warmup)
            found["overall_kbps"] = _kbps(came.payload, min(ends, self.done_ns or ends) - came.begins)
            found["duplicate_packets"] = 0
        if sent is not None and (self.is_complete or sent == received):  # else some may be under way
            lost = max(0, sent - received)
            found |= {"in_flight": 0, "lost_packets": lost, "loss_pct": 100.0 * lost / max(1, received + lost)}
        return found


def _with_syn(end: End) -> int | None:
    """Segments with data that left or came, with the SYN, which is one in results; None: the end was never there."""
    name = "data_received" if end.receives else "data_sent"
    found = end.counted(name)
    return None if found is None else found + (not end.began_before)


def _without_data(end: End) -> int | None:
    """Segments without data that an end has sent."""
    # The SYN, which results take for data, is there too much, and the SYN-ACK too little: the kernel has it elsewhere.
    found, data = end.counted("segments_sent"), end.counted("data_sent")
    return None if found is None or data is None else found - data


def _sum(*parts: int | None) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def _mean(values: Sequence[int], unit: float) -> float | None:
    return sum(values) / len(values) / unit if values else None


def _kbps(octets: int, span_ns: int) -> float | None:
    return octets * 8e6 / span_ns if span_ns > 0 else None


def percentile_ms(ordered: Sequence[int], per_cent: float) -> float | None:
    """The smallest of ordered times (ns) that so many per cent of all do not exceed, in ms; None without any."""
    return ordered[max(1, math.ceil(per_cent / 100 * len(ordered))) - 1] / 1e6 if ordered else None


def _percentiles(of: str, times: Sequence[int]) -> dict[str, float | None]:
    ordered = sorted(times)
    return {f"{of}_p{per_cent}_ms": percentile_ms(ordered, per_cent) for per_cent in (50, 95, 99)}


def _jitter(delays: Sequence[int]) -> dict[str, float | None]:
    """The mean difference of successive delays, over the datagrams as its source has it, and that of RFC 3550, A.8."""
    if len(delays) < 2:
        return {}
    differences = [abs(after - before) for before, after in pairwise(delays)]
    smooth = 0.0
    for difference in differences:
        smooth += (difference - smooth) / 16
    return {"jitter_ms": sum(differences) / len(delays) / 1e6, "jitter_rfc3550_ms": smooth / 1e6}
