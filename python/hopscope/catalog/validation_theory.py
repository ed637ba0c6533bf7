"""validation.bianchi and validation.airtime: the engine against closed-form results.

The saturation model and the frame durations are computed by `hopscope.models`, which shares no code with the engine.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from hopscope.models.airtime import dsss_airtime_ns, ofdm_airtime_ns
from hopscope.models.registry import model
from hopscope.report.chart import Chart, Line, Panel
from hopscope.results.comparisons import Verdict
from hopscope.results.samples import Data, NoSamplesError, Run, Table, show
from hopscope.results.stats import number
from hopscope.studies.entry import Entry, Quantity, Setting, Statement
from hopscope.studies.judge import each, mean_of, within
from hopscope.studies.verdict import Finding, Outcome

# --- Saturated cells ------------------------------------------------------------------------------------------------

IP_PACKET = 1500
UDP_PAYLOAD = IP_PACKET - 28

STATIONS = (5, 10, 20, 50)
RATES = {2_000_000: "dsss-2M", 11_000_000: "hr-dsss-11M"}
ACK_RATE = 2_000_000
TOLERANCE = 0.02


def cell_positions(stations: int, radius: float = 5.0) -> list[list[float]]:
    """A receiver in the middle (node 0) and stations evenly on a circle around it, in metres.

    Every station reaches the receiver with the same power, so no frame of a collision survives by capture.
    """
    circle = [
        [
            round(radius + radius * math.cos(2 * math.pi * i / stations), 6),
            round(radius + radius * math.sin(2 * math.pi * i / stations), 6),
        ]
        for i in range(stations)
    ]
    return [[radius, radius], *circle]


def model_throughput(stations: int, rate: int) -> float:
    """The model's saturation throughput in kbit/s, counting IP packets of 1500 B."""
    found = model("bianchi")(stations=stations, packet=IP_PACKET, rate=rate, control_rate=ACK_RATE, back_to_back=True)[
        "throughput_kbps"
    ]
    assert found is not None
    return found


def cell(stations: int, rate: int, *, entry: str, attempts: int = 1000) -> Setting:
    """A saturated cell as the model assumes it; with 1000 attempts hardly a frame is ever given up."""
    label = f"{stations} stations, {rate // 1_000_000} Mbit/s"
    return Setting(
        label,
        {
            "title": f"{entry} {label}",
            "duration": "105s",
            "warmup": "5s",
            "seeds": 5,
            "profile": "standard",
            "topology": {"kind": "positions", "positions": cell_positions(stations)},
            "radio": {"preset": RATES[rate]},
            "mac": {
                "rts_threshold": "off",
                "short_retry_limit": attempts,
                # A collision of the model lasts frame + DIFS for everybody.
                "eifs": "off",
            },
            "flow": [
                {"from": station, "to": 0, "transport": "udp", "app": "bulk", "packet": UDP_PAYLOAD}
                for station in range(1, stations + 1)
            ],
        },
    )


def network_throughput(run: Run) -> float:
    """Throughput of all flows counting 1500 B IP packets, kbit/s."""
    return float(run["network"]["aggregate_kbps"]) * IP_PACKET / UDP_PAYLOAD


_CELLS = [(stations, rate, cell(stations, rate, entry="validation.bianchi")) for rate in RATES for stations in STATIONS]


def _matches(stations: int, rate: int) -> Any:
    def check(table: Table) -> tuple[Verdict, str]:
        measured = table.interval(network_throughput)
        model = model_throughput(stations, rate)
        words = f"{show(measured)} against {number(model)} kbit/s: {100 * (measured.mean / model - 1):+.2f} %"
        return within(measured, model, TOLERANCE), words

    return check


def _only(study: Setting) -> Any:
    return lambda label: label == study.label


def _saturation_chart(data: Data) -> list[Chart]:
    panels = []
    for rate in RATES:
        places, values, errors = [], [], []
        for stations, cell_rate, study in _CELLS:
            if cell_rate != rate:
                continue
            try:
                measured = data[study.label].interval(network_throughput)
            except NoSamplesError:
                continue
            places.append(float(stations))
            values.append(measured.mean / 1000)
            errors.append(None if measured.ci95 is None else measured.ci95 / 1000)
        model = [float(n) for n in range(2, max(STATIONS) + 1)]
        curve = Line("Bianchi's model", model, [model_throughput(int(n), rate) / 1000 for n in model], reference=True)
        panels.append(
            Panel(f"{rate // 1_000_000} Mbit/s", [Line("Hopscope", places, values, errors, joined=False), curve])
        )
    return [
        Chart(
            "saturation-throughput",
            "Saturation throughput of one cell over the number of stations: engine and Bianchi's model, basic access.",
            "saturated stations n",
            "throughput (Mbit/s)",
            panels,
            own_axes=True,
        )
    ]


