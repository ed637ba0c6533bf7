"""Time series as figures: what they show of the run, and which runs."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopscope as hs
from hopscope.errors import InputError
from hopscope.reporting.series import Selection, charts, held, over_intervals
from hopscope.results import PointResult

CROSS = {
    "title": "a cross",
    "duration": "4.5s",
    "seeds": 2,
    "topology": {"kind": "cross", "hops": 6},
    "flow": [{"from": 7, "to": 12, "transport": "udp", "app": "cbr", "rate": "600kbps", "stop": "3s"}],
    "outage": [{"node": 7, "from": "2s", "to": "3s"}, {"node": 12, "from": "4s"}],
    "series": {"keep": ["queue", "throughput", "route"]},
    "sweep": {"mac.queue": [5, 50]},
}


@pytest.fixture(scope="module")
def result():
    return hs.run(hs.Scenario(CROSS), jobs=1, progress=False)


def named(found):
    return {chart.name.removesuffix("-over-time"): chart for chart in found}


def test_a_value_holds_to_the_end_of_the_run():
    assert held([0.0, 1.5], [0.0, 1.0], 60.0) == ([0.0, 1.5, 60.0], [0.0, 1.0, 1.0])
    assert held([], [], 60.0) == ([], [])


def test_an_interval_is_drawn_where_it_lies():
    assert over_intervals([1.0, 2.0, 2.5], [5.0, 0.0, 7.0], 1.0) == ([0.0, 1.0, 2.0, 2.5], [5.0, 0.0, 7.0, 7.0])
    assert over_intervals([], [], 1.0) == ([], [])


def test_a_missing_interval_is_a_gap():
    times, values = over_intervals([1.0, 4.0], [5.0, 6.0], 1.0)
    assert times == [0.0, 1.0, 3.0, 4.0]
    assert values[0] == 5.0
    assert math.isnan(values[1])
    assert values[2:] == [6.0, 6.0]


@given(st.lists(st.integers(1, 60), unique=True, min_size=1), st.floats(0.1, 10))
def test_every_interval_has_its_value_over_its_length(places, interval):
    ends = [place * interval for place in sorted(places)]
    times, values = over_intervals(ends, list(map(float, places)), interval)
    assert times == sorted(times)
    assert len(times) == len(values)
    drawn = sum(
        later - earlier
        for earlier, later, value in zip(times, times[1:], values, strict=False)
        if not math.isnan(value)
    )
    assert drawn == pytest.approx(len(places) * interval)


def test_every_series_reaches_from_the_start_to_the_end(result):
    for name, chart in named(charts(result, Selection())).items():
        assert chart.limits == (0.0, 4.5)
        for line in chart.panels[0].lines:
            assert line.x[-1] == 4.5 if name != "throughput" else line.x[-1] == 4.0
            assert line.x[0] == (1.0 if name == "queue" else 0.0), name


def test_a_constant_route_is_a_line(result):
    [line] = named(charts(result, Selection()))["route"].panels[0].lines
    assert (line.x, line.y) == ([0.0, 4.5], [1.0, 1.0])


def test_the_nodes_with_the_fullest_queues_are_drawn_and_the_figure_says_so(result):
    chart = named(charts(result, Selection()))["queue"]
    labels = [line.label for line in chart.panels[0].lines]
    assert "node 7" in labels
    assert len(labels) == 8
    assert labels == sorted(labels, key=lambda label: int(label.split()[1]))
    assert "The 8 of 13 nodes with the fullest queues." in chart.caption


def test_the_caption_says_which_run_of_how_many(result):
    caption = named(charts(result, Selection()))["throughput"].caption
    assert caption == ("Throughput over time, seed 1 of 1 to 2, point 0 of 0 to 1 (queue length 5). Shaded: outages.")


def test_a_table_reaches_the_end_where_it_is_asked_to(result):
    route = result.series("route", point=0, seed=1)
    held = result.series("route", point=0, seed=1, to_end=True)
    assert list(route["t_s"]) == [0.0]
    assert list(held["t_s"]) == [0.0, 4.5]
    assert list(held["value"]) == [1.0, 1.0]
    assert list(held.columns) == list(route.columns)
    assert list(held.dtypes) == list(route.dtypes)
    for name in ("queue", "throughput"):
        assert result.series(name, to_end=True).equals(result.series(name))


def test_outages_are_spans_to_the_end_of_the_run(result):
    chart = named(charts(result, Selection()))["route"]
    assert chart.panels[0].spans == [(2.0, 3.0, "node 7 off"), (4.0, 4.5, "node 12 off")]


@pytest.mark.parametrize("points", [("1", "0"), ("mac.queue=50", "0"), ("mac.queue=5", "mac.queue=50")])
def test_chosen_points_of_one_flow_lie_over_one_another(result, points):
    chart = named(charts(result, Selection(points, [2])))["throughput"]
    [panel] = chart.panels
    assert [line.label for line in panel.lines] == ["queue length 5", "queue length 50"]
    assert not chart.stacked
    assert "seed 2 of 1 to 2, points 0, 1 of 0 to 1" in chart.caption
    frame = result.series("throughput", point=1, seed=2)
    assert list(panel.lines[1].y)[:-1] == list(frame["value"])


def test_a_node_has_one_colour_in_all_panels(result):
    first, second = named(charts(result, Selection(("0", "1"))))["queue"].panels
    styles = [{line.label: line.style for line in panel.lines} for panel in (first, second)]
    assert all(styles[1].get(label, style) == style for label, style in styles[0].items())


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (Selection(("2",)), "--point 2: found no such point; the store has points 0 to 1, which differ in mac.queue"),
        (Selection(("mac.queue=7",)), "--point mac.queue=7"),
        (Selection((), [3]), "--seed 3: found no such run; allowed: 1, 2"),
        (Selection(("1",), [2, 7]), "--seed 7: found no such run; allowed: 1, 2"),
    ],
)
def test_what_is_not_there_is_refused(result, selection, message):
    with pytest.raises(InputError, match=message.replace("?", r"\?")):
        selection.check([result])


def test_what_is_there_passes(result):
    selection = Selection(("1", "mac.queue=5"), [2])
    selection.check([result])
    assert [point.index for point, _ in selection.of(result)] == [0, 1]


@pytest.mark.parametrize(
    ("points", "titles", "words"),
    [
        ((), ["seed 1", "seed 2"], "seeds 1, 2 of 1 to 2, point 0 of 0 to 1 (queue length 5)"),
        (
            ("0", "1"),
            [f"queue length {queue}, seed {seed}" for queue in (5, 50) for seed in (1, 2)],
            "seeds 1, 2 of 1 to 2, points 0, 1 of 0 to 1",
        ),
    ],
)
def test_chosen_seeds_are_panels_of_each_chosen_point(result, points, titles, words):
    chart = named(charts(result, Selection(points, [2, 1])))["queue"]
    assert [panel.title for panel in chart.panels] == titles
    assert words in chart.caption
    [drawn] = [line for line in chart.panels[1].lines if line.label == "node 7"]
    assert list(drawn.y)[:-1] == list(result.series("queue", point=0, seed=2, node=7)["value"])


@pytest.mark.parametrize(
    "text", ["explain=true", "radio.tx_range=250m", 'radio.error={ kind = "uniform", per = 0.1 }', 'flow.0.ack="every"']
)
def test_a_point_is_named_by_a_value_as_it_is_shown(text):
    error = {"kind": "uniform", "per": 0.1}
    swept = {"explain": True, "radio.tx_range": "250m", "radio.error": error, "flow.0.ack": "every"}
    runs = [{"seed": 1}]
    other = PointResult(1, {**swept, text.partition("=")[0]: "other"}, runs)
    found = Selection((text,)).of(SimpleNamespace(points=[PointResult(0, swept, runs), other]))
    assert [point.index for point, _ in found] == [0]


def test_samples_of_the_round_trip_time_are_not_joined():
    scenario = {**CROSS, "flow": [{"from": 7, "to": 12}], "series": {"keep": ["rtt"]}, "sweep": {}}
    [chart] = charts(hs.run(hs.Scenario(scenario), jobs=1, progress=False), Selection())
    assert [line.joined for panel in chart.panels for line in panel.lines] == [False]


def test_runs_of_one_flow_lie_over_one_another() -> None:
    scenario = hs.Scenario(
        {"duration": "2s", "topology": {"kind": "chain", "hops": 2}, "flow": [{"from": 0, "to": 2}]},
        series={"keep": ["cwnd"]},
        sweep={"flow.0.max_window": [4, 16]},
    )
    [chart] = charts(hs.run(scenario), Selection(("0", "1")))
    [panel] = chart.panels
    assert [line.label for line in panel.lines] == ["receiver's window 4", "receiver's window 16"]
    assert max(panel.lines[1].y) > max(panel.lines[0].y)
