"""afrakhteh2005, experiment 7: UDP at 1.7 Mbit/s beside TCP, over the hops."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

from hopscope.catalog.afrakhteh2005.shared import (
    DELAY,
    FIXED,
    HOPS,
    JITTER,
    LOSS,
    SETTING_NOTES,
    SIX,
    SOURCE,
    THROUGHPUT,
    candidates,
    cbr,
    chain,
    fixed_routes,
)
from hopscope.catalog.afrakhteh2005.tcp_hops import TCP_OVER_HOPS
from hopscope.report.chart import Chart, Mark
from hopscope.results.comparisons import Verdict
from hopscope.results.samples import Data, Metric, Table
from hopscope.results.stats import number
from hopscope.studies.charts import sweep
from hopscope.studies.entry import Entry, Quantity, Setting, Statement
from hopscope.studies.judge import each, mean_of, near
from hopscope.studies.verdict import Finding

UDP, TCP = "UDP, ", "TCP, "
"""Labels of the studies begin so; the name of the setting follows."""

FIXED_SETTING = "RTS off, control 2M"
"""For contrast, this setting runs over fixed routes, too."""

_UDP = chain("exp07", flow=[cbr("1700kbps")], sweep={HOPS: SIX})


def _is_udp(label: str) -> bool:
    return label.startswith(UDP)


def _is_tcp(label: str) -> bool:
    return label.startswith(TCP)


def _renamed(study: Setting) -> Setting:
    """A study of experiment 1 over fixed routes under its label here; the runs are the same."""
    return replace(study, label=f"{FIXED}{TCP}{study.label.removeprefix(FIXED)}")


# --- UDP alone ------------------------------------------------------------------------------------------------------


def _udp_falls_steeply(table: Table) -> tuple[Verdict, str]:
    curve = [table.mean(THROUGHPUT, {HOPS: hops}) for hops in SIX]
    steps = [earlier - later for earlier, later in itertools.pairwise(curve)]
    share = steps[0] / curve[0]
    fall = f"{number(curve[0])} to {number(curve[1])} kbit/s, {100 * share:.0f} % less"
    words = f"{fall}; next step {number(steps[1])} kbit/s"
    return share >= 0.4 and steps[0] == max(steps), words


def _udp_loss(table: Table) -> tuple[Verdict, str]:
    holds, words = True, []
    losses = []
    for hops in SIX:
        loss = table.mean(LOSS, {HOPS: hops})
        expected = 100 * (1 - table.mean(THROUGHPUT, {HOPS: hops}) / 1700)
        holds &= abs(loss - expected) <= 2
        losses.append(loss)
        words.append(f"{hops}: {number(loss)}")
    grows = all(later > earlier for earlier, later in itertools.pairwise(losses))
    return holds and grows, "loss in % by hops: " + ", ".join(words)


def _udp_throughput_fits(table: Table) -> tuple[Verdict, str]:
    found = {hops: table.mean(THROUGHPUT, {HOPS: hops}) for hops in (1, 2, 6)}
    words = ", ".join(f"{number(value)} kbit/s at {hops}" for hops, value in found.items())
    return all(near(found[hops], value, 0.05) for hops, value in ((1, 1700), (2, 870), (6, 300))), words


# --- UDP beside TCP -------------------------------------------------------------------------------------------------


def _beside(check: Callable[[Table, Table], tuple[Verdict, str]]) -> Callable[[Data], list[Finding]]:
    """Judges UDP beside TCP in the same setting; passes when some setting fits."""

    def judge(data: Data) -> list[Finding]:
        return each(lambda udp: check(udp, data[TCP + udp.label.removeprefix(UDP)]), only=_is_udp)(data)

    return judge


def _ratios(metric: Metric, udp: Table, tcp: Table) -> list[float]:
    return [udp.mean(metric, {HOPS: hops}) / tcp.mean(metric, {HOPS: hops}) for hops in SIX]


def _carries_more(udp: Table, tcp: Table) -> tuple[Verdict, str]:
    gains = [100 * (ratio - 1) for ratio in _ratios(THROUGHPUT, udp, tcp)]
    words = "gain by hops: " + ", ".join(f"{gain:+.0f} %" for gain in gains)
    return min(gains) > 0 and abs(gains[0] - 18) <= 5 and abs(gains[-1] - 32) <= 5, words


def _crosses(metric: Metric) -> Callable[[Table, Table], tuple[Verdict, str]]:
    """Far below TCP's at one hop; well above it from two hops on, by an order of magnitude at the most."""

    def check(udp: Table, tcp: Table) -> tuple[Verdict, str]:
        first, *rest = ratios = _ratios(metric, udp, tcp)
        words = "UDP / TCP by hops: " + ", ".join(f"{ratio:.2g}" for ratio in ratios)
        return first <= 0.25 and min(rest) >= 3 and 5 <= max(rest) <= 20, words

    return check


