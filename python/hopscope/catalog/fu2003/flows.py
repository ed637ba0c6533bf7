"""fu2003, Table 2 and the window studies of cross, grid and random field: several flows and the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.catalog.fu2003.shared import (
    AGGREGATE,
    CHAIN,
    CLOSE,
    CROSS,
    FIELD,
    FIELD_NOTE,
    GRID,
    GRID_NOTE,
    MULTIPLE_NOTE,
    PAYLOAD,
    PROFILE_NOTE,
    RANDOM,
    SOURCE,
    WINDOWS,
    across,
    chain,
    flow,
    labelled,
    over_field,
    over_grid,
    profiles,
)
from hopscope.models.window import optimal_window_cross, optimal_window_grid
from hopscope.report.chart import Chart
from hopscope.results.comparisons import Best, Verdict, best, difference, gain
from hopscope.results.samples import Data, Estimate, NoSamplesError, Run, Table, show
from hopscope.results.stats import number
from hopscope.studies.charts import sweep
from hopscope.studies.entry import Entry, Part, Quantity, Setting, Statement
from hopscope.studies.judge import between, each, every, exceeds, near
from hopscope.studies.verdict import Finding, Outcome

_DEFAULT = 32
_FEW = [1, 2, 3, 4, 6, 8, 32]


@dataclass(frozen=True)
class Row:
    """A row of Table 2.

    Attributes:
        name: of the row and of its study.
        topology, flows: what is simulated.
        sweep: the swept keys.
        quick: what `--quick` changes.
        best: published best aggregate throughput, kbit/s.
        usual: published throughput at the default window, kbit/s.
        window: published best window, summed over the flows, packets.
        reached: published mean window at the default, summed over the flows, segments.
    """

    name: str
    topology: dict[str, Any]
    flows: Sequence[dict[str, Any]]
    sweep: dict[str, list[Any]]
    quick: dict[str, Any]
    best: float | None = None
    usual: float | None = None
    window: float | None = None
    reached: float | None = None


_LINE = {WINDOWS: [1, 2, 3, 4, 5, 6, 8, 12, _DEFAULT]}
_SHORT = {WINDOWS: [1, 2, 4, _DEFAULT]}
_MESH = {WINDOWS: _FEW}
_FIELDS = {FIELD: list(range(1, 11)), WINDOWS: _FEW}
_QUICK = {"duration": "10s", "seeds": 1, "sweep": {WINDOWS: [1, 4, _DEFAULT]}}

ROWS = (
    Row("chain6x6", chain(6), [flow(0, "last")] * 6, _LINE, {"sweep": _SHORT}),
    Row("chain7x3", chain(7), [flow(0, "last")] * 3, _LINE, {"sweep": _SHORT}, 255, 215, 2, 16),
    Row("cross13x2", CROSS, across(), _LINE, {"sweep": _SHORT}, 248, 203, 4, 12),
    Row("grid4", GRID, over_grid(4), _MESH, _QUICK, 287, 241, 8, 14),
    Row("grid8", GRID, over_grid(8), _MESH, _QUICK, 957, 824, 8, 19),
    Row("grid12", GRID, over_grid(12), _MESH, _QUICK),
    Row(
        "random20",
        RANDOM,
        over_field(20),
        _FIELDS,
        {**_QUICK, "sweep": {FIELD: [1, 2], WINDOWS: [1, 4, _DEFAULT]}},
        1196,
        1015,
    ),
)
_GRIDS = ("grid4", "grid8", "grid12")
_SPREAD = ("grid8", "grid12")


_CLOSE = "grid4 close together"
"""A reading of the row of four flows for contrast."""


def _studies(row: Row) -> list[Setting]:
    scenario = {**CHAIN, "topology": row.topology, "flow": list(row.flows), "sweep": row.sweep}
    # One run for each field: the fields are the replications.
    seeds = {"seeds": 1} if FIELD in row.sweep else {}
    studies = profiles({**scenario, **seeds}, row.quick, row.name)
    if row.name == "grid4":
        close = {**scenario, "flow": over_grid(4, CLOSE)}
        studies += profiles(close, {**row.quick, "sweep": {WINDOWS: [2, _DEFAULT]}}, _CLOSE, decides=False)
    return studies


STUDIES = {row.name: _studies(row) for row in ROWS}
"""The runs of each row, which other entries look at as well."""


def _of(row: str) -> Callable[[str], bool]:
    """Whether a study belongs to a row: its runs or another reading of it."""
    return labelled(row, f"{row} close together")


def optimum(table: Table) -> Best:
    """The window of each flow with the best aggregate throughput.

    Raises:
        NoSamplesError: when nothing is carried at any window.
    """
    found = best(table, WINDOWS, AGGREGATE)
    if found.top.mean == 0:
        raise NoSamplesError("nothing was carried at any window")
    return found


def _flow_count(table: Table) -> int:
    return len(table.runs()[0]["flows"])


def window_sum(run: Run) -> float:
    """Time average of the usable windows of all flows together, packets; a flow that never had one counts nothing."""
    return sum(float(found["mean_cwnd"] or 0.0) for found in run["flows"])


def loss(table: Table) -> Estimate:
    """What the default window loses against the best one, in per cent of the best."""
    lost = gain(table, AGGREGATE, {WINDOWS: _DEFAULT}, {WINDOWS: optimum(table).at})
    return Estimate(-lost.mean, lost.ci95, -lost.max, -lost.min, lost.n)


def _excess(table: Table) -> Estimate:
    """The same in per cent of what the default window carries."""
    return gain(table, AGGREGATE, {WINDOWS: optimum(table).at}, {WINDOWS: _DEFAULT})


# --- Statements of Table 2 ------------------------------------------------------------------------------------------


def _default_loses(table: Table) -> tuple[Verdict, str]:
    peak = optimum(table)
    gap = difference(table, AGGREGATE, {WINDOWS: _DEFAULT}, {WINDOWS: peak.at})
    usual = table.interval(AGGREGATE, {WINDOWS: _DEFAULT})
    words = f"{show(usual, 'kbit/s')} at {_DEFAULT}, {peak.words('kbit/s')}"
    return False if peak.at == _DEFAULT else gap.is_lower, words


def _loss_share(table: Table) -> tuple[Verdict, str]:
    share = loss(table)
    return between(share, 10, 30), f"loses {show(share, '%')} of the best"


def _window_beyond(table: Table) -> tuple[Verdict, str]:
    wanted = _flow_count(table) * optimum(table).at
    reached = table.interval(window_sum, {WINDOWS: _DEFAULT})
    words = f"mean windows add up to {show(reached)}, the best ones to {wanted}"
    return exceeds(reached, wanted), words


def _about_18(table: Table) -> tuple[Verdict, str]:
    share = _excess(table)
    return between(share, 12, 24), f"the best window carries {show(share, '%')} more than the default"


def _cross_numbers(table: Table) -> tuple[Verdict, str]:
    peak, share, reached = optimum(table), _excess(table), table.interval(window_sum, {WINDOWS: _DEFAULT})
    holds = every([peak.has(2), near(share.mean, 25, 1 / 3), near(reached.mean, 12, 1 / 3)])
    words = f"{peak.words('kbit/s')}; {show(share, '%')} more than the default; windows at the default {show(reached)}"
    return holds, words


def _grid_range(data: Data) -> list[Finding]:
    """One finding a profile over the three grids together."""
    findings = []
    for profile in ("ns2", "standard"):
        labels = {name: f"{profile}, {name}" for name in _GRIDS}
        if not all(label in data for label in labels.values()):
            continue
        try:
            found = {name: loss(data[label]) for name, label in labels.items()}
        except (NoSamplesError, ZeroDivisionError) as missing:
            findings.append(Finding(Outcome.UNDECIDED, "", profile, str(missing)))
            continue
        means = [found[name].mean for name in _GRIDS]
        holds = all(12 <= mean <= 33 for mean in means) and means[-1] == max(means)
        words = "; ".join(f"{name}: {show(value, '%')}" for name, value in found.items())
        findings.append(Finding(Outcome.REPRODUCED if holds else Outcome.NOT_REPRODUCED, words, labels[_GRIDS[-1]]))
    return findings


def _best_is_two(table: Table) -> tuple[Verdict, str]:
    peak = optimum(table)
    return peak.has(2), peak.words("kbit/s")


def _pipe(table: Table) -> tuple[Verdict, str]:
    peak = optimum(table)

    def held(run: Run) -> float:
        """Packets under way when each flow has one: rate times round-trip time, summed over the flows."""
        return sum(
            float(found["throughput_kbps"]) * (found["mean_rtt_ms"] or 0.0) / (8 * PAYLOAD) for found in run["flows"]
        )

    flows = _flow_count(table)
    single = table.interval(AGGREGATE, {WINDOWS: 1}).mean / table.interval(held, {WINDOWS: 1}).mean
    # kbit/s that one packet under way carries while the flows hardly disturb one another.
    capacity = peak.top.mean / single
    ratio = flows * peak.at / capacity
    words = f"best windows add up to {flows * peak.at}, the pipe holds {number(capacity)} packets"
    return 0.5 <= ratio <= 2, words


def _row_quantities(row: Row) -> list[Quantity]:
    def guarded(measure: Callable[[Table], Estimate]) -> Callable[[Table], Estimate | None]:
        def read(table: Table) -> Estimate | None:
            try:
                return measure(table)
            except NoSamplesError:
                return None

        return read

    def window(table: Table) -> Estimate:
        return optimum(table).value(times=_flow_count(table))

    measures: tuple[tuple[str, str, Callable[[Table], Estimate], float | None, bool], ...] = (
        ("best throughput", "kbit/s", lambda table: optimum(table).top, row.best, True),
        ("throughput at 32", "kbit/s", lambda table: table.interval(AGGREGATE, {WINDOWS: _DEFAULT}), row.usual, True),
        ("best windows, sum", "packets", window, row.window, False),
        (
            "mean windows at 32, sum",
            "segments",
            lambda table: table.interval(window_sum, {WINDOWS: _DEFAULT}),
            row.reached,
            False,
        ),
    )
    return [
        Quantity(
            f"{row.name}, {name}",
            unit,
            guarded(measure),
            value,
            "Table 2",
            settings=_of(row.name),
            relative=relative,
        )
        for name, unit, measure, value, relative in measures
    ]


def _over_windows(data: Data, *, name: str, caption: str, **more: Any) -> Chart:
    return sweep(
        data,
        name=name,
        caption=caption,
        x=WINDOWS,
        y=AGGREGATE,
        log_x=True,
        xlabel="window of each flow (packets)",
        ylabel="aggregate throughput (kbit/s)",
        **more,
    )


TABLE2 = Entry(
    key="fu2003.table2",
    title="Several flows: default window against the best one",
    source=SOURCE,
    item="Table 2 and section 3.2",
    description="Several NewReno flows over chains, the 13-node cross, the 13x13 grid and random fields; every flow "
    "has the same receiver window, which is swept and compared with the default of 32.",
    settings=[study for row in ROWS for study in STUDIES[row.name]],
    quantities=[quantity for row in ROWS for quantity in _row_quantities(row)],
    statements=[
        Statement("c1", "In every row the default window carries less than the best one.", each(_default_loses)),
        Statement("c2", "It loses 10 to 30 % in every row (judged: of the best throughput).", each(_loss_share)),
        Statement(
            "c3",
            "With the default the mean windows add up to more than the best ones, in every row that has them.",
            each(_window_beyond, only=lambda label: not label.endswith("random20")),
        ),
        Statement(
            "c4",
            "In random fields about 18 % are lost (judged: the best window carries 12 to 24 % more than the default, "
            "the base that gives 18 % in the table).",
            each(_about_18, only=labelled("random20")),
        ),
        Statement(
            "c5",
            "In the cross the loss is 25 %, the best window 2 for each flow, and the mean windows add up to 12 at the "
            "default (judged: best at 2, the others within a third).",
            each(_cross_numbers, only=labelled("cross13x2")),
        ),
        Statement(
            "c6",
            "In the grid 15 % to 30 % are lost, most with 12 flows (judged: 12 to 33 % in each of the three rows).",
            _grid_range,
        ),
        Statement(
            "c7",
            "In the grid with 4 flows the best window of each flow is about 2 (judged: 2; undecided when another is "
            "best within noise).",
            each(_best_is_two, only=_of("grid4")),
        ),
        Statement(
            "c8",
            "Where flows are spread evenly, the best windows add up to about the packets that the network can hold "
            "(judged in the grids with 8 and 12 flows: within a factor of 2 of the best throughput over what one "
            "packet under way carries).",
            each(_pipe, only=labelled(*_SPREAD)),
        ),
    ],
    charts=lambda data: [
        _over_windows(
            data,
            name="throughput-over-window",
            caption="Aggregate throughput over the window of each flow, for every row of the table, profile ns2.",
            only=lambda label: label.startswith("ns2"),
        )
    ],
    notes=[
        PROFILE_NOTE,
        MULTIPLE_NOTE,
        GRID_NOTE,
        FIELD_NOTE,
        "Windows of the table are summed over the flows. That of chain7x3, 2 for three flows, cannot be a sum of whole "
        "windows; those of the other rows are. Sums are measured here.",
        "Published losses are 16 to 18 % of the best throughput in the rows printed, up to 22 % of the other base; the "
        "text says 25 % for the cross and up to 30 % for the grid.",
        "Best windows are found on a coarser sweep than the paper's: up to 8 in small steps, then 32.",
    ],
    parts={
        row.name: Part(
            _of(row.name),
            ["c1", "c2"]
            + (["c4"] if row.name == "random20" else ["c3"])
            + (["c5"] if row.name == "cross13x2" else [])
            + (["c7"] if row.name == "grid4" else [])
            + (["c8"] if row.name in _SPREAD else []),
        )
        for row in ROWS
    },
)


# --- Windows by formula ---------------------------------------------------------------------------------------------


def _best_window(table: Table) -> Estimate | None:
    try:
        return optimum(table).value()
    except NoSamplesError:
        return None


_CROSS_FORMULA = optimal_window_cross(6)
_GRID_FORMULAS = {
    "text: ceil((h + 5) / 10)": optimal_window_grid(12, "text"),
    "appendix: ceil((h + 9) / 14)": optimal_window_grid(12, "appendix"),
}

_BEST_IS_TWO = Statement(
    "c1",
    "The best window of each flow is 2 (judged on the best mean; undecided when another is best within noise).",
    each(_best_is_two),
)

CROSS_WINDOW = Entry(
    key="fu2003.cross-window",
    title="Best window of two crossing flows",
    source=SOURCE,
    item="Section 3.2 and appendix",
    description="The runs of Table 2 over the 13-node cross: the window with the best aggregate throughput beside the "
    "formula ceil((h + 4) / 8) for h = 6 hops.",
    settings=STUDIES["cross13x2"],
    quantities=[
        Quantity("best window of each flow", "packets", _best_window, _CROSS_FORMULA, "formula", relative=False)
    ],
    statements=[_BEST_IS_TWO],
    charts=lambda data: [
        _over_windows(
            data,
            name="throughput-over-window",
            caption="Aggregate throughput of two crossing flows over the window of each.",
            guides=[(_CROSS_FORMULA, f"formula: {_CROSS_FORMULA}")],
        )
    ],
    notes=[PROFILE_NOTE, "The formula takes the interference range as twice the transmission range."],
)

GRID_WINDOW = Entry(
    key="fu2003.grid-window",
    title="Best window of four flows over the grid",
    source=SOURCE,
    item="Section 3.2 and appendix",
    description="The runs of Table 2 over the 13x13 grid with four flows: the window with the best aggregate "
    "throughput beside both printed formulas for h = 12 hops.",
    settings=STUDIES["grid4"],
    quantities=[
        Quantity("best window of each flow", "packets", _best_window, window, source, relative=False)
        for source, window in _GRID_FORMULAS.items()
    ],
    statements=[_BEST_IS_TWO],
    charts=lambda data: [
        _over_windows(
            data,
            name="throughput-over-window",
            caption="Aggregate throughput of four flows over the 13x13 grid over the window of each.",
            guides=[(2, "formulas: 2")],
        )
    ],
    notes=[PROFILE_NOTE, GRID_NOTE, "The text and the appendix print different formulas, which agree at 12 hops."],
)


def _interior(table: Table) -> tuple[Verdict, str]:
    peak, windows = optimum(table), table.values(WINDOWS)
    ends = {windows[0], windows[-1]}
    if peak.at in ends:
        return (None if set(peak.ties) - ends else False), peak.words("kbit/s")
    return (None if ends & set(peak.ties) else True), peak.words("kbit/s")


RANDOM_WINDOW = Entry(
    key="fu2003.random-window",
    title="Best window in random fields",
    source=SOURCE,
    item="Section 3.2",
    description="The runs of Table 2 over ten random fields of 200 nodes with 20 flows: whether some window between 1 "
    "and 32 carries most.",
    settings=STUDIES["random20"],
    quantities=[
        Quantity("best window of each flow", "packets", _best_window, None, "no number printed", relative=False),
    ],
    statements=[
        Statement(
            "c1",
            "Some window between the smallest and the largest has the best aggregate throughput (undecided when an end "
            "is within noise of it).",
            each(_interior),
        )
    ],
    charts=lambda data: [
        _over_windows(
            data,
            name="throughput-over-window",
            caption="Aggregate throughput of 20 flows over the window of each, mean of ten random fields.",
        )
    ],
    notes=[PROFILE_NOTE, FIELD_NOTE],
)
