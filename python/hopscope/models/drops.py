"""Drop probability of the link layer when many nodes have packets: equations (1) to (5) of fu2003.

Source: Fu et al., "On TCP Performance in Multihop Wireless Networks", section 4.

The model counts nodes: m have a packet, c(m) of them can start an RTS at the same time, b(m) of those complete their
DATA.  A node is a chain of failed attempts 0..r; the source takes the share of time in state r as the loss, although
one more attempt has to fail for it.  Its own symbols stand in the names: ``backlogged`` is m, ``starting`` c(m),
``completing`` b(m), ``retry_limit`` r, ``concurrent`` B*, ``initiating`` C*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hopscope.models.arguments import above, at_least, within

#: RTS attempts after the first: the source's r.
RETRY_LIMIT = 7

FORMS = ("smooth", "floor")


def hidden_probability(starting: float, completing: float) -> float:
    """Returns H_f, the probability that a node that starts an RTS is hidden from the winner: equation (2).

    Args:
        starting: probability (or number of nodes) that start an RTS in a slot, CS_f or c(m); above 0.
        completing: the same for those that complete their DATA, B_f or b(m); 0 to ``starting``.

    Raises:
        ValueError: outside these ranges.
    """
    above("starting", starting, 0)
    return 1 - within("completing", completing, 0, starting) / starting


def last_state_probability(hidden: float, retry_limit: int = RETRY_LIMIT) -> float:
    """Returns p_r, the share of attempts made in the last retry state: (1 - H) H^r / (1 - H^(r+1)).

    Written as H^r / (1 + H + ... + H^r), which is the same and has no pole at H = 1.

    Args:
        hidden: H_f, 0 to 1.
        retry_limit: r, at least 1.

    Raises:
        ValueError: outside these ranges.
    """
    within("hidden", hidden, 0, 1)
    at_least("retry_limit", retry_limit, 1)
    return math.pow(hidden, retry_limit) / math.fsum(math.pow(hidden, i) for i in range(retry_limit + 1))


@dataclass(frozen=True)
class Drops:
    """What the model says about ``backlogged`` nodes.

    Attributes:
        starting: c(m), nodes that start an RTS at the same time.
        completing: b(m), nodes that complete their DATA.
        hidden: H_f, equation (2).
        last_state: p_r, the drop probability of an attempt.
        per_node: L_f(m), drop probability of one backlogged node in a slot, equations (1), (3) and (4).
        any_node: L(m), probability of at least one drop among the starting nodes, equation (5).
    """

    starting: float
    completing: float
    hidden: float
    last_state: float
    per_node: float
    any_node: float


def drops(
    backlogged: float, concurrent: float, initiating: float, *, retry_limit: int = RETRY_LIMIT, form: str = "smooth"
) -> Drops:
    """Evaluates equations (1) to (5) for m backlogged nodes.

    Args:
        backlogged: m, nodes with a packet to send; their number times the mean backlog probability, 0 or more.
        concurrent: B*, most DATA transmissions that can succeed at the same time, at least 1.
        initiating: C*, most RTS that can start at the same time without colliding, at least B*.
        retry_limit: r, at least 1.
        form: ``smooth``: c = min(m, C*), b = min(c, B*), as the source's three regimes; or ``floor``: evenly spread
            backlog as printed, c = floor(m / ceil(m / C*)), b = floor(c / ceil(c / B*)), which is a saw-tooth in m.

    Raises:
        ValueError: outside these ranges, or another form.
    """
    at_least("backlogged", backlogged, 0)
    at_least("concurrent", concurrent, 1)
    if not initiating >= concurrent:
        raise ValueError(f"initiating is {initiating:g}; it must be at least concurrent, {concurrent:g}")
    at_least("retry_limit", retry_limit, 1)
    if form not in FORMS:
        raise ValueError(f'form is "{form}"; it must be "smooth" or "floor"')
    starting, completing = (_smooth if form == "smooth" else _floor)(backlogged, concurrent, initiating)
    return drops_from_counts(backlogged, starting, completing, retry_limit=retry_limit)


def drops_from_counts(
    backlogged: float, starting: float, completing: float, *, retry_limit: int = RETRY_LIMIT
) -> Drops:
    """Evaluates equations (1) to (5) for counts that were measured: m, c(m) and b(m).

    Args:
        backlogged: m, 0 or more.
        starting: c(m), 0 to m.
        completing: b(m), 0 to c(m).
        retry_limit: r, at least 1.

    Raises:
        ValueError: outside these ranges.
    """
    at_least("backlogged", backlogged, 0)
    within("starting", starting, 0, backlogged)
    within("completing", completing, 0, starting)
    if starting == 0:
        return Drops(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    hidden = hidden_probability(starting, completing)
    last = last_state_probability(hidden, retry_limit)
    # (b/m) / (1 - H^(r+1)) * H^r with b = c (1 - H) is p_r c/m.
    per_node = last * starting / backlogged
    return Drops(starting, completing, hidden, last, per_node, 1 - (1 - per_node) ** starting)


def chain_limits(hops: int) -> tuple[int, int]:
    """Returns (B*, C*) of a chain with tx range 250 m, carrier-sense range 550 m and 200 m between neighbours.

    Derived, not published: DATA succeeds when senders are four hops apart, so B* = max(1, floor(h / 4)); nodes three
    hops apart (600 m) do not sense one another, so C* = max(1, ceil(h / 3)).

    Args:
        hops: length of the chain.

    Raises:
        ValueError: for fewer than one hop.
    """
    at_least("hops", hops, 1)
    return max(1, hops // 4), max(1, math.ceil(hops / 3))


def _smooth(backlogged: float, concurrent: float, initiating: float) -> tuple[float, float]:
    starting = min(backlogged, initiating)
    return starting, min(starting, concurrent)


def _floor(backlogged: float, concurrent: float, initiating: float) -> tuple[float, float]:
    starting = _spread(backlogged, initiating)
    return starting, _spread(starting, concurrent)


def _spread(count: float, most: float) -> float:
    """``count`` nodes in as few equal groups as hold at most ``most``: the size of a group, rounded down."""
    return float(math.floor(count / max(1, math.ceil(count / most))))
