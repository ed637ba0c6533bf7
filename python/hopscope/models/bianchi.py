"""Saturation throughput of one 802.11 cell: Bianchi's fixed point.

Source: G. Bianchi, "Performance Analysis of the IEEE 802.11 Distributed Coordination Function", IEEE JSAC 18(3), 2000.
Two refinements are optional: the retry limit (stages end after a number of attempts, as in Chatzimisios et al. 2003),
and the winner's back-to-back transmission: a station that has just succeeded and draws zero slots sends again before
anybody else can count a slot down, which lengthens a success by the factor 1 / (1 - 1/W) in payload and time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hopscope.models.arguments import above


@dataclass(frozen=True)
class Timing:
    """Durations of the model, in one unit of time (microseconds throughout Hopscope).

    Attributes:
        slot: an idle slot.
        success: the time the medium is taken by a successful exchange, DIFS included (T_s).
        collision: the time the medium is taken by a collision, DIFS or EIFS included (T_c).
    """

    slot: float
    success: float
    collision: float


@dataclass(frozen=True)
class Saturation:
    """What the model says about a saturated cell.

    Attributes:
        tau: probability that a station sends in a slot.
        collision_probability: probability that a transmission collides (p).
        busy_probability: probability that at least one station sends in a slot (P_tr).
        success_probability: probability that a busy slot is a success (P_s).
        throughput: payload units per unit of time.
        drop_probability: probability that a frame is given up after its last attempt; 0 without a retry limit.
    """

    tau: float
    collision_probability: float
    busy_probability: float
    success_probability: float
    throughput: float
    drop_probability: float = 0.0


def attempt_probability(p: float, cw_min: int, doublings: int, retry_limit: int | None = None) -> float:
    """Return tau, the probability that a station sends in a slot, for a collision probability `p`.

    Args:
        p: collision probability of an attempt, 0 to 1.
        cw_min: smallest contention window (W = cw_min + 1 back-off values).
        doublings: how often the window can double (m).
        retry_limit: attempts before the frame is given up; `None`: never.
    """
    window = cw_min + 1
    if retry_limit is None:
        # The sum form has no pole at p = 1/2, unlike the closed fraction.
        return 2.0 / (1 + window + p * window * sum(math.pow(2 * p, i) for i in range(doublings)))
    weights = [math.pow(p, stage) for stage in range(retry_limit)]
    mean_slots = sum(
        weight * (math.ldexp(window, min(stage, doublings)) + 1) / 2 for stage, weight in enumerate(weights)
    )
    return sum(weights) / mean_slots


def saturation(
    stations: int,
    timing: Timing,
    payload: float,
    *,
    cw_min: int = 31,
    doublings: int = 5,
    retry_limit: int | None = None,
    back_to_back: bool = False,
) -> Saturation:
    """Solve the model for `stations` saturated stations that all hear one another.

    Args:
        stations: number of stations, at least 1.
        timing: slot, success and collision times.
        payload: payload of a frame; the throughput comes out in this unit per unit of time.
        cw_min: smallest contention window.
        doublings: how often the window can double.
        retry_limit: attempts before a frame is given up; `None`: never.
        back_to_back: correct for the winner that draws zero slots and sends again at once.

    Raises:
        ValueError: for fewer than one station, a window below 1, fewer than no doublings, or a retry limit below 1.
    """
    if stations < 1:
        raise ValueError(f"stations is {stations}; it must be 1 or more")
    if cw_min < 1:
        raise ValueError(f"cw_min is {cw_min}; it must be 1 or more")
    if doublings < 0:
        raise ValueError(f"doublings is {doublings}; it must be 0 or more")
    if retry_limit is not None and retry_limit < 1:
        raise ValueError(f"retry_limit is {retry_limit}; it must be 1 or more")
    low, high = 0.0, 1.0
    for _ in range(200):
        p = (low + high) / 2
        implied = 1 - (1 - attempt_probability(p, cw_min, doublings, retry_limit)) ** (stations - 1)
        low, high = (p, high) if implied > p else (low, p)
    p = (low + high) / 2
    tau = attempt_probability(p, cw_min, doublings, retry_limit)
    busy = 1 - (1 - tau) ** stations
    success = stations * tau * (1 - tau) ** (stations - 1) / busy
    success_time, success_payload = timing.success, payload
    if back_to_back:
        share = 1 - 1 / (cw_min + 1)
        success_time, success_payload = timing.success / share + timing.slot, payload / share
    mean_slot = (1 - busy) * timing.slot + busy * success * success_time + busy * (1 - success) * timing.collision
    throughput = busy * success * success_payload / mean_slot
    return Saturation(tau, p, busy, success, throughput, 0.0 if retry_limit is None else p**retry_limit)


def saturation_limit(timing: Timing, payload: float) -> float:
    """Returns the largest throughput that any contention window reaches with many stations.

    With tau at its best, about 1 / (n K), it no longer depends on the number of stations: P / (T_s + sigma K +
    T_c (K (e^(1/K) - 1) - 1)), K = sqrt(T_c / (2 sigma)).  Source: Bianchi 2000, section VI.

    Args:
        timing: slot, success and collision times, above 0.
        payload: payload of a frame; the throughput comes out in this unit per unit of time.

    Raises:
        ValueError: for a time that is not above 0.
    """
    for name in ("slot", "success", "collision"):
        above(name, getattr(timing, name), 0)
    k = math.sqrt(timing.collision / timing.slot / 2)
    lost = timing.slot * k + timing.collision * (k * math.expm1(1 / k) - 1)
    return payload / (timing.success + lost)
