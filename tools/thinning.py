"""What the page of armaghani2008 shows besides its statements: all schemes, best windows, parts, causes.

Everything is computed from the runs of the study (`docs/_build/runs/armaghani2008`); the causes, which need a ledger,
and the window over time are runs of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import hopscope as hs
from hopscope.campaign.store import open_store
from hopscope.models.registry import model
from hopscope.reporting.chart import Chart, Line, Panel
from hopscope.reporting.plots import draw, save, styled
from hopscope.reporting.tables import table_of
from hopscope.results.comparisons import best
from hopscope.results.samples import Estimate, Run, Table, estimate
from hopscope.results.stats import number, rounded
from hopscope.studies.reproduce import recall, tables_of

STUDY = "armaghani2008"
FLOWS, WINDOW, HOPS = "flow.0.copies", "tcp.ack_every", "topology.hops"
CROWDS = (1, 2, 5, 10)
CHAINS = ("2 hops", "4 hops", "9 hops", "16 hops")
CONDITIONS = [(channel, rules) for rules in ("ns2", "standard") for channel in ("no errors", "Markov channel")]
BASE = "DA"
FIGURES = {
    "schemes": "Gains of all schemes over delayed ACKs",
    "over-time": "Data packets for one ACK, and exchanges tried again, over time",
}

#: Schemes whose gains are taken apart, and the numbers of flows and hops at which a ledger is kept.
EXPLAINED = ("TCP", "limited DA", "DCA", "DAA", "MDA", "d = 4")
LEDGERS = (("4 hops", "9 hops"), (1, 10))
#: Means that differ from the best one by less than this are called alike, per cent.
ALIKE = 1.0

Grid = tuple[Sequence[str], list[list[str]]]
"""Head and rows of a table."""


# --- Measures of a run ------------------------------------------------------------------------------------------------


def throughput(run: Run) -> float:
    """Payload in order of all flows, kbit/s."""
    return sum(flow["goodput_kbps"] for flow in run["flows"])


def merged(run: Run) -> float | None:
    """Data packets for one ACK."""
    acks = sum(flow["acks_sent"] for flow in run["flows"])
    return arrived(run) / acks if acks else None


def arrived(run: Run) -> float:
    """Data packets that arrived."""
    return float(sum(flow["received_packets"] for flow in run["flows"]))


def repeated(run: Run) -> float | None:
    """Exchanges tried again for one data packet that arrived, over all hops."""
    return sum(node["mac_retries"] for node in run["nodes"]) / arrived(run) if arrived(run) else None


def timeouts(run: Run) -> float:
    """Timeouts of all flows for 1000 data packets that arrived."""
    return 1000 * sum(flow["timeouts"] for flow in run["flows"]) / max(1.0, arrived(run))


def given_up(run: Run) -> float:
    """Packets that MACs gave up for 1000 data packets that arrived."""
    return 1000 * float(run["network"]["mac_retry_drops"]) / max(1.0, arrived(run))


def needless(name: str) -> Callable[[Run], float]:
    """Of all flows for 1000 data packets that arrived: `spurious_timeouts` or `needless_retransmissions`."""
    return lambda run: 1000 * sum(flow[name] for flow in run["flows"]) / max(1.0, arrived(run))


def middle(name: str) -> Callable[[Run], float | None]:
    """Mean over the flows that have one: `mean_ack_window`, `mean_burst` or `burstiness`."""

    def value(run: Run) -> float | None:
        known = [flow[name] for flow in run["flows"] if flow[name] is not None]
        return sum(known) / len(known) if known else None

    return value


def gain(table: Table, base: Table, at: Mapping[str, Any], metric: Callable[[Run], float | None]) -> Estimate:
    """By how many per cent a table is above another at a place, paired by seed."""
    here, there = table.by_replica(metric, at), base.by_replica(metric, at)
    return estimate([100 * (here[name] / there[name] - 1) for name in here.keys() & there.keys() if there[name]])


def ceiling(table: Table, base: Table, at: Mapping[str, Any]) -> float:
    """What the airtime of the ACKs that are not sent can give at most, per cent."""
    dcf = model("dcf-throughput")
    # Exchanges of an ACK and of a data packet of 1460 bytes, with RTS.
    ack, packet = (dcf(packet=size, rts=True)["cycle_us"] for size in (40, 1500))
    assert ack is not None
    assert packet is not None
    before, after = (1 + ack / packet / one.mean(merged, at) for one in (base, table))
    return 100 * (before / after - 1)


def exceeds(value: Estimate, most: float) -> bool:
    """Whether a gain is beyond what airtime gives, and beyond noise."""
    return not is_noise(value) and value.mean - (value.ci95 or 0.0) > max(most, 0.0)


def is_noise(value: Estimate) -> bool:
    """Whether zero lies in the interval."""
    return value.ci95 is None or abs(value.mean) <= value.ci95


def shown(value: Estimate) -> str:
    """A gain in per cent; in brackets where it is noise."""
    text = f"{'+' if value.mean > 0 else ''}{rounded(value.mean, value.ci95)}"
    return f"({text})" if is_noise(value) else text


# --- All schemes ------------------------------------------------------------------------------------------------------


class Schemes:
    """The runs of the entry `schemes`."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self.tables = tables
        self.names = list(dict.fromkeys(label.split(", ")[0] for label in tables))

    def table(self, scheme: str, chain: str, channel: str, rules: str) -> Table:
        """The runs of a scheme."""
        return self.tables[f"{scheme}, {chain}, {channel}, {rules}"]

    def gains(self, scheme: str, channel: str, rules: str) -> list[Estimate]:
        """Gains over delayed ACKs by chain and number of flows."""
        return [
            gain(self.table(scheme, chain, channel, rules), self.table(BASE, chain, channel, rules), at, throughput)
            for chain in CHAINS
            for at in ({FLOWS: flows} for flows in CROWDS)
        ]

    def grid(self, channel: str, rules: str) -> Grid:
        """Gains of every scheme under one condition, each with its ceiling; those beyond it with an asterisk."""
        places = [(chain, {FLOWS: flows}) for chain in CHAINS for flows in CROWDS]
        rows = []
        for scheme in self.names:
            if scheme == BASE:
                continue
            row = [scheme]
            for (chain, at), found in zip(places, self.gains(scheme, channel, rules), strict=True):
                most = ceiling(self.table(scheme, chain, channel, rules), self.table(BASE, chain, channel, rules), at)
                row.append(f"{shown(found)} [{most:.1f}]{'*' if exceeds(found, most) else ''}")
            rows.append(row)
        return ["gain (%) [ceiling]", *(f"{chain}, {at[FLOWS]} fl." for chain, at in places)], rows

    def tally(self) -> Grid:
        """How often each scheme wins, and by how much at most and at least."""
        rows = []
        for scheme in self.names:
            if scheme == BASE:
                continue
            found = [value for condition in CONDITIONS for value in self.gains(scheme, *condition)]
            reported = [value for value in found if not is_noise(value)]
            wins, losses = [v for v in reported if v.mean > 0], [v for v in reported if v.mean < 0]
            ends = max(found, key=lambda v: v.mean), min(found, key=lambda v: v.mean)
            middle = float(np.median([value.mean for value in found]))
            counts = [str(len(wins)), str(len(found) - len(reported)), str(len(losses))]
            rows.append([scheme, *counts, f"{middle:+.1f}", *map(shown, ends)])
        return ["scheme", "more", "noise", "less", "median gain (%)", "largest", "least"], rows

    def figure(self) -> Figure:
        """All gains as a map: schemes by places, one panel a condition; noise is left white."""
        others = [scheme for scheme in self.names if scheme != BASE]
        with styled():
            figure = Figure(figsize=(12.5, 9.0), layout="constrained")
            axes = figure.subplots(2, 2, sharex=True, sharey=True).flat
            for ax, (channel, rules) in zip(axes, CONDITIONS, strict=True):
                rows = [self.gains(scheme, channel, rules) for scheme in others]
                means = np.array([[np.nan if is_noise(value) else value.mean for value in row] for row in rows])
                drawn = ax.imshow(means, cmap="PuOr", vmin=-25, vmax=25, aspect="auto")
                ax.grid(visible=False)
                for y, row in enumerate(rows):
                    for x, value in enumerate(row):
                        colour = "white" if not is_noise(value) and abs(value.mean) > 15 else "#333333"
                        text = "·" if is_noise(value) else f"{round(value.mean)}"
                        ax.text(x, y, text, ha="center", va="center", fontsize=7.5, color=colour)
                for border in range(len(CROWDS), len(CROWDS) * len(CHAINS), len(CROWDS)):
                    ax.axvline(border - 0.5, color="#444444", lw=0.8)
                ax.set_title(f"{channel}, {'IEEE and RFC' if rules == 'standard' else rules} rules")
                if rules == CONDITIONS[-1][1]:
                    ax.set_xlabel("flows")
                ax.set_yticks(range(len(others)), others)
                ax.set_xticks(
                    range(len(CROWDS) * len(CHAINS)),
                    [f"{flows}\n{chain}" if flows == CROWDS[1] else str(flows) for chain in CHAINS for flows in CROWDS],
                )
            figure.colorbar(drawn, ax=list(figure.axes), label="gain over delayed ACKs (%)", shrink=0.6)
        return figure

    def ceilings(self) -> Grid:
        """Each gain against what saved airtime alone can give, and what else changed (ns-2's rules, no errors)."""
        rows = []
        for chain in CHAINS:
            for flows in (1, 10):
                at, base = {FLOWS: flows}, self.table(BASE, chain, "no errors", "ns2")
                for scheme in EXPLAINED:
                    own = self.table(scheme, chain, "no errors", "ns2")
                    most, found = ceiling(own, base, at), gain(own, base, at, throughput)
                    changes = [
                        f"{number(base.mean(metric, at))} to {number(own.mean(metric, at))}"
                        for metric in (repeated, timeouts, given_up)
                    ]
                    packets = f"{own.mean(merged, at):.2f} ({base.mean(merged, at):.2f})"
                    name = [chain, str(flows), scheme, packets, f"{most:+.1f}", shown(found)]
                    rows.append([*name, "beyond" if exceeds(found, most) else "", *changes])
        head = ["chain", "flows", "scheme", "packets an ACK (DA)", "ceiling (%)", "gain (%)", ""]
        return [*head, "repetitions a packet", "timeouts a 1000", "given up a 1000"], rows

    def pace(self) -> Grid:
        """What thinning makes of the sender's pace, and what is done for nothing (ns-2's rules, no errors)."""
        measures = {
            "delay window": middle("mean_ack_window"),
            "burst (packets)": middle("mean_burst"),
            "burstiness": middle("burstiness"),
            "timeouts a 1000": timeouts,
            "of these spurious": needless("spurious_timeouts"),
            "needless repetitions a 1000": needless("needless_retransmissions"),
        }
        rows = []
        for chain in CHAINS:
            for flows in (1, 10):
                for scheme in (BASE, *EXPLAINED):
                    table, at = self.table(scheme, chain, "no errors", "ns2"), {FLOWS: flows}
                    cells = [number(table.mean(metric, at)) for metric in measures.values()]
                    rows.append([chain, str(flows), scheme, *cells])
        return ["chain", "flows", "scheme", *measures], rows


