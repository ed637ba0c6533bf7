"""Measures flows of real Linux kernels over the engine's radio, for the studies that compare with them.

    sudo python bench/kernels.py kernel [--runs 10] [--at-once 8] [--only REGEX]
    sudo python bench/kernels.py kernel-testbed --runs 5

The scenarios are those of `studies/validation/9b-kernel.toml`: the k-th run of a cell has the k-th seed. Each run adds
a line to `bench/kernel-runs/CAMPAIGN.csv`, and what stands there is not measured again: a campaign goes on where it
was ended. Runs that missed real time are measured again, and left out. At the end, or with `--runs 0`, all lines become
`studies/validation/CAMPAIGN.csv`.

Several networks run at once, each in a process of its own. One takes 2 to 4 % of a core; the machine has to be quiet
otherwise. Exit status 1 if a run failed or missed real time.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import multiprocessing
import os
import re
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hopscope.errors import HopscopeError, counted
from hopscope.studies.build import read_study
from hopscope_studies import FOLDER
from measure import machine, note

RUNS = Path(__file__).resolve().parent / "kernel-runs"
STUDY = "validation"

#: Columns of a run behind those of its cell: what the flow did, how late the radio was, when and on what it ran.
RUN = (
    "seed", "goodput_kbps", "again_pct", "problem", "verdict", "late_p50_us", "late_p99_us", "late_max_us",
    "above_1ms_pct", "date", "kernel",
)  # fmt: skip
METRICS = ("goodput_kbps", "again_pct")
MISSED = "missed"

Cell = tuple[str, ...]


@dataclass(frozen=True)
class Campaign:
    """What is measured for one entry of the study.

    Attributes:
        columns: what distinguishes its cells.
        cells: their values.
        about: lines for the head of its file.
        live: changes the scenario of a cell for kernels.
    """

    columns: tuple[str, ...]
    cells: tuple[Cell, ...]
    about: tuple[str, ...]
    live: Callable[[Mapping[str, Any], Mapping[str, str]], dict[str, Any]]


def as_it_is(document: Mapping[str, Any], _cell: Mapping[str, str]) -> dict[str, Any]:
    """The scenario that the engine runs, too."""
    return dict(document)


def with_daemons(document: Mapping[str, Any], cell: Mapping[str, str]) -> dict[str, Any]:
    """The same with a daemon at each node where the routing is none of the engine's."""
    if cell["routing"] != "olsrd":
        return dict(document)
    return {**document, "routing": {"protocol": "static"}, "node": [{"routing": "olsrd"}]}


CAMPAIGNS = {
    "kernel": Campaign(
        ("control", "hops", "window"),
        tuple(itertools.product(("cubic", "reno", "bbr"), "12345", ("2", "4", "8", "none"))),
        (
            "Chains of 1 to 5 hops at 2 Mbit/s, one flow over all of them with a congestion control of the kernel.",
            "window: what the receiver offers, in segments of 1448 bytes; none: no limit.",
        ),
        as_it_is,
    ),
    "kernel-testbed": Campaign(
        ("routing", "hops", "window"),
        tuple(itertools.product(("static", "aodv", "olsr", "olsrd"), "1234", ("2", "3", "4", "32"))),
        (
            "Chains of anastasi2006's testbed, one Reno flow of the kernel over all hops. routing: static, AODV or",
            "OLSR of the engine, or olsrd at each node (github.com/OLSR/olsrd, 3653c47). window is what the receiver",
            "offers, in segments of 1460 bytes.",
        ),
        with_daemons,
    ),
}


def main() -> int:
    args = asked()
    campaign, file = CAMPAIGNS[args.campaign], RUNS / f"{args.campaign}.csv"
    rows = read(file)
    failed = 0
    if wanted := missing(campaign, rows, args.runs, args.only):
        failed = measure_all(args.campaign, wanted, file, args.at_once)
        rows = read(file)
    place = FOLDER / STUDY / f"{args.campaign}.csv"
    place.write_text(table(campaign, rows, args.campaign), encoding="utf-8")
    note(f"{place}: {in_words(rows)}")
    return 1 if failed or missing(campaign, rows, args.runs, args.only) else 0


def asked() -> argparse.Namespace:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("campaign", choices=CAMPAIGNS)
    parser.add_argument("--runs", type=int, default=10, help="runs of each cell (0: only write the file)")
    parser.add_argument("--at-once", type=int, default=8, help="networks at once")
    parser.add_argument(
        "--only", type=re.compile, default=re.compile(""), help="cells whose values match: 'cubic 3 none'"
    )
    return parser.parse_args()


# --- Runs ---------------------------------------------------------------------------------------------------------


def read(file: Path) -> list[dict[str, str]]:
    """The runs of a file; none where it is not there yet."""
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def cell_of(campaign: Campaign, row: Mapping[str, str]) -> Cell:
    return tuple(row[column] for column in campaign.columns)


def missing(
    campaign: Campaign, rows: Iterable[Mapping[str, str]], runs: int, only: re.Pattern[str]
) -> list[tuple[Cell, int]]:
    """The runs that no line in time stands for: first the first of every cell."""
    there = {(cell_of(campaign, row), int(row["seed"])) for row in rows if row["verdict"] != MISSED}
    cells = [cell for cell in campaign.cells if only.search(" ".join(cell))]
    return [(cell, seed) for seed in range(1, runs + 1) for cell in cells if (cell, seed) not in there]


