"""fu2003, Figures 8 and 9: Link RED alone and adaptive pacing alone over a chain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hopscope.catalog.fu2003.shared import (
    CHAIN,
    CONTENTION,
    DROP_PROBABILITY,
    LAYER,
    LAYER_NOTE,
    PROFILE_NOTE,
    SOURCE,
    THROUGHPUT,
    UNPRINTED,
    WINDOW,
    chain,
    flow,
    profiles,
)
from hopscope.report.chart import Chart, Line, Panel
from hopscope.results.comparisons import Verdict, best, difference, gain
from hopscope.results.samples import Data, Estimate, Run, Table, Where, estimate, show
from hopscope.results.stats import number
from hopscope.studies.charts import sweep
from hopscope.studies.entry import Entry, Quantity, Statement
from hopscope.studies.judge import between, each, every, mean_of

PLAIN, LRED, PACING, BOTH = "plain", "lred", "pacing", "lred+pacing"
NAMES = {PLAIN: "NewReno", LRED: "Link RED", PACING: "pacing", BOTH: "Link RED and pacing"}
RTT = "flow.0.mean_rtt_ms"
MEAN_WINDOW = "flow.0.mean_cwnd"
ECN = {"tcp": {"ecn": True}}
"""What a flow needs for Link RED to mark its packets."""

_OPTIMUM = 3
_SIZES = range(1, 33)


# --- Figure 8: Link RED alone ---------------------------------------------------------------------------------------

LRED_STUDIES = profiles(
    {**CHAIN, "topology": chain(7), "flow": [flow(0, "last", **ECN)], "sweep": {LAYER: [PLAIN, LRED]}},
    label="7-hop chain, Link RED",
)


def window_spread(run: Run) -> float:
    """Standard deviation over time of the whole window of flow 0, packets."""
    share = {int(size): part for size, part in run["flows"][0]["cwnd_share"].items()}
    mean = sum(size * part for size, part in share.items())
    return math.sqrt(sum(part * (size - mean) ** 2 for size, part in share.items()))


def _share(table: Table, where: Where, size: int) -> Estimate:
    """Share of the time at a window of `size` whole packets; a size that never occurs has none."""
    return estimate([run["flows"][0]["cwnd_share"].get(str(size), 0.0) for run in table.runs(where)])


def usual_window(table: Table, where: Where) -> int:
    """The whole window at which flow 0 spends most time, packets."""
    return max(_SIZES, key=lambda size: _share(table, where, size).mean)


def _narrower(table: Table) -> tuple[Verdict, str]:
    gap = difference(table, window_spread, {LAYER: LRED}, {LAYER: PLAIN})
    peak, before = (usual_window(table, {LAYER: layer}) for layer in (LRED, PLAIN))
    spreads = " against ".join(show(table.interval(window_spread, {LAYER: layer})) for layer in (LRED, PLAIN))
    words = f"standard deviation {spreads} packets; most often at {peak}, without at {before}"
    return every([gap.is_lower, abs(peak - _OPTIMUM) <= 1]), words


def _drops_vanish(table: Table) -> tuple[Verdict, str]:
    plain, lred = (table.interval(CONTENTION, {LAYER: layer}) for layer in (PLAIN, LRED))
    words = f"{show(lred)} drops per run against {show(plain)}"
    return plain.mean > 0 and lred.mean <= 0.1 * plain.mean, words


def _window_chart(data: Data) -> list[Chart]:
    panels = []
    for table in data:
        lines = []
        for layer in (PLAIN, LRED):
            found = [_share(table, {LAYER: layer}, size) for size in _SIZES]
            lines.append(Line(NAMES[layer], list(_SIZES), [100 * i.mean for i in found], [_percent(i) for i in found]))
        panels.append(Panel(table.label, lines, guides=[(_OPTIMUM, "published peak: 3")]))
    return [
        Chart(
            "time-at-window",
            "Share of the time that the usable window of one NewReno flow spends at each whole size, 7-hop chain.",
            "window (packets)",
            "share of the time (%)",
            panels,
        )
    ]


def _percent(value: Estimate) -> float | None:
    return None if value.ci95 is None else 100 * value.ci95


_FIG8_NOTES = [
    PROFILE_NOTE,
    LAYER_NOTE,
    "The statements of both panels are numbered together.",
]

FIG8_LEFT = Entry(
    key="fu2003.fig8-left",
    title="Window of TCP with Link RED",
    source=SOURCE,
    item="Figure 8, left",
    description="One NewReno flow over the 7-hop chain with a receiver window of 32: how long its window stays at each "
    "size, without link layer and with Link RED.",
    settings=LRED_STUDIES,
    quantities=[
        Quantity(f"{what}, {NAMES[layer]}", "segments", mean_of(metric, {LAYER: layer}), None, UNPRINTED)
        for layer in (PLAIN, LRED)
        for what, metric in (("mean window", MEAN_WINDOW), ("standard deviation of the window", window_spread))
    ],
    statements=[
        Statement(
            "c1",
            "With Link RED the window keeps to a narrower range, mostly near 3 (judged: smaller standard deviation, "
            "most time at 2, 3 or 4).",
            each(_narrower),
        )
    ],
    charts=_window_chart,
    notes=_FIG8_NOTES,
)

FIG8_RIGHT = Entry(
    key="fu2003.fig8-right",
    title="Link drops with Link RED",
    source=SOURCE,
    item="Figure 8, right",
    description="The runs of Figure 8 left: drops at the retry limit.",
    settings=LRED_STUDIES,
    quantities=[
        Quantity(f"contention drops, {NAMES[layer]}", "packets", mean_of(CONTENTION, {LAYER: layer}), None, UNPRINTED)
        for layer in (PLAIN, LRED)
    ],
    statements=[
        Statement(
            "c2", "With Link RED contention drops nearly vanish (judged: at most a tenth is left).", each(_drops_vanish)
        )
    ],
    notes=_FIG8_NOTES,
)


# --- Figure 9: pacing alone -----------------------------------------------------------------------------------------

_WINDOWS = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32]
_CAPTION = "8-hop chain (caption)"


def _pacing_studies(hops: int, label: str, *, decides: bool) -> Sequence[Any]:
    return profiles(
        {**CHAIN, "topology": chain(hops), "sweep": {LAYER: [PLAIN, PACING], WINDOW: _WINDOWS}},
        quick={"sweep": {LAYER: [PLAIN, PACING], WINDOW: [1, 3, 4, 32]}},
        label=label,
        decides=decides,
    )


PACING_STUDIES = [
    *_pacing_studies(7, "7-hop chain, pacing", decides=True),
    *_pacing_studies(8, _CAPTION, decides=False),
]


def _places(window: int) -> tuple[dict[str, Any], dict[str, Any]]:
    return {LAYER: PACING, WINDOW: window}, {LAYER: PLAIN, WINDOW: window}


def _never_worse(table: Table) -> tuple[Verdict, str]:
    found = {window: gain(table, THROUGHPUT, *_places(window)) for window in table.values(WINDOW)}
    worse = [w for w, value in found.items() if value.mean + (value.ci95 or 0.0) < 0]
    largest = max(found, key=lambda window: found[window].mean)
    least = min(found, key=lambda window: found[window].mean)
    words = f"largest gain {show(found[largest], '%')} at {largest}, smallest {show(found[least], '%')} at {least}"
    verdict = between(found[largest], 5, 15)
    return every([not worse, verdict]), words


def _overload_left(table: Table) -> tuple[Verdict, str]:
    peak = best(table, WINDOW, THROUGHPUT, {LAYER: PACING})
    last = table.values(WINDOW)[-1]
    gap = difference(table, THROUGHPUT, {LAYER: PACING, WINDOW: last}, {LAYER: PACING, WINDOW: peak.at})
    words = f"with pacing {peak.words('kbit/s')}; at {last} {gap.words('kbit/s')}"
    return False if peak.at == last else gap.is_lower, words


def _fewer_drops(table: Table) -> tuple[Verdict, str]:
    verdicts: list[Verdict] = []
    words = []
    for window in table.values(WINDOW):
        plain = table.interval(CONTENTION, {LAYER: PLAIN, WINDOW: window})
        if plain.mean < 10:
            continue
        verdicts.append(difference(table, CONTENTION, *_places(window)).is_lower)
        paced = table.interval(CONTENTION, {LAYER: PACING, WINDOW: window})
        words.append(f"{window}: {number(paced.mean)} against {number(plain.mean)}")
    return bool(verdicts) and every(verdicts), "drops per run by window: " + "; ".join(words)


def _rtt_kept(table: Table) -> tuple[Verdict, str]:
    found = {w: gain(table, RTT, *_places(w)) for w in table.values(WINDOW) if w <= _OPTIMUM + 1}
    words = "; ".join(f"window {window}: {show(value, '%')}" for window, value in found.items())
    return all(value.mean <= 5 for value in found.values()), words


def _by_layer(data: Data, **what: Any) -> list[Chart]:
    chart = sweep(
        data,
        x=WINDOW,
        lines={NAMES[layer]: {LAYER: layer} for layer in (PLAIN, PACING)},
        xlabel="receiver window MaxWin (packets)",
        only=lambda label: not label.endswith(_CAPTION),
        **what,
    )
    return [chart]


def _fig9_quantities(what: str, unit: str, metric: str) -> list[Quantity]:
    return [
        Quantity(
            f"{what}, {NAMES[layer]}, window {window}",
            unit,
            mean_of(metric, {LAYER: layer, WINDOW: window}),
            None,
            UNPRINTED,
        )
        for window in (3, 4, 8, 32)
        for layer in (PLAIN, PACING)
    ]


_FIG9_NOTES = [
    PROFILE_NOTE,
    "The text has 7 hops, the caption 8: the text decides, the other is shown for contrast.",
    "Caption and text disagree on the order of the panels: that of the caption is taken. The statements of all three "
    "are numbered together.",
    "The overhead of the longer back-off is not published: a whole exchange is assumed, counted like the back-off only "
    "while the medium is idle (fu2003.sensitivity varies both).",
]

FIG9_LEFT = Entry(
    key="fu2003.fig9-left",
    title="Throughput with adaptive pacing",
    source=SOURCE,
    item="Figure 9, left",
    description="One NewReno flow over a chain with and without adaptive pacing, over the receiver window.",
    settings=PACING_STUDIES,
    quantities=_fig9_quantities("throughput", "kbit/s", THROUGHPUT),
    statements=[
        Statement(
            "c1",
            "With pacing no window carries less, and up to about 10 % more is carried near the best window (judged: no "
            "window significantly lower, largest gain 5 to 15 %).",
            each(_never_worse),
        ),
        Statement(
            "c4",
            "Pacing alone still lets large windows overload the chain (judged: with pacing the window of 32 carries "
            "less than the best one).",
            each(_overload_left),
        ),
    ],
    charts=lambda data: _by_layer(
        data,
        name="throughput-over-window",
        caption="Throughput of one NewReno flow over the receiver window, with and without adaptive pacing.",
        y=THROUGHPUT,
        ylabel="throughput (kbit/s)",
    ),
    notes=_FIG9_NOTES,
)

FIG9_MIDDLE = Entry(
    key="fu2003.fig9-middle",
    title="Link drops with adaptive pacing",
    source=SOURCE,
    item="Figure 9, middle",
    description="The runs of Figure 9 left: drops at the retry limit.",
    settings=PACING_STUDIES,
    quantities=_fig9_quantities("link drop probability", "", DROP_PROBABILITY),
    statements=[
        Statement(
            "c2",
            "Pacing makes link drops fewer (judged at every window with ten drops a run or more without it).",
            each(_fewer_drops),
        )
    ],
    charts=lambda data: _by_layer(
        data,
        name="link-drops-over-window",
        caption="Drop probability of the links over the receiver window, with and without adaptive pacing.",
        y=DROP_PROBABILITY,
        ylabel="link drop probability",
    ),
    notes=_FIG9_NOTES,
)

FIG9_RIGHT = Entry(
    key="fu2003.fig9-right",
    title="Round-trip time with adaptive pacing",
    source=SOURCE,
    item="Figure 9, right",
    description="The runs of Figure 9 left: mean round-trip time.",
    settings=PACING_STUDIES,
    quantities=_fig9_quantities("round-trip time", "ms", RTT),
    statements=[
        Statement(
            "c3",
            "Up to the best window and around it pacing keeps the round-trip time or shortens it a little (judged: at "
            "most 5 % longer at windows up to 4).",
            each(_rtt_kept),
        )
    ],
    charts=lambda data: _by_layer(
        data,
        name="rtt-over-window",
        caption="Mean round-trip time over the receiver window, with and without adaptive pacing.",
        y=RTT,
        ylabel="round-trip time (ms)",
    ),
    notes=_FIG9_NOTES,
)