# --- Fixed windows, and parts -----------------------------------------------------------------------------------------


def windows(tables: Mapping[str, Table]) -> Grid:
    """The best fixed window for each path length, what is as good within noise, and within a per cent."""
    crowds = ("1 flow", "5 flows", "20 flows")
    rows = []
    for hops in tables[crowds[0]].values(HOPS):
        cells = []
        for crowd in crowds:
            table = tables[crowd]
            peak = best(table, WINDOW, throughput, {HOPS: hops})
            curve = dict(table.curve(WINDOW, throughput, {HOPS: hops}))
            near = [at for at, value in curve.items() if value.mean >= (1 - ALIKE / 100) * peak.top.mean]
            cells += [
                f"{peak.at} ({rounded(peak.top.mean, peak.top.ci95)})",
                ", ".join(str(at) for at in peak.ties if at != peak.at) or "none",
                ", ".join(str(at) for at in near if at != peak.at) or "none",
            ]
        rows.append([str(hops), *cells])
    head = [f"{crowd}: {what}" for crowd in crowds for what in ("best (kbit/s)", "indistinguishable", "within 1 %")]
    return ["hops", *head], rows


def oracle(tables: Mapping[str, Table], schemes: Schemes) -> list[str]:
    """The gain of the best fixed window of each place over delayed ACKs, with that window: no receiver can know it."""
    cells = ["best fixed d"]
    for chain in CHAINS:
        base = schemes.table(BASE, chain, *CONDITIONS[0])
        for flows in CROWDS:
            table, place = tables["1 flow" if flows == 1 else f"{flows} flows"], {HOPS: int(chain.split()[0])}
            window = best(table, WINDOW, throughput, place).at
            here, there = (
                table.by_replica(throughput, {**place, WINDOW: window}),
                base.by_replica(throughput, {FLOWS: flows}),
            )
            found = estimate([100 * (here[seed] / there[seed] - 1) for seed in here.keys() & there.keys()])
            cells.append(f"{shown(found)} (d = {window})")
    return cells


