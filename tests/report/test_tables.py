"""Which figures the results of a sweep give."""

from __future__ import annotations

import hopscope as hs
from hopscope.report import tables

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
