"""zhang2006 on made-up results: what its statements want, and what they refuse."""

from __future__ import annotations

import pyarrow as pa
import pytest
from synthetic import data, outcomes

from hopscope import studies as catalog
from hopscope.studies.timeline import Timeline
from hopscope.studies.timeline import metric as over_time

PASS, FAIL = {"reproduced"}, {"not reproduced"}


def entry(name):
    return catalog.find([f"zhang2006.{name}"])[0]


def shares(first, second):
    total = first + second
    jain = total**2 / (2 * (first**2 + second**2))
    return {
        "flow.0.shared_kbps": first,
        "flow.1.shared_kbps": second,
        "network.shared_kbps": total,
        "network.shared_jain": jain,
    }


def of_ends(table):
    """The shares of the first name that stands in the label of a setting."""
    return lambda label, _where: shares(*next(pair for name, pair in table.items() if name in label))


def test_tcp_is_fair_among_in_flows_only():
    fair = {"both IN": (700, 720), "both OUT": (1100, 300), "at 110 ms": (1100, 100), "at 60 ms": (1370, 20)}
    found = outcomes(entry("table6-3"), of_ends(fair))
    assert (found["c1"], found["c2"], found["c3"]) == (PASS, PASS, PASS)
    found = outcomes(entry("table6-3"), of_ends(dict.fromkeys(fair, (700, 700))))
    assert (found["c1"], found["c2"], found["c3"]) == (FAIL, FAIL, {"undecided"})
    assert outcomes(entry("table6-3"), lambda _l, _w: {"node.4.mac_retry_drops": 40})["c5"] == PASS
    assert found["c5"] == FAIL


@pytest.mark.parametrize("name", ["table6-4", "table7-2"])
def test_the_control_is_fair_in_every_combination(name):
    assert outcomes(entry(name), lambda _l, _w: shares(800, 800))["c1"] == PASS
    assert outcomes(entry(name), lambda _l, _w: shares(1200, 400))["c1"] == FAIL


def test_mixtures_are_unfair_where_tcp_is_out():
    starved = {"both OUT": (1675, 71), "two TCP": (1120, 100), "DCCP IN": (1500, 60)}
    model = of_ends({"TCP IN": (900, 600), **starved, "60 ms": (600, 900), "both IN": (764, 747)})
    found = outcomes(entry("table6-5"), model)
    assert [found[f"c{number}"] for number in range(1, 6)] == [PASS] * 5
    found = outcomes(entry("table6-5"), lambda _l, _w: shares(800, 200))
    assert (found["c1"], found["c2"], found["c5"]) == (FAIL, FAIL, FAIL)


def test_a_cause_is_there_when_adding_it_makes_the_control_less_fair():
    worse = outcomes(entry("sec6-3"), of_ends({"as designed": (800, 800), "": (1000, 600)}))
    assert (worse["c1"], worse["c2"]) == (PASS, PASS)
    same = outcomes(entry("sec6-3"), lambda _l, _w: shares(800, 800))
    assert (same["c1"], same["c2"]) == (FAIL, FAIL)


def test_a_shorter_round_trip_makes_the_window_of_tcp_grow_faster():
    model = {"60 ms": {"flow.1.mean_rtt_ms": 175.0}, "110 ms": {"flow.1.mean_rtt_ms": 192.0}}
    found = outcomes(entry("fig6-15"), lambda label, _w: next(v for name, v in model.items() if name in label))
    assert found["c2"] == PASS
    assert outcomes(entry("fig6-15"), lambda _l, _w: {"flow.1.mean_rtt_ms": 175.0})["c2"] == {"undecided"}


def test_the_goals_ask_for_fairness_and_for_use():
    def model(*other):
        return lambda label, _where: shares(*((700, 700) if label.startswith("TCP,") else other))

    fair, unfair = (outcomes(entry("sec6-6"), model(*pair)) for pair in ((800, 800), (600, 200)))
    assert {name: fair[name] for name in ("c1", "c2", "c3")} == {"c1": PASS, "c2": PASS, "c3": PASS}
    assert {name: unfair[name] for name in ("c1", "c2", "c3")} == {"c1": FAIL, "c2": FAIL, "c3": FAIL}