def parts(tables: Mapping[str, Table]) -> Grid:
    """What each part of DAA and MDA gains over delayed ACKs."""
    names = list(dict.fromkeys(label.rpartition(", ")[0] for label in tables))
    rows = []
    for name in names:
        if name != BASE:
            places = [(chain, {FLOWS: flows}) for chain in CHAINS[1:] for flows in CROWDS]
            cells = [gain(tables[f"{name}, {c}"], tables[f"{BASE}, {c}"], at, throughput) for c, at in places]
            rows.append([name, *map(shown, cells)])
    return ["gain (%)", *(f"{chain}, {flows} fl." for chain in CHAINS[1:] for flows in CROWDS)], rows


# --- Causes -----------------------------------------------------------------------------------------------------------

#: What the nodes did, as the table of causes calls it.
CAUSES = {
    "data": ("data", "data-again"),
    "ACKs": ("transport-ack",),
    "RTS, CTS, MAC ACK": ("rts", "cts", "mac-ack"),
    "lost: hidden": ("retry-hidden",),
    "lost: other": ("retry-collision", "retry-overlap", "retry-channel", "retry-no-answer"),
    "no answer": ("response-timeout",),
}


def spent(names: Iterable[str]) -> Callable[[Run], float]:
    """Milliseconds that all nodes spent so for one data packet that arrived."""
    wanted = tuple(names)

    def value(run: Run) -> float:
        total = sum(node["ns"].get(name, 0) for node in run["ledger"]["nodes"] for name in wanted)
        return 1e-6 * total / max(1.0, arrived(run))

    return value


