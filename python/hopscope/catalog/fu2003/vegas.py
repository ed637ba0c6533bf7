"""fu2003, section 6: Vegas against NewReno over chains."""

from __future__ import annotations

from hopscope.catalog.fu2003.pacing import MEAN_WINDOW
from hopscope.catalog.fu2003.shared import CHAIN, HOPS, PROFILE_NOTE, SOURCE, THROUGHPUT, profiles
from hopscope.results.comparisons import Verdict, gain
from hopscope.results.samples import Table, show
from hopscope.studies.charts import sweep
from hopscope.studies.entry import Entry, Quantity, Statement
from hopscope.studies.judge import between, each, every, mean_of

_TRANSPORT = "flow.0.transport"
_NEWRENO, _VEGAS = "tcp-newreno", "tcp-vegas"
_HOPS = [3, 4, 5, 6, 9, 12, 16, 24]
_PLACES = ({_TRANSPORT: _VEGAS}, {_TRANSPORT: _NEWRENO})


def _compared(table: Table, low: float, high: float, *, short: bool) -> tuple[Verdict, str]:
    """Whether what Vegas carries more than NewReno lies between two percentages at short or at long paths."""
    found = {
        hops: gain(table, THROUGHPUT, *({**place, HOPS: hops} for place in _PLACES))
        for hops in table.values(HOPS)
        if (hops <= 6 if short else hops >= 9)
    }
    words = "Vegas over NewReno " + "; ".join(f"{hops} hops: {show(value, '%')}" for hops, value in found.items())
    return every(between(value, low, high) for value in found.values()), words


def _alike(table: Table) -> tuple[Verdict, str]:
    return _compared(table, -10, 10, short=True)


def _worse(table: Table) -> tuple[Verdict, str]:
    return _compared(table, -20, -10, short=False)


def _small_window(table: Table) -> tuple[Verdict, str]:
    window = table.interval(MEAN_WINDOW, {HOPS: 16, _TRANSPORT: _VEGAS})
    return between(window, 2.5, 3.5), f"{show(window)} packets at 16 hops"


VEGAS = Entry(
    key="fu2003.sec6-vegas",
    title="Vegas against NewReno over chains",
    source=SOURCE,
    item="Section 6",
    description="One flow over chains of 3 to 24 hops with TCP Vegas and with NewReno.",
    settings=profiles(
        {**CHAIN, "sweep": {HOPS: _HOPS, _TRANSPORT: [_NEWRENO, _VEGAS]}},
        quick={"sweep": {HOPS: [4, 9, 16], _TRANSPORT: [_NEWRENO, _VEGAS]}},
        label="Vegas",
    ),
    quantities=[
        Quantity(
            "mean window of Vegas, 16 hops", "segments", mean_of(MEAN_WINDOW, {HOPS: 16, _TRANSPORT: _VEGAS}), 3, "text"
        ),
        *(
            Quantity(
                f"throughput, {hops} hops, {name}",
                "kbit/s",
                mean_of(THROUGHPUT, {HOPS: hops, _TRANSPORT: transport}),
                None,
                "no number printed",
            )
            for hops in _HOPS
            for name, transport in (("NewReno", _NEWRENO), ("Vegas", _VEGAS))
        ),
    ],
    statements=[
        Statement("c1", "Up to 6 hops both carry about the same (judged: within 10 %).", each(_alike)),
        Statement("c2", "From 9 hops on Vegas carries 10 to 20 % less.", each(_worse)),
        Statement(
            "c3",
            "The window of Vegas is about 3 packets on average, even over 16 hops (judged: 2.5 to 3.5).",
            each(_small_window),
        ),
    ],
    charts=lambda data: [
        sweep(
            data,
            name="throughput-over-hops",
            caption="Throughput of one Vegas or NewReno flow over the length of the chain.",
            x=HOPS,
            y=THROUGHPUT,
            lines={"NewReno": {_TRANSPORT: _NEWRENO}, "Vegas": {_TRANSPORT: _VEGAS}},
            xlabel="path length h (hops)",
            ylabel="throughput (kbit/s)",
        )
    ],
    notes=[PROFILE_NOTE, "Vegas runs with alpha 1, beta 3 and gamma 1 packets, ns-2's values; the paper gives none."],
)
