"""Means, intervals, paired comparisons, Jain's index."""

from __future__ import annotations

import dataclasses
import random

import pytest
from scipy.special import stdtrit

from hopscope.results import stats, student


def test_interval_of_a_known_sample() -> None:
    found = stats.interval([1.0, 2.0, 3.0, 4.0, 5.0])
    assert (found.mean, found.min, found.max, found.n) == (3.0, 1.0, 5.0, 5)
    # t(0.975, 4) = 2.776445 (any table of Student's t), s = sqrt(2.5), n = 5
    assert found.ci95 == pytest.approx(2.776445 * (2.5 / 5) ** 0.5, rel=1e-6)
    assert (found.low, found.high) == (pytest.approx(3 - 1.963243), pytest.approx(3 + 1.963243))


@pytest.mark.parametrize("probability", [0.5, 0.9, 0.975, 0.9999])
def test_quantiles_are_those_of_another_implementation(probability: float) -> None:
    for degrees in (*range(1, 60), 99, 500, 1999, 2000, 100_000):
        other = float(stdtrit(degrees, probability))
        assert student.quantile(degrees, probability) == pytest.approx(other, rel=1e-11)


def test_equal_values_share_a_rank() -> None:
    x, y = [3.0, 1.0, 2.0, 2.0, 5.0], [1.0, 1.0, 4.0, 2.0, 9.0]
    # ranks 4 1 2.5 2.5 5 and 1.5 1.5 4 3 5: the sum of products is 5, those of squares are 9.5
    assert stats.rank_correlation(x, y) == pytest.approx(5 / 9.5)


def test_one_sample_has_no_interval() -> None:
    assert stats.interval([7.0]).as_dict() == {"mean": 7.0, "ci95": None, "min": 7.0, "max": 7.0, "n": 1}
    assert stats.interval([]).as_dict() == {"mean": None, "ci95": None, "min": None, "max": None, "n": 0}


def test_equal_samples_have_a_width_of_zero() -> None:
    assert stats.interval([0.1] * 3).ci95 == 0.0


def test_the_interval_covers_the_true_mean_in_95_of_100_cases() -> None:
    draw = random.Random(1)
    trials = 4000
    inside = 0
    for _ in range(trials):
        found = stats.interval([draw.gauss(10, 3) for _ in range(5)])
        assert found.mean is not None
        assert found.ci95 is not None
        inside += abs(found.mean - 10) <= found.ci95
    assert 0.94 < inside / trials < 0.96


def test_pairs_see_what_separate_intervals_hide() -> None:
    noise = [100.0, 140.0, 180.0, 220.0, 260.0]
    a = [x + 5 + 0.1 * i for i, x in enumerate(noise)]
    found = stats.paired(a, noise)
    assert found.verdict == "a is higher"
    assert found.significant
    assert found.mean_difference == pytest.approx(5.2)
    assert stats.interval(noise).ci95 > 50  # type: ignore[operator]


def test_noise_is_called_noise() -> None:
    assert stats.paired([1.0, 2.0, 3.0], [2.0, 2.0, 2.0]).verdict == "within noise"
    assert stats.paired([1.0, 1.1, 0.9], [3.0, 3.0, 3.0]).verdict == "a is lower"
    assert stats.paired([1.0], [2.0]).verdict == "one pair: no interval"
    with pytest.raises(ValueError, match="as many samples"):
        stats.paired([1.0], [])


def test_jain() -> None:
    assert stats.jain([5.0, 5.0]) == 1.0
    assert stats.jain([1.0, 0.0, 0.0, 0.0]) == 0.25
    assert stats.jain([0.0, 0.0]) == 1.0
    assert stats.jain([1.0, 3.0]) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("mean", "width", "text"),
    [
        (129.3, 64.7, "129.3 ± 64.7"),
        (1234.5, 20.0, "1234 ± 20"),
        (3.14159, 0.5, "3.14 ± 0.50"),
        (0.848, 0.205, "0.848 ± 0.205"),
        (0.00123, 0.0004, "0.0012 ± 0.0004"),
        (0.003, 64.7, "0.0 ± 64.7"),
        (-2.5, 1.0, "-2.50 ± 1.00"),
        (0.0, 0.0, "0.000 ± 0.000"),
        (275.25, None, "275.2"),
    ],
)
def test_a_mean_and_its_interval_are_rounded_alike_in_every_table(mean, width, text):
    from hopscope.results.samples import Estimate, show

    assert stats.rounded(mean, width) == text
    assert stats.interval_text({"mean": mean, "ci95": width, "n": 5}) == text
    assert stats.interval_text({"mean": mean, "ci95": width, "n": 4}, 5) == f"{text} (n=4)"
    if width is not None:
        assert show(Estimate(mean, width, mean, mean, 5)) == text


def test_no_number_has_endless_decimals():
    assert stats.rounded(1e-30) == "0.000000000"


def test_a_comparison_is_printed_in_one_line():
    found = dataclasses.replace(stats.paired([5.0, 6.5], [4.0, 5.0]), differs=("mac.queue = 5 / 50",))
    assert str(found) == "a - b = 1.25 ± 3.18 over 2 seeds: within noise (a / b: mac.queue = 5 / 50)"
    assert str(stats.paired([5.0], [4.0])) == "a - b = 1.00 over 1 seed: one pair: no interval"
