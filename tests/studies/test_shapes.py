"""The verbs on shapes: each on results that have the shape and on results that do not."""

from __future__ import annotations

import pytest

from hopscope.results.samples import NoSamplesError, Table
from hopscope.studies.measures import Measure, position
from hopscope.studies.verbs import VERBS, Check


def measure(name):
    return Measure(name, name, "kbit/s", lambda run: run[name])


Y, Z = measure("y"), measure("z")


def table(values, *, label="t", noise=0.0, **more):
    """A setting that sweeps x: three runs at each, spread by `noise`; `more` sweeps z as well."""
    points = []
    for x, y in values.items():
        runs = [{"seed": s, "y": y + noise * (s - 2), "z": 2 * y} for s in (1, 2, 3)]
        points.append(({"x": x, **more}, runs))
    return Table(label, points)


def evaluate(verb, values, *, other=None, at=None, than=None, places=None, along="x", **args):
    check = Check(verb, Y, at or {}, along, args, places or {}, than)
    given = values if isinstance(values, Table) else table(values)
    return VERBS[verb].evaluate(check, given, other)[0]


def test_a_text_is_placed_by_its_number():
    assert [position(v) for v in ("1730kbps", "0.5s", 3)] == [1730, 0.5, 3]
    with pytest.raises(NoSamplesError):
        position("off")


def test_where_nothing_was_measured_nothing_is_judged():
    nothing = Table("t", [({"x": x}, [{"seed": 1, "y": None}]) for x in (1, 2)])
    for verb, args in (("exceeds", {"at": {"x": 2}, "than": {"x": 1}, "times": 2}), ("steady", {"share": 5})):
        with pytest.raises(NoSamplesError):
            evaluate(verb, nothing, **args)


def test_the_lowest_of_printed_numbers_is_the_lowest():
    """Of numbers read from a CSV the largest was taken for the lowest."""
    printed = Table("p", [({"x": x}, [{"seed": 1, "published": {"y": y}}]) for x, y in {"a": 30, "b": 10}.items()])
    assert evaluate("peak_at", printed, least=True, value="b") is True
    assert evaluate("peak_at", printed, least=True, value="a") is False


@pytest.mark.parametrize(("times", "holds"), [(2, True), (4, False)])
def test_exceeds_by_a_factor(times, holds):
    curve = {1: 10, 2: 30}
    assert evaluate("exceeds", curve, at={"x": 2}, than={"x": 1}, times=times) is holds
    assert evaluate("exceeds", curve, than={"x": 1}, times=times, of="largest") is holds
    noisy = Table("t", [({"x": x}, [{"seed": s, "y": y * s**x} for s in (1, 2, 3)]) for x, y in {1: 10, 2: 30}.items()])
    assert evaluate("exceeds", noisy, at={"x": 2}, than={"x": 1}, times=7) is None


def costly(label, cost, gain):
    """A setting with a cost and a gain, each by seed."""
    runs = [{"seed": seed, "y": y, "cost": c} for seed, (y, c) in enumerate(zip(gain, cost, strict=True), 1)]
    return Table(label, [({}, runs)])


@pytest.mark.parametrize(
    ("cost", "gain", "holds"),
    [
        ((7, 8, 9), (1, 2, 3), True),  # more cost, less gain
        ((1, 1, 2), (7, 8, 9), True),
        ((7, 8, 9), (7, 8, 9), False),
        ((1, 1, 2), (1, 2, 3), False),
        ((7, 8, 9), (4, 5, 7), None),  # noise in the gain
        ((4, 5, 7), (1, 2, 3), True),  # noise in the cost
    ],
)
def test_of_two_settings_the_costly_one_gains_less(cost, gain, holds):
    other = costly("other", (4, 6, 5), (4, 6, 5))
    assert evaluate("opposed", costly("this", cost, gain), other=other, to=measure("cost")) is holds
    assert evaluate("opposed", other, other=other, to=measure("cost")) is True


def test_leads_and_trails_every_rival():
    curve = {"a": 10, "b": 20, "c": 30}
    assert evaluate("higher", curve, at={"x": "c"}, rivals={"x": ("a", "b")}) is True
    assert evaluate("higher", curve, at={"x": "b"}, rivals={"x": ("a", "c")}) is False
    assert evaluate("lower", curve, at={"x": "a"}, rivals={"x": ("b", "c")}) is True
    assert evaluate("lower", curve, at={"x": "b"}, rivals={"x": ("a", "c")}) is False
    assert evaluate("higher", {"a": 10, "b": 10}, at={"x": "a"}, rivals={"x": ("b",)}) is None


def test_shares_of_another_metric_in_another_setting():
    other = table({1: 20})
    assert evaluate("within", {1: 20}, at={"x": 1}, other=other, than={"x": 1}, to=Z, low=45, high=55) is True
    assert evaluate("within", {1: 30}, at={"x": 1}, other=other, than={"x": 1}, to=Z, low=45, high=55) is False
    assert evaluate("nearest", {1: 21}, other=table({4: 5, 5: 10, 6: 40}), to=Z, over="x", value=5) is True
    assert evaluate("nearest", {1: 70}, other=table({4: 5, 5: 10, 6: 40}), to=Z, over="x", value=5) is False


