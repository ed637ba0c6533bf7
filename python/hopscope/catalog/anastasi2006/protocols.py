"""anastasi2006, section 4.4: OLSR beside AODV, in the testbed and in simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hopscope.catalog.anastasi2006.shared import (
    HELLO,
    HOPS,
    LENGTHS,
    OLSR,
    RETRANSMISSIONS,
    SIMULATION_NOTES,
    SOURCE,
    THROUGHPUT,
    WINDOW,
    WINDOWS,
    beside,
    chain,
    profiles,
)
from hopscope.catalog.anastasi2006.simulated import GRID
from hopscope.catalog.anastasi2006.testbed import CHANNEL_NOTES, channels
from hopscope.catalog.charts import sweep
from hopscope.catalog.entry import Entry, Quantity, Statement, Study
from hopscope.catalog.judge import every, mean_of
from hopscope.report.chart import Chart
from hopscope.results.comparisons import Verdict, difference
from hopscope.results.samples import Data, Table, Where
from hopscope.results.stats import number

FIRST, SECOND = "AODV, ", "OLSR, "
"""Labels of the studies begin so; what they run over follows."""

SIMILAR = 1.65
"""Throughputs within this factor are of similar size: the published cells differ by factors of up to 1.64."""


def _named(studies: Sequence[Study], prefix: str) -> list[Study]:
    return [Study(f"{prefix}{s.label}", s.scenario, s.quick, s.decides) for s in studies]


def _both(make: Callable[[Mapping[str, Any]], list[Study]]) -> list[Study]:
    return [*_named(make(HELLO), FIRST), *_named(make(OLSR), SECOND)]


def _is_simulation(label: str) -> bool:
    return label.startswith(SECOND) and label.removeprefix(SECOND) in ("ns2", "standard")


def _is_testbed(label: str) -> bool:
    return label.startswith(SECOND) and not _is_simulation(label)


def _aodv(label: str) -> str:
    return FIRST + label.removeprefix(SECOND)


def _cells() -> dict[str, Where]:
    return {f"{hops}-hop, W = {w}": {HOPS: hops, WINDOW: w} for hops in LENGTHS for w in WINDOWS}


def _fewer_retransmissions(olsr: Table, aodv: Table) -> tuple[Verdict, str]:
    verdicts: list[Verdict] = []
    words = []
    for name, where in _cells().items():
        if aodv.mean(RETRANSMISSIONS, where) == olsr.mean(RETRANSMISSIONS, where) == 0:
            continue
        gap = difference(olsr, RETRANSMISSIONS, where, where, other=aodv)
        verdicts.append(gap.is_lower)
        if gap.is_lower is not True:
            words.append(f"{name}: {gap.words('points')}")
    lower = sum(verdict is True for verdict in verdicts)
    head = f"lower in {lower} of {len(verdicts)} cells with retransmissions"
    return bool(verdicts) and every(verdicts), f"{head}; not in " + "; ".join(words) if words else head


def _similar_throughput(olsr: Table, aodv: Table) -> tuple[Verdict, str]:
    ratios = {name: olsr.mean(THROUGHPUT, at) / aodv.mean(THROUGHPUT, at) for name, at in _cells().items()}
    low, high = min(ratios, key=lambda n: ratios[n]), max(ratios, key=lambda n: ratios[n])
    words = f"OLSR / AODV from {number(ratios[low])} ({low}) to {number(ratios[high])} ({high})"
    return ratios[low] >= 1 / SIMILAR and ratios[high] <= SIMILAR, words


def _charts(data: Data) -> list[Chart]:
    return [
        sweep(
            data,
            name=f"{stem}-over-hops",
            caption=f"{what} over the hops by protocol and maximum window: {where}.",
            x=HOPS,
            y=RETRANSMISSIONS,
            by=(WINDOW, "W = {}"),
            xlabel="hops",
            ylabel="retransmission index (%)",
            only=lambda label, end=end: label.endswith(end),  # type: ignore[misc]
            legend_title="maximum window",
        )
        for stem, what, where, end in (
            ("testbed-retransmissions", "Retransmission index", "testbed over the indoor channel", ", indoor"),
            ("simulated-retransmissions", "Retransmission index", "simulation under profile ns2", ", ns2"),
        )
    ]


SEC44 = Entry(
    key="anastasi2006.sec4.4",
    title="OLSR beside AODV",
    source=SOURCE,
    item="Section 4.4",
    description="The chains of Figure 3 and of Tables 1 to 4 over both protocols.",
    studies=[
        *_both(lambda routing: channels("testbed", routing, sweep=GRID)),
        *_both(lambda routing: profiles(chain("sec4.4", routing, sweep=GRID))),
    ],
    quantities=[
        Quantity(
            f"{what}, {name}",
            unit,
            mean_of(metric, where),
            None,
            "Tables 1 to 4 and Figure 3 have the cells",
            studies=lambda label: label.endswith((", indoor", ", ns2")),
        )
        for what, unit, metric in (
            ("throughput", "kbit/s", THROUGHPUT),
            ("retransmission index", "%", RETRANSMISSIONS),
        )
        for name, where in _cells().items()
    ],
    statements=[
        Statement(
            "c1",
            "OLSR retransmits less than AODV in the testbed (judged: lower in every cell with retransmissions, paired "
            "by seed, 95 %).",
            beside(_aodv, _fewer_retransmissions, _is_testbed),
        ),
        Statement(
            "c2", "So it does in simulation (judged as c1).", beside(_aodv, _fewer_retransmissions, _is_simulation)
        ),
        Statement(
            "c3",
            f"Throughputs are of similar size (judged: within a factor of {SIMILAR} in every cell of the testbed; the "
            "published cells are within 1.64).",
            beside(_aodv, _similar_throughput, _is_testbed),
        ),
    ],
    charts=_charts,
    notes=[
        *CHANNEL_NOTES,
        *SIMULATION_NOTES,
        "The testbed measured the protocols on different days, over different states of its channel; here both run "
        "over the same one.",
        "The published tables tie at 1 hop (0 %) and at 3 hops, W = 3 (1.12 % for both). Cells in which neither "
        "protocol retransmits are left out.",
    ],
)
