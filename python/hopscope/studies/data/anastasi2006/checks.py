"""anastasi2006: what its figures over time show, read from the series of a run."""

from __future__ import annotations

import bisect

from hopscope.report.chart import Chart, Line, Panel
from hopscope.report.series import INTERVALS, held, over_intervals
from hopscope.results.samples import Data, NoSamplesError, Run

INTERVAL = 0.2
"""Length of an interval of the throughput series, seconds: the shortest retransmission timeout, so that a stall that
TCP notices leaves an interval without throughput."""


def intervals(run: Run) -> list[tuple[float, float]]:
    """(end in seconds, kbit/s) of every interval after the one in which data first arrived."""
    series = run["series"]["throughput"]
    samples = list(zip(series["t_s"], series["value"], strict=True))
    first = next((place for place, (_, value) in enumerate(samples) if value > 0), len(samples))
    return samples[first + 1 :]


def stalls(run: Run) -> list[tuple[float, float]]:
    """(start, end) of every time in which nothing arrived: one or more intervals in a row."""
    found: list[tuple[float, float]] = []
    before = True
    for end, value in intervals(run):
        if value > 0:
            before = True
        elif before:
            found.append((end - INTERVAL, end))
            before = False
        else:
            found[-1] = (found[-1][0], end)
    return found


def number_of_stalls(run: Run) -> float:
    """How often nothing arrived for an interval or longer."""
    return float(len(stalls(run)))


def stalled_share(run: Run) -> float | None:
    """Share of the intervals in which nothing arrived, per cent."""
    values = [value for _, value in intervals(run)]
    return 100 * sum(value == 0 for value in values) / len(values) if values else None


def lowest_share(run: Run) -> float | None:
    """Least throughput of an interval as a share of the mean of all, per cent."""
    values = [value for _, value in intervals(run)]
    mean = sum(values) / len(values) if values else 0.0
    return 100 * min(values) / mean if mean else None


def lowest_window(run: Run, start: float, end: float) -> float | None:
    """Smallest usable window between two instants; none before the first one is known."""
    series = run["series"]["cwnd"]
    first = bisect.bisect_right(series["t_s"], start) - 1
    last = bisect.bisect_left(series["t_s"], end)
    found = series["value"][max(0, first) : last]
    return min(found) if found else None


def window_in_stalls(run: Run) -> float | None:
    """Share of the stalls in which the window was 1 at some time, per cent."""
    found = stalls(run)
    return 100 * sum(lowest_window(run, *stall) == 1 for stall in found) / len(found) if found else None


def narrowest_window(run: Run) -> float | None:
    """Smallest usable window after the interval in which data first arrived."""
    samples = intervals(run)
    return lowest_window(run, samples[0][0] - INTERVAL, samples[-1][0]) if samples else None


def _line(run: Run, name: str) -> Line:
    """A series of flow 0 from the interval in which data first arrived."""
    start = intervals(run)[0][0] - 2 * INTERVAL if intervals(run) else 0.0
    series = run["series"][name]
    first = max(0, bisect.bisect_right(series["t_s"], start) - 1)
    times, values = [max(start, t) for t in series["t_s"][first:]], series["value"][first:]
    steps = over_intervals(times, values, INTERVAL) if name in INTERVALS else held(times, values, _end(run))
    return Line("", *steps)


def _end(run: Run) -> float:
    """End of the run: of its last interval."""
    return float(run["series"]["throughput"]["t_s"][-1])


def over_time(data: Data, label: str) -> list[Chart]:
    """Throughput, window and route of one run, as the figure shows them."""
    if label not in data:
        return []
    try:
        run = data[label].runs()[0]
    except NoSamplesError:
        return []
    titles = (("throughput", "throughput (kbit/s)"), ("cwnd", "window (segments)"), ("route", "route at source"))
    panels = [Panel(title, [_line(run, name)]) for name, title in titles]
    return [
        Chart(
            "over-time",
            f"Throughput in intervals of {INTERVAL:g} s, usable window, and whether the source has a route (1) or none "
            f"(0): {label}, seed {run['seed']}.",
            "time (s)",
            "",
            panels,
            kind="steps",
            stacked=True,
            limits=(0.0, _end(run)),
        )
    ]
