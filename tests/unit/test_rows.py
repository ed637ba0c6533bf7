"""Tables as columns: rows with other entries than those before them, tables inside rows, no rows."""

from __future__ import annotations

from typing import Any

import hopscope as hs
from hopscope.results import Result, rows
from hopscope.results.points import PointResult


def result(*points: list[dict[str, Any]], **sweep: Any) -> Result:
    flow = {"from": 0, "to": 1, "transport": "udp", "app": "cbr", "rate": "8kbps"}
    scenario = hs.Scenario(duration="1s", topology={"kind": "chain", "hops": 1}, flow=[flow], sweep=sweep)
    of = zip(scenario.points, points, strict=True)
    return Result(scenario, [PointResult(point.index, point.set, runs) for point, runs in of])


def run(seed: int, *nodes: dict[str, Any]) -> dict[str, Any]:
    return {"seed": seed, "nodes": [{"id": index, **node} for index, node in enumerate(nodes)], "flows": []}


def test_columns_stand_in_the_order_of_their_first_row() -> None:
    first = [run(1, {"queue_max": 1, "drops": {}}, {"queue_max": 2, "drops": {"full": 3}}), run(2, {"queue_max": 4})]
    second = [run(1, {"queue_max": 5, "drops": {"late": 6, "full": 7}, "more": "x"})]
    found = rows.nodes([result(first, second, **{"mac.queue": [1, 2]})])
    assert list(found.items()) == [
        ("point", [0, 0, 0, 1]),
        ("mac.queue", [1, 1, 1, 2]),
        ("seed", [1, 1, 2, 1]),
        ("node", [0, 1, 0, 0]),
        ("queue_max", [1, 2, 4, 5]),
        ("drops.full", [0, 3, 0, 7]),  # none is zero times
        ("more", [None, None, None, "x"]),
        ("drops.late", [0, 0, 0, 6]),
    ]


def test_a_table_in_a_flow_is_text() -> None:
    one = {"seed": 1, "flows": [{"id": 0, "from": 0, "to": 1, "cwnd_share": {"1": 0.5}}, {"id": 1, "cwnd_share": {}}]}
    found = rows.flows([result([one])])
    assert found["cwnd_share"] == ['{"1": 0.5}', "{}"]
    assert found["from"] == [0, None]


def test_without_runs_the_labels_are_there() -> None:
    nothing = [result([], [], **{"mac.queue": [1, 2]})]
    assert rows.flows(nothing) == {"point": [], "mac.queue": [], "seed": []}
    assert list(rows.summary(nothing)) == ["point", "mac.queue", "metric", "mean", "ci95", "min", "max", "n"]
