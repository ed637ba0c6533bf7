"""Verbs on made-up numbers: what each new argument decides, and that it can decide otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopscope.results.samples import Estimate, NoSamplesError, Table
from hopscope.scenario.document import Document
from hopscope.studies import direct
from hopscope.studies.folder import Folder, Part
from hopscope.studies.measures import Measure, Reading, curve, read_measures
from hopscope.studies.verbs import VERBS, Check
from hopscope.studies.verdict import Finding, Outcome, Place, conclude

X = "hops"
RATE = Measure("rate", "rate", "kbit/s", lambda run: run["rate"])


def table(values, label="t", jitter=0.0):
    """One point for each value of `hops`, three seeds, whose values differ by `jitter`."""
    return Table(
        label,
        [
            ({X: x}, [{"seed": s, "rate": y + jitter * (s - 2) * (1 if x % 2 else -1)} for s in (1, 2, 3)])
            for x, y in values.items()
        ],
    )


def evaluate(verb, values, other=None, jitter=0.0, **given):
    fields = {key: given.pop(key) for key in ("at", "along", "than", "places") if key in given}
    check = Check(verb, RATE, args=given, **fields)
    return VERBS[verb].evaluate(check, table(values, jitter=jitter), None if other is None else table(other, "o"))[0]


def test_rises_on_wants_steps_that_do_not_fade():
    assert evaluate("rises_on", {1: 100, 2: 160, 3: 200}, along=X, share=50) is True
    assert evaluate("rises_on", {1: 100, 2: 190, 3: 200}, along=X, share=50) is False
    assert evaluate("rises_on", {1: 100, 2: 160, 4: 230}, along=X, share=50) is True
    assert evaluate("rises_on", {1: 100, 2: 90, 3: 200}, along=X, share=50) is False
    assert evaluate("rises_on", {1: 100, 2: 160, 3: 200, 4: 150}, along=X, share=50, last=3) is True


def test_a_curve_may_be_read_relative_to_another_setting():
    plain, cured = {4: 100, 8: 80, 16: 60}, {4: 101, 8: 88, 16: 72}
    assert evaluate("rises", cured, plain, along=X) is True
    assert evaluate("rises", plain, plain, along=X) is not True
    largest = {"of": "largest", "along": X}
    assert evaluate("gain_between", cured, plain, low=15, high=25, **largest) is True
    assert evaluate("gain_between", cured, plain, low=15, high=25, last=8, **largest) is False
    assert evaluate("gain_between", plain, low=60, high=70, than={X: 16}, **largest) is True
    found = curve(table(cured), RATE, {at: {X: at} for at in cured}, other=table({4: 100}, "o"))
    assert list(found) == [4]
    assert list(found[4].values()) == pytest.approx([101, 101, 101])


def test_or_equal_asks_for_less_than_higher():
    noisy = {"at": {X: 1}, "than": {X: 2}, "jitter": 3.0}
    assert evaluate("higher", {1: 100, 2: 101}, **noisy) is None
    assert evaluate("higher", {1: 100, 2: 101}, or_equal=True, **noisy) is True
    assert evaluate("higher", {1: 100, 2: 120}, or_equal=True, **noisy) is False


def test_places_stand_for_a_sweep():
    places = {"1": {X: 1}, "2": {X: 2}, "3": {X: 3}, "9": {X: 9}}
    assert evaluate("falls", {1: 30, 2: 20, 3: 10}, places=places, how="trend") is True
    assert evaluate("falls", {1: 10, 2: 20, 3: 30}, places=places, how="trend") is False


def test_part_of_a_sweep_counts_for_the_largest():
    reading = Reading(RATE, of="largest", along=X, last=2)
    assert reading.take(table({1: 10, 2: 20, 3: 30})).mean == 20
    assert evaluate("at_most", {1: 10, 2: 20, 3: 30}, of="largest", along=X, last=2, limit=20) is True
    assert evaluate("at_most", {1: 10, 2: 20, 3: 30}, of="largest", along=X, first=2, limit=20) is False


def test_the_slope_of_the_best_is_that_of_each_seed():
    points = [
        ({X: hops, "window": window}, [{"seed": s, "rate": 100 - abs(window - hops // 2)} for s in (1, 2)])
        for hops in (2, 4, 8)
        for window in (1, 2, 3, 4)
    ]
    check = Check("slope", RATE, along=X, args={"low": 0.45, "high": 0.55, "best": "window", "best_key": "window"})
    assert VERBS["slope"].evaluate(check, Table("t", points), None) == (True, "slope 0.500 ± 0.000")


def test_many_readings_are_named_by_what_they_share():
    findings = [Finding(Outcome.REPRODUCED, "1", str(i)) for i in range(8)] + [
        Finding(Outcome.NOT_REPRODUCED, "2", "no")
    ]
    places = {str(i): Place("", f"from {i}, by the clock") for i in range(8)} | {"no": Place("", "from 9, in slots")}
    cause = conclude(findings, places).cause
    assert "8 of 9 readings" in cause
    assert "all with by the clock, such as from 0, by the clock; from 1, by the clock" in cause
    few = conclude(findings[6:], places).cause
    assert "from 6, by the clock; from 7, by the clock" in few


def test_a_reading_without_noise_has_an_interval_of_nothing():
    assert Reading(RATE, {X: 1}).take(table({1: 10})) == Estimate(10.0, 0.0, 10, 10, 3)


def test_saturates_wants_a_rise_and_then_a_level() -> None:
    loads = {1: 10, 2: 50, 3: 95, 4: 100, 5: 90}
    assert evaluate("saturates", loads, along=X, share=20) is True
    assert evaluate("saturates", {**loads, 5: 70}, along=X, share=20) is False
    assert evaluate("saturates", loads, along=X, share=5) is False
    assert evaluate("saturates", loads, along=X, share=20, last=4) is False
    assert evaluate("saturates", {1: 100, 2: 98, 3: 99}, along=X, share=20) is False
    assert evaluate("saturates", {1: 0, 2: 0, 3: 0}, along=X, share=20) is False


DOUBLE = Measure("double", "double", "kbit/s", lambda run: 2 * run["rate"])
HALF = Measure("half", "half", "kbit/s", lambda run: run["rate"] / 2)
OPPOSITE = Measure("opposite", "opposite", "kbit/s", lambda run: 100 - run["rate"])


def test_precedes_asks_which_metric_reaches_a_limit_first() -> None:
    rates = {1: 5, 2: 10, 3: 20, 4: 40}
    assert evaluate("precedes", rates, along=X, to=HALF, limit=10) is True
    assert evaluate("precedes", rates, along=X, to=HALF, limit=30) is True  # the other one never
    assert evaluate("precedes", rates, along=X, to=DOUBLE, limit=10) is False
    assert evaluate("precedes", rates, along=X, to=RATE, limit=10) is False
    assert evaluate("precedes", rates, along=X, to=HALF, limit=50) is False


def test_tracks_takes_the_mean_error_or_the_order() -> None:
    rates = {1: 10, 2: 20, 3: 40}
    # Half of it is 5, 10 and 20 below: 11.7 in the mean, 58.3 % of the largest half, 20.
    assert evaluate("tracks", rates, along=X, to=HALF, share=60) is True
    assert evaluate("tracks", rates, along=X, to=HALF, share=58) is False
    assert evaluate("tracks", rates, along=X, to=HALF, correlation=0.9) is True
    assert evaluate("tracks", rates, along=X, to=OPPOSITE, correlation=0.9) is False


def test_largest_of_names_the_metric_and_may_limit_it() -> None:
    metrics = [RATE, DOUBLE, HALF]
    assert evaluate("largest_of", {1: 10}, metrics=metrics, value=[DOUBLE]) is True
    assert evaluate("largest_of", {1: 10}, metrics=metrics, value=[RATE, HALF]) is False
    assert evaluate("largest_of", {1: 10}, metrics=metrics, value=[DOUBLE], high=19) is False


def test_every_case_wants_each_value_to_be_there() -> None:
    def verdict(values, **limits):
        run = {"seed": 1, "flows": [{"first_s": value} for value in values]}
        [mean] = read_measures(part({"metric": {"m": {"path": "flow.*.first_s", "over": "mean", "first": 1}}})).values()
        return Check("every_case", mean, args=limits).evaluate(Table("t", [({}, [run])]), None)[0]

    assert verdict([None, 2.0, 3.0], high=3) is True
    assert verdict([None, 2.0, 3.5], high=3) is False
    assert verdict([None, 2.0, 3.0], low=2.5) is False
    assert verdict([1.0, 2.0, None]) is False


def part(values):
    """A table of a study file."""
    folder = Folder(Path(), [])
    return Part(folder, Document(values), values, ())


def test_the_losses_of_two_settings_are_compared() -> None:
    lossy, sound = {1: 100, 2: 50}, {1: 100, 2: 90}
    loss = {"at": {X: 2}, "of": "loss", "along": X}
    assert evaluate("higher", lossy, sound, **loss) is True
    assert evaluate("higher", sound, lossy, **loss) is False
    assert evaluate("lower", sound, lossy, **loss) is True


def test_airtime_is_that_of_the_clauses() -> None:
    document = {"radio": {"preset": "hr-dsss-11M"}}

    def words(size, rate):
        return Check("airtime", RATE, args={"bytes": size, "rate": rate}, document=document).evaluate(
            Table("t", []), None
        )

    assert words(14, 1_000_000) == (True, "304000 ns")
    assert words(1536, 11_000_000)[0] is True


def test_airtime_fails_where_the_engine_differs(monkeypatch) -> None:
    monkeypatch.setattr(direct, "dsss_airtime_ns", lambda _size, _rate: 304_001)
    check = Check("airtime", RATE, args={"bytes": 14, "rate": 1_000_000}, document={"radio": {"preset": "hr-dsss-11M"}})
    assert check.evaluate(Table("t", []), None)[0] is False


def test_probes_are_held_against_the_truth_and_against_each_other(monkeypatch):
    errors = {"vps": {1: 4.0, 2: 5.0, 3: 6.0}, "topp": {1: -20.0, 2: -21.0, 3: -22.0}, "slops": {}}
    monkeypatch.setattr("hopscope.probing.values", lambda _document, method, _value, _switches: errors[method])

    def holds(**args):
        return evaluate("probe", {}, value="capacity_error", **args)

    assert holds(method="vps", low=-10, high=10) is True
    assert holds(method="topp", low=-10, high=10) is False
    assert holds(method="vps", against="topp") is True
    assert holds(method="topp", against="vps") is False
    with pytest.raises(NoSamplesError, match="slops has none"):
        holds(method="slops", low=0)


def test_a_bottleneck_carries_what_its_link_does() -> None:
    link = {
        "transport": "tcp-newreno",
        "rate": "1Mbps",
        "packet": 1460,
        "delay": "5ms",
        "duration": "9s",
        "max_window": 9,
    }
    # 1460 of 1500 octets of a packet are payload: 973 kbit/s.
    assert evaluate("bottleneck", {}, link=link, **{"from": 2}, low=970, high=974) is True
    assert evaluate("bottleneck", {}, link=link, **{"from": 2}, low=974) is False


def test_jains_index_of_printed_numbers() -> None:
    assert evaluate("jain_index", {}, numbers=[244, 0], value=0.5, share=5e-4) is True
    assert evaluate("jain_index", {}, numbers=[166, 153], value=0.9983, share=5e-4) is True
    assert evaluate("jain_index", {}, numbers=[244, 0], value=0.7, share=5e-4) is False