def _tcp_loses_little(table: Table) -> tuple[Verdict, str]:
    losses = [table.mean(LOSS, {HOPS: hops}) for hops in SIX]
    return max(losses) <= 2.2, "loss in % by hops: " + ", ".join(number(loss) for loss in losses)


# --- The entry ------------------------------------------------------------------------------------------------------

_EXP01 = "text of experiments 1 and 8"
_Rows = tuple[tuple[str, str, str, int, float, str], ...]
"""What, unit, metric, hops, published value, where it stands."""

_UDP_QUANTITIES: _Rows = (
    ("throughput", "kbit/s", THROUGHPUT, 1, 1700.0, "text"),
    ("throughput", "kbit/s", THROUGHPUT, 2, 870.0, 'text, "about"'),
    ("throughput", "kbit/s", THROUGHPUT, 6, 300.0, 'text, "about"'),
    ("delay", "ms", DELAY, 1, 6.0, "text"),
)
_TCP_QUANTITIES: _Rows = (
    ("throughput", "kbit/s", THROUGHPUT, 1, 1438.0, _EXP01),
    ("throughput", "kbit/s", THROUGHPUT, 2, 741.0, _EXP01),
    ("throughput", "kbit/s", THROUGHPUT, 3, 407.0, _EXP01),
    ("throughput", "kbit/s", THROUGHPUT, 6, 230.0, f'{_EXP01}, "about"'),
    ("delay", "ms", DELAY, 1, 76.0, "text"),
    ("delay", "ms", DELAY, 6, 290.0, f'{_EXP01}, "about"'),
    ("jitter", "ms", JITTER, 1, 5.0, f'{_EXP01}, "about"'),
    ("jitter", "ms", JITTER, 6, 43.0, f'{_EXP01}, "about"'),
    ("loss", "%", LOSS, 6, 2.2, f'{_EXP01}, "about"'),
)


def _quantities(prefix: str, rows: _Rows) -> list[Quantity]:
    return [
        Quantity(
            f"{prefix.removesuffix(', ')} {what}, h = {hops}",
            unit,
            mean_of(metric, {HOPS: hops}),
            value,
            source,
            settings=lambda label: label.removeprefix(FIXED).startswith(prefix),
        )
        for what, unit, metric, hops, value, source in rows
    ]


def _chart(data: Data, stem: str, unit: str, metric: str) -> Chart:
    """UDP and TCP over the hops in panels of their own, which share the names of the settings."""

    def half(prefix: str, rows: _Rows) -> Chart:
        published = [(hops, value) for _, _, of, hops, value, _ in rows if of == metric]
        chart = sweep(
            data,
            name=f"{stem}-over-hops",
            caption=f"{stem.capitalize()} of a 1.7 Mbit/s CBR flow and of a TCP flow (window 20) over the number of "
            "hops, in every candidate setting over AODV and in one over fixed routes.",
            x=HOPS,
            y=metric,
            xlabel="hops",
            ylabel=f"{stem} ({unit})",
            marks=[Mark("published", *zip(*published, strict=True))] if published else [],
            only=lambda label: label.removeprefix(FIXED).startswith(prefix),
        )
        [panel] = chart.panels
        lines = [replace(line, label=line.label.replace(prefix, "")) for line in panel.lines]
        return replace(chart, panels=[replace(panel, title=prefix.removesuffix(", "), lines=lines)])

    left, right = half(UDP, _UDP_QUANTITIES), half(TCP, _TCP_QUANTITIES)
    return replace(left, panels=[*left.panels, *right.panels], own_axes=metric != THROUGHPUT)


