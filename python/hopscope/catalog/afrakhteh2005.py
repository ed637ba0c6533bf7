"""afrakhteh2005: TCP and UDP over static chains of one to six hops, UDP experiments.

V. Afrakhteh, M.A.Sc. thesis, Concordia University, July 2005 (ns-2.27, AODV). Published values are those of the
running text; the curves are not printed as numbers. The thesis leaves control rate, PLCP rate and the byte count of
its throughput open, so its UDP experiments run under every candidate and the report says which ones fit.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from hopscope.catalog.charts import sweep
from hopscope.catalog.entry import Entry, Quantity, Statement, Study
from hopscope.catalog.judge import (
    Verdict,
    any_of,
    each,
    impossible,
    mean_of,
    near,
    number,
    per_value,
    rank_correlation,
    show,
)
from hopscope.catalog.tables import Data, Metric, NoSamplesError, Run, Table
from hopscope.report.chart import Mark

SOURCE = "V. Afrakhteh, M.A.Sc. thesis, Concordia University, 2005"

HOPS = "topology.hops"
RATE = "flow.0.rate"
THROUGHPUT = "flow.0.throughput_kbps"
DELAY = "flow.0.delay_ms"
JITTER = "flow.0.jitter_ms"
LOSS = "flow.0.loss_pct"

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

SETTING_NOTES = (
    "The thesis names RTS/CTS as its default but not the rates of control frames and PLCP header; all six "
    "combinations run, unchanged otherwise, and each statement names those that fit. Nothing is tuned.",
    "Routes are static here; the thesis used AODV, whose discovery and repair traffic is missing.",
    "Profile ns2 repeats ns-2.35; the thesis used 2.27, whose MAC header was 6 bytes shorter (24 us less per frame).",
    "UDP throughput counts 1480 B of payload per packet; counting the 1500 B IP packet multiplies it by 1500/1480, "
    'shown as "counting 1500 B".',
)
TCP_REASON = "the TCP series of the thesis runs over AODV, which this version does not have"


def _cbr(rate: str) -> dict[str, Any]:
    return {"from": 0, "to": "last", "transport": "udp", "app": "cbr", "rate": rate, "packet": PAYLOAD}


def _chain(label: str, **changes: Any) -> dict[str, Any]:
    return {
        "title": f"afrakhteh2005 {label}",
        "duration": "300s",
        "seeds": 5,
        "profile": "ns2",
        "topology": {"kind": "chain", "hops": 1, "spacing": "200m"},
        "radio": {"preset": "wavelan-2M"},
        "mac": {"rts_threshold": 0, "queue": 50},
        "routing": {"protocol": "static"},
        **changes,
    }


def _candidates(scenario: Mapping[str, Any], quick: Mapping[str, Any] | None = None) -> list[Study]:
    """The scenario under every candidate setting."""
    studies = []
    for label, setting in SETTINGS.items():
        changed = {name: {**scenario.get(name, {}), **keys} for name, keys in setting.items()}
        title = f"{scenario['title']}, {label}"
        studies.append(Study(label, {**scenario, **changed, "title": title}, quick or {}))
    return studies


def _is_udp(label: str) -> bool:
    return label in SETTINGS


def counting_network_packet(run: Run) -> float:
    """UDP throughput that counts the 1500 B IP packet instead of 1480 B of payload, kbit/s."""
    return float(run["flows"][0]["throughput_kbps"]) * NETWORK_PACKET / PAYLOAD


# --- Experiment 6: capacity of one hop ------------------------------------------------------------------------------

_RATES = [f"{rate}kbps" for rate in sorted({*range(1000, 2001, 50), 1730})]
_TOP = "2000kbps"


def kbps(rate: str) -> float:
    """The number of a rate written as in this module's sweeps ("1730kbps")."""
    return float(rate.removesuffix("kbps"))


def _capacity(table: Table) -> float:
    return table.mean(THROUGHPUT, {RATE: _TOP})


def _below(table: Table) -> list[str]:
    """Swept rates at least 1 % below the capacity."""
    return _some([rate for rate in table.values(RATE) if kbps(rate) < 0.99 * _capacity(table)], "below")


def _above(table: Table) -> list[str]:
    """Swept rates at least 1 % above the capacity."""
    return _some([rate for rate in table.values(RATE) if kbps(rate) > 1.01 * _capacity(table)], "above")


