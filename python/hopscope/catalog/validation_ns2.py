"""validation.ns2: profile ns2 against ns-2.35, configuration by configuration.

The reference numbers in `data/ns2.csv` are means of ns-2.35 runs made for this project; the header of that file says
how. Every configuration runs here with 10 seeds (the cross with 40); over fixed routes throughput must agree within 3 %
for TCP and 2 % for UDP, over AODV within 5 %. Delay, jitter and loss are shown beside ns-2's without being judged.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from hopscope.catalog.reference import Reference, grouped
from hopscope.report.chart import Chart, Line, Panel
from hopscope.results.comparisons import Verdict
from hopscope.results.samples import Data, Metric, NoSamplesError, Run, Table, show
from hopscope.results.stats import number
from hopscope.studies.charts import error_bar
from hopscope.studies.entry import Entry, Quantity, Setting, Statement
from hopscope.studies.judge import each, mean_of, within
from hopscope.studies.verdict import Finding, Outcome

SOURCE = "ns-2.35 measurements made for this project (python/hopscope/catalog/data/ns2.csv)"

SEEDS = 10
# The two flows of the cross share very unevenly from seed to seed: ten seeds leave their mean Jain index open by 0.1.
CROSS_SEEDS = 40

TCP_TOLERANCE = 0.03
UDP_TOLERANCE = 0.02
AODV_TOLERANCE = 0.05

# ns-2's Vegas agent counts TCP and IP headers into its packet size, so that much less of it is payload.
VEGAS_HEADERS = 40

_METRICS = {
    "thr_kbps": ("throughput", "kbit/s", "flow.0.throughput_kbps"),
    "delay_ms": ("delay", "ms", "flow.0.delay_ms"),
    "jitter_ms": ("jitter", "ms", "flow.0.jitter_ms"),
    "loss_pct": ("loss", "%", "flow.0.loss_pct"),
    "thr_kbps_f0": ("throughput of flow 0", "kbit/s", "flow.0.throughput_kbps"),
    "thr_kbps_f1": ("throughput of flow 1", "kbit/s", "flow.1.throughput_kbps"),
    "total_kbps": ("throughput of both flows", "kbit/s", "network.aggregate_kbps"),
    "jain": ("Jain index", "", "network.jain"),
    "loss_pct_f0": ("loss of flow 0", "%", "flow.0.loss_pct"),
    "loss_pct_f1": ("loss of flow 1", "%", "flow.1.loss_pct"),
}
"""Metric of the reference file: (name, unit, metric of a run)."""

_TRANSPORTS = {
    "Newreno": "tcp-newreno",
    "Tahoe": "tcp-tahoe",
    "Reno": "tcp-reno",
    "Vegas": "tcp-vegas",
    "Sack1": "tcp-sack",
}


# The columns that name a configuration.
_KEYS = ("case", "topology", "hops", "routing", "transport", "window", "pkt", "rts")


@dataclass(frozen=True)
class Configuration:
    """One configuration of the reference file, with everything measured in it."""

    case: str
    topology: str
    hops: int
    routing: str
    transport: str
    window: int | None
    packet: int
    rts: int
    reference: dict[str, Reference]

    @property
    def is_udp(self) -> bool:
        """Whether the flow is a CBR flow over UDP."""
        return self.transport.startswith("CBR")

    @property
    def is_aodv(self) -> bool:
        """Whether AODV finds the routes; they are fixed otherwise."""
        return self.routing == "AODV"

    @property
    def tolerance(self) -> float:
        """How far the mean throughput may be from ns-2's, as a share of it."""
        if self.is_aodv:
            return AODV_TOLERANCE
        return UDP_TOLERANCE if self.is_udp else TCP_TOLERANCE

    @property
    def throughput(self) -> Metric:
        """The throughput of flow 0, counted as the reference file counts it."""
        if self.transport != "Vegas":
            return "flow.0.throughput_kbps"
        share = (self.packet - VEGAS_HEADERS) / self.packet

        def without_headers(run: Run) -> float:
            return share * float(run["flows"][0]["throughput_kbps"])

        return without_headers

    @property
    def label(self) -> str:
        """Short name, unique in the file."""
        parts = [f"{self.case}: {self.hops}-hop {self.topology}", self.transport]
        if self.window is not None:
            parts.append(f"window {self.window}")
        parts.append(f"{self.packet} B")
        if self.is_aodv:
            parts.append("AODV")
        if self.rts:
            parts.append("RTS off")
        return ", ".join(parts)

    def scenario(self) -> dict[str, Any]:
        """The scenario that repeats the configuration."""
        document: dict[str, Any] = {
            "title": f"validation.ns2 {self.label}",
            # Flows start at 1 s and throughput counts the 300 s after that.
            "duration": "301s",
            "warmup": "1s",
            "seeds": CROSS_SEEDS if self.topology == "cross" else SEEDS,
            "profile": "ns2",
            "topology": {"kind": self.topology, "hops": self.hops, "spacing": "200m"},
            "radio": {"preset": "wavelan-2M", **self._errors()},
            "mac": {"rts_threshold": "off" if self.rts else 0, "queue": 50},
            "routing": {"protocol": "aodv" if self.is_aodv else "static"},
            "flow": self._flows(),
        }
        if self.case == "A-bugfix0":
            document["mac"]["nonfreezing_defer"] = True
        if self.case == "A-oldtcp":
            document["tcp"] = {"initial_rto": "6s", "integer_reduction": True}
        return document

    def _errors(self) -> dict[str, Any]:
        if not self.case.startswith("F-"):
            return {}
        _, on_error, rate = self.case.split("-")
        per = float(rate.removeprefix("per"))
        return {"error": {"kind": "uniform", "per": per, "applies_to": "all", "on_error": on_error}}

    def _flows(self) -> list[dict[str, Any]]:
        if self.is_udp:
            rate = self.transport.removeprefix("CBR").removesuffix("k") + "kbps"
            kind: dict[str, Any] = {"transport": "udp", "app": "cbr", "rate": rate}
        else:
            variant, delayed, _ = self.transport.partition("-DelAck")
            kind = {"transport": _TRANSPORTS[variant], "app": "bulk", "max_window": self.window}
            if delayed:
                kind |= {"ack": "ns2-delack", "ack_delay": "200ms"}
        ends = [(0, self.hops)]
        if self.topology == "cross":
            ends.append((self.hops + 1, 2 * self.hops))
        return [{"from": start, "to": end, "start": "1s", "packet": self.packet, **kind} for start, end in ends]


