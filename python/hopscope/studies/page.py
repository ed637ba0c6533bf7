"""The HTML page of a reproduction: measured and published, each statement with its verdict and cause, figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from hopscope.reporting import wording
from hopscope.reporting.network import Network, distinct
from hopscope.reporting.page import NETWORKS, Gallery, write_large_page
from hopscope.studies.grids import measured_grid
from hopscope.studies.reproduce import EntryOutcome, Reproduction
from hopscope.studies.verdict import Outcome


def reproduction_page(outcome: Reproduction, folder: Path) -> Path:
    """Write `report.html` and the figures of a reproduction into `folder`; return the path of the page.

    Raises:
        StoreError: the folder cannot be written.
        RunFailed: the disk is full.
    """
    gallery = Gallery(folder, quick=outcome.quick, embed=False)
    entries = [_entry_context(entry, gallery, quick=outcome.quick) for entry in outcome.entries]
    context = {
        "title": f"Reproduction of {', '.join(outcome.keys)}",
        "caution": outcome.caution[:1].upper() + outcome.caution[1:],
        "outcome": outcome,
        "verdicts": list(Outcome),
        "entries": entries,
    }
    images = [image for entry in entries for image in entry["images"]]
    return write_large_page(folder / "report.html", "reproduction.html.j2", context, images)


def _entry_context(outcome: EntryOutcome, gallery: Gallery, *, quick: bool) -> dict[str, Any]:
    """What the page needs of an entry besides the outcome: its figures, its table and its scenarios as text."""
    entry, ran = outcome.entry, outcome.results
    documents = {one.label: ran[one.label].scenario.document if quick else one.document() for one in entry.settings}
    return {
        "outcome": outcome,
        "images": gallery.images([*outcome.charts, *_networks(outcome)], f"{entry.key}-"),
        "measured": measured_grid(outcome),
        "seeds": {label: wording.seeds(result) for label, result in ran.items()},
        "scenarios": wording.scenarios(documents),
    }


def _networks(outcome: EntryOutcome) -> list[Network]:
    """The networks of an entry that are not plain chains, each once."""
    found: list[Network] = []
    for label, result in outcome.results.items():
        bent = [p for p in result.scenario.points if p.resolved["topology"]["kind"] != "chain"]
        for network in distinct(bent, label, NETWORKS):
            if all((n.positions, n.flows) != (network.positions, network.flows) for n in found):
                found.append(replace(network, name=f"network-{len(found) + 1}"))
    return found[:NETWORKS]
