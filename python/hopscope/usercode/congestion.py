"""Congestion control of a user's own: a class whose methods say how large the window is to be.

A scenario names it as a transport, ``"tcp:FILE.py:CLASS"``, or as the ``control`` of one, ``"FILE.py:CLASS"``; in
Python the class itself may stand there.
"""

from __future__ import annotations

import random
from typing import ClassVar, TypeAlias

from hopscope._core import FlowState

#: What a method returns: None (nothing changes), the window in segments, or the window and a pacing rate in segments
#: per second, each of which may be None (unchanged).
Reaction: TypeAlias = "float | tuple[float | None, float | None] | None"

#: Classes of this process by name; those of loaded files are named by their file.
registry: dict[str, type[CongestionControl]] = {}

#: Modules that were loaded for a scenario have names that begin like this.
LOADED = "_hopscope_control_"


class CongestionControl:
    """Base of a congestion control written in Python.

    A subclass overrides the methods it needs; what it leaves alone is done by the engine by the rules of TCP Reno
    (RFC 5681) and costs nothing.  Each flow of each run has an object of its own, made without arguments when the run
    starts, so ``self`` holds the state of one connection.  When segments are sent and what is repeated stays with the
    engine (``tcp.loss_recovery``, by default NewReno).

    Each method gets a :class:`FlowState` and returns the new congestion window in segments, or a pair of window and
    pacing rate in segments per second, or None to change nothing.  A window is finite and above 0; below one segment it
    counts as one, above the receiver's window as that.  A pacing rate is 0.001 to 1e9 and holds until another is set;
    until the first the window alone limits.  Anything else, and any exception, ends the run with an error that shows
    the traceback, the flow and the simulated time.  A method may also set ``flow.ssthresh``, and ask by
    ``flow.wake(at_s)`` for a call of ``on_timer`` at an instant.

    Public class attributes that are numbers, flags or text are parameters: the key ``control`` of a flow sets them, as
    in ``control = { decrease = 0.7 }``, and a sweep can vary them (``flow.0.control.decrease``).

    Attributes:
        name: what results call it, after ``tcp:``; the name of the class unless given.
        random: random numbers that depend on the seed of the run and the number of the flow alone.
    """

    name: ClassVar[str] = ""
    random: random.Random

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not cls.__module__.startswith(LOADED):
            registry[cls.__name__] = cls

    def on_ack(self, flow: FlowState) -> Reaction:
        """An ACK of new data has come, outside of recovery.

        By default slow start below ``ssthresh`` and one segment a round trip above it, while the window is in use
        (RFC 5681 equations 2 and 3).
        """
        if not flow.window_limited:
            return None
        if flow.cwnd < flow.ssthresh:
            return flow.cwnd + min(flow.acked, 1.0)
        return flow.cwnd + 1.0 / flow.cwnd

    def on_loss(self, flow: FlowState) -> Reaction:
        """A loss was found before the timer expired; once for each recovery.

        What is returned is also the new ``ssthresh``, to which the window returns when the recovery ends.  By default
        half of what is in flight (RFC 5681 equation 4).
        """
        return max(flow.in_flight / 2.0, 2.0)

    def on_timeout(self, flow: FlowState) -> Reaction:
        """The retransmission timer expired; ``ssthresh`` falls to half of what was in flight.

        By default one segment (RFC 5681 3.1).
        """
        return 1.0

    def on_rtt(self, flow: FlowState) -> Reaction:
        """An ACK gave a round-trip time (never of a segment sent twice), in recovery too.

        ``on_ack`` or ``on_loss`` may follow at the same instant.  By default nothing.
        """
        return None

    def on_every_ack(self, flow: FlowState) -> Reaction:
        """An ACK of any kind has come: of new data, a duplicate, in a recovery, with the echo of a mark (``flow.ece``).

        It comes behind ``on_rtt`` and before ``on_loss`` and ``on_ack``, which may follow at the same instant.  A class
        that has it is not restarted by the engine after an idle period.  By default nothing.
        """
        return None

    def on_round_trip(self, flow: FlowState) -> Reaction:
        """A round trip has ended: what was outstanding at its start is acknowledged, in recovery too.

        It comes behind ``on_every_ack`` and before ``on_loss`` and ``on_ack``, which may follow at the same instant.
        The first one ends at the first ACK of data.  By default nothing.
        """
        return None

    def on_sent(self, flow: FlowState) -> Reaction:
        """A segment leaves, new or again (``flow.sent``); a pace may be returned, no window.  By default nothing."""
        return None

    def on_timer(self, flow: FlowState) -> Reaction:
        """The instant that ``flow.wake`` named has come.  By default nothing."""
        return None
