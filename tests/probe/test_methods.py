"""Methods of bandwidth estimation on paths that are worked out by hand: queues in a row, fluid cross traffic."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from hopscope.probing import active
from hopscope.probing.passive import Ack, AdaptivePacing, over_time, tcp_ap, tibet, westwood, westwood_by_acks
from hopscope.probing.trains import Echo, Estimate, Method, NoEstimateError, Train

SIZE = 1500


class Fluid:
    """Links in a row with queues without end, each with a fluid of cross traffic that goes no further."""

    def __init__(self, *links: tuple[float, float], lost: Callable[[int], bool] = lambda _: False) -> None:
        self.links, self.lost, self.sent = links, lost, 0

    def train(self, train: Train) -> list[float | None]:
        backlog, last = [0.0] * len(self.links), [0.0] * len(self.links)
        found: list[float | None] = []
        for leaves, size in train.packets:
            self.sent += 1
            at = leaves
            for n, (rate, cross) in enumerate(self.links):
                backlog[n] = max(0.0, backlog[n] - (rate - cross) * (at - last[n])) + 8 * size
                last[n] = at
                at += backlog[n] / rate + 0.001
            found.append(None if self.lost(self.sent) else at)
        return found

    def echo(self, echo: Echo) -> tuple[float, int] | None:
        hops = min(echo.ttl, len(self.links))
        self.sent += 1
        rtt = sum(8 * echo.bytes / rate + 8 * 56 / rate + 0.002 for rate, _ in self.links[:hops])
        return None if self.lost(self.sent) else (rtt, hops)

    def ask(self, method: Method) -> Estimate:
        answer: Any = None
        try:
            while True:
                wanted = method.send(answer)
                answer = self.train(wanted) if isinstance(wanted, Train) else self.echo(wanted)
        except StopIteration as stop:
            return stop.value


def rng() -> random.Random:
    return random.Random(1)


def test_a_pair_reports_the_narrowest_link() -> None:
    path = Fluid((10e6, 0), (2e6, 0), (5e6, 0))
    found = path.ask(active.packet_pair(SIZE, rng()))
    assert found.capacity == pytest.approx(2e6)
    assert found.available is None
    # Lost packets cost pairs, not the estimate.
    some = Fluid((2e6, 0), lost=lambda n: n % 3 == 0)
    assert some.ask(active.packet_pair(SIZE, rng())).capacity == pytest.approx(2e6)
    with pytest.raises(NoEstimateError, match="of 100 pairs 0 arrived whole"):
        Fluid((2e6, 0), lost=lambda n: n % 2 == 0).ask(active.packet_pair(SIZE, rng()))


def test_a_pair_by_its_acknowledgements_reports_what_the_way_back_leaves_of_it() -> None:
    found = Fluid((10e6, 0), (2e6, 0)).ask(active.packet_pair_by_acks(SIZE, rng()))
    assert found.capacity == pytest.approx(2e6)

    class Pushed(Fluid):
        """The second acknowledgement of each pair meets 1500 bytes at 2 Mbit/s: 6 ms more than its 6 ms."""

        def train(self, train: Train) -> list[float | None]:
            first, second = super().train(train)
            return [first, second + 0.006] if train.back and second is not None else [first, second]

    assert Pushed((10e6, 0), (2e6, 0)).ask(active.packet_pair_by_acks(SIZE, rng())).capacity == pytest.approx(1e6)
    with pytest.raises(NoEstimateError, match="of 100 pairs 0 came back whole"):
        Fluid((2e6, 0), lost=lambda n: n % 4 == 0).ask(active.packet_pair_by_acks(SIZE, rng()))


def test_vps_reports_the_rate_of_every_hop() -> None:
    found = Fluid((10e6, 0), (2e6, 0), (5e6, 0)).ask(active.vps(SIZE, rng(), 3))
    assert found.detail["hops"] == [pytest.approx(rate) for rate in (10e6, 2e6, 5e6)]
    assert found.capacity == pytest.approx(2e6)
    with pytest.raises(NoEstimateError, match="hop 1: answers to 0 of 45 sizes"):
        Fluid((1e6, 0), lost=lambda _: True).ask(active.vps(SIZE, rng(), 1))
    with pytest.raises(NoEstimateError, match="one size"):
        Fluid((1e6, 0)).ask(active.vps(80, rng(), 1))


@pytest.mark.parametrize("cross", [0.0, 0.5e6, 1.5e6])
def test_slops_closes_in_on_what_is_available(cross: float) -> None:
    path = Fluid((10e6, 1e6), (2e6, cross), (10e6, 3e6))
    found = path.ask(active.slops(SIZE, rng()))
    assert found.low is not None and found.high is not None and found.available is not None  # noqa: PT018
    assert found.low <= 2e6 - cross <= found.high
    # The range ends as a share of where it began, 1.2 times what a burst carries.
    assert found.high - found.low <= active.RESOLUTION * 1.2 * 2e6
    assert found.capacity is None


def test_slops_takes_many_losses_for_too_high_a_rate() -> None:
    """A quarter of all packets is lost at random: whatever is sent looks like too much."""
    lossy = random.Random(3)
    path = Fluid((2e6, 0), lost=lambda _: lossy.random() < 0.25)
    assert path.ask(active.slops(SIZE, rng())).available == pytest.approx(0, abs=0.05e6)


def test_a_trend_is_rising_level_or_neither() -> None:
    noise = random.Random(5)
    assert active.trend_of([n * 1e-3 for n in range(100)]) == 1
    assert active.trend_of([0.01] * 100) == -1
    assert active.trend_of([0.01 + noise.random() * 1e-3 for _ in range(100)]) == -1
    assert active.trend_of([1.0 - n * 1e-3 for n in range(100)]) == -1
    # Most steps rise, but the whole is level: the two tests contradict each other.
    saw = [0.0, 1, 2, 3, 4, 5, 6, 7, -4.5, -3.5]
    assert active.trend_of([one for one in saw for _ in range(10)]) == 0


def test_topp_reports_both_from_the_line_above_the_knee() -> None:
    found = Fluid((10e6, 0), (2e6, 0.8e6)).ask(active.topp(SIZE, rng()))
    # Pairs find an empty queue: the second waits for the cross traffic of one gap.
    assert found.capacity == pytest.approx(2e6, rel=0.02)
    assert found.available == pytest.approx(1.2e6, rel=0.02)
    assert found.detail["knee"] <= 1.2e6 * active.FASTER
    with pytest.raises(NoEstimateError, match="none arrived"):
        Fluid((2e6, 0), lost=lambda _: True).ask(active.topp(SIZE, rng()))


def acks(gap: float, rtt: float | None, hops: int = 7, number: int = 2000) -> list[Ack]:
    return [Ack(n * gap, SIZE, rtt, hops) for n in range(1, number)]


@pytest.mark.parametrize("estimator", [westwood, tibet, westwood_by_acks])
def test_an_estimator_settles_at_the_rate_of_the_acks(estimator: Callable[[list[Ack]], Any]) -> None:
    reported = list(estimator(acks(0.012, 0.1)))
    assert reported[-1] == pytest.approx(1e6, rel=1e-6)
    middle, low, high = over_time(reported) or (0, 0, 0)
    assert low <= middle <= high
    # It follows a change: half the rate from some instant on.
    slower = [*acks(0.012, 0.1), *(Ack(24 + n * 0.024, SIZE, 0.1, 7) for n in range(1, 2000))]
    assert list(estimator(slower))[-1] == pytest.approx(0.5e6, rel=1e-3)
    assert over_time([]) is None
    assert list(estimator([])) == []


def test_westwood_by_acks_has_its_published_filter() -> None:
    """ACKs of 1000 bytes at 0, 0.1 and 0.2 s: 2000 bytes, then 1000; weight 9/11, and 2/11 of two samples' mean."""
    heard = [Ack(at / 10, 1000, 0.1, 3) for at in range(3)]
    first = 2 / 11 * 160e3 / 2
    assert list(westwood_by_acks(heard)) == pytest.approx([first, 9 / 11 * first + 2 / 11 * (160e3 + 80e3) / 2])
    # 1 s of silence: three samples of nothing with a weight of 0.6, then 1000 bytes in a quarter of a second.
    steady = [Ack(n / 10, 1000, 0.1, 3) for n in range(400)]
    [*_, before, after] = westwood_by_acks([*steady, Ack(40.9, 1000, 0.1, 3)])
    assert before == pytest.approx(80e3)
    assert after == pytest.approx(0.6 * 0.6 * 0.6 * 0.8 * 80e3 + 0.4 * 32e3 / 2, rel=1e-6)
    # ACKs of one instant are one.
    assert len(list(westwood_by_acks([Ack(1.0, 1000, 0.1, 3)] * 5))) == 0


