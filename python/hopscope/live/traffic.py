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
from typing import Any

from hopscope.live import counters, kernel
from hopscope.live.addresses import Addresses
from hopscope.live.flows import STAMPS, RealFlow
from hopscope.live.measured import Measured

#: How often a thread looks whether the run is over, and the counters of senders are read, in seconds.
_PERIOD_S = 0.1

#: How often a sender looks whether the file that has arrived is acknowledged, in seconds.
_SOON_S = 0.001

#: Octets that a socket takes and gives at once.
_CHUNK = 65536

#: Windows from here on need the buffer that the kernel chooses, in octets; smaller ones have this one.
_SMALL_WINDOW, _BUFFER = 65536, 131072

#: Priority of the flows under SCHED_FIFO: below the radio.
_PRIORITY = 30

#: Number and instant (ns) at the head of a datagram.
_HEAD = struct.Struct("!QQ")

#: Asks for the instant at which the kernel got a datagram, and its form (SO_TIMESTAMPNS, asm-generic/socket.h).
_STAMP, _INSTANT = 35, struct.Struct("@ll")


class Traffic:
    """The flows of a run.

    Args:
        flows: the flows.
        namespaces: a descriptor for each node.
        addresses: those of the nodes.
        warmup_ns: the measured time begins here.
        starved_after_ns: longer gaps between deliveries are starvation.
        fifo: ask for SCHED_FIFO.
    """

    def __init__(
        self,
        flows: list[RealFlow],
        namespaces: list[int],
        addresses: Addresses,
        *,
        warmup_ns: int,
        starved_after_ns: int,
        fifo: bool,
    ) -> None:
        self.measured = [Measured(flow, warmup_ns, starved_after_ns) for flow in flows]
        self._addresses = addresses
        self._namespaces = namespaces
        self._warmup = warmup_ns
        self._fifo = fifo
        self._over = threading.Event()
        self._begun = self._ended = 0
        # The kernel stamps datagrams by the other clock.
        self._real_begun = 0
        self._threads: list[threading.Thread] = []
        self._listeners = [self._listener(flow) for flow in flows]

    def start(self, begun_ns: int) -> None:
        """Starts all flows; ``begun_ns`` is the monotonic instant at which the run began."""
        self._begun = begun_ns
        self._real_begun = time.time_ns() - (time.monotonic_ns() - begun_ns)
        self._run(self._read_counters)
        for measured, listener in zip(self.measured, self._listeners, strict=True):
            receive, send = (_receive_tcp, _send_tcp) if measured.flow.is_tcp else (_receive_udp, _send_udp)
            for work, at in ((receive, listener), (send, None)):
                self._run(self._act, work, measured, at)

    def _run(self, work: Any, *given: Any) -> None:
        thread = threading.Thread(target=work, args=given, daemon=True)
        thread.start()
        self._threads.append(thread)

    def stop(self) -> None:
        """Ends all flows and waits for their threads."""
        if not self._over.is_set():
            self._over.set()
            self._ended = self.elapsed()
        for measured in self.measured:  # at once, before each thread has noticed
            measured.connection.end()
        for thread in self._threads:
            thread.join()
        for listener in self._listeners:
            listener.close()

    def elapsed(self) -> int:
        """Nanoseconds since the run began."""
        return time.monotonic_ns() - self._begun

    @property
    def ended(self) -> int:
        """When the flows were ended, nanoseconds since the run began."""
        return self._ended

    def since_begin(self, instant_ns: int) -> int:
        """An instant of CLOCK_REALTIME as nanoseconds since the run began."""
        return instant_ns - self._real_begun

    def is_over(self, flow: RealFlow) -> bool:
        """Whether a flow offers nothing more."""
        return self._over.is_set() or (flow.stop_ns is not None and self.elapsed() >= flow.stop_ns)

    def sleep_until(self, nanoseconds: int) -> bool:
        """Waits until an instant of the run; False: the run is over before."""
        left = (nanoseconds - self.elapsed()) / 1e9
        return not self._over.wait(left) if left > 0 else not self._over.is_set()

    def _read_counters(self) -> None:
        """Reads the counters of all connections when the measured time begins, and those of senders all along it."""
        if not self.sleep_until(self._warmup):
            return
        for measured in self.measured:
            measured.connection.begin()
        while not self._over.wait(_PERIOD_S):
            for measured in self.measured:
                measured.connection.refresh()

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
            if flow.window < _SMALL_WINDOW:
                found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _first_buffer(flow))
        else:
            found.setsockopt(socket.SOL_SOCKET, _STAMP, 1)
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


