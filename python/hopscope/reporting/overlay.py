"""Models over simulated curves: which of a model's outputs fits which figure of a store, computed point by point.

A model takes its parameters from the scenario of each point (:data:`FROM_SCENARIO`); what a user gives goes first.
A throughput becomes a dashed curve, a window a vertical line over a swept window and a curve over anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError
from hopscope.models import registry
from hopscope.models.capacity import TCP_HEADERS, UDP_HEADERS
from hopscope.models.formula import Model
from hopscope.reporting.axis import axis_of, numeric
from hopscope.reporting.chart import Chart, Line, Panel
from hopscope.results.comparisons import best
from hopscope.results.samples import NoSamplesError, Table
from hopscope.results.stats import number
from hopscope.scenario.naming import spoken

if TYPE_CHECKING:
    from hopscope.results import Result

#: Metric that a best window is the best of.
AGGREGATE = "network.aggregate_kbps"

#: More vertical lines than these cannot be read.
_GUIDES = 4

_THROUGHPUTS = ("throughput_kbps", "goodput_kbps", "aggregate_kbps")

Resolved = Mapping[str, Any]


def _hops(scenario: Resolved) -> int | None:
    topology = scenario["topology"]
    if topology["kind"] == "grid":
        return max(int(topology["rows"]), int(topology["cols"])) - 1
    found = topology.get("hops")
    return None if found is None else int(found)


def _headers(flow: Mapping[str, Any]) -> int:
    return TCP_HEADERS if str(flow["transport"]).startswith("tcp") else UDP_HEADERS


def _packet(scenario: Resolved) -> int:
    flow = scenario["flow"][0]
    return int(flow["packet"]) + _headers(flow)


def _rts(scenario: Resolved) -> bool:
    threshold, mac = scenario["mac"]["rts_threshold"], scenario["mac"]
    return threshold != "off" and bool(_packet(scenario) + mac["data_header"] + mac["llc_header"] > threshold)


def _loss(scenario: Resolved) -> float | None:
    """The frame error rate, where a frame is sent once, so that its loss is the packet's."""
    error, mac = scenario["radio"]["error"], scenario["mac"]
    plain = error["kind"] == "uniform" and error["applies_to"] == "data"
    once = mac["long_retry_limit" if _rts(scenario) else "short_retry_limit"] == 1
    return float(error["per"]) if plain and once and error["per"] > 0 else None


# UDP has no windows, ACKs and timers.


def _window(scenario: Resolved) -> int | None:
    found = scenario["flow"][0].get("max_window")
    return None if found is None else int(found)


def _rto(scenario: Resolved) -> float | None:
    found = scenario["flow"][0].get("tcp")
    return None if found is None else float(found["min_rto"])


def _per_ack(scenario: Resolved) -> int | None:
    found = scenario["flow"][0].get("ack")
    return None if found is None else 1 if found == "every" else 2


#: Parameter of a model -> its value in a resolved scenario, None where the scenario has none.
FROM_SCENARIO: dict[str, Callable[[Resolved], Any]] = {
    "hops": _hops,
    "packet": _packet,
    "payload": lambda scenario: int(scenario["flow"][0]["packet"]),
    "mss": lambda scenario: int(scenario["flow"][0]["packet"]),
    "max_window": _window,
    "rate": lambda scenario: int(scenario["radio"]["data_rate"]),
    "control_rate": lambda scenario: int(scenario["radio"]["basic_rate"]),
    "phy": lambda scenario: "ofdm" if "ofdm" in scenario["radio"]["phy"] else "dsss",
    "overhead": lambda scenario: int(scenario["mac"]["data_header"]) + int(scenario["mac"]["llc_header"]),
    "rts": _rts,
    "loss": _loss,
    "rto": _rto,
    "acked_per_ack": _per_ack,
}


@dataclass(frozen=True)
class Overlay:
    """A model to be drawn, with the parameters a user gave."""

    model: Model
    given: Mapping[str, Any]

    def at(self, scenario: Resolved) -> dict[str, float]:
        """Returns the outputs for the scenario of one point; throughputs in payload, as the results count them.

        Raises:
            InputError: a parameter that neither the user nor the scenario gives, or that does not fit.
        """
        values = dict(self.given)
        for field in self.model.parameters:
            if field.name not in values and field.name in FROM_SCENARIO:
                found = FROM_SCENARIO[field.name](scenario)
                if found is not None:
                    values[field.name] = found
        outputs = self.model(**values)
        flow = scenario["flow"][0]
        # Models of IP packets count their headers.
        scale = flow["packet"] / _packet(scenario) if "packet" in {f.name for f in self.model.parameters} else 1.0
        return {
            name: value * scale if name == "throughput_kbps" else value
            for name, value in outputs.items()
            if value is not None
        }


