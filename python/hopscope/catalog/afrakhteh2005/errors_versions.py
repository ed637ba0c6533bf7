"""afrakhteh2005, experiment 11: channel errors by TCP version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hopscope.catalog.afrakhteh2005.errors import ERROR_NOTE, percent, with_errors
from hopscope.catalog.afrakhteh2005.shared import (
    DELAY,
    HOPS,
    JITTER,
    MAIN_NOTE,
    PER,
    SETTING_NOTES,
    SOURCE,
    THROUGHPUT,
    VERSION_AXES,
    VERSION_NOTE,
    VERSIONS,
    chain,
    four_charts,
    path,
    some,
    tcp,
)
from hopscope.catalog.afrakhteh2005.versions import DELAYED, mean
from hopscope.report.chart import Chart
from hopscope.results.comparisons import Verdict
from hopscope.results.samples import Data, Estimate, Metric, NoSamplesError, Table, estimate
from hopscope.results.stats import number
from hopscope.studies.entry import Entry, Quantity, Statement
from hopscope.studies.judge import rank_correlation

_SWEEP = {**VERSION_AXES, PER: [0.0, 0.02, 0.05, 0.08, 0.1, 0.13, 0.16, 0.2], HOPS: [1, 6]}
_QUICK = {"seeds": 1, "sweep": {**_SWEEP, PER: [0.0, 0.05, 0.1, 0.2]}}
_CLASSIC = ("Tahoe", "Reno", "NewReno")
_OTHERS = ("Tahoe", "Reno", "NewReno", "SACK")
_PLOTS = (("throughput", "kbit/s", THROUGHPUT), ("delay", "ms", DELAY), ("jitter", "ms", JITTER))


def _pers(table: Table) -> list[float]:
    return table.values(PER)


def _at(metric: Metric, table: Table, version: str, hops: int, per: float) -> float:
    return table.mean(metric, {**VERSIONS[version], HOPS: hops, PER: per})


def _over(metric: Metric, table: Table, version: str, hops: int, pers: Sequence[float]) -> list[float]:
    return [_at(metric, table, version, hops, per) for per in pers]


def _delayed_acks_lead(table: Table) -> tuple[Verdict, str]:
    holds, words = True, []
    for per in _pers(table):
        at = {version: _at(THROUGHPUT, table, version, 1, per) for version in VERSIONS}
        rest = [value for version, value in at.items() if version not in DELAYED]
        equal = max(rest) - min(rest) <= 0.1 * mean(rest)
        fits = min(at[version] for version in DELAYED) > max(rest) and equal
        holds &= fits
        if not fits:
            leaders = sorted(at, key=lambda version: -at[version])[:2]
            words.append(
                f"{percent(per)}: {' and '.join(leaders)} lead, the rest {number(min(rest))}..{number(max(rest))}"
            )
    return holds, "; ".join(words) or "at every error rate"


def _one_hop_order(table: Table) -> tuple[Verdict, str]:
    holds, words, pers = True, [], _pers(table)
    growth = {}
    for name, metric in (("delay", DELAY), ("jitter", JITTER)):
        level = {version: mean(_over(metric, table, version, 1, pers)) for version in VERSIONS}
        classic = [level[version] for version in _CLASSIC]
        holds &= level["Vegas"] < min(classic) and max(classic) < min(level[version] for version in DELAYED)
        ends = [mean([_at(metric, table, version, 1, per) for version in VERSIONS]) for per in (pers[0], pers[-1])]
        growth[name] = ends[1] / ends[0]
        words.append(
            f"mean {name} " + ", ".join(f"{version} {number(value)}" for version, value in level.items()) + " ms"
        )
    words.append(f"from 0 to 20 % delay x{growth['delay']:.2f}, jitter x{growth['jitter']:.2f}")
    return holds and growth["jitter"] > growth["delay"] > 1, "; ".join(words)


def _six_hops(table: Table, pers: Sequence[float]) -> dict[str, float]:
    return {version: mean(_over(THROUGHPUT, table, version, 6, pers)) for version in VERSIONS}


def _few_errors(table: Table) -> tuple[Verdict, str]:
    level = _six_hops(table, [per for per in _pers(table) if per < 0.1])
    words = ", ".join(f"{version} {number(value)}" for version, value in level.items())
    return level["Vegas"] > level["DACK"] > max(level[version] for version in _OTHERS), f"{words} kbit/s"


def _many_errors(table: Table) -> tuple[Verdict, str]:
    level = _six_hops(table, [per for per in _pers(table) if per > 0.13])
    return level["DACK"] >= level["Vegas"] > 0, f"DACK {number(level['DACK'])}, Vegas {number(level['Vegas'])} kbit/s"


def _delay_falls(table: Table) -> tuple[Verdict, str]:
    names = [version for version in VERSIONS if version != "Vegas"]
    curves = {version: _over(DELAY, table, version, 6, _pers(table)) for version in names}
    falls = all(rank_correlation(_pers(table), curve) <= -0.5 for curve in curves.values())
    level = {version: mean(curve) for version, curve in curves.items()}
    words = ", ".join(f"{version} {number(curve[0])} to {number(curve[-1])}" for version, curve in curves.items())
    return falls and max(level.values()) <= 1.25 * min(level.values()), f"from 0 to 20 %: {words} ms"


def _jitter_bends(table: Table) -> tuple[Verdict, str]:
    pers = _pers(table)
    low = [mean([_at(JITTER, table, version, 6, per) for version in VERSIONS]) for per in pers if per < 0.1]
    high = mean([_at(JITTER, table, version, 6, pers[-1]) for version in VERSIONS])
    words = f"mean of all versions {number(min(low))} to {number(max(low))} ms below 10 %, {number(high)} at 20 %"
    return max(low) <= 1.3 * min(low) and high >= 1.2 * max(low), words


def _below(metric: Metric, version: str, others: Sequence[str], hops: int) -> Callable[[Table], Estimate | None]:
    """By how many per cent a version stays below the mean of others, in the mean of all error rates, by seed."""

    def measure(table: Table) -> Estimate | None:
        try:
            samples: dict[int, list[float]] = {}
            for per in _pers(table):
                where = {HOPS: hops, PER: per}
                found = table.by_seed(metric, {**VERSIONS[version], **where})
                rest = [table.by_seed(metric, {**VERSIONS[other], **where}) for other in others]
                for seed, value in found.items():
                    known = [values[seed] for values in rest if seed in values]
                    if len(known) == len(rest):
                        samples.setdefault(seed, []).append(100 * (1 - value / mean(known)))
            return estimate([mean(values) for values in samples.values()])
        except (NoSamplesError, ZeroDivisionError):
            return None

    return measure


def _charts(data: Data) -> list[Chart]:
    found = []
    for hops in (1, 6):
        charts = four_charts(
            data,
            x=PER,
            xlabel="share of frames lost",
            subject=f"one flow over {path(hops)} over the share of frames lost, by TCP version",
            plots=_PLOTS,
            lines={version: {**where, HOPS: hops} for version, where in VERSIONS.items()},
            only=lambda label: label.endswith("all frames"),
        )
        found += [replace(chart, name=f"{chart.name}-{path(hops).replace(' ', '-')}") for chart in charts]
    return found


EXP11 = Entry(
    key="afrakhteh2005.exp11",
    title="Channel errors by TCP version",
    source=SOURCE,
    item="Experiment 11, figures 4.43 and 4.44",
    description="One flow of each TCP version over 1 hop and over 6 hops of a channel that loses 0 to 20 % of the "
    "frames.",
    settings=with_errors(
        chain("exp11", seeds=3, flow=[tcp()], sweep=_SWEEP),
        _QUICK,
    ),
    quantities=[
        Quantity(
            "delay of Vegas below NewReno and Tahoe, h = 1",
            "%",
            _below(DELAY, "Vegas", ("NewReno", "Tahoe"), 1),
            75,
            'text, "about", mean over the error rates',
        ),
        Quantity(
            "jitter of Vegas below NewReno and Tahoe, h = 1",
            "%",
            _below(JITTER, "Vegas", ("NewReno", "Tahoe"), 1),
            30,
            'text, "about", mean over the error rates',
        ),
    ],
    statements=[
        Statement(
            "c1",
            "Over one hop DACK and SACK+DACK carry most at every error rate, the rest about the same (judged: within "
            "10 % of one another).",
            some(_delayed_acks_lead),
        ),
        Statement(
            "c2",
            "Over one hop delay and jitter grow with the errors, jitter more; both are lowest with Vegas and highest "
            "with delayed ACKs (judged: means over the error rates; growth of the mean of all versions).",
            some(_one_hop_order),
        ),
        Statement(
            "c3",
            "Over 6 hops and below 10 % of errors Vegas carries most, DACK follows (judged: means over the error "
            "rates).",
            some(_few_errors),
        ),
        Statement(
            "c4",
            "Over 6 hops and above 13 % of errors DACK carries at least as much as Vegas (judged: means).",
            some(_many_errors),
        ),
        Statement(
            "c5",
            "Over 6 hops delay falls with the errors for all versions but Vegas, and these hardly differ (judged: rank "
            "correlation at most -0.5; mean delays within a factor of 1.25).",
            some(_delay_falls),
        ),
        Statement(
            "c6",
            "Over 6 hops jitter is flat up to 10 % of errors and grows beyond (judged: mean of all versions within a "
            "factor of 1.3; at 20 % at least 1.2 times as much).",
            some(_jitter_bends),
        ),
    ],
    charts=_charts,
    notes=[
        *SETTING_NOTES,
        MAIN_NOTE,
        VERSION_NOTE,
        ERROR_NOTE,
        "The thesis names 10 and 13 % of errors but no range; 0 to 20 % are taken, as in experiment 9. Whether SACK is "
        "among its curves is not stated; it runs. The charts show errors on all frames.",
    ],
)
