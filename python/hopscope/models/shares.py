"""Fair shares of a network's capacity: what max-min, proportional and potential-delay fairness would give each flow.

A region is a set of linear bounds on the rates of flows: each names what a bit of a flow takes of one thing that only
one sender can use at a time. Sources: D. Bertsekas and R. Gallager, Data Networks, 1992, 6.5.2 (max-min, progressive
filling); F. Kelly, A. Maulloo and D. Tan, J. Oper. Res. Soc. 49, 1998 (proportional); L. Massoulie and J. Roberts,
IEEE INFOCOM 1999 (potential delay); J. Mo and J. Walrand, IEEE/ACM ToN 8, 2000 (all of them as one family); zhang2006
3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.errors import InputError
from hopscope.io.extras import need


@dataclass(frozen=True)
class Region:
    """What the rates of flows must hold: ``sum(cost[f] * rate[f]) <= 1`` for every row.

    Attributes:
        costs: one row for each bound: what a bit of each flow takes of it, in seconds; 0: nothing.
        names: what each row bounds.
    """

    costs: Sequence[Sequence[float]]
    names: Sequence[str]

    def __post_init__(self) -> None:
        if not self.costs or not self.costs[0]:
            raise InputError("fair shares: a region needs one flow and one bound at least")
        for flow in range(len(self.costs[0])):
            column = [row[flow] for row in self.costs]
            if not all(math.isfinite(cost) and cost >= 0 for cost in column) or not any(column):
                raise InputError(
                    f"fair shares: flow {flow} takes {column}; no less than 0 and more somewhere is allowed"
                )

    @property
    def flows(self) -> int:
        """Number of flows."""
        return len(self.costs[0])

    def use(self, rates: Sequence[float]) -> float:
        """Returns the largest share of a bound that the rates (bit/s) take: 1 at the edge of the region."""
        return max(sum(cost * rate for cost, rate in zip(row, rates, strict=True)) for row in self.costs)


def max_min(region: Region) -> list[float]:
    """Returns the rates (bit/s) of which none can grow without that of a flow with no more falling.

    All grow together until a bound is met; the flows under it stay, the others go on.
    """
    rates = [0.0] * region.flows
    free = set(range(region.flows))
    while free:
        steps = []
        for row in region.costs:
            if taken := sum(row[flow] for flow in free):
                used = sum(cost * rate for cost, rate in zip(row, rates, strict=True))
                steps.append(((1 - used) / taken, row))
        least = max(min(step for step, _ in steps), 0.0)
        for flow in free:
            rates[flow] += least
        met = [row for step, row in steps if step <= least * (1 + 1e-9) + 1e-300]
        free -= {flow for flow in free if any(row[flow] > 0 for row in met)}
    return rates


def most(region: Region) -> list[float]:
    """Returns rates (bit/s) with the largest sum; of several such, those that the solver finds."""
    need("scipy")
    from scipy.optimize import linprog

    scale = max_min(region)
    rows = [[cost * unit for cost, unit in zip(row, scale, strict=True)] for row in region.costs]
    found = linprog([-unit for unit in scale], A_ub=rows, b_ub=[1.0] * len(rows), method="highs")
    if not found.success or found.x is None:
        raise RuntimeError(f"the largest sum was not found: {found.message}")
    return [float(part) * unit for part, unit in zip(found.x, scale, strict=True)]


def proportional(region: Region) -> list[float]:
    """Returns the rates (bit/s) with the largest sum of logarithms."""
    return _fairest(region, 1)


def potential_delay(region: Region) -> list[float]:
    """Returns the rates (bit/s) with the least sum of times that a file of one size would take."""
    return _fairest(region, 2)


def _fairest(region: Region, alpha: int) -> list[float]:
    """The rates with the largest sum of alpha-fair utilities (Mo and Walrand 2000): logarithms for 1, -1/rate for 2.

    Newton's method inside a logarithmic barrier (Boyd and Vandenberghe, Convex Optimization, 2004, 11.3), which no unit
    of rates or bounds disturbs.
    """
    import numpy as np

    start = np.array(max_min(region))
    bounds = np.array(region.costs) * start  # rates in units of the max-min fair ones
    # 1/rate in these units has a weight for each flow, that of logarithms is 1.
    weight = np.ones_like(start) if alpha == 1 else (1 / start) / (1 / start).mean()
    rates = np.full(region.flows, 0.5)

    def cost(parts: Any, force: float) -> float:
        room = 1 - bounds @ parts
        if (parts <= 0).any() or (room <= 0).any():
            return math.inf
        utility = np.log(parts) if alpha == 1 else -1 / parts
        return float(-force * (weight * utility).sum() - np.log(room).sum())

    force = 1.0
    while len(bounds) / force > 1e-9:
        force *= 20
        for _ in range(100):
            near = bounds / (1 - bounds @ rates)[:, None]
            slope = near.sum(axis=0) - force * weight * rates**-alpha
            curve = near.T @ near + np.diag(force * weight * alpha * rates ** -(alpha + 1))
            step = np.linalg.solve(curve, -slope)
            gain = float(-slope @ step)
            if gain < 1e-8:
                break
            length, here = 1.0, cost(rates, force)
            while length > 1e-12 and not cost(rates + length * step, force) <= here - 0.25 * length * gain:
                length /= 2
            rates = rates + length * step
    return [float(rate) for rate in rates * start]


def unfairness(rates: Sequence[float], fair: Sequence[float]) -> float:
    """Returns the max-min fairness index of zhang2006 3: the largest departure from a fair share, over that share.

    Raises:
        ValueError: as many rates as shares, and shares above 0, are needed.
    """
    if len(rates) != len(fair) or not fair or not all(share > 0 for share in fair):
        raise ValueError(
            f"rates are {len(rates)} and fair shares {len(fair)}; as many of both, and shares above 0, are allowed"
        )
    return max(abs(rate - share) / share for rate, share in zip(rates, fair, strict=True))