def acks_on_air(run: Run) -> float | None:
    """Per cent of all time on the air that frames with ACKs took."""
    share: float | None = run["network"]["ack_airtime_pct"]
    return share


def waiting(run: Run) -> float:
    """Per cent of the time in which the source waits for its retransmission timer."""
    return 100 * run["ledger"]["nodes"][0]["ns"].get("timeout", 0) / run["ledger"]["duration_ns"]


def causes(documents: Mapping[str, Mapping[str, Any]], runs: Path) -> Grid:
    """Time on the air for one data packet that arrived, by cause, with and without thinning."""
    chains, crowds = LEDGERS
    keys = [(chain, scheme) for chain in chains for scheme in (BASE, *EXPLAINED)]
    scenarios = []
    for chain, scheme in keys:
        document = {**documents[f"{scheme}, {chain}, no errors, ns2"], "explain": True, "sweep": {FLOWS: list(crowds)}}
        scenarios.append(hs.Scenario(document))
    tables = dict(zip(keys, map(table_of, hs.run_scenarios(scenarios, store=runs)), strict=True))
    rows = []
    for chain in chains:
        for flows in crowds:
            for scheme in (BASE, *EXPLAINED):
                table, at = tables[chain, scheme], {FLOWS: flows}
                air = [f"{table.mean(spent(names), at):.2f}" for names in CAUSES.values()]
                share = f"{table.mean(acks_on_air, at):.1f}"
                rows.append([chain, str(flows), scheme, *air, share, f"{table.mean(waiting, at):.1f}"])
    head = ["chain", "flows", "scheme", *(f"{name} (ms)" for name in CAUSES)]
    return [*head, "ACKs of all time on the air (%)", "source in timeout (%)"], rows


# --- The window over time ---------------------------------------------------------------------------------------------

