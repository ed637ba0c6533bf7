"""Which figures the results of a sweep give."""

from __future__ import annotations

import hopscope as hs
from hopscope.reporting import tables

FIELD = {
    "title": "field",
    "duration": "1s",
    "seeds": 1,
    "topology": {"kind": "random", "nodes": 6, "area": ["300m", "300m"], "connected": True},
    "flow": [{"pattern": "random", "transport": "udp", "app": "cbr", "rate": "50kbps"}],
}


def charts(**axes):
    scenario = {**FIELD, "sweep": {key.replace("__", "."): values for key, values in axes.items()}}
    return tables.charts(hs.run(hs.Scenario(scenario), jobs=1, progress=False))


def test_nothing_is_drawn_between_two_random_fields():
    found = [line for chart in charts(topology__seed=[1, 2, 3]) for panel in chart.panels for line in panel.lines]
    assert found
    assert not any(line.joined for line in found)


def test_a_curve_runs_along_a_quantity_rather_than_along_seeds():
    chart = charts(topology__seed=[1, 2, 3], mac__queue=[5, 50])[0]
    assert chart.over == ("mac.queue", "throughput_kbps")
    assert all(line.joined for panel in chart.panels for line in panel.lines)


def test_the_first_sentence_says_where_most_is_carried() -> None:
    flow = {"from": 0, "to": "last", "transport": "tcp-newreno"}
    base = {"duration": "5s", "topology": {"kind": "chain", "hops": 7}, "flow": [flow]}
    swept = hs.run({**base, "sweep": {"flow.0.max_window": [1, 8]}}, seeds=3)
    [reported] = tables.headline(swept)
    assert reported.startswith("throughput is largest at receiver's window 8: ")
    [alone] = tables.headline(hs.run(base, seeds=2))
    assert alone.startswith("throughput is ")
    assert " kbit/s, at a delay of " in alone
    [both] = tables.headline(hs.run({**base, "flow": [flow, {**flow, "from": "last", "to": 0}]}))
    assert both.startswith("throughput of all flows is ")


def test_bars_of_one_flow_are_named_by_what_is_swept() -> None:
    flow = {"from": 0, "to": "last", "transport": "tcp-newreno"}
    base = {"duration": "2s", "topology": {"kind": "chain", "hops": 2}, "flow": [flow]}
    result = hs.run({**base, "sweep": {"flow.0.transport": ["tcp-newreno", "tcp-vegas"]}})
    chart = tables.charts(result)[0]
    assert list(chart.panels[0].lines[0].x) == ["tcp-newreno", "tcp-vegas"]
    assert chart.xlabel == "transport"


def test_jain_of_one_flow_is_not_shown() -> None:
    flow = {"from": 0, "to": "last", "transport": "tcp-newreno"}
    base = {"duration": "2s", "topology": {"kind": "chain", "hops": 2}, "flow": [flow]}
    names = [column.name for grid in tables.grids(hs.run(base), "f") for column in grid.columns]
    assert "Jain index" not in names
    two = hs.run({**base, "flow": [flow, {**flow, "from": "last", "to": 0}]})
    assert "Jain index" in [column.name for grid in tables.grids(two, "f") for column in grid.columns]


def test_kept_distributions_are_curves() -> None:
    flow = {"from": 0, "to": "last", "transport": "tcp-newreno"}
    base = {"duration": "2s", "topology": {"kind": "chain", "hops": 2}, "flow": [flow], "distributions": True}
    charts = {chart.name: chart for chart in tables.charts(hs.run(base, seeds=2))}
    [line] = charts["delay-cdf"].panels[0].lines
    assert (line.y[0], line.y[-1]) == (0.0, 1.0)
    assert list(line.y) == sorted(line.y)


def test_a_legend_has_no_dotted_keys() -> None:
    flow = {"from": 0, "to": "last", "transport": "tcp-newreno"}
    base = {"duration": "2s", "topology": {"kind": "chain", "hops": 2}, "flow": [flow]}
    axes = {"flow.0.max_window": [1, 2, 4], "flow.0.transport": ["tcp-newreno", "tcp-vegas"], "mac.queue": [5, 50]}
    [panel] = tables.charts(hs.run({**base, "sweep": axes}))[0].panels
    assert [line.label for line in panel.lines] == [
        f"{control}, queue length {queue}" for control in ("tcp-newreno", "tcp-vegas") for queue in (5, 50)
    ]
