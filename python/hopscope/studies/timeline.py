"""A run over time: metrics from its series, and the figure that shows them.

An interval of throughput counts from the first one after data have arrived to the end of the run, or to the completion
of the flow or of the first of all flows. Where nothing arrives for one or more intervals in a row is a stall.
"""

from __future__ import annotations

import bisect
import itertools
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from hopscope.reporting.chart import Chart, Line, Panel
from hopscope.reporting.series import held, over_intervals
from hopscope.results import metrics
from hopscope.results.samples import Data, NoSamplesError, Run

Samples = list[tuple[float, float]]
ENDS = ("run", "completion", "first completion")


@dataclass(frozen=True)
class Timeline:
    """A flow of a run over time, up to one of `ENDS`."""

    run: Run
    flow: int = 0
    until: str = "run"

    def samples(self, name: str) -> Samples:
        """(seconds, value) of a series of the flow."""
        columns = self.run["series"][name].to_pydict()
        rows = zip(columns["flow"], columns["t_s"], columns["value"], strict=True)
        return [(t, v) for f, t, v in rows if f == self.flow]

    @property
    def interval(self) -> float:
        """Length of an interval of the throughput, seconds."""
        ends = [end for end, _ in self.samples("throughput")]
        return round(min(b - a for a, b in itertools.pairwise(ends)), 9)

    def intervals(self) -> Samples:
        """(end in seconds, kbit/s) of every interval that counts."""
        samples = self.samples("throughput")
        first = next((place for place, (_, value) in enumerate(samples) if value > 0), len(samples))
        flows = self.run["flows"] if self.until == "first completion" else [self.run["flows"][self.flow]]
        ends = [flow["completion_s"] for flow in flows if self.until != "run" and flow["completion_s"] is not None]
        return [sample for sample in samples[first + 1 :] if sample[0] <= min(ends, default=float("inf"))]

    def stalls(self) -> Samples:
        """(start, end) of every stall."""
        found: Samples = []
        step, before = self.interval, True
        for end, value in self.intervals():
            if value > 0:
                before = True
            elif before:
                found.append((end - step, end))
                before = False
            else:
                found[-1] = (found[-1][0], end)
        return found

    def least_window(self, start: float, end: float) -> float | None:
        """Smallest usable window between two instants; none before the first one is known."""
        samples = self.samples("cwnd")
        times = [time for time, _ in samples]
        first = max(0, bisect.bisect_right(times, start) - 1)
        return min((value for _, value in samples[first : bisect.bisect_left(times, end)]), default=None)

    def values(self) -> list[float]:
        """Throughput of every interval that counts; none when all of it is nothing."""
        values = [value for _, value in self.intervals()]
        return values if any(values) else []


def _share(found: Sequence[bool]) -> float | None:
    return 100 * sum(found) / len(found) if found else None


OVER_TIME: Mapping[str, Callable[[Timeline], float | None]] = {
    "timeouts": lambda line: float(line.run["flows"][line.flow]["timeouts"]),
    "stalls": lambda line: float(len(line.stalls())),
    "longest stall": lambda line: max((end - start for start, end in line.stalls()), default=0.0),
    "idle": lambda line: _share([value == 0 for _, value in line.intervals()]),
    "least": lambda line: 100 * min(v) / statistics.fmean(v) if (v := line.values()) else None,
    "variation": lambda line: 100 * statistics.pstdev(v) / statistics.fmean(v) if (v := line.values()) else None,
    "window 1 in stalls": lambda line: _share([line.least_window(*stall) == 1 for stall in line.stalls()]),
    "least window": lambda line: (
        line.least_window(found[0][0] - line.interval, found[-1][0]) if (found := line.intervals()) else None
    ),
}
"""Number of timeouts and of stalls, seconds of the longest, per cent of intervals without throughput, the least of
the mean and the standard deviation of the mean in per cent, per cent of stalls in which the window is 1,
the smallest window."""


def metric(name: str, flow: int | str, until: str) -> Callable[[Run], float | None]:
    """One of `OVER_TIME` as a function of a run, for a flow by number or the `slower` while all are active."""

    def value(run: Run) -> float | None:
        rates = [flow["shared_kbps"] or 0.0 for flow in run["flows"]] if flow == "slower" else []
        return OVER_TIME[name](Timeline(run, rates.index(min(rates)) if rates else int(flow), until))

    return value


def over_time(data: Data, label: str, chart: Chart, series: Mapping[str, str]) -> list[Chart]:
    """Series (name: heading) of the flows of the first run of a setting, one panel each."""
    try:
        run = data[label].runs()[0]
    except (KeyError, NoSamplesError):
        return []
    ends = [flow["completion_s"] for flow in run["flows"]]
    # Transfers that are over have nothing more to show.
    end = float(run["series"]["throughput"]["t_s"][-1].as_py() if None in ends else 1.02 * max(ends))
    flows = [Timeline(run, flow) for flow in range(len(run["flows"]))]
    panels = [
        Panel(title, [_line(line, name, end, len(flows)) for line in flows if line.samples(name)])
        for name, title in series.items()
    ]
    caption = f"{chart.caption}: {label}, seed {run['seed']}."
    return [replace(chart, caption=caption, panels=panels, limits=(0.0, end))]


def _line(line: Timeline, name: str, end: float, flows: int) -> Line:
    """A series of a flow from the interval in which data first arrived."""
    found, samples = line.intervals(), line.samples(name)
    start = found[0][0] - 2 * line.interval if found else 0.0
    first = max(0, bisect.bisect_right([time for time, _ in samples], start) - 1)
    times, values = [max(start, t) for t, _ in samples[first:]], [value for _, value in samples[first:]]
    of_intervals = metrics.series(name).course == "intervals"
    steps = over_intervals(times, values, line.interval) if of_intervals else held(times, values, end)
    return Line(f"flow {line.flow + 1}" if flows > 1 else "", *steps)
