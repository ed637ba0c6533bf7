"""validation.bottleneck: CUBIC and BBR on one wired bottleneck, beside their textbooks and beside a Linux kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hopscope.report.chart import Chart, Line, Panel
from hopscope.results.samples import Data
from hopscope.results.stats import number
from hopscope.studies.entry import Entry, Statement
from hopscope.studies.verdict import Finding, Outcome

if TYPE_CHECKING:
    import pandas as pd

    from hopscope.wired import Bottleneck

RATE = 1000.0
"""Packets of 1500 bytes that the link sends in a second."""

RTT = 0.101
"""Round-trip time without a queue, in seconds: 50 ms each way and 1 ms on the link."""

LINK = round(RATE * 1500 * 8)

PATH: dict[str, Any] = {"rate": LINK, "packet": 1460, "delay": "50ms"}

CUBIC_C, CUBIC_BETA = 0.4, 0.7
"""Constants of RFC 9438 (4.1 and 4.6)."""

FROM = 20.0
"""Instant (s) from which the flows are judged: slow start and its losses are over."""

Judgement = tuple[bool, str]


@cache
def cubic() -> Bottleneck:
    """CUBIC over a queue of 60 packets, so that it loses at about 160 segments; each epoch returns to its plateau."""
    return _run("tcp-cubic", queue=60, duration="120s", tcp={"cubic_fast_convergence": False})


@cache
def bbr() -> Bottleneck:
    """BBR version 1 over a queue that nothing fills."""
    return _run("tcp-bbr", queue=1000, duration="60s")


@cache
def slow_bbr() -> Bottleneck:
    """BBR where a round trip holds eleven packets: the queue hardly ever empties by itself."""
    return _run("tcp-bbr", queue=1000, duration="60s", rate=LINK // 10)


def _run(transport: str, **more: Any) -> Bottleneck:
    from hopscope.wired import bottleneck

    return bottleneck(transport, **{**PATH, **more})


# --- CUBIC ----------------------------------------------------------------------------------------------------------


@cache
def _epochs() -> tuple[tuple[float, pd.DataFrame], ...]:
    """The plateau before each cut, and the samples from there to the next cut."""
    import numpy as np

    rows = cubic().samples
    rows = rows[rows["t_s"] >= FROM].reset_index(drop=True)
    window = rows["cwnd"].to_numpy()
    cuts = np.flatnonzero(window[1:] < 0.85 * window[:-1]) + 1
    return tuple((float(window[a - 1]), rows[a:b]) for a, b in pairwise(cuts))


def _epoch_time(epoch: pd.DataFrame) -> pd.Series[float]:
    """Seconds since the epoch began: the first growth after the recovery (RFC 9438 4.1), and one round trip ahead."""
    grown = epoch[epoch["cwnd"] > float(epoch["cwnd"].iloc[0])]
    return epoch["t_s"] - float(grown["t_s"].iloc[0]) + RTT


def _plateau_time(plateau: float) -> float:
    """K of RFC 9438 equation 2."""
    return float(((1 - CUBIC_BETA) * plateau / CUBIC_C) ** (1 / 3))


def _cuts_to_seven_tenths() -> Judgement:
    # What is kept is 0.7 of what is in flight, which is the window but for the segment that the ACK has released.
    kept = [float(epoch["cwnd"].iloc[0]) / plateau for plateau, epoch in _epochs()]
    mean = sum(kept) / len(kept)
    return all(abs(share - CUBIC_BETA) < 0.01 for share in kept), f"{mean:.3f} in the mean of {len(kept)} cuts"


def _regains_its_plateau_after_k() -> Judgement:
    ratios = []
    for plateau, epoch in _epochs():
        back = _epoch_time(epoch)[epoch["cwnd"] >= 0.999 * plateau]
        if len(back):
            # The window nears the plateau slowly: 0.1 % below it the curve is this much before K.
            early = (0.001 * plateau / CUBIC_C) ** (1 / 3)
            ratios.append((float(back.iloc[0]) + early) / _plateau_time(plateau))
    words = f"{min(ratios):.3f} to {max(ratios):.3f} of K in {len(ratios)} epochs" if ratios else "never"
    return bool(ratios) and all(abs(ratio - 1) < 0.05 for ratio in ratios), words


def _follows_its_function() -> Judgement:
    worst = 0.0
    for plateau, epoch in _epochs():
        time = _epoch_time(epoch)
        wanted = CUBIC_C * (time - _plateau_time(plateau)) ** 3 + plateau
        worst = max(worst, float((epoch["cwnd"] / wanted - 1)[time > 5 * RTT].abs().max()))
    return worst < 0.03, f"within {100 * worst:.1f} %"


# --- BBR ------------------------------------------------------------------------------------------------------------


def _probes(rows: pd.DataFrame) -> list[tuple[float, float]]:
    """Begin and end of each time with a window of four segments (PROBE_RTT)."""
    low = rows["cwnd"] <= 4.0
    begins = rows["t_s"][low & ~low.shift(fill_value=False)]
    ends = rows["t_s"][~low & low.shift(fill_value=False)]
    return [(float(a), float(b)) for a, b in zip(begins, ends, strict=False) if a > 1.0]


def _sending_rate(rows: pd.DataFrame, over: float) -> pd.Series[float]:
    """Segments sent a second over the `over` seconds before each sample, over the link's rate."""
    import numpy as np

    before = np.interp(rows["t_s"] - over, rows["t_s"], rows["sent"])
    rate: pd.Series[float] = (rows["sent"] - before) / over / RATE
    return rate


