"""The tables and charts of any result: what `hopscope report` shows of a store."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError, counted
from hopscope.reporting import curves, series, wording
from hopscope.reporting.axis import axis_of, headings, is_seed, numeric
from hopscope.reporting.chart import Chart, Line, Panel
from hopscope.reporting.series import LINES, Selection
from hopscope.reporting.wording import Column, Grid
from hopscope.results import distributions, metrics
from hopscope.results.comparisons import best_among, smallest_as_good
from hopscope.results.points import BaseResult
from hopscope.results.samples import Estimate, Table, show
from hopscope.results.stats import fewer, number, relative
from hopscope.results.stored import links_of
from hopscope.scenario.naming import in_words, spoken
from hopscope.scenario.sweep import set_text, written

if TYPE_CHECKING:
    from hopscope.results import PointResult, Result
    from hopscope.results.explain import PointExplanation

# Points whose airtime a report draws side by side, the nodes in each, and the groups of causes that are sending.
_EXPLAINED = 3
_BARS = 40
_SENDING = 7
# Panels side by side, and flows with bars of their own.
_PANELS, _FLOWS = 4, 24
# Points for which fair shares are worked out.
_FAIR = 12
# Smaller shares are no column of a table, per cent.
_VISIBLE = 0.05


def describe(result: Result, engine: str) -> str:
    """One line: profile, points, seeds, duration, and the engine that made the runs."""
    return f"{described(result)}; {engine}."


def headline(result: Result) -> list[str]:
    """The one sentence that answers first: where most is carried, and what cannot be distinguished from it."""
    table = table_of(result)
    several = _flow_count(table) > 1 if any(runs for _, runs in table.points) else False
    metric = "network.aggregate_kbps" if several else "flow.0.throughput_kbps"
    points = [point for point in result.points if point.runs]
    if not points or (first := curves.sample(Table("", [({}, points[0].runs)]), metric)) is None:
        return []
    words = metrics.in_words(metric, 1)
    if len(points) == 1:
        delay = None if several else _estimate(points[0].runs, "flow.0.delay_ms")
        late = f", at a delay of {show(delay, 'ms')}" if delay is not None else ""
        return [f"{words} is {show(first, 'kbit/s')}{late}"]
    if (along := _only_number(result)) is not None:
        return [_smallest(table, metric, along, points, several)]
    found = best_among(table, metric, {spoken(point.set): point.set for point in points})
    alike = len(found.ties) - 1
    noise = f"; {counted(alike, 'other point')} of {len(points) - 1} cannot be distinguished from it" if alike else ""
    return [f"{words} is largest at {found.at}: {show(found.top, 'kbit/s')}{noise}"]


def _only_number(result: Result) -> str | None:
    """The swept key, where it is the only one and has numbers."""
    axes = result.scenario.axes
    return next((key for key, values in axes.items() if len(axes) == 1 and numeric(values)), None)


def _smallest(table: Table, metric: str, key: str, points: Sequence[PointResult], several: bool) -> str:
    """The smallest value that carries as much as the best one, and what more of it costs in delay."""
    by_value = {point.set[key]: point for point in points}
    at, found = smallest_as_good(table, metric, {value: point.set for value, point in by_value.items()})

    def reported(value: float, amount: Estimate) -> str:
        delay = None if several else _estimate(by_value[value].runs, "flow.0.delay_ms")
        late = "" if delay is None else f", at a delay of {show(delay, 'ms')}"
        return f"{spoken({key: value})}: {show(amount, 'kbit/s')}{late}"

    words = metrics.in_words(metric, 1)
    here = table.find(metric, by_value[at].set)
    if here is None or at == found.at:
        return f"{words} is largest at {reported(found.at, found.top)}"
    more = relative(100 * (found.top.mean / here.mean - 1))
    most = reported(found.at, found.top)
    return f"{words} is as good as it gets from {reported(at, here)}; the largest mean ({more}) is at {most}"


def described(result: Result) -> str:
    """Profile, points, seeds and duration of a result."""
    resolved = result.scenario.resolved
    profile = "" if "profile" in result.scenario.axes else f"profile {resolved['profile']}; "
    points = counted(len(result.points), "point")
    length = f"{number(float(resolved['duration']))} s simulated per run"
    if result.live is not None:
        length = f"{number(float(result.live['seconds']))} s on real stacks"
    return (
        f"{(profile + points)[:1].upper()}{(profile + points)[1:]}, "
        f"seed{'s' if result.scenario.seeds > 1 else ''} {wording.seeds(result)}, {length}"
    )


def table_of(result: Result) -> Table:
    """The result as catalogue tables see it."""
    return Table(result.scenario.title, [(point.set, point.runs) for point in result.points])


def grids(result: Result, file: str, chosen: Grid | None = None) -> list[Grid]:
    """Flows (or the chosen metrics), network, failed runs, and the command that repeats each point from `file`."""
    found = (
        chosen or _flows(result),
        _network(result),
        _fair(result),
        *_explained(result),
        _failures(result),
        commands(result, file),
    )
    return [grid for grid in found if grid.rows]


def charts(
    result: Result, *, brief: bool = False, selection: Selection | None = None, chosen: Sequence[str] | None = None
) -> list[Chart]:
    """Metrics over a swept key that has numbers, otherwise bars by flow; and the time series that were kept.

    Args:
        result: what to draw.
        brief: throughput only, for a store of many scenarios.
        selection: the runs whose time series are drawn; default: the first.
        chosen: metrics of flows to draw; default: those that are drawn unasked.
    """
    drawn = [(metric.name, metric.label) for metric in metrics.shown("flow", "drawn")][: 1 if brief else None]
    if chosen:
        drawn = [(metric.name, metric.label) for metric in metrics.metrics("flow") if metric.name in chosen]
    found = of_metrics(result, drawn)
    explained = [] if brief else ledger_charts(result)
    over_time = series.charts(result, selection or Selection())
    shares = [] if brief else _cdfs(result)
    return [chart for chart in [*found, *shares, *explained, *over_time] if not chart.is_empty]


def of_metrics(result: Result, drawn: Sequence[tuple[str, str]]) -> list[Chart]:
    """Metrics of flows (name, label), each over a swept key that has numbers, otherwise as bars by flow."""
    return _sweeps(result, drawn) or _single(result, drawn)


def used_links(result: Result) -> dict[int, list[tuple[int, int, float]]]:
    """Point -> links and wires with the packets that they carried in a run, both ways together.

    Where each seed draws a field of its own, they are those of the first seed, whose field is drawn.
    """
    found = {}
    for point in result.points:
        carried: Counter[tuple[int, int]] = Counter()
        is_one_field = not result.scenario.points[point.index].draws_field
        runs = [run for run in point.runs if is_one_field or run["seed"] == result.scenario.seed]
        for run in runs:
            wires = [
                (one["from"], one["to"], one["sent_packets"] - one["lost_packets"]) for one in run.get("wires", [])
            ]
            for source, target, packets in chain(links_of(run), wires):
                carried[min(source, target), max(source, target)] += packets
        found[point.index] = [(a, b, sum_ / len(runs)) for (a, b), sum_ in sorted(carried.items()) if sum_]
    return found


def ledger_charts(result: BaseResult) -> list[Chart]:
    """Where the time of each node, and the delay of each flow, goes, for each point; none without a ledger."""
    from hopscope.results import explain

    if not any(point.runs for point in result.points) or not explain.has_ledger(result):
        return []
    points = explain.explain_present(result).points
    explained = points[:_EXPLAINED]
    titles = [spoken(point.set) for point in explained]
    nodes = [Panel(title, _shares(point)) for title, point in zip(titles, explained, strict=True)]
    flows = [Panel(title, _delays(point)) for title, point in zip(titles, explained, strict=True)]
    most = max(len(point.nodes) for point in explained)
    about = f"{_cut(_EXPLAINED, len(points), 'points')}{_cut(_BARS, most, 'nodes, those that send most')}"
    return [
        Chart(
            "airtime",
            f"Where the time of each node goes.{about}",
            "node",
            "share of the time (%)",
            nodes,
            kind="stack",
        ),
        Chart(
            "delay-parts",
            f"Where the mean delay of a packet goes.{_cut(_EXPLAINED, len(points), 'points')}",
            "flow",
            "delay (ms)",
            flows,
            kind="stack",
        ),
    ]


def _cut(shown: int, there: int, what: str) -> str:
    """The remark that a figure shows some of several things; empty when it shows all."""
    return f" {shown} of {there} {what}." if there > shown else ""


def _shares(point: PointExplanation) -> list[Line]:
    nodes = list(range(len(point.nodes)))
    if len(nodes) > _BARS:  # those that send most
        busiest = sorted(nodes, key=lambda node: -sum(list(point.grouped(node).values())[:_SENDING]))
        nodes = sorted(busiest[:_BARS])
    grouped = [point.grouped(node) for node in nodes]
    names = [str(node) for node in nodes]
    lines = [
        Line(group, names, [shares[group] for shares in grouped], style=style) for style, group in enumerate(grouped[0])
    ]
    return [line for line in lines if any(line.y)]


def _delays(point: PointExplanation) -> list[Line]:
    names = [str(flow) for flow in range(len(point.delays))]
    parts = list(point.delays[0]) if point.delays else []
    lines = [
        Line(part, names, [delay[part].mean or 0.0 for delay in point.delays], style=style)
        for style, part in enumerate(parts)
    ]
    return [line for line in lines if any(line.y)]


def ledger_grid(point: PointExplanation) -> Grid:
    """Shares of each node by group of causes; groups that no node spends time on are left out."""
    lines = [line for line in _shares(point) if max(line.y) >= _VISIBLE]
    columns = [Column("node", number=True), *(Column(line.label, number=True) for line in lines)]
    rows = [[name, *(f"{line.y[place]:.1f}" for line in lines)] for place, name in enumerate(lines[0].x)]
    shown = some_of(len(rows), len(point.nodes), "that send most")
    return Grid(columns, [[str(cell) for cell in row] for row in rows], f"Where the time of each node goes (%{shown})")


def some_of(shown: int, there: int, which: str) -> str:
    """The part of a caption that says that a table shows some of several rows; empty when it shows all."""
    return f"; the {shown} of {there} {which}; all with --json" if there > shown else ""


# --- Tables ---------------------------------------------------------------------------------------------------------


def _flows(result: Result) -> Grid:
    flows = [(point.runs, flow) for point in result.points for flow in _flow_ids(point.runs)]
    used = [
        metric
        for metric in metrics.shown("flow", "report")
        if any(_estimate(runs, f"flow.{flow}.{metric.name}") for runs, flow in flows)
    ]
    keys = _keys(result)
    columns = [
        *_columns(result),
        Column("flow", tight=True),
        *(Column(metric.label, number=True) for metric in used),
        Column("runs", number=True),
    ]
    rows = []
    for point in result.points:
        for flow in _flow_ids(point.runs):
            about = point.runs[0]["flows"][flow]
            name = f"{flow}: {about['from']} → {about['to']}, {about['transport']}"
            cells = [_shown(_estimate(point.runs, f"flow.{flow}.{metric.name}"), len(point.runs)) for metric in used]
            rows.append([*_places(point.set, keys), name, *cells, str(len(point.runs))])
    return Grid(columns, rows, "Flows")


def _fair(result: Result) -> Grid:
    """What criteria of fairness would give each flow, and what it had; empty for one flow, many, or no region."""
    from hopscope.results import fairness

    columns = [Column("point"), Column("flow", tight=True), Column("measured (kbit/s)", number=True)]
    columns += [Column(f"{heading} (kbit/s)", number=True) for _, heading, _ in fairness.CRITERIA]
    columns += [Column("measured / max-min", number=True)]
    flows = max((len(run["flows"]) for point in result.points for run in point.runs[:1]), default=0)
    caption = "Fair shares of the capacity on shortest paths (docs/models/shares.md)"
    if not 1 < flows <= _FLOWS or len(result.points) > _FAIR:
        return Grid(columns, [])
    try:
        rows = list(fairness.rows(result))
    except InputError:  # no path, too many links, or several fields
        return Grid(columns, [])
    cells = [
        [
            spoken(result.points[row["point"]].set),
            f"{row['flow']}: {row['from']} → {row['to']}",
            "-" if row["measured_kbps"] is None else number(row["measured_kbps"]),
            *(number(row[f"{name}_kbps"]) for name, _, _ in fairness.CRITERIA),
            "-" if row["of_max_min"] is None else f"{row['of_max_min']:.2f}",
        ]
        for row in rows
    ]
    return Grid(columns, cells, caption)


def _network(result: Result) -> Grid:
    several = any(len(_flow_ids(point.runs)) > 1 for point in result.points)
    keys = _keys(result)
    shown = [metric for metric in metrics.shown("network", "report") if several or metric.applies != "several"]
    columns = [
        *_columns(result),
        *(Column(metric.label, number=True) for metric in shown),
    ]
    rows = [
        [
            *_places(point.set, keys),
            *(_shown(_estimate(point.runs, f"network.{metric.name}")) for metric in shown),
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
    return [Grid([*_columns(result), Column("finding")], rows, "Where the time goes")]


def _failures(result: Result) -> Grid:
    keys = _keys(result)
    rows = [[str(f.point), *_places(dict(f.set), keys), str(f.seed), f.message] for f in result.failures]
    columns = [Column("point", number=True), *_columns(result), Column("seed", number=True), Column("reason")]
    return Grid(columns, rows, "Runs that failed")


def commands(result: Result, file: str) -> Grid:
    """The command that repeats each point from the scenario in `file`, which is that of a quick run already cut."""
    keys = _keys(result)
    rows = []
    for point in result.points:
        words = ["hopscope", "run", file, "--seeds", str(result.scenario.seeds)]
        if result.live is not None:
            words = ["hopscope", "live", file]
        for key, value in point.set.items():
            words += ["--set", set_text(key, value)]
        rows.append([*_places(point.set, keys), shlex.join(words)])
    columns = [*_columns(result), Column("command", code=True)]
    return Grid(columns, rows, "Commands that repeat each point")


# --- Charts ---------------------------------------------------------------------------------------------------------


def _sweeps(result: Result, drawn: Sequence[tuple[str, str]]) -> list[Chart]:
    """One chart a metric over the first swept key with numbers; a second key makes the lines, a third the panels."""
    table = table_of(result)
    keys = [key for key in _keys(result) if numeric(table.values(key)) and len(table.values(key)) > 1]
    if not keys:
        return []
    # The key with most values carries the curve; seeds have an order, but nothing lies between them.
    along = max(keys, key=lambda key: (not is_seed(key), len(table.values(key))))
    linked = linked_with(result, along)
    others = [key for key in _keys(result) if key != along and key not in linked]
    with_it = f" {', '.join(map(in_words, linked))} {'change' if linked[1:] else 'changes'} with it." if linked else ""
    found = []
    for metric, label in drawn:
        panels, left_out = _panels(table, along, others, metric)
        more = f" {left_out} further lines stand in the tables." if left_out else ""
        found.append(
            Chart(
                f"{metric.replace('_', '-')}-over-{along.replace('.', '-').replace('*', 'all')}",
                f"{label[:1].upper()}{label[1:]} over {in_words(along)}, {_meant(result)}.{with_it}{more}",
                axis_of(along, table.values(along)).label,
                label,
                panels,
                over=(along, metric),
                metric=metric,
            )
        )
    return found


def linked_with(result: Result, along: str) -> tuple[str, ...]:
    """The keys whose values follow from those of a swept key, because they change together with it."""
    values = [repr(value) for value in result.scenario.axes[along]]
    return result.scenario.swept_with(along) if len(set(values)) == len(values) else ()


def _cdfs(result: Result) -> list[Chart]:
    """The distributions that were kept: a curve for each flow and point, all seeds together."""
    if not distributions.has_distributions(result):
        return []
    found = []
    for name, label in distributions.KINDS.items():
        lines = []
        for point, flow, of in distributions.curves(result, name):
            several = len(_flow_ids(point.runs)) > 1
            words = ", ".join(filter(None, [spoken(point.set), f"flow {flow}" if several else ""]))
            curve = of.cdf
            ends = [(of.low_ms[0], 0.0), *zip(curve["value_ms"], curve["share"], strict=True)]
            lines.append(Line(words, [x for x, _ in ends], [y for _, y in ends]))
        left_out = _cut(LINES, len(lines), "curves")
        caption = f"Share of packets whose {label} is below a value, all seeds together.{left_out}"
        about = f"{label} (ms)"
        panel = Panel("", lines[:LINES])
        found.append(Chart(f"{name}-cdf", caption, about, "share of packets", [panel], kind="steps", distribution=name))
    return found


def _panels(table: Table, along: str, others: Sequence[str], metric: str) -> tuple[list[Panel], int]:
    """The panels, and how many lines there was no room for."""
    combinations: list[dict[str, Any]] = []
    for where, _ in table.points:
        rest = {key: where[key] for key in others if key in where}
        if rest not in combinations:
            combinations.append(rest)
    split = others[1:] and len(combinations) > LINES
    axis = axis_of(along, table.values(along))
    panels: dict[str, list[Line]] = {}
    for rest in combinations:
        title = spoken({key: rest[key] for key in others[1:]}) if split else ""
        shown = {key: rest[key] for key in (others[:1] if split else others)}
        for flow in _flow_ids([run for _, runs in table.points for run in runs]):
            words = [spoken(shown), f"flow {flow}" if _flow_count(table) > 1 else ""]
            label = ", ".join(filter(None, words))
            line = curves.curve(
                table, along, f"flow.{flow}.{metric}", rest, label=label, place=axis.place, joined=not is_seed(along)
            )
            if line.y:
                panels.setdefault(title, []).append(line)
    drawn = [Panel(title, lines[:LINES]) for title, lines in list(panels.items())[:_PANELS]] or [Panel("", [])]
    return drawn, sum(map(len, panels.values())) - sum(len(panel.lines) for panel in drawn)


def _single(result: Result, drawn: Sequence[tuple[str, str]]) -> list[Chart]:
    """Bars of the flows for results without a swept number: one group a flow, one bar a point."""
    points = result.points[:LINES]
    found = []
    for metric, label in drawn:
        if all(len(_flow_ids(point.runs)) <= 1 for point in result.points):
            found.append(_of_points(result, metric, label))
            continue
        lines = []
        for point in points:
            flows = [(str(flow), _estimate(point.runs, f"flow.{flow}.{metric}")) for flow in _flow_ids(point.runs)]
            lines.append(curves.line(spoken(point.set), flows[:_FLOWS]))
        name = metric.replace("_", "-")
        count = max((len(_flow_ids(point.runs)) for point in points), default=0)
        left_out = _cut(LINES, len(result.points), "points") + _cut(_FLOWS, count, "flows")
        caption = f"{label[:1].upper()}{label[1:]} of each flow, {_meant(result)}.{left_out}"
        found.append(Chart(f"{name}-by-flow", caption, "flow", label, [Panel("", lines)], kind="bars", metric=metric))
    return found


def _of_points(result: Result, metric: str, label: str) -> Chart:
    """A bar for each point of a sweep of one flow, which needs no number."""
    points = result.points[:_FLOWS]
    values = [(_bar(point.set), _estimate(point.runs, f"flow.0.{metric}")) for point in points]
    caption = f"{label[:1].upper()}{label[1:]}, {_meant(result)}.{_cut(_FLOWS, len(result.points), 'points')}"
    axis = ", ".join(in_words(key) for key in _keys(result))
    name = f"{metric.replace('_', '-')}-by-flow"
    return Chart(name, caption, axis, label, [Panel("", [curves.line("", values)])], kind="bars", metric=metric)


def has_several_seeds(result: Result) -> bool:
    """Whether any point has more than one run, so that there are intervals."""
    return any(len(point.runs) > 1 for point in result.points)


def _meant(result: Result) -> str:
    return wording.meant(several=has_several_seeds(result))


def _bar(values: dict[str, Any]) -> str:
    """The name of a bar: the swept values without their keys, which the axis names."""
    return ", ".join(written(value, 24) for value in values.values()) or "all runs"


# --- Parts ----------------------------------------------------------------------------------------------------------


def _keys(result: Result) -> list[str]:
    return list(dict.fromkeys(key for point in result.points for key in point.set))


def _columns(result: Result) -> list[Column]:
    axes = {key: result.scenario.axes[key] for key in _keys(result)}
    return [Column(name, key=key, tight=_is_short(axes[key])) for key, name in headings(axes).items()]


def _is_short(values: Sequence[Any]) -> bool:
    """Whether words stay on one line."""
    return all(isinstance(value, str) and len(value) <= 24 for value in values)


def _places(where: dict[str, Any], keys: Sequence[str]) -> list[str]:
    return [written(where[key]) if key in where else "" for key in keys]


def _flow_ids(runs: Sequence[Any]) -> list[int]:
    return list(range(max((len(run["flows"]) for run in runs), default=0)))


def _flow_count(table: Table) -> int:
    return len(_flow_ids([run for _, runs in table.points for run in runs]))


def _estimate(runs: Sequence[Any], metric: str) -> Estimate | None:
    return curves.sample(Table("", [({}, runs)]), metric)


def _shown(value: Estimate | None, runs: int = 0) -> str:
    """The estimate, and of how many samples it is when these are fewer than the runs."""
    return "-" if value is None else show(value) + fewer(value.n, runs)
