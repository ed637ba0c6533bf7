"""fu2003, Figure 7: the model of the drop probability beside simulated one-hop flows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hopscope.catalog.fu2003.shared import CHAIN, PAYLOAD, PROFILE_NOTE, SOURCE, UNPRINTED, chain, profiles
from hopscope.models.drops import chain_limits, drops, last_state_probability
from hopscope.report.chart import Chart, Line, Panel
from hopscope.results.comparisons import Verdict
from hopscope.results.samples import Data, NoSamplesError, Run, Table
from hopscope.results.stats import number
from hopscope.studies.charts import sweep
from hopscope.studies.entry import Entry, Quantity, Statement
from hopscope.studies.judge import each, gradual, mean_of, rank_correlation

_HOPS = 7
_RETRIES = 6
"""The model's r: states 0 to 6 are the seven RTS after which the MAC gives up."""

_RATE = "flow.*.rate"
_LOADS = [kbps * 1000 for kbps in (50, 100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 800, 1200, 2000)]


def backlog(run: Run) -> float:
    """Mean share of the time in which a sender has a packet in its queue or MAC.

    By Little's law a node with a one-hop flow holds rate times delay packets; those in the queue are known, and the MAC
    holds at most one. Near overload that difference is small beside its terms; a queue that is full on average by some
    part has a packet for that part of the time at least.
    """
    shares: list[float] = []
    for flow, node in zip(run["flows"], run["nodes"], strict=False):
        least = float(node["queue_mean"]) / CHAIN["mac"]["queue"]
        shares.append(min(1.0, max(least, _held(flow, node) - float(node["queue_mean"]))))
    return sum(shares) / len(shares)


def _held(flow: Run, node: Run) -> float:
    """Packets in queue and MAC of the sender, on average; those given up stay as long as others."""
    if not flow["received_packets"]:
        return 0.0
    delivered = float(flow["throughput_kbps"]) * 1000 / (8 * PAYLOAD)
    taken = delivered * (1 + int(node["mac_retry_drops"]) / int(flow["received_packets"]))
    return taken * float(flow["delay_ms"]) / 1000


def drops_per_attempt(run: Run) -> float | None:
    """Packets given up over RTS sent."""
    sent = sum(node["rts_sent"] for node in run["nodes"])
    return float(run["network"]["mac_retry_drops"] / sent) if sent else None


def modelled(run: Run) -> float | None:
    """Drops per attempt by equations (2) and (3) for the measured share of RTS of each flow that no data followed."""
    sent, lost = 0, 0.0
    for node in run["nodes"]:
        if attempts := int(node["rts_sent"]):
            sent += attempts
            lost += attempts * last_state_probability(1 - min(attempts, node["data_sent"]) / attempts, _RETRIES)
    return lost / sent if sent else None


def predicted(form: str) -> Callable[[Run], float]:
    """The same by b(m) and c(m) of the model, `smooth` or `floor`, for the measured backlog."""

    def metric(run: Run) -> float:
        return drops(_HOPS * backlog(run), *chain_limits(_HOPS), retry_limit=_RETRIES, form=form).last_state

    return metric


_SMOOTH, _FLOOR = predicted("smooth"), predicted("floor")


def _curve(table: Table, metric: Callable[[Run], float | None]) -> list[float]:
    found = [value.mean for _, value in table.curve(_RATE, metric)]
    if len(found) < len(table.values(_RATE)):
        raise NoSamplesError("a flow carried nothing at some load")
    return found


def _agrees(metric: Callable[[Run], float | None]) -> Callable[[Table], tuple[Verdict, str]]:
    def check(table: Table) -> tuple[Verdict, str]:
        measured, model = _curve(table, drops_per_attempt), _curve(table, metric)
        top = max(measured)
        if top == 0:
            return False, "no drops at any load"
        error = sum(abs(a - b) for a, b in zip(measured, model, strict=True)) / len(measured)
        words = (
            f"mean error {number(error)}, {number(100 * error / top)} % of the largest measured {number(top)}; the "
            f"model's largest is {number(max(model))}; rank correlation {rank_correlation(measured, model):.2f}"
        )
        return error <= 0.25 * top, words

    return check


