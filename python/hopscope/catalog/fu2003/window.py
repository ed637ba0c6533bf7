"""fu2003, Figure 2: throughput over the window, best window and best throughput over the path length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hopscope.catalog.fu2003.shared import (
    ACK_NOTE,
    CHAIN,
    HOPS,
    PACKET,
    PROFILE_NOTE,
    SOURCE,
    THROUGHPUT,
    WINDOW,
    profiles,
)
from hopscope.errors import ranges
from hopscope.models.window import optimal_window_chain
from hopscope.report.chart import Chart
from hopscope.results.comparisons import Verdict, best, difference
from hopscope.results.samples import Data, Estimate, NoSamplesError, Table, show
from hopscope.results.stats import number
from hopscope.studies.charts import sweep
from hopscope.studies.entry import Entry, Quantity, Statement
from hopscope.studies.judge import each, every, mean_of, per_seed, rank_correlation, slope, within

# --- Figure 2 left: throughput over the window ----------------------------------------------------------------------

_PACKETS = [576, 1024, 1460]
_FIG2_LEFT = {**CHAIN, "sweep": {PACKET: _PACKETS, WINDOW: list(range(1, 33))}}


def _peak_at_three(table: Table) -> tuple[Verdict, str]:
    found = {size: best(table, WINDOW, THROUGHPUT, {PACKET: size}) for size in table.values(PACKET)}
    words = "; ".join(f"{size} B: {peak.words('kbit/s')}" for size, peak in found.items())
    return every(peak.has(3) for peak in found.values()), words


def _linear_start(table: Table) -> tuple[Verdict, str]:
    holds, words = True, []
    for size in table.values(PACKET):
        one, two, three = (table.mean(THROUGHPUT, {PACKET: size, WINDOW: window}) for window in (1, 2, 3))
        holds &= one < two < three and (three - two) >= 0.5 * (two - one)
        words.append(f"{size} B: {number(two - one)} then {number(three - two)} kbit/s per packet of window")
    return holds, "; ".join(words)


def _falls_then_settles(table: Table) -> tuple[Verdict, str]:
    verdicts: list[Verdict] = []
    words = []
    for size in table.values(PACKET):
        fall = difference(table, THROUGHPUT, {PACKET: size, WINDOW: 32}, {PACKET: size, WINDOW: 3})
        tail = [i.mean for window, i in table.curve(WINDOW, THROUGHPUT, {PACKET: size}) if window >= 16]
        spread = (max(tail) - min(tail)) / (sum(tail) / len(tail))
        verdicts += [fall.is_lower, spread <= 0.05]
        words.append(f"{size} B: window 32 minus 3: {fall.words('kbit/s')}; spread over 16 to 32: {100 * spread:.1f} %")
    return every(verdicts), "; ".join(words)


def _default_below_best(table: Table) -> tuple[Verdict, str]:
    found = {
        size: difference(table, THROUGHPUT, {PACKET: size, WINDOW: 32}, {PACKET: size, WINDOW: 3})
        for size in table.values(PACKET)
    }
    words = "; ".join(f"{size} B: window 32 minus 3: {gap.words('kbit/s')}" for size, gap in found.items())
    return every(gap.is_lower for gap in found.values()), words


def optimum(key: str, where: Mapping[str, Any] | None = None) -> Callable[[Table], Estimate | None]:
    """Measure: the swept value with the best mean throughput; the extremes are those within noise of it."""

    def measure(table: Table) -> Estimate | None:
        try:
            return best(table, key, THROUGHPUT, where).value()
        except NoSamplesError:
            return None

    return measure


FIG2_LEFT = Entry(
    key="fu2003.fig2-left",
    title="Throughput over the window, 7-hop chain",
    source=SOURCE,
    item="Figure 2, left",
    description="One NewReno flow crosses a 7-hop chain for 300 s; the receiver window (MaxWin) goes from 1 to 32 "
    "packets for three packet sizes.",
    settings=profiles(
        _FIG2_LEFT,
        quick={
            "duration": "60s",
            "seeds": 3,
            "sweep": {PACKET: _PACKETS, WINDOW: [1, 2, 3, 4, 5, 8, 16, 24, 32]},
        },
    ),
    quantities=[
        Quantity(
            f"best window, {size} B",
            "packets",
            optimum(WINDOW, {PACKET: size}),
            3,
            "Figure 2 caption and text",
            relative=False,
        )
        for size in _PACKETS
    ]
    + [
        Quantity(
            f"throughput at window {window}, 1460 B",
            "kbit/s",
            mean_of(THROUGHPUT, {PACKET: 1460, WINDOW: window}),
            None,
            "only drawn, no number printed",
        )
        for window in (1, 3, 32)
    ],
    statements=[
        Statement(
            "c1",
            "Throughput is largest at a window of 3 packets for each packet size "
            "(judged: the best mean is at 3; undecided when another window is best within noise).",
            each(_peak_at_three),
        ),
        Statement(
            "c2",
            "Throughput grows almost linearly up to a window of 3 "
            "(judged: it grows, and the step from 2 to 3 gains at least half of what the step from 1 to 2 gains).",
            each(_linear_start),
        ),
        Statement(
            "c3",
            "Beyond 3 packets it decreases and in the end is stable "
            "(judged: lower at 32 than at 3, and means at 16 to 32 within 5 % of one another).",
            each(_falls_then_settles),
        ),
        Statement("c4", "Throughput at the default window of 32 is below that at 3.", each(_default_below_best)),
    ],
    charts=lambda data: [
        sweep(
            data,
            name="throughput-over-window",
            caption="Throughput of one NewReno flow over the receiver window, 7-hop chain, 200 m spacing, 2 Mbit/s.",
            x=WINDOW,
            y=THROUGHPUT,
            by=(PACKET, "{} B"),
            xlabel="receiver window MaxWin (packets)",
            ylabel="throughput (kbit/s)",
            guides=[(3, "published best: 3")],
            legend_title="packet size",
        )
    ],
    notes=[PROFILE_NOTE, ACK_NOTE, "The curves themselves are not printed as numbers; only the best window is."],
)


# --- Figure 2 middle and right: optimal window and best throughput over the path length -----------------------------

_HOPS = [3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 40, 48]
_WINDOWS = [*range(1, 17), 20, 24, 32]
_HOPS_STUDIES = profiles(
    # ns-2's default time to live of 32 would end every packet before the 40th hop.
    {**CHAIN, "net": {"ttl": 64}, "sweep": {HOPS: _HOPS, WINDOW: _WINDOWS}},
    quick={"sweep": {HOPS: [3, 7, 12, 24], WINDOW: [1, 2, 4, 6, 8, 32]}},
    label="chains of 3 to 48 hops",
)


def _slope_quarter(table: Table) -> tuple[Verdict, str]:
    hops = table.values(HOPS)

    def fit(study: Table, seed: int) -> float:
        return slope([float(h) for h in hops], [_optimum_of_seed(study, h, seed) for h in hops])

    found = per_seed(fit)(table)
    return within(found, 0.25, 0.2), f"slope {show(found)} packets per hop (fit of each seed's optimum)"


def _optimum_of_seed(table: Table, hops: int, seed: int) -> float:
    reached = {
        window: values[seed]
        for window in table.values(WINDOW)
        if seed in (values := table.by_seed(THROUGHPUT, {HOPS: hops, WINDOW: window}))
    }
    if not reached:
        raise NoSamplesError(f"no throughput at {hops} hops with seed {seed}")
    return float(max(reached, key=lambda window: reached[window]))


def _within_two(table: Table) -> tuple[Verdict, str]:
    verdicts: list[Verdict] = []
    words = []
    for hops in table.values(HOPS):
        peak = best(table, WINDOW, THROUGHPUT, {HOPS: hops})
        tied = any(abs(window - hops / 4) <= 2 for window in peak.ties)
        verdicts.append(True if abs(peak.at - hops / 4) <= 2 else None if tied else False)
        others = [window for window in peak.ties if window != peak.at]
        words.append(f"{hops} hops: {peak.at}" + (f" (within noise {ranges(others)})" if others else ""))
    return every(verdicts), "best window: " + "; ".join(words)


def quarter(hops: int, windows: list[int]) -> int:
    """The swept window nearest to a quarter of the hops, at least 1; of two equally near, the larger."""
    return min(windows, key=lambda window: (abs(window - max(1.0, hops / 4)), -window))


def _throughput_at_quarter(table: Table) -> list[tuple[int, Estimate]]:
    windows = table.values(WINDOW)
    return [
        (hops, table.interval(THROUGHPUT, {HOPS: hops, WINDOW: quarter(hops, windows)})) for hops in table.values(HOPS)
    ]


def _decreasing_trend(table: Table) -> tuple[Verdict, str]:
    curve = _throughput_at_quarter(table)
    trend = rank_correlation([h for h, _ in curve], [i.mean for _, i in curve])
    (first, top), (last, bottom) = curve[0], curve[-1]
    words = f"{show(top, 'kbit/s')} at {first} hops, {show(bottom, 'kbit/s')} at {last}; rank correlation {trend:.2f}"
    return trend <= -0.8 and bottom.mean < top.mean, words


def _optimum_at(table: Table, where: Mapping[str, Any]) -> Estimate | None:
    return optimum(WINDOW, where)(table)


def _optimum_chart(data: Data) -> list[Chart]:
    chart = sweep(
        data,
        name="optimal-window-over-hops",
        caption="Window with the best mean throughput over the length of the chain, one NewReno flow.",
        x=HOPS,
        value=_optimum_at,
        xlabel="path length h (hops)",
        ylabel="best window (packets)",
        reference=("h/4 (published rule)", lambda hops: optimal_window_chain(int(hops))),
    )
    return [chart]


def _best_chart(data: Data) -> list[Chart]:
    return [
        sweep(
            data,
            name="throughput-over-hops",
            caption="Throughput at a window of h/4 over the length of the chain, one NewReno flow.",
            x=HOPS,
            y=THROUGHPUT,
            xlabel="path length h (hops)",
            ylabel="throughput (kbit/s)",
            at=lambda hops, table: {WINDOW: quarter(hops, table.values(WINDOW))},
        )
    ]


_HOPS_NOTE = (
    "The path lengths of the figure are not listed; 3 to 48 hops in 14 steps are assumed. Packets may take 64 hops; "
    "with ns-2's default of 32 nothing would cross 40 or 48."
)

FIG2_MIDDLE = Entry(
    key="fu2003.fig2-middle",
    title="Best window over the path length",
    source=SOURCE,
    item="Figure 2, middle",
    description="One NewReno flow over chains of 3 to 48 hops; for each length the window with the best throughput.",
    settings=_HOPS_STUDIES,
    quantities=[
        Quantity(
            f"best window, {hops} hops",
            "packets",
            optimum(WINDOW, {HOPS: hops}),
            hops / 4,
            "the rule h/4 of the text",
            relative=False,
        )
        for hops in _HOPS
    ],
    statements=[
        Statement(
            "c1",
            "The best window grows by about a quarter of a packet per hop "
            "(judged: slope of the fitted line 0.20 to 0.30).",
            each(_slope_quarter),
        ),
        Statement(
            "c2",
            "The best window is within 2 packets of h/4 for every length (judged on the best mean; undecided "
            "when only windows within noise of it are).",
            each(_within_two),
        ),
    ],
    charts=_optimum_chart,
    notes=[PROFILE_NOTE, _HOPS_NOTE, "Of the windows above 16 only 20, 24 and 32 are swept."],
)

FIG2_RIGHT = Entry(
    key="fu2003.fig2-right",
    title="Best throughput over the path length",
    source=SOURCE,
    item="Figure 2, right",
    description="The runs of Figure 2 middle: throughput at a window of h/4 packets over the length of the chain.",
    settings=_HOPS_STUDIES,
    quantities=[
        Quantity(
            f"throughput, {hops} hops, window {quarter(hops, _WINDOWS)}",
            "kbit/s",
            mean_of(THROUGHPUT, {HOPS: hops, WINDOW: quarter(hops, _WINDOWS)}),
            None,
            "only drawn, no number printed",
        )
        for hops in _HOPS
    ],
    statements=[
        Statement(
            "c1",
            "Throughput falls with the path length (judged: rank correlation at most -0.8, and lower at the longest "
            "chain than at the shortest).",
            each(_decreasing_trend),
        )
    ],
    charts=_best_chart,
    notes=[PROFILE_NOTE, _HOPS_NOTE, "h/4 is rounded to the nearest swept window, upwards in the middle."],
)
