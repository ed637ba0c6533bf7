"""afrakhteh2005, experiments 6 and 8: the capacity of one hop, and the load that every path sustains."""

from __future__ import annotations

import itertools

from hopscope.catalog.afrakhteh2005.shared import (
    DELAY,
    HOPS,
    JITTER,
    LOSS,
    PLOTS,
    RATE,
    SETTING_NOTES,
    SIX,
    SOURCE,
    THROUGHPUT,
    candidates,
    cbr,
    chain,
    counting_network_packet,
    four_charts,
)
from hopscope.results.comparisons import Verdict
from hopscope.results.samples import NoSamplesError, Run, Table, show
from hopscope.results.stats import number
from hopscope.studies.entry import Entry, Quantity, Statement
from hopscope.studies.judge import each, mean_of, near, per_value, rank_correlation

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
    words = f"{show(payload)} kbit/s ({number(packet.mean)} counting 1500 B)"
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
    words = f"loss {show(at_top, '%')} at 2000 kbit/s; largest gap {gaps[worst]:+.2f} points at {worst}"
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
    settings=candidates(
        chain("exp06", flow=[cbr("1000kbps")], sweep={RATE: _RATES}),
        quick={"sweep": {RATE: ["1000kbps", "1400kbps", "1730kbps", "1950kbps", "2000kbps"]}},
    ),
    quantities=[
        Quantity("capacity", "kbit/s", mean_of(THROUGHPUT, {RATE: _TOP}), 1730, "text of experiment 6"),
        Quantity(
            "capacity counting 1500 B",
            "kbit/s",
            mean_of(counting_network_packet, {RATE: _TOP}),
            1730,
            "the same number",
        ),
        Quantity("delay at 1000 kbit/s", "ms", mean_of(DELAY, {RATE: "1000kbps"}), 6, "text"),
        Quantity("jitter at 1000 kbit/s", "ms", mean_of(JITTER, {RATE: "1000kbps"}), 0.2, "text"),
        Quantity("delay at 2000 kbit/s", "ms", mean_of(DELAY, {RATE: _TOP}), 330, "text"),
        Quantity("loss at 2000 kbit/s", "%", mean_of(LOSS, {RATE: _TOP}), 13.5, "text"),
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
            "The output saturates at about 1730 kbit/s (judged: some candidate within 1 %, counting payload or "
            "1500 B).",
            each(_saturates),
        ),
        Statement(
            "c3",
            "Delay and jitter are flat below the capacity (6 ms, 0.2 ms) and rise to a plateau of about 330 ms above "
            "(judged: some candidate with flat 6 ms within 25 %, jitter below 1 ms, and a plateau within 10 %).",
            each(_delay_steps),
        ),
        Statement(
            "c4",
            "Above the capacity the loss is (load - capacity) / load (judged: within 0.5 points).",
            each(_loss_is_excess),
        ),
        Statement(
            "c5",
            "The losses are drops in the sender's interface queue (judged: at 2000 kbit/s, all but those in flight).",
            each(_drops_in_own_queue),
        ),
    ],
    charts=lambda data: four_charts(
        data,
        x=RATE,
        position=kbps,
        xlabel="offered load (kbit/s)",
        subject="one CBR flow over one hop over the offered load, under every candidate setting",
        marks={"throughput": ([2000], [1730]), "delay": ([1000, 2000], [6, 330]), "loss": ([2000], [13.5])},
        plots=[plot for plot in PLOTS if plot[0] != "jitter"],
    ),
    notes=[*SETTING_NOTES, "The offered loads between 1 and 2 Mbit/s are assumed in steps of 50 kbit/s."],
)


# --- Experiment 8: UDP at the sustainable load ----------------------------------------------------------------------


def _all_delivered(table: Table) -> tuple[Verdict, str]:
    found = [table.mean(THROUGHPUT, {HOPS: hops}) for hops in SIX]
    return all(near(value, 290, 0.005) for value in found), f"{number(min(found))}..{number(max(found))} kbit/s"