def _three_regimes(table: Table) -> tuple[Verdict, str]:
    places, values = _curve(table, backlog), _curve(table, drops_per_attempt)
    top = max(values)
    if top == 0:
        return False, "no drops at any load"
    few = [value for place, value in zip(places, values, strict=True) if place * _HOPS < chain_limits(_HOPS)[0]]
    start = next(index for index, value in enumerate(values) if value >= 0.9 * top)
    rises, words = gradual(values)
    beyond = values[start:]
    spread = (top - min(beyond)) / top
    words = (
        f"at most {number(max(few, default=0.0))} below B*; {words}; from a backlog of {number(places[start])} on "
        f"between {number(min(beyond))} and {number(top)}"
    )
    return bool(few) and max(few) <= 0.05 * top and rises is True and spread <= 0.2, words


def _chart(data: Data) -> list[Chart]:
    panels = []
    for table in data:
        lines = []
        for label, metric in (
            ("simulated", drops_per_attempt),
            ("model, H measured", modelled),
            ("model, smooth", _SMOOTH),
            ("model, floor", _FLOOR),
        ):
            try:
                places, values = _curve(table, backlog), _curve(table, metric)
            except NoSamplesError:
                continue
            ordered = sorted(zip(places, values, strict=True))
            lines.append(Line(label, [x for x, _ in ordered], [y for _, y in ordered], reference=metric is _FLOOR))
        panels.append(Panel(table.label, lines))
    return [
        Chart(
            "drop-probability-over-backlog",
            "Drops per RTS over the mean backlog of the senders, simulated and by the model, seven one-hop flows "
            "over the 7-hop chain.",
            "mean backlog probability of the senders",
            "drops per attempt",
            panels,
            legend_title="",
        ),
        sweep(
            data,
            name="backlog-over-load",
            caption="Mean backlog probability of the senders over the rate of each of seven one-hop flows.",
            x=_RATE,
            y=backlog,
            position=lambda rate: rate / 1000,
            xlabel="rate of each flow (kbit/s)",
            ylabel="mean backlog probability",
        ),
    ]


def _flow(node: int) -> dict[str, Any]:
    return {"from": node, "to": node + 1, "transport": "udp", "app": "poisson", "packet": PAYLOAD, "rate": _LOADS[0]}


FIG7 = Entry(
    key="fu2003.fig7",
    title="Drop probability: model and simulation",
    source=SOURCE,
    item="Figure 7 and section 4.2",
    description="Seven UDP flows, one over each link of the 7-hop chain, at a common rate that rises: drops "
    "at the retry limit beside equations (1) to (5) for the measured mean backlog.",
    settings=profiles(
        {**CHAIN, "topology": chain(_HOPS), "flow": [_flow(node) for node in range(_HOPS)], "sweep": {_RATE: _LOADS}},
        quick={"seeds": 1, "sweep": {_RATE: [load for load in _LOADS if load // 1000 in (100, 200, 400, 2000)]}},
        label="one-hop flows",
    ),
    quantities=[
        Quantity(f"{what}, {load // 1000} kbit/s", "", mean_of(metric, {_RATE: load}), None, UNPRINTED)
        for load in (100_000, 200_000, 400_000, 2_000_000)
        for what, metric in (
            ("mean backlog", backlog),
            ("drops per RTS", drops_per_attempt),
            ("model, H measured", modelled),
            ("model, smooth", _SMOOTH),
        )
    ],
    statements=[
        Statement(
            "c1",
            "The model agrees with the simulation very well (judged with the measured share of failed RTS of each "
            "flow: mean error of at most a quarter of the largest measured probability).",
            each(_agrees(modelled)),
        ),
        Statement(
            "c2",
            "Drops have three regimes: next to none while fewer than B* nodes are backlogged, then more and more, then "
            "constant (judged: at most 5 % of the largest below B*, a gradual rise to nine tenths of it, within 20 % "
            "from there on).",
            each(_three_regimes),
        ),
    ],
    charts=_chart,
    notes=[
        PROFILE_NOTE,
        "The caption has the axes the other way round. Rates and sizes are not given; 50 to 2000 kbit/s and 1460 B are "
        "assumed.",
        "Packets come at random (Poisson), since CBR flows of one rate that start together collide in step.",
        "A drop probability of equation (1) is one for a slot of unknown length. Compared is what does not depend on "
        "it: drops for each attempt, equation (1) over c(m)/m, with r = 6 for the seven RTS of the MAC.",
        "b(m) and c(m) enter by their ratio 1 - H, which is measured for each flow: the share of RTS that no data "
        "frame followed. The curves without it take b and c from B* = 1 and C* = 3, derived for 200 m, 250 m and 550 "
        "m; as printed, with floors, they make a saw-tooth.",
    ],
)
