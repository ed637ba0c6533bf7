"""Sweeps, --set and quick: one grammar of dotted keys."""

from __future__ import annotations

from typing import Any

import pytest

from hopscope.errors import InputError, ScenarioError
from hopscope.scenario import Scenario
from hopscope.scenario.document import parse
from hopscope.scenario.fields import NS
from hopscope.scenario.sweep import axis_values, in_words, parse_set, set_text

BASE: dict[str, Any] = {
    "topology": {"kind": "chain", "hops": 3},
    "flow": [{"from": "first", "to": "last"}, {"from": 1, "to": 2, "transport": "udp"}],
}


def sweep(**axes: Any) -> Scenario:
    return Scenario({**BASE, "sweep": {key.replace("__", "."): value for key, value in axes.items()}})


def test_every_combination_the_last_axis_fastest() -> None:
    scenario = sweep(mac__queue=[10, 20], flow__0__max_window=[1, 2, 3])
    assert [tuple(p.set.values()) for p in scenario.points] == [(10, 1), (10, 2), (10, 3), (20, 1), (20, 2), (20, 3)]
    config = scenario.points[4].config(1)
    assert (config["mac"]["queue"], config["flows"][0]["max_window"], config["flows"][1]["max_window"]) == (20, 2, 32)


def test_a_star_means_every_flow() -> None:
    config = Scenario({**BASE, "sweep": {"flow.*.packet": [100, 200]}}).points[1].config(1)
    assert [flow["packet"] for flow in config["flows"]] == [200, 200]


def test_node_words_follow_the_topology() -> None:
    scenario = sweep(topology__hops=[3, 5, 4])
    assert [p.config(1)["flows"][0]["to"] for p in scenario.points] == [3, 5, 4]
    assert [len(p.config(1)["nodes"]) for p in scenario.points] == [4, 6, 5]


def test_a_required_key_may_come_from_the_sweep() -> None:
    scenario = Scenario({**BASE, "topology": {"kind": "chain"}, "sweep": {"topology.hops": [4]}})
    assert len(scenario.points[0].config(1)["nodes"]) == 5


def test_profile_and_tables_can_be_swept() -> None:
    errors = [{"kind": "none"}, {"kind": "uniform", "per": 0.1}]
    scenario = Scenario({**BASE, "sweep": {"profile": ["standard", "ns2"], "radio.error": errors}})
    headers = [p.config(1)["mac"]["data_header"] for p in scenario.points]
    assert headers == [28, 28, 34, 34]
    assert [p.config(1)["radio"]["error_per"] for p in scenario.points] == [0, 0.1, 0, 0.1]


@pytest.mark.parametrize(
    ("spec", "values"),
    [
        ({"start": 1, "stop": 9, "step": 4}, [1, 5, 9]),
        ({"start": 9, "stop": 1, "step": -4}, [9, 5, 1]),
        ({"start": 1, "stop": 2, "step": 3}, [1]),
        ({"start": 0.1, "stop": 0.3, "step": 0.1}, [0.1, 0.2, 0.3]),
        ({"start": "100m", "stop": "200m", "step": "50m"}, ["100m", "150m", "200m"]),
    ],
)
def test_ranges_include_their_end(spec: Any, values: list[Any]) -> None:
    assert axis_values(spec) == values


def test_a_range_of_python_is_a_list() -> None:
    assert sweep(flow__0__max_window=range(1, 9, 3)).axes == {"flow.0.max_window": [1, 4, 7]}


