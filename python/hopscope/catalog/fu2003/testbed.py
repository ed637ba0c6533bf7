"""fu2003, Figure 3: the testbed of eight laptops, emulated by channel errors."""

from __future__ import annotations

from typing import Any

from hopscope.catalog.fu2003.shared import CHAIN, SOURCE, THROUGHPUT, UNPRINTED, WINDOW, chain, flow
from hopscope.results.comparisons import Verdict, best, difference, gain
from hopscope.results.samples import Table, show
from hopscope.studies.charts import sweep
from hopscope.studies.entry import Entry, Quantity, Setting, Statement
from hopscope.studies.judge import each, every, mean_of

_ERRORS = "radio.error.per"
_RATES = [0.0, 0.01, 0.03, 0.05]
_WINDOWS = [1, 2, 3, 4, 6, 8, 16, 32]
_ACKS = {"ACK for every packet": "every", "delayed ACKs of Linux": "linux"}


def _study(label: str, ack: str) -> Setting:
    scenario: dict[str, Any] = {
        **CHAIN,
        "title": f"fu2003 testbed, {label}",
        "profile": "standard",
        "topology": chain(7),
        "radio": {**CHAIN["radio"], "error": {"kind": "uniform", "per": 0.01, "applies_to": "data"}},
        "flow": [flow(0, "last", ack=ack)],
        "sweep": {_ERRORS: _RATES, WINDOW: _WINDOWS},
    }
    return Setting(label, scenario, {"seeds": 1, "sweep": {_ERRORS: [0.0, 0.03], WINDOW: [1, 3, 4, 8, 32]}})


def _same_shape(table: Table) -> tuple[Verdict, str]:
    """At every error rate: best at 3, less at the largest window."""
    verdicts: list[Verdict] = []
    words = []
    for rate in (rate for rate in table.values(_ERRORS) if rate > 0):
        peak = best(table, WINDOW, THROUGHPUT, {_ERRORS: rate})
        fall = difference(table, THROUGHPUT, {_ERRORS: rate, WINDOW: 32}, {_ERRORS: rate, WINDOW: 3})
        verdicts += [peak.has(3), fall.is_lower]
        words.append(f"{rate:.0%} lost: {peak.words('kbit/s')}; 32 minus 3: {fall.words('kbit/s')}")
    return every(verdicts), "; ".join(words)


def _a_tenth_less(table: Table) -> tuple[Verdict, str]:
    costs = {
        rate: gain(table, THROUGHPUT, {_ERRORS: rate, WINDOW: 3}, {_ERRORS: 0.0, WINDOW: 3})
        for rate in table.values(_ERRORS)
        if rate > 0
    }
    words = "; ".join(f"{rate:.0%} lost: {show(cost, '%')}" for rate, cost in costs.items())
    return any(-15 <= cost.mean <= -5 for cost in costs.values()), f"at a window of 3, {words}"


FIG3 = Entry(
    key="fu2003.fig3",
    title="Throughput over the window in the testbed",
    source=SOURCE,
    item="Figure 3",
    description="Eight laptops in a chain of 7 hops, emulated: profile standard with 1, 3 and 5 % of the data frames "
    "lost to channel errors, over the receiver window, with the ACK policies that the hosts may have had.",
    settings=[_study(label, ack) for label, ack in _ACKS.items()],
    quantities=[
        Quantity(
            f"throughput at window {window}, {rate:.0%} lost",
            "kbit/s",
            mean_of(THROUGHPUT, {WINDOW: window, _ERRORS: rate}),
            None,
            UNPRINTED,
        )
        for rate in _RATES
        for window in (1, 3, 32)
    ],
    statements=[
        Statement(
            "c1",
            "The curve has the shape of the simulated one, with the best window at 3 (judged under either ACK "
            "policy: at each error rate best at 3 and less at 32; undecided when another is best within noise).",
            each(_same_shape),
        ),
        Statement(
            "c2",
            "Throughput is about 10 % off the simulated one, for packet errors (judged under either ACK policy: at "
            "some error rate 5 to 15 % less than without errors, at a window of 3).",
            each(_a_tenth_less),
        ),
    ],
    charts=lambda data: [
        sweep(
            data,
            name="throughput-over-window",
            caption="Throughput of one NewReno flow over the receiver window, 7-hop chain with channel errors.",
            x=WINDOW,
            y=THROUGHPUT,
            by=(_ERRORS, "{:.0%}"),
            xlabel="receiver window (packets)",
            ylabel="throughput (kbit/s)",
            guides=[(3, "published best: 3")],
            legend_title="data frames lost",
        )
    ],
    notes=[
        "A testbed cannot be repeated in simulation: only the effect that the paper names, packet errors, is put in. "
        "Its rates are assumed; none is chosen to fit.",
        "The hosts ran Linux 2.4.3, which delays ACKs; the paper does not say so. Both policies are run. Distances and "
        "ranges are those of the simulations.",
    ],
)
