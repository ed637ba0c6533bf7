"""What the entries of anastasi2006 share: names, the simulated chain, and how its runs are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hopscope.catalog.charts import error_bar
from hopscope.catalog.entry import Finding, Study
from hopscope.catalog.judge import each, mean_of
from hopscope.report.chart import Chart, Line, Mark, Panel
from hopscope.results.comparisons import Verdict
from hopscope.results.samples import Data, Metric, Table, Where

SOURCE = (
    "Anastasi, Ancillotti, Conti, Passarella: Experimental Analysis of TCP Performance in Static Multi-hop Ad Hoc "
    "Networks (book chapter)"
)

HOPS = "topology.hops"
WINDOW = "flow.0.max_window"
ACK = "flow.0.ack"
THROUGHPUT = "flow.0.throughput_kbps"
RETRANSMISSIONS = "flow.0.retransmission_index_pct"
FALSE_FAILURES = "network.false_link_failures"
NO_ROUTE = "flow.0.no_route_share_pct"

LENGTHS = [1, 2, 3, 4]
"""Hops of the chains."""

WINDOWS = [2, 3, 4, 32]
"""Maximum windows; 32 stands for an unclamped window."""

START = "20s"
"""When the flow starts and the measured time begins: routing runs alone before, as on nodes that are switched on."""

END = "140s"
"""End of a run: 120 s are measured, as in the testbed."""

HELLO: Mapping[str, Any] = {"protocol": "aodv", "parameters": "aodv-uu"}
"""AODV that judges links by HELLOs (AODV-HELLO)."""

LINK_LAYER: Mapping[str, Any] = {"protocol": "aodv", "parameters": "aodv-uu-ll"}
"""AODV that believes the MAC (AODV-LL)."""

OLSR: Mapping[str, Any] = {"protocol": "olsr", "parameters": "olsr-unik"}
"""OLSR as the study set it."""

EQUAL_RANGES: Mapping[str, Any] = {"interference": "range", "interference_range": "500m"}
"""Interference reaches as far as carrier sense: twice the receive range."""

QUICK: Mapping[str, Any] = {"duration": "60s", "seeds": 2}

SIMULATION_NOTES = (
    "The study used ns-2.28 with the code of AODV-UU; profile ns2 repeats ns-2.35 with the set aodv-uu and decides. "
    "Profile standard is shown for contrast.",
    "The receive range is not given: 250 m at 200 m between nodes, ns-2's usual values, with carrier sense and "
    "interference at twice the receive range (500 m) as stated. Interference is a range, not a comparison of powers.",
    "One ACK for every second segment is the policy ns2-delack with ns-2's default timer of 100 ms; the timer is not "
    "given.",
    "Run length and replicas are not given: 120 s as in the testbed and 20 seeds. Routing runs alone for 20 s before.",
)


def tcp(window: int = 2, ack: str = "ns2-delack", ack_delay: str = "100ms") -> dict[str, Any]:
    """A greedy NewReno flow over the whole chain."""
    return {
        "from": 0,
        "to": "last",
        "transport": "tcp-newreno",
        "app": "bulk",
        "packet": 1460,
        "max_window": window,
        "ack": ack,
        "ack_delay": ack_delay,
        "start": START,
    }


def chain(title: str, routing: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """The simulated chain: 3 hops, window 2, unless changed."""
    return {
        "title": f"anastasi2006 {title}",
        "duration": END,
        "warmup": START,
        "seeds": 20,
        "profile": "ns2",
        "topology": {"kind": "chain", "hops": 3, "spacing": "200m"},
        "radio": {"preset": "wavelan-2M", "tx_range": "250m", "cs_range": "500m", **EQUAL_RANGES},
        # In ns-2.28, whose MAC header is 6 bytes shorter, a route reply has 96 bytes with its PLCP: no RTS for it.
        "mac": {"rts_threshold": 100, "rts_counts_plcp": False},
        "routing": dict(routing),
        "flow": [tcp()],
        **changes,
    }


def study(label: str, scenario: Mapping[str, Any], *, decides: bool = True) -> Study:
    """A study whose title names it."""
    return Study(label, {**scenario, "title": f"{scenario['title']}, {label}"}, QUICK, decides)


def profiles(scenario: Mapping[str, Any], label: str = "") -> list[Study]:
    """The scenario in both profiles: ns2 decides, standard is for contrast."""
    tail = f", {label}" if label else ""
    return [
        study(f"{profile}{tail}", {**scenario, "profile": profile}, decides=profile == "ns2")
        for profile in ("ns2", "standard")
    ]


def windows_at(hops: int) -> dict[int, Where]:
    """The place of every window in a study that sweeps lengths and windows."""
    return {window: {HOPS: hops, WINDOW: window} for window in WINDOWS}


def beside(
    other: Callable[[str], str], check: Callable[[Table, Table], tuple[Verdict, str]], only: Callable[[str], bool]
) -> Callable[[Data], list[Finding]]:
    """Judges each study whose label satisfies `only` beside another one, whose label `other` makes from its own."""

    def judge(data: Data) -> list[Finding]:
        return each(lambda table: check(table, data[other(table.label)]), only=only)(data)

    return judge


def by_window(
    data: Data,
    halves: Sequence[tuple[str, Metric, Sequence[Mark]]],
    *,
    name: str,
    caption: str,
    only: Callable[[str], bool] = lambda _label: True,
) -> Chart:
    """Bars by window, one bar in each group for every study, and one panel for each (title, metric, published)."""

    def line(table: Table, metric: Metric) -> Line:
        found = {f"W = {window}": mean_of(metric, {WINDOW: window})(table) for window in WINDOWS}
        kept = {name: value for name, value in found.items() if value is not None}
        return Line(table.label, list(kept), [e.mean for e in kept.values()], [error_bar(e) for e in kept.values()])

    panels = [
        Panel(title, [line(table, metric) for table in data if only(table.label)], marks)
        for title, metric, marks in halves
    ]
    return Chart(name, caption, "maximum window (segments)", "", panels, kind="bars", own_axes=True)
