"""multihop-ht: the cells of ns-3 in its key figure, and the nodes that every chain has."""

from __future__ import annotations

import copy

import pytest
from synthetic import data

from hopscope import _core
from hopscope import studies as catalog
from hopscope.scenario import Scenario


def test_the_key_figure_has_curves_and_the_cells_of_ns3() -> None:
    [entry] = catalog.find(["multihop-ht.window"])
    chart = next(one for one in entry.charts(data(entry, lambda _l, _w: {})) if one.name == "throughput-over-window")
    assert [panel.title for panel in chart.panels] == ["4 hops", "8 hops"]
    assert all(len(line.y) == 13 for panel in chart.panels for line in panel.lines)
    single, aggregated = chart.panels[1].marks
    assert dict(zip(single.x, single.y, strict=True))[2.0] == pytest.approx(3109.48)
    assert dict(zip(aggregated.x, aggregated.y, strict=True)) == pytest.approx(
        {4.0: 4885.7, 16.0: 6485.43, 24.0: 6727.68, 32.0: 5816.21, 64.0: 6138.06}
    )


def test_nodes_behind_the_last_one_change_nothing() -> None:
    """All lengths share a chain of nine nodes; a flow over two hops carries there what it carries over three nodes."""
    [entry] = catalog.find(["multihop-ht.window"])
    [setting] = [one for one in entry.settings if one.label == "64 kB, MCS 7"]
    document = copy.deepcopy({**setting.document(), "duration": "1s", "warmup": "200ms"})
    del document["sweep"]
    document["flow"][0] |= {"to": 2, "max_window": 24}
    short = copy.deepcopy(document)
    short["topology"]["positions"] = short["topology"]["positions"][:3]
    short["event"] = short["event"][:2]
    whole, alone = (_core.run(Scenario(one).points[0].config(1)).values()["flows"][0] for one in (document, short))
    assert whole["throughput_kbps"] > 20_000
    assert whole["delay_ms"] == alone["delay_ms"]
    assert whole["throughput_kbps"] == alone["throughput_kbps"]
