"""fu2003, Figures 5 and 6 and section 4.3: how the loss of links grows with the load."""

from __future__ import annotations

import itertools
from collections import defaultdict
from pathlib import Path
from typing import Any

from hopscope.catalog.fu2003.flows import STUDIES
from hopscope.catalog.fu2003.shared import (
    CHAIN,
    CONTENTION,
    DROP_PROBABILITY,
    FIELD,
    FIELD_NOTE,
    GRID,
    GRID_NOTE,
    OVERFLOW,
    PACKET,
    PAYLOAD,
    PROFILE_NOTE,
    RANDOM,
    SOURCE,
    THROUGHPUT,
    UNPRINTED,
    WINDOW,
    WINDOWS,
    profiles,
)
from hopscope.catalog.fu2003.window import FIG2_LEFT
from hopscope.report.chart import Chart, Line, Panel
from hopscope.results.comparisons import Verdict, best, difference
from hopscope.results.samples import Data, Run, Table, estimate, show
from hopscope.results.stats import number
from hopscope.scenario import topology
from hopscope.studies.charts import sweep
from hopscope.studies.entry import Entry, Quantity, Statement
from hopscope.studies.judge import each, exceeds, gradual, mean_of, rank_correlation

_SIZE = {PACKET: PAYLOAD}
_RATE = "flow.0.rate"
_KNEE = (325, 330, 335, 340, 345, 350, 360)
"""Where drops set in under profile ns2, in smaller steps."""

_LOADS = [
    kbps * 1000 for kbps in (25, 50, 100, 150, 200, 250, 300, *_KNEE, 375, 400, 450, 500, 600, 800, 1000, 1500, 2000)
]


def overflow_share(run: Run) -> float:
    """Share of the packets that found an interface queue full."""
    lost, taken = run["network"]["queue_drops"], run["network"]["mac_packets"]
    return float(lost / (lost + taken)) if lost else 0.0


def _share_of_drops(run: Run) -> float | None:
    overflow, contention = run["network"]["queue_drops"], run["network"]["mac_retry_drops"]
    return 100 * overflow / (overflow + contention) if overflow + contention else None


# --- Figure 5, left: TCP --------------------------------------------------------------------------------------------


def _grows_with_window(table: Table) -> tuple[Verdict, str]:
    return gradual([value.mean for _, value in table.curve(WINDOW, DROP_PROBABILITY, _SIZE)])


def _first(table: Table, key: str, metric: str, where: dict[str, Any]) -> Any:
    """The smallest swept value at which a mean of at least one packet in a run is lost; `None` for none."""
    return next((at for at, value in table.curve(key, metric, where) if value.mean >= 1), None)


def _contention_first(table: Table, key: str, where: dict[str, Any], shown: str) -> tuple[Verdict, str]:
    contention, overflow = _first(table, key, CONTENTION, where), _first(table, key, OVERFLOW, where)
    words = ", ".join(
        f"{what} drops " + ("nowhere" if first is None else f"from {shown.format(first)} on")
        for what, first in (("contention", contention), ("overflow", overflow))
    )
    return contention is not None and (overflow is None or contention < overflow), words


def _tcp_contention_first(table: Table) -> tuple[Verdict, str]:
    holds, words = _contention_first(table, WINDOW, _SIZE, "a window of {}")
    share = max(value.mean for _, value in table.curve(WINDOW, overflow_share, _SIZE))
    return holds and share <= 1e-4, f"{words}; overflow at most {number(100 * share)} % of the packets"


def _loss_chart(data: Data) -> list[Chart]:
    return [
        sweep(
            data,
            name="link-drops-over-window",
            caption="Drop probability of the links (drops at the retry limit over packets taken on) over the receiver "
            "window of one NewReno flow, 7-hop chain, 1460 B.",
            x=WINDOW,
            y=DROP_PROBABILITY,
            at=lambda _window, _table: _SIZE,
            xlabel="receiver window MaxWin (packets)",
            ylabel="link drop probability",
        )
    ]


