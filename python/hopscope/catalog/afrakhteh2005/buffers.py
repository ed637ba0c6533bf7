"""afrakhteh2005, experiment 5: the size of the interface queues."""

from __future__ import annotations

from hopscope.catalog.afrakhteh2005.shared import (
    DELAY,
    HOPS,
    JITTER,
    LOSS,
    MAIN,
    MAIN_NOTE,
    QUEUE,
    SETTING_NOTES,
    SIX,
    SOURCE,
    THROUGHPUT,
    UNRECORDED,
    candidates,
    chain,
    change,
    four_charts,
    path,
    quantities,
    some,
    tcp,
)
from hopscope.results.comparisons import Verdict, difference
from hopscope.results.samples import Metric, Table
from hopscope.results.stats import number
from hopscope.studies.entry import Entry, Quantity, Statement
from hopscope.studies.judge import every

_SIZES = [1, 2, 5, 10, 15, 20, 25, 30, 40, 50]
_QUICK = {"sweep": {QUEUE: [5, 10, 20, 30, 50], HOPS: SIX}}


def _at(metric: Metric, table: Table, hops: int, size: int) -> float:
    return table.mean(metric, {HOPS: hops, QUEUE: size})


def _settled(metric: Metric, table: Table, hops: int, start: int, tolerance: float) -> bool:
    """Whether the metric stays within `tolerance` of its value at the longest queue from `start` on."""
    last = _at(metric, table, hops, 50)
    return all(
        abs(_at(metric, table, hops, size) - last) <= tolerance * last for size in table.values(QUEUE) if size >= start
    )


def _short_paths_gain(table: Table) -> tuple[Verdict, str]:
    verdicts: list[Verdict] = []
    words = []
    for hops in (1, 2):
        gap = difference(table, THROUGHPUT, {HOPS: hops, QUEUE: 5}, {HOPS: hops, QUEUE: 20})
        verdicts += [gap.is_lower, _settled(THROUGHPUT, table, hops, 20, 0.01)]
        five, twenty, fifty = (number(_at(THROUGHPUT, table, hops, size)) for size in (5, 20, 50))
        words.append(f"{path(hops)}: {five}, {twenty}, {fifty} kbit/s at 5, 20, 50 packets")
    return every(verdicts), "; ".join(words)


def _long_paths_lose(table: Table) -> tuple[Verdict, str]:
    verdicts: list[Verdict] = []
    words = []
    for hops in SIX[2:]:
        gap = difference(table, THROUGHPUT, {HOPS: hops, QUEUE: 50}, {HOPS: hops, QUEUE: 5})
        verdicts += [gap.is_lower, _settled(THROUGHPUT, table, hops, 30 if hops <= 4 else 20, 0.05)]
        words.append(f"{path(hops)}: 50 against 5 packets {gap.words('kbit/s')}")
    return every(verdicts), "; ".join(words)


def _waiting_grows(table: Table) -> tuple[Verdict, str]:
    holds, words = True, []
    for name, metric in (("delay", DELAY), ("jitter", JITTER)):
        for hops in SIX:
            five, ten, twenty, fifty = (_at(metric, table, hops, size) for size in (5, 10, 20, 50))
            slopes = ((ten - five) / 5, (twenty - ten) / 10)
            linear = min(slopes) > 0 and max(slopes) <= 2 * min(slopes)
            fits = linear and _settled(metric, table, hops, 20, 0.1)
            holds &= fits
            if not fits:
                values = ", ".join(number(v) for v in (five, ten, twenty, fifty))
                words.append(f"{name} at {path(hops)}: {values} ms at 5, 10, 20, 50 packets")
    return holds, "; ".join(words) or "at every number of hops"


def _loss_falls(table: Table) -> tuple[Verdict, str]:
    holds, words = True, []
    for hops in SIX:
        small, twenty, fifty = (_at(LOSS, table, hops, size) for size in (5, 20, 50))
        late = [_at(LOSS, table, hops, size) for size in table.values(QUEUE) if size >= 30]
        holds &= small > twenty
        holds &= twenty <= 0.1 if hops <= 3 else all(1 <= loss <= 2 for loss in late)
        words.append(f"{path(hops)}: {number(small)}, {number(twenty)}, {number(fifty)} %")
    return holds, f"{'; '.join(words)} at 5, 20, 50 packets"


