"""Fair shares compared with measured ones: what each flow has, and what four criteria of fairness would give it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError
from hopscope.io.extras import need
from hopscope.models import region, shares
from hopscope.results.result import Result

if TYPE_CHECKING:
    import pandas as pd

    from hopscope.scenario import Point, Scenario

#: The criteria, in the order of tables: name, heading, function.
CRITERIA = (
    ("max_min", "max-min", shares.max_min),
    ("proportional", "proportional", shares.proportional),
    ("potential_delay", "potential delay", shares.potential_delay),
    ("most", "largest sum", shares.most),
)


@dataclass(frozen=True)
class FairPoint:
    """The fair shares of one point of a scenario, in kbit/s, flow by flow.

    Attributes:
        point: number of the point.
        paths: nodes on the path of each flow.
        fair: shares by criterion.
        bounds: the bounds that max-min fairness meets, in words.
    """

    point: int
    paths: list[list[int]]
    fair: dict[str, list[float]]
    bounds: list[str]


def of_point(point: Point, number: int = 0) -> FairPoint:
    """Returns the fair shares of one point.

    Raises:
        InputError: a flow without a path, or a network with too many conflicting links.
    """
    found, paths = region.of_point(point)
    fair = {name: [rate / 1000 for rate in function(found)] for name, _, function in CRITERIA}
    rates = [1000 * rate for rate in fair["max_min"]]
    pairs = zip(found.names, found.costs, strict=True)
    met = [name for name, row in pairs if sum(c * r for c, r in zip(row, rates, strict=True)) > 1 - 1e-6]
    return FairPoint(number, paths, fair, met)


def fair_shares(of: Scenario | Result) -> pd.DataFrame:
    """Returns what four criteria of fairness would give each flow; for a result, what it had as well.

    Args:
        of: a scenario, or the result of a run.

    Returns:
        One row for each point and flow: ``point``, ``flow``, ``from``, ``to``, ``hops``, ``max_min_kbps``,
        ``proportional_kbps``, ``potential_delay_kbps``, ``most_kbps``, and for a result ``measured_kbps`` (mean of the
        seeds) and ``of_max_min`` (measured over max-min share). All count payload.

    Raises:
        InputError: a flow without a path, a network with too many conflicting links, or means over several fields.
    """
    need("pandas")
    import pandas as pd

    return pd.DataFrame(rows(of))


def rows(of: Scenario | Result) -> Iterator[dict[str, Any]]:
    """Yields the rows of :func:`fair_shares`."""
    scenario = of.scenario if isinstance(of, Result) else of
    for number, point in enumerate(scenario.points):
        if isinstance(of, Result) and point.draws_field and scenario.seeds > 1:
            raise InputError(
                'topology.seed = "run": each seed has a field of its own, and fair shares are those of one field'
            )
        found = of_point(point, number)
        for flow, path in enumerate(found.paths):
            row: dict[str, Any] = {
                "point": number, "flow": flow, "from": path[0], "to": path[-1], "hops": len(path) - 1,
            }  # fmt: skip
            row |= {f"{name}_kbps": found.fair[name][flow] for name, _, _ in CRITERIA}
            if isinstance(of, Result):
                measured = of.points[number].summary.get(f"flow.{flow}.throughput_kbps")
                row["measured_kbps"] = measured["mean"] if measured else None
                row["of_max_min"] = measured["mean"] / row["max_min_kbps"] if measured else None
            yield row
