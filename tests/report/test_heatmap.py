"""Sweeps over two keys: the heat map, what is best in each row and column, wide tables and arrays."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

import hopscope as hs
from hopscope.errors import InputError, NotFound
from hopscope.reporting import heatmap
from hopscope.reporting.style import read, styled_as
from hopscope.results.points import PointResult

CHAIN: dict[str, Any] = {
    "duration": "1s",
    "topology": {"kind": "chain", "hops": 2},
    "flow": [{"from": 0, "to": "last", "max_window": 8}],
}
#: Throughput by window (down) and queue (across), two seeds each.
THROUGHPUT = {
    (1, 5): (10, 12),
    (1, 50): (20, 22),
    (4, 5): (20, 44),
    (4, 50): (21, 23),
    (8, 5): (5, 7),
    (8, 50): (40, 42),
}


def run_of(seed: int, value: float, delay: float = 1.0) -> dict[str, Any]:
    """A run as the engine reports it, of which the map reads two metrics."""
    flow = {"id": 0, "from": 0, "to": 2, "transport": "tcp-newreno", "throughput_kbps": value, "delay_ms": delay}
    return {"seed": seed, "flows": [flow], "network": {"aggregate_kbps": value, "jain": 1.0}}


@pytest.fixture
def result() -> hs.Result:
    sweep = {"flow.0.max_window": [1, 4, 8], "mac.queue": [5, 50]}
    scenario = hs.Scenario({**CHAIN, "seeds": 2, "sweep": sweep})
    points = []
    for point in scenario.points:
        window, queue = point.set["flow.0.max_window"], point.set["mac.queue"]
        runs = [run_of(seed, value, window) for seed, value in enumerate(THROUGHPUT[window, queue], 1)]
        points.append(PointResult(point.index, dict(point.set), runs))
    return hs.Result(scenario, points)


def test_the_map_has_the_longer_key_down_and_names_the_best_both_ways(result: hs.Result) -> None:
    throughput, delay = heatmap.of_result(result)
    assert (throughput.down, throughput.across) == ("receiver's window (packets)", "queue length (packets)")
    assert throughput.cells == [[11, 21], [32, 22], [6, 41]]
    assert throughput.best_of_row == [1, 0, 1]
    assert throughput.best_of_column == [1, 2]
    assert (delay.least, delay.best_of_column) == (True, [0, 0])
    assert [throughput.shade(row, column) for row, column in ((2, 0), (2, 1))] == [0, 1]
    assert [delay.shade(row, 0) for row in (0, 2)] == [1, 0]


def test_the_sentences_name_the_best_of_each_row_and_column(result: hs.Result) -> None:
    first, second = heatmap.sentences(result)
    of_each = "best queue length for each receiver's window, by throughput: 50 at 1, 5 at 4, 50 at 8"
    assert first == f"{of_each}; at 1 of 3 another one cannot be distinguished from it"
    assert second.startswith("best receiver's window for each queue length, by throughput: 4 at 5, 8 at 50")


def test_the_terminal_marks_the_best_without_colours(result: hs.Result) -> None:
    console = Console(width=80, no_color=True, force_terminal=False)
    with console.capture() as captured:
        console.print(heatmap.terminal(heatmap.of_result(result)[0]))
    lines = [line.split() for line in captured.get().splitlines() if line.split()[:1] in (["1"], ["4"], ["8"])]
    assert lines == [["1", "11.0", "21.0", "r"], ["4", "32.0", "rc", "22.0"], ["8", "6.0", "41.0", "rc"]]


def test_a_map_for_a_paper_has_letters_that_fit_its_cells(result: hs.Result) -> None:
    def sizes(shown: heatmap.HeatMap) -> list[float]:
        return [text.get_size() for text in heatmap.draw(shown).axes[0].texts if text.get_text() not in ("", "•")]

    throughput = heatmap.of_result(result)[0]
    wide = replace(throughput, columns=[f"{n}" for n in range(12)], cells=[[1234.5] * 12] * 3,
                   best_of_row=[0] * 3, best_of_column=[0] * 12)  # fmt: skip
    with styled_as(read("single", None, "")):
        assert heatmap.draw(throughput).get_figwidth() == 3.5
        assert sizes(throughput) == pytest.approx([6.4] * 6)
        assert sizes(wide) == pytest.approx([72 * (3.5 - 1.2) / 12 / (0.65 * 4)] * 36)
        wider = replace(wide, cells=[[12345.6] * 12] * 3)
        assert not sizes(wider)  # no room: only the best are marked
    assert set(sizes(throughput)) == {8.0}


def test_a_missing_cell_stays_empty(result: hs.Result) -> None:
    result.points[0].runs = []
    throughput, _ = heatmap.of_result(result)
    assert throughput.cells[0] == [None, 21]
    assert throughput.text(0, 0) == "-"
    assert heatmap.draw(throughput).axes


@pytest.mark.parametrize("sweep", [{"mac.queue": [5, 50]}, {"mac.queue": [5], "flow.0.max_window": [1, 2]}, {}])
def test_other_sweeps_have_no_map(sweep: dict[str, Any]) -> None:
    scenario = hs.Scenario({**CHAIN, "sweep": sweep})
    points = [PointResult(point.index, dict(point.set), [run_of(1, 2)]) for point in scenario.points]
    result = hs.Result(scenario, points)
    assert not heatmap.of_result(result)
    assert not heatmap.sentences(result)


def test_the_report_has_the_map_first_and_the_network_after_the_tables(tmp_path: Path) -> None:
    from hopscope.reporting.page import store_page

    whole = hs.run({**CHAIN, "title": "t", "sweep": {"flow.0.max_window": [1, 4], "mac.queue": [5, 50]}})
    page = store_page([whole], tmp_path, title="t", store="s", engine="e").read_text()
    places = [page.index(text) for text in ("throughput-kbps-heat-map", "throughput-kbps-over", "Commands that repeat",
                                            "figures/network-1")]  # fmt: skip
    assert places == sorted(places)
    assert "Best receiver&#39;s window for each queue length" in page or "Best queue length for each" in page


def test_the_wide_table_has_the_last_key_across(result: hs.Result) -> None:
    table = result.table("throughput_kbps")
    assert table.index.name == "flow.0.max_window"
    assert table.columns.name == "mac.queue"
    assert table.to_numpy().tolist() == [[11, 21], [32, 22], [6, 41]]
    assert result.table("jain").to_numpy().tolist() == result.table("network.jain").to_numpy().tolist()
    with pytest.raises(NotFound, match=r'no metric "jian" \(did you mean "jain"\?\)'):
        result.table("jian")


def test_keys_that_change_together_are_one_direction() -> None:
    sweep = {"together": [{"flow.0.max_window": [1, 1, 4], "topology.hops": [2, 3, 4]}], "mac.queue": [50, 5]}
    scenario = hs.Scenario({**CHAIN, "sweep": sweep})
    points = [PointResult(p.index, dict(p.set), [run_of(1, p.index)]) for p in scenario.points]
    table = hs.Result(scenario, points).table("throughput_kbps")
    assert table.index.name == "topology.hops"
    assert [list(table.index), list(table.columns)] == [[2, 3, 4], [50, 5]]
    assert table.to_numpy().tolist() == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize(
    ("sweep", "shape"),
    [
        ({}, (1, 1)),
        ({"mac.queue": [5, 50]}, (2, 1)),
        ({"mac.queue": [5, 50], "topology.hops": [2, 3], "flow.0.max_window": [1, 2, 3]}, (4, 3)),
    ],
)
def test_sweeps_over_no_key_one_key_and_three_have_tables_too(sweep: dict[str, Any], shape: tuple[int, int]) -> None:
    scenario = hs.Scenario({**CHAIN, "sweep": sweep})
    points = [PointResult(p.index, dict(p.set), [run_of(1, p.index)]) for p in scenario.points]
    table = hs.Result(scenario, points).table("throughput_kbps")
    assert table.shape == shape
    assert table.to_numpy().ravel().tolist() == list(range(len(points)))


def test_several_flows_want_one_named() -> None:
    flows = [{"from": 0, "to": 2}, {"from": 2, "to": 0}]
    result = hs.run({**CHAIN, "flow": flows, "sweep": {"mac.queue": [5, 50]}})
    with pytest.raises(InputError, match="flow: the runs have 2 flows; name one, such as flow=0"):
        result.table("delay_ms")
    assert result.table("delay_ms", flow=1).shape == (2, 1)
    with pytest.raises(NotFound, match="flow=2: no such flow; the result has 2"):
        result.table("delay_ms", flow=2)


def test_an_array_has_a_dimension_for_each_key_seed_and_flow(
    result: hs.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[Any, ...]] = []
    monkeypatch.setitem(sys.modules, "xarray", SimpleNamespace(Dataset=lambda *parts: made.append(parts)))
    result.to_xarray()
    [(data, coordinates, about)] = made
    dims, values, attributes = data["throughput_kbps"]
    assert dims == ("flow.0.max_window", "mac.queue", "seed", "flow")
    assert values[:, :, :, 0].tolist() == [[[10, 12], [20, 22]], [[20, 44], [21, 23]], [[5, 7], [40, 42]]]
    assert attributes["units"] == "kbit/s"
    assert data["network.jain"][0] == ("flow.0.max_window", "mac.queue", "seed")
    assert (coordinates["seed"], coordinates["flow"]) == ([1, 2], [0])
    assert about == {"title": result.scenario.title}


def test_a_missing_library_is_named_with_the_command(result: hs.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(InputError, match=r'^xarray is not installed; it comes with: pip install "hopscope\[xarray\]"$'):
        result.to_xarray()
