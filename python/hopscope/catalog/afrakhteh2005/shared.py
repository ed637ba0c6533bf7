"""What the experiments of afrakhteh2005 share: the chain, its flows, and the settings the thesis leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hopscope.report.chart import Chart, Mark
from hopscope.results.samples import Data, Estimate, Metric, NoSamplesError, Run, Table, Where, estimate
from hopscope.studies.charts import sweep
from hopscope.studies.entry import Quantity, Setting
from hopscope.studies.judge import Check, each, mean_of
from hopscope.studies.verdict import Finding

SOURCE = "V. Afrakhteh, M.A.Sc. thesis, Concordia University, 2005"

HOPS = "topology.hops"
RATE = "flow.0.rate"
TRANSPORT = "flow.0.transport"
ACK = "flow.0.ack"
PACKET = "flow.0.packet"
QUEUE = "mac.queue"
RTS = "mac.rts_threshold"
PER = "radio.error.per"
THROUGHPUT = "flow.0.throughput_kbps"
DELAY = "flow.0.delay_ms"
JITTER = "flow.0.jitter_ms"
LOSS = "flow.0.loss_pct"

SIX = [1, 2, 3, 4, 5, 6]
"""Numbers of hops of the thesis."""

QUICK: dict[str, Any] = {"duration": "10s"}
"""What `--quick` changes in every experiment: the thesis has many settings, and so many runs."""

PAYLOAD = 1480
NETWORK_PACKET = 1500

_PLCP_2M = {"plcp_bits_1m": 0, "plcp_bits_2m": 192}

SETTINGS: dict[str, dict[str, Any]] = {
    "RTS on, control 1M": {"mac": {"rts_threshold": 0}, "radio": {}},
    "RTS on, control 2M": {"mac": {"rts_threshold": 0}, "radio": {"basic_rate": "2Mbps"}},
    "RTS on, control+PLCP 2M": {"mac": {"rts_threshold": 0}, "radio": {"basic_rate": "2Mbps", **_PLCP_2M}},
    "RTS off, control 1M": {"mac": {"rts_threshold": "off"}, "radio": {}},
    "RTS off, control 2M": {"mac": {"rts_threshold": "off"}, "radio": {"basic_rate": "2Mbps"}},
    "RTS off, control+PLCP 2M": {"mac": {"rts_threshold": "off"}, "radio": {"basic_rate": "2Mbps", **_PLCP_2M}},
}
"""Candidate settings: RTS/CTS, rate of control frames, rate of the PLCP header (1 Mbit/s unless said)."""

MAIN = ("RTS on, control 1M", "RTS on, control+PLCP 2M", "RTS off, control 2M")
"""Three of them for experiments with one more axis: ns-2's own default, the one whose TCP throughput over one hop comes
closest to the published 1438 kbit/s, and the one whose UDP capacity is the published 1730 kbit/s (experiments 1 and
6)."""

MAIN_NOTE = (
    "Three of the six candidate settings of experiments 1 and 6 run here, the same three in all experiments with "
    "several axes: ns-2's default, and the two that come closest to the published capacity of one hop for TCP and UDP."
)

FIXED = "fixed routes: "
"""Labels of studies that repeat a setting without AODV, for contrast, begin so."""

VERSIONS: dict[str, Where] = {
    "Tahoe": {TRANSPORT: "tcp-tahoe", ACK: "every"},
    "Reno": {TRANSPORT: "tcp-reno", ACK: "every"},
    "NewReno": {TRANSPORT: "tcp-newreno", ACK: "every"},
    "SACK": {TRANSPORT: "tcp-sack", ACK: "every"},
    "Vegas": {TRANSPORT: "tcp-vegas", ACK: "every"},
    "DACK": {TRANSPORT: "tcp-newreno", ACK: "ns2-delack"},
    "SACK+DACK": {TRANSPORT: "tcp-sack", ACK: "ns2-delack"},
}
"""The TCP versions that the thesis compares, as swept values; DACK is NewReno with a receiver that delays its ACKs."""

VERSION_AXES: dict[str, list[Any]] = {
    TRANSPORT: ["tcp-tahoe", "tcp-reno", "tcp-newreno", "tcp-sack", "tcp-vegas"],
    ACK: ["every", "ns2-delack"],
}

VERSION_NOTE = (
    "The thesis does not say which version its DACK builds on; NewReno is taken. The sweep crosses all versions with "
    "both receivers, so DACK over Tahoe, Reno and Vegas is in the results, too."
)

UNRECORDED = "stated in the thesis; the value is not recorded here"
"""Source of a quantity whose published value this catalogue leaves empty."""

SETTING_NOTES = (
    "The thesis names RTS/CTS as its default but not the rates of control frames and PLCP header; all six "
    "combinations run, unchanged otherwise, and each statement names those that fit. Nothing is tuned.",
    "Routes come from AODV with the parameter set ns2: the MAC tells of link failures and no HELLOs are sent. The "
    "thesis names AODV but not how it detected failures.",
    "Profile ns2 repeats ns-2.35; the thesis used 2.27, whose MAC header was 6 bytes shorter (24 us less per frame).",
    "UDP throughput counts 1480 B of payload per packet; counting the 1500 B IP packet multiplies it by 1500/1480, "
    'shown as "counting 1500 B".',
)


def cbr(rate: str) -> dict[str, Any]:
    """A CBR flow over the whole chain, in packets of 1480 B."""
    return {"from": 0, "to": "last", "transport": "udp", "app": "cbr", "rate": rate, "packet": PAYLOAD}


def tcp(**changes: Any) -> dict[str, Any]:
    """The TCP flow of experiment 1 over the whole chain."""
    flow = {"from": 0, "to": "last", "transport": "tcp-newreno", "packet": 1460, "max_window": 20}
    return {**flow, "ack_delay": "200ms", **changes}


def chain(label: str, **changes: Any) -> dict[str, Any]:
    """The scenario all experiments of the thesis start from."""
    return {
        "title": f"afrakhteh2005 {label}",
        "duration": "300s",
        "seeds": 5,
        "profile": "ns2",
        "topology": {"kind": "chain", "hops": 1, "spacing": "200m"},
        "radio": {"preset": "wavelan-2M"},
        "mac": {"rts_threshold": 0, "queue": 50},
        "routing": {"protocol": "aodv"},
        **changes,
    }


def candidates(
    scenario: Mapping[str, Any],
    quick: Mapping[str, Any] | None = None,
    *,
    prefix: str = "",
    settings: Iterable[str] = tuple(SETTINGS),
) -> list[Setting]:
    """The scenario under every candidate setting; labels are the names of the settings behind `prefix`."""
    shorter = {**QUICK, **(quick or {})}
    return [
        Setting(f"{prefix}{label}", under(scenario, label, f"{prefix}{label}"), shorter, row=prefix, reading=label)
        for label in settings
    ]


def fixed_routes(scenario: Mapping[str, Any], setting: str, *, prefix: str = "") -> Setting:
    """The scenario in one setting over fixed routes, for contrast: what AODV costs."""
    label = f"{FIXED}{prefix}{setting}"
    document = {**under(scenario, setting, label), "routing": {"protocol": "static"}}
    return Setting(label, document, QUICK, decides=False)


def under(scenario: Mapping[str, Any], setting: str, title: str) -> dict[str, Any]:
    """The scenario under one candidate setting."""
    changed = {name: {**scenario.get(name, {}), **keys} for name, keys in SETTINGS[setting].items()}
    return {**scenario, **changed, "title": f"{scenario['title']}, {title}"}


def counting_network_packet(run: Run) -> float:
    """UDP throughput that counts the 1500 B IP packet instead of 1480 B of payload, kbit/s."""
    return float(run["flows"][0]["throughput_kbps"]) * NETWORK_PACKET / PAYLOAD


def some(check: Check) -> Callable[[Data], list[Finding]]:
    """Passes when some candidate setting satisfies the check; fixed routes are judged beside them, for contrast."""

    def judge(data: Data) -> list[Finding]:
        candidates_only = each(check, only=lambda label: not label.startswith(FIXED))
        return [*candidates_only(data), *each(check, only=lambda label: label.startswith(FIXED))(data)]

    return judge


def quantities(rows: Sequence[tuple[str, str, Metric, Where, float | None, str]]) -> list[Quantity]:
    """Quantities from rows of label, unit, metric, swept values, published value, source."""
    return [
        Quantity(label, unit, mean_of(metric, where), published, source)
        for label, unit, metric, where, published, source in rows
    ]


def change(metric: Metric, first: Where, second: Where, *, sign: int = 1) -> Callable[[Table], Estimate | None]:
    """The measure of a `Quantity`: by how many per cent a metric changes between two points, paired by seed."""

    def measure(table: Table) -> Estimate | None:
        try:
            before, after = table.by_seed(metric, first), table.by_seed(metric, second)
            changes = [100 * sign * (after[seed] / before[seed] - 1) for seed in before.keys() & after.keys()]
            return estimate(changes)
        except (NoSamplesError, ZeroDivisionError):
            return None

    return measure


def over_hops(metric: Metric, table: Table, where: Where | None = None, hops: Sequence[int] = SIX) -> list[float]:
    """Means of a metric over the hops."""
    return [table.mean(metric, {**(where or {}), HOPS: h}) for h in hops]


def path(hops: int) -> str:
    """A number of hops in words."""
    return "1 hop" if hops == 1 else f"{hops} hops"


PLOTS = (
    ("throughput", "kbit/s", THROUGHPUT),
    ("delay", "ms", DELAY),
    ("jitter", "ms", JITTER),
    ("loss", "%", LOSS),
)
"""Stem, unit and metric of the four figures of an experiment."""


def four_charts(
    data: Data,
    *,
    x: str,
    xlabel: str,
    subject: str,
    marks: Mapping[str, tuple[Sequence[float], Sequence[float]]] | None = None,
    plots: Sequence[tuple[str, str, Metric]] = PLOTS,
    **options: Any,
) -> list[Chart]:
    """Throughput, delay, jitter and loss over one axis.

    Args:
        data: tables of the entry.
        x: swept key on the horizontal axis.
        xlabel: its label.
        subject: whose throughput, delay, ... it is, for the caption.
        marks: published values by stem: positions and values.
        plots: stem, unit and metric of each figure.
        options: passed on to `sweep`.
    """
    published = marks or {}
    return [
        sweep(
            data,
            name=f"{stem}-over-{xlabel.partition(' (')[0].replace(' ', '-')}",
            caption=f"{stem.capitalize()} of {subject}.",
            x=x,
            y=metric,
            xlabel=xlabel,
            ylabel=f"{stem} ({unit})",
            marks=[Mark("published", *published[stem])] if stem in published else [],
            **options,
        )
        for stem, unit, metric in plots
    ]