def test_mixtures_are_less_fair_than_tcp_and_carry_as_much():
    def model(tcp, mixed, reliable):
        pairs = {"TCP beside reliable": reliable, "TCP beside": mixed, "TCP,": tcp, "": (800, 800)}
        return lambda label, _w: shares(*next(pair for name, pair in pairs.items() if label.startswith(name)))

    found = outcomes(entry("sec6-6"), model((900, 600), (1300, 80), (1250, 70)))
    assert (found["c4"], found["c5"], found["c6"]) == (PASS, PASS, PASS)
    found = outcomes(entry("sec6-6"), model((1400, 80), (900, 900), (1000, 1200)))
    assert found["c4"] == found["c5"] == FAIL
    assert found["c6"] == PASS | FAIL
    assert outcomes(entry("sec6-6"), model((1400, 80), (500, 500), (500, 500)))["c6"] == FAIL


def test_the_worst_mixture_is_both_out_and_the_in_flow_gets_more():
    mixtures = {"both OUT": (1675, 71), "DCCP IN": (1400, 200), "TCP IN": (200, 1400), "both IN": (764, 747)}
    model = of_ends({**mixtures, "two TCP": (1120, 100)})
    assert outcomes(entry("table6-5"), model)["c6"] == PASS
    assert outcomes(entry("table7-3"), model)["c6"] == PASS
    other = of_ends({**mixtures, "two TCP": (1120, 100), "both OUT": (900, 700), "TCP IN": (1400, 200)})
    assert outcomes(entry("table6-5"), other)["c6"] == FAIL
    # The first of the two conditions holds, the second does not.
    assert outcomes(entry("table7-3"), other)["c6"] == FAIL


def test_one_flow_by_kind():
    times = {"reliable": 12.0, "DCCP": 9.0, "TCP": 18.0}

    def model(label, _where):
        name = next(name for name in times if label.startswith(name))
        return {"completion_s": times[name], "received_packets": {"reliable": 8801, "DCCP": 5871, "TCP": 6912}[name]}

    assert outcomes(entry("table7-1"), model) == {"c1": PASS, "c2": PASS}
    assert outcomes(entry("table7-1"), lambda _l, _w: {"received_packets": 6667}) == {"c1": FAIL, "c2": FAIL}


def test_published_runs_are_judged_by_where_they_lie():
    from hopscope.studies.reproduce import weigh

    one = entry("table6-4")
    measured, *_ = weigh(one, data(one, lambda _l, _w: shares(820, 820), noise=0.0))
    cells = [found for row in measured for _, value in row.values if (found := row.cell(value)) is not None]
    assert len(cells) == 48
    assert {cell.outcome.value for cell in cells} <= {"reproduced", "not reproduced"}


def test_the_slower_flow_is_the_one_that_is_silent():
    ends = [0.5 * step for step in range(1, 21)]
    series = {
        "flow": [0] * 20 + [1] * 20,
        "t_s": ends * 2,
        "value": [5.0] * 20 + [5.0 if end < 2 or end > 7 else 0.0 for end in ends],
    }
    flows = [
        {"completion_s": 9.0, "shared_kbps": 9.0, "timeouts": 0},
        {"completion_s": 20.0, "shared_kbps": 1.0, "timeouts": 3},
    ]
    run = {"series": {"throughput": pa.table(series)}, "flows": flows}
    assert over_time("longest stall", "slower", "first completion")(run) == 5.5
    assert over_time("timeouts", "slower", "run")(run) == 3
    line = Timeline(run, 1, "first completion")
    assert (line.interval, line.stalls(), line.intervals()[-1][0]) == (0.5, [(1.5, 7.0)], 9.0)
    assert Timeline(run, 0).stalls() == []


@pytest.mark.parametrize(("name", "second"), [("sensitivity", "dccp-adhoc"), ("sensitivity-mixed", "tcp-newreno")])
def test_every_reading_of_the_control_is_run_alone_and_beside_tcp(name, second):
    settings = entry(name).settings
    assert {setting.scenario["flow"][1]["transport"] for setting in settings} == {second}
    assert all(
        ("dccp" in flow) <= flow["transport"].startswith("dccp") for s in settings for flow in s.scenario["flow"]
    )
    # Four combinations of ends in two models of the radio; the first reading has no key of its own.
    keys = [frozenset(setting.scenario["flow"][0].get("dccp", {}).items()) for setting in settings]
    assert {keys.count(key) for key in keys} == {8}
    assert len(set(keys)) == 18


def test_the_mixtures_of_all_readings_want_tcp_starved_out_and_fairness_in():
    model = of_ends({"both OUT": (1600, 100), "": (700, 720)})
    assert outcomes(entry("sensitivity-mixed"), model) == {"c1": PASS, "c2": PASS}
    assert outcomes(entry("sensitivity-mixed"), lambda _l, _w: shares(300, 1200)) == {"c1": FAIL, "c2": FAIL}
