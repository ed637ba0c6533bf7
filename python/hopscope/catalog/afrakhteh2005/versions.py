"""afrakhteh2005, experiment 4: TCP versions over a channel without errors."""

from __future__ import annotations

from hopscope.catalog.afrakhteh2005.shared import (
    DELAY,
    HOPS,
    JITTER,
    MAIN,
    MAIN_NOTE,
    SETTING_NOTES,
    SIX,
    SOURCE,
    THROUGHPUT,
    VERSION_AXES,
    VERSION_NOTE,
    VERSIONS,
    candidates,
    chain,
    change,
    four_charts,
    over_hops,
    some,
    tcp,
)
from hopscope.results.comparisons import Verdict, difference
from hopscope.results.samples import Metric, Table
from hopscope.results.stats import number
from hopscope.studies.entry import Entry, Quantity, Statement
from hopscope.studies.judge import every, rank_correlation

PLAIN = ("Tahoe", "Reno", "NewReno", "SACK", "Vegas")
DELAYED = ("DACK", "SACK+DACK")


def mean(values: list[float]) -> float:
    """The arithmetic mean."""
    return sum(values) / len(values)


def curve(metric: Metric, table: Table, version: str) -> list[float]:
    """A metric of a version over the hops."""
    return over_hops(metric, table, VERSIONS[version])


def _coincide(table: Table) -> tuple[Verdict, str]:
    pairs = zip(*(curve(THROUGHPUT, table, version) for version in DELAYED), strict=True)
    gaps = [100 * (sack / plain - 1) for plain, sack in pairs]
    words = "SACK+DACK against DACK by hops: " + ", ".join(f"{gap:+.1f} %" for gap in gaps)
    return max(abs(gap) for gap in gaps) <= 5, words


def _one_hop(table: Table) -> tuple[Verdict, str]:
    at = {version: table.mean(THROUGHPUT, {**VERSIONS[version], HOPS: 1}) for version in VERSIONS}
    level = mean([at[version] for version in PLAIN])
    equal = all(abs(at[version] / level - 1) <= 0.02 for version in PLAIN)
    gains = [100 * (at[version] / level - 1) for version in DELAYED]
    words = ", ".join(f"{version} {number(value)}" for version, value in at.items())
    return equal and all(5 <= gain <= 11 for gain in gains), f"{words} kbit/s"


def _vegas_leads(table: Table) -> tuple[Verdict, str]:
    verdicts: list[Verdict] = []
    words = []
    leads = []
    for hops in SIX[1:]:
        vegas = {**VERSIONS["Vegas"], HOPS: hops}
        means = {v: table.mean(THROUGHPUT, {**VERSIONS[v], HOPS: hops}) for v in VERSIONS if v != "Vegas"}
        rival = max(means, key=lambda version: means[version])
        below = difference(table, THROUGHPUT, {**VERSIONS[rival], HOPS: hops}, vegas)
        verdicts.append(below.is_lower)
        leads.append(100 * (table.mean(THROUGHPUT, vegas) / means[rival] - 1))
        words.append(f"{leads[-1]:+.0f} % on {rival} at {hops}")
    over_reno = _over_reno(table)
    grows = rank_correlation([float(hops) for hops in SIX[1:]], leads) > 0
    holds = every([*verdicts, grows, abs(over_reno - 30) <= 10])
    return holds, f"{', '.join(words)}; {over_reno:+.0f} % on Reno at 6 hops"


def _over_reno(table: Table) -> float:
    vegas, reno = (table.mean(THROUGHPUT, {**VERSIONS[version], HOPS: 6}) for version in ("Vegas", "Reno"))
    return 100 * (vegas / reno - 1)


def _reno_is_last(table: Table) -> tuple[Verdict, str]:
    means = {version: mean(curve(THROUGHPUT, table, version)) for version in VERSIONS}
    words = ", ".join(f"{version} {number(value)}" for version, value in means.items())
    return min(means, key=lambda version: means[version]) == "Reno", f"mean over the hops: {words} kbit/s"