def measure_all(name: str, wanted: Sequence[tuple[Cell, int]], file: Path, at_once: int) -> int:
    """Measures runs, several at once, and adds a line for each; returns how many failed."""
    campaign = CAMPAIGNS[name]
    documents = scenarios(name)
    failed = 0
    # A process of its own: threads that were forked know nothing of each other's locks.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(at_once, mp_context=context)
    try:
        pending = {pool.submit(measure, documents[cell], seed): (cell, seed) for cell, seed in wanted}
        for place, done in enumerate(as_completed(pending), 1):
            cell, seed = pending[done]
            words = f"{place} of {len(wanted)}: {' '.join(cell)}, seed {seed}"
            try:
                found = done.result()
            except HopscopeError as error:
                note(f"{words}: {error}")
                failed += 1
                continue
            add(file, dict(zip(campaign.columns, cell, strict=True)) | found)
            note(f"{words}: {found['goodput_kbps']} kbit/s, {found['verdict']}, p99 {found['late_p99_us']} us")
    finally:
        # After Ctrl-C only the runs that are under way end.
        pool.shutdown(cancel_futures=True)
    return failed


def scenarios(name: str) -> dict[Cell, dict[str, Any]]:
    """The scenario of each cell, from the study: read with numbers in place of those that are yet to be measured."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / STUDY
        shutil.copytree(FOLDER / STUDY, folder)
        for other, campaign in CAMPAIGNS.items():
            rows = [[*cell, metric, 1, 1, 1, 1, 0] for cell in campaign.cells for metric in METRICS]
            write(folder / f"{other}.csv", campaign, rows)
        study = read_study(folder, trusted=True)
    [entry] = [entry for entry in study.entries if entry.key == f"{STUDY}.{name}"]
    campaign = CAMPAIGNS[name]
    return {
        cell: campaign.live(setting.document(), dict(zip(campaign.columns, cell, strict=True)))
        for cell, setting in zip(campaign.cells, entry.settings, strict=True)
    }


def measure(document: Mapping[str, Any], seed: int) -> dict[str, str]:
    """One run of a scenario with one flow on kernels."""
    from hopscope.live import LiveOptions, Session
    from hopscope.tracing.pick import pick

    with Session(pick(document, seed=seed), LiveOptions()) as session:
        session.start()
        session.wait()
        found = session.finish()
    [flow] = found["flows"]
    radio = found["radio"]
    late = radio["lateness_us"]
    arrived = flow["received_packets"]
    return {
        "seed": str(seed),
        "goodput_kbps": f"{flow['throughput_kbps']:.6g}",
        "again_pct": f"{100 * flow['retransmitted_packets'] / arrived:.4g}" if arrived else "",
        "problem": flow["note"] or "",
        "verdict": radio["verdict"],
        **{f"late_{which}_us": f"{late[which]:.0f}" for which in ("p50", "p99", "max")},
        "above_1ms_pct": f"{100 * radio['share_above_1ms']:.3g}",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "kernel": os.uname().release,
    }


def add(file: Path, row: Mapping[str, str]) -> None:
    """Adds a line, and the head where there is none."""
    file.parent.mkdir(exist_ok=True)
    is_new = not file.is_file()
    with file.open("a", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(row), lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)


# --- The file of the study ----------------------------------------------------------------------------------------


def table(campaign: Campaign, rows: Sequence[Mapping[str, str]], name: str) -> str:
    """The file of the study: mean and spread of the runs of each cell that were in time."""
    kept = [row for row in rows if row["verdict"] != MISSED]
    systems = ", ".join(sorted({row["kernel"] for row in kept}))
    about = [
        *campaign.about,
        f"Linux {systems}; {machine()}; {' to '.join(ends(row['date'] for row in kept))}.",
        f"Command: sudo python bench/kernels.py {name}. {in_words(rows)}.",
        "goodput_kbps: payload that the receiving application read, in kbit/s. again_pct: segments sent again, of",
        "those that arrived, in per cent. n, mean, min, max, sd: over n runs.",
    ]
    lines = []
    for cell, metric in itertools.product(campaign.cells, METRICS):
        values = [float(row[metric]) for row in kept if cell_of(campaign, row) == cell and row[metric]]
        if len(values) > 1:
            mean, sd = statistics.fmean(values), statistics.stdev(values)
            numbers = (f"{value:.6g}" for value in (mean, min(values), max(values), sd))
            lines.append([*cell, metric, len(values), *numbers])
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "table.csv"
        write(file, campaign, lines)
        return "".join(f"# {line}\n" for line in about) + file.read_text(encoding="utf-8")


def write(file: Path, campaign: Campaign, rows: Iterable[Sequence[Any]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow([*campaign.columns, "metric", "n", "mean", "min", "max", "sd"])
        writer.writerows(rows)


def ends(values: Iterable[str]) -> list[str]:
    """The first and the last of some values; one alone where they are the same."""
    found = sorted(set(values))
    return found if len(found) < 2 else [found[0], found[-1]]


def in_words(rows: Sequence[Mapping[str, str]]) -> str:
    """How many runs there are, and how many of them were in time."""
    verdicts = Counter(row["verdict"] for row in rows)
    order = ("ok", "degraded", MISSED)
    words = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in order if verdicts[verdict])
    missed = verdicts[MISSED]
    left = f"; {counted(missed, 'run')} that missed real time left out" if missed else ""
    return f"{counted(len(rows), 'run')}: {words}{left}" if rows else "no runs"


if __name__ == "__main__":
    sys.exit(main())
