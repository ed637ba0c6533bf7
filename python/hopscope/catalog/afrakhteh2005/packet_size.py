"""afrakhteh2005, experiment 2: the size of TCP packets."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from hopscope.catalog.afrakhteh2005.shared import (
    DELAY,
    HOPS,
    JITTER,
    MAIN,
    MAIN_NOTE,
    PACKET,
    SETTING_NOTES,
    SIX,
    SOURCE,
    THROUGHPUT,
    candidates,
    chain,
    change,
    four_charts,
    quantities,
    some,
    tcp,
)
from hopscope.report.chart import Chart
from hopscope.results.comparisons import Verdict
from hopscope.results.samples import Data, Estimate, Metric, Table
from hopscope.results.stats import number
from hopscope.studies.charts import sweep
from hopscope.studies.entry import Entry, Quantity, Statement
from hopscope.studies.judge import rank_correlation

_SIZES = [256, 512, 1024, 1460, 3000]
_MORE = [2000, 2300, 2500, 2750]
"""Further sizes for the curve over one hop."""
_ALL = sorted([*_SIZES, *_MORE])

_CHAIN = chain("exp02", flow=[tcp()], sweep={PACKET: _ALL, HOPS: SIX})
_QUICK = {"sweep": {PACKET: _ALL, HOPS: [1, 2, 4, 6]}}


def gain(table: Table, small: int, large: int, hops: int = 1) -> float:
    """By how many per cent the larger packets carry more."""
    ends = [table.mean(THROUGHPUT, {PACKET: size, HOPS: hops}) for size in (small, large)]
    return 100 * (ends[1] / ends[0] - 1)


def _gain(small: int, large: int) -> Callable[[Table], Estimate | None]:
    return change(THROUGHPUT, {PACKET: small, HOPS: 1}, {PACKET: large, HOPS: 1})


def _hops(table: Table) -> list[int]:
    return table.values(HOPS)


def _by_size(metric: Metric, table: Table, hops: int, sizes: list[int] = _SIZES) -> list[float]:
    return [table.mean(metric, {PACKET: size, HOPS: hops}) for size in sizes]


def _grows(values: list[float]) -> bool:
    return all(later > earlier for earlier, later in itertools.pairwise(values))


def _larger_carry_more(table: Table) -> tuple[Verdict, str]:
    curve = _by_size(THROUGHPUT, table, 1, _ALL)
    words = ", ".join(f"{size} B {number(value)}" for size, value in zip(_ALL, curve, strict=True))
    return _grows(curve), f"{words} kbit/s"


def _gains_shrink(table: Table) -> tuple[Verdict, str]:
    gains = [gain(table, *ends) for ends in ((256, 512), (512, 1024), (1460, 3000))]
    return gains[0] > gains[1] > gains[2] > 0, ", ".join(f"+{value:.0f} %" for value in gains)


def _saturates(table: Table) -> tuple[Verdict, str]:
    value = gain(table, 2500, 3000)
    return abs(value) <= 2, f"{value:+.1f} % from 2500 to 3000 B"


def _spread_shrinks(table: Table) -> tuple[Verdict, str]:
    curves = [_by_size(THROUGHPUT, table, hops) for hops in _hops(table)]
    spreads = [max(curve) - min(curve) for curve in curves]
    last = curves[-1]
    mean = sum(last) / len(last)
    equal = max(abs(value - mean) for value in last) <= 0.25 * mean
    words = (
        f"spread {', '.join(number(spread) for spread in spreads)} kbit/s; "
        f"at 6 hops {number(min(last))} to {number(max(last))}"
    )
    return all(later < earlier for earlier, later in itertools.pairwise(spreads)) and equal, words


def _delay_grows(table: Table) -> tuple[Verdict, str]:
    curves = [_by_size(DELAY, table, hops) for hops in _hops(table)]
    gaps = [curve[-1] - curve[0] for curve in curves]
    mean = sum(gaps) / len(gaps)
    constant = all(abs(gap - mean) <= 0.5 * abs(mean) for gap in gaps)
    return all(map(_grows, curves)) and constant, f"3000 B less 256 B: {', '.join(number(gap) for gap in gaps)} ms"


def _jitter_grows(table: Table) -> tuple[Verdict, str]:
    curves = [_by_size(JITTER, table, hops) for hops in _hops(table)]
    gaps = [curve[-1] - curve[0] for curve in curves]
    widens = rank_correlation([float(hops) for hops in _hops(table)], gaps) >= 0.8 and gaps[-1] > gaps[0]
    return all(map(_grows, curves)) and widens, f"3000 B less 256 B: {', '.join(number(gap) for gap in gaps)} ms"


def _charts(data: Data) -> list[Chart]:
    over_size = sweep(
        data,
        name="throughput-over-packet-size",
        caption="Throughput of one NewReno flow over one hop over the payload of its packets.",
        x=PACKET,
        y=THROUGHPUT,
        at=lambda _size, _table: {HOPS: 1},
        xlabel="payload of a packet (bytes)",
        ylabel="throughput (kbit/s)",
        guides=[(2300, "recommended: 2300")],
    )
    hops = four_charts(
        data,
        x=HOPS,
        xlabel="hops",
        subject="one NewReno flow over the number of hops for five packet sizes",
        lines={f"{size} B": {PACKET: size} for size in _SIZES},
    )
    return [*hops, over_size]


EXP02 = Entry(
    key="afrakhteh2005.exp02",
    title="Size of TCP packets",
    source=SOURCE,
    item="Experiment 2, figures 4.5 to 4.8",
    description="The flow of experiment 1 with packets of 256 to 3000 B of payload, h = 1 to 6.",
    settings=candidates(_CHAIN, _QUICK, settings=MAIN),
    quantities=[
        Quantity("gain from 256 to 512 B, h = 1", "%", _gain(256, 512), 47, "text, hop count not given"),
        Quantity("gain from 512 to 1024 B, h = 1", "%", _gain(512, 1024), 30, "text, hop count not given"),
        Quantity("gain from 1460 to 3000 B, h = 1", "%", _gain(1460, 3000), 13.7, "text, hop count not given"),
        Quantity("gain from 1460 to 2300 B, h = 1", "%", _gain(1460, 2300), 10, "conclusions, hop count not given"),
        *quantities(
            [
                (f"throughput, {size} B, h = 6", "kbit/s", THROUGHPUT, {PACKET: size, HOPS: 6}, 200.0, 'text, "about"')
                for size in _SIZES
            ]
        ),
        *quantities(
            [
                ("jitter, 256 B, h = 1", "ms", JITTER, {PACKET: 256, HOPS: 1}, 2.0, 'text, "about"'),
                ("jitter, 3000 B, h = 1", "ms", JITTER, {PACKET: 3000, HOPS: 1}, 10.0, 'text, "about"'),
                ("jitter, 256 B, h = 6", "ms", JITTER, {PACKET: 256, HOPS: 6}, 15.0, 'text, "about"'),
                ("jitter, 3000 B, h = 6", "ms", JITTER, {PACKET: 3000, HOPS: 6}, 85.0, 'text, "about"'),
            ]
        ),
    ],
    statements=[
        Statement("c1", "Over one hop throughput grows with every packet size up to 3000 B.", some(_larger_carry_more)),
        Statement(
            "c2",
            "Each doubling gains less: 256 to 512 B more than 512 to 1024 B, and that more than 1460 to 3000 B.",
            some(_gains_shrink),
        ),
        Statement(
            "c3",
            "Beyond about 2500 B nothing is gained (judged: at most 2 % from 2500 to 3000 B).",
            some(_saturates),
        ),
        Statement(
            "c4",
            "The spread between sizes shrinks with the hops; over 6 hops all carry about 200 kbit/s (judged: max - min "
            "falls at every step; all within 25 % of their mean at 6 hops).",
            some(_spread_shrinks),
        ),
        Statement(
            "c5",
            "Delay grows with the packet size at every number of hops, by about the same (judged: the gap between the "
            "largest and the smallest within 50 % of its mean over the hops).",
            some(_delay_grows),
        ),
        Statement(
            "c6",
            "Jitter grows with the packet size at every number of hops, and the gap widens with the hops (judged: rank "
            "correlation of the gap with the hops at least 0.8).",
            some(_jitter_grows),
        ),
    ],
    charts=_charts,
    notes=[
        *SETTING_NOTES,
        MAIN_NOTE,
        "Only the sizes 256, 512, 1024, 1460 and 3000 B are named; 2000, 2300, 2500 and 2750 B are added for the curve "
        "over one hop.",
        "Packets above 2304 B are longer than an 802.11 payload may be; ns-2 sends them, and so does profile ns2 "
        "(`mac.max_msdu`).",
    ],
)