def _gains() -> Judgement:
    """The fastest and the slowest round trip of each cycle of eight."""
    rows = bbr().samples
    rate = _sending_rate(rows, 0.8 * RTT)
    cycle = ((rows["t_s"] - FROM) // (8 * RTT)).astype(int)
    cycles = rate[(cycle >= 0) & (cycle < cycle.max())].groupby(cycle)
    high, low = float(cycles.max().median()), float(cycles.min().median())
    words = f"median over {len(cycles)} cycles: fastest {high:.3f}, slowest {low:.3f} of the link's rate"
    return abs(high - 1.25) < 0.04 and abs(low - 0.75) < 0.04, words


def _probes_the_rtt() -> Judgement:
    found = _probes(slow_bbr().samples)
    gaps = [b[0] - a[0] for a, b in pairwise(found)]
    lasting = [end - begin for begin, end in found]
    words = f"{len(found)} times, every {min(gaps):.2f} to {max(gaps):.2f} s, for {min(lasting):.2f} s and more"
    good = 4 <= len(found) <= 6 and min(gaps) >= 10 and min(lasting) >= 0.2
    return good, words


def _fills(run: Callable[[], Bottleneck], share: float) -> Callable[[], Judgement]:
    def judge() -> Judgement:
        found = run().goodput_kbps(FROM) / (RATE * 1460 * 8e-3)
        return found >= share, f"{100 * found:.1f} % of the link"

    return judge


def _keeps_the_queue_short() -> Judgement:
    rows = bbr().samples
    mean = float(rows["queue"][rows["t_s"] >= FROM].mean())
    return (
        mean < 0.1 * RATE * RTT and not bbr().drops_s,
        f"{mean:.1f} packets in the mean, {len(bbr().drops_s)} dropped",
    )


# --- Linux ----------------------------------------------------------------------------------------------------------

KERNEL = (
    ("tcp-bbr", "bbr", 15, 1.366, 0.01),
    ("tcp-cubic", "cubic", 12, 1.331, 0.05),
    ("tcp-sack", "reno", 15, 1.330, 0.05),
)
"""(variant, Linux' name, seconds, Mbit/s measured, tolerance) over one emulated 2 Mbit/s radio hop, kernel 6.18.

A data packet takes 7.556 ms there, an ACK for two of them 1.764 ms of the same channel; the interface queue holds 50.
Single measurements; the loss-based ones lose a queue of packets in slow start.
"""

SERVICE = 7.556e-3 + 1.764e-3 / 2
"""Seconds of the channel that a data packet and its share of an ACK take."""


def _as_linux(variant: str, seconds: int, measured: float, tolerance: float) -> Callable[[], Judgement]:
    def judge() -> Judgement:
        from hopscope.wired import bottleneck

        run = bottleneck(
            variant,
            rate=round(1488 * 8 / SERVICE),
            packet=1448,
            delay=0,
            queue=50,
            duration=f"{seconds}s",
            ack="linux-modern",
            tcp={"timestamps": True, "initial_window": 10, "min_rto": "200ms"},
        )
        found = float(run.samples["acked"].iloc[-1]) * 1448 * 8e-6 / seconds
        words = f"{found:.3f} Mbit/s, {run.retransmissions} segments sent again"
        return abs(found / measured - 1) < tolerance, words

    return judge


# --- The entry ------------------------------------------------------------------------------------------------------


def _judged(judge: Callable[[], Judgement], study: str) -> Callable[[Data], Sequence[Finding]]:
    def findings(_data: Data) -> Sequence[Finding]:
        holds, words = judge()
        return [Finding(Outcome.REPRODUCED if holds else Outcome.NOT_REPRODUCED, words, study)]

    return findings


def _statements() -> list[Statement]:
    found: list[tuple[str, str, Callable[[], Judgement]]] = [
        ("CUBIC", "A loss cuts the window to 0.7 (RFC 9438 4.6), within 0.01.", _cuts_to_seven_tenths),
        (
            "CUBIC",
            "The window is back where it was after K = cbrt(W_max (1 - beta) / C) (RFC 9438 equation 2), within 5 %.",
            _regains_its_plateau_after_k,
        ),
        (
            "CUBIC",
            "Between losses the window is C (t - K)^3 + W_max (RFC 9438 equation 1), within 3 %.",
            _follows_its_function,
        ),
        ("CUBIC", f"The link is in use: 99 % from {FROM:g} s on.", _fills(cubic, 0.99)),
        (
            "BBR",
            "The pacing gain goes through 1.25 and 0.75 in each cycle (Cardwell et al. 2016), within 0.04.",
            _gains,
        ),
        (
            "BBR",
            "PROBE_RTT: the window is four segments for at least 200 ms, not sooner than ten seconds after the last "
            "time, and four to six times a minute (link of 1.2 Mbit/s).",
            _probes_the_rtt,
        ),
        ("BBR", f"The rate is the link's: 97 % from {FROM:g} s on.", _fills(bbr, 0.97)),
        (
            "BBR",
            "No queue stands: less than a tenth of the bandwidth-delay product, nothing dropped.",
            _keeps_the_queue_short,
        ),
    ]
    for variant, name, seconds, measured, tolerance in KERNEL:
        text = (
            f"{variant} for {seconds} s over a queue of 50 packets carries what Linux 6.18 does with {name}, "
            f"{number(measured)} Mbit/s, within {100 * tolerance:.0f} %."
        )
        found.append(("Linux", text, _as_linux(variant, seconds, measured, tolerance)))
    return [Statement(f"c{i}", text, _judged(judge, study)) for i, (study, text, judge) in enumerate(found, 1)]


def _thinned(rows: pd.DataFrame, every: int) -> pd.DataFrame:
    return rows.iloc[::every]


def _charts(_data: Data) -> list[Chart]:
    rows = _thinned(cubic().samples, 20)
    rows = rows[rows["t_s"] < 60]
    times: list[float] = []
    model: list[float] = []
    for plateau, epoch in _epochs():
        shown = _thinned(epoch[epoch["t_s"] < 60], 100)
        times += list(shown["t_s"])
        model += list(CUBIC_C * (_epoch_time(epoch)[shown.index] - _plateau_time(plateau)) ** 3 + plateau)
    textbook = Line("C (t - K)³ + W_max", times, model, reference=True)
    probing = bbr().samples
    some = _thinned(slow_bbr().samples, 2)
    near = probing[probing["t_s"].between(32, 36)]
    rate = _sending_rate(probing, 0.5 * RTT)[near.index].iloc[::5]
    return [
        Chart(
            "bottleneck-cubic",
            "CUBIC over a link of 1000 packets/s with 101 ms of round trip and a queue of 60 packets.",
            "time (s)",
            "window (segments)",
            [Panel("", [Line("CUBIC", list(rows["t_s"]), list(rows["cwnd"])), textbook])],
            kind="steps",
        ),
        Chart(
            "bottleneck-bbr-window",
            "BBR over a link of 100 packets/s: the window is two bandwidth-delay products (of 11 packets) and three "
            "packets, but for four segments every ten seconds.",
            "time (s)",
            "segments",
            [
                Panel(
                    "",
                    [
                        Line("window", list(some["t_s"]), list(some["cwnd"])),
                        Line("in flight", list(some["t_s"]), list(some["in_flight"])),
                    ],
                )
            ],
            kind="steps",
        ),
        Chart(
            "bottleneck-bbr-rate",
            "The gain cycle of BBR, 1000 packets/s: what it sends in half a round trip, over the rate of the link.",
            "time (s)",
            "sending rate / link rate",
            [Panel("", [Line("BBR", list(near["t_s"].iloc[::5]), list(rate))], band=(0.75, 1.25))],
            kind="steps",
        ),
    ]


BOTTLENECK = Entry(
    key="validation.bottleneck",
    title="CUBIC and BBR on one wired bottleneck",
    source="RFC 9438; Cardwell et al., ACM Queue 14 (2016); Linux 6.18, measured for this project",
    item="window and rate over time",
    description="One flow over a link of 12 Mbit/s (1000 packets of 1500 bytes a second) with 50 ms each way and a "
    "drop-tail queue: hopscope.bottleneck.",
    statements=_statements(),
    charts=_charts,
    notes=[
        "Linux was measured over a perfectly shared emulated radio hop, once each; here the channel time of the ACKs "
        "is added to that of the data. The kernel sent 54 segments again with reno.",
        "BBR asks for the smallest round-trip time again when it has not been seen for ten seconds. Where the queue "
        "empties in each gain cycle, as on the faster link, it is seen all the time and PROBE_RTT does not occur.",
    ],
)

ENTRIES = (BOTTLENECK,)