def test_lowest():
    assert evaluate("peak_at", {"a": 1, "b": 2}, least=True, value="a") is True
    assert evaluate("peak_at", {"a": 1, "b": 2}, least=True, value="b") is False
    assert evaluate("peak_at", {"a": 1, "b": 1}, least=True, value="b") is None


def gap(upper, verb, **args):
    points = [(({"x": x, "w": w}), [{"seed": 1, "y": y}]) for x, y in upper.items() for w, y in ((1, y), (0, 10 * x))]
    return evaluate(verb, Table("t", points), at={"w": 1}, minus={"w": 0}, **args)


@pytest.mark.parametrize(
    ("upper", "how", "holds"),
    [
        ({1: 12, 2: 24, 3: 36}, "rises", True),
        ({1: 12, 2: 24, 3: 33}, "rises", False),
        ({1: 16, 2: 24, 3: 32}, "falls", True),
        ({1: 16, 2: 28, 3: 32}, "falls", False),
    ],
)
def test_a_gap_along_a_key(upper, how, holds):
    assert gap(upper, how) is holds


def test_a_gap_that_is_steady_or_grows_as_a_trend():
    assert gap({1: 15, 2: 26, 3: 35}, "steady", about="mean", share=20) is True
    assert gap({1: 15, 2: 29, 3: 35}, "steady", about="mean", share=20) is False
    assert gap({1: 12, 2: 26, 3: 35, 4: 47}, "rises", how="trend", correlation=0.7) is True
    assert gap({1: 16, 2: 26, 3: 35, 4: 42}, "rises", how="trend", correlation=0.7) is False


def test_even_steps():
    assert evaluate("even_steps", {1: 6, 2: 13, 3: 19}, share=15) is True
    assert evaluate("even_steps", {1: 6, 2: 16, 3: 19}, share=15) is False
    assert evaluate("even_steps", {1: 19, 2: 13, 3: 6}, share=15) is False
    assert evaluate("even_steps", {1: 6, 2: 13, 3: 19, 4: 90}, share=15, last=3) is True


def test_a_curve_that_flattens_and_one_that_slows_down():
    curve = {1: 1400, 2: 700, 3: 400, 4: 300, 5: 280, 6: 260}
    assert evaluate("flattens", curve, until=3, after=4, share=50) is True
    assert evaluate("flattens", {**curve, 6: 150}, until=3, after=4, share=50) is False
    loads = {"1kbps": 1400, "1000kbps": 300, "1600kbps": 200}
    more = {"before": ["1kbps", "1000kbps"], "then": ["1000kbps", "1600kbps"], "share": 50}
    assert evaluate("slower", loads, **more) is True
    assert evaluate("slower", {**loads, "1000kbps": 700}, **more) is False


def test_a_curve_that_dips():
    curve = {1: 80, 2: 20, 3: 15, 4: 40, 5: 500}
    assert evaluate("dips", curve, low=2, high=3, share=20) is True
    assert evaluate("dips", curve, low=2, high=3, share=20, last=4) is True
    assert evaluate("dips", curve, low=2, high=2, share=20) is False
    assert evaluate("dips", {**curve, 5: 16}, low=2, high=3, share=20) is False


def test_gains_that_fall():
    places = {str(x): {"x": x} for x in (1, 2, 4)}
    assert evaluate("gains_fall", {1: 10, 2: 15, 4: 18}, places=places, pairs=[["1", "2"], ["2", "4"]]) is True
    assert evaluate("gains_fall", {1: 10, 2: 12, 4: 18}, places=places, pairs=[["1", "2"], ["2", "4"]]) is False


def test_where_a_curve_first_falls_below_a_limit():
    curve = {1: 290, 2: 289, 3: 280}
    assert evaluate("first_below", curve, limit=285, value=3) is True
    assert evaluate("first_below", curve, limit=285, value=2) is False


# --- Places that span several values, and names for combinations ------------------------------------------------------


def test_a_tuple_is_the_mean_over_its_values_seed_by_seed():
    found = table({1: 10, 2: 20, 3: 60}, noise=3)
    assert found.interval(Y, {"x": (1, 2)}).mean == 15
    assert found.interval(Y, {"x": (1, 2)}).n == 3
    assert found.by_replica(Y, {"x": (1, 3)}) == {(1,): 32, (2,): 35, (3,): 38}


def test_a_replication_that_lacks_a_value_is_left_out_of_a_mean():
    points = [({"x": x}, [{"seed": 1, "y": x}, {"seed": 2, "y": None if x == 2 else x}]) for x in (1, 2)]
    assert Table("t", points).by_replica(Y, {"x": (1, 2)}) == {(1,): 1.5}


def test_names_stand_for_combinations_of_swept_values():
    points = [
        ({"kind": kind, "ack": ack, "x": 1}, [{"seed": 1, "y": value}])
        for (kind, ack), value in {("r", "e"): 1, ("r", "d"): 2, ("t", "e"): 3, ("t", "d"): 4}.items()
    ]
    names = {"plain": {"kind": "r", "ack": "e"}, "delayed": {"kind": "r", "ack": "d"}}
    found = Table("t", points).named("version", names)
    assert [where for where, _ in found.points] == [{"x": 1, "version": "plain"}, {"x": 1, "version": "delayed"}]
    assert evaluate("higher", found, at={"version": "delayed"}, rivals={"version": ("plain",)}) is True
    assert found.named("version", {"a": {"elsewhere": 1}}) is found