FIG5_LEFT = Entry(
    key="fu2003.fig5-left",
    title="Link drops over the TCP window",
    source=SOURCE,
    item="Figure 5, left",
    description="The runs of Figure 2 left with 1460 B: drops at the retry limit and at full queues over the window.",
    settings=FIG2_LEFT.settings,
    quantities=[
        Quantity(
            f"link drop probability, window {window}",
            "",
            mean_of(DROP_PROBABILITY, {**_SIZE, WINDOW: window}),
            None,
            UNPRINTED,
        )
        for window in (1, 3, 8, 32)
    ],
    statements=[
        Statement(
            "c1",
            "The probability of a contention drop grows gradually with the window (judged up to nine tenths of its "
            "largest value: rank correlation of at least 0.9, no step above half of the rise).",
            each(_grows_with_window),
        ),
        Statement(
            "c2",
            "Contention drops come at smaller windows than overflow drops, of which there are next to none (judged: a "
            "mean of one packet a run counts; overflow of at most 0.01 % of the packets).",
            each(_tcp_contention_first),
        ),
    ],
    charts=_loss_chart,
    notes=[PROFILE_NOTE, "The topology is not stated; the 7-hop chain of Figure 2 is assumed."],
)


# --- Figure 5, middle and right: UDP --------------------------------------------------------------------------------