def _six_hops_lose(table: Table) -> tuple[Verdict, str]:
    gap = difference(table, THROUGHPUT, {HOPS: 6, QUEUE: 20}, {HOPS: 6, QUEUE: 5})
    return gap.is_lower, f"20 against 5 packets: {gap.words('kbit/s')}"


EXP05 = Entry(
    key="afrakhteh2005.exp05",
    title="Size of the interface queues",
    source=SOURCE,
    item="Experiment 5, figures 4.17 to 4.23",
    description="The flow of experiment 1 with interface queues of 1 to 50 packets in every node, h = 1 to 6.",
    settings=candidates(chain("exp05", flow=[tcp()], sweep={QUEUE: _SIZES, HOPS: SIX}), _QUICK, settings=MAIN),
    quantities=[
        Quantity(
            "throughput gained from 5 to 20 packets, h = 1",
            "%",
            change(THROUGHPUT, {HOPS: 1, QUEUE: 5}, {HOPS: 1, QUEUE: 20}),
            6,
            "text",
        ),
        Quantity(
            "throughput lost from 5 to 20 packets, h = 6",
            "%",
            change(THROUGHPUT, {HOPS: 6, QUEUE: 5}, {HOPS: 6, QUEUE: 20}, sign=-1),
            None,
            UNRECORDED,
        ),
        *quantities(
            [
                (f"loss, {size} packets, h = {hops}", "%", LOSS, {HOPS: hops, QUEUE: size}, value, source)
                for size, value, source in ((5, 4.5, "text, 4 to 5 %"), (20, 0.0, "text"))
                for hops in (1, 2, 3)
            ]
        ),
        *quantities(
            [
                (f"loss, 30 packets, h = {hops}", "%", LOSS, {HOPS: hops, QUEUE: 30}, 1.5, "text, 1 to 2 %")
                for hops in (4, 5, 6)
            ]
        ),
    ],
    statements=[
        Statement(
            "c1",
            "Over 1 and 2 hops throughput grows with the queue up to about 20 packets and then stays (judged: higher "
            "at 20 than at 5 packets; within 1 % of that at 50 from 20 on).",
            some(_short_paths_gain),
        ),
        Statement(
            "c2",
            "Over 3 to 6 hops throughput falls as the queue grows and levels off at about 30 packets (3 and 4 hops) or "
            "20 (judged: lower at 50 than at 5 packets; within 5 % of that at 50 from there on).",
            some(_long_paths_lose),
        ),
        Statement(
            "c3",
            "Delay and jitter grow about linearly with the queue up to 20 packets and then stay, at every number of "
            "hops (judged: slopes of 5 to 10 and 10 to 20 packets within a factor of 2; within 10 % of that at 50 "
            "from 20 on).",
            some(_waiting_grows),
        ),
        Statement(
            "c4",
            "Loss falls with the queue: to nothing from 20 packets on over 1 to 3 hops, to 1 to 2 % from 30 on over 4 "
            "to 6 (judged: more at 5 packets than at 20; at most 0.1 %; 1 to 2 %).",
            some(_loss_falls),
        ),
        Statement("c5", "Over 6 hops throughput is lower with 20 packets than with 5.", some(_six_hops_lose)),
    ],
    charts=lambda data: four_charts(
        data,
        x=QUEUE,
        xlabel="queue size (packets)",
        subject="one NewReno flow over the size of the interface queues",
        lines={path(hops): {HOPS: hops} for hops in SIX},
    ),
    notes=[
        *SETTING_NOTES,
        MAIN_NOTE,
        "The sizes 5, 20, 30 and 50 are named; the others fill the range.",
        "With a window of 20 packets no more than 20 can wait in one queue, which is where the curves level off.",
    ],
)
