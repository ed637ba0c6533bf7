"""fu2003, Figure 10 and Tables 4 to 6: Link RED with pacing against NewReno over a plain link layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hopscope.catalog.fu2003.pacing import BOTH, ECN, MEAN_WINDOW, NAMES, PLAIN
from hopscope.catalog.fu2003.shared import (
    AGGREGATE,
    CHAIN,
    CLOSE,
    CROSS,
    GRID,
    GRID_NOTE,
    HOPS,
    JAIN,
    LAYER,
    LAYER_NOTE,
    MULTIPLE_NOTE,
    PROFILE_NOTE,
    SOURCE,
    UNPRINTED,
    across,
    flow,
    labelled,
    over_grid,
    profiles,
)
from hopscope.models.window import optimal_window_chain
from hopscope.report.chart import Chart
from hopscope.results.comparisons import Verdict, difference, gain
from hopscope.results.samples import Data, Run, Table, show
from hopscope.results.stats import number
from hopscope.studies.charts import bars, sweep
from hopscope.studies.entry import Entry, Quantity, Setting, Statement
from hopscope.studies.judge import between, each, every, exceeds, mean_of, near, rank_correlation
from hopscope.studies.verdict import Finding, Outcome

LAYERS = [PLAIN, BOTH]
_SIDES = ({LAYER: BOTH}, {LAYER: PLAIN})


# --- Figure 10: chains of 3 to 48 hops ------------------------------------------------------------------------------

_HOPS = [3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 40, 48]
_ONE, _SIX = "one flow", "six flows"


def _chain_studies(flows: int, label: str) -> list[Setting]:
    return profiles(
        # ns-2's default time to live of 32 would end every packet before the 40th hop.
        {
            **CHAIN,
            "net": {"ttl": 64},
            "flow": [flow(0, "last", **ECN)] * flows,
            "sweep": {HOPS: _HOPS, LAYER: LAYERS},
        },
        quick={"seeds": 1, "sweep": {HOPS: [4, 16, 48], LAYER: LAYERS}},
        label=label,
    )


ONE_FLOW, SIX_FLOWS = _chain_studies(1, _ONE), _chain_studies(6, _SIX)


def _at(hops: int) -> tuple[dict[str, Any], dict[str, Any]]:
    return {HOPS: hops, LAYER: BOTH}, {HOPS: hops, LAYER: PLAIN}


def _gains(table: Table) -> dict[int, Any]:
    return {hops: gain(table, AGGREGATE, *_at(hops)) for hops in table.values(HOPS)}


def _gain_words(found: dict[int, Any]) -> str:
    return "gain " + "; ".join(f"{hops} hops: {show(value, '%')}" for hops, value in found.items())


def _no_loss(table: Table) -> tuple[Verdict, str]:
    found = _gains(table)
    return every(exceeds(value, 0) for value in found.values()), _gain_words(found)


def _up_to_30(table: Table) -> tuple[Verdict, str]:
    found = _gains(table)
    top = max(found, key=lambda hops: found[hops].mean)
    return between(found[top], 20, 40), f"largest gain {show(found[top], '%')} at {top} hops"


def _long_chains(table: Table) -> tuple[Verdict, str]:
    found = {hops: value for hops, value in _gains(table).items() if hops > 15}
    inside = every(between(value, 10, 30) for value in found.values())
    trend = rank_correlation(list(found), [value.mean for value in found.values()])
    return every([inside, trend > 0]), f"{_gain_words(found)}; rank correlation {trend:.2f}"


def _nearer_the_quarter(table: Table) -> tuple[Verdict, str]:
    verdicts: list[Verdict] = []
    words = []
    for hops in table.values(HOPS):

        def distance(run: Run, target: float = max(1.0, optimal_window_chain(hops))) -> float | None:
            window = run["flows"][0]["mean_cwnd"]
            return None if window is None else abs(window - target)

        verdicts.append(difference(table, distance, *_at(hops)).is_lower)
        both, plain = (table.interval(MEAN_WINDOW, place) for place in _at(hops))
        words.append(f"{hops} hops: {number(both.mean)} against {number(plain.mean)}")
    return every(verdicts), "mean window " + "; ".join(words)


def _fig10_quantities(what: str, unit: str, metric: str) -> list[Quantity]:
    return [
        Quantity(
            f"{what}, {hops} hops, {NAMES[layer]}", unit, mean_of(metric, {HOPS: hops, LAYER: layer}), None, UNPRINTED
        )
        for hops in _HOPS
        for layer in LAYERS
    ]


def _over_hops(data: Data, **what: Any) -> list[Chart]:
    lines = {NAMES[layer]: {LAYER: layer} for layer in LAYERS}
    return [sweep(data, x=HOPS, lines=lines, xlabel="path length h (hops)", **what)]


_FIG10_NOTES = [
    PROFILE_NOTE,
    LAYER_NOTE,
    "The path lengths of the figure are not listed; 3 to 48 hops in 14 steps are assumed, with a time to live of 64. "
    "The statements of the three panels are numbered together.",
]


def _gain_statements() -> list[Statement]:
    return [
        Statement(
            "c1",
            "Link RED with pacing carries no less than NewReno alone at any length (judged: higher; undecided where "
            "the difference is within noise and none is lower).",
            each(_no_loss),
        ),
        Statement("c2", "It carries up to 30 % more (judged: largest gain 20 to 40 %).", each(_up_to_30)),
    ]


FIG10_LEFT = Entry(
    key="fu2003.fig10-left",
    title="Link RED with pacing over chains, one flow",
    source=SOURCE,
    item="Figure 10, left",
    description="One flow over chains of 3 to 48 hops: NewReno over a plain link layer against Link RED with pacing.",
    settings=ONE_FLOW,
    quantities=_fig10_quantities("throughput", "kbit/s", AGGREGATE),
    statements=[
        *_gain_statements(),
        Statement(
            "c3",
            "Beyond 15 hops the gain is 10 to 30 % and grows with the length.",
            each(_long_chains),
        ),
    ],
    charts=lambda data: _over_hops(
        data,
        name="throughput-over-hops",
        caption="Throughput of one flow over the length of the chain, with and without Link RED and pacing.",
        y=AGGREGATE,
        ylabel="throughput (kbit/s)",
    ),
    notes=_FIG10_NOTES,
)

FIG10_MIDDLE = Entry(
    key="fu2003.fig10-middle",
    title="Link RED with pacing over chains, six flows",
    source=SOURCE,
    item="Figure 10, middle",
    description="Six flows over chains of 3 to 48 hops: aggregate throughput of NewReno over a plain link layer "
    "against Link RED with pacing.",
    settings=SIX_FLOWS,
    quantities=_fig10_quantities("aggregate throughput", "kbit/s", AGGREGATE),
    statements=_gain_statements(),
    charts=lambda data: _over_hops(
        data,
        name="throughput-over-hops",
        caption="Aggregate throughput of six flows over the length of the chain, with and without Link RED and pacing.",
        y=AGGREGATE,
        ylabel="aggregate throughput (kbit/s)",
    ),
    notes=[*_FIG10_NOTES, MULTIPLE_NOTE],
)

FIG10_RIGHT = Entry(
    key="fu2003.fig10-right",
    title="Mean window with Link RED and pacing",
    source=SOURCE,
    item="Figure 10, right",
    description="The runs of Figure 10 left: mean window of the flow.",
    settings=ONE_FLOW,
    quantities=_fig10_quantities("mean window", "segments", MEAN_WINDOW),
    statements=[
        Statement(
            "c4",
            "Link RED with pacing brings the mean window closer to the best one (judged: nearer to h/4, at least 1, at "
            "every length).",
            each(_nearer_the_quarter),
        )
    ],
    charts=lambda data: _over_hops(
        data,
        name="mean-window-over-hops",
        caption="Mean usable window over the length of the chain, with and without Link RED and pacing.",
        y=MEAN_WINDOW,
        ylabel="mean window (segments)",
        reference=("h/4", lambda hops: optimal_window_chain(int(hops))),
    ),
    notes=_FIG10_NOTES,
)


# --- Table 4: the cross ---------------------------------------------------------------------------------------------

CROSS_STUDIES = profiles(
    {**CHAIN, "topology": CROSS, "flow": across(**ECN), "sweep": {LAYER: LAYERS}},
    label="13-node cross",
)
_PUBLISHED_CROSS = {PLAIN: (244.0, 0.0, 244.0, 0.5), BOTH: (166.0, 153.0, 319.0, 0.9983)}


def _both_better(table: Table) -> tuple[Verdict, str]:
    rate = gain(table, AGGREGATE, *_SIDES)
    fairness = difference(table, JAIN, *_SIDES)
    sides = " against ".join(
        f"{show(table.interval(AGGREGATE, side), 'kbit/s')}, index {show(table.interval(JAIN, side))}"
        for side in _SIDES
    )
    return every([exceeds(rate, 0), fairness.is_higher]), f"{sides}; throughput {show(rate, '%')}"


def weakest_share(run: Run) -> float | None:
    """Throughput of the slowest flow over the mean of all, per cent; `None` when nothing is carried."""
    rates = [float(found["throughput_kbps"]) for found in run["flows"]]
    return 100 * min(rates) * len(rates) / sum(rates) if any(rates) else None


def _captured(table: Table) -> tuple[Verdict, str]:
    share = table.interval(weakest_share, {LAYER: PLAIN})
    locked = sum(value < 10 for value in table.samples(weakest_share, {LAYER: PLAIN}))
    words = f"the slower flow has {show(share, '%')} of an even share; below 10 % in {locked} of {share.n} runs"
    return 2 * locked > share.n, words


def _printed_index(_data: Data) -> Sequence[Finding]:
    findings = []
    for layer, (first, second, _total, printed) in _PUBLISHED_CROSS.items():
        index = (first + second) ** 2 / (2 * (first**2 + second**2))
        outcome = Outcome.REPRODUCED if near(index, printed, 5e-4) else Outcome.NOT_REPRODUCED
        findings.append(
            Finding(outcome, f"{NAMES[layer]}: {index:.4f} from the printed throughputs, {printed} printed")
        )
    return findings


def _cross_rows() -> list[Quantity]:
    metrics = (
        ("flow 1", "kbit/s", "flow.0.throughput_kbps"),
        ("flow 2", "kbit/s", "flow.1.throughput_kbps"),
        ("aggregate", "kbit/s", AGGREGATE),
        ("Jain's index", "", JAIN),
    )
    return [
        Quantity(f"{what}, {NAMES[layer]}", unit, mean_of(metric, {LAYER: layer}), value, "Table 4", relative=value > 0)
        for layer, values in _PUBLISHED_CROSS.items()
        for (what, unit, metric), value in zip(metrics, values, strict=True)
    ]


def _per_flow(data: Data, flows: int, what: str) -> list[Chart]:
    groups = [(f"flow {number_ + 1}", f"flow.{number_}.throughput_kbps") for number_ in range(flows)]
    split = Data(
        [
            Table(f"{table.label.partition(',')[0]}, {NAMES[layer]}", [({}, table.runs({LAYER: layer}))])
            for table in data
            if not table.label.endswith(_CLOSE)
            for layer in LAYERS
        ]
    )
    return [
        bars(
            split,
            name="throughput-by-flow",
            caption=f"Throughput of each flow over {what}, with and without Link RED and pacing.",
            groups=groups,
            xlabel="flow",
            ylabel="throughput (kbit/s)",
        )
    ]


TABLE4 = Entry(
    key="fu2003.table4",
    title="Two crossing flows with Link RED and pacing",
    source=SOURCE,
    item="Table 4",
    description="Two flows over the 13-node cross: throughput of each and Jain's index, NewReno over a plain link "
    "layer against Link RED with pacing.",
    settings=CROSS_STUDIES,
    quantities=_cross_rows(),
    statements=[
        Statement("c1", "Aggregate throughput and fairness improve.", each(_both_better)),
        Statement(
            "c2",
            "With NewReno alone one flow takes everything (judged: in most runs the slower one has less than a tenth "
            "of an even share).",
            each(_captured),
        ),
        Statement("c3", "The printed indices follow from the printed throughputs.", _printed_index),
    ],
    charts=lambda data: _per_flow(data, 2, "the 13-node cross"),
    notes=[
        PROFILE_NOTE,
        LAYER_NOTE,
        "The paper's own numbers differ between tables: 203 kbit/s for two crossing flows in Table 2, 244 here.",
    ],
)


# --- Tables 5 and 6: the grid ---------------------------------------------------------------------------------------

_COUNTS = (2, 4, 8, 12)
_PUBLISHED_GRID: dict[int, dict[str, tuple[float | None, float | None]]] = {
    2: {PLAIN: (203, 0.502), BOTH: (252, 0.921)},
    4: {PLAIN: (241, 0.508), BOTH: (294, 0.952)},
}


_CLOSE = " close together"


def _grid_studies(flows: int) -> list[Setting]:
    studies: list[Setting] = []
    for lines, words in [((), ""), *([(CLOSE, _CLOSE)] if flows == 4 else [])]:
        studies += profiles(
            {**CHAIN, "topology": GRID, "flow": over_grid(flows, lines, **ECN), "sweep": {LAYER: LAYERS}},
            quick={"duration": "10s", "seeds": 1},
            label=f"grid, {flows} flows{words}",
            decides=not words,
        )
    return studies


GRID_STUDIES = {flows: _grid_studies(flows) for flows in _COUNTS}

TABLE5 = Entry(
    key="fu2003.table5",
    title="Four flows over the grid with Link RED and pacing",
    source=SOURCE,
    item="Table 5",
    description="Four flows over the 13x13 grid, two in each direction: throughput of each and Jain's index.",
    settings=GRID_STUDIES[4],
    quantities=[
        Quantity(f"{what}, {NAMES[layer]}", unit, mean_of(metric, {LAYER: layer}), None, "Table 5, not compared")
        for layer in LAYERS
        for what, unit, metric in (
            *((f"flow {number_ + 1}", "kbit/s", f"flow.{number_}.throughput_kbps") for number_ in range(4)),
            ("aggregate", "kbit/s", AGGREGATE),
            ("Jain's index", "", JAIN),
        )
    ],
    statements=[Statement("c1", "Aggregate throughput and fairness both improve.", each(_both_better))],
    charts=lambda data: _per_flow(data, 4, "the 13x13 grid"),
    notes=[PROFILE_NOTE, LAYER_NOTE, GRID_NOTE],
)


def _more(table: Table) -> tuple[Verdict, str]:
    gap = difference(table, AGGREGATE, *_SIDES)
    words = f"{show(table.interval(AGGREGATE, _SIDES[1]), 'kbit/s')} with NewReno, {gap.words('kbit/s')} with both"
    return gap.is_higher, words


def _fairer(table: Table) -> tuple[Verdict, str]:
    gap = difference(table, JAIN, *_SIDES)
    words = f"index {show(table.interval(JAIN, _SIDES[1]))} with NewReno, {gap.words('')} with both"
    return gap.is_higher, words


def _as_in_table2(table: Table) -> tuple[Verdict, str]:
    reached = table.interval(AGGREGATE, {LAYER: PLAIN})
    return between(reached, 241 * 0.8, 241 * 1.2), show(reached, "kbit/s")


def _grid_rows() -> list[Quantity]:
    rows = []
    for flows in _COUNTS:
        for layer in LAYERS:
            printed = _PUBLISHED_GRID.get(flows, {}).get(layer, (None, None))
            for what, unit, metric, value in (
                ("aggregate", "kbit/s", AGGREGATE, printed[0]),
                ("Jain's index", "", JAIN, printed[1]),
            ):
                rows.append(
                    Quantity(
                        f"{what}, {flows} flows, {NAMES[layer]}",
                        unit,
                        mean_of(metric, {LAYER: layer}),
                        value,
                        "Table 6" if value is not None else "Table 6, not compared",
                        settings=labelled(f"grid, {flows} flows", f"grid, {flows} flows{_CLOSE}"),
                    )
                )
    return rows


_FLOWS = "flows"


def _by_flows(data: Data) -> Data:
    """The tables of the rows joined into one for each profile, with the number of flows as a swept value."""
    points: dict[str, list[tuple[dict[str, Any], Sequence[Run]]]] = {}
    for table in data:
        profile, _, row = table.label.partition(", grid, ")
        if row.endswith(_CLOSE):
            continue
        rows = points.setdefault(profile, [])
        rows += [({**where, _FLOWS: int(row.split()[0])}, runs) for where, runs in table.points]
    return Data([Table(profile, rows) for profile, rows in points.items()])


TABLE6 = Entry(
    key="fu2003.table6",
    title="Two to twelve flows over the grid with Link RED and pacing",
    source=SOURCE,
    item="Table 6",
    description="2, 4, 8 and 12 flows over the 13x13 grid: aggregate throughput and Jain's index, NewReno over a plain "
    "link layer against Link RED with pacing.",
    settings=[study for flows in _COUNTS for study in GRID_STUDIES[flows]],
    quantities=_grid_rows(),
    statements=[
        Statement("c1", "Link RED with pacing carries more in every row.", each(_more)),
        Statement("c2", "It is fairer in every row.", each(_fairer)),
        Statement(
            "c3",
            "NewReno alone carries with four flows what Table 2 has, 241 kbit/s (judged: within a fifth).",
            each(_as_in_table2, only=labelled("grid, 4 flows", f"grid, 4 flows{_CLOSE}")),
        ),
    ],
    charts=lambda data: [
        sweep(
            _by_flows(data),
            name=f"{stem}-by-flows",
            caption=f"{what} over the number of flows in the 13x13 grid, with and without Link RED and pacing.",
            x=_FLOWS,
            y=metric,
            lines={NAMES[layer]: {LAYER: layer} for layer in LAYERS},
            xlabel="flows",
            ylabel=label,
        )
        for stem, what, label, metric in (
            ("throughput", "Aggregate throughput", "aggregate throughput (kbit/s)", AGGREGATE),
            ("fairness", "Jain's index", "Jain's index", JAIN),
        )
    ],
    notes=[
        PROFILE_NOTE,
        LAYER_NOTE,
        GRID_NOTE,
        "The text speaks of gains of 5 to 10 %, the rows printed of 22 to 24 %.",
    ],
)
