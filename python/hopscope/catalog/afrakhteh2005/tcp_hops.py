"""afrakhteh2005, experiments 1 and 3: one TCP flow over the hops, and what RTS/CTS costs it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from hopscope.catalog.afrakhteh2005.shared import (
    DELAY,
    HOPS,
    JITTER,
    LOSS,
    MAIN,
    RTS,
    SETTING_NOTES,
    SIX,
    SOURCE,
    THROUGHPUT,
    candidates,
    chain,
    change,
    fixed_routes,
    four_charts,
    over_hops,
    quantities,
    some,
    tcp,
)
from hopscope.results.comparisons import Verdict
from hopscope.results.samples import Estimate, Metric, Table
from hopscope.results.stats import number
from hopscope.studies.entry import Entry, Quantity, Setting, Statement
from hopscope.studies.judge import near

# --- Experiment 1: TCP over the hops --------------------------------------------------------------------------------

TCP_OVER_HOPS: dict[str, Any] = chain("exp01", flow=[tcp()], sweep={HOPS: SIX})
"""The reference case of the thesis; experiments 7 and 12 compare with it."""


def numbers(values: list[float]) -> str:
    """Values by hops, as text."""
    return ", ".join(number(value) for value in values)


def _halves(table: Table) -> tuple[Verdict, str]:
    curve = over_hops(THROUGHPUT, table, hops=(1, 2, 3))
    losses = [1 - later / earlier for earlier, later in itertools.pairwise(curve)]
    words = f"{numbers(curve)} kbit/s: {', '.join(f'-{100 * loss:.0f} %' for loss in losses)}"
    return all(0.4 <= loss <= 0.6 for loss in losses), words


def _flattens(table: Table) -> tuple[Verdict, str]:
    curve = over_hops(THROUGHPUT, table)
    changes = [1 - later / earlier for earlier, later in itertools.pairwise(curve)]
    early, late = min(changes[:2]), max(abs(change) for change in changes[3:])
    return late <= 0.5 * early, f"per hop -{100 * early:.0f} % or more up to 3 hops, at most {100 * late:.0f} % from 4"


def _thirty_below(table: Table) -> tuple[Verdict, str]:
    share = 1 - table.mean(THROUGHPUT, {HOPS: 1}) / 2000
    return abs(share - 0.3) <= 0.05, f"{100 * share:.0f} % below"


def _linear_delay(table: Table) -> tuple[Verdict, str]:
    delays = over_hops(DELAY, table)
    steps = [later - earlier for earlier, later in itertools.pairwise(delays)]
    mean = sum(steps) / len(steps)
    straight = all(abs(step - mean) <= 0.5 * abs(mean) for step in steps) and mean > 0
    return straight and delays[3] < 250 < delays[4], f"{numbers(delays)} ms"


def _growing_jitter(table: Table) -> tuple[Verdict, str]:
    jitter = over_hops(JITTER, table)
    grows = all(later > earlier for earlier, later in itertools.pairwise(jitter))
    return grows and near(jitter[0], 5, 0.3) and near(jitter[-1], 43, 0.3), f"{numbers(jitter)} ms"


def _five_hops(table: Table) -> tuple[Verdict, str]:
    found = table.mean(THROUGHPUT, {HOPS: 5})
    return near(found, 248, 0.1), f"{number(found)} kbit/s"


_TEXT = "text"
_PUBLISHED: tuple[tuple[str, str, Metric, int, float, str], ...] = (
    ("throughput", "kbit/s", THROUGHPUT, 1, 1438.0, _TEXT),
    ("throughput", "kbit/s", THROUGHPUT, 2, 741.0, _TEXT),
    ("throughput", "kbit/s", THROUGHPUT, 3, 407.0, _TEXT),
    ("throughput", "kbit/s", THROUGHPUT, 6, 230.0, 'text of experiment 8, "about"; experiment 2 says 200'),
    ("delay", "ms", DELAY, 1, 76.0, "text of experiment 7"),
    ("delay", "ms", DELAY, 6, 290.0, 'text of experiment 8, "about"'),
    ("jitter", "ms", JITTER, 1, 5.0, 'text, "about"'),
    ("jitter", "ms", JITTER, 6, 43.0, 'text, "about"'),
    ("loss", "%", LOSS, 6, 2.2, 'text of experiment 8, "about"'),
)

EXP01 = Entry(
    key="afrakhteh2005.exp01",
    title="TCP over the hops",
    source=SOURCE,
    item="Experiment 1, figures 4.1 to 4.3",
    description="One NewReno flow (1460 B, window 20) from node 0 to node h, h = 1 to 6, over AODV, in every candidate "
    "setting.",
    settings=[*candidates(TCP_OVER_HOPS), *(fixed_routes(TCP_OVER_HOPS, setting) for setting in MAIN)],
    quantities=quantities(
        [
            (f"{what}, h = {hops}", unit, metric, {HOPS: hops}, value, source)
            for what, unit, metric, hops, value, source in _PUBLISHED
        ]
    ),
    statements=[
        Statement(
            "c1",
            "Throughput falls by about a half from 1 to 2 hops and again from 2 to 3 (judged: by 40 to 60 % each, in "
            "some candidate).",
            some(_halves),
        ),
        Statement(
            "c2",
            "Throughput flattens over more hops (judged: from 4 hops on it changes by at most half the smallest "
            "relative step of 1 to 3 hops).",
            some(_flattens),
        ),
        Statement(
            "c3",
            "Over one hop throughput is about 30 % below the channel's 2 Mbit/s (judged: 25 to 35 %).",
            some(_thirty_below),
        ),
        Statement(
            "c4",
            "Delay grows almost linearly with the hops and crosses 250 ms between 4 and 5 (judged: each step within "
            "50 % of the mean step).",
            some(_linear_delay),
        ),
        Statement(
            "c5",
            "Jitter grows with every hop, from about 5 ms to about 43 ms (judged: ends within 30 %).",
            some(_growing_jitter),
        ),
        Statement(
            "c6",
            "Throughput over 5 hops is close to 248 kbit/s, which experiment 12 calls that of a flow over 5 hops "
            "(judged: within 10 %).",
            some(_five_hops),
        ),
    ],
    charts=lambda data: four_charts(
        data,
        x=HOPS,
        xlabel="hops",
        subject="one NewReno flow over the number of hops, in every candidate setting and over fixed routes",
        marks={
            stem: ([row[3] for row in rows], [row[4] for row in rows])
            for stem in ("throughput", "delay", "jitter", "loss")
            if (rows := [row for row in _PUBLISHED if row[0] == stem])
        },
    ),
    notes=[
        *SETTING_NOTES,
        'The studies "fixed routes" repeat the settings without AODV, for contrast: what its broken routes cost.',
        "TCP throughput counts 1460 B of payload in each packet.",
    ],
)


# --- Experiment 3: RTS/CTS on and off -------------------------------------------------------------------------------

_ON, _OFF = {RTS: 0}, {RTS: "off"}
_CONTROLS = {
    "control 1M": "RTS on, control 1M",
    "control 2M": "RTS on, control 2M",
    "control+PLCP 2M": "RTS on, control+PLCP 2M",
}
"""Label of a study -> the candidate setting it starts from; RTS/CTS is swept."""


def _cost(metric: Metric, table: Table) -> list[float]:
    """By how much RTS/CTS changes a metric, in per cent of its value without, by hops."""
    on, off = over_hops(metric, table, _ON), over_hops(metric, table, _OFF)
    return [100 * (a / b - 1) for a, b in zip(on, off, strict=True)]


def _percents(values: list[float]) -> str:
    return ", ".join(f"{value:+.0f} %" for value in values)


def _loses_throughput(table: Table) -> tuple[Verdict, str]:
    cost = _cost(THROUGHPUT, table)
    return max(cost) < 0, f"by hops: {_percents(cost)}"


def _loses_more_when_long(table: Table) -> tuple[Verdict, str]:
    first, *rest = (-value for value in _cost(THROUGHPUT, table))
    words = f"{first:.0f} % at 1 hop, {', '.join(f'{value:.0f}' for value in rest)} % beyond"
    return near(first, 8, 0.4) and max(rest) > first and abs(max(rest) - 15) <= 5, words


def _adds_delay(table: Table) -> tuple[Verdict, str]:
    cost = _cost(DELAY, table)
    return min(cost) > 0, f"by hops: {_percents(cost)}"


def _adds_jitter_when_long(table: Table) -> tuple[Verdict, str]:
    cost = _cost(JITTER, table)
    far = sum(cost[2:]) / len(cost[2:])
    return max(abs(value) for value in cost[:2]) <= 5 and 5 <= far <= 12, f"by hops: {_percents(cost)}"


def _cost_at(metric: Metric, hops: int, sign: int) -> Callable[[Table], Estimate | None]:
    return change(metric, {**_OFF, HOPS: hops}, {**_ON, HOPS: hops}, sign=sign)


EXP03 = Entry(
    key="afrakhteh2005.exp03",
    title="What RTS/CTS costs a TCP flow",
    source=SOURCE,
    item="Experiment 3, figures 4.9 to 4.11",
    description="The flow of experiment 1 with RTS/CTS before every data frame and without, h = 1 to 6, with each of "
    "the candidate rates of control frames and PLCP header.",
    settings=[
        Setting(
            label,
            {
                **study.scenario,
                "title": f"afrakhteh2005 exp03, {label}",
                "sweep": {RTS: [0, "off"], HOPS: SIX},
            },
            study.quick,
        )
        for label, setting in _CONTROLS.items()
        for study in candidates(TCP_OVER_HOPS, settings=[setting])
    ],
    quantities=[
        Quantity("throughput lost, h = 1", "%", _cost_at(THROUGHPUT, 1, -1), 8, "text"),
        Quantity("throughput lost, h = 5", "%", _cost_at(THROUGHPUT, 5, -1), 15, 'text, "up to"'),
        Quantity("delay added, h = 6", "%", _cost_at(DELAY, 6, 1), 20, 'conclusions, "up to"; no hop count given'),
        Quantity("jitter added, h = 6", "%", _cost_at(JITTER, 6, 1), 10, "text, 7 to 10 % over many hops"),
    ],
    statements=[
        Statement(
            "c1", "RTS/CTS lowers throughput at every number of hops (in some candidate).", some(_loses_throughput)
        ),
        Statement(
            "c2",
            "It costs about 8 % at one hop and up to about 15 % over more (judged: 5 to 11 %; the largest beyond one "
            "hop above that and 10 to 20 %).",
            some(_loses_more_when_long),
        ),
        Statement("c3", "It raises delay at every number of hops.", some(_adds_delay)),
        Statement(
            "c4",
            "It leaves jitter alone over 1 and 2 hops and adds 7 to 10 % over more (judged: at most 5 % of change; 5 "
            "to 12 % in the mean of 3 to 6 hops).",
            some(_adds_jitter_when_long),
        ),
    ],
    charts=lambda data: four_charts(
        data,
        x=HOPS,
        xlabel="hops",
        subject="one NewReno flow over the number of hops with RTS/CTS on and off",
        lines={"RTS/CTS on": _ON, "RTS/CTS off": _OFF},
    ),
    notes=[*SETTING_NOTES, "Costs are relative to the value without RTS/CTS."],
)