@cache
def configurations() -> tuple[Configuration, ...]:
    """Every configuration of the reference file, in its order."""
    return tuple(
        Configuration(
            case, topology, int(hops), routing, transport, int(window) if window else None, int(pkt), int(rts), values
        )
        for (case, topology, hops, routing, transport, window, pkt, rts), values in grouped("ns2", _KEYS).items()
    )


def _only(configuration: Configuration) -> Any:
    return lambda label: label == configuration.label


def _quantities(configuration: Configuration) -> Iterable[Quantity]:
    for metric, reference in configuration.reference.items():
        if metric in _METRICS:
            name, unit, path = _METRICS[metric]
            measured = configuration.throughput if metric == "thr_kbps" else path
            yield Quantity(
                name,
                unit,
                mean_of(measured),
                reference.mean,
                f"ns-2.35, {reference.n} seeds",
                spread=reference.ci95,
                settings=_only(configuration),
            )


def _agrees(metric: Metric, reference: Reference, tolerance: float) -> Any:
    def check(table: Table) -> tuple[Verdict, str]:
        measured = table.interval(metric)
        off = 100 * (measured.mean / reference.mean - 1)
        words = f"{show(measured)} against {number(reference.mean)} ± {reference.ci95:.2g} kbit/s: {off:+.2f} %"
        return within(measured, reference.mean, tolerance), words

    return check


def _spread_agrees(reference: Reference) -> Any:
    low, high = reference.mean - reference.ci95, reference.mean + reference.ci95

    def check(table: Table) -> tuple[Verdict, str]:
        measured = table.interval("network.jain")
        words = (
            f"{show(measured)}, range {number(measured.min)} to {number(measured.max)}; ns-2 {low:.3f} to {high:.3f}"
        )
        return within(measured, reference.mean, reference.ci95 / reference.mean), words

    return check


def _comparable(routing: str) -> list[tuple[Configuration, Configuration]]:
    """Pairs of variants on the same chain whose means ns-2's own spread keeps apart, the better one first."""
    variants = [c for c in configurations() if c.case in {"C", "C-static"} and c.routing == routing]
    pairs = []
    for one, other in itertools.combinations(variants, 2):
        first, second = (c.reference["thr_kbps"] for c in (one, other))
        if one.hops == other.hops and abs(first.mean - second.mean) > first.ci95 + second.ci95:
            pairs.append((one, other) if first.mean > second.mean else (other, one))
    return pairs


