"""validation.models: the engine beside the closed-form models, each where its assumptions hold.

One hop and stop-and-wait chains against the clauses' frame times, greedy chains against the bound of spatial reuse,
cells with a retry limit against Bianchi's model, TCP under random loss against the formulas of Mathis and Padhye.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hopscope.catalog.validation_theory import ACK_RATE, IP_PACKET, UDP_PAYLOAD, cell, network_throughput
from hopscope.models.registry import model
from hopscope.report.chart import Chart, Line, Panel
from hopscope.results.comparisons import Verdict
from hopscope.results.samples import Data, Estimate, Metric, NoSamplesError, Run, Table, Where, show
from hopscope.results.stats import number
from hopscope.studies.charts import error_bar
from hopscope.studies.entry import Entry, Quantity, Setting, Statement
from hopscope.studies.judge import Check, each, every, mean_of, within

THROUGHPUT = "flow.0.throughput_kbps"
HOPS, PRESET, RTS, LOSS = "topology.hops", "radio.preset", "mac.rts_threshold", "radio.error.per"

HOP_TOLERANCE, WAIT_TOLERANCE, SHORT_TOLERANCE, CELL_TOLERANCE = 0.005, 0.02, 0.05, 0.02
MATHIS_TOLERANCE, PADHYE_TOLERANCE, COLLISION_TOLERANCE = 0.10, 0.15, 0.05


def output(name: str, what: str = "throughput_kbps", **values: Any) -> float:
    """An output of a model that is a number."""
    found = model(name)(**values)[what]
    assert found is not None
    return found


def ip_throughput(run: Run) -> float:
    """Throughput of the first flow counting 1500 B IP packets, kbit/s."""
    return float(run["flows"][0]["throughput_kbps"]) * IP_PACKET / UDP_PAYLOAD


# --- What is run ----------------------------------------------------------------------------------------------------

#: Preset -> (PHY, data rate, rate of RTS, CTS and ACK).
PRESETS = {
    "dsss-1M": ("dsss", 1_000_000, 1_000_000),
    "dsss-2M": ("dsss", 2_000_000, 1_000_000),
    "hr-dsss-5.5M": ("dsss", 5_500_000, 1_000_000),
    "hr-dsss-11M": ("dsss", 11_000_000, 1_000_000),
}

_GREEDY = {"from": 0, "to": "last", "transport": "udp", "app": "bulk", "packet": UDP_PAYLOAD}

ONE_HOP = Setting(
    "one hop",
    {
        "title": "validation.models one hop",
        "duration": "31s",
        "warmup": "1s",
        "seeds": 5,
        "profile": "standard",
        "topology": {"kind": "chain", "hops": 1, "spacing": "5m"},
        # Every control frame at 1 Mbit/s.
        "radio": {"preset": "dsss-2M", "basic_rate": "1Mbps", "response_rates": [1_000_000]},
        "flow": [_GREEDY],
        "sweep": {PRESET: list(PRESETS), RTS: ["off", 0]},
    },
)

WAIT_HOPS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48]
CHAIN_HOPS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24]
_CHAIN = {
    "seeds": 5,
    "profile": "standard",
    "topology": {"kind": "chain", "hops": 7},
    "radio": {"preset": "wavelan-2M"},
    "mac": {"rts_threshold": 0},
    "net": {"ttl": 64},
}

ONE_PACKET = Setting(
    "one packet at a time",
    {
        **_CHAIN,
        "title": "validation.models one packet at a time",
        "duration": "65s",
        "warmup": "5s",
        "flow": [{"from": 0, "to": "last", "transport": "tcp-newreno", "packet": 1460, "max_window": 1}],
        "sweep": {HOPS: WAIT_HOPS},
    },
)


def _greedy(profile: str) -> Setting:
    label = f"greedy chain, {profile}"
    return Setting(
        label,
        {
            **_CHAIN,
            "title": f"validation.models {label}",
            "profile": profile,
            "duration": "65s",
            "warmup": "5s",
            "flow": [_GREEDY],
            "sweep": {HOPS: CHAIN_HOPS},
        },
        {"sweep": {HOPS: [1, 3, 12]}},
    )


GREEDY_STANDARD, GREEDY_NS2 = _greedy("standard"), _greedy("ns2")

ATTEMPTS = 7
CELL_RATE = 2_000_000
CELLS = {stations: cell(stations, CELL_RATE, entry="validation.models", attempts=ATTEMPTS) for stations in (10, 30)}

#: Senders three hops apart do not sense one another, and their receivers capture the nearer one's frames.
REUSE = 3

LI_TOLERANCE = 0.25

LOSSES = [0.001, 0.003, 0.01, 0.03, 0.1]
SEGMENT, LINK_DELAY = 1000, 0.025
MIN_RTO = 1.0


def _lossy(transport: str) -> Setting:
    label = f"{transport} under loss"
    return Setting(
        label,
        {
            "title": f"validation.models {label}",
            "duration": "610s",
            "warmup": "10s",
            "seeds": 5,
            "profile": "standard",
            "topology": {"kind": "chain", "hops": 1, "spacing": "5m"},
            # Data frames of one direction are lost at random, and the MAC does not send them again.
            "radio": {
                "preset": "ofdm-54M",
                "error": {"kind": "uniform", "per": 0.01, "applies_to": "data", "links": [[0, 1]]},
            },
            "mac": {"rts_threshold": "off", "short_retry_limit": 1, "long_retry_limit": 1, "queue": 1000},
            # Twice on the way of each packet: a round trip of 100 ms that does not depend on the window.
            "net": {"link_delay": f"{1000 * LINK_DELAY:g}ms"},
            "flow": [{"from": 0, "to": 1, "transport": transport, "packet": SEGMENT, "max_window": 1000}],
            "sweep": {LOSS: LOSSES},
        },
    )


SACK, RENO = _lossy("tcp-sack"), _lossy("tcp-reno")


# --- What the models say --------------------------------------------------------------------------------------------


def hop_model(preset: str, rts: object) -> float:
    """Throughput of one hop, kbit/s of IP packets."""
    phy, rate, control = PRESETS[preset]
    return output("dcf-throughput", packet=IP_PACKET, phy=phy, rate=rate, control_rate=control, rts=rts == 0)


def wait_model(hops: float) -> float:
    """Throughput of TCP with a window of one, kbit/s."""
    return output("stop-and-wait", hops=int(hops), payload=1460, rts=True)


def chain_model(hops: float) -> float:
    """The bound of spatial reuse, kbit/s of IP packets."""
    return output("chain-capacity", hops=int(hops), packet=IP_PACKET, rts=True)


def cell_model(stations: int, what: str = "throughput_kbps") -> float:
    """Bianchi's model with the retry limit of the cells."""
    return output(
        "bianchi", what, stations=stations, packet=IP_PACKET, rate=CELL_RATE, control_rate=ACK_RATE,
        retry_limit=ATTEMPTS, back_to_back=True,
    )  # fmt: skip


