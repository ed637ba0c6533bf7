"""afrakhteh2005, experiment 12: two TCP connections at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hopscope.catalog.afrakhteh2005.shared import (
    HOPS,
    SETTING_NOTES,
    SIX,
    SOURCE,
    THROUGHPUT,
    UNRECORDED,
    candidates,
    chain,
    tcp,
)
from hopscope.catalog.afrakhteh2005.tcp_hops import TCP_OVER_HOPS
from hopscope.report.chart import Mark
from hopscope.results.comparisons import Verdict
from hopscope.results.samples import Data, Table, show
from hopscope.results.stats import number
from hopscope.studies.charts import bars
from hopscope.studies.entry import Entry, Part, Quantity, Setting, Statement
from hopscope.studies.judge import each, mean_of, near
from hopscope.studies.verdict import Finding

SECOND = "flow.1.throughput_kbps"

CASES: dict[str, tuple[tuple[int, int], tuple[int, int]]] = {
    "case 1": ((0, 1), (1, 0)),
    "case 2": ((0, 3), (1, 2)),
    "case 3": ((0, 2), (1, 2)),
    "case 4": ((0, 4), (4, 0)),
    "case 5": ((0, 5), (5, 0)),
    "case 6": ((0, 6), (6, 0)),
}
"""End nodes of both connections."""

SINGLE = "one flow, "
"""Labels of the studies of experiment 1, with which the thesis compares, begin so."""

_PUBLISHED: dict[str, tuple[float, float, float, float]] = {
    "case 1": (712, 171, 712, 155),
    "case 2": (248, 409, 727, 203),
    "case 4": (208, 231, 101, 222),
    "case 6": (185, 317, 41, 434),
}
"""Throughput and delay of TCP 1, then of TCP 2, as printed; cases 3 and 5 are left empty."""


def pair(case: str) -> dict[str, Any]:
    """The scenario of a case: the chain of experiment 1 with both connections."""
    ends = CASES[case]
    return chain(
        f"exp12, {case}",
        seeds=10,
        topology={"kind": "chain", "hops": max(max(pair) for pair in ends), "spacing": "200m"},
        flow=[tcp(**{"from": start, "to": end}) for start, end in ends],
    )


def _case(case: str, check: Callable[[Table, Table], tuple[Verdict, str]]) -> Callable[[Data], list[Finding]]:
    """Judges a case beside the single flows of the same setting; passes when some setting fits."""

    def judge(data: Data) -> list[Finding]:
        prefix = f"{case}, "
        return each(
            lambda table: check(table, data[SINGLE + table.label.removeprefix(prefix)]),
            only=lambda label: label.startswith(prefix),
        )(data)

    return judge


def _single(table: Table, hops: int) -> float:
    return table.mean(THROUGHPUT, {HOPS: hops})


def _neighbours_share(table: Table, single: Table) -> tuple[Verdict, str]:
    first, second = table.mean(THROUGHPUT), table.mean(SECOND)
    half, two = _single(single, 1) / 2, _single(single, 2)
    words = f"{number(first)} and {number(second)} kbit/s; half of one hop {number(half)}, two hops {number(two)}"
    mean = (first + second) / 2
    fair = abs(first - second) <= 0.05 * mean
    return fair and near(first, half, 0.1) and near(second, half, 0.1) and 0.85 * two <= mean < two, words


def _as_over_five(table: Table, single: Table) -> tuple[Verdict, str]:
    long, short = table.mean(THROUGHPUT), table.mean(SECOND)
    five, half = _single(single, 5), _single(single, 1) / 2
    words = (
        f"3 hops {number(long)} against {number(five)} kbit/s of one flow over 5; 1 hop {number(short)} against "
        f"half of one alone, {number(half)}"
    )
    return near(long, five, 0.2) and near(short, half, 0.1), words


def _symmetric_but_unfair(data: Data) -> list[Finding]:
    cases = ("case 4", "case 5", "case 6")

    def check(table: Table) -> tuple[Verdict, str]:
        setting = table.label.removeprefix(f"{cases[0]}, ")
        found = [data[f"{case}, {setting}"].interval("network.jain") for case in cases]
        # Shares of 1.5 to 1 have an index of 0.962.
        return all(value.mean < 0.962 for value in found), "Jain's index " + ", ".join(show(value) for value in found)

    return each(check, only=lambda label: label.startswith(cases[0]))(data)


def _one_hop_more(data: Data) -> list[Finding]:
    wanted = {"case 2": 5, "case 3": 3}

    def check(table: Table) -> tuple[Verdict, str]:
        setting = table.label.removeprefix("case 2, ")
        single = data[SINGLE + setting]
        found = {}
        for case in wanted:
            reached = data[f"{case}, {setting}"].mean(THROUGHPUT)
            found[case] = min(SIX, key=lambda hops: abs(_single(single, hops) - reached))
        words = ", ".join(f"{case} as one flow over {hops} hops" for case, hops in found.items())
        return found == wanted, words

    return each(check, only=lambda label: label.startswith("case 2, "))(data)


def _quantities() -> list[Quantity]:
    found = []
    for case in CASES:
        published = _PUBLISHED.get(case, (None,) * 4)
        metrics = [(f"flow.{flow}.{metric}", unit) for flow in (0, 1) for metric, unit in _METRICS]
        for (metric, unit), value in zip(metrics, published, strict=True):
            _, flow, name = metric.split(".")
            found.append(
                Quantity(
                    f"{case}, TCP {int(flow) + 1}, {name.partition('_')[0]}",
                    unit,
                    mean_of(metric),
                    value,
                    UNRECORDED if value is None else "table of experiment 12",
                    settings=_begins(f"{case}, "),
                )
            )
        found.append(
            Quantity(
                f"{case}, Jain's index",
                "",
                mean_of("network.jain"),
                _jain(published),
                "from the table" if published[0] is not None else "not to be had without the table's values",
                settings=_begins(f"{case}, "),
            )
        )
    return found


_METRICS = (("throughput_kbps", "kbit/s"), ("delay_ms", "ms"))


def _begins(prefix: str) -> Callable[[str], bool]:
    return lambda label: label.startswith(prefix)


def _jain(published: tuple[float | None, ...]) -> float | None:
    first, second = published[0], published[2]
    if first is None or second is None:
        return None
    return (first + second) ** 2 / (2 * (first * first + second * second))


def _way(case: str, flow: int) -> str:
    start, end = CASES[case][flow]
    return f"{start} to {end}"


def _marks(case: str) -> list[Mark]:
    if case not in _PUBLISHED:
        return []
    names = [f"TCP {flow + 1}, {_way(case, flow)}" for flow in (0, 1)]
    return [Mark("published", names, [_PUBLISHED[case][0], _PUBLISHED[case][2]])]


def _part(case: str) -> Part:
    """A case alone, with the single flows that its statement compares it with."""
    judged = {"case 1": ["c1"], "case 2": ["c2"]}.get(case, [])
    beside = (f"{case}, ", SINGLE) if judged else (f"{case}, ",)
    return Part(lambda label: label.startswith(beside), judged)


EXP12 = Entry(
    key="afrakhteh2005.exp12",
    title="Two TCP connections at once",
    source=SOURCE,
    item="Experiment 12, results table",
    description="Two flows of experiment 1 on one chain, in six placements: neighbours in both directions (case 1), a "
    "short flow inside a longer one (2 and 3), both directions of 4, 5 and 6 hops (4 to 6); ten seeds.",
    settings=[
        *(study for case in CASES for study in candidates(pair(case), prefix=f"{case}, ")),
        *(Setting(f"{SINGLE}{study.label}", study.scenario, study.quick) for study in candidates(TCP_OVER_HOPS)),
    ],
    quantities=_quantities(),
    statements=[
        Statement(
            "c1",
            "Case 1: equal shares, each about half of what one flow gets over one hop and slightly below two hops "
            "(judged: within 5 % of each other, 10 % of the half, and 0 to 15 % below two hops).",
            _case("case 1", _neighbours_share),
        ),
        Statement(
            "c2",
            "Case 2: the flow over 3 hops gets what one flow gets over 5, the flow over 1 hop about half of what one "
            "gets (judged: within 20 % and 10 %).",
            _case("case 2", _as_over_five),
        ),
        Statement(
            "c3",
            "Cases 4 to 6: of two symmetric flows one gets clearly more (judged: mean Jain index over the seeds below "
            "0.962, that of shares of 1.5 to 1, in all three; which one wins is chance).",
            _symmetric_but_unfair,
        ),
        Statement(
            "c4",
            "A path counts one hop more for each forwarding node that is the end of another connection (judged by the "
            "nearest throughput of one flow: case 2 as 5 hops, case 3 as 3).",
            _one_hop_more,
        ),
    ],
    charts=lambda data: [
        bars(
            Data([table for table in data if table.label.startswith(f"{case}, ")]),
            name=f"throughput-{case.replace(' ', '-')}",
            caption=f"Throughput of both flows of {case} ({_way(case, 0)} and {_way(case, 1)}) in every candidate "
            "setting.",
            groups=[(f"TCP 1, {_way(case, 0)}", THROUGHPUT), (f"TCP 2, {_way(case, 1)}", SECOND)],
            xlabel="flow",
            ylabel="throughput (kbit/s)",
            marks=_marks(case),
        )
        for case in CASES
    ],
    parts={case.replace(" ", ""): _part(case) for case in CASES},
    notes=[
        *SETTING_NOTES,
        "The diagrams of the cases are missing; the ends follow the text. The thesis ran each case once.",
    ],
)
