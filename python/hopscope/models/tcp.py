"""Throughput of a long TCP transfer from loss probability and round-trip time.

Sources: Mathis, Semke, Mahdavi and Ott, "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm", ACM CCR
27(3), 1997; Padhye, Firoiu, Towsley and Kurose, "Modeling TCP Throughput: A Simple Model and its Empirical
Validation", ACM SIGCOMM 1998; RFC 5348, section 3.1.

All return bit/s of payload.  The formulas take the round-trip time as given and independent of the window: they hold
where propagation or cross traffic makes it, not where the flow queues behind itself.
"""

from __future__ import annotations

import math

from hopscope.models.arguments import above, at_least, within


def mathis(mss: int, rtt: float, loss: float, *, acked_per_ack: int = 1) -> float:
    """Returns MSS / RTT * C / sqrt(p), C = sqrt(3 / (2 b)): congestion avoidance without time-outs or window limit.

    Args:
        mss: payload of a segment in bytes, at least 1.
        rtt: round-trip time in seconds, above 0.
        loss: p, probability that a segment is lost, above 0 and at most 1.
        acked_per_ack: b, segments that an ACK covers: 1, or 2 with delayed ACKs.

    Raises:
        ValueError: outside these ranges.
    """
    size, b = _common(mss, rtt, loss, acked_per_ack)
    return size / rtt * math.sqrt(3 / (2 * b * loss))


def padhye(
    mss: int,
    rtt: float,
    loss: float,
    *,
    rto: float | None = None,
    max_window: int | None = None,
    acked_per_ack: int = 1,
    form: str = "full",
) -> float:
    """Returns the throughput of Reno with time-outs and a limited window.

    Args:
        mss: payload of a segment in bytes, at least 1.
        rtt: round-trip time in seconds, above 0.
        loss: p, probability that a round loses segments, above 0 and below 1.
        rto: T_0, first retransmission time-out in seconds; ``None``: four round-trip times.
        max_window: W_m, receiver window in segments, at least 1; ``None``: no limit.
        acked_per_ack: b, segments that an ACK covers.
        form: ``full`` (the source's full model, equation 32) or ``approximate`` (equation 33).

    Raises:
        ValueError: outside these ranges, or another form.
    """
    size, b = _common(mss, rtt, loss, acked_per_ack)
    if loss == 1:
        raise ValueError("loss is 1; it must be below 1")
    timeout = 4 * rtt if rto is None else above("rto", rto, 0)
    limit = math.inf if max_window is None else at_least("max_window", max_window, 1)
    if form == "full":
        return size * _full(rtt, timeout, loss, b, limit)
    if form == "approximate":
        share = min(1.0, 3 * math.sqrt(3 * b * loss / 8))
        time = rtt * math.sqrt(2 * b * loss / 3) + timeout * share * loss * (1 + 32 * loss * loss)
        return size * min(limit / rtt, 1 / time)
    raise ValueError(f'form is "{form}"; it must be "full" or "approximate"')


def tfrc(mss: int, rtt: float, loss: float, *, rto: float | None = None, acked_per_ack: int = 1) -> float:
    """Returns the rate of RFC 5348, section 3.1: the approximate model without its two minima.

    Args:
        mss: payload of a segment in bytes, at least 1.
        rtt: round-trip time in seconds, above 0.
        loss: p, loss event rate, above 0 and at most 1.
        rto: t_RTO in seconds; ``None``: four round-trip times, as the RFC recommends.
        acked_per_ack: b; the RFC recommends 1.

    Raises:
        ValueError: outside these ranges.
    """
    size, b = _common(mss, rtt, loss, acked_per_ack)
    timeout = 4 * rtt if rto is None else above("rto", rto, 0)
    time = rtt * math.sqrt(2 * b * loss / 3) + timeout * 3 * math.sqrt(3 * b * loss / 8) * loss * (1 + 32 * loss * loss)
    return size / time


def mean_window(loss: float, *, acked_per_ack: int = 1) -> float:
    """Returns E[W_u], the mean window at the end of a round of congestion avoidance, in segments (Padhye et al.).

    Args:
        loss: p, above 0 and at most 1.
        acked_per_ack: b, at least 1.

    Raises:
        ValueError: outside these ranges.
    """
    within("loss", loss, 0, 1, open_low=True)
    b = at_least("acked_per_ack", acked_per_ack, 1)
    start = (2 + b) / (3 * b)
    return start + math.sqrt(8 * (1 - loss) / (3 * b * loss) + start * start)


def _common(mss: int, rtt: float, loss: float, acked_per_ack: int) -> tuple[float, int]:
    """Checks what every formula takes; returns bits of a segment and b."""
    at_least("mss", mss, 1)
    above("rtt", rtt, 0)
    within("loss", loss, 0, 1, open_low=True)
    return 8.0 * mss, at_least("acked_per_ack", acked_per_ack, 1)


def _full(rtt: float, timeout: float, p: float, b: int, limit: float) -> float:
    """Segments per second of the full model; ``limit`` is W_m."""
    window = mean_window(p, acked_per_ack=b)
    doubling = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    if window < limit:
        rounds = b / 2 * window + 1
        reached = window
    else:
        rounds = b / 8 * limit + (1 - p) / (p * limit) + 2
        reached = limit
    by_timeout = _timeout_share(p, reached)
    sent = (1 - p) / p + reached + by_timeout / (1 - p)
    return sent / (rtt * rounds + by_timeout * timeout * doubling / (1 - p))


def _timeout_share(p: float, window: float) -> float:
    """Q(w): probability that a loss in a window of w segments ends in a time-out."""
    if window <= 3:
        return 1.0
    q = 1 - p
    # 1 - q^n without cancellation for small p.
    lost_in = [-math.expm1(n * math.log1p(-p)) for n in (3, window - 3, window)]
    return min(1.0, lost_in[0] * (1 + q**3 * lost_in[1]) / lost_in[2])