EXP07 = Entry(
    key="afrakhteh2005.exp07",
    title="UDP at 1.7 Mbit/s beside TCP, over the hops",
    source=SOURCE,
    item="Experiment 7, figures 4.28 to 4.31",
    description="Two series over h = 1 to 6 hops, in every candidate setting, over AODV: a CBR flow of 1.7 Mbit/s from "
    "node 0 to node h, and one NewReno flow with a window of 20 (experiment 1 of the thesis).",
    settings=[
        *candidates(_UDP, prefix=UDP),
        *(replace(study, label=f"{TCP}{study.label}") for study in candidates(TCP_OVER_HOPS)),
        fixed_routes(_UDP, FIXED_SETTING, prefix=UDP),
        _renamed(fixed_routes(TCP_OVER_HOPS, FIXED_SETTING)),
    ],
    quantities=[*_quantities(UDP, _UDP_QUANTITIES), *_quantities(TCP, _TCP_QUANTITIES)],
    statements=[
        Statement(
            "c1",
            "UDP carries 18 % (1 hop) to 32 % (6 hops) more than TCP (judged: more at every number of hops, and within "
            "5 points of 18 % and 32 % at 1 and 6 hops, in some candidate).",
            _beside(_carries_more),
        ),
        Statement(
            "c2",
            "UDP's delay is far below TCP's at 1 hop and up to about ten times TCP's from 2 hops on (judged: at most a "
            "quarter at 1 hop, three times or more from 2 hops on, 5 to 20 times at the most, in some candidate).",
            _beside(_crosses(DELAY)),
        ),
        Statement("c3", "The same holds for jitter (judged as c2).", _beside(_crosses(JITTER))),
        Statement(
            "c4",
            "UDP's loss grows fast with the hops (judged: at every step, and equal to 1 - throughput / 1700 within "
            "2 points).",
            each(_udp_loss, only=_is_udp),
        ),
        Statement(
            "c5",
            "UDP's throughput falls steeply from 1 to 2 hops (judged: by 40 % or more, the largest step).",
            each(_udp_falls_steeply, only=_is_udp),
        ),
        Statement(
            "c6",
            "UDP's throughput is 1700, about 870 and about 300 kbit/s at 1, 2 and 6 hops (judged: some candidate "
            "within 5 % of all three).",
            each(_udp_throughput_fits, only=_is_udp),
        ),
        Statement(
            "c7",
            "TCP loses less than 2 % at every number of hops (judged: at most the 2.2 % that the thesis gives for 6 "
            "hops elsewhere, in some candidate).",
            each(_tcp_loses_little, only=_is_tcp),
        ),
    ],
    charts=lambda data: [
        _chart(data, stem, unit, metric)
        for stem, unit, metric in (
            ("throughput", "kbit/s", THROUGHPUT),
            ("delay", "ms", DELAY),
            ("jitter", "ms", JITTER),
            ("loss", "%", LOSS),
        )
    ],
    notes=[
        *SETTING_NOTES,
        "The thesis gives the gain of UDP over TCP at 1 and at 6 hops; c1 judges these two and shows those between.",
        "c3: at 2 and 3 hops the overloaded queue is always full, so packets wait alike and UDP's jitter stays below "
        "TCP's; it is larger from 4 hops on, where routes break.",
        'The studies "fixed routes" repeat one setting without AODV and decide nothing: they show what routes that '
        "break under contention cost.",
    ],
)