#: Estimators with the threshold that divides the two loads.
ESTIMATORS: Mapping[str, Mapping[str, Any]] = {
    "data frames, threshold 0.2": {},
    "data frames without RTS, threshold 0.2": {"mac.rts_threshold": "off"},
    "failed RTS, threshold 0.5": {"mac.collision_signal": "rts", "tcp.mda_threshold": 0.5},
    "busy time, threshold 0.5": {"mac.collision_signal": "busy", "tcp.mda_threshold": 0.5},
}
#: Seconds of the run, of an interval, and in which UDP sends.
TIME, STEP, LOADED = 120, 5, (40, 80)


def over_time(chain: Mapping[str, Any], runs: Path) -> Figure:
    """Data packets for one ACK of MDA, and what its MACs repeat, while UDP comes and goes.

    Runs measured from ever later on, as `warmup` has it, differ by what happens in one interval.
    """
    flow = {**chain["flow"][0], "ack": "mda", "app": "cbr", "rate": "120kbps"}
    load = {"from": 0, "to": "last", "transport": "udp", "app": "cbr", "rate": "200kbps", "packet": 1460}
    load |= {"start": f"{LOADED[0]}s", "stop": f"{LOADED[1]}s"}
    starts = list(range(0, TIME, STEP))
    document = {**chain, "duration": f"{TIME}s", "seeds": 5, "flow": [flow, load]}
    document["sweep"] = {"warmup": [f"{start}s" for start in starts]}
    scenarios = [hs.Scenario(document).replace(changes) for changes in ESTIMATORS.values()]
    panels: list[list[Line]] = [[], []]
    for name, result in zip(ESTIMATORS, hs.run_scenarios(scenarios, store=runs), strict=True):
        counted = np.array([[_counts(run) for run in point.runs] for point in result.points] + [[(0,) * 4] * 5])
        packets, acks, again, taken = np.moveaxis(counted[:-1] - counted[1:], 2, 0)
        places = [start + STEP / 2 for start in starts]
        panels[0].append(Line(name, places, (packets.sum(axis=1) / acks.sum(axis=1)).tolist()))
        panels[1].append(Line(name, places, (again.sum(axis=1) / taken.sum(axis=1)).tolist()))
    titles = ("data packets for one ACK", "exchanges tried again for one packet and hop")
    both = [Panel(title, lines) for title, lines in zip(titles, panels, strict=True)]
    return draw(Chart("over-time", "", "time (s)", "", both, own_axes=True))


def _counts(run: Run) -> tuple[int, int, int, int]:
    """Packets and ACKs of the first flow, exchanges tried again and packets of all MACs."""
    first, nodes = run["flows"][0], run["nodes"]
    again, taken = (sum(node[name] for node in nodes) for name in ("mac_retries", "mac_packets"))
    return first["received_packets"], first["acks_sent"], again, taken


# --- The page ---------------------------------------------------------------------------------------------------------


def thinning(runs: Path, target: Path) -> dict[str, Grid]:
    """Every table of the page by name; draws its figure, too."""
    whole = recall(open_store(runs / STUDY))
    assert whole is not None
    entries = {one.entry.key.partition(".")[2]: one.entry for one in whole.entries}
    tables = {one.entry.key.partition(".")[2]: tables_of(one.entry, one.results) for one in whole.entries}
    schemes = Schemes(tables["schemes"])
    save(schemes.figure(), target, f"{STUDY}-schemes", ["svg"])
    found = {f"schemes-{place}": schemes.grid(*condition) for place, condition in enumerate(CONDITIONS, 1)}
    fixed = tables["claim-optimal-dwin"]
    found["schemes-1"][1].append(oracle(fixed, schemes))
    documents = {setting.label: setting.scenario for setting in entries["schemes"].settings}
    chain = {key: value for key, value in documents["DA, 4 hops, no errors, ns2"].items() if key != "sweep"}
    save(over_time(chain, runs / f"{STUDY}-over-time"), target, f"{STUDY}-over-time", ["svg"])
    return {
        **found,
        "tally": schemes.tally(),
        "ceilings": schemes.ceilings(),
        "pace": schemes.pace(),
        "windows": windows(fixed),
        "parts": parts(tables["parts"]),
        "causes": causes(documents, runs / f"{STUDY}-causes"),
    }
