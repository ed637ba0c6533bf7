"""afrakhteh2005: what its experiments say of the capacity that a setting has itself."""

from __future__ import annotations

from hopscope.results.comparisons import Verdict
from hopscope.results.samples import NoSamplesError, Table
from hopscope.results.stats import number
from hopscope.studies.measures import position
from hopscope.studies.verbs import Check

THROUGHPUT, DELAY, JITTER = "flow.0.throughput_kbps", "flow.0.delay_ms", "flow.0.jitter_ms"


def _capacity(check: Check, table: Table) -> float:
    return table.mean(THROUGHPUT, {check.along: table.values(check.along)[-1]})


def _places(check: Check, table: Table, *, above: bool) -> list[dict[str, str]]:
    """The rates at least 1 % below or above the capacity, as places."""
    limit = (1.01 if above else 0.99) * _capacity(check, table)
    rates = [rate for rate in table.values(check.along) if (position(rate) > limit) == above]
    if not rates:
        raise NoSamplesError(f"no swept rate is {'above' if above else 'below'} the capacity")
    return [{check.along: rate} for rate in rates]


def transparent_below(check: Check, table: Table) -> tuple[Verdict, str]:
    """Output equals input, and nothing is lost, below the capacity."""
    places = _places(check, table, above=False)
    loss = max(table.mean(check.measure, at) for at in places)
    gap = max(abs(table.mean(THROUGHPUT, at) / position(at[check.along]) - 1) for at in places)
    words = f"up to {places[-1][check.along]}: output within {100 * gap:.2f} % of input, loss at most {number(loss)} %"
    return gap <= 0.005 and loss <= 0.1, words


def flat_below(check: Check, table: Table) -> tuple[Verdict, str]:
    """Delay and jitter are flat below the capacity."""
    places = _places(check, table, above=False)
    delay, jitter = ([table.mean(metric, at) for at in places] for metric in (DELAY, JITTER))
    words = f"delay {number(min(delay))} to {number(max(delay))} ms, jitter up to {number(max(jitter))} ms"
    return max(delay) <= 1.15 * min(delay) and abs(delay[0] - 6) <= 1.5 and max(jitter) < 1, words


def excess_lost(check: Check, table: Table) -> tuple[Verdict, str]:
    """What exceeds the capacity is lost."""
    capacity, places = _capacity(check, table), _places(check, table, above=True)
    losses = {at[check.along]: table.mean(check.measure, at) for at in places}
    gaps = {rate: loss - 100 * (1 - capacity / position(rate)) for rate, loss in losses.items()}
    worst = max(gaps, key=lambda rate: abs(gaps[rate]))
    last = list(losses.values())[-1]
    words = f"loss {number(last)} % at the highest rate; largest gap {gaps[worst]:+.2f} points at {worst}"
    return last > 0 and abs(gaps[worst]) <= 0.5, words