def round_trip() -> float:
    """Seconds of a round trip of an uncontended segment and its ACK: the four delays and two exchanges."""
    exchanges = sum(
        output("dcf-throughput", "cycle_us", packet=size + 40, phy="ofdm", rate="54Mbps", control_rate="24Mbps")
        for size in (SEGMENT, 0)
    )
    return 4 * LINK_DELAY + exchanges / 1e6


def mathis_model(loss: float) -> float:
    """Mathis's formula, kbit/s."""
    return output("mathis", mss=SEGMENT, rtt=round_trip(), loss=loss)


def padhye_model(loss: float) -> float:
    """Padhye's full model, kbit/s."""
    return output("padhye", mss=SEGMENT, rtt=round_trip(), loss=loss, rto=MIN_RTO)


def collision_probability(run: Run) -> float:
    """Collision probability of an attempt, from the share of frames given up after all attempts collided."""
    drops = float(run["network"]["mac_retry_drops"])
    received = sum(float(flow["received_packets"]) for flow in run["flows"])
    return float((drops / (drops + received)) ** (1 / ATTEMPTS))


# --- Judging --------------------------------------------------------------------------------------------------------


def _agree(
    metric: Metric, places: Sequence[tuple[str, Where, float]], tolerance: float
) -> Callable[[Table], tuple[Verdict, str]]:
    """Every place within a tolerance of its model; the words name the largest deviation."""

    def check(table: Table) -> tuple[Verdict, str]:
        verdicts: list[Verdict] = []
        words = []
        for name, where, expected in places:
            try:
                found = table.interval(metric, where)
            except NoSamplesError:
                continue  # a quick run has fewer places
            verdicts.append(within(found, expected, tolerance))
            words.append((abs(found.mean / expected - 1), f"{name}: {100 * (found.mean / expected - 1):+.2f} %"))
        if not words:
            raise NoSamplesError("none of the places was run")
        worst = max(words)
        return every(verdicts), f"{len(words)} values; largest deviation {worst[1]}"

    return check


