"""The closed-form models against numbers worked out elsewhere."""

from __future__ import annotations

import pytest

from hopscope.models.airtime import dsss_airtime_ns, ofdm_airtime_ns
from hopscope.models.bianchi import Timing, attempt_probability, saturation, saturation_limit
from hopscope.models.registry import model

# Bianchi 2000, table II: 1 Mbit/s FHSS, payload 8184 bits; T_s and T_c in microseconds as section V gives them.
BASIC, RTS = Timing(50, 8982, 8713), Timing(50, 9568, 417)
NORMALISED = {
    (32, 3): [(0.8097, 0.8342), (0.7532, 0.8371), (0.6788, 0.8356), (0.6273, 0.8329), (0.5529, 0.8270)],
    (32, 5): [(0.8102, 0.8342), (0.7579, 0.8370), (0.6975, 0.8362), (0.6603, 0.8346), (0.6109, 0.8317)],
    (128, 3): [(0.8250, 0.7979), (0.8263, 0.8217), (0.7981, 0.8327), (0.7702, 0.8355), (0.7252, 0.8363)],
}
STATIONS = (5, 10, 20, 30, 50)


@pytest.mark.parametrize(("window", "doublings"), NORMALISED)
def test_bianchis_own_parameters(window, doublings):
    for n, (basic, rts) in zip(STATIONS, NORMALISED[window, doublings], strict=True):
        options = {"cw_min": window - 1, "doublings": doublings}
        assert saturation(n, BASIC, 8184, **options).throughput == pytest.approx(basic, abs=6e-5)
        assert saturation(n, RTS, 8184, **options).throughput == pytest.approx(rts, abs=6e-5)


@pytest.mark.parametrize(("n", "expected"), [(5, 0.8101), (10, 0.7576), (20, 0.6957), (50, 0.6010)])
def test_with_seven_attempts(n, expected):
    assert saturation(n, BASIC, 8184, retry_limit=7).throughput == pytest.approx(expected, abs=6e-5)


# 802.11b, 1500 B payload and 36 B of headers, long preamble, ACK at 2 Mbit/s, DIFS after a collision: the reference
# values that ns-3's example wifi-bianchi compares with (Mbit/s).
CELLS = {
    2_000_000: {5: 1.6228, 10: 1.5168, 20: 1.3972, 50: 1.2279},
    11_000_000: {5: 6.4734, 10: 6.1774, 20: 5.7819, 50: 5.1745},
}


@pytest.mark.parametrize("rate", CELLS)
def test_cells_as_in_the_reference_table(rate):
    options = {"packet": 1500, "rate": rate, "control_rate": 2_000_000, "back_to_back": True}
    for n, expected in CELLS[rate].items():
        # The table was made with frame times that are not rounded up to whole microseconds.
        assert model("bianchi")(stations=n, **options)["throughput_kbps"] / 1000 == pytest.approx(expected, rel=1e-3)


def test_a_lone_station_never_collides():
    found = saturation(1, BASIC, 8184)
    assert found.collision_probability == pytest.approx(0, abs=1e-9)
    assert found.success_probability == pytest.approx(1)
    # Mean back-off of a window of 32 values is 15.5 slots.
    assert found.throughput == pytest.approx(8184 / (8982 + 15.5 * 50), rel=1e-6)


def test_attempt_probability_at_one_half_has_no_pole():
    assert attempt_probability(0.5, 31, 5) == pytest.approx(2 / (33 + 0.5 * 32 * 5))


@pytest.mark.parametrize(("stations", "cw_min", "name"), [(0, 31, "stations"), (5, 0, "cw_min")])
def test_impossible_cells_are_refused(stations, cw_min, name):
    with pytest.raises(ValueError, match=name):
        saturation(stations, BASIC, 8184, cw_min=cw_min)


@pytest.mark.parametrize(
    ("size", "rate", "us"),
    [
        (14, 1, 304),
        (14, 2, 248),
        (20, 1, 352),
        (20, 2, 272),
        (1536, 1, 12480),
        (1536, 2, 6336),
        (1536, 5.5, 2427),
        (1536, 11, 1310),
    ],
)
def test_dsss_frames(size, rate, us):
    assert dsss_airtime_ns(size, round(rate * 1e6)) == us * 1000


@pytest.mark.parametrize(
    ("size", "rate", "us"),
    [
        (14, 6, 44),
        (14, 12, 32),
        (14, 24, 28),
        (20, 6, 52),
        (20, 12, 36),
        (20, 24, 28),
        (1536, 6, 2072),
        (1536, 12, 1048),
        (1536, 24, 536),
        (1536, 54, 248),
    ],
)
def test_ofdm_frames(size, rate, us):
    assert ofdm_airtime_ns(size, rate * 1_000_000) == us * 1000


def test_the_limit_of_the_best_window():
    # Bianchi's own parameters: K = 9.334 and 2.042.
    assert saturation_limit(BASIC, 8184) == pytest.approx(0.8240, abs=6e-5)
    assert saturation_limit(RTS, 8184) == pytest.approx(0.8359, abs=6e-5)


@pytest.mark.parametrize("timing", [BASIC, RTS])
def test_no_window_beats_the_limit_by_more_than_its_approximation(timing):
    for cw_min in (15, 31, 127, 511, 2047, 8191):
        found = saturation(50, timing, 8184, cw_min=cw_min, doublings=0).throughput
        assert found <= saturation_limit(timing, 8184) * 1.002
    near = max(saturation(50, timing, 8184, cw_min=w, doublings=0).throughput for w in range(63, 2048, 64))
    assert near == pytest.approx(saturation_limit(timing, 8184), rel=0.002)


def test_the_limit_needs_times():
    with pytest.raises(ValueError, match="slot is 0; it must be above 0"):
        saturation_limit(Timing(0, 1, 1), 1)
