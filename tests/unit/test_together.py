"""Keys that a sweep changes together: ``[[sweep.together]]``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope.errors import ScenarioError
from hopscope.reporting import tables
from hopscope.scenario import Scenario
from hopscope.scenario.document import parse
from hopscope.scenario.toml_writer import to_toml

HOPS, WINDOW, QUEUE, TRANSPORT = "topology.hops", "flow.0.max_window", "mac.queue", "flow.0.transport"
BASE: dict[str, Any] = {
    "duration": "1s",
    "topology": {"kind": "chain", "hops": 3},
    "flow": [{"from": "first", "to": "last"}],
}
PAIRS = {HOPS: [4, 8, 12], WINDOW: [1, 2, 3]}


def points(sweep: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [tuple(point.set.values()) for point in Scenario({**BASE, "sweep": sweep}).points]


def test_keys_of_several_sections_change_together_and_combine_with_the_others() -> None:
    scenario = Scenario({**BASE, "sweep": {TRANSPORT: ["tcp-reno", "tcp-vegas"], "together": [PAIRS]}})
    assert [tuple(point.set.values()) for point in scenario.points] == [
        (transport, hops, window)
        for transport in ("tcp-reno", "tcp-vegas")
        for hops, window in ((4, 1), (8, 2), (12, 3))
    ]
    config = scenario.points[-1].config(1)
    assert (len(config["nodes"]), config["flows"][0]["max_window"], config["flows"][0]["to"]) == (13, 3, 12)


def test_several_tables_are_combined_in_the_order_of_the_file() -> None:
    other = {QUEUE: {"start": 5, "stop": 10, "step": 5}, "mac.rts_threshold": [0, "off"]}
    first = {HOPS: [4, 8], WINDOW: [1, 1]}
    assert points({"together": [first, other]}) == [
        (4, 1, 5, 0),
        (4, 1, 10, "off"),
        (8, 1, 5, 0),
        (8, 1, 10, "off"),
    ]
    assert points({"together": [first], QUEUE: [5, 6]})[:2] == [(4, 1, 5), (4, 1, 6)]


@pytest.mark.parametrize("key", ['"topology.hops"', "topology.hops"])
def test_a_file_spells_it_with_a_table_for_each_set_of_keys(key: str) -> None:
    quoted = key.startswith('"')
    text = f'topology.kind = "chain"\n[[flow]]\nfrom = 0\nto = "last"\n[[sweep.together]]\n{key} = [4, 8]\n'
    text += '"flow.0.max_window" = [1, 2]\n'
    scenario = Scenario.from_document(parse(text, "pairs.toml"))
    assert [point.set for point in scenario.points] == [{HOPS: 4, WINDOW: 1}, {HOPS: 8, WINDOW: 2}]
    again = Scenario.from_document(parse(to_toml(scenario.resolved)))
    assert [point.set for point in again.points] == [point.set for point in scenario.points]
    with pytest.raises(ScenarioError, match=rf"pairs\.toml:6:{1 if quoted else 10}: sweep value 0"):
        Scenario.from_document(parse(text.replace("[4, 8]", "[4, 0]"), "pairs.toml"))


@pytest.mark.parametrize(
    ("sweep", "message"),
    [
        ({"together": [{HOPS: [4, 8], WINDOW: [1]}]}, "found 2 of topology.hops, 1 of flow.0.max_window; keys that"),
        ({"together": [{HOPS: [4, 4], WINDOW: [1, 1]}]}, "topology.hops = 4, flow.0.max_window = 1 stands twice"),
        ({"together": [{HOPS: [4, 4]}]}, "topology.hops = 4 stands twice"),
        ({"together": PAIRS}, r"expected \[\[sweep.together\]\], a table of keys"),
        ({"together": [{}]}, "found an empty table; expected"),
        ({"together": [PAIRS], WINDOW: [1, 2]}, "would undo flow.0.max_window"),
        ({"together": [{HOPS: [4, 8], "mac.quue": [1, 2]}]}, "mac.quue.*did you mean"),
        ({"together": [{"together": [4, 8]}]}, "unknown sweep key"),
    ],
)
def test_what_cannot_change_together_is_refused(sweep: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        Scenario({**BASE, "sweep": sweep})


def test_a_key_that_is_set_leaves_the_others_in_the_sweep() -> None:
    scenario = Scenario({**BASE, "sweep": {"together": [PAIRS, {QUEUE: [5, 6], "net.ttl": [30, 31]}]}})
    assert scenario.replace({HOPS: 5}).axes == {WINDOW: [1, 2, 3], QUEUE: [5, 6], "net.ttl": [30, 31]}
    assert scenario.replace({HOPS: 5, WINDOW: 7}).axes == {QUEUE: [5, 6], "net.ttl": [30, 31]}
    both = scenario.replace({f"sweep.{WINDOW}": [4, 5]})
    assert (len(both.points), both.swept_with(WINDOW), both.swept_with(HOPS)) == (3 * 2 * 2, (), ())
    assert len(scenario.replace({"flow.0.packet": 500}).points) == 6


def test_rows_that_become_alike_become_one() -> None:
    rows = {"routing.protocol": ["aodv", "olsr", "static"], "mac.link": ["plain", "lred", "plain"], QUEUE: [5, 6, 5]}
    scenario = Scenario({**BASE, "sweep": {"together": [rows]}})
    assert scenario.replace({"routing.protocol": "aodv"}).axes == {"mac.link": ["plain", "lred"], QUEUE: [5, 6]}
    assert scenario.replace({"mac.link": "lred"}).axes == {
        "routing.protocol": rows["routing.protocol"],
        QUEUE: [5, 6, 5],
    }


def test_each_point_of_a_store_is_kept_and_found_again(tmp_path: Path) -> None:
    scenario = Scenario({**BASE, "sweep": {"together": [PAIRS]}})
    hs.run(scenario, seeds=2, out=tmp_path / "store", progress=False)
    [result] = hs.open_store(tmp_path / "store").results()
    assert [point.set for point in result.points] == [point.set for point in scenario.points]
    assert [len(point.runs) for point in result.points] == [2, 2, 2]
    assert list(result.flows[HOPS]) == [4, 4, 8, 8, 12, 12]


def test_a_figure_has_one_curve_over_keys_that_change_together() -> None:
    chart = tables.charts(hs.run(Scenario({**BASE, "seeds": 1, "sweep": {"together": [PAIRS]}}), progress=False))[0]
    [panel] = chart.panels
    assert [list(line.x) for line in panel.lines] == [[4.0, 8.0, 12.0]]
    assert "receiver's window changes with it" in chart.caption


def test_values_that_stand_twice_are_not_pooled() -> None:
    twice = {HOPS: [4, 4, 8], WINDOW: [1, 2, 2]}
    chart = tables.charts(hs.run(Scenario({**BASE, "seeds": 1, "sweep": {"together": [twice]}}), progress=False))[0]
    [panel] = chart.panels
    assert [(line.label, list(line.x)) for line in panel.lines] == [
        ("receiver's window 1", [4.0]),
        ("receiver's window 2", [4.0, 8.0]),
    ]
