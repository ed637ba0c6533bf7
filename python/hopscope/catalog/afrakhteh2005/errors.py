"""afrakhteh2005, experiments 9 and 10: channel errors on TCP and on UDP."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from hopscope.catalog.afrakhteh2005.shared import (
    DELAY,
    HOPS,
    JITTER,
    LOSS,
    MAIN,
    MAIN_NOTE,
    PER,
    SETTING_NOTES,
    SIX,
    SOURCE,
    THROUGHPUT,
    UNRECORDED,
    candidates,
    cbr,
    chain,
    change,
    four_charts,
    quantities,
    some,
    tcp,
)
from hopscope.results.comparisons import Verdict, difference
from hopscope.results.samples import Estimate, Metric, NoSamplesError, Table
from hopscope.results.stats import number
from hopscope.studies.entry import Entry, Quantity, Setting, Statement
from hopscope.studies.judge import every

SCOPES = {"errors on all frames": "all", "errors on data frames": "data"}
"""The thesis does not say which frames its errors hit; both are candidates."""

ERROR_NOTE = (
    "The thesis does not say whether its errors hit control frames and broadcasts, too: errors on all frame copies (as "
    "ns-2's error model between radio and MAC does) and on data frames alone are both candidates. A frame hit "
    "vanishes, "
    'the usual form of ns-2 scripts; letting it occupy the receiver (`on_error = "flag"`) changes little.'
)


def with_errors(
    scenario: Mapping[str, Any], quick: Mapping[str, Any] | None = None, *, settings: Sequence[str] = MAIN
) -> list[Setting]:
    """The scenario in some candidate settings, with errors on all frames and on data frames alone."""
    found = []
    for setting in settings:
        for label, scope in SCOPES.items():
            [study] = candidates(scenario, quick, settings=[setting])
            name = f"{setting}, {label}"
            error = {"kind": "uniform", "per": 0.0, "applies_to": scope, "on_error": "drop"}
            document = {
                **study.scenario,
                "title": f"{scenario['title']}, {name}",
                "radio": {**study.scenario["radio"], "error": error},
            }
            found.append(Setting(name, document, study.quick))
    return found


def _at(metric: Metric, table: Table, hops: int, per: float) -> float:
    return table.mean(metric, {HOPS: hops, PER: per})


def _pers(table: Table) -> list[float]:
    return table.values(PER)


def _samples(metric: Metric, table: Table) -> list[float]:
    """The means of a metric at all points that have it, at least one."""
    found = [value.mean for value in _intervals(metric, table)]
    if not found:
        raise NoSamplesError("nothing arrived at any point")
    return found


def _largest(metric: Metric, table: Table) -> Estimate | None:
    """The largest mean of a metric over all points, with the interval of that point."""
    return max(_intervals(metric, table), key=lambda value: value.mean, default=None)


def _intervals(metric: Metric, table: Table) -> list[Estimate]:
    """The metric at all points that have it."""
    found = []
    for hops, per in itertools.product(SIX, _pers(table)):
        try:
            found.append(table.interval(metric, {HOPS: hops, PER: per}))
        except NoSamplesError:
            continue
    return found


def percent(per: float) -> str:
    """An error rate as a legend shows it."""
    return f"{100 * per:g} %"


_PER_LINES = "frame errors: "

# --- Experiment 9: TCP ----------------------------------------------------------------------------------------------

_TCP_PERS = [0.0, 0.01, 0.02, 0.04, 0.08, 0.15, 0.2]


def _falls_with_errors(table: Table) -> tuple[Verdict, str]:
    verdicts: list[Verdict] = []
    for hops in SIX:
        for low, high in itertools.pairwise(_pers(table)):
            gap = difference(table, THROUGHPUT, {HOPS: hops, PER: high}, {HOPS: hops, PER: low})
            verdicts.append(gap.is_lower)
    ends = ", ".join(
        f"{number(_at(THROUGHPUT, table, h, 0.0))} to {number(_at(THROUGHPUT, table, h, 0.2))}" for h in SIX
    )
    return every(verdicts), f"from 0 to 20 %, by hops: {ends} kbit/s"


def _drop(table: Table, hops: int, low: float, high: float) -> float:
    return 100 * (1 - _at(THROUGHPUT, table, hops, high) / _at(THROUGHPUT, table, hops, low))


def _long_paths_suffer_more(table: Table) -> tuple[Verdict, str]:
    one, six = (_drop(table, hops, 0.01, 0.15) for hops in (1, 6))
    return six > one, f"-{one:.0f} % at 1 hop, -{six:.0f} % at 6"


def _accelerates(table: Table) -> tuple[Verdict, str]:
    early, late = _drop(table, 1, 0.04, 0.08), _drop(table, 1, 0.08, 0.15)
    return late > early > 0, f"at 1 hop -{early:.0f} % from 4 to 8 %, -{late:.0f} % from 8 to 15 %"


def _short_paths_lose_nothing(table: Table) -> tuple[Verdict, str]:
    worst = max(_at(LOSS, table, hops, per) for hops in (1, 2, 3) for per in _pers(table) if per < 0.08)
    return worst <= 0.5, f"at most {number(worst)} %"


def _loss_rises_when_long(table: Table) -> tuple[Verdict, str]:
    pairs = [(_at(LOSS, table, hops, 0.02), _at(LOSS, table, hops, 0.08)) for hops in (4, 5, 6)]
    words = ", ".join(f"{number(low)} to {number(high)}" for low, high in pairs)
    return all(high >= 1.5 * low for low, high in pairs), f"from 2 to 8 % of errors, 4 to 6 hops: {words} %"


def _loss_grows_both_ways(table: Table) -> tuple[Verdict, str]:
    by_hops = all(_at(LOSS, table, 6, per) > _at(LOSS, table, 1, per) for per in _pers(table))
    by_errors = all(_at(LOSS, table, hops, 0.2) > _at(LOSS, table, hops, 0.0) for hops in SIX)
    corners = ", ".join(number(_at(LOSS, table, hops, per)) for hops in (1, 6) for per in (0.0, 0.2))
    return by_hops and by_errors, f"1 hop at 0 and 20 %, 6 hops at 0 and 20 %: {corners} %"


def _delay_stays(table: Table) -> tuple[Verdict, str]:
    found = _samples(DELAY, table)
    return min(found) >= 75 and max(found) <= 375, f"{number(min(found))} to {number(max(found))} ms"


EXP09 = Entry(
    key="afrakhteh2005.exp09",
    title="Channel errors on TCP",
    source=SOURCE,
    item="Experiment 9, figures 4.36 and 4.37",
    description="The flow of experiment 1 over a channel that loses 0 to 20 % of the frames, h = 1 to 6.",
    settings=with_errors(chain("exp09", flow=[tcp()], sweep={PER: _TCP_PERS, HOPS: SIX})),
    quantities=[
        *(
            Quantity(
                f"throughput lost from {percent(low)} to {percent(high)}, h = {hops}",
                "%",
                change(THROUGHPUT, {HOPS: hops, PER: low}, {HOPS: hops, PER: high}, sign=-1),
                value,
                source,
            )
            for low, high, hops, value, source in (
                (0.01, 0.15, 1, None, UNRECORDED),
                (0.01, 0.15, 6, None, UNRECORDED),
                (0.04, 0.08, 1, 8, 'text, "about"'),
                (0.08, 0.15, 1, 16, 'text, "about"'),
                (0.0, 0.2, 1, 50, 'text, "about half"'),
            )
        ),
        *quantities(
            [
                ("loss at 4 %, h = 6", "%", LOSS, {HOPS: 6, PER: 0.04}, 2.5, "conclusions, hop count not given"),
                ("loss at 20 %, h = 6", "%", LOSS, {HOPS: 6, PER: 0.2}, 7.0, "text of experiment 10: the largest loss"),
                ("delay at 4 %, h = 1", "ms", DELAY, {HOPS: 1, PER: 0.04}, 100.0, 'text of experiment 10, "about"'),
                ("delay at 4 %, h = 6", "ms", DELAY, {HOPS: 6, PER: 0.04}, 300.0, 'text of experiment 10, "about"'),
            ]
        ),
    ],
    statements=[
        Statement(
            "c1",
            "Throughput falls with every step of the error rate at every number of hops (judged: outside the noise).",
            some(_falls_with_errors),
        ),
        Statement(
            "c2",
            "From 1 to 15 % of errors 6 hops lose a larger share of their throughput than 1 hop.",
            some(_long_paths_suffer_more),
        ),
        Statement(
            "c3",
            "The fall accelerates: from 8 to 15 % more is lost than from 4 to 8 % (judged at 1 hop).",
            some(_accelerates),
        ),
        Statement(
            "c4",
            "Over 1 to 3 hops nothing is lost while fewer than 8 % of the frames are (judged: at most 0.5 %).",
            some(_short_paths_lose_nothing),
        ),
        Statement(
            "c5",
            "Over more than 3 hops loss rises sharply beyond 4 % of errors (judged: at 8 % at least 1.5 times that at "
            "2 %).",
            some(_loss_rises_when_long),
        ),
        Statement(
            "c6",
            "Loss grows with the hops and with the errors (judged: 6 hops above 1 hop at every error rate, 20 % above "
            "none at every number of hops).",
            some(_loss_grows_both_ways),
        ),
        Statement(
            "c7",
            "Errors hardly move the delay, which stays between about 100 and 300 ms (judged: 75 to 375 ms at every "
            "point).",
            some(_delay_stays),
        ),
    ],
    charts=lambda data: four_charts(
        data,
        x=HOPS,
        xlabel="hops",
        subject="one NewReno flow over the number of hops by the share of frames lost",
        lines={percent(per): {PER: per} for per in _TCP_PERS},
        legend_title=_PER_LINES,
    ),
    notes=[*SETTING_NOTES, MAIN_NOTE, ERROR_NOTE, "1, 4, 8, 15 and 20 % are named; 0 and 2 % are added."],
)


# --- Experiment 10: UDP ---------------------------------------------------------------------------------------------

_UDP_PERS = [0.0, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2]
_UDP_QUICK = {"sweep": {PER: [0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.2], HOPS: SIX}}
_LOAD = 290.0


def _flat_at_first(table: Table) -> tuple[Verdict, str]:
    found = [_at(THROUGHPUT, table, hops, per) for hops in SIX for per in _pers(table) if per <= 0.02]
    return min(found) >= 0.99 * _LOAD, f"{number(min(found))} to {number(max(found))} kbit/s"


def _onset(table: Table, per: float) -> int | None:
    """The smallest number of hops over which less than the load arrives."""
    return next((hops for hops in SIX if _at(THROUGHPUT, table, hops, per) < 0.99 * _LOAD), None)


def _onset_moves(table: Table) -> tuple[Verdict, str]:
    published = {0.04: 4, 0.06: 3, 0.08: 2, 0.1: 1}
    found = {per: _onset(table, per) for per in published}
    words = ", ".join(f"{hops or 'none'} at {percent(per)}" for per, hops in found.items())
    return found == published, f"first number of hops that loses: {words}"


def _six_lose_more_than_four(table: Table) -> tuple[Verdict, str]:
    four, six = (100 * (1 - _at(THROUGHPUT, table, hops, 0.06) / _at(THROUGHPUT, table, hops, 0.0)) for hops in (4, 6))
    return six > 0 and six >= 3 * four, f"-{four:.1f} % at 4 hops, -{six:.1f} % at 6"


def _loss_complements(table: Table) -> tuple[Verdict, str]:
    gaps = [
        _at(LOSS, table, hops, per) - 100 * (1 - _at(THROUGHPUT, table, hops, per) / _LOAD)
        for hops in SIX
        for per in _pers(table)
    ]
    worst = max(gaps, key=abs)
    return abs(worst) <= 2, f"largest gap {worst:+.2f} points"


def _delay_explodes(table: Table) -> tuple[Verdict, str]:
    low, high = _before_and_after(DELAY, table)
    return low <= 200 and high >= 1000, f"at 6 hops {number(low)} ms at 2 % of errors, up to {number(high)} beyond 4 %"


def _jitter_explodes(table: Table) -> tuple[Verdict, str]:
    low, high = _before_and_after(JITTER, table)
    return high >= 10 * low, f"at 6 hops {number(low)} ms at 2 % of errors, up to {number(high)} beyond 4 %"


def _before_and_after(metric: Metric, table: Table) -> tuple[float, float]:
    beyond = []
    for per in _pers(table):
        if per > 0.04:
            try:
                beyond.append(_at(metric, table, 6, per))
            except NoSamplesError:
                continue
    if not beyond:
        raise NoSamplesError("nothing arrived over 6 hops beyond 4 % of errors")
    return _at(metric, table, 6, 0.02), max(beyond)


def _udp_loses_far_more(table: Table) -> tuple[Verdict, str]:
    found = max(_samples(LOSS, table))
    return found >= 3 * 7 and _at(LOSS, table, 1, 0.0) < 7, f"up to {number(found)} %; TCP up to 7 % in the thesis"


EXP10 = Entry(
    key="afrakhteh2005.exp10",
    title="Channel errors on UDP",
    source=SOURCE,
    item="Experiment 10, figures 4.38 to 4.42",
    description="A CBR flow of 290 kbit/s over a channel that loses 0 to 20 % of the frames, h = 1 to 6.",
    settings=with_errors(chain("exp10", flow=[cbr("290kbps")], sweep={PER: _UDP_PERS, HOPS: SIX}), _UDP_QUICK),
    quantities=[
        *(
            Quantity(
                f"throughput lost from 0 to 6 %, h = {hops}",
                "%",
                change(THROUGHPUT, {HOPS: hops, PER: 0.0}, {HOPS: hops, PER: 0.06}, sign=-1),
                value,
                source,
            )
            for hops, value, source in ((4, 4, 'text, "about"'), (6, None, UNRECORDED))
        ),
        *quantities(
            [
                ("loss at 10 %, h = 4", "%", LOSS, {HOPS: 4, PER: 0.1}, None, UNRECORDED),
                ("throughput at 10 %, h = 4", "kbit/s", THROUGHPUT, {HOPS: 4, PER: 0.1}, None, UNRECORDED),
                ("loss at 4 %, h = 6", "%", LOSS, {HOPS: 6, PER: 0.04}, 40.0, "conclusions, hop count not given"),
            ]
        ),
        Quantity("largest loss", "%", lambda table: _largest(LOSS, table), None, UNRECORDED),
        Quantity("largest delay", "ms", lambda table: _largest(DELAY, table), 2000, 'text, "up to"'),
    ],
    statements=[
        Statement(
            "c1",
            "Up to 2 % of errors all 290 kbit/s arrive over every path (judged: within 1 %).",
            some(_flat_at_first),
        ),
        Statement(
            "c2",
            "Throughput first falls below 290 kbit/s at 4 hops with 4 % of errors, at 3 with 6 %, at 2 with 8 % "
            "and at 1 beyond (judged: below by more than 1 %; beyond: 10 %).",
            some(_onset_moves),
        ),
        Statement(
            "c3",
            "At 6 % of errors 6 hops lose much more throughput than 4 (judged: at least three times as much).",
            some(_six_lose_more_than_four),
        ),
        Statement(
            "c4",
            "Loss is 1 - throughput / 290 at every point (judged: within 2 points).",
            some(_loss_complements),
        ),
        Statement(
            "c5",
            "Delay explodes beyond 4 % of errors, to seconds, unlike TCP's (judged at 6 hops: at most 200 ms at 2 %, "
            "1000 ms or more at some error rate beyond 4 %).",
            some(_delay_explodes),
        ),
        Statement(
            "c6",
            "Jitter does the same (judged at 6 hops: beyond 4 % at least ten times that at 2 %).",
            some(_jitter_explodes),
        ),
        Statement(
            "c7",
            "The largest loss of UDP is far above that of TCP, about 7 % (judged: at least 21 %).",
            some(_udp_loses_far_more),
        ),
    ],
    charts=lambda data: four_charts(
        data,
        x=HOPS,
        xlabel="hops",
        subject="one CBR flow of 290 kbit/s over the number of hops by the share of frames lost",
        lines={percent(per): {PER: per} for per in _UDP_PERS},
        legend_title=_PER_LINES,
    ),
    notes=[
        *SETTING_NOTES,
        MAIN_NOTE,
        ERROR_NOTE,
        "2, 4, 6, 8 and 10 % are named; 0, 1, 15 and 20 % are added.",
        'The conclusions speak of "2000 seconds" of delay where the experiment has 2000 ms; ms is meant.',
    ],
)