def _some(rates: list[str], where: str) -> list[str]:
    if not rates:
        raise NoSamplesError(f"no swept rate is {where} the capacity")
    return rates


def _transparent_below(table: Table) -> tuple[Verdict, str]:
    rates = _below(table)
    worst_loss = max(table.mean(LOSS, {RATE: rate}) for rate in rates)
    worst_gap = max(abs(table.mean(THROUGHPUT, {RATE: rate}) / kbps(rate) - 1) for rate in rates)
    words = f"up to {rates[-1]}: output within {100 * worst_gap:.2f} % of input, loss at most {number(worst_loss)} %"
    return worst_gap <= 0.005 and worst_loss <= 0.1, words


def _saturates(table: Table) -> tuple[Verdict, str]:
    payload = table.interval(THROUGHPUT, {RATE: _TOP})
    packet = table.interval(counting_network_packet, {RATE: _TOP})
    words = f"{show(payload)} kbps ({number(packet.mean)} counting 1500 B)"
    return near(payload.mean, 1730, 0.01) or near(packet.mean, 1730, 0.01), words


def _delay_steps(table: Table) -> tuple[Verdict, str]:
    below, above = _below(table), _above(table)
    low = [table.mean(DELAY, {RATE: rate}) for rate in below]
    jitter = [table.mean(JITTER, {RATE: rate}) for rate in below]
    # The last two swept rates are well past the capacity; nearer to it the queue is still filling.
    plateau = [table.mean(DELAY, {RATE: rate}) for rate in above[-2:]]
    words = (
        f"delay {number(min(low))}..{number(max(low))} ms and jitter {number(min(jitter))}..{number(max(jitter))} ms "
        f"below, {number(plateau[-1])} ms above"
    )
    flat = max(low) <= 1.15 * min(low) and near(low[0], 6, 0.25) and max(jitter) < 1
    settled = near(plateau[-1], 330, 0.1) and near(plateau[0], plateau[-1], 0.05)
    return flat and settled, words


def _loss_is_excess(table: Table) -> tuple[Verdict, str]:
    capacity = _capacity(table)
    gaps = {rate: table.mean(LOSS, {RATE: rate}) - 100 * (1 - capacity / kbps(rate)) for rate in _above(table)}
    worst = max(gaps, key=lambda rate: abs(gaps[rate]))
    at_top = table.interval(LOSS, {RATE: _TOP})
    words = f"loss {show(at_top, '%')} at 2000 kbps; largest gap {gaps[worst]:+.2f} points at {worst}"
    return abs(gaps[worst]) <= 0.5, words


def _lost(run: Run) -> float:
    return float(run["flows"][0]["sent_packets"] - run["flows"][0]["received_packets"])


def _drops_in_own_queue(table: Table) -> tuple[Verdict, str]:
    where = {RATE: _TOP}
    queue = table.mean("node.0.queue_drops", where)
    lost = table.mean(_lost, where)
    # The packets still queued when the run ends are neither dropped nor received.
    words = f"{number(queue)} queue drops at the sender of {number(lost)} packets not received"
    return lost > 0 and queue >= 0.99 * (lost - 51), words