def _hop_places() -> list[tuple[str, Where, float]]:
    return [
        (f"{preset} {'with' if rts == 0 else 'without'} RTS", {PRESET: preset, RTS: rts}, hop_model(preset, rts))
        for preset in PRESETS
        for rts in ("off", 0)
    ]


def _over(
    key: str, values: Sequence[Any], function: Callable[[Any], float], unit: str
) -> list[tuple[str, Where, float]]:
    return [(f"{value:g}{unit}", {key: value}, function(value)) for value in values]


def _below_the_bound(table: Table) -> tuple[Verdict, str]:
    shares = [(_share_of_a_hop(table, hops), hops) for hops in table.values(HOPS) if hops > REUSE]
    if not shares:
        raise NoSamplesError("no chain is long enough")
    worst, at = max(shares, key=lambda entry: entry[0].mean)
    return worst.mean + (worst.ci95 or 0.0) <= 1 / REUSE, f"largest share at {at} hops: {show(worst)} of one hop"


def _share_of_a_hop(table: Table, hops: int) -> Estimate:
    one = table.mean(THROUGHPUT, {HOPS: 1})
    found = table.interval(THROUGHPUT, {HOPS: hops})
    ci95 = None if found.ci95 is None else found.ci95 / one
    return Estimate(found.mean / one, ci95, found.min / one, found.max / one, found.n)


def _about_a_seventh(table: Table) -> tuple[Verdict, str]:
    found = [(hops, _share_of_a_hop(table, hops)) for hops in table.values(HOPS) if hops >= 12]
    if not found:
        raise NoSamplesError("no chain is long enough")
    words = "; ".join(f"{hops} hops: {show(share)}" for hops, share in found)
    return every(within(share, 1 / 7, LI_TOLERANCE) for _, share in found), f"{words}; one seventh is {1 / 7:.3f}"


def _collides(stations: int) -> Check:
    def check(table: Table) -> tuple[Verdict, str]:
        measured = table.interval(collision_probability)
        expected = cell_model(stations, "collision_probability")
        return within(measured, expected, COLLISION_TOLERANCE), f"{show(measured)} against {number(expected)}"

    return check


def _only(*studies: Setting) -> Callable[[str], bool]:
    labels = {study.label for study in studies}
    return lambda label: label in labels


# --- Charts ---------------------------------------------------------------------------------------------------------


def _curve(data: Data, study: Setting, key: str, metric: Metric, label: str) -> Line:
    places: list[float] = []
    found: list[Estimate] = []
    try:
        for value, reached in data[study.label].curve(key, metric):
            places.append(float(value))
            found.append(reached)
    except (KeyError, NoSamplesError):
        pass
    return Line(label, places, [e.mean for e in found], [error_bar(e) for e in found], joined=False)


def _model_line(label: str, places: Sequence[float], function: Callable[[float], float]) -> Line:
    return Line(label, list(places), [function(place) for place in places], reference=True)


def _chain_charts(data: Data) -> list[Chart]:
    whole = [float(h) for h in range(1, WAIT_HOPS[-1] + 1)]
    panels = [
        Panel(
            "one packet at a time",
            [
                _curve(data, ONE_PACKET, HOPS, THROUGHPUT, "Hopscope"),
                _model_line("model", whole, wait_model),
            ],
        ),
        Panel(
            "always more to send",
            [
                _curve(data, GREEDY_STANDARD, HOPS, ip_throughput, "Hopscope"),
                _curve(data, GREEDY_NS2, HOPS, ip_throughput, "profile ns2"),
                _model_line("model", [h for h in whole if h <= CHAIN_HOPS[-1]], chain_model),
            ],
        ),
    ]
    return [
        Chart(
            "chains",
            "Left: TCP with a window of one packet and the stop-and-wait model. Right: greedy UDP and the capacity of "
            "an ideally scheduled chain, a quarter of one hop from four hops on.",
            "hops",
            "throughput (kbit/s)",
            panels,
            own_axes=True,
        )
    ]