def test_bare_and_quoted_sweep_keys_are_the_same() -> None:
    text = '[topology]\nkind="chain"\nhops=2\n[[flow]]\nfrom=0\nto=2\n[sweep]\n'
    bare = Scenario.from_document(parse(text + "mac.queue = [1, 2]\n"))
    quoted = Scenario.from_document(parse(text + '"mac.queue" = [1, 2]\n'))
    assert bare.axes == quoted.axes == {"mac.queue": [1, 2]}


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("flow.0.max_window=3", "flow.0.max_window", 3),
        ("duration=30s", "duration", "30s"),
        ('title="a b"', "title", "a b"),
        ("profile=ns2", "profile", "ns2"),
        ("radio.error.per=0.1", "radio.error.per", 0.1),
        ("x=[1, 2]", "x", [1, 2]),
        ("x=a=b", "x", "a=b"),
        ("x=1\ny=2", "x", "1\ny=2"),
        ("x=", "x", ""),
    ],
)
def test_set_takes_toml_or_text(text: str, key: str, value: Any) -> None:
    assert parse_set(text) == (key, value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "k=3"),
        (True, "k=true"),
        ("290kbps", "k=290kbps"),
        ("a b", "k=a b"),
        ("1", 'k="1"'),
        ("", "k="),
        (" x", 'k=" x"'),
        ([1, "2m"], 'k=[1, "2m"]'),
        ({"kind": "uniform", "per": 0.1}, 'k={ kind = "uniform", per = 0.1 }'),
    ],
)
def test_a_value_is_written_as_set_reads_it(value: Any, text: str) -> None:
    assert set_text("k", value) == text
    assert parse_set(text) == ("k", value)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"mac.queue": 5, "profile": "ns2", "explain": True}, "mac.queue = 5, profile = ns2, explain = true"),
        ({"radio.error": {"kind": "uniform", "per": 0.1}}, 'radio.error = { kind = "uniform", per = 0.1 }'),
        ({"topology.positions": [[0, 0]] * 50}, f"topology.positions = [{'[0, 0], ' * 7}..."),
        ({}, ""),
    ],
)
def test_swept_values_are_shown_as_a_file_has_them(values: dict[str, Any], words: str) -> None:
    assert in_words(values) == words


@pytest.mark.parametrize("text", ["", "x", "=3"])
def test_set_needs_key_and_value(text: str) -> None:
    with pytest.raises(InputError, match="expected key=value"):
        parse_set(text)


def test_replace_leaves_the_original_and_ends_a_swept_axis() -> None:
    scenario = sweep(mac__queue=[10, 20], flow__0__max_window=[1, 2])
    changed = scenario.replace({"mac.queue": 30, "flow.*.packet": "1kB", "sweep.radio.tx_range": [210, 220]})
    assert changed.axes == {"flow.0.max_window": [1, 2], "radio.tx_range": [210, 220]}
    assert changed.points[0].config(1)["mac"]["queue"] == 30
    assert [f["packet"] for f in changed.points[0].config(1)["flows"]] == [1000, 1000]
    assert scenario.axes == {"mac.queue": [10, 20], "flow.0.max_window": [1, 2]}


def test_a_fixed_key_ends_its_axis_however_it_is_spelt() -> None:
    nested = Scenario({**BASE, "sweep": {"mac": {"queue": [1, 2], "cw_min": [15, 31]}}})
    assert nested.replace({"mac.queue": 5}).axes == {"mac.cw_min": [15, 31]}
    assert sweep(flow__0__packet=[1, 2], flow__1__packet=[3, 4]).replace({"flow.*.packet": 9}).axes == {}
    every = Scenario({**BASE, "sweep": {"flow.*.packet": [1, 2]}})
    with pytest.raises(ScenarioError, match=r"is swept together with others as flow\.\*\.packet"):
        every.replace({"flow.0.packet": 9})


def test_a_changed_axis_takes_the_place_of_the_same_without_quotes() -> None:
    nested = Scenario({**BASE, "sweep": {"mac": {"queue": [1, 2], "cw_min": [15, 31]}}})
    changed = nested.replace({"sweep.mac.queue": [5, 6, 7]})
    assert changed.axes == {"mac.cw_min": [15, 31], "mac.queue": [5, 6, 7]}