EXP06 = Entry(
    key="afrakhteh2005.exp06",
    title="UDP capacity of one hop",
    source=SOURCE,
    item="Experiment 6, figures 4.24 to 4.27",
    description="Two nodes 200 m apart; a CBR flow of 1480 B packets at 1 to 2 Mbit/s offered load.",
    studies=_candidates(
        _chain("exp06", flow=[_cbr("1000kbps")], sweep={RATE: _RATES}),
        quick={"sweep": {RATE: ["1000kbps", "1400kbps", "1730kbps", "1950kbps", "2000kbps"]}},
    ),
    quantities=[
        Quantity("capacity", "kbps", mean_of(THROUGHPUT, {RATE: _TOP}), 1730, "text of experiment 6"),
        Quantity(
            "capacity counting 1500 B", "kbps", mean_of(counting_network_packet, {RATE: _TOP}), 1730, "the same number"
        ),
        Quantity("delay at 1000 kbps", "ms", mean_of(DELAY, {RATE: "1000kbps"}), 6, "text"),
        Quantity("jitter at 1000 kbps", "ms", mean_of(JITTER, {RATE: "1000kbps"}), 0.2, "text"),
        Quantity("delay at 2000 kbps", "ms", mean_of(DELAY, {RATE: _TOP}), 330, "text"),
        Quantity("loss at 2000 kbps", "%", mean_of(LOSS, {RATE: _TOP}), 13.5, "text"),
    ],
    statements=[
        Statement(
            "c1",
            "Below the capacity the output rate equals the input rate and nothing is lost (judged: within 0.5 %, "
            "loss at most 0.1 %, at every rate more than 1 % below the measured capacity).",
            each(_transparent_below),
        ),
        Statement(
            "c2",
            "The output saturates at about 1730 kbps (judged: some candidate within 1 %, counting payload or 1500 B).",
            any_of(_saturates),
        ),
        Statement(
            "c3",
            "Delay and jitter are flat below the capacity (6 ms, 0.2 ms) and rise to a plateau of about 330 ms above "
            "(judged: some candidate with flat 6 ms within 25 %, jitter below 1 ms, and a plateau within 10 %).",
            any_of(_delay_steps),
        ),
        Statement(
            "c4",
            "Above the capacity the loss is (load - capacity) / load (judged: within 0.5 points).",
            each(_loss_is_excess),
        ),
        Statement(
            "c5",
            "The losses are drops in the sender's interface queue (judged: at 2000 kbps, all but those in flight).",
            each(_drops_in_own_queue),
        ),
    ],
    charts=lambda data: [
        sweep(
            data,
            name=f"{stem}-over-load",
            caption=f"{what} of one CBR flow over one hop over the offered load, under every candidate setting.",
            x=RATE,
            y=metric,
            position=kbps,
            xlabel="offered load (kbit/s)",
            ylabel=f"{what.lower()} ({unit})",
            marks=marks,
        )
        for stem, what, unit, metric, marks in (
            ("throughput", "Throughput", "kbit/s", THROUGHPUT, [Mark("published capacity", [2000], [1730])]),
            ("delay", "Delay", "ms", DELAY, [Mark("published", [1000, 2000], [6, 330])]),
            ("loss", "Loss", "%", LOSS, [Mark("published", [2000], [13.5])]),
        )
    ],
    notes=[*SETTING_NOTES, "The offered loads between 1 and 2 Mbit/s are assumed in steps of 50 kbit/s."],
)


# --- Experiment 7: UDP beside TCP over the hops ---------------------------------------------------------------------

_SIX = [1, 2, 3, 4, 5, 6]
_TCP_LABEL = "TCP NewReno, static routes"


def _udp_falls_steeply(table: Table) -> tuple[Verdict, str]:
    curve = [table.mean(THROUGHPUT, {HOPS: hops}) for hops in _SIX]
    steps = [earlier - later for earlier, later in itertools.pairwise(curve)]
    share = steps[0] / curve[0]
    words = (
        f"{number(curve[0])} to {number(curve[1])} kbps, {100 * share:.0f} % less; next step {number(steps[1])} kbps"
    )
    return share >= 0.4 and steps[0] == max(steps), words


def _udp_loss(table: Table) -> tuple[Verdict, str]:
    holds, words = True, []
    losses = []
    for hops in _SIX:
        loss = table.mean(LOSS, {HOPS: hops})
        expected = 100 * (1 - table.mean(THROUGHPUT, {HOPS: hops}) / 1700)
        holds &= abs(loss - expected) <= 2
        losses.append(loss)
        words.append(f"{hops}: {number(loss)}")
    grows = all(later > earlier for earlier, later in itertools.pairwise(losses))
    return holds and grows, "loss in % by hops: " + ", ".join(words)


def _udp_throughput_fits(table: Table) -> tuple[Verdict, str]:
    found = {hops: table.mean(THROUGHPUT, {HOPS: hops}) for hops in (1, 2, 6)}
    words = ", ".join(f"{number(value)} kbps at {hops}" for hops, value in found.items())
    return all(near(found[hops], value, 0.05) for hops, value in ((1, 1700), (2, 870), (6, 300))), words


def _beside_tcp(metric: Metric, unit: str) -> Any:
    def words(data: Data) -> str:
        tcp = data[_TCP_LABEL]
        udp = data["RTS on, control 1M"]
        pairs = [
            f"{hops}: {number(udp.mean(metric, {HOPS: hops}))} / {number(tcp.mean(metric, {HOPS: hops}))}"
            for hops in _SIX
        ]
        return f"static routes, RTS on, UDP / TCP by hops, {unit}: " + ", ".join(pairs)

    return words


