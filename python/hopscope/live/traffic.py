"""Flows over the kernels: a sender and a receiver each, with the goodput measured at the receiver.

Sockets belong to the namespace in which they are made, so that threads of this process drive the flows of all nodes: no
program has to start first, and both ends read one clock.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from hopscope.live import kernel
from hopscope.live.addresses import Addresses
from hopscope.live.flows import STAMPS, RealFlow

#: How often a thread looks whether the run is over, in seconds.
_PERIOD_S = 0.1

#: Octets that a socket takes and gives at once.
_CHUNK = 65536

#: Priority of the flows under SCHED_FIFO: below the radio.
_PRIORITY = 30

#: Number and instant (ns) at the head of a datagram.
_HEAD = struct.Struct("!QQ")

#: TCP_INFO (linux/tcp.h): offsets of the smoothed round-trip time (us), of segments sent again, of those with data.
_RTT, _AGAIN, _SENT = 68, 100, 156
_INFO_BYTES = 192


@dataclass
class Measured:
    """What a flow has done so far.

    Attributes:
        flow: the flow.
        received: payload octets that arrived after the warm-up.
        received_packets: datagrams that arrived after the warm-up; of TCP none are counted.
        sent: segments or datagrams with data that were sent.
        again: segments that were sent again.
        rtt_ms: smoothed round-trip time of TCP at the end; None before the first.
        delay_sum_ns: sum of the delays of the datagrams that count.
        done_ns: when the last octet of a file arrived, after the start of the run; None: it did not.
        is_complete: the sender has ended, and all of it has arrived.
        problem: why it did not run; empty.
    """

    flow: RealFlow
    received: int = 0
    received_packets: int = 0
    sent: int = 0
    again: int = 0
    rtt_ms: float | None = None
    delay_sum_ns: int = 0
    done_ns: int | None = None
    is_complete: bool = False
    problem: str = ""
    _seen: set[int] = field(default_factory=set, repr=False)

    def row(self, measured_ns: int) -> dict[str, Any]:
        """The entry of results, with the names that a simulation has."""
        flow = self.flow
        is_udp = not flow.is_tcp
        # Those behind the last one that came may be under way still.
        expected = max(self._seen) + 1 if self._seen else self.sent
        lost = expected - len(self._seen) if is_udp else self.again
        return {
            "id": flow.number,
            "from": flow.source,
            "to": flow.destination,
            "transport": flow.transport,
            "stack": "kernel",
            "throughput_kbps": self.received * 8e6 / measured_ns if measured_ns else 0.0,
            "received_packets": self.received_packets if is_udp else self.received // flow.packet,
            "sent_packets": self.sent,
            "retransmissions": self.again,
            "loss_pct": 100.0 * lost / self.sent if self.sent else 0.0,
            "rtt_ms": self.rtt_ms,
            "delay_ms": self.delay_sum_ns / 1e6 / self.received_packets if self.received_packets else None,
            "completion_s": None if self.done_ns is None else (self.done_ns - flow.start_ns) / 1e9,
            "problem": self.problem,
        }


class Traffic:
    """The flows of a run.

    Args:
        flows: the flows.
        namespaces: a descriptor for each node.
        addresses: those of the nodes.
        warmup_ns: goodput counts from here.
        fifo: ask for SCHED_FIFO.
    """

    def __init__(
        self, flows: list[RealFlow], namespaces: list[int], addresses: Addresses, *, warmup_ns: int, fifo: bool
    ) -> None:
        self.measured = [Measured(flow) for flow in flows]
        self._addresses = addresses
        self._namespaces = namespaces
        self._warmup = warmup_ns
        self._fifo = fifo
        self._over = threading.Event()
        self._begun = 0
        self._threads: list[threading.Thread] = []
        self._listeners = [self._listener(flow) for flow in flows]

    def start(self, begun_ns: int) -> None:
        """Starts all flows; ``begun_ns`` is the monotonic instant at which the run began."""
        self._begun = begun_ns
        for measured, listener in zip(self.measured, self._listeners, strict=True):
            receive, send = (_receive_tcp, _send_tcp) if measured.flow.is_tcp else (_receive_udp, _send_udp)
            for work, at in ((receive, listener), (send, None)):
                thread = threading.Thread(target=self._act, args=(work, measured, at), daemon=True)
                thread.start()
                self._threads.append(thread)

    def stop(self) -> None:
        """Ends all flows and waits for their figures."""
        self._over.set()
        for thread in self._threads:
            thread.join()
        for listener in self._listeners:
            listener.close()

    def elapsed(self) -> int:
        """Nanoseconds since the run began."""
        return time.monotonic_ns() - self._begun

    def is_over(self, flow: RealFlow) -> bool:
        """Whether a flow offers nothing more."""
        return self._over.is_set() or (flow.stop_ns is not None and self.elapsed() >= flow.stop_ns)

    def sleep_until(self, nanoseconds: int) -> bool:
        """Waits until an instant of the run; False: the run is over before."""
        left = (nanoseconds - self.elapsed()) / 1e9
        return not self._over.wait(left) if left > 0 else not self._over.is_set()

    def counts(self) -> bool:
        """Whether what arrives now counts."""
        return self.elapsed() >= self._warmup and not self._over.is_set()

    @property
    def over(self) -> bool:
        """Whether the run is over."""
        return self._over.is_set()

    def socket_of(self, node: int, kind: int) -> socket.socket:
        """A socket of a node."""
        return kernel.inside(self._namespaces[node], lambda: socket.socket(socket.AF_INET, kind))

    def address(self, node: int) -> str:
        """The address of a node."""
        return str(self._addresses.of(node))

    def _listener(self, flow: RealFlow) -> socket.socket:
        kind = socket.SOCK_STREAM if flow.is_tcp else socket.SOCK_DGRAM
        found = self.socket_of(flow.destination, kind)
        found.settimeout(_PERIOD_S)
        if flow.is_tcp:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, _segment(flow))
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_WINDOW_CLAMP, flow.window)
        found.bind(("0.0.0.0", flow.port))
        if flow.is_tcp:
            found.listen(1)
        return found

    def _act(self, work: Any, measured: Measured, listener: socket.socket | None) -> None:
        if self._fifo:
            with contextlib.suppress(OSError):  # the radio says in its report what it has got
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_PRIORITY))
        try:
            work(self, measured) if listener is None else work(self, measured, listener)
        except OSError as error:
            if not self.over:
                measured.problem = measured.problem or (error.strerror or str(error))


def _segment(flow: RealFlow) -> int:
    """The segment size to ask for: the kernel takes its timestamps off it."""
    return flow.packet + (STAMPS if flow.timestamps else 0)


def _send_tcp(traffic: Traffic, measured: Measured) -> None:
    flow = measured.flow
    if not traffic.sleep_until(flow.start_ns):
        return
    sender = _connected(traffic, measured)
    if sender is None:
        return
    left = flow.limit
    payload = bytes(_CHUNK)
    with sender:
        while not traffic.is_over(flow) and left != 0:
            with contextlib.suppress(TimeoutError):
                sent = sender.send(payload if left is None else payload[: min(left, _CHUNK)])
                left = None if left is None else left - sent
        if not traffic.over:
            sender.shutdown(socket.SHUT_WR)  # what is queued still goes
        while not traffic.over and not measured.is_complete:
            time.sleep(_PERIOD_S)
        info = sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)
        rtt, measured.again, measured.sent = (struct.unpack_from("=I", info, at)[0] for at in (_RTT, _AGAIN, _SENT))
        measured.rtt_ms = rtt / 1000 if rtt else None
        # The run is over: what is still queued is dropped.
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _connected(traffic: Traffic, measured: Measured) -> socket.socket | None:
    """A connection to the receiver; None: the run was over before there was one."""
    flow = measured.flow
    to = (traffic.address(flow.destination), flow.port)
    while not traffic.is_over(flow):
        sender = traffic.socket_of(flow.source, socket.SOCK_STREAM)
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, flow.control.encode())
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, _segment(flow))
        sender.setblocking(False)
        why = sender.connect_ex(to)
        while why in _PENDING and not traffic.is_over(flow):
            time.sleep(0.001)
            why = sender.connect_ex(to)
        if why in _CONNECTED:
            measured.problem = ""
            sender.settimeout(_PERIOD_S)
            return sender
        sender.close()
        # A routing daemon may still be looking for a way.
        measured.problem = "has no connection: the run was over first" if why in _PENDING else os.strerror(why)
        time.sleep(_PERIOD_S)
    return None


#: What connect says of a connection that is being set up, and of one that is there (connect(2)).
_PENDING = (115, 114)
_CONNECTED = (0, 106)


def _receive_tcp(traffic: Traffic, measured: Measured, listener: socket.socket) -> None:
    flow = measured.flow
    receiver = _accepted(traffic, listener)
    if receiver is None:
        return
    got = 0
    with receiver:
        receiver.settimeout(_PERIOD_S)
        while not traffic.over:
            try:
                part = len(receiver.recv(_CHUNK))
            except TimeoutError:
                continue
            if part == 0:
                measured.is_complete = True
                break
            got += part
            if traffic.counts():
                measured.received += part
            if flow.limit is not None and got >= flow.limit and measured.done_ns is None:
                measured.done_ns = traffic.elapsed()
            # Kernels from about 6.11 on reckon the clamp anew at the first segment, and let it grow later.
            if receiver.getsockopt(socket.IPPROTO_TCP, socket.TCP_WINDOW_CLAMP) != flow.window:
                receiver.setsockopt(socket.IPPROTO_TCP, socket.TCP_WINDOW_CLAMP, flow.window)


def _accepted(traffic: Traffic, listener: socket.socket) -> socket.socket | None:
    while not traffic.over:
        with contextlib.suppress(TimeoutError):
            return listener.accept()[0]
    return None


def _send_udp(traffic: Traffic, measured: Measured) -> None:
    flow = measured.flow
    rate = flow.rate or 1.0
    gap = flow.packet * 8e9 / rate
    filler = bytes(max(0, flow.packet - _HEAD.size))
    to = (traffic.address(flow.destination), flow.port)
    number = 0
    with traffic.socket_of(flow.source, socket.SOCK_DGRAM) as sender:
        # The schedule is kept: a late wake-up delays one datagram, not those after it.
        while traffic.sleep_until(flow.start_ns + round(number * gap)) and not traffic.is_over(flow):
            data = _HEAD.pack(number, time.monotonic_ns()) + filler
            with contextlib.suppress(OSError):  # no way yet: lost like any other
                sender.sendto(data[: max(flow.packet, _HEAD.size)], to)
            number += 1
            measured.sent = number


def _receive_udp(traffic: Traffic, measured: Measured, listener: socket.socket) -> None:
    while not traffic.over:
        try:
            data = listener.recv(_CHUNK)
        except TimeoutError:
            continue
        number, left_at = _HEAD.unpack_from(data)
        if number in measured._seen:
            continue
        measured._seen.add(number)
        if traffic.counts():
            measured.received += len(data)
            measured.received_packets += 1
            measured.delay_sum_ns += time.monotonic_ns() - left_at