BIANCHI = Entry(
    key="validation.bianchi",
    title="Saturated cells against Bianchi's model",
    source="G. Bianchi, IEEE JSAC 18(3), 2000; with the back-to-back correction",
    item="saturation throughput, basic access, 1500 B packets",
    description="n stations on a circle of 5 m always have a 1500 B packet for the receiver in the middle; basic "
    "access, long preamble, ACK at 2 Mbit/s, profile standard.",
    settings=[study for _, _, study in _CELLS],
    quantities=[
        Quantity(
            "throughput",
            "kbit/s",
            mean_of(network_throughput),
            model_throughput(n, rate),
            "model",
            settings=_only(study),
        )
        for n, rate, study in _CELLS
    ],
    statements=[
        Statement(
            f"c{i}",
            f"{study.label}: throughput within {100 * TOLERANCE:.0f} % of the model.",
            each(_matches(n, rate), only=_only(study)),
        )
        for i, (n, rate, study) in enumerate(_CELLS, 1)
    ],
    charts=_saturation_chart,
    notes=[
        "To meet the model's assumptions EIFS is off (a collision costs frame + DIFS for everybody) and the retry "
        "limit is 1000 (the model never gives a frame up). All frames reach the receiver equally strong, so none is "
        "captured.",
        "After a collision its senders wait for the ACK time-out, which ends later than the DIFS of the others; the "
        "model starts all of them together.",
        "The correction for a winner that draws zero and sends again at once is part of the model's numbers; without "
        "it they differ by up to 1 %.",
    ],
)


# --- Frame durations ------------------------------------------------------------------------------------------------

_LONG_DSSS = (
    *((size, rate) for size in (14, 20) for rate in (1_000_000, 2_000_000)),
    *((1536, rate) for rate in (1_000_000, 2_000_000, 5_500_000, 11_000_000)),
)
_OFDM = (
    *((size, rate) for size in (14, 20) for rate in (6_000_000, 12_000_000, 24_000_000)),
    *((1536, rate) for rate in (6_000_000, 12_000_000, 24_000_000, 54_000_000)),
)
FRAMES = tuple(("hr-dsss-11M", size, rate, dsss_airtime_ns(size, rate)) for size, rate in _LONG_DSSS) + tuple(
    ("ofdm-54M", size, rate, ofdm_airtime_ns(size, rate)) for size, rate in _OFDM
)
"""(preset, frame bytes, bit/s, nanoseconds) of every frame compared."""

_NAMES = {14: "ACK or CTS (14 B)", 20: "RTS (20 B)", 1536: "data frame of 1536 B"}


def _takes(preset: str, size: int, rate: int, expected: int) -> Any:
    def judge(_data: Data) -> Sequence[Finding]:
        from hopscope import _core

        radio = json.dumps(json.loads(_core.base_config("standard", preset))["radio"])
        found = _core.frame_airtime_ns(radio, size, rate)
        outcome = Outcome.REPRODUCED if found == expected else Outcome.NOT_REPRODUCED
        return [Finding(outcome, f"{found} ns", preset)]

    return judge


AIRTIME = Entry(
    key="validation.airtime",
    title="Frame durations to the nanosecond",
    source="IEEE 802.11-2020, clauses 15, 16 and 17",
    item="DSSS and HR/DSSS with the long preamble, OFDM",
    description="The engine's duration of control and data frames against the clauses' formulas, written down "
    "separately in hopscope.models.airtime.",
    statements=[
        Statement(
            f"c{i}",
            f"{_NAMES[size]} at {rate / 1e6:g} Mbit/s with preset {preset}: {expected} ns.",
            _takes(preset, size, rate, expected),
        )
        for i, (preset, size, rate, expected) in enumerate(FRAMES, 1)
    ],
)

ENTRIES = (BIANCHI, AIRTIME)