EXP07 = Entry(
    key="afrakhteh2005.exp07",
    title="UDP at 1.7 Mbit/s beside TCP, over the hops",
    source=SOURCE,
    item="Experiment 7, figures 4.28 to 4.31",
    description="A CBR flow of 1.7 Mbit/s from node 0 to node h, h = 1 to 6, in every candidate setting; beside it "
    "one NewReno flow with a window of 20 over the same static routes.",
    studies=[
        *_candidates(_chain("exp07", flow=[_cbr("1700kbps")], sweep={HOPS: _SIX})),
        Study(
            _TCP_LABEL,
            _chain(
                "exp07 TCP",
                flow=[{"from": 0, "to": "last", "transport": "tcp-newreno", "packet": 1460, "max_window": 20}],
                sweep={HOPS: _SIX},
            ),
        ),
    ],
    quantities=[
        *(
            Quantity(
                f"UDP throughput, h = {hops}",
                "kbps",
                mean_of(THROUGHPUT, {HOPS: hops}),
                value,
                source,
                studies=_is_udp,
            )
            for hops, value, source in ((1, 1700.0, "text"), (2, 870.0, 'text, "about"'), (6, 300.0, 'text, "about"'))
        ),
        Quantity("UDP delay, h = 1", "ms", mean_of(DELAY, {HOPS: 1}), 6, "text", studies=_is_udp),
        Quantity(
            "TCP delay, h = 1", "ms", mean_of(DELAY, {HOPS: 1}), 76, "text", studies=lambda label: label == _TCP_LABEL
        ),
    ],
    statements=[
        Statement(
            "c1",
            "UDP carries 18 % (1 hop) to 32 % (6 hops) more than TCP.",
            impossible(TCP_REASON, _beside_tcp(THROUGHPUT, "kbps")),
        ),
        Statement(
            "c2",
            "UDP's delay is far below TCP's at 1 hop and about ten times TCP's from 2 hops on.",
            impossible(TCP_REASON, _beside_tcp(DELAY, "ms")),
        ),
        Statement("c3", "The same holds for jitter.", impossible(TCP_REASON, _beside_tcp(JITTER, "ms"))),
        Statement(
            "c4",
            "UDP's loss grows fast with the hops (judged: at every step, and equal to 1 - throughput / 1700 within "
            "2 points).",
            any_of(_udp_loss, only=_is_udp),
        ),
        Statement(
            "c5",
            "UDP's throughput falls steeply from 1 to 2 hops (judged: by 40 % or more, the largest step).",
            each(_udp_falls_steeply, only=_is_udp),
        ),
        Statement(
            "c6",
            "UDP's throughput is 1700, about 870 and about 300 kbps at 1, 2 and 6 hops (judged: some candidate within "
            "5 % of all three).",
            any_of(_udp_throughput_fits, only=_is_udp),
        ),
    ],
    charts=lambda data: [
        sweep(
            data,
            name=f"{stem}-over-hops",
            caption=f"{what} of a 1.7 Mbit/s CBR flow and of one TCP flow over the number of hops, static routes.",
            x=HOPS,
            y=metric,
            xlabel="hops",
            ylabel=f"{what.lower()} ({unit})",
            marks=marks,
        )
        for stem, what, unit, metric, marks in (
            ("throughput", "Throughput", "kbit/s", THROUGHPUT, [Mark("published UDP", [1, 2, 6], [1700, 870, 300])]),
            ("delay", "Delay", "ms", DELAY, [Mark("published UDP", [1], [6]), Mark("published TCP", [1], [76])]),
            ("loss", "Loss", "%", LOSS, []),
        )
    ],
    notes=[
        *SETTING_NOTES,
        "Statements c1 to c3 compare with the thesis's TCP runs; the TCP flow over static routes is shown beside "
        "UDP but not judged.",
    ],
)


# --- Experiment 8: UDP at the sustainable load ----------------------------------------------------------------------


def _all_delivered(table: Table) -> tuple[Verdict, str]:
    found = [table.mean(THROUGHPUT, {HOPS: hops}) for hops in _SIX]
    return all(near(value, 290, 0.005) for value in found), f"{number(min(found))}..{number(max(found))} kbps"


