from __future__ import annotations

import pytest

from hopscope.errors import ranges
from hopscope.results.comparisons import Order, best, best_among, between, difference, every
from hopscope.results.samples import Estimate, NoSamplesError, Table, estimate, read, show
from hopscope.results.stats import number, rank_correlation, slope
from hopscope.studies.statements import evaluated
from hopscope.studies.verdict import Outcome


def curve(values, key="x"):
    """A table with one point for each position; `values` maps the position to one throughput for each seed."""
    return Table(
        "study",
        [
            ({key: x}, [{"seed": s, "flows": [{"t": y}], "network": {}} for s, y in enumerate(ys, 1)])
            for x, ys in values.items()
        ],
    )


def test_difference_is_paired_by_seed():
    # The seeds differ by 100, the points by 1: only a paired comparison can see it.
    table = curve({1: [100.0, 200.0, 300.0], 2: [101.0, 201.1, 300.9]})
    assert difference(table, "flow.0.t", {"x": 1}, {"x": 2}).order is Order.LOWER
    assert difference(table, "flow.0.t", {"x": 2}, {"x": 1}).order is Order.HIGHER


def test_difference_within_noise_says_so():
    table = curve({1: [10.0, 20.0, 30.0], 2: [20.0, 10.0, 31.0]})
    found = difference(table, "flow.0.t", {"x": 1}, {"x": 2})
    assert found.order is Order.NOISE
    assert found.words("kbps").endswith("kbps, within noise")


def test_one_seed_has_no_interval():
    found = difference(curve({1: [10.0], 2: [11.0]}), "flow.0.t", {"x": 1}, {"x": 2})
    assert found.order is Order.LOWER
    assert "one seed" in found.words("kbps")


def test_best_lists_what_is_within_noise_of_it():
    table = curve({1: [1.0, 1.1, 0.9], 2: [5.0, 5.5, 4.5], 3: [5.6, 4.4, 5.1]})
    found = best(table, "x", "flow.0.t")
    assert found.at == 3
    assert found.ties == (2, 3)
    assert (found.has(3), found.has(2), found.has(1)) == (True, None, False)
    assert "within noise of it: 2" in found.words("kbps")


def test_the_best_of_named_places_leaves_out_those_without_samples():
    table = curve({1: [1.0, 1.1], 2: [5.0, 5.1]})
    found = best_among(table, "flow.0.t", {"slow": {"x": 1}, "fast": {"x": 2}, "absent": {"x": 3}})
    assert (found.at, found.ties) == ("fast", ("fast",))
    with pytest.raises(NoSamplesError, match="absent"):
        best_among(table, "flow.0.t", {"absent": {"x": 3}})


def test_missing_seeds_are_left_out_of_a_comparison():
    table = curve({1: [10.0, 20.0, 30.0], 2: [11.0, 21.0]})
    assert difference(table, "flow.0.t", {"x": 1}, {"x": 2}).mean == pytest.approx(-1)


def test_metrics_are_read_by_path_and_a_misspelt_one_is_an_error():
    run = {"seed": 1, "flows": [{"t": None}], "nodes": [{"q": 2}], "network": {"jain": 0.5}}
    assert read(run, "flow.0.t") is None
    assert read(run, "node.0.q") == 2.0
    assert read(run, "network.jain") == 0.5
    assert read(run, lambda r: r["network"]["jain"] * 2) == 1.0
    with pytest.raises(KeyError):
        read(run, "network.jane")


def test_a_table_without_the_point_has_no_samples():
    with pytest.raises(NoSamplesError, match="x = 9"):
        curve({1: [1.0]}).interval("flow.0.t", {"x": 9})
    with pytest.raises(NoSamplesError, match="y is not swept"):
        curve({1: [1.0]}).values("y")


def test_evaluations_turn_missing_samples_into_not_reproducible():
    finding = evaluated(lambda table: (True, str(table.mean("flow.0.t", {"x": 2}))), curve({1: [1.0]}))
    assert finding.outcome is Outcome.UNDECIDED
    assert "x = 2" in finding.reason


def test_what_noise_hides_is_neither_passed_nor_failed():
    finding = evaluated(lambda _table: (None, "words"), curve({1: [1.0, 2.0]}))
    assert (finding.outcome, finding.measured) == (Outcome.UNDECIDED, "words")
    assert "noise of 2 seeds" in finding.reason


def test_every_fails_before_it_is_hidden():
    assert every([True, True]) is True
    assert every([True, None]) is None
    assert every([None, False]) is False


def test_within_a_tolerance_by_its_mean():
    assert between(Estimate(103.0, 0.1, 0, 0, 5), 97, 103) is True
    assert between(Estimate(103.2, 0.1, 0, 0, 5), 97, 103) is False
    assert between(Estimate(103.2, 0.3, 0, 0, 5), 97, 103) is None
    assert between(Estimate(103.2, None, 0, 0, 1), 97, 103) is False


def test_ranges():
    assert ranges([1, 2, 4, 5, 6, 7, 9]) == "1, 2, 4 to 7, 9"
    assert ranges(["1kbps", "2kbps"]) == "1kbps, 2kbps"


def test_trends():
    assert slope([1, 2, 3], [2, 4, 6]) == pytest.approx(2)
    assert rank_correlation([1, 2, 3, 4], [8, 4, 2, 1]) == pytest.approx(-1)
    assert rank_correlation([1, 2, 3, 4], [1, 1, 1, 1]) == 0
    with pytest.raises(ValueError, match="different positions"):
        slope([1, 1], [1, 2])


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (237.51, "237.5"), (1730.0, "1730"), (0.01234, "0.01234"), (12345.6, "12346"), (1e-7, "1.000e-07")],
)
def test_numbers_have_four_digits(value, text):
    assert number(value) == text


def test_an_estimate_shows_its_interval_only_when_it_has_one():
    assert show(Estimate(10.0, 0.5, 9, 11, 5), "ms") == "10.0 ± 0.5 ms"
    assert show(Estimate(10.0, None, 10, 10, 1)) == "10"
    # Student's t for four degrees of freedom is 2.776; these five values have a standard error of 0.7071.
    assert estimate([1.0, 2.0, 3.0, 4.0, 5.0]).ci95 == pytest.approx(2.776 * 0.70711, rel=1e-3)
