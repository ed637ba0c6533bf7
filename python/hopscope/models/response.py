"""Response functions: the mean window that a congestion control has at a loss probability, and its throughput.

Two forms of the same rules.  The ``closed`` one is what the source publishes: it takes every 1/p-th packet as lost, a
window of any real size, and a loss that is known and repaired at once.  The other follows the rules in time: windows of
whole segments, a round trip until a loss is known and one more until it is repaired, in which the window stands still,
and losses that are periodic or each packet's own.  Neither knows time-outs, queues or a limit of the receiver.

Sources: Mathis et al., ACM CCR 27(3), 1997 (``reno``); RFC 9438, sections 4 and 5.1 (``cubic``); Leith and Shorten,
PFLDnet 2004, and draft-leith-tcp-htcp-06 (``htcp``); Fu and Liew, IEEE JSAC 21(2), 2003 (``veno``); Liu, Basar and
Srikant, Performance Evaluation 65, 2008 (``illinois``); Kelly, ACM CCR 33(2), 2003 (``scalable``); RFC 3649, section 5
(``highspeed``); Grieco and Mascolo, ACM CCR 34(2), 2004 (``westwood_plus``).
"""

from __future__ import annotations

import math

from hopscope.models.arguments import above, at_least, within
from hopscope.models.growth import CUBIC_BETA, CUBIC_C, HIGHSPEED_LOSS, ILLINOIS_WINDOW, SCALABLE_CUT, SCALABLE_GROWTH

#: Controls with a response function, in the order of their publication.
CONTROLS = ("reno", "veno", "scalable", "highspeed", "htcp", "cubic", "illinois")
#: The source's formula, or its rules followed in time.
FORMS = ("closed", "followed")
#: How losses come.
LOSSES = ("periodic", "independent")
#: Rarer losses take too long to be followed in time.
LEAST_LOSS = 1e-5


def mean_window(
    control: str,
    loss: float,
    rtt: float,
    *,
    form: str = "closed",
    losses: str = "periodic",
    acked_per_ack: int = 1,
) -> float:
    """Returns the mean window over time, in segments.

    Args:
        control: one of ``CONTROLS``.
        loss: p, above 0 and at most 0.1; at least ``LEAST_LOSS`` where losses are independent.
        rtt: round-trip time in seconds, above 0; only ``cubic`` and ``htcp`` depend on it.
        form: ``closed`` (as the source publishes it, for periodic losses) or ``followed`` (the rules in time; the draws
            are fixed, and the standard error is below 1 %).
        losses: of the rules in time: ``periodic`` (every 1/p-th packet) or ``independent`` (each packet for itself).
        acked_per_ack: b, segments that an ACK covers; 1 but for ``reno``.

    Raises:
        ValueError: outside these ranges, or another word.
    """
    if control not in CONTROLS:
        raise ValueError(f'control is "{control}"; it must be one of {", ".join(CONTROLS)}')
    if losses not in LOSSES:
        raise ValueError(f'losses is "{losses}"; it must be one of {", ".join(LOSSES)}')
    within("loss", loss, 0, 0.1, open_low=True)
    above("rtt", rtt, 0)
    b = at_least("acked_per_ack", acked_per_ack, 1)
    if b != 1 and control != "reno":
        raise ValueError(f"acked_per_ack is {b}; with {control} it must be 1")
    if form not in FORMS:
        raise ValueError(f'form is "{form}"; it must be one of {", ".join(FORMS)}')
    if form == "closed":
        if losses != "periodic":
            raise ValueError(f'losses is "{losses}"; the closed forms are for periodic ones')
        return _closed(control, loss, rtt, b)
    if loss < LEAST_LOSS:
        raise ValueError(f"loss is {loss:g}; followed in time it must be at least {LEAST_LOSS:g}")
    from hopscope.models import followed

    return followed.mean_window(control, loss, rtt, b, start=_closed(control, loss, rtt, b), losses=losses)


def westwood_plus(mss: int, rtt: float, queueing: float, loss: float) -> float:
    """Returns the throughput of Westwood+, bit/s: MSS / sqrt(RTT T_q) * sqrt((1 - p) / p) (Grieco and Mascolo 2004).

    Args:
        mss: payload of a segment in bytes, at least 1.
        rtt: mean round-trip time in seconds, above 0.
        queueing: T_q, the part of it spent in queues, in seconds, above 0 and at most ``rtt``.
        loss: p, above 0 and at most 1.

    Raises:
        ValueError: outside these ranges.
    """
    at_least("mss", mss, 1)
    above("rtt", rtt, 0)
    within("loss", loss, 0, 1, open_low=True)
    within("queueing", queueing, 0, rtt, open_low=True)
    return 8.0 * mss / math.sqrt(rtt * queueing) * math.sqrt((1 - loss) / loss)


# --- Periodic losses: closed forms ------------------------------------------------------------------------------------


def _closed(control: str, p: float, rtt: float, b: int) -> float:
    reno = math.sqrt(3 / (2 * b * p))
    if control == "veno":
        return _aimd(1, 0.2, p)  # a loss without a backlog leaves 4/5
    if control == "scalable":
        # a / (b p) of the source; at the windows where it is Reno, Reno's.
        return max(reno, SCALABLE_GROWTH / SCALABLE_CUT / p)
    if control == "highspeed":
        return 0.12 / math.pow(p, 0.835) if p < HIGHSPEED_LOSS else reno  # RFC 3649 5 and 2
    if control == "cubic":
        return max(reno, math.pow(CUBIC_C * (3 + CUBIC_BETA) / (4 * (1 - CUBIC_BETA)), 0.25) * math.pow(rtt / p, 0.75))
    if control == "illinois":
        fast = _aimd(10, 0.125, p)  # its largest growth and smallest cut: no queue
        return fast if fast >= ILLINOIS_WINDOW else reno
    if control == "htcp":
        from hopscope.models import followed

        return followed.htcp_cycle(p, rtt)
    return reno


def _aimd(growth: float, cut: float, p: float) -> float:
    """Mean window of growth by so many segments a round trip and a cut by this share."""
    return math.sqrt(growth * (2 - cut) / (2 * cut * p))
