"""The closed-form models: published and derived numbers, and what must hold over their whole domain."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopscope.errors import InputError
from hopscope.models import bianchi, capacity, drops, response, tcp, window
from hopscope.models.registry import MODELS, model
from hopscope.scenario import ranges
from hopscope.scenario.fields import Field

LOSS = st.floats(1e-6, 0.99)
RTT = st.floats(1e-3, 10)


def main_output(name: str, **values: object) -> float:
    found = next(iter(model(name)(**values).values()))
    assert found is not None
    return found


# --- Windows --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("hops", "expected"), [(4, 1), (7, 1.75), (16, 4), (48, 12)])
def test_a_chain_takes_a_quarter_of_its_hops(hops: int, expected: float) -> None:
    assert window.optimal_window_chain(hops) == expected


def test_the_published_windows_of_cross_and_grid() -> None:
    # fu2003: 2 for each flow of the 13-node cross (h = 6) and of the 13x13 grid with four flows (h = 12).
    assert window.optimal_window_cross(6) == 2
    assert window.optimal_window_grid(12, "appendix") == window.optimal_window_grid(12, "text") == 2


def test_the_two_forms_of_the_grid_differ_elsewhere() -> None:
    differing = [h for h in range(5, 40) if window.optimal_window_grid(h) != window.optimal_window_grid(h, "text")]
    assert differing[0] == 16
    assert model("optimal-window-grid")(hops=24) == {"window": 3, "window_text": 3}
    assert model("optimal-window-grid")(hops=36) == {"window": 4, "window_text": 5}


def test_the_pipe_bound_is_the_round_trip_hop_count() -> None:
    assert window.pipe_bound(7) == 14
    assert window.pipe_bound(10, window.PIPE_SHARE) == pytest.approx(4)


# --- Drops ----------------------------------------------------------------------------------------------------------


def test_equation_1_by_hand() -> None:
    # m = 6, c = 4, b = 2: H = 1/2, p_r = (1/2)(1/2)^7 / (1 - (1/2)^8) = 1/255, L_f = p_r * 4/6.
    found = drops.drops_from_counts(6, 4, 2)
    assert found.hidden == 0.5
    assert found.last_state == pytest.approx(1 / 255, rel=1e-12)
    assert found.per_node == pytest.approx(2 / 765, rel=1e-12)
    assert found.any_node == pytest.approx(1 - (1 - 2 / 765) ** 4, rel=1e-12)


def test_equation_1_as_printed() -> None:
    for m, c, b in ((6, 4, 2), (10, 5, 3), (7, 7, 1), (12, 4, 4)):
        hidden = 1 - b / c
        printed = (b / m) / (1 - hidden**8) * hidden**7
        assert drops.drops_from_counts(m, c, b).per_node == pytest.approx(printed, rel=1e-12)


def test_the_printed_floors_are_a_saw_tooth() -> None:
    # B* = 3, C* = 5: six backlogged nodes make two groups of three, which all complete.
    assert drops.drops(6, 3, 5, form="floor").per_node == 0
    assert drops.drops(5, 3, 5, form="floor").per_node > 0
    assert drops.drops(6, 3, 5).per_node > 0


def test_the_three_regimes() -> None:
    below = [drops.drops(m, 3, 6).per_node for m in (0, 1, 2, 3)]
    assert below == [0, 0, 0, 0]
    rising = [drops.drops(m, 3, 6).last_state for m in (3.5, 4, 5, 6)]
    assert rising == sorted(rising)
    assert rising[0] > 0
    beyond = [drops.drops(m, 3, 6) for m in (6, 9, 20)]
    assert len({d.last_state for d in beyond}) == 1
    assert [d.per_node * m for d, m in zip(beyond, (6, 9, 20), strict=True)] == pytest.approx([6 * rising[-1]] * 3)


@given(
    m=st.floats(0, 1000),
    b=st.floats(1, 50),
    more=st.floats(0, 50),
    r=st.integers(1, 20),
    form=st.sampled_from(drops.FORMS),
)
def test_drops_are_probabilities(m: float, b: float, more: float, r: int, form: str) -> None:
    found = drops.drops(m, b, b + more, retry_limit=r, form=form)
    for value in (found.hidden, found.last_state, found.per_node, found.any_node):
        assert 0 <= value <= 1
    assert 0 <= found.completing <= found.starting <= m
    # At most one attempt of r + 1 can be the last one.
    assert found.last_state <= 1 / (r + 1)


@given(first=st.floats(0, 1), second=st.floats(0, 1), r=st.integers(1, 20))
def test_more_hidden_nodes_drop_more(first: float, second: float, r: int) -> None:
    low, high = sorted((first, second))
    assert drops.last_state_probability(low, r) <= drops.last_state_probability(high, r) * (1 + 1e-12)


# --- Capacity -------------------------------------------------------------------------------------------------------

# IP bits of 1500 B packets, long preamble, mean back-off of 310 us, ACK at 1 and 2 Mbit/s; in Mbit/s.
HOPS_DSSS = [
    (1, 1, 0.912, 0.868), (2, 1, 1.712, 1.561), (2, 2, 1.726, 1.601), (5.5, 1, 3.870, 3.177), (5.5, 2, 3.941, 3.347),
    (11, 1, 6.048, 4.511), (11, 2, 6.224, 4.862),
]  # fmt: skip


@pytest.mark.parametrize(("rate", "control", "basic", "rts"), HOPS_DSSS)
def test_one_hop_against_sums_by_hand(rate: float, control: float, basic: float, rts: float) -> None:
    common = {"rate": round(rate * 1e6), "control_rate": round(control * 1e6)}
    assert main_output("dcf-throughput", **common) / 1000 == pytest.approx(basic, abs=6e-4)
    assert main_output("dcf-throughput", rts=True, **common) / 1000 == pytest.approx(rts, abs=6e-4)


def test_one_hop_of_ofdm_by_hand() -> None:
    # 54 Mbit/s: DIFS 34 + 7.5 slots of 9 + data 248 + SIFS 16 + ACK at 24 Mbit/s 28 = 393.5 us.
    found = model("dcf-throughput")(phy="ofdm", rate="54Mbps", control_rate="24Mbps")
    assert found["cycle_us"] == pytest.approx(393.5)
    assert found["throughput_kbps"] == pytest.approx(12e6 / 393.5)


def test_a_long_chain_carries_a_quarter() -> None:
    shares = [model("chain-capacity")(hops=h)["share"] for h in (1, 2, 3, 4, 5, 48)]
    assert shares == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4, 1 / 4, 1 / 4])


def test_stop_and_wait_by_hand() -> None:
    # One hop at 2 Mbit/s: 50 + 310 + 192 + 6144 + 10 + 304 us for 1460 B, 50 + 310 + 192 + 304 + 10 + 304 for its ACK.
    assert model("stop-and-wait")(hops=1)["round_trip_ms"] == pytest.approx(7.010 + 1.170)
    assert main_output("stop-and-wait", hops=1) == pytest.approx(8 * 1460 / 8.180)


@given(st.integers(1, 200), st.integers(1, 1460))
def test_one_packet_at_a_time_is_no_faster_than_the_capacity(hops: int, payload: int) -> None:
    capacity_ = main_output("chain-capacity", hops=hops, packet=payload + capacity.TCP_HEADERS)
    assert main_output("stop-and-wait", hops=hops, payload=payload) < capacity_


# --- A saturated cell -----------------------------------------------------------------------------------------------


@given(st.integers(1, 200), st.one_of(st.none(), st.integers(1, 20)), st.integers(0, 10))
def test_cells_have_probabilities(stations: int, retry_limit: int | None, doublings: int) -> None:
    timing = bianchi.Timing(20, 7000, 6700)
    found = bianchi.saturation(stations, timing, 12_000, doublings=doublings, retry_limit=retry_limit)
    for value in (found.tau, found.collision_probability, found.busy_probability, found.success_probability):
        assert 0 <= value <= 1 + 1e-12
    assert 0 <= found.drop_probability <= found.collision_probability + 1e-12
    assert found.throughput < 12_000 / 7000
    # The fixed point itself.
    implied = 1 - (1 - found.tau) ** (stations - 1)
    assert found.collision_probability == pytest.approx(implied, abs=1e-9)


@given(st.integers(1, 100))
def test_more_stations_collide_more(stations: int) -> None:
    values = [model("bianchi")(stations=n)["collision_probability"] or 0.0 for n in (stations, stations + 1)]
    assert values[0] < values[1]


def test_a_retry_limit_drops_and_sends_more_often() -> None:
    never, seven = model("bianchi")(stations=30), model("bianchi")(stations=30, retry_limit=7)
    assert never["drop_probability"] == 0
    assert seven["drop_probability"] == pytest.approx((seven["collision_probability"] or 0.0) ** 7)
    assert (seven["attempt_probability"] or 0.0) > (never["attempt_probability"] or 0.0)


def test_rts_pays_with_many_stations() -> None:
    assert main_output("bianchi", stations=50, rts=True) > main_output("bianchi", stations=50)
    assert main_output("bianchi", stations=2, rts=True) < main_output("bianchi", stations=2)


# --- TCP ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("loss", "expected"), [(0.01, 164_005), (0.1, 25_843), (0.001, 560_412)])
def test_tfrc_worked_out_by_hand(loss: float, expected: int) -> None:
    assert tcp.tfrc(1460, 0.1, loss) / 8 == pytest.approx(expected, abs=1)


def test_mathis_is_the_constant_over_the_root() -> None:
    assert tcp.mathis(1460, 0.1, 0.01) == pytest.approx(8 * 1460 / 0.1 * math.sqrt(1.5) * 10)
    assert tcp.mathis(1460, 0.1, 0.01, acked_per_ack=2) == pytest.approx(8 * 1460 / 0.1 * math.sqrt(0.75) * 10)


def test_the_full_model_becomes_mathis_for_rare_losses() -> None:
    for b in (1, 2):
        full = tcp.padhye(1460, 0.1, 1e-8, acked_per_ack=b)
        assert full == pytest.approx(tcp.mathis(1460, 0.1, 1e-8, acked_per_ack=b), rel=1e-3)


def test_a_window_limit_caps_both_forms() -> None:
    assert tcp.padhye(1460, 0.1, 1e-8, max_window=10, form="approximate") == 10 * 1460 * 8 / 0.1
    assert tcp.padhye(1460, 0.1, 1e-8, max_window=10) == pytest.approx(10 * 1460 * 8 / 0.1, rel=1e-3)


def test_the_mean_window_as_published() -> None:
    # Padhye et al., equation 13, b = 2: 2/3 + sqrt(4 (1 - p) / (3 p) + 4/9).
    for loss in (0.001, 0.02, 0.3):
        expected = 2 / 3 + math.sqrt(4 * (1 - loss) / (3 * loss) + 4 / 9)
        assert tcp.mean_window(loss, acked_per_ack=2) == pytest.approx(expected)


@given(LOSS, LOSS, RTT, st.sampled_from(["full", "approximate"]), st.one_of(st.none(), st.integers(1, 64)))
def test_more_loss_is_never_faster(a: float, b: float, rtt: float, form: str, limit: int | None) -> None:
    low, high = sorted((a, b))
    fast = tcp.padhye(1460, rtt, low, form=form, max_window=limit)
    slow = tcp.padhye(1460, rtt, high, form=form, max_window=limit)
    # The published full model steps where its two branches meet (the window limit), by less than a tenth.
    assert slow <= fast * (1.1 if form == "full" and limit is not None else 1 + 1e-9)
    assert tcp.mathis(1460, rtt, high) <= tcp.mathis(1460, rtt, low)
    assert tcp.tfrc(1460, rtt, high) <= tcp.tfrc(1460, rtt, low)


@given(LOSS, RTT, st.integers(1, 64))
def test_time_outs_and_limits_only_slow_down(loss: float, rtt: float, limit: int) -> None:
    free = tcp.padhye(1460, rtt, loss, form="approximate")
    assert free <= tcp.mathis(1460, rtt, loss)
    assert tcp.padhye(1460, rtt, loss, form="approximate", max_window=limit) <= free
    assert tcp.tfrc(1460, rtt, loss) <= free * (1 + 1e-12)


# --- The table of models --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_every_model_runs_on_its_example_and_says_where_it_comes_from(name: str) -> None:
    entry = MODELS[name]
    found = entry(**entry.example())
    assert list(found) == [output.name for output in entry.outputs]
    assert all(value is not None and math.isfinite(value) for value in found.values())
    assert entry.source
    assert all(output.doc.endswith(".") for output in entry.outputs)
    assert all(field.doc.endswith(".") for field in entry.parameters)


def test_values_may_have_units() -> None:
    assert main_output("mathis", rtt="100ms", loss="1%") == main_output("mathis", rtt=0.1, loss=0.01)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("bianki", {}, 'did you mean "bianchi"'),
        ("bianchi", {"station": 3}, 'unknown parameter "station"; .*did you mean "stations"'),
        ("bianchi", {}, "stations is missing"),
        ("bianchi", {"stations": 0}, "must be at least 1"),
        ("bianchi", {"stations": 2.5}, "expected a whole number"),
        ("optimal-window-cross", {"hops": 3}, "must be at least 4"),
        ("mathis", {"rtt": 0, "loss": 0.1}, "must be above 0"),
        ("mathis", {"rtt": 1, "loss": 1.5}, "must be at most 1"),
        ("padhye", {"rtt": 1, "loss": 1}, "loss is 1; it must be below 1"),
        ("dcf-throughput", {"rate": "3Mbps"}, "rate is 3 Mbit/s; dsss has 1, 2, 5.5, 11"),
        ("dcf-throughput", {"rate": "1Mbps", "control_rate": "2Mbps"}, "must be at most rate"),
        ("drop-probability", {"backlogged": 3}, "give concurrent and initiating"),
        ("drop-probability", {"backlogged": 3, "concurrent": 4, "initiating": 2}, "must be at least concurrent"),
        ("drop-probability", {"backlogged": 3, "hops": 7, "form": "flor"}, 'did you mean "floor"'),
    ],
)
def test_bad_input_is_named(name: str, values: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        model(name)(**values)


@pytest.mark.parametrize(
    "call",
    [
        lambda: window.optimal_window_chain(0),
        lambda: window.optimal_window_grid(12, "main"),
        lambda: window.pipe_bound(3, 0),
        lambda: drops.hidden_probability(2, 3),
        lambda: drops.drops_from_counts(3, 4, 1),
        lambda: drops.drops(math.nan, 1, 2),
        lambda: tcp.mathis(0, 1, 0.1),
        lambda: tcp.padhye(1460, 1, 0.1, form="ful"),
        lambda: tcp.tfrc(1460, 1, 0.1, rto=0),
        lambda: capacity.exchange(1500, 2_000_000, phy="dss"),
        lambda: capacity.chain_share(3, 0),
        lambda: bianchi.saturation(3, bianchi.Timing(1, 1, 1), 1, retry_limit=0),
        lambda: bianchi.saturation(3, bianchi.Timing(1, 1, 1), 1, doublings=-1),
    ],
)
def test_functions_check_their_arguments(call: object) -> None:
    with pytest.raises(ValueError, match=r"must be|has "):
        call()  # type: ignore[operator]


# --- Ranges ---------------------------------------------------------------------------------------------------------

WHOLE = Field("hops", "int", "A count.", minimum=1)
REAL = Field("rtt", "float", "A time.", "s", exclusive=True)
TIME = Field("start", "time", "A time.", "s")


def values(text: str, field: Field) -> list[object]:
    found = ranges.parse(text, field, "here")
    return list(found.values()) if isinstance(found, ranges.Span) else found


def test_ranges_and_lists() -> None:
    assert values("1..5", WHOLE) == [1, 2, 3, 4, 5]
    assert values("1..10:4", WHOLE) == [1, 5, 9]
    assert values("3,1", WHOLE) == [3, 1]
    assert values("0.1..0.9:0.2", REAL) == [0.1, 0.3, 0.5, 0.7, 0.9]
    assert values("10ms..100ms:45ms", REAL) == [0.01, 0.055, 0.1]
    assert values("1s..2s:500ms", TIME) == [1, 1.5, 2]
    assert len(values("0.1..0.2", REAL)) == ranges.POINTS
    assert values("0.1..0.2", REAL)[-1] == 0.2


@pytest.mark.parametrize(
    ("text", "field", "message"),
    [
        ("", WHOLE, "expected values between commas"),
        ("1,", WHOLE, "expected values between commas"),
        ("..", WHOLE, "a range has two ends"),
        ("1..", WHOLE, "a range has two ends"),
        ("1..5:", WHOLE, "a range has two ends"),
        ("5..1", WHOLE, "runs backwards; write 1..5"),
        ("5..5", WHOLE, "one value only"),
        ("0..5", WHOLE, "must be at least 1"),
        ("1..5:0", WHOLE, "must be above 0"),
        ("1..5:9", WHOLE, "wider than the range"),
        ("1..5:0.5", WHOLE, "whole numbers only"),
        ("1..4000000000", WHOLE, "more than 100000 values"),
        ("1,1", WHOLE, "stands twice"),
        ("a..b", WHOLE, "is no number"),
        ("1m..2m", REAL, 'unknown unit "m"'),
        ("a..b", Field("form", "choice", "A word.", choices=("a", "b")), "a range needs a number"),
    ],
)
def test_bad_ranges(text: str, field: Field, message: str) -> None:
    with pytest.raises(InputError, match=message):
        values(text, field)


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 50))
def test_ranges_hold_both_ends_or_stop_before_the_last(low: int, more: int, step: int) -> None:
    step = min(step, more)
    found = values(f"{low}..{low + more}:{step}", WHOLE)
    assert found == list(range(low, low + more + 1, step))


def test_the_limits_that_zhang2006_prints() -> None:
    # Section 6.1: 6.12 and 4.19 Mbit/s of IP packets, 5.96 and 4.09 of payload, without and with an acknowledgement.
    limits = [
        capacity.printed_limit(*sizes) / 1e6
        for sizes in ((1540, 1540), (1540, 1540, 40), (1500, 1540), (1500, 1540, 40))
    ]
    assert limits == pytest.approx([6.117, 4.195, 5.958, 4.086], abs=6e-4)
    # Section 3.2: the transport's capacity is the network's without its headers, C / (1 + H / L).
    assert limits[2] == pytest.approx(limits[0] / (1 + 40 / 1500))
    with pytest.raises(ValueError, match="counted is 0"):
        capacity.printed_limit(0, 1540)


# --- Response functions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("control", "loss", "window"),
    [
        ("reno", 0.001, math.sqrt(1500)),
        ("veno", 0.001, math.sqrt(0.9 / 0.2 / 0.001)),  # (2 - b) / (2 b p) with b = 1/5
        ("scalable", 0.001, 80.0),  # 0.01 / 0.125 / p
        ("scalable", 0.01, math.sqrt(150)),  # below 16 segments it is Reno
        ("highspeed", 1e-5, 0.12 * 10 ** (5 * 0.835)),  # RFC 3649, table 3: 1795 segments
        ("highspeed", 0.01, math.sqrt(150)),
        ("cubic", 0.001, math.sqrt(1500)),  # the Reno-friendly region
        ("cubic", 1e-6, (0.4 * 3.7 / 1.2) ** 0.25 * 0.1**0.75 * 1e6**0.75),
        ("illinois", 0.001, math.sqrt(10 * 1.875 / 0.25 / 0.001)),
    ],
)
def test_response_functions_as_published(control: str, loss: float, window: float) -> None:
    assert response.mean_window(control, loss, 0.1) == pytest.approx(window)


def test_h_tcp_is_aimd_while_losses_come_within_a_second() -> None:
    # 2 (1 - 0.8) of a segment a round trip, but one at least, and a fifth cut.
    assert response.mean_window("htcp", 0.01, 0.01) == pytest.approx(math.sqrt(1.8 / 0.4 / 0.01), rel=0.01)
    assert response.mean_window("htcp", 1e-4, 0.1) > 1.5 * math.sqrt(1.8 / 0.4 / 1e-4)


def test_rules_in_time_become_what_is_known_of_independent_losses() -> None:
    # The square root process: 1.3098 / sqrt(p) for rare losses (Ott, Kemperman and Mathis 1996); sqrt(3/2) periodic.
    window = response.mean_window("reno", 1e-4, 0.1, form="followed", losses="independent")
    assert window * 0.01 == pytest.approx(1.31, rel=0.02)
    window = response.mean_window("reno", 1e-4, 0.1, form="followed")
    assert window * 0.01 == pytest.approx(math.sqrt(1.5), rel=0.02)


def test_westwood_plus_by_hand() -> None:
    assert response.westwood_plus(1000, 0.16, 0.04, 0.5) == pytest.approx(8000 / 0.08)


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"control": "vegas"}, "control is"),
        ({"loss": 0.2}, "loss"),
        ({"loss": 1e-6, "form": "followed"}, "at least 1e-05"),
        ({"losses": "independent"}, "closed forms are for periodic"),
        ({"form": "open"}, "form is"),
        ({"acked_per_ack": 2, "control": "cubic"}, "must be 1"),
    ],
)
def test_response_functions_refuse_what_they_do_not_know(values: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        response.mean_window(**{"control": "reno", "loss": 0.01, "rtt": 0.1, **values})