def _hop_chart(data: Data) -> list[Chart]:
    lines = []
    for label, rts in (("Hopscope, basic access", "off"), ("Hopscope, RTS/CTS", 0)):
        names: list[float | str] = []
        found: list[Estimate] = []
        for preset in PRESETS:
            try:
                found.append(data[ONE_HOP.label].interval(ip_throughput, {PRESET: preset, RTS: rts}))
                names.append(preset)
            except (KeyError, NoSamplesError):
                continue
        half = [None if e.ci95 is None else e.ci95 / 1000 for e in found]
        lines.append(Line(label, names, [e.mean / 1000 for e in found], half))
        lines.append(Line(label.replace("Hopscope", "model"), names, [hop_model(str(n), rts) / 1000 for n in names]))
    return [
        Chart(
            "one-hop",
            "Throughput of one hop without contention: engine and the sum of the clauses' durations.",
            "preset",
            "throughput (Mbit/s)",
            [Panel("", lines)],
            kind="bars",
        )
    ]


def _loss_chart(data: Data) -> list[Chart]:
    dense = [LOSSES[0] * (LOSSES[-1] / LOSSES[0]) ** (i / 40) for i in range(41)]
    references = [_model_line("Mathis", dense, mathis_model), _model_line("Padhye", dense, padhye_model)]
    panels = [
        Panel(study.label, [_curve(data, study, LOSS, THROUGHPUT, "Hopscope"), *references]) for study in (SACK, RENO)
    ]
    return [
        Chart(
            "tcp-under-loss",
            "TCP over one hop with a round trip of 100 ms and random losses, beside Mathis's formula and Padhye's full "
            "model.",
            "loss probability",
            "throughput (kbit/s)",
            panels,
            log_y=True,
        )
    ]


def _charts(data: Data) -> list[Chart]:
    return [*_hop_chart(data), *_chain_charts(data), *_loss_chart(data)]


# --- The entry ------------------------------------------------------------------------------------------------------

_CELL_STATEMENTS = [(f"{stations} stations", study, stations) for stations, study in CELLS.items()]


def _statements() -> list[Statement]:
    texts: list[tuple[str, Setting, Check]] = [
        (
            f"One hop carries what the clauses' durations add up to, within {100 * HOP_TOLERANCE:g} %, at every rate "
            "with and without RTS/CTS.",
            ONE_HOP,
            _agree(ip_throughput, _hop_places(), HOP_TOLERANCE),
        ),
        (
            f"TCP with a window of one packet is within {100 * WAIT_TOLERANCE:g} % of the stop-and-wait model on "
            "chains of 1 to 48 hops.",
            ONE_PACKET,
            _agree(THROUGHPUT, _over(HOPS, WAIT_HOPS, wait_model, " hops"), WAIT_TOLERANCE),
        ),
        (
            "Greedy chains of 1 to 3 hops, whose senders all hear one another, carry 1/h of one hop, within "
            f"{100 * SHORT_TOLERANCE:g} %.",
            GREEDY_STANDARD,
            _agree(ip_throughput, _over(HOPS, [1, 2, 3], chain_model, " hops"), SHORT_TOLERANCE),
        ),
        (
            "Longer greedy chains carry less than 1/3 of one hop, since senders nearer than three hops exclude one "
            "another.",
            GREEDY_STANDARD,
            _below_the_bound,
        ),
        (
            f"In profile ns2, greedy chains of 12 hops and more carry about 1/7 of one hop (Li et al. 2001, simulated "
            f"with ns-2; judged: within {100 * LI_TOLERANCE:g} % of it).",
            GREEDY_NS2,
            _about_a_seventh,
        ),
    ]
    for name, study, stations in _CELL_STATEMENTS:
        texts.append(
            (
                f"{name} that give a frame up after {ATTEMPTS} attempts: throughput within "
                f"{100 * CELL_TOLERANCE:g} % of Bianchi's model with a retry limit.",
                study,
                _agree(network_throughput, [(name, {}, cell_model(stations))], CELL_TOLERANCE),
            )
        )
    name, study, stations = _CELL_STATEMENTS[-1]
    texts += [
        (
            f"{name}: the collision probability, from the share of frames given up, within "
            f"{100 * COLLISION_TOLERANCE:g} % of the model's.",
            study,
            _collides(stations),
        ),
        (
            f"TCP SACK under random loss of up to 1 % is within {100 * MATHIS_TOLERANCE:g} % of Mathis's formula.",
            SACK,
            _agree(THROUGHPUT, _over(LOSS, [p for p in LOSSES if p <= 0.01], mathis_model, ""), MATHIS_TOLERANCE),
        ),
        (
            f"TCP Reno under random loss of 0.1 to 10 % is within {100 * PADHYE_TOLERANCE:g} % of Padhye's full model.",
            RENO,
            _agree(THROUGHPUT, _over(LOSS, LOSSES, padhye_model, ""), PADHYE_TOLERANCE),
        ),
    ]
    return [Statement(f"c{i}", text, each(check, only=_only(study))) for i, (text, study, check) in enumerate(texts, 1)]


