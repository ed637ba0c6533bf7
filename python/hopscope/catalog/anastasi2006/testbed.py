"""anastasi2006, Tables 1 to 4, Figures 4 to 7 and 11 and section 4.4: the testbed, simulated over a stated channel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.catalog.anastasi2006.published import (
    AODV_RETRANSMISSIONS,
    AODV_THROUGHPUT,
    CBR,
    OLSR_RETRANSMISSIONS,
    OLSR_THROUGHPUT,
    Row,
)
from hopscope.catalog.anastasi2006.shared import (
    HELLO,
    HOPS,
    LENGTHS,
    OLSR,
    RETRANSMISSIONS,
    SOURCE,
    THROUGHPUT,
    WINDOW,
    WINDOWS,
    beside,
    by_window,
    chain,
    study,
    tcp,
)
from hopscope.catalog.charts import sweep
from hopscope.catalog.entry import Entry, Quantity, Statement, Study
from hopscope.catalog.judge import each, every, mean_of
from hopscope.errors import counted
from hopscope.report.chart import Chart, Mark
from hopscope.results.comparisons import Verdict, best, difference
from hopscope.results.samples import Data, Table, Where, show
from hopscope.results.stats import number

# --- The channel and the runs ---------------------------------------------------------------------------------------

INDOOR = "indoor"
_SIGMAS = {INDOOR: 2, "no shadowing": 0, "shadowing 4 dB": 4}
"""Standard deviation of the shadowing in dB by the name of the channel; the first decides."""

CHANNEL_NOTES = (
    "The channel is described as indoor, with minimum power (-12 dBm) and only neighbours in range, no further. All "
    "cells run over one channel: power falls with the third power of the distance from 1 m on; 14 m between nodes, "
    "receive range 20 m (-91 dBm there), carrier sense twice that; shadowing of 2 dB whose correlation falls to 1/e in "
    "1 s.",
    "Fixed indoor links near which people move are reported with Rice factors of about 6 to 12 dB, which spread the "
    "power by 3 to 1.5 dB; 2 dB lies between. It was settled on after trial runs with 0 to 4 dB, for all cells alike. "
    "The same cells without shadowing and with 4 dB are for contrast.",
    "Control frames and broadcasts go at 2 Mbit/s like the data: with control frames at 1 Mbit/s one hop carries at "
    "most 1435 kbit/s, less than the testbed measured.",
    "Hosts are Linux 2.6.12: ACK policy linux, shortest retransmission timeout 200 ms. MAC, radio and the rest of TCP "
    "follow profile standard.",
    "The testbed interleaves the replicas of different windows, so that slow changes hit all windows alike. Here "
    "replica k has seed k at every window: the same channel at the same times and the same clocks of routing. "
    "Differences are judged seed by seed; the order in which runs are computed has no influence. The testbed has 5 "
    "replicas, these runs 20.",
)
CBR_NOTE = "The packet size of the CBR flow is not given; 1460 B, that of the segments, is assumed."

CBR_PACKET, CBR_SHORT = 1460, 512
"""Payload of the CBR packets: assumed, and for contrast."""

BACKGROUND = ", CBR"
"""End of the label of a study with the CBR flow."""


def _line(hops: int) -> dict[str, Any]:
    return {"kind": "chain", "hops": hops, "spacing": "14m"}


def _flows(cbr: int | None) -> list[dict[str, Any]]:
    flow = tcp(ack="linux", ack_delay="200ms") | {"tcp": {"min_rto": "200ms"}}
    if cbr is None:
        return [flow]
    background = {"from": 2, "to": 1, "transport": "udp", "app": "cbr", "rate": "192kbps", "packet": cbr}
    return [flow, {**background, "start": flow["start"]}]


def laptops(
    title: str, routing: Mapping[str, Any], sigma: float, *, cbr: int | None = None, **changes: Any
) -> dict[str, Any]:
    """The chain of laptops over the stated channel, beside a CBR flow with packets of `cbr` bytes if given."""
    shadowing = {"shadowing": "correlated", "shadowing_sigma": sigma, "shadowing_time": "1s"} if sigma else {}
    return chain(
        title,
        routing,
        profile="standard",
        radio={
            "preset": "dsss-2M",
            "basic_rate": "2Mbps",
            "frequency": "2.4GHz",
            "tx_power": "-12dBm",
            "propagation": "log-distance",
            "path_loss_exponent": 3,
            "tx_range": "20m",
            "cs_range": "40m",
            **shadowing,
        },
        flow=_flows(cbr),
        **{"topology": _line(3), **changes},
    )


def channels(title: str, routing: Mapping[str, Any], *, cbr: int | None = None, **changes: Any) -> list[Study]:
    """The runs over every channel."""
    tail = BACKGROUND if cbr else ""
    return [
        study(f"{name}{tail}", laptops(title, routing, sigma, cbr=cbr, **changes), decides=name == INDOOR)
        for name, sigma in _SIGMAS.items()
    ]


def _is_cbr(label: str) -> bool:
    return BACKGROUND in label


def _is_plain(label: str) -> bool:
    return not _is_cbr(label)


# --- Tables 1 to 4 --------------------------------------------------------------------------------------------------

_SCENARIOS = [*(f"{hops}-hop" for hops in LENGTHS), CBR]


@dataclass(frozen=True)
class Kind:
    """What the cells of a table hold."""

    metric: str
    name: str
    unit: str
    aodv: tuple[Mapping[str, Row], str]
    olsr: tuple[Mapping[str, Row], str]


RATE = Kind(THROUGHPUT, "throughput", "kbit/s", aodv=(AODV_THROUGHPUT, "Table 1"), olsr=(OLSR_THROUGHPUT, "Table 3"))
AGAIN = Kind(
    RETRANSMISSIONS,
    "retransmission index",
    "%",
    aodv=(AODV_RETRANSMISSIONS, "Table 2"),
    olsr=(OLSR_RETRANSMISSIONS, "Table 4"),
)


def _cell(
    kind: Kind, table: tuple[Mapping[str, Row], str], scenario: str, window: int, where: Where, *, cbr: bool
) -> Quantity:
    """One cell, beside the published one if that is known."""
    published, item = table
    cell = published[scenario][WINDOWS.index(window)] if scenario in published else None
    return Quantity(
        f"{kind.name}, {scenario}, W = {window}",
        kind.unit,
        mean_of(kind.metric, {**where, WINDOW: window}),
        cell.mean if cell else None,
        item if cell else f"{item}; value not known here",
        studies=_is_cbr if cbr else _is_plain,
        extremes=(cell.low, cell.high) if cell else None,
    )


def _table(protocol: str, routing: Mapping[str, Any], kind: Kind, table: tuple[Mapping[str, Row], str]) -> Entry:
    published, item = table

    def chart(data: Data) -> list[Chart]:
        points = [(int(name[0]), cell.mean) for name, row in published.items() if name != CBR for cell in row]
        return [
            sweep(
                data,
                name=f"{kind.name.replace(' ', '-')}-over-hops",
                caption=f"{kind.name.capitalize()} over {protocol} by chain length and maximum window, over each "
                "channel; published: means of the testbed.",
                x=HOPS,
                y=kind.metric,
                by=(WINDOW, "W = {}"),
                xlabel="hops",
                ylabel=f"{kind.name} ({'kbit/s' if kind is RATE else kind.unit})",
                only=_is_plain,
                marks=[Mark("published", [x for x, _ in points], [y for _, y in points])],
                legend_title="maximum window",
            )
        ]

    return Entry(
        key=f"anastasi2006.{item.lower().replace(' ', '')}",
        title=f"{kind.name.capitalize()} of the testbed, {protocol}",
        source=SOURCE,
        item=item,
        description=f"One flow routed by {protocol} over 1 to 4 hops, and over 3 hops beside a CBR flow of 192 kbit/s, "
        "at each maximum window: the testbed simulated over a stated indoor channel.",
        studies=[
            *channels("testbed", routing, sweep={HOPS: LENGTHS, WINDOW: WINDOWS}),
            *channels("testbed", routing, cbr=CBR_PACKET, sweep={WINDOW: WINDOWS}),
        ],
        quantities=[
            _cell(kind, table, name, w, {} if name == CBR else {HOPS: int(name[0])}, cbr=name == CBR)
            for name in _SCENARIOS
            for w in WINDOWS
        ],
        charts=chart,
        notes=[*CHANNEL_NOTES, CBR_NOTE, *_ODD.get(item, ())],
    )


_ODD: Mapping[str, Sequence[str]] = {
    "Table 1": (
        "The mean of 1-hop at W = 3 (1455.8) is printed below its own smallest replica (1463).",
        "The extremes of 2-hop at W = 3 are printed in reverse order.",
    ),
}

TABLE1 = _table("AODV", HELLO, RATE, RATE.aodv)
TABLE2 = _table("AODV", HELLO, AGAIN, AGAIN.aodv)
TABLE3 = _table("OLSR", OLSR, RATE, RATE.olsr)
TABLE4 = _table("OLSR", OLSR, AGAIN, AGAIN.olsr)


# --- Figures 4 to 7: one length each --------------------------------------------------------------------------------


def _two_is_not_best(table: Table) -> tuple[Verdict, str]:
    peak = best(table, WINDOW, THROUGHPUT)
    verdict = True if 2 not in peak.ties else None if len(peak.ties) > 1 else False
    return verdict, peak.words("kbit/s")


def _is_best(window: int) -> Callable[[Table], tuple[Verdict, str]]:
    def check(table: Table) -> tuple[Verdict, str]:
        peak = best(table, WINDOW, THROUGHPUT)
        return peak.has(window), peak.words("kbit/s")

    return check


def _four_for_more_retransmissions(table: Table) -> tuple[Verdict, str]:
    gain = difference(table, THROUGHPUT, {WINDOW: 4}, {WINDOW: 3})
    price = difference(table, RETRANSMISSIONS, {WINDOW: 4}, {WINDOW: 3})
    slightly = gain.mean <= 0.1 * table.mean(THROUGHPUT, {WINDOW: 3})
    words = f"W = 4 minus W = 3: {gain.words('kbit/s')}, {price.words('points')}"
    return every([gain.is_higher, slightly, price.is_higher]), words


def _little_gain(table: Table) -> tuple[Verdict, str]:
    peak = best(table, WINDOW, THROUGHPUT)
    unclamped = table.interval(THROUGHPUT, {WINDOW: 32})
    gain = 1 - unclamped.mean / peak.top.mean
    words = f"{peak.words('kbit/s')}, {show(unclamped, 'kbit/s')} unclamped: {100 * gain:.1f} % less"
    return gain <= 0.1, words


_C1 = Statement(
    "c1", "A window of 2 is not the best (judged: another is beyond noise).", each(_two_is_not_best, only=_is_plain)
)
_C4 = Statement(
    "c4",
    "The best window gains little over an unclamped one (judged: at most 10 %, the largest of the published gains).",
    each(_little_gain, only=_is_plain),
)
_C2 = Statement(
    "c2",
    "The unclamped window is the best (judged: best mean; undecided when another is within noise).",
    each(_is_best(32), only=_is_plain),
)
_C3_TWO_HOPS = Statement(
    "c3",
    "W = 4 is slightly above W = 3 in throughput, for clearly more retransmissions (judged: both beyond noise, the "
    "gain at most 10 %).",
    each(_four_for_more_retransmissions, only=_is_plain),
)
_C3 = Statement(
    "c3",
    "A window of 3 is the best (judged: best mean; undecided when another is best within noise).",
    each(_is_best(3), only=_is_plain),
)


def _windows_of(data: Data, scenario: str, studies: Callable[[str], bool]) -> list[Chart]:
    """Throughput and retransmission index by window, the halves of a figure."""

    def marks(kind: Kind) -> list[Mark]:
        row = kind.aodv[0].get(scenario)
        names = [f"W = {window}" for window in WINDOWS]
        return [Mark("published", names, [cell.mean for cell in row])] if row else []

    halves = [(f"{kind.name} ({kind.unit})", kind.metric, marks(kind)) for kind in (RATE, AGAIN)]
    caption = f"Throughput and retransmission index by maximum window, {scenario}, AODV, over each channel."
    return [by_window(data, halves, name="by-window", caption=caption, only=studies)]


def _row(scenario: str) -> list[Quantity]:
    """The cells of one row of Tables 1 and 2, in a study that sweeps the window alone."""
    kinds = (RATE, AGAIN)
    return [_cell(kind, kind.aodv, scenario, w, {}, cbr=scenario == CBR) for w in WINDOWS for kind in kinds]


def _figure(number_: int, hops: int, special: Statement) -> Entry:
    scenario = f"{hops}-hop"
    words = counted(hops, "hop")
    return Entry(
        key=f"anastasi2006.fig{number_}",
        title=f"Throughput and retransmissions over the window, {words}, AODV, testbed",
        source=SOURCE,
        item=f"Figure {number_}; numbers in Tables 1 and 2",
        description=f"One flow routed by AODV-HELLO over {words}, at each maximum window: the testbed simulated over "
        "a stated indoor channel.",
        studies=channels("testbed", HELLO, topology=_line(hops), sweep={WINDOW: WINDOWS}),
        quantities=_row(scenario),
        statements=[_C1, special, _C4],
        charts=lambda data: _windows_of(data, scenario, _is_plain),
        notes=[*CHANNEL_NOTES, "Statements keep the numbers they have for Figures 4 to 7 together."],
    )


FIG4 = _figure(4, 1, _C2)
FIG5 = _figure(5, 2, _C3_TWO_HOPS)
FIG6 = _figure(6, 3, _C3)
FIG7 = _figure(7, 4, _C3)


# --- Figure 11: with CBR beside --------------------------------------------------------------------------------------


def _against(metric: str, unit: str, *, lower: bool) -> Callable[[Table, Table], tuple[Verdict, str]]:
    def check(cbr: Table, plain: Table) -> tuple[Verdict, str]:
        gaps = {w: difference(cbr, metric, {WINDOW: w}, {WINDOW: w}, other=plain) for w in WINDOWS}
        words = "; ".join(f"W = {w}: {gap.words(unit)}" for w, gap in gaps.items())
        return every(gap.is_lower if lower else gap.is_higher for gap in gaps.values()), words

    return check


def _small_differences(table: Table) -> tuple[Verdict, str]:
    means = {window: table.mean(THROUGHPUT, {WINDOW: window}) for window in WINDOWS}
    spread = 1 - min(means.values()) / max(means.values())
    words = ", ".join(f"{number(value)} at {window}" for window, value in means.items())
    return spread <= 0.15, f"{words} kbit/s: lowest {100 * spread:.0f} % below highest"


def _without_cbr(label: str) -> str:
    return label.partition(BACKGROUND)[0]


FIG11 = Entry(
    key="anastasi2006.fig11",
    title="Throughput and retransmissions beside a CBR flow, 3 hops, AODV, testbed",
    source=SOURCE,
    item="Figure 11; numbers in Tables 1 and 2",
    description="One flow over 3 hops, routed by AODV-HELLO, at each maximum window, beside a CBR flow of 192 kbit/s "
    "from the third node to the second: the testbed simulated over a stated indoor channel.",
    studies=[
        *channels("testbed", HELLO, cbr=CBR_PACKET, sweep={WINDOW: WINDOWS}),
        study(
            f"{INDOOR}{BACKGROUND} of {CBR_SHORT} B",
            laptops("testbed", HELLO, _SIGMAS[INDOOR], cbr=CBR_SHORT, sweep={WINDOW: WINDOWS}),
            decides=False,
        ),
        *channels("testbed", HELLO, topology=_line(3), sweep={WINDOW: WINDOWS}),
    ],
    quantities=_row(CBR),
    statements=[
        Statement(
            "c1",
            "Throughput is lower than without the CBR flow at every window (judged: paired by seed, 95 %).",
            beside(_without_cbr, _against(THROUGHPUT, "kbit/s", lower=True), _is_cbr),
        ),
        Statement(
            "c2",
            "The retransmission index is higher than without it (judged: at every window, paired by seed, 95 %).",
            beside(_without_cbr, _against(RETRANSMISSIONS, "points", lower=False), _is_cbr),
        ),
        Statement(
            "c3",
            "A window of 3 is the best (judged: best mean; undecided when another is best within noise).",
            each(_is_best(3), only=_is_cbr),
        ),
        Statement(
            "c4",
            "Differences between the windows are small (judged: the lowest at most 15 % below the highest; published "
            "12 %).",
            each(_small_differences, only=_is_cbr),
        ),
    ],
    charts=lambda data: _windows_of(data, CBR, _is_cbr),
    notes=[
        *CHANNEL_NOTES,
        f"{CBR_NOTE} Packets of {CBR_SHORT} B, almost three times as many, are for contrast.",
        "c2 does not hold in the published numbers at W = 32 (4.4 % with the CBR flow, 4.58 % without).",
    ],
)
