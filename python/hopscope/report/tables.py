"""The tables and charts of any result: what `hopscope report` shows of a store."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hopscope.catalog.judge import number, show
from hopscope.catalog.tables import Estimate, NoSamplesError, Table
from hopscope.report import wording
from hopscope.report.chart import Chart, Kind, Line, Panel
from hopscope.report.wording import Column, Grid

if TYPE_CHECKING:
    import pandas as pd

    from hopscope.results import Result
    from hopscope.results.explain import PointExplanation

_FLOW_METRICS = (
    ("throughput_kbps", "throughput", "kbit/s"),
    ("goodput_kbps", "goodput", "kbit/s"),
    ("delay_ms", "delay", "ms"),
    ("jitter_ms", "jitter", "ms"),
    ("loss_pct", "loss", "%"),
    ("retransmission_index_pct", "retransmissions", "%"),
    ("mean_cwnd", "mean window", "packets"),
    ("timeouts", "timeouts", ""),
    ("completion_s", "completion", "s"),
)
_NETWORK_METRICS = (
    ("aggregate_kbps", "throughput of all flows", "kbit/s"),
    ("jain", "Jain index", ""),
    ("mac_retry_drops", "MAC retry drops", ""),
    ("queue_drops", "queue drops", ""),
    ("link_drop_probability", "link drop probability", ""),
)
_DRAWN = (
    ("throughput_kbps", "throughput (kbit/s)"),
    ("delay_ms", "delay (ms)"),
    ("loss_pct", "loss (%)"),
)
# Points whose airtime a report draws side by side, the nodes in each, and the groups of causes that are sending.
_EXPLAINED = 3
_BARS = 40
_SENDING = 7
# Smaller shares are no column of a table, per cent.
_VISIBLE = 0.05
# A legend with more lines than this cannot be read; further flows are left to the tables.
_LINES = 8
# A curve is thinned to this many samples: more than a printed page resolves.
_SAMPLES = 4000
_SERIES = {
    "cwnd": ("congestion window", "congestion window (packets)", "flow"),
    "rtt": ("round-trip time", "round-trip time (s)", "flow"),
    "queue": ("interface queue", "interface queue (packets)", "node"),
    "throughput": ("throughput", "throughput (kbit/s)", "flow"),
    "route": ("route at the source", "route (1: there is one)", "flow"),
    "fairness": ("fairness of the flows", "Jain's index", ""),
}


def describe(result: Result, engine: str) -> str:
    """One line: profile, points, seeds, duration, and the engine that made the runs."""
    resolved = result.scenario.resolved
    points = len(result.points)
    return (
        f"Profile {resolved['profile']}; {points} point{'s' if points != 1 else ''}, "
        f"seed{'s' if result.scenario.seeds > 1 else ''} {wording.seeds(result)}, "
        f"{number(float(resolved['duration']))} s simulated per run; {engine}."
    )


def table_of(result: Result) -> Table:
    """The result as catalogue tables see it."""
    return Table(result.scenario.title, [(point.set, point.runs) for point in result.points])


def grids(result: Result, file: str) -> list[Grid]:
    """Flows, network, failed runs, and the command that repeats each point from the scenario in `file`."""
    found = (_flows(result), _network(result), *_explained(result), _failures(result), _commands(result, file))
    return [grid for grid in found if grid.rows]


def charts(result: Result, *, brief: bool = False) -> list[Chart]:
    """Metrics over a swept key that has numbers, otherwise bars by flow; and the time series that were kept.

    Args:
        result: what to draw.
        brief: throughput only, for a store of many scenarios.
    """
    drawn = _DRAWN[:1] if brief else _DRAWN
    found = _sweeps(result, drawn) or _single(result, drawn)
    explained = [] if brief else ledger_charts(result)
    return [chart for chart in [*found, *explained, *_series(result)] if not chart.is_empty]


def ledger_charts(result: Result) -> list[Chart]:
    """Where the time of each node, and the delay of each flow, goes, for each point; none without a ledger."""
    from hopscope.results import explain

    if not any(point.runs for point in result.points) or not explain.has_ledger(result):
        return []
    explained = explain.explain_present(result).points[:_EXPLAINED]
    titles = [", ".join(f"{key} = {value}" for key, value in point.set.items()) for point in explained]
    nodes = [Panel(title, _shares(point)) for title, point in zip(titles, explained, strict=True)]
    flows = [Panel(title, _delays(point)) for title, point in zip(titles, explained, strict=True)]
    return [
        Chart("airtime", "Where the time of each node goes.", "node", "share of the time (%)", nodes, kind="stack"),
        Chart("delay-parts", "Where the mean delay of a packet goes.", "flow", "delay (ms)", flows, kind="stack"),
    ]


def _shares(point: PointExplanation) -> list[Line]:
    nodes = list(range(len(point.nodes)))
    if len(nodes) > _BARS:  # those that send most
        busiest = sorted(nodes, key=lambda node: -sum(list(point.grouped(node).values())[:_SENDING]))
        nodes = sorted(busiest[:_BARS])
    grouped = [point.grouped(node) for node in nodes]
    names = [str(node) for node in nodes]
    lines = [Line(group, names, [shares[group] for shares in grouped]) for group in grouped[0]]
    return [line for line in lines if any(line.y)]


def _delays(point: PointExplanation) -> list[Line]:
    names = [str(flow) for flow in range(len(point.delays))]
    parts = list(point.delays[0]) if point.delays else []
    lines = [Line(part, names, [delay[part].mean or 0.0 for delay in point.delays]) for part in parts]
    return [line for line in lines if any(line.y)]


def ledger_grid(point: PointExplanation) -> Grid:
    """Shares of each node by group of causes; groups that no node spends time on are left out."""
    lines = [line for line in _shares(point) if max(line.y) >= _VISIBLE]
    columns = [Column("node", number=True), *(Column(f"{line.label} (%)", number=True) for line in lines)]
    rows = [[name, *(f"{line.y[place]:.1f}" for line in lines)] for place, name in enumerate(lines[0].x)]
    return Grid(columns, [[str(cell) for cell in row] for row in rows], "Where the time of each node goes")


# --- Tables ---------------------------------------------------------------------------------------------------------


def _flows(result: Result) -> Grid:
    used = [
        (name, label, unit)
        for name, label, unit in _FLOW_METRICS
        if any(
            _estimate(point.runs, f"flow.{flow}.{name}") for point in result.points for flow in _flow_ids(point.runs)
        )
    ]
    keys = _keys(result)
    columns = [
        *(Column(key) for key in keys),
        Column("flow", tight=True),
        *(Column(f"{label} ({unit})" if unit else label, number=True) for _, label, unit in used),
        Column("runs", number=True),
    ]
    rows = []
    for point in result.points:
        for flow in _flow_ids(point.runs):
            about = point.runs[0]["flows"][flow]
            name = f"{flow}: {about['from']} → {about['to']}, {about['transport']}"
            cells = [_shown(_estimate(point.runs, f"flow.{flow}.{metric}")) for metric, _, _ in used]
            rows.append([*_places(point.set, keys), name, *cells, str(len(point.runs))])
    return Grid(columns, rows, "Flows")


def _network(result: Result) -> Grid:
    keys = _keys(result)
    columns = [
        *(Column(key) for key in keys),
        *(Column(f"{label} ({unit})" if unit else label, number=True) for _, label, unit in _NETWORK_METRICS),
    ]
    rows = [
        [
            *_places(point.set, keys),
            *(_shown(_estimate(point.runs, f"network.{metric}")) for metric, _, _ in _NETWORK_METRICS),
        ]
        for point in result.points
        if point.runs
    ]
    return Grid(columns, rows, "Network")


def _explained(result: Result) -> list[Grid]:
    """What stands out in the airtime ledger, where one was kept."""
    from hopscope.results import explain

    if not any(point.runs for point in result.points) or not explain.has_ledger(result):
        return []
    keys = _keys(result)
    rows = [
        [*_places(point.set, keys), sentence]
        for point in explain.explain_present(result).points
        for sentence in point.sentences()
    ]
    return [Grid([*(Column(key) for key in keys), Column("finding")], rows, "Where the time goes")]


def _failures(result: Result) -> Grid:
    rows = [[str(f.point), str(f.seed), f.message] for f in result.failures]
    return Grid([Column("point", number=True), Column("seed", number=True), Column("reason")], rows, "Runs that failed")


def _commands(result: Result, file: str) -> Grid:
    keys = _keys(result)
    quick = ["--quick"] if result.scenario.is_quick else []
    rows = []
    for point in result.points:
        words = ["hopscope", "run", file, "--seeds", str(result.scenario.seeds), *quick]
        for key, value in point.set.items():
            words += ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
        rows.append([*_places(point.set, keys), shlex.join(words)])
    columns = [*(Column(key) for key in keys), Column("command", code=True)]
    return Grid(columns, rows, "Commands that repeat each point")


# --- Charts ---------------------------------------------------------------------------------------------------------


def _sweeps(result: Result, drawn: Sequence[tuple[str, str]]) -> list[Chart]:
    """One chart a metric over the first swept key with numbers; a second key makes the lines, a third the panels."""
    table = table_of(result)
    keys = [key for key in _keys(result) if numeric(table.values(key)) and len(table.values(key)) > 1]
    if not keys:
        return []
    # The key with most values carries the curve.
    along = max(keys, key=lambda key: len(table.values(key)))
    others = [key for key in _keys(result) if key != along]
    return [
        Chart(
            f"{metric.replace('_', '-')}-over-{along.replace('.', '-').replace('*', 'all')}",
            f"{label[:1].upper()}{label[1:]} over {along}, means with 95 % intervals.",
            along,
            label,
            _panels(table, along, others, metric),
            over=(along, metric),
        )
        for metric, label in drawn
    ]


def _panels(table: Table, along: str, others: Sequence[str], metric: str) -> list[Panel]:
    combinations: list[dict[str, Any]] = []
    for where, _ in table.points:
        rest = {key: where[key] for key in others if key in where}
        if rest not in combinations:
            combinations.append(rest)
    split = others[1:] and len(combinations) > _LINES
    panels: dict[str, list[Line]] = {}
    for rest in combinations:
        title = ", ".join(f"{key} = {rest[key]}" for key in others[1:]) if split else ""
        shown = {key: rest[key] for key in (others[:1] if split else others)}
        for flow in _flow_ids([run for _, runs in table.points for run in runs]):
            words = [f"{key} = {value}" for key, value in shown.items()]
            if _flow_count(table) > 1:
                words.append(f"flow {flow}")
            line = _line(table, along, f"flow.{flow}.{metric}", rest, ", ".join(words))
            if line.y and len(panels.setdefault(title, [])) < _LINES:
                panels[title].append(line)
    return [Panel(title, lines) for title, lines in list(panels.items())[:4]] or [Panel("", [])]


def _line(table: Table, along: str, metric: str, rest: dict[str, Any], label: str) -> Line:
    places: list[float] = []
    found: list[Estimate] = []
    for value in table.values(along):
        try:
            found.append(table.interval(metric, {**rest, along: value}))
        except (NoSamplesError, IndexError):
            # A sweep over the topology or the flows can leave a point without this flow.
            continue
        places.append(as_number(value))
    return Line(label, places, [e.mean for e in found], [e.ci95 for e in found])


def _single(result: Result, drawn: Sequence[tuple[str, str]]) -> list[Chart]:
    """Bars of the flows for results without a swept number: one group a flow, one bar a point."""
    points = result.points[:_LINES]
    found = []
    for metric, label in drawn:
        lines = []
        for point in points:
            flows = [(str(flow), _estimate(point.runs, f"flow.{flow}.{metric}")) for flow in _flow_ids(point.runs)]
            kept = [(flow, value) for flow, value in flows[:24] if value is not None]
            title = ", ".join(f"{key} = {value}" for key, value in point.set.items())
            lines.append(Line(title, [f for f, _ in kept], [e.mean for _, e in kept], [e.ci95 for _, e in kept]))
        name = metric.replace("_", "-")
        caption = f"{label[:1].upper()}{label[1:]} of each flow, means with 95 % intervals."
        found.append(Chart(f"{name}-by-flow", caption, "flow", label, [Panel("", lines)], kind="bars"))
    return found


def _series(result: Result) -> list[Chart]:
    """The time series of the first point and seed; those of the others are in the tables of the store."""
    first = next((point for point in result.points if point.runs), None)
    if first is None:
        return []
    seed = int(first.runs[0]["seed"])
    found = []
    for name in first.runs[0].get("series", {}):
        what, label, owner = _SERIES.get(name, (name, name, "flow"))
        frame: pd.DataFrame = result.series(name, point=first.index, seed=seed)
        lines = []
        owned = frame.groupby(owner) if owner in frame else [("", frame)]
        for number_, group in list(owned)[:_LINES]:
            step = max(1, len(group) // _SAMPLES)
            thinned = group.iloc[::step]
            lines.append(Line(f"{owner} {number_}".strip(), list(thinned["t_s"]), list(thinned["value"])))
        place = ", ".join(f"{key} = {value}" for key, value in first.set.items())
        caption = f"{what[:1].upper()}{what[1:]} over time, seed {seed}{', ' + place if place else ''}."
        kind: Kind = "steps" if name != "rtt" else "lines"
        found.append(Chart(f"{name}-over-time", caption, "time (s)", label, [Panel("", lines)], kind=kind))
    return found


# --- Parts ----------------------------------------------------------------------------------------------------------


def _keys(result: Result) -> list[str]:
    return list(dict.fromkeys(key for point in result.points for key in point.set))


def _places(where: dict[str, Any], keys: Sequence[str]) -> list[str]:
    return [str(where.get(key, "")) for key in keys]


def _flow_ids(runs: Sequence[Any]) -> list[int]:
    return list(range(max((len(run["flows"]) for run in runs), default=0)))


def _flow_count(table: Table) -> int:
    return len(_flow_ids([run for _, runs in table.points for run in runs]))


def _estimate(runs: Sequence[Any], metric: str) -> Estimate | None:
    try:
        return Table("", [({}, runs)]).interval(metric)
    except (NoSamplesError, IndexError, KeyError):
        return None


def _shown(value: Estimate | None) -> str:
    return "-" if value is None else show(value)


def numeric(values: Sequence[Any]) -> bool:
    """Whether every swept value is a number, with or without a unit."""
    try:
        for value in values:
            as_number(value)
    except ValueError:
        return False
    return True


def as_number(value: Any) -> float:
    """A swept value as a position: a number, or the number in front of a unit ("290kbps", "200m").

    Raises:
        ValueError: for a word, a flag or a list.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(value)
    if isinstance(value, str):
        return float(value.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/%"))
    return float(value)
