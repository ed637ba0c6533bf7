"""afrakhteh2005, experiment 13: a TCP connection beside a UDP connection of growing load."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from hopscope.catalog.afrakhteh2005.shared import (
    DELAY,
    JITTER,
    LOSS,
    MAIN,
    MAIN_NOTE,
    PAYLOAD,
    PLOTS,
    SETTING_NOTES,
    SOURCE,
    THROUGHPUT,
    candidates,
    chain,
    tcp,
)
from hopscope.catalog.afrakhteh2005.udp import kbps
from hopscope.report.chart import Chart
from hopscope.results.comparisons import Verdict
from hopscope.results.samples import Data, Metric, NoSamplesError, Table
from hopscope.results.stats import number
from hopscope.studies.charts import sweep
from hopscope.studies.entry import Entry, Part, Quantity, Statement
from hopscope.studies.judge import Check, each, mean_of, near, rank_correlation
from hopscope.studies.verdict import Finding

LOAD = "flow.1.rate"
# A rate must be above zero: 25 packets in 300 s stand for no load.
_NONE = "1kbps"
_LOADS = [_NONE, *(f"{rate}kbps" for rate in (*range(100, 1701, 100), 1750))]
_QUICK_LOADS = [_NONE, *(f"{rate}kbps" for rate in (200, 400, 600, 800, 1000, 1200, 1400, 1600, 1700, 1750))]
_LAST = "1750kbps"

_CASES: dict[str, tuple[int, str, tuple[int, int], tuple[int, int]]] = {
    "case 1": (1, "200m", (0, 1), (1, 0)),
    "case 2": (3, "200m", (0, 3), (1, 2)),
    "case 3": (3, "50m", (0, 3), (1, 2)),
}
"""Hops of the line, spacing, ends of the TCP and of the UDP flow."""


def beside_udp(case: str) -> dict[str, Any]:
    """The scenario of a case: a TCP flow, and a CBR flow whose rate is swept."""
    hops, spacing, ends, udp = _CASES[case]
    flow = {"from": udp[0], "to": udp[1], "transport": "udp", "app": "cbr", "rate": "1kbps", "packet": PAYLOAD}
    return chain(
        f"exp13, {case}",
        topology={"kind": "chain", "hops": hops, "spacing": spacing},
        flow=[tcp(**{"from": ends[0], "to": ends[1]}), flow],
        sweep={LOAD: _LOADS},
    )


def _in(case: str, check: Check) -> Callable[[Data], list[Finding]]:
    return each(check, only=lambda label: label.startswith(f"{case}, "))


def _curve(metric: Metric, table: Table, loads: Sequence[str] | None = None) -> list[float]:
    return [table.mean(metric, {LOAD: load}) for load in loads or table.values(LOAD)]


def _known(metric: Metric, table: Table) -> tuple[list[float], list[float]]:
    """Loads and means where the metric has samples: TCP may carry nothing at the highest loads."""
    loads, means = [], []
    for load in table.values(LOAD):
        try:
            means.append(table.mean(metric, {LOAD: load}))
        except NoSamplesError:
            continue
        loads.append(kbps(load))
    if len(loads) < 3:
        raise NoSamplesError("TCP carries nothing at almost every load")
    return loads, means


def _starved(table: Table) -> bool:
    return table.mean(THROUGHPUT, {LOAD: _LAST}) <= 0.05 * table.mean(THROUGHPUT, {LOAD: _NONE})


def _declines_with_plateau(table: Table) -> tuple[Verdict, str]:
    curve = _curve(THROUGHPUT, table)
    falls = all(later <= earlier + 0.02 * curve[0] for earlier, later in itertools.pairwise(curve))
    start, middle, late, last = _curve(THROUGHPUT, table, [_NONE, "1000kbps", "1600kbps", _LAST])
    before, between = (start - middle) / 10, (middle - late) / 6
    words = (
        f"{number(start)}, {number(middle)}, {number(late)}, {number(last)} kbit/s at 0, 1000, 1600, 1750 kbit/s of UDP"
    )
    return falls and start > 0 and between <= 0.5 * before and _starved(table), words


def _waits_in_a_u(table: Table) -> tuple[Verdict, str]:
    holds, words = True, []
    for name, metric in (("delay", DELAY), ("jitter", JITTER)):
        loads, means = _known(metric, table)
        lowest = means.index(min(means))
        high = [mean for load, mean in zip(loads, means, strict=True) if load >= 1600]
        if not high:
            raise NoSamplesError("TCP carries nothing from 1600 kbit/s of UDP on")
        flat = max(high) <= 1.25 * min(high)
        holds &= (
            300 <= loads[lowest] <= 1500 and means[0] > 1.2 * means[lowest] and high[0] > 1.2 * means[lowest] and flat
        )
        words.append(
            f"{name} {number(means[0])} ms alone, least {number(means[lowest])} at {loads[lowest]:.0f} kbit/s, "
            f"{number(high[0])} at 1600"
        )
    return holds, "; ".join(words)


def _falls_to_nothing(table: Table) -> tuple[Verdict, str]:
    loads = [kbps(load) for load in table.values(LOAD)]
    curve = _curve(THROUGHPUT, table)
    falls = rank_correlation(loads, curve) <= -0.95 and _starved(table)
    # A straight line from no load to the last one.
    line = [curve[0] * (1 - load / loads[-1]) for load in loads]
    bend = max(abs(a - b) for a, b in zip(curve, line, strict=True)) / curve[0]
    trends = [rank_correlation(*_known(metric, table)) for metric in (DELAY, JITTER)]
    early = max(_curve(LOSS, table, [load for load in table.values(LOAD) if kbps(load) <= 600]))
    last = _known(LOSS, table)[1][-1]
    words = (
        f"{number(curve[0])} to {number(curve[-1])} kbit/s, off the straight line by {100 * bend:.0f} % at most; loss "
        f"{number(early)} % up to 600 kbit/s, {number(last)} at 1750; rank correlations {trends[0]:.2f} (delay) and "
        f"{trends[1]:.2f} (jitter)"
    )
    return falls and bend <= 0.15 and min(trends) >= 0.8 and early <= 0.5 and abs(last - 50) <= 10, words


def _settles(table: Table) -> tuple[Verdict, str]:
    loads = [load for load in table.values(LOAD) if kbps(load) >= 1000]
    holds, words = True, []
    for name, metric, unit in (("throughput", THROUGHPUT, "kbit/s"), ("delay", DELAY, "ms"), ("jitter", JITTER, "ms")):
        curve = _curve(metric, table, loads)
        level = sum(curve) / len(curve)
        holds &= max(abs(value - level) for value in curve) <= 0.1 * level
        words.append(f"{name} {number(min(curve))} to {number(max(curve))} {unit}")
    throughput = _curve(THROUGHPUT, table, loads)
    loss = max(_curve(LOSS, table))
    holds &= near(sum(throughput) / len(throughput), 740, 0.1) and loss <= 0.1
    return holds, f"from 1000 kbit/s on {', '.join(words)}; loss at most {number(loss)} %"


def _by_setting(check: Callable[[Table, Table, Table], tuple[Verdict, str]]) -> Callable[[Data], list[Finding]]:
    """Judges the three cases of each setting together; passes when some setting fits."""

    def judge(data: Data) -> list[Finding]:
        def of_setting(table: Table) -> tuple[Verdict, str]:
            setting = table.label.removeprefix("case 1, ")
            return check(*(data[f"{case}, {setting}"] for case in _CASES))

        return _in("case 1", of_setting)(data)

    return judge


def _near_is_better(one: Table, two: Table, three: Table) -> tuple[Verdict, str]:
    last = [table.mean(THROUGHPUT, {LOAD: _LAST}) for table in (one, two, three)]
    words = f"{', '.join(number(value) for value in last)} kbit/s in cases 1, 2, 3 at 1750 kbit/s"
    return last[2] > max(last[:2]), words


def _captured(one: Table, two: Table, _three: Table) -> tuple[Verdict, str]:
    shares = [100 * _share_left(table) for table in (one, two)]
    return max(shares) <= 5, f"{shares[0]:.1f} and {shares[1]:.1f} % of TCP's throughput are left in cases 1 and 2"


def _share_left(table: Table) -> float:
    return table.mean(THROUGHPUT, {LOAD: _LAST}) / table.mean(THROUGHPUT, {LOAD: _NONE})


_PUBLISHED: tuple[tuple[str, str, str, Metric, str, float, str], ...] = (
    ("case 1", "throughput alone", "kbit/s", THROUGHPUT, _NONE, 1430.0, 'text, "about"'),
    ("case 1", "throughput at 1750 kbit/s", "kbit/s", THROUGHPUT, _LAST, 0.0, "text"),
    ("case 1", "delay at 1000 kbit/s", "ms", DELAY, "1000kbps", 15.0, 'text, "about"'),
    ("case 1", "delay at 1600 kbit/s", "ms", DELAY, "1600kbps", 40.0, 'text, "about"'),
    ("case 1", "loss at 1000 kbit/s", "%", LOSS, "1000kbps", 0.0, "text: over the whole range"),
    ("case 2", "throughput alone", "kbit/s", THROUGHPUT, _NONE, 400.0, 'text, "about"'),
    ("case 2", "throughput at 1750 kbit/s", "kbit/s", THROUGHPUT, _LAST, 0.0, "text"),
    ("case 2", "loss at 600 kbit/s", "%", LOSS, "600kbps", 0.0, "text: it begins above"),
    ("case 2", "loss at 1750 kbit/s", "%", LOSS, _LAST, 50.0, "text"),
    ("case 3", "throughput at 1000 kbit/s", "kbit/s", THROUGHPUT, "1000kbps", 740.0, "text"),
    ("case 3", "loss at 1750 kbit/s", "%", LOSS, _LAST, 0.0, "text"),
)


def _begins(prefix: str) -> Callable[[str], bool]:
    return lambda label: label.startswith(prefix)


def _charts(data: Data) -> list[Chart]:
    return [
        sweep(
            data,
            name=f"{stem}-{case.replace(' ', '-')}",
            caption=f"{stem.capitalize()} of the TCP flow of {case} over the load of the UDP flow.",
            x=LOAD,
            y=metric,
            position=kbps,
            only=_begins(f"{case}, "),
            xlabel="UDP load (kbit/s)",
            ylabel=f"{stem} of TCP ({unit})",
        )
        for case in _CASES
        for stem, unit, metric in PLOTS
    ]


EXP13 = Entry(
    key="afrakhteh2005.exp13",
    title="TCP beside UDP of growing load",
    source=SOURCE,
    item="Experiment 13, figures 4.45 to 4.47",
    description="A TCP flow and a CBR flow of 0 to 1750 kbit/s: between two neighbours in opposite directions (case "
    "1), TCP over 3 hops with UDP over the middle one (case 2), and the same four nodes 50 m apart, all in range "
    "(case 3).",
    settings=[
        study
        for case in _CASES
        for study in candidates(beside_udp(case), {"sweep": {LOAD: _QUICK_LOADS}}, prefix=f"{case}, ", settings=MAIN)
    ],
    quantities=[
        Quantity(
            f"{case}, TCP, {what}", unit, mean_of(metric, {LOAD: load}), value, source, settings=_begins(f"{case}, ")
        )
        for case, what, unit, metric, load, value, source in _PUBLISHED
    ],
    statements=[
        Statement(
            "c1",
            "Case 1: TCP's throughput falls with the load, slower between 1000 and 1600 kbit/s, to nothing at 1750 "
            "(judged: no rise above 2 % of that alone; at most half the slope of 0 to 1000; at most 5 % of it).",
            _in("case 1", _declines_with_plateau),
        ),
        Statement(
            "c2",
            "Case 1: TCP's delay falls, rises, and stays from 1600 kbit/s on; so does its jitter (judged: least at 300 "
            "to 1500 kbit/s, 20 % more at both ends; within 25 % from 1600 on).",
            _in("case 1", _waits_in_a_u),
        ),
        Statement(
            "c3",
            "Case 2: throughput falls linearly to nothing, delay and jitter grow, loss begins above 600 kbit/s and "
            "reaches 50 % (judged: within 15 % of a straight line, at most 5 % left; rank correlations of 0.8; at "
            "most 0.5 %; 40 to 60 %).",
            _in("case 2", _falls_to_nothing),
        ),
        Statement(
            "c4",
            "Case 3: from 1000 kbit/s on nothing changes, throughput is about 740 kbit/s, and nothing is lost (judged: "
            "within 10 %; loss at most 0.1 %).",
            _in("case 3", _settles),
        ),
        Statement(
            "c5",
            "At the highest load TCP fares better in case 3 than in cases 1 and 2.",
            _by_setting(_near_is_better),
        ),
        Statement(
            "c6",
            "UDP captures the channel in cases 1 and 2 (judged: at most 5 % of TCP's throughput is left at 1750 "
            "kbit/s).",
            _by_setting(_captured),
        ),
    ],
    charts=_charts,
    parts={
        case.replace(" ", ""): Part(_begins(f"{case}, "), judged)
        for case, judged in {"case 1": ["c1", "c2"], "case 2": ["c3"], "case 3": ["c4"]}.items()
    },
    notes=[
        *SETTING_NOTES,
        MAIN_NOTE,
        "The ends of case 1 and case 3 are not stated: opposite directions are taken as in experiment 12, and the ends "
        "of case 2.",
        "The loads go up in steps of 100 kbit/s; 1 kbit/s stands for no load.",
    ],
)
