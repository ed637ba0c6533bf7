"""Verbs on made-up numbers: what each new argument decides, and that it can decide otherwise."""

from __future__ import annotations

import pytest

from hopscope.results.samples import Estimate, Table
from hopscope.studies.measures import Measure, Reading, curve
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


def judge(verb, values, other=None, jitter=0.0, **given):
    fields = {key: given.pop(key) for key in ("at", "along", "than", "places") if key in given}
    check = Check(verb, RATE, args=given, **fields)
    return VERBS[verb].judge(check, table(values, jitter=jitter), None if other is None else table(other, "o"))[0]


def test_rises_on_wants_steps_that_do_not_fade():
    assert judge("rises_on", {1: 100, 2: 160, 3: 200}, along=X, share=50) is True
    assert judge("rises_on", {1: 100, 2: 190, 3: 200}, along=X, share=50) is False
    assert judge("rises_on", {1: 100, 2: 160, 4: 230}, along=X, share=50) is True
    assert judge("rises_on", {1: 100, 2: 90, 3: 200}, along=X, share=50) is False
    assert judge("rises_on", {1: 100, 2: 160, 3: 200, 4: 150}, along=X, share=50, last=3) is True


def test_a_curve_may_be_read_relative_to_another_setting():
    plain, cured = {4: 100, 8: 80, 16: 60}, {4: 101, 8: 88, 16: 72}
    assert judge("rises", cured, plain, along=X) is True
    assert judge("rises", plain, plain, along=X) is not True
    largest = {"of": "largest", "along": X}
    assert judge("gain_between", cured, plain, low=15, high=25, **largest) is True
    assert judge("gain_between", cured, plain, low=15, high=25, last=8, **largest) is False
    assert judge("gain_between", plain, low=60, high=70, than={X: 16}, **largest) is True
    found = curve(table(cured), RATE, {at: {X: at} for at in cured}, other=table({4: 100}, "o"))
    assert list(found) == [4]
    assert list(found[4].values()) == pytest.approx([101, 101, 101])


def test_or_equal_asks_for_less_than_higher():
    noisy = {"at": {X: 1}, "than": {X: 2}, "jitter": 3.0}
    assert judge("higher", {1: 100, 2: 101}, **noisy) is None
    assert judge("higher", {1: 100, 2: 101}, or_equal=True, **noisy) is True
    assert judge("higher", {1: 100, 2: 120}, or_equal=True, **noisy) is False


def test_places_stand_for_a_sweep():
    places = {"1": {X: 1}, "2": {X: 2}, "3": {X: 3}, "9": {X: 9}}
    assert judge("falls", {1: 30, 2: 20, 3: 10}, places=places, how="trend") is True
    assert judge("falls", {1: 10, 2: 20, 3: 30}, places=places, how="trend") is False


def test_part_of_a_sweep_counts_for_the_largest():
    reading = Reading(RATE, of="largest", along=X, last=2)
    assert reading.take(table({1: 10, 2: 20, 3: 30})).mean == 20
    assert judge("at_most", {1: 10, 2: 20, 3: 30}, of="largest", along=X, last=2, limit=20) is True
    assert judge("at_most", {1: 10, 2: 20, 3: 30}, of="largest", along=X, first=2, limit=20) is False


def test_the_slope_of_the_best_is_that_of_each_seed():
    points = [
        ({X: hops, "window": window}, [{"seed": s, "rate": 100 - abs(window - hops // 2)} for s in (1, 2)])
        for hops in (2, 4, 8)
        for window in (1, 2, 3, 4)
    ]
    check = Check("slope", RATE, along=X, args={"low": 0.45, "high": 0.55, "best": "window", "best_key": "window"})
    assert VERBS["slope"].judge(check, Table("t", points), None) == (True, "slope 0.500 ± 0.000")


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