def _no_loss(table: Table) -> tuple[Verdict, str]:
    found = [table.interval(LOSS, {HOPS: hops}) for hops in _SIX]
    worst = max(found, key=lambda i: i.mean)
    # One packet of 7348 is still on its way when the run ends: 0.014 %.
    return worst.mean <= 0.05, f"at most {show(worst, '%')}"


def _linear_delay(table: Table) -> tuple[Verdict, str]:
    delays = [table.mean(DELAY, {HOPS: hops}) for hops in _SIX]
    steps = [later - earlier for earlier, later in itertools.pairwise(delays)]
    per_hop = (delays[-1] - delays[0]) / (len(_SIX) - 1)
    words = (
        f"{number(delays[0])} ms at 1 hop, {number(delays[-1])} at 6, "
        f"{number(min(steps))}..{number(max(steps))} per hop"
    )
    straight = all(abs(step - per_hop) <= 0.15 * per_hop for step in steps)
    return straight and near(delays[0], 6, 0.25) and near(delays[-1], 40, 0.15), words


def _small_jitter(table: Table) -> tuple[Verdict, str]:
    found = [table.mean(JITTER, {HOPS: hops}) for hops in _SIX]
    return max(found) < 1, f"{number(min(found))}..{number(max(found))} ms"


def _jitter_trend(table: Table) -> tuple[Verdict, str]:
    found = [table.mean(JITTER, {HOPS: hops}) for hops in _SIX]
    trend = rank_correlation(_SIX, found)
    return min(found) >= 0.15 and max(found) <= 0.6 and trend > 0, f"{', '.join(number(v) for v in found)} ms"


EXP08 = Entry(
    key="afrakhteh2005.exp08",
    title="UDP at the load every path sustains",
    source=SOURCE,
    item="Experiment 8, figures 4.32 to 4.35",
    description="A CBR flow of 290 kbit/s from node 0 to node h, h = 1 to 6, in every candidate setting.",
    studies=_candidates(_chain("exp08", flow=[_cbr("290kbps")], sweep={HOPS: _SIX})),
    quantities=[
        *per_value(
            HOPS,
            THROUGHPUT,
            dict.fromkeys((1, 6), 290.0),
            label="throughput, h = {}",
            unit="kbps",
            source="text: all h",
        ),
        *per_value(HOPS, DELAY, {1: 6.0, 6: 40.0}, label="delay, h = {}", unit="ms", source="text"),
        *per_value(HOPS, JITTER, {1: 0.2, 6: 0.5}, label="jitter, h = {}", unit="ms", source="text: 0.2 to 0.5"),
        *per_value(HOPS, LOSS, {1: 0.0, 6: 0.0}, label="loss, h = {}", unit="%", source="text"),
    ],
    statements=[
        Statement("c1", "290 kbps arrive over every path (judged: within 0.5 %).", any_of(_all_delivered)),
        Statement("c2", "Nothing is lost on any path (judged: at most 0.05 %).", any_of(_no_loss)),
        Statement(
            "c3",
            "Delay grows linearly from 6 ms at 1 hop to about 40 ms at 6 (judged: steps within 15 % of one another, "
            "ends within 25 % and 15 %).",
            any_of(_linear_delay),
        ),
        Statement("c4", "Jitter stays below 1 ms on every path.", any_of(_small_jitter)),
        Statement(
            "c5",
            "Jitter lies between 0.2 and 0.5 ms (judged: 0.15 to 0.6 ms, growing with the hops).",
            any_of(_jitter_trend),
        ),
    ],
    charts=lambda data: [
        sweep(
            data,
            name=f"{stem}-over-hops",
            caption=f"{what} of a 290 kbit/s CBR flow over the number of hops, under every candidate setting.",
            x=HOPS,
            y=metric,
            xlabel="hops",
            ylabel=f"{what.lower()} ({unit})",
            marks=[Mark("published", xs, ys)],
        )
        for stem, what, unit, metric, xs, ys in (
            ("throughput", "Throughput", "kbit/s", THROUGHPUT, _SIX, [290.0] * 6),
            ("delay", "Delay", "ms", DELAY, [1, 6], [6.0, 40.0]),
            ("jitter", "Jitter", "ms", JITTER, [1, 6], [0.2, 0.5]),
        )
    ],
    notes=SETTING_NOTES,
)

ENTRIES = (EXP06, EXP07, EXP08)