def _quantities() -> list[Quantity]:
    found = [
        Quantity(
            f"one hop, {name}", "kbit/s", mean_of(ip_throughput, where), expected, "model", settings=_only(ONE_HOP)
        )
        for name, where, expected in _hop_places()
    ]
    groups: list[tuple[str, Setting, Metric, str, Sequence[Any], Callable[[Any], float], str]] = [
        ("one packet at a time", ONE_PACKET, THROUGHPUT, HOPS, WAIT_HOPS, wait_model, " hops"),
        ("greedy, standard", GREEDY_STANDARD, ip_throughput, HOPS, CHAIN_HOPS, chain_model, " hops"),
        ("SACK, Mathis", SACK, THROUGHPUT, LOSS, LOSSES, mathis_model, ""),
        ("Reno, Padhye", RENO, THROUGHPUT, LOSS, LOSSES, padhye_model, ""),
    ]
    for label, study, metric, key, values, function, unit in groups:
        for name, where, expected in _over(key, values, function, unit):
            text = f"{label}, {name}" if unit else f"{label}, loss {name}"
            found.append(Quantity(text, "kbit/s", mean_of(metric, where), expected, "model", settings=_only(study)))
    for name, study, stations in _CELL_STATEMENTS:
        found.append(
            Quantity(
                f"{name}, {ATTEMPTS} attempts", "kbit/s", mean_of(network_throughput), cell_model(stations), "model",
                settings=_only(study),
            )
        )  # fmt: skip
    return found


MODELS = Entry(
    key="validation.models",
    title="Closed-form models, where their assumptions hold",
    source="IEEE 802.11-2020; Li et al. 2001; Bianchi 2000; Mathis et al. 1997; Padhye et al. 1998",
    item="one hop, chains, saturated cells with a retry limit, TCP under random loss",
    description="Scenarios that satisfy the assumptions of a model, beside what it says. The models are computed by "
    "hopscope.models, which shares no code with the engine.",
    settings=[
        ONE_HOP,
        replace(ONE_PACKET, quick={"sweep": {HOPS: [1, 4, 12]}}),
        GREEDY_STANDARD,
        GREEDY_NS2,
        *CELLS.values(),
        # Losses are rare events: a tenth of the time would not hold enough of them.
        replace(SACK, quick={"duration": "310s", "seeds": 4, "sweep": {LOSS: [0.003, 0.01]}}),
        replace(RENO, quick={"duration": "310s", "seeds": 4, "sweep": {LOSS: [0.003, 0.01]}}),
    ],
    quantities=_quantities(),
    statements=_statements(),
    charts=_charts,
    notes=[
        "In the cells EIFS is off, so that a collision costs frame and DIFS for everybody, as the model has it.",
        "For the TCP formulas the round trip must not depend on the window: the link layer adds 25 ms to each packet "
        "at each end, and the radio is fast enough that nothing queues. Padhye's model takes all packets of a round "
        "after a loss as lost as well; here every packet is lost for itself, so Reno does a little better than it.",
        "The chain's share counts the mean back-off of a lone sender. Stations that contend count down together, so "
        "chains of two and three hops carry a few per cent more than 1/h. With one hop and one packet at a time, the "
        "back-off after a success runs while the other end sends, which saves about 1 %.",
        "With the ranges of fu2003 (250 m and 550 m at 200 m) senders three hops apart do not sense one another and "
        "both frames survive by capture, so 1/3 and not 1/4 bounds the chain here.",
    ],
)

ENTRIES = (MODELS,)