def _first_buffer(flow: RealFlow) -> int:
    """The receive buffer to ask for until a full segment has come: the kernel takes double of it.

    Kernels from about 6.11 on reckon the clamp anew at that segment, from the buffer and from the share of it that is
    payload. The sender cuts its data and sets PSH by the largest window that it has ever seen, so none may be larger.
    Up to three segments the whole window is offered at once: a sender cuts segments in two for less than two of them.
    """
    return flow.window if flow.window <= 3 * flow.packet else flow.window // 2


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
        measured.connection.sender.open(sender)
        while not traffic.is_over(flow) and left != 0:
            with contextlib.suppress(TimeoutError):
                sent = sender.send(payload if left is None else payload[: min(left, _CHUNK)])
                left = None if left is None else left - sent
        if not traffic.over:
            sender.shutdown(socket.SHUT_WR)  # what is queued still goes
        _await_end(traffic, measured, sender)
        measured.connection.sender.end()
        # The run is over: what is still queued is dropped.
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _await_end(traffic: Traffic, measured: Measured, sender: socket.socket) -> None:
    """Waits until all has arrived, and notes when all of a file was acknowledged, or until the run is over."""
    while not traffic.over and not measured.arrived.wait(_PERIOD_S):
        pass
    while measured.flow.limit is not None and not traffic.over:
        found = counters.read(sender)
        if found is not None and found.bytes_acked > measured.flow.limit:  # the SYN is an octet of them
            measured.done_ns = traffic.elapsed()
            break
        time.sleep(_SOON_S)
    while not traffic.over and not measured.is_complete:
        time.sleep(_PERIOD_S)


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
    is_settled = flow.window >= _SMALL_WINDOW
    with receiver:
        measured.connection.receiver.open(receiver)
        receiver.settimeout(_PERIOD_S)
        while not traffic.over:
            try:
                part = len(receiver.recv(_CHUNK))
            except TimeoutError:
                continue
            if part == 0:
                measured.is_complete = True
                measured.arrived.set()
                break
            got += part
            if not traffic.over:
                measured.arrivals.deliver(traffic.elapsed(), part)
            if flow.limit is not None and got >= flow.limit:
                measured.arrived.set()
            if not is_settled and part >= min(flow.packet, flow.window):
                is_settled = True
                receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER)
            if receiver.getsockopt(socket.IPPROTO_TCP, socket.TCP_WINDOW_CLAMP) != flow.window:
                receiver.setsockopt(socket.IPPROTO_TCP, socket.TCP_WINDOW_CLAMP, flow.window)
        measured.connection.receiver.end()


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
            data = _HEAD.pack(number, time.time_ns()) + filler
            number += 1
            measured.offered = number
            if traffic.elapsed() < measured.arrivals.warmup:
                measured.offered_before = number
            with contextlib.suppress(OSError):  # no way yet: lost like any other
                sender.sendto(data[: max(flow.packet, _HEAD.size)], to)


def _receive_udp(traffic: Traffic, measured: Measured, listener: socket.socket) -> None:
    while not traffic.over:
        try:
            data, stamps, _, _ = listener.recvmsg(_CHUNK, socket.CMSG_SPACE(_INSTANT.size))
        except TimeoutError:
            continue
        came_at = _stamp(stamps)
        number, left_at = _HEAD.unpack_from(data)
        again = number in measured.seen
        measured.seen.add(number)
        if not traffic.over:
            now = traffic.since_begin(came_at)
            measured.arrivals.datagram(now, len(data), came_at - left_at, again=again)


def _stamp(stamps: list[tuple[int, int, bytes]]) -> int:
    """When the kernel got a datagram, CLOCK_REALTIME in nanoseconds: a thread reads it when it is its turn."""
    for level, kind, data in stamps:
        if (level, kind) == (socket.SOL_SOCKET, _STAMP):
            seconds, nanoseconds = _INSTANT.unpack(data)
            return int(seconds * 1_000_000_000 + nanoseconds)
    return time.time_ns()