def _ranked(routing: str) -> Callable[[Data], list[Finding]]:
    def judge(data: Data) -> list[Finding]:
        pairs = _comparable(routing)
        try:
            wrong = [
                f"{better.label} {number(high)}, {worse.label} {number(low)} kbit/s"
                for better, worse in pairs
                if (high := data[better.label].mean(better.throughput))
                <= (low := data[worse.label].mean(worse.throughput))
            ]
        except NoSamplesError as missing:
            return [Finding(Outcome.UNDECIDED, "", reason=str(missing))]
        words = f"{len(pairs) - len(wrong)} of {len(pairs)} pairs"
        return [Finding(Outcome.NOT_REPRODUCED if wrong else Outcome.REPRODUCED, "; ".join([words, *wrong]))]

    return judge


def _statements() -> Iterable[Statement]:
    for configuration in configurations():
        name = configuration.label
        only = _only(configuration)
        if "jain" in configuration.reference:
            total = _agrees("network.aggregate_kbps", configuration.reference["total_kbps"], TCP_TOLERANCE)
            spread = _spread_agrees(configuration.reference["jain"])
            yield Statement("total", f"{name}: throughput of both flows within 3 % of ns-2.", each(total, only=only))
            yield Statement(
                "jain",
                f"{name}: mean Jain index over the seeds within the 95 % interval of ns-2's.",
                each(spread, only=only),
            )
        else:
            tolerance = configuration.tolerance
            check = _agrees(configuration.throughput, configuration.reference["thr_kbps"], tolerance)
            text = f"{name}: throughput within {100 * tolerance:.0f} % of ns-2."
            yield Statement("thr", text, each(check, only=only))
    for routing, way in (("AODV", "over AODV"), ("static", "over fixed routes")):
        yield Statement(
            "ranking",
            f"Of two variants {way} (TCP version, ACK rule, RTS/CTS) on the same chain the same one carries more as in "
            "ns-2 (judged: means, where those of ns-2 differ by more than both their 95 % half widths).",
            _ranked(routing),
        )


def _numbered(statements: Iterable[Statement]) -> list[Statement]:
    return [Statement(f"c{i}", s.text, s.judge) for i, s in enumerate(statements, 1)]


def _deviations(data: Data) -> list[Chart]:
    """Relative deviation of the throughput from ns-2's, one mark for each configuration, by tolerance."""
    panels = []
    for title, tolerance in (
        ("TCP, fixed routes", TCP_TOLERANCE),
        ("UDP, fixed routes", UDP_TOLERANCE),
        ("AODV", AODV_TOLERANCE),
    ):
        names: list[float | str] = []
        values: list[float] = []
        errors: list[Any] = []
        for configuration in configurations():
            if configuration.tolerance != tolerance or configuration.label not in data:
                continue
            metric = "network.aggregate_kbps" if configuration.topology == "cross" else configuration.throughput
            reference = configuration.reference.get("thr_kbps") or configuration.reference["total_kbps"]
            try:
                measured = data[configuration.label].interval(metric)
            except NoSamplesError:
                continue
            half = error_bar(measured)
            names.append(configuration.label)
            values.append(100 * (measured.mean / reference.mean - 1))
            errors.append(100 * half / reference.mean if isinstance(half, float) else None)
        band = (-100 * tolerance, 100 * tolerance)
        panels.append(
            Panel(f"{title}, tolerance ±{100 * tolerance:.0f} %", [Line("", names, values, errors)], band=band)
        )
    return [
        Chart(
            "deviation-from-ns2",
            "Deviation of the mean throughput from that of ns-2.35 with 95 % intervals; the band is the tolerance.",
            "deviation (%)",
            "",
            panels,
            kind="dots",
        )
    ]


NS2 = Entry(
    key="validation.ns2",
    title="Profile ns2 against ns-2.35",
    source=SOURCE,
    item="all configurations",
    description="Each configuration that was measured with ns-2.35 runs here with 10 seeds of its own (the cross with "
    "40); the mean throughput must agree within 3 % (TCP) or 2 % (UDP) over fixed routes and within 5 % over AODV.",
    settings=[Setting(c.label, c.scenario()) for c in configurations()],
    quantities=[quantity for c in configurations() for quantity in _quantities(c)],
    statements=_numbered(_statements()),
    charts=_deviations,
    notes=[
        "Both simulators draw their own random numbers, so single runs differ; means are compared.",
        "Delay, jitter and loss are shown but not judged: they count packet copies, ns-2 at its agents.",
        "The ranking compares Tahoe, Reno, NewReno, SACK and Vegas, delayed ACKs, and RTS/CTS switched off.",
        "AODV runs with the parameter set ns2, the agent of ns-2.35 as distributed. Its routes break and come back at "
        "random, which spreads single runs wider than fixed routes do: hence 5 %.",
        "Vegas: ns-2's agent counts 40 B of headers into its 1460 B packets; throughput is compared as 1420 B each.",
    ],
)

ENTRIES = (NS2,)