LOAD_STUDIES = profiles(
    {
        **CHAIN,
        "flow": [{"from": 0, "to": "last", "transport": "udp", "app": "cbr", "packet": PAYLOAD, "rate": _LOADS[0]}],
        "sweep": {_RATE: _LOADS},
    },
    quick={"sweep": {_RATE: [load for load in _LOADS if load // 1000 in (100, 200, 300, 400, 600, 2000)]}},
    label="CBR over 7 hops",
)


def _grows_with_load(table: Table) -> tuple[Verdict, str]:
    return gradual([value.mean for _, value in table.curve(_RATE, DROP_PROBABILITY)])


def _saturates(table: Table) -> tuple[Verdict, str]:
    curve = dict(table.curve(_RATE, DROP_PROBABILITY))
    top = max(value.mean for value in curve.values())
    start = next(load for load, value in curve.items() if value.mean >= 0.9 * top)
    beyond = [value.mean for load, value in curve.items() if load >= start]
    spread = (max(beyond) - min(beyond)) / max(beyond)
    words = f"from {start / 1000:g} kbit/s on between {number(min(beyond))} and {number(max(beyond))}"
    # A level that is there at the lowest load already is no saturation.
    return start > table.values(_RATE)[0] and len(beyond) >= 3 and spread <= 0.2, words


def _falls_after(table: Table) -> tuple[Verdict, str]:
    peak = best(table, _RATE, THROUGHPUT)
    last = table.values(_RATE)[-1]
    gap = difference(table, THROUGHPUT, {_RATE: last}, {_RATE: peak.at})
    before = table.interval(DROP_PROBABILITY, {_RATE: peak.at})
    after = table.interval(DROP_PROBABILITY, {_RATE: last})
    words = (
        f"best at {peak.at / 1000:g} kbit/s ({show(peak.top, 'kbit/s')}, drop probability {show(before)}), at "
        f"{last / 1000:g} kbit/s {gap.words('kbit/s')} (drop probability {show(after)})"
    )
    if peak.at == last or after.mean <= before.mean:
        return False, words
    return gap.is_lower, words


def _udp_contention_first(table: Table) -> tuple[Verdict, str]:
    return _contention_first(table, _RATE, {}, "{} bit/s")


def _over_load(data: Data, **what: Any) -> Chart:
    return sweep(data, x=_RATE, position=lambda rate: rate / 1000, xlabel="offered load (kbit/s)", **what)


_LOAD_NOTES = [
    PROFILE_NOTE,
    "Chain, packet size and range of loads are not stated; 7 hops, 1460 B and 25 to 2000 kbit/s are assumed.",
    "Captions and text disagree on the order of the panels; those of the captions are taken: middle loss, right "
    "throughput. The statements are numbered for both panels together.",
]

FIG5_MIDDLE = Entry(
    key="fu2003.fig5-middle",
    title="Link drops over the load of a CBR flow",
    source=SOURCE,
    item="Figure 5, middle",
    description="One CBR flow over UDP crosses the 7-hop chain at rising rates: drops at the retry limit and at full "
    "queues.",
    settings=LOAD_STUDIES,
    quantities=[
        Quantity(
            f"link drop probability, {load // 1000} kbit/s",
            "",
            mean_of(DROP_PROBABILITY, {_RATE: load}),
            None,
            UNPRINTED,
        )
        for load in (200_000, 300_000, 500_000, 2_000_000)
    ],
    statements=[
        Statement(
            "c1",
            "The probability of a contention drop grows gradually with the load (judged up to nine tenths of its "
            "largest value: rank correlation of at least 0.9, no step above half of the rise).",
            each(_grows_with_load),
        ),
        Statement(
            "c2",
            "Beyond some load it stays as it is (judged: within 20 % from nine tenths of the largest value on).",
            each(_saturates),
        ),
        Statement(
            "c4",
            "Contention drops come at lower loads than overflow drops (judged: a mean of one packet a run counts).",
            each(_udp_contention_first),
        ),
    ],
    charts=lambda data: [
        _over_load(
            data,
            name="link-drops-over-load",
            caption="Drop probability of the links over the offered load of one CBR flow, 7-hop chain.",
            y=DROP_PROBABILITY,
            ylabel="link drop probability",
        )
    ],
    notes=_LOAD_NOTES,
)

FIG5_RIGHT = Entry(
    key="fu2003.fig5-right",
    title="Throughput over the load of a CBR flow",
    source=SOURCE,
    item="Figure 5, right",
    description="The runs of Figure 5 middle: what arrives.",
    settings=LOAD_STUDIES,
    quantities=[
        Quantity(f"throughput, {load // 1000} kbit/s", "kbit/s", mean_of(THROUGHPUT, {_RATE: load}), None, UNPRINTED)
        for load in (200_000, 300_000, 500_000, 2_000_000)
    ],
    statements=[
        Statement(
            "c3",
            "Throughput falls once contention has built up (judged: lower at the highest load than at the best one, "
            "with a higher drop probability).",
            each(_falls_after),
        )
    ],
    charts=lambda data: [
        _over_load(
            data,
            name="throughput-over-load",
            caption="Throughput of one CBR flow over its offered load, 7-hop chain.",
            y=THROUGHPUT,
            ylabel="throughput (kbit/s)",
        )
    ],
    notes=_LOAD_NOTES,
)


# --- Figure 6: RED and links ----------------------------------------------------------------------------------------


def _lossy_below_capacity(table: Table) -> tuple[Verdict, str]:
    peak = best(table, _RATE, THROUGHPUT)
    curve = table.curve(_RATE, DROP_PROBABILITY)
    below = [(load, value) for load, value in curve if load < peak.at]
    if not below:
        return False, f"throughput is best at the lowest load, {peak.at / 1000:g} kbit/s"
    load, value = below[-1]
    top = max(found.mean for _, found in curve)
    words = (
        f"{show(value)} at {load / 1000:g} kbit/s, below the best load of {peak.at / 1000:g} kbit/s; at most "
        f"{number(top)}"
    )
    return value.mean < top and exceeds(value, 0.0), words


def _red() -> tuple[list[float], list[float]]:
    """The drop function of RED with Hopscope's defaults: average queue, probability."""
    from hopscope.scenario import Scenario

    link = Scenario({**CHAIN, "title": "RED"}).points[0].config(1)["link"]
    low, high, most = link["red_min"], link["red_max"], link["red_max_p"]
    return [0.0, low, high, high, 2 * high], [0.0, 0.0, most, 1.0, 1.0]


def _compared(data: Data) -> list[Chart]:
    measured = _over_load(data, name="", caption="", y=DROP_PROBABILITY, ylabel="").panels[0].lines
    queue, probability = _red()
    return [
        Chart(
            "drop-functions",
            "Drop probability of RED over the average queue, and measured drop probability of the links over the "
            "offered load of one CBR flow.",
            "average queue (packets); offered load (kbit/s)",
            "drop probability",
            [Panel("RED in a wired router", [Line("RED", queue, probability)]), Panel("links, measured", measured)],
            own_axes=True,
        )
    ]


FIG6 = Entry(
    key="fu2003.fig6",
    title="Drop functions of RED and of links",
    source=SOURCE,
    item="Figure 6",
    description="The paper draws both drop functions without data. Here RED's is drawn from its parameters, that of "
    "the links from the runs of Figure 5 middle.",
    settings=LOAD_STUDIES,
    statements=[
        Statement(
            "c1",
            "Links lose a few packets at loads below their capacity already, where RED loses none (judged at the load "
            "before the best one: above zero, below the largest).",
            each(_lossy_below_capacity),
        ),
        Statement(
            "c2",
            "The loss of links is largest from a threshold load on and constant after it, where RED goes on to 1 "
            "(judged: within 20 % from nine tenths of the largest value on).",
            each(_saturates),
        ),
    ],
    charts=_compared,
    notes=[PROFILE_NOTE, "The figure is a drawing; its shape is judged on data of this project's own."],
)


# --- Section 4.3: cross, grid, random fields ------------------------------------------------------------------------

_COMPLEX = ("cross13x2", "grid4", "grid12", "random20")
_SENSED = 550.0
_ACTIVE = 100
"""Packets that a MAC must have taken on for its node to count."""


def _overflow_rare(table: Table) -> tuple[Verdict, str]:
    shares = {window: table.interval(_share_of_drops, {WINDOWS: window}) for window in _dropping(table)}
    if not shares:
        return False, "no drops at all"
    worst = max(shares, key=lambda window: shares[window].mean)
    words = f"overflow at most {show(shares[worst], '%')} of the drops (window {worst})"
    return shares[worst].mean <= 1, words


def _dropping(table: Table) -> list[Any]:
    return [
        w for w in table.values(WINDOWS) if any(_share_of_drops(run) is not None for run in table.runs({WINDOWS: w}))
    ]


def _grows_gracefully(table: Table) -> tuple[Verdict, str]:
    return gradual([value.mean for _, value in table.curve(WINDOWS, DROP_PROBABILITY)])


def _places(label: str, where: dict[str, Any]) -> topology.Positions:
    row = label.partition(", ")[2]
    if row.startswith("cross"):
        return topology.place({"kind": "cross", "hops": 6, "spacing": 200.0}, Path(), 250.0)
    if row.startswith("grid"):
        return topology.place({"kind": "grid", **GRID, "spacing": 200.0}, Path(), 250.0)
    return topology.place({**RANDOM, "seed": where[FIELD], "connected": True}, Path(), 250.0)


def _crowded_nodes_lose_more(table: Table) -> tuple[Verdict, str]:
    runs: dict[tuple[Any, ...], list[Run]] = defaultdict(list)
    for where, found in table.points:
        rest = tuple((key, value) for key, value in where.items() if key != WINDOWS)
        for run in found:
            runs[(rest, run["seed"])].append(run)
    fields = {rest: _places(table.label, dict(rest)) for rest, _ in runs}
    trends = [_trend(found, fields[rest]) for (rest, _), found in runs.items()]
    value = estimate([trend for trend in trends if trend is not None])
    return exceeds(value, 0.0), f"rank correlation {show(value)} over the nodes that sent {_ACTIVE} packets or more"


def _trend(runs: list[Run], places: topology.Positions) -> float | None:
    """Rank correlation between the active nodes that a node senses and its largest drop probability in any run."""
    largest: dict[int, float] = {}
    for run in runs:
        for node in run["nodes"]:
            if (packets := node["mac_packets"]) >= _ACTIVE:
                share = node["mac_retry_drops"] / packets
                largest[node["id"]] = max(share, largest.get(node["id"], 0.0))
    sensed = dict.fromkeys(largest, 0)
    for a, b in itertools.combinations(largest, 2):
        (ax, ay), (bx, by) = places[a], places[b]
        if (ax - bx) ** 2 + (ay - by) ** 2 <= _SENSED**2:
            sensed[a] += 1
            sensed[b] += 1
    if len(largest) < 3:
        return None
    return rank_correlation([sensed[node] for node in largest], list(largest.values()))


SEC43 = Entry(
    key="fu2003.sec4.3",
    title="Loss in cross, grid and random fields",
    source=SOURCE,
    item="Section 4.3",
    description="The runs of Table 2 over the cross, the grid with 4 and 12 flows and ten random fields: drops over "
    "the window of each flow.",
    settings=[study for name in _COMPLEX for study in STUDIES[name]],
    quantities=[
        Quantity(
            f"link drop probability, window {window} each",
            "",
            mean_of(DROP_PROBABILITY, {WINDOWS: window}),
            None,
            "no number printed",
        )
        for window in (1, 4, 32)
    ],
    statements=[
        Statement(
            "c1",
            "Overflow is rare or absent; contention accounts for the drops (judged: overflow at most 1 % of them).",
            each(_overflow_rare),
        ),
        Statement(
            "c2",
            "Loss grows gracefully with the load, as with RED (judged over the window up to nine tenths of the largest "
            "loss: rank correlation of at least 0.9, no step above half of the rise).",
            each(_grows_gracefully),
        ),
        Statement(
            "c3",
            "A node with more active neighbours reaches a higher drop probability (judged: positive rank correlation "
            "between the active nodes within 550 m and the largest drop probability over the windows).",
            each(_crowded_nodes_lose_more),
        ),
    ],
    charts=lambda data: [
        sweep(
            data,
            name="link-drops-over-window",
            caption="Drop probability of the links over the window of each flow, profile ns2.",
            x=WINDOWS,
            y=DROP_PROBABILITY,
            only=lambda label: label.startswith("ns2"),
            log_x=True,
            xlabel="window of each flow (packets)",
            ylabel="link drop probability",
        )
    ],
    notes=[PROFILE_NOTE, GRID_NOTE, FIELD_NOTE],
)