def test_a_key_inside_a_swept_table_cannot_be_set() -> None:
    scenario = Scenario({**BASE, "sweep": {"radio.error": [{"kind": "none"}, {"kind": "uniform", "per": 0.1}]}})
    with pytest.raises(ScenarioError, match=r"radio\.error\.per: is part of what is swept as radio\.error"):
        scenario.replace({"radio.error.per": 0.3})
    assert scenario.replace({"radio.error": {"kind": "uniform", "per": 0.3}}).axes == {}


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"flow.0.packet": [1, 2], "flow.*.packet": [3]}, r"flow\.\*\.packet: would undo flow\.0\.packet"),
        ({"flow.*.packet": [3], "flow.1.packet": [1, 2]}, r"flow\.1\.packet: would undo flow\.\*\.packet"),
        ({"radio.error.per": [0.1], "radio.error": [{"kind": "none"}]}, r"radio\.error: would undo radio\.error\.per"),
        ({"mac": {"queue": [1]}, "mac.queue": [2]}, r"mac\.queue: would undo mac\.queue"),
        ({"flow": [BASE["flow"]]}, "all flows as a whole cannot be swept; name one, such as flow.0"),
        ({"layer.*.link": ["red"]}, "the scenario has no layers"),
        ({"outage.*.to": ["1s"]}, "the scenario has no outages"),
    ],
)
def test_an_axis_that_says_nothing_of_its_points_is_refused(axes: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        Scenario({**BASE, "sweep": axes})


def test_a_key_of_a_swept_table_may_be_swept_behind_it() -> None:
    tables = [{"kind": "uniform", "per": 0.5, "applies_to": applies} for applies in ("all", "data")]
    points = Scenario({**BASE, "sweep": {"radio.error": tables, "radio.error.per": [0.1, 0.2]}}).points
    assert [p.config(1)["radio"]["error_per"] for p in points] == [0.1, 0.2, 0.1, 0.2]


@pytest.mark.parametrize(
    "axes",
    [
        {"tcp": [{"min_rto": "1s"}, {"min_rto": "200ms", "timestamps": True}]},
        {"topology": [{"kind": "chain", "hops": 3}, {"kind": "chain", "hops": 5}]},
        {"mac": [{"link": "red"}, {"queue": 5}], "link": [{"red_min": 3}, {"red_max": 9}]},
        {"outage": [[], [{"node": 1, "from": "1s"}]], "layer": [[{"nodes": [2]}], []], "topology.hops": [3, 4]},
        {"flow.0": [{"from": 0, "to": 3}, {"from": 0, "to": 2, "transport": "tcp-vegas"}]},
    ],
    ids=", ".join,
)
def test_a_scenario_that_sweeps_whole_tables_resolves_to_the_same_points(axes: dict[str, Any]) -> None:
    scenario = Scenario({**BASE, "layer": [{"nodes": ["last"], "link": "red"}], "sweep": axes})
    again = Scenario(scenario.resolved)
    assert [p.config(1) for p in again.points] == [p.config(1) for p in scenario.points]


def test_the_callers_mapping_is_not_shared() -> None:
    values = {**BASE, "flow": [dict(f) for f in BASE["flow"]]}
    scenario = Scenario(values)
    values["flow"][0]["to"] = 99
    assert scenario.replace({"duration": 5}).points[0].config(1)["flows"][0]["to"] == 3


def test_the_node_of_an_event_is_no_table_of_nodes() -> None:
    event = {"at": "1s", "kind": "node-down", "node": 1}
    programs = [{"node": 2, "run": "true"}]
    swept = Scenario({**BASE, "event": [event], "node": programs, "sweep": {"topology.hops": [3, 4]}})
    resolved = swept.resolved
    assert (resolved["event"][0]["node"], resolved["node"][0]["node"]) == (1, 2)


def test_quick_shortens_everything_alike() -> None:
    flows = [{**BASE["flow"][0], "start": "30s", "stop": "150s"}]
    scenario = Scenario({**BASE, "flow": flows, "duration": "300s", "warmup": "60s", "seeds": 10})
    quick = scenario.quick()
    config = quick.points[0].config(1)
    assert (quick.seeds, quick.is_quick, scenario.is_quick) == (10, True, False)
    assert (config["duration"], config["warmup"]) == (30 * NS, 6 * NS)
    assert (config["flows"][0]["start"], config["flows"][0]["stop"]) == (3 * NS, 15 * NS)


@pytest.mark.parametrize(
    ("hops", "values", "seeds", "kept"),
    [(7, 1, 20, 10), (7, 1, 4, 4), (19, 5, 20, 3), (99, 5, 20, 2), (99, 5, 1, 1)],
)
def test_quick_keeps_the_seeds_that_ten_thousand_seconds_of_a_node_allow(
    hops: int, values: int, seeds: int, kept: int
) -> None:
    swept = {"mac.queue": list(range(5, 5 + values))}
    chain = {"topology": {"kind": "chain", "hops": hops}, "sweep": swept}
    scenario = Scenario({**BASE, **chain, "flow": [{"from": 0, "to": 3}], "duration": "300s", "seeds": seeds})
    assert scenario.quick().seeds == kept
    assert scenario.quick({"seeds": 7}).seeds == 7


@pytest.mark.parametrize(("seconds", "short"), [(300, 30), (50, 10), (10, 10), (3, 3)])
def test_quick_never_lengthens(seconds: int, short: int) -> None:
    assert Scenario({**BASE, "duration": seconds}).quick().points[0].config(1)["duration"] == short * NS


@pytest.mark.parametrize(
    "axes",
    [
        {"duration": [10, 20]},
        {"flow.*.start": ["1s", "2s"]},
        {"flow.0.start_jitter": ["1s", "2s"]},
        {"outage.0.to": ["20s", "30s"]},
        {"outage": [[], [{"node": 1, "from": "1s"}]]},
        {"flow.0": [{"from": 0, "to": 3}, {"from": 0, "to": 3, "start": "1s"}]},
    ],
    ids=", ".join,
)
def test_quick_refuses_a_sweep_over_times(axes: dict[str, Any]) -> None:
    scenario = Scenario({**BASE, "outage": [{"node": 1, "from": "1s"}], "sweep": axes})
    with pytest.raises(ScenarioError, match="cannot be shortened"):
        scenario.quick()
    with pytest.raises(ScenarioError, match="cannot be shortened"):
        scenario.shortened(5)


def test_keys_that_are_no_times_of_the_run_may_be_shortened() -> None:
    axes = {"flow.0.to": [2, 3], "outage.0.node": [1, 2], "flow.1": [{"from": 0, "to": 1}]}
    scenario = Scenario({**BASE, "outage": [{"node": 1, "from": "1s"}], "sweep": axes})
    assert {p.config(1)["outages"][0]["from"] for p in scenario.quick().points} == {NS // 10}


def test_a_shortened_run_keeps_its_times_in_proportion() -> None:
    flow = {**BASE["flow"][0], "start": "20s", "stop": "80s"}
    scenario = Scenario({**BASE, "duration": "100s", "warmup": "10s", "seeds": 7, "flow": [flow]})
    short = scenario.shortened(25).points[0].config(1)
    assert (short["duration"], short["warmup"]) == (25 * NS, int(2.5 * NS))
    assert (short["flows"][0]["start"], short["flows"][0]["stop"]) == (5 * NS, 20 * NS)
    assert scenario.shortened(25).seeds == 7
    assert not scenario.shortened(25).is_quick
    assert scenario.shortened(1000).points[0].config(1) == scenario.points[0].config(1)
    with pytest.raises(ScenarioError, match="a sweep over times cannot be shortened"):
        sweep(duration=[10, 20]).shortened(5)


WALK = {"model": "random-waypoint", "area": [500, 300], "speed_min": 1, "speed_max": 2}


def moving(duration: str = "100s", **more: Any) -> Scenario:
    walk = {**WALK, **more.pop("mobility", {})}
    return Scenario({**BASE, "duration": duration, "mobility": walk, **more})


def test_pauses_shrink_with_the_run() -> None:
    """They may not be longer than it: a run of 100 s with pauses of 60 s could not be quick."""
    scenario = moving(mobility={"pause": "60s", "pause_jitter": "40s"})
    for short, factor in ((scenario.quick(), 10), (scenario.shortened(0.5), 200)):
        found = short.points[0].config(1)["mobility"]
        assert (found["pause"], found["pause_jitter"]) == (60 * NS // factor, 40 * NS // factor)
    assert scenario.shortened(100).document["mobility"] == scenario.document["mobility"]


def test_swept_pauses_shrink_with_the_run() -> None:
    scenario = moving(sweep={"mobility.pause": ["0s", 30, "99.9s"], "mac.queue": [5, 50]})
    assert scenario.quick().axes == {"mobility.pause": ["0s", "3s", "9990ms"], "mac.queue": [5, 50]}
    walks = moving(sweep={"mobility": [{**WALK, "pause": "80s"}, {**WALK, "pause_jitter": "90s"}]})
    found = [point.config(1)["mobility"] for point in walks.quick().points]
    assert [(of["pause"], of["pause_jitter"]) for of in found] == [(8 * NS, 0), (0, 9 * NS)]
    linked = moving(sweep={"together": [{"mobility.pause": ["50s", "100s"], "mobility.speed_max": [3, 4]}]})
    assert linked.quick().together == [("mobility.pause", "mobility.speed_max")]
    assert linked.quick().axes == {"mobility.pause": ["5s", "10s"], "mobility.speed_max": [3, 4]}


def test_a_quick_run_with_a_duration_of_its_own_is_checked_with_it() -> None:
    """It was checked with 10 s first, and refused for pauses that fit the duration that it was to have."""
    scenario = moving("60s", sweep={"mobility.pause": ["0s", "30s"]})
    quick = scenario.quick({"duration": "60s", "seeds": 3})
    assert (quick.points[0].duration_s, quick.seeds, quick.is_quick) == (60, 3, True)
    assert quick.axes == scenario.axes
    assert scenario.quick({"duration": "20s"}).axes == {"mobility.pause": ["0s", "10s"]}


def test_times_of_a_quick_run_shrink_to_the_duration_that_it_has() -> None:
    """They were a tenth, or those of 10 s, even where the run was to be longer."""
    flows = [{**BASE["flow"][0], "start": "30s", "stop": "150s", "start_jitter": "3s"}]
    scenario = Scenario({**BASE, "flow": flows, "duration": "300s", "warmup": "60s"})
    config = scenario.quick({"duration": "60s"}).points[0].config(1)
    assert (config["duration"], config["warmup"]) == (60 * NS, 12 * NS)
    assert [config["flows"][0][key] for key in ("start", "stop")] == [6 * NS, 30 * NS]
    assert scenario.quick({"duration": "60s", "warmup": "20s"}).points[0].config(1)["warmup"] == 20 * NS
    # A longer run than the scenario's own has its times.
    longer = scenario.quick({"duration": 600}).points[0].config(1)
    assert (longer["duration"], longer["warmup"], longer["flows"][0]["start"]) == (600 * NS, 60 * NS, 30 * NS)
    for wrong in ("0s", "-5s", "soon"):
        with pytest.raises(ScenarioError, match="duration"):
            scenario.quick({"duration": wrong})


def test_a_shortened_run_is_the_beginning_of_the_whole() -> None:
    import hopscope as hs

    scenario = Scenario({**BASE, "duration": "4s", "series": {"keep": ["throughput"], "interval": "1s"}})
    whole, part = (hs.run(s).series("throughput", flow=0) for s in (scenario, scenario.shortened(2)))
    assert list(part["value"]) == list(whole["value"])[: len(part)]
    assert len(part) == 2
