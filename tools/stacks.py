"""What the pages show of flows on real kernels: next to the engine's own TCP, and next to what anastasi2006 published.

The kernels were measured by bench/kernels.py; the engine's runs are those of `hopscope reproduce validation`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from typing import Any

from hopscope import studies
from hopscope.results.samples import Estimate, show
from hopscope.results.stats import number, rounded
from hopscope.studies.entry import Entry, Quantity
from hopscope_studies import FOLDER

Grid = tuple[list[str], list[list[str]]]

GOODPUT, AGAIN = "goodput", "sent again"

#: Tables of anastasi2006 with throughput and retransmission index, by protocol.
TABLES = {"aodv": ("table1", "table2"), "olsr": ("table3", "table4")}
#: Protocol of the tables next to which a routing stands, and its name.
ROUTINGS = {"static": ("", "static"), "aodv": ("aodv", "AODV"), "olsr": ("olsr", "OLSR"), "olsrd": ("olsr", "olsrd")}


def comparison(found: Mapping[str, Any]) -> Grid:
    """`validation.kernel` cell by cell: both goodputs, how far apart they are, the verdict, and what was sent again."""
    rows = []
    for label, numbers in cells(found["key"]):
        goodput, again = numbers[GOODPUT], numbers.get(AGAIN)
        ours = of_engine(found, label, GOODPUT)
        if ours is None:
            continue
        apart = f"{100 * (ours.mean / (goodput.published or 1.0) - 1):+.2f} %"
        allowed, verdict = evaluated(found, label)
        rows.append([label, show(ours), of_kernel(goodput), apart, allowed, verdict, sent_again(found, label, again)])
    head = [
        "flow",
        "engine (kbit/s)",
        "kernel (kbit/s)",
        "apart",
        "allowed",
        "verdict",
        "sent again, engine and kernel (%)",
    ]
    return head, rows


def testbed(found: Mapping[str, Any]) -> dict[str, Grid]:
    """`validation.kernel-testbed` next to the tables of anastasi2006: throughput and retransmission index."""
    grids = {}
    head = ["routing", "hops", "window", "engine", "kernel", "published"]
    for name, metric, place in (("throughput", GOODPUT, 0), ("again", AGAIN, 1)):
        rows = []
        for label, numbers in cells(found["key"]):
            routing, hops, window = (part.split()[-1] for part in label.split(", "))
            protocol, word = ROUTINGS[routing]
            said = printed(TABLES[protocol][place], protocol, hops, window) if protocol else ""
            ours = of_engine(found, label, metric)
            kernel = of_kernel(numbers[metric]) if metric in numbers else "-"
            rows.append([word, hops, window, show(ours) if ours else "-", kernel, said])
        grids[name] = (head, rows)
    return grids


def cells(key: str) -> Iterator[tuple[str, dict[str, Quantity]]]:
    """The settings of an entry with their quantities by name."""
    entry: Entry
    [entry] = studies.find([key])
    for setting in entry.settings:
        yield setting.label, {one.label: one for one in entry.quantities if one.settings(setting.label)}


def of_engine(found: Mapping[str, Any], label: str, metric: str) -> Estimate | None:
    """What the engine's runs of a setting gave; None: no run has it."""
    for quantity in found["quantities"]:
        if quantity["label"] == metric and label in quantity["measured"]:
            return Estimate(**quantity["measured"][label])
    return None


def of_kernel(quantity: Quantity) -> str:
    """What the kernels gave, with the interval."""
    return rounded(quantity.published or 0.0, quantity.spread or 0.0)


def sent_again(found: Mapping[str, Any], label: str, quantity: Quantity | None) -> str:
    ours = of_engine(found, label, AGAIN)
    return f"{number(ours.mean) if ours else '-'}; {number(quantity.published or 0.0) if quantity else '-'}"


def evaluated(found: Mapping[str, Any], label: str) -> tuple[str, str]:
    """How far the means of a setting may be apart, and the verdict; blank where nothing is asked."""
    for statement in found["statements"]:
        if statement["text"].startswith(f"{label}: "):
            return statement["text"].partition(" within ")[2].partition(" of ")[0], statement["outcome"]
    return "", "stated"


def printed(table: str, protocol: str, hops: str, window: str) -> str:
    """A cell of the published tables: the mean with the smallest and the largest of five runs."""
    at = f"routing={protocol} hops={hops} cbr=no window={window}"
    with (FOLDER / "anastasi2006" / "published.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if (row["table"], row["at"]) == (table, at):
                return f"{float(row['value']):g} ({float(row['low']):g} to {float(row['high']):g})"
    return ""
