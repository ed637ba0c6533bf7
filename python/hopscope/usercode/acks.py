"""ACK policy of a user's own: a class whose methods say when a receiver acknowledges.

A scenario names it as the ``ack`` of a flow, ``"FILE.py:CLASS"``; in Python the class itself may stand there.
"""

from __future__ import annotations

import random
from typing import ClassVar, TypeAlias

from hopscope._core import AckState
from hopscope.usercode.congestion import LOADED

#: What a method returns: None (the wait goes on), a delay in seconds, or the delay and the number of segments that one
#: ACK is to stand for, each of which may be None.
Answer: TypeAlias = "float | tuple[float | None, float | None] | None"

#: Classes of this process by name; those of loaded files are named by their file.
registry: dict[str, type[AckPolicy]] = {}


class AckPolicy:
    """Base of an ACK policy written in Python.

    Each flow of each run has an object of its own, made without arguments when the run starts, so ``self`` holds the
    state of one receiver.  Each method gets an :class:`AckState`.  ``on_data`` returns the delay in seconds after which
    the ACK leaves, unless a later segment changes that: 0 is at once, at most 10 are allowed, and None leaves the wait
    that is under way as it is, or starts one of ``ack_delay``.  A pair of delay and number says also how many segments
    one ACK is to stand for, which metrics report.  Anything else, and any exception, ends the run with an error that
    shows the traceback, the flow and the simulated time.

    SYN and FIN are acknowledged at once, whatever the policy says, and ``tcp.ack_guard`` goes with it too.  Data that a
    ``reply`` sends the other way is acknowledged by the rules of RFC 5681.

    Public class attributes that are numbers, flags or text are parameters: ``ack = { class = "FILE.py:CLASS", d = 4 }``
    sets them, and a sweep can vary them (``flow.0.ack.d``).

    Attributes:
        name: what messages and stores call it; the name of the class unless given.
        reads_path: data segments learn of their way (``non_collision``, ``largest_delay_s``), by an option of
            ``tcp.path_option`` bytes on the air.
        reads_window: data segments say what their sender may have in flight (``sender_window``), by an option of
            ``tcp.window_option`` bytes.
        random: random numbers that depend on the seed of the run and the number of the flow alone.
    """

    name: ClassVar[str] = ""
    reads_path: bool = False
    reads_window: bool = False
    random: random.Random

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not cls.__module__.startswith(LOADED):
            registry[cls.__name__] = cls

    def on_data(self, receiver: AckState) -> Answer:
        """A segment with data has come.

        By default every second full segment and everything out of order is acknowledged at once (RFC 5681 4.2).
        """
        if not receiver.in_order or receiver.held_bytes >= 2 * receiver.packet:
            return 0.0
        return None

    def on_timer(self, receiver: AckState) -> Answer:
        """The wait has ended without more; the ACK leaves now, whatever delay is returned.  By default nothing."""
        return None