def _no_loss(table: Table) -> tuple[Verdict, str]:
    found = [table.interval(LOSS, {HOPS: hops}) for hops in SIX]
    worst = max(found, key=lambda i: i.mean)
    # One packet of 7348 is still on its way when the run ends: 0.014 %.
    return worst.mean <= 0.05, f"at most {show(worst, '%')}"


def _linear_delay(table: Table) -> tuple[Verdict, str]:
    delays = [table.mean(DELAY, {HOPS: hops}) for hops in SIX]
    steps = [later - earlier for earlier, later in itertools.pairwise(delays)]
    per_hop = (delays[-1] - delays[0]) / (len(SIX) - 1)
    words = (
        f"{number(delays[0])} ms at 1 hop, {number(delays[-1])} at 6, "
        f"{number(min(steps))}..{number(max(steps))} per hop"
    )
    straight = all(abs(step - per_hop) <= 0.15 * per_hop for step in steps)
    return straight and near(delays[0], 6, 0.25) and near(delays[-1], 40, 0.15), words


def _small_jitter(table: Table) -> tuple[Verdict, str]:
    found = [table.mean(JITTER, {HOPS: hops}) for hops in SIX]
    return max(found) < 1, f"{number(min(found))}..{number(max(found))} ms"


def _jitter_trend(table: Table) -> tuple[Verdict, str]:
    found = [table.mean(JITTER, {HOPS: hops}) for hops in SIX]
    trend = rank_correlation(SIX, found)
    return min(found) >= 0.15 and max(found) <= 0.6 and trend > 0, f"{', '.join(number(v) for v in found)} ms"


EXP08 = Entry(
    key="afrakhteh2005.exp08",
    title="UDP at the load every path sustains",
    source=SOURCE,
    item="Experiment 8, figures 4.32 to 4.35",
    description="A CBR flow of 290 kbit/s from node 0 to node h, h = 1 to 6, in every candidate setting.",
    settings=candidates(chain("exp08", flow=[cbr("290kbps")], sweep={HOPS: SIX})),
    quantities=[
        *per_value(
            HOPS,
            THROUGHPUT,
            dict.fromkeys((1, 6), 290.0),
            label="throughput, h = {}",
            unit="kbit/s",
            source="text: all h",
        ),
        *per_value(HOPS, DELAY, {1: 6.0, 6: 40.0}, label="delay, h = {}", unit="ms", source="text"),
        *per_value(HOPS, JITTER, {1: 0.2, 6: 0.5}, label="jitter, h = {}", unit="ms", source="text: 0.2 to 0.5"),
        *per_value(HOPS, LOSS, {1: 0.0, 6: 0.0}, label="loss, h = {}", unit="%", source="text"),
    ],
    statements=[
        Statement("c1", "290 kbit/s arrive over every path (judged: within 0.5 %).", each(_all_delivered)),
        Statement("c2", "Nothing is lost on any path (judged: at most 0.05 %).", each(_no_loss)),
        Statement(
            "c3",
            "Delay grows linearly from 6 ms at 1 hop to about 40 ms at 6 (judged: steps within 15 % of one another, "
            "ends within 25 % and 15 %).",
            each(_linear_delay),
        ),
        Statement("c4", "Jitter stays below 1 ms on every path.", each(_small_jitter)),
        Statement(
            "c5",
            "Jitter lies between 0.2 and 0.5 ms (judged: 0.15 to 0.6 ms, growing with the hops).",
            each(_jitter_trend),
        ),
    ],
    charts=lambda data: four_charts(
        data,
        x=HOPS,
        xlabel="hops",
        subject="a 290 kbit/s CBR flow over the number of hops, under every candidate setting",
        marks={"throughput": (SIX, [290.0] * 6), "delay": ([1, 6], [6.0, 40.0]), "jitter": ([1, 6], [0.2, 0.5])},
        plots=[plot for plot in PLOTS if plot[0] != "loss"],
    ),
    notes=SETTING_NOTES,
)