def _saving(metric: Metric, table: Table) -> float:
    """By how many per cent Vegas stays below the mean of all others, in the mean of all hops."""
    vegas = curve(metric, table, "Vegas")
    others = [curve(metric, table, version) for version in VERSIONS if version != "Vegas"]
    return 100 * mean([1 - v / mean(list(rest)) for v, *rest in zip(vegas, *others, strict=True)])


def _vegas_waits_least(table: Table) -> tuple[Verdict, str]:
    delay, jitter = _saving(DELAY, table), _saving(JITTER, table)
    others = [mean(curve(DELAY, table, version)) for version in VERSIONS if version != "Vegas"]
    close = max(others) <= 1.5 * min(others)
    words = f"delay {delay:.0f} % and jitter {jitter:.0f} % below the others, whose delays are {_span(others)} ms"
    return abs(delay - 70) <= 15 and abs(jitter - 50) <= 15 and close, words


def _span(values: list[float]) -> str:
    return f"{number(min(values))} to {number(max(values))}"


EXP04 = Entry(
    key="afrakhteh2005.exp04",
    title="TCP versions over a channel without errors",
    source=SOURCE,
    item="Experiment 4, figures 4.12 to 4.16",
    description="One flow from node 0 to node h, h = 1 to 6, of Tahoe, Reno, NewReno, SACK and Vegas, and of NewReno "
    "and SACK with delayed ACKs (DACK, SACK+DACK).",
    settings=candidates(
        chain("exp04", flow=[tcp()], sweep={**VERSION_AXES, HOPS: SIX}),
        settings=MAIN,
    ),
    quantities=[
        *(
            Quantity(
                f"{version} over NewReno, h = 1",
                "%",
                change(THROUGHPUT, {**VERSIONS["NewReno"], HOPS: 1}, {**VERSIONS[version], HOPS: 1}),
                8,
                'text, "about"',
            )
            for version in DELAYED
        ),
        Quantity(
            "Vegas over Reno, h = 6",
            "%",
            change(THROUGHPUT, {**VERSIONS["Reno"], HOPS: 6}, {**VERSIONS["Vegas"], HOPS: 6}),
            30,
            'text, "about"',
        ),
        *(
            Quantity(
                f"{what} of Vegas below NewReno, h = {hops}",
                "%",
                change(metric, {**VERSIONS["NewReno"], HOPS: hops}, {**VERSIONS["Vegas"], HOPS: hops}, sign=-1),
                value,
                "text, mean over hops and versions",
            )
            for what, metric, value in (("delay", DELAY, 70), ("jitter", JITTER, 50))
            for hops in (1, 6)
        ),
    ],
    statements=[
        Statement("c1", "DACK and SACK+DACK coincide over all hops (judged: within 5 %).", some(_coincide)),
        Statement(
            "c2",
            "Over one hop all versions carry the same, and about 8 % more with delayed ACKs (judged: within 2 % of "
            "their mean; 5 to 11 % above it).",
            some(_one_hop),
        ),
        Statement(
            "c3",
            "From two hops on Vegas carries most, its lead grows with the hops, to about 30 % over Reno at 6 (judged: "
            "ahead of every other version; rank correlation of the lead above 0; 20 to 40 % over Reno).",
            some(_vegas_leads),
        ),
        Statement("c4", "Reno carries least (judged: mean over the hops).", some(_reno_is_last)),
        Statement(
            "c5",
            "Vegas has by far the lowest delay (about 70 % below) and jitter (about 50 %); the others are close to one "
            "another (judged: within 15 points; mean delays of the others within a factor of 1.5).",
            some(_vegas_waits_least),
        ),
    ],
    charts=lambda data: four_charts(
        data,
        x=HOPS,
        xlabel="hops",
        subject="one flow over the number of hops by TCP version, in three candidate settings",
        lines=VERSIONS,
    ),
    notes=[
        *SETTING_NOTES,
        MAIN_NOTE,
        VERSION_NOTE,
        "The conclusions of the thesis restrict the lead of Vegas to 3 to 6 hops; c3 judges the text of the "
        "experiment.",
        "The thesis explains Reno's result by a lack of fast recovery, which would be Tahoe; Reno is simulated as it "
        "is.",
    ],
)
