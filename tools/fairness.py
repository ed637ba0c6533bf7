"""What the page of zhang2006 shows besides its statements: its goals in figures, and how far each reading moves them.

Everything is computed from the runs of the study (`docs/_build/runs/zhang2006`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hopscope.campaign.store import open_store
from hopscope.results.samples import Metric, Run, Table, estimate, show
from hopscope.studies.reproduce import recall
from thinning import Grid, shown, tables_of

STUDY = "zhang2006"
ALONE, MIXED = "sensitivity", "sensitivity-mixed"
AS_READ = "as read"
GOALS = "sec6-6"

#: Sum (Mbit/s) and Jain's index of two NewReno flows with a window of 20 packets in ns-2.35, by ends and radio;
#: measured for this project over 5 to 10 seeds. Without capture any overlap is a loss there, as with a range here.
NS2 = {
    ("both IN at 110 ms", "capture"): (1.58, 0.999),
    ("IN and OUT at 110 ms", "capture"): (1.60, 0.528),
    ("IN and OUT at 60 ms", "capture"): (1.61, 0.528),
    ("both IN at 110 ms", "range 350 m"): (1.58, 0.999),
    ("IN and OUT at 110 ms", "range 350 m"): (1.60, 0.505),
    ("IN and OUT at 60 ms", "range 350 m"): (1.62, 0.503),
}


def total(run: Run) -> float:
    """Throughput of both flows while both are active, Mbit/s."""
    return 1e-3 * float(run["network"]["shared_kbps"])


def share(run: Run) -> float | None:
    """TCP's part of it, per cent."""
    both = run["network"]["shared_kbps"]
    return 100 * float(run["flows"][1]["shared_kbps"]) / both if both else None


#: Column head, entry and metric of each group of columns.
GROUPS: Sequence[tuple[str, str, Metric]] = (
    ("Jain", ALONE, "network.shared_jain"),
    ("sum (Mbit/s)", ALONE, total),
    ("TCP's share (%)", MIXED, share),
)


def change(table: Table, base: Table, metric: Metric) -> str:
    """By how much a reading moves a metric, paired by seed: with its interval, in brackets where that holds zero."""
    here, there = table.by_replica(metric), base.by_replica(metric)
    moved = [here[seed] - there[seed] for seed in sorted(here.keys() & there.keys())]
    return shown(estimate(moved)) if any(moved) else "="


def labels(names: Sequence[str]) -> Mapping[str, list[str]]:
    """The parts of labels in the order met: who runs where, how frames meet, the reading."""
    parts = [name.split(", ") for name in names]
    places = [", ".join(words[:-2]) for words in parts]
    return {
        "place": list(dict.fromkeys(places)),
        "air": list(dict.fromkeys(words[-2] for words in parts)),
        "reading": list(dict.fromkeys(words[-1] for words in parts)),
    }


def grid(entries: Mapping[str, Mapping[str, Table]]) -> Grid:
    """One row for each model of interference and reading; the first reading with its means, the others as changes."""
    found = {key: labels(list(tables)) for key, tables in entries.items()}
    head = ["radio", "reading"]
    for what, key, _ in GROUPS:
        head += [f"{what}: {place}" for place in found[key]["place"]]
    rows = []
    for air in found[ALONE]["air"]:
        for reading in found[ALONE]["reading"]:
            row = [air, reading]
            for _, key, metric in GROUPS:
                for place in found[key]["place"]:
                    table, base = (entries[key][f"{place}, {air}, {one}"] for one in (reading, AS_READ))
                    row.append(show(table.interval(metric)) if reading == AS_READ else change(table, base, metric))
            rows.append(row)
    return head, rows


def largest(entries: Mapping[str, Mapping[str, Table]]) -> Grid:
    """Smallest and largest mean of each column over all readings, with the readings that give them."""
    rows = []
    for what, key, metric in GROUPS:
        parts = labels(list(entries[key]))
        for place in parts["place"]:
            for air in parts["air"]:
                means = {one: entries[key][f"{place}, {air}, {one}"].mean(metric) for one in parts["reading"]}
                ends = [_end(means, pick) for pick in (min, max)]
                rows.append([what, place, air, f"{means[AS_READ]:.3g}", *ends])
    return ["result", "flows", "radio", AS_READ, "least of all readings", "largest"], rows


def _end(means: Mapping[str, float], pick: Callable[..., str]) -> str:
    reading = pick(means, key=lambda one: means[one])
    return f"{means[reading]:.3g} ({reading})"


def alone(tables: Mapping[str, Table]) -> Grid:
    """Goals G1 and G3: index and sum of two flows of each kind, and what the control carries more than TCP, paired."""
    rows = []
    for air in ("capture", "range 350 m"):
        for place in (label.removesuffix(f", {air}").removeprefix("TCP, ") for label in tables if _is_pair(label, air)):
            tcp, dccp, whole = (tables[f"{kind}, {place}, {air}"] for kind in ("TCP", "DCCP", "reliable DCCP"))
            ns2 = NS2.get((place, air))
            row = [air, place]
            row += [show(one.interval("network.shared_jain")) for one in (tcp, dccp, whole)]
            row += [f"{ns2[1]:.3f}" if ns2 else "", *(show(one.interval(total)) for one in (tcp, dccp, whole))]
            row += [f"{ns2[0]:.2f}" if ns2 else "", *(change(one, tcp, total) for one in (dccp, whole))]
            rows.append(row)
    kinds = ("TCP", "DCCP", "reliable DCCP", "TCP in ns-2.35")
    head = [f"{what}: {kind}" for what in ("Jain", "sum (Mbit/s)") for kind in kinds]
    return ["radio", "flows", *head, "DCCP less TCP", "reliable DCCP less TCP"], rows


def _is_pair(label: str, air: str) -> bool:
    return label.startswith("TCP, ") and label.endswith(f", {air}")


def mixed(tables: Mapping[str, Table]) -> Grid:
    """Goal G2: Jain's index of TCP with the control less that of two TCP flows with the same ends, paired."""
    rows = []
    for label, table in tables.items():
        if not label.startswith("TCP beside "):
            continue
        layer, place, air = label.removeprefix("TCP beside ").split(", ")
        ends = place if place.startswith("both") else "IN and OUT at 110 ms"
        base, ns2 = tables[f"TCP, {ends}, {air}"], NS2.get((ends, air))
        means = [show(one.interval("network.shared_jain")) for one in (table, base)]
        reference = f"{ns2[1]:.3f}" if ns2 else ""
        moved = change(table, base, "network.shared_jain")
        rows.append([air, place, layer, show(table.interval(share)), *means, reference, moved])
    head = [
        "radio",
        "flows",
        "layer",
        "TCP's share (%)",
        "Jain",
        "Jain of two TCP flows",
        "the same in ns-2.35",
        "change",
    ]
    return head, sorted(rows, key=lambda row: row[0] != "capture")


def fairness(runs: Path) -> dict[str, Grid]:
    """The tables of the page by name."""
    whole = recall(open_store(runs / STUDY))
    assert whole is not None
    outcomes = {outcome.entry.key.partition(".")[2]: outcome for outcome in whole.entries}
    tables = {key: tables_of(outcomes[key].entry, outcomes[key].results) for key in (ALONE, MIXED, GOALS)}
    entries, goals = {key: tables[key] for key in (ALONE, MIXED)}, tables[GOALS]
    return {
        "alone": alone(goals),
        "mixed": mixed(goals),
        "sensitivity": grid(entries),
        "sensitivity-ends": largest(entries),
    }
