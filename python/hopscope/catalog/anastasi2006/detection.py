"""anastasi2006, Figures 8 to 10: what false link failures do to throughput and window over time."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hopscope.catalog.anastasi2006.shared import (
    FALSE_FAILURES,
    HELLO,
    HOPS,
    LENGTHS,
    LINK_LAYER,
    NO_ROUTE,
    SIMULATION_NOTES,
    SOURCE,
    THROUGHPUT,
    WINDOW,
    WINDOWS,
    beside,
    chain,
    profiles,
)
from hopscope.catalog.entry import Entry, Quantity, Statement, Study
from hopscope.catalog.judge import each, every, exceeds, mean_of, near
from hopscope.report.chart import Chart, Line, Panel
from hopscope.report.series import INTERVALS, held, over_intervals
from hopscope.results.comparisons import Verdict, difference
from hopscope.results.samples import Data, Metric, NoSamplesError, Run, Table, show
from hopscope.results.stats import number

INTERVAL = 0.2
"""Length of an interval of the throughput series, seconds: the shortest retransmission timeout, so that a stall that
TCP notices leaves an interval without throughput."""

_SERIES: Mapping[str, Any] = {"series": {"keep": ["throughput", "cwnd", "route"], "interval": f"{INTERVAL}s"}}
LL = profiles(chain("fig8", LINK_LAYER, **_SERIES), "AODV-LL")
HELLOS = profiles(chain("fig9", HELLO, **_SERIES), "AODV-HELLO")

INTERVAL_NOTE = (
    "The intervals over which the throughput was taken are not given; 0.2 s is the shortest retransmission timeout of "
    "profile ns2. The first interval with data, in which the route was found, is left out."
)

# --- What the series say --------------------------------------------------------------------------------------------


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
    held = series["value"][max(0, first) : last]
    return min(held) if held else None


def window_in_stalls(run: Run) -> float | None:
    """Share of the stalls in which the window was 1 at some time, per cent."""
    found = stalls(run)
    return 100 * sum(lowest_window(run, *stall) == 1 for stall in found) / len(found) if found else None


def narrowest_window(run: Run) -> float | None:
    """Smallest usable window after the interval in which data first arrived."""
    samples = intervals(run)
    return lowest_window(run, samples[0][0] - INTERVAL, samples[-1][0]) if samples else None


# --- Quantities and charts ------------------------------------------------------------------------------------------


_TOTALS: Sequence[tuple[str, str, Metric]] = (
    ("throughput", "kbit/s", THROUGHPUT),
    ("false link failures in 120 s", "", FALSE_FAILURES),
    ("time without a route at the source", "%", NO_ROUTE),
)
_STALLS: Sequence[tuple[str, str, Metric]] = (
    ("stalls of 0.2 s and more in 120 s", "", number_of_stalls),
    ("intervals of 0.2 s without throughput", "%", stalled_share),
    ("least throughput of an interval, of the mean", "%", lowest_share),
)


def _quantities(
    rows: Sequence[tuple[str, str, Metric]], studies: Callable[[str], bool] = lambda _label: True
) -> list[Quantity]:
    return [
        Quantity(label, unit, mean_of(metric), None, "only drawn and described", studies=studies)
        for label, unit, metric in rows
    ]


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


def _over_time(data: Data, label: str) -> list[Chart]:
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


# --- Figure 8: no failures with reports of the MAC -------------------------------------------------------------------


def _constant(table: Table) -> tuple[Verdict, str]:
    failures = max(table.samples(FALSE_FAILURES))
    share = min(table.samples(lowest_share))
    window = min(table.samples(narrowest_window))
    words = (
        f"at most {number(failures)} link failures in a run; no interval below {number(share)} % of the mean; smallest "
        f"window {number(window)}"
    )
    return failures == 0 and share >= 75 and window == 2, words


def _no_failures_elsewhere(table: Table) -> tuple[Verdict, str]:
    found = {
        (hops, window): table.mean(FALSE_FAILURES, {HOPS: hops, WINDOW: window})
        for hops in table.values(HOPS)
        for window in table.values(WINDOW)
    }
    broken = [f"{number(value)} at {hops} hops, W = {w}" for (hops, w), value in found.items() if value > 0]
    return not broken, "link failures in 120 s: " + (", ".join(broken) or "none")


OTHERS = ", other lengths and windows"


def _is_series(label: str) -> bool:
    return OTHERS not in label


FIG8 = Entry(
    key="anastasi2006.fig8",
    title="Throughput and window over time, AODV-LL, simulated",
    source=SOURCE,
    item="Figure 8",
    description="One NewReno flow with a window of 2 over 3 hops; AODV believes the MAC. Interference reaches as far "
    "as carrier sense.",
    studies=[*LL, *profiles(chain("fig8", LINK_LAYER, sweep={HOPS: LENGTHS, WINDOW: WINDOWS}), f"AODV-LL{OTHERS}")],
    quantities=_quantities([*_TOTALS, *_STALLS], _is_series),
    statements=[
        Statement(
            "c1",
            "Throughput and window are constant over time, as no link fails (judged: no link failure in any run, no "
            "interval two segments, a quarter, below the mean throughput, window always 2).",
            each(_constant, only=_is_series),
        ),
        Statement(
            "c2",
            "The other scenarios and windows are similar (judged: no link failure at any length and window).",
            each(_no_failures_elsewhere, only=lambda label: OTHERS in label),
        ),
    ],
    charts=lambda data: _over_time(data, LL[0].label),
    notes=[*SIMULATION_NOTES, INTERVAL_NOTE],
)


# --- Figure 9: false failures with HELLOs ----------------------------------------------------------------------------


def _stalls(table: Table) -> tuple[Verdict, str]:
    counts = table.samples(number_of_stalls)
    if not any(counts):
        return False, "no interval without throughput"
    at_one = table.interval(window_in_stalls)
    words = f"{number(min(counts))} to {number(max(counts))} stalls in a run; window 1 in {show(at_one, '%')} of them"
    return every([min(counts) > 0, exceeds(at_one, 90)]), words


def _profile(label: str) -> str:
    return label.partition(",")[0]


def _lower_throughput(hello: Table, ll: Table) -> tuple[Verdict, str]:
    gap = difference(hello, THROUGHPUT, {}, {}, other=ll)
    mean, reference = hello.interval(THROUGHPUT), ll.interval(THROUGHPUT)
    words = f"{show(mean, 'kbit/s')} against {show(reference, 'kbit/s')}: {gap.words('kbit/s')}"
    return gap.is_lower, words


FIG9 = Entry(
    key="anastasi2006.fig9",
    title="Throughput and window over time, AODV-HELLO, simulated",
    source=SOURCE,
    item="Figure 9",
    description="The chain of Figure 8; AODV judges links by HELLOs, two of which lost in a row make a link failure.",
    studies=[*HELLOS, *LL],
    quantities=_quantities([*_TOTALS, *_STALLS]),
    statements=[
        Statement(
            "c1",
            "There are intervals without throughput, in which a route is searched, and in them the window falls to 1 "
            "(judged: such stalls in every run, window 1 at some time in more than 90 % of them, 95 %).",
            each(_stalls, only=lambda label: "HELLO" in label),
        ),
        Statement(
            "c2",
            "The mean throughput is significantly below that of Figure 8 (judged: paired by seed, 95 %).",
            beside(lambda label: f"{_profile(label)}, AODV-LL", _lower_throughput, lambda label: "HELLO" in label),
        ),
    ],
    charts=lambda data: _over_time(data, HELLOS[0].label),
    notes=[
        *SIMULATION_NOTES,
        INTERVAL_NOTE,
        "The caption of the figure says AODV-LL; the text makes it AODV-HELLO, which is followed.",
    ],
)


# --- Figure 10: interference within carrier sense --------------------------------------------------------------------

SHORTER: Mapping[str, Mapping[str, Any]] = {
    "IF 350 m": {"interference": "range", "interference_range": "350m"},
    "IF by capture": {"interference": "capture"},
}
"""Interference ranges below the carrier-sense range of 500 m. With ns-2's own rule, a frame ten times as strong as
another survives it: at 200 m whatever begins beyond 356 m (fourth power of the distance)."""


def _shorter(mode: str, routing: Mapping[str, Any]) -> list[Study]:
    found = []
    for name, changes in SHORTER.items():
        scenario = chain("fig10", routing, **_SERIES)
        radio = {key: value for key, value in scenario["radio"].items() if not key.startswith("interference")}
        found += profiles({**scenario, "radio": {**radio, **changes}}, f"{mode}, {name}")
    return found


def _unchanged(shorter: Table, equal: Table) -> tuple[Verdict, str]:
    found, reference = shorter.interval(THROUGHPUT), equal.interval(THROUGHPUT)
    failures = max(shorter.samples(FALSE_FAILURES))
    words = f"{show(found, 'kbit/s')} against {show(reference, 'kbit/s')}; at most {number(failures)} failures in a run"
    return found.mean > 0 and near(found.mean, reference.mean, 0.02) and failures == 0, words


def _fewer_failures(shorter: Table, equal: Table) -> tuple[Verdict, str]:
    gap = difference(shorter, FALSE_FAILURES, {}, {}, other=equal)
    found, reference = shorter.interval(FALSE_FAILURES), equal.interval(FALSE_FAILURES)
    return gap.is_lower, f"{show(found)} against {show(reference)} in 120 s: {gap.words('failures')}"


def _is_shorter(mode: str) -> Callable[[str], bool]:
    return lambda label: mode in label and "IF" in label


FIG10 = Entry(
    key="anastasi2006.fig10",
    title="Interference range below carrier-sense range, simulated",
    source=SOURCE,
    item="Figure 10",
    description="The chains of Figures 8 and 9 with interference that reaches less far than carrier sense.",
    studies=[*_shorter("AODV-LL", LINK_LAYER), *_shorter("AODV-HELLO", HELLO), *LL, *HELLOS],
    quantities=_quantities(_TOTALS),
    statements=[
        Statement(
            "c1",
            "AODV-LL is unchanged (judged: throughput within 2 % of Figure 8 and no link failure in any run).",
            beside(lambda label: f"{_profile(label)}, AODV-LL", _unchanged, _is_shorter("AODV-LL")),
        ),
        Statement(
            "c2",
            "AODV-HELLO has fewer false link failures than in Figure 9 (judged: paired by seed, 95 %).",
            beside(lambda label: f"{_profile(label)}, AODV-HELLO", _fewer_failures, _is_shorter("AODV-HELLO")),
        ),
    ],
    charts=lambda data: _over_time(data, "ns2, AODV-HELLO, IF 350 m"),
    notes=[
        *SIMULATION_NOTES,
        "The interference range is not given. Two settings run: 350 m, and ns-2's own comparison of powers, by which a "
        "frame over 200 m survives whatever begins beyond 356 m.",
        "The caption of the figure says AODV-LL; the text makes it AODV-HELLO, which is followed.",
    ],
)