def parse(text: str) -> Overlay:
    """Reads ``--model``: the name of a model, and parameters as ``key=value`` after it.

    Raises:
        InputError: no such model or parameter, or a value that does not fit.
    """
    name, *words = text.split()
    model = registry.model(name)
    fields = {field.name: field for field in model.parameters}
    given = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise InputError(f'--model "{text}": found "{word}"; expected key=value')
        if key not in fields:
            model.complete({key: value})  # says what is wrong
        given[key] = model.read(fields[key], value)
    return Overlay(model, given)


def draw(charts: Sequence[Chart], result: Result, overlays: Sequence[Overlay]) -> tuple[list[Chart], set[str]]:
    """Returns the charts of a result with the models over them, and the names of the models that fitted one.

    A sweep over a window and another number adds a chart of the best windows, for a model that gives a window.

    Raises:
        InputError: a parameter that neither the user nor the scenario gives.
    """
    found, fitted = [*charts, *_best_windows(result, overlays)], set()
    for overlay in overlays:
        drawn = [_over(chart, result, overlay) for chart in found]
        if any(after is not before for before, after in zip(found, drawn, strict=True)):
            fitted.add(overlay.model.name)
        found = drawn
    return found, fitted


def check(overlays: Sequence[Overlay], fitted: set[str]) -> None:
    """Refuses models that are drawn nowhere.

    Raises:
        InputError: the message says what the model gives.
    """
    for overlay in overlays:
        if overlay.model.name not in fitted:
            names = ", ".join(output.name for output in overlay.model.outputs)
            raise InputError(
                f"--model {overlay.model.name}: gives {names}; no figure of this store shows that over a swept number"
            )


def _over(chart: Chart, result: Result, overlay: Overlay) -> Chart:
    """The chart with the model, or the same chart when they have nothing in common."""
    if chart.over is None:
        return chart
    key, metric = chart.over
    name = metric.rpartition(".")[2]
    outputs = {output.name for output in overlay.model.outputs}
    if name in outputs:
        lines = _curves(result, overlay, key, name)
        return replace(chart, panels=[replace(panel, lines=[*panel.lines, *lines]) for panel in chart.panels])
    # It is the best window for throughput: in a figure of the losses it would say nothing.
    if "window" in outputs and key.endswith(".max_window") and name in _THROUGHPUTS:
        places = sorted({overlay.at(point.resolved)["window"] for point in result.scenario.points})[:_GUIDES]
        # Only the last has room for the name.
        named = [number(place) for place in places[:-1]] + [f"{overlay.model.name}: {number(places[-1])}"]
        guides = list(zip(places, named, strict=True))
        return replace(chart, panels=[replace(panel, guides=[*panel.guides, *guides]) for panel in chart.panels])
    return chart


def _curves(result: Result, overlay: Overlay, key: str, output: str) -> list[Line]:
    """The model over a swept key: one line for each different curve that the other swept keys make."""
    from hopscope.reporting.tables import linked_with

    axis = axis_of(key, result.scenario.axes[key])
    own = {key, *linked_with(result, key)}
    curves: dict[str, dict[float, float]] = {}
    for point in result.scenario.points:
        rest = spoken({k: v for k, v in point.set.items() if k not in own})
        curves.setdefault(rest, {})[axis.place(point.set[key])] = overlay.at(point.resolved)[output]
    different: dict[tuple[tuple[float, float], ...], list[str]] = {}
    for rest, curve in curves.items():
        different.setdefault(tuple(sorted(curve.items())), []).append(rest)
    lines = []
    for shape, places in different.items():
        words = f", {places[0]}{' and others' if len(places) > 1 else ''}" if len(different) > 1 else ""
        lines.append(Line(f"{overlay.model.name}{words}", [x for x, _ in shape], [y for _, y in shape], reference=True))
    return lines


def _best_windows(result: Result, overlays: Sequence[Overlay]) -> list[Chart]:
    """The window with the best total over another swept number, for models that give a window."""
    from hopscope.reporting.tables import table_of

    if not any(output.name == "window" for overlay in overlays for output in overlay.model.outputs):
        return []
    axes = result.scenario.axes
    windows = [key for key in axes if key.endswith(".max_window")]
    others = [key for key in axes if key not in windows and numeric(axes[key]) and len(axes[key]) > 1]
    others = [key for key in others if not set(windows) & set(result.scenario.swept_with(key))]
    if len(windows) != 1 or not others:
        return []
    table: Table = table_of(result)
    along = others[0]
    axis = axis_of(along, table.values(along))
    places, values, errors = [], [], []
    for value in table.values(along):
        try:
            peak = best(table, windows[0], AGGREGATE, {along: value})
        except NoSamplesError:
            continue
        places.append(axis.place(value))
        values.append(float(peak.at))
        errors.append((float(peak.at - min(peak.ties)), float(max(peak.ties) - peak.at)))
    return [
        Chart(
            f"best-window-over-{along.replace('.', '-').replace('*', 'all')}",
            f"Window with the best mean total throughput over {along}; bars: windows indistinguishable from it.",
            axis.label,
            "best window (packets)",
            [Panel("", [Line("best window", places, values, errors)])],
            over=(along, "window"),
        )
    ]
