"""What the kernel counts of a connection of TCP (TCP_INFO, linux/tcp.h), at both of its ends over the measured time."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass, field
from typing import Any

#: Octets of TCP_INFO that are asked for; older kernels give fewer.
_BYTES = 256

#: Microseconds, counts and octets: name -> (offset, format).
_FIELDS = {
    "rtt_us": (68, "=I"),
    "cwnd": (80, "=I"),
    "retransmitted": (100, "=I"),
    "bytes_acked": (120, "=Q"),
    "segments_sent": (136, "=I"),
    "data_received": (152, "=I"),
    "data_sent": (156, "=I"),
    "window_limited_us": (176, "=Q"),
    "timeouts": (240, "=H"),
}


@dataclass(frozen=True)
class TcpInfo:
    """The counters of one end at an instant.

    Attributes:
        rtt_us: smoothed round-trip time; 0 before the first.
        cwnd: congestion window in segments.
        retransmitted: segments sent again.
        bytes_acked: octets that the other end has acknowledged; its SYN is one.
        segments_sent: segments of any kind; the SYN is one, that of the other end (SYN-ACK) is none of its socket.
        data_received: segments with data that came, repeated ones included.
        data_sent: segments with data that left, repeated ones included.
        window_limited_us: time in which the window of the receiver held the sender back.
        timeouts: of the retransmission timer; None: the kernel is older than 6.7 and does not say.
    """

    rtt_us: int = 0
    cwnd: int = 0
    retransmitted: int = 0
    bytes_acked: int = 0
    segments_sent: int = 0
    data_received: int = 0
    data_sent: int = 0
    window_limited_us: int = 0
    timeouts: int | None = 0


def read(end: socket.socket | None) -> TcpInfo | None:
    """The counters of a socket; None of one that is closed or not there yet."""
    if end is None:
        return None
    try:
        found = end.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _BYTES)
    except OSError:
        return None
    values: dict[str, Any] = {
        name: struct.unpack_from(kind, found, offset)[0] if offset + struct.calcsize(kind) <= len(found) else None
        for name, (offset, kind) in _FIELDS.items()
    }
    return TcpInfo(**values)


@dataclass
class End:
    """One end of a connection: its counters when the measured time began, and when it ended.

    Attributes:
        receives: it is that of the receiver.
        began_before: it was there when the measured time began.
    """

    receives: bool = False
    began_before: bool = False
    _socket: socket.socket | None = None
    _before: TcpInfo = field(default_factory=TcpInfo)
    _after: TcpInfo | None = None

    def open(self, end: socket.socket) -> None:
        """The end is there."""
        self._socket = end

    def begin(self) -> None:
        """The measured time begins: what was counted before is left out."""
        if (now := read(self._socket)) is not None:
            self._before, self.began_before = now, True

    def now(self) -> TcpInfo | None:
        """The counters now; None where the end is not open."""
        return read(self._socket)

    def end(self) -> None:
        """The run is over, or the end about to be closed, whichever is first: its counters are kept."""
        self._after = self.now() or self._after
        self._socket = None

    def counted(self, name: str) -> int | None:
        """What was counted in the measured time; None where nothing is known of it."""
        before, after = getattr(self._before, name), getattr(self._after, name, None)
        return None if after is None or before is None else after - before


@dataclass
class Connection:
    """Both ends of a connection, and what was read of the sender from time to time.

    Attributes:
        sender, receiver: its ends.
        rtts_us, windows: what each reading of the sender in the measured time has found.
    """

    sender: End = field(default_factory=End)
    receiver: End = field(default_factory=lambda: End(receives=True))
    rtts_us: list[int] = field(default_factory=list)
    windows: list[int] = field(default_factory=list)

    def begin(self) -> None:
        """The measured time begins."""
        self.sender.begin()
        self.receiver.begin()

    def refresh(self) -> None:
        """Reads the sender."""
        if (now := self.sender.now()) is not None:
            self.windows.append(now.cwnd)
            if now.rtt_us:
                self.rtts_us.append(now.rtt_us)

    def end(self) -> None:
        """The run is over."""
        self.sender.end()
        self.receiver.end()