def test_tcp_ap_has_its_published_delay() -> None:
    """Round trip 0.2 s over 7 hops at 2 Mbit/s: 10.918 ms of wait a hop, 68.82 ms for four hops, no variation."""
    pacing = AdaptivePacing(SIZE, 2e6)
    rate = pacing.on_ack(Ack(1.0, SIZE, 0.2, 7))
    assert rate == pytest.approx(8 * SIZE / 0.06882, rel=1e-3)
    assert pacing.delay == pytest.approx(0.06882, rel=1e-3)
    # One hop counts where the path is shorter than interference reaches.
    assert AdaptivePacing(SIZE, 2e6).on_ack(Ack(1.0, SIZE, 0.06, 3)) == pytest.approx(8 * SIZE / 0.01292, rel=2e-2)
    # Round trips of 0.2 and 0.25 s by turns: 75.97 ms, and 7.14 ms of deviation twice; without a round trip, nothing.
    varied = list(tcp_ap([Ack(n * 0.1, SIZE, 0.2 + 0.05 * (n % 2), 7) for n in range(100)], SIZE, 2e6))
    assert varied[-1] == pytest.approx(8 * SIZE / (0.07597 + 2 * 0.00714), rel=0.03)
    assert pacing.on_ack(Ack(2.0, SIZE, None, 7)) is None
