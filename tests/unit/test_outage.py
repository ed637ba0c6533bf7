"""``[[outage]]``: times during which a node's radio is off."""

from __future__ import annotations

from typing import Any

import pytest

import hopscope as hs
from hopscope.errors import ScenarioError

NS = 1_000_000_000


def chain(**outage: Any) -> hs.Scenario:
    return hs.Scenario(
        duration="100s",
        topology={"kind": "chain", "hops": 2, "spacing": "200m"},
        flow=[{"from": "first", "to": "last"}],
        outage=[outage],
    )


def test_an_outage_reaches_the_engine_with_numbers_for_words() -> None:
    point = chain(node="last", **{"from": "20s", "to": "40s"}).points[0]
    assert point.config(1)["outages"] == [{"node": 2, "from": 20 * NS, "to": 40 * NS}]
    assert point.resolved["outage"] == [{"node": 2, "from": 20.0, "to": 40.0}]
    open_end = chain(node=1, **{"from": "20s"}).points[0]
    assert open_end.config(1)["outages"] == [{"node": 1, "from": 20 * NS, "to": None}]
    assert open_end.resolved["outage"] == [{"node": 1, "from": 20.0}]


def test_quick_shortens_outages_with_the_run() -> None:
    quick = chain(node=1, **{"from": "20s", "to": "40s"}).quick()
    assert quick.points[0].config(1)["outages"] == [{"node": 1, "from": 2 * NS, "to": 4 * NS}]


def test_an_outage_can_be_set_and_swept() -> None:
    scenario = chain(node=1, **{"from": "20s", "to": "40s"})
    assert scenario.replace({"outage.0.to": "50s"}).points[0].config(1)["outages"][0]["to"] == 50 * NS
    swept = scenario.replace({"sweep.outage.*.node": [0, 1]})
    assert [point.config(1)["outages"][0]["node"] for point in swept.points] == [0, 1]


@pytest.mark.parametrize(
    ("outage", "key", "message"),
    [
        ({"node": 1}, "outage.0.from", "is missing"),
        ({"node": 7, "from": "1s"}, "outage.0.node", "node 7 does not exist; nodes are 0 to 2"),
        ({"node": 1, "from": "5s", "to": "5s"}, "outage.0.to", "it must come after from, 5 s"),
        ({"node": 1, "from": "5s", "till": "6s"}, "outage.0.till", "unknown key; allowed: node, from, to"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(outage: dict[str, Any], key: str, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        chain(**outage)
    assert key in str(error.value)
    assert message in str(error.value)


def test_an_outage_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ScenarioError, match="outage 3 does not exist; the scenario has outages 0 to 0"):
        chain(node=1, **{"from": "5s"}).replace({"outage.3.to": "9s"})
