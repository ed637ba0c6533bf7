"""What a method of bandwidth estimation sends and what it says in the end.

A method is a generator: it yields a :class:`Train` or an :class:`Echo`, is sent what came of it, and returns an
:class:`Estimate`. It knows nothing of the simulator, so that it can be tried on anything that forwards packets.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Train:
    """Packets to send to the other end, which notes when each arrives.

    Attributes:
        packets: for each its start in seconds after that of the first, rising, and its bytes with network header.
        pause: seconds without probes before it.
        back: whether the other end sends it to this one, as it sends acknowledgements.
    """

    packets: tuple[tuple[float, int], ...]
    pause: float
    back: bool = False


@dataclass(frozen=True)
class Echo:
    """A packet that is answered where it comes out, with 56 bytes (ICMP Time Exceeded or Port Unreachable, RFC 792).

    Attributes:
        bytes: its size with network header.
        ttl: hops that it may take.
        pause: seconds without probes before it.
    """

    bytes: int
    ttl: int
    pause: float


#: Of a train: for each packet its arrival in seconds after the start of the train, None where it was lost. Of an echo:
#: seconds until the answer and the node that gave it, None without one.
Answer = list[float | None] | tuple[float, int] | None

Method = Generator[Train | Echo, Any, "Estimate"]


@dataclass(frozen=True)
class Estimate:
    """What a method says of a path, in bit/s of packets with network header.

    Attributes:
        capacity: what the path carries with nobody else there; None where the method does not say.
        available: what it can carry for more than those who use it; None where the method does not say.
        low: lower end of the range that the method gives for what it estimates; None without a range.
        high: upper end.
        detail: what else it found, by name.
    """

    capacity: float | None = None
    available: float | None = None
    low: float | None = None
    high: float | None = None
    detail: dict[str, Any] = field(default_factory=dict)


class NoEstimateError(Exception):
    """Too little came back to say anything; the text says what."""
