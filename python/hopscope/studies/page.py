"""The HTML page of a reproduction: measured beside published, each statement with its verdict and cause, figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from hopscope.report import wording
from hopscope.report.network import Network, distinct
from hopscope.report.page import NETWORKS, Gallery, pretty, write_page
from hopscope.studies.build import Study
from hopscope.studies.grids import measured_grid
from hopscope.studies.reproduce import EntryOutcome, Reproduction
from hopscope.studies.verdict import Outcome


def reproduction_page(outcome: Reproduction, folder: Path) -> Path:
    """Write `report.html` and the figures of a reproduction into `folder`; return the path of the page.

    Raises:
        StoreError: the folder cannot be written.
        RunFailed: the disk is full.
    """
    gallery = Gallery(folder, quick=outcome.quick)
    entries = [_entry_context(entry, gallery, quick=outcome.quick) for entry in outcome.entries]
    context = {
        "title": f"Reproduction of {', '.join(outcome.keys)}",
        "caution": outcome.caution[:1].upper() + outcome.caution[1:],
        "counts": _marks(outcome),
        "summary": outcome.summary,
        "failures": outcome.failures,
        "studies": [_study_context(outcome, study) for study in outcome.studies],
        "entries": entries,
        "command": outcome.command,
    }
    return write_page(folder / "report.html", "reproduction.html.j2", context)


def _study_context(outcome: Reproduction, study: Study) -> dict[str, Any]:
    """A study as a whole: what its authors are about, its main claims and what became of them."""
    return {
        "title": study.title,
        "source": study.source,
        "notes": [" ".join(paragraph.split()) for paragraph in study.notes.split("\n\n") if paragraph.strip()],
        "claims": [
            {
                "entry": key,
                "id": judged.statement.id,
                "text": judged.statement.text,
                "outcome": judged.outcome.value,
                "tone": judged.outcome.tone,
                "cause": judged.verdict.cause,
            }
            for key, judged in outcome.headline(study)
        ],
    }


def _entry_context(outcome: EntryOutcome, gallery: Gallery, *, quick: bool) -> dict[str, Any]:
    entry = outcome.entry
    return {
        "key": entry.key,
        "title": entry.title,
        "item": entry.item,
        "source": entry.source,
        "description": entry.description,
        "images": gallery.images([*outcome.charts, *_networks(outcome)], f"{entry.key}-"),
        "measured": measured_grid(outcome),
        "statements": [
            {
                "id": judged.statement.id,
                "text": judged.statement.text,
                "kind": judged.statement.kind,
                "fitted": judged.statement.fitted,
                "outcome": judged.outcome.value,
                "tone": judged.outcome.tone,
                "cause": judged.verdict.cause,
                "findings": [
                    {
                        "setting": finding.setting,
                        "contrast": not judged.decides(finding),
                        "outcome": finding.outcome.value,
                        "tone": finding.outcome.tone,
                        "measured": finding.measured,
                        "reason": finding.reason,
                    }
                    for finding in judged.findings
                ],
            }
            for judged in outcome.judged
        ],
        "notes": [*outcome.remarks, *entry.notes],
        "settings": [
            {
                "label": setting.label,
                "seeds": wording.seeds(outcome.results[setting.label]) if setting.label in outcome.results else "",
                "scenario": pretty(setting.document(quick=quick)),
            }
            for setting in entry.settings
        ],
        "counts": _marks(outcome),
    }


def _marks(outcome: Reproduction | EntryOutcome) -> list[dict[str, Any]]:
    """How many claims have which verdict, with its colour."""
    return [
        {"count": count, "outcome": found.value, "tone": found.tone}
        for found in Outcome
        if (count := outcome.count(found))
    ]


def _networks(outcome: EntryOutcome) -> list[Network]:
    """The networks of an entry that are not plain chains, each once."""
    found: list[Network] = []
    for label, result in outcome.results.items():
        bent = [p for p in result.scenario.points if p.resolved["topology"]["kind"] != "chain"]
        for network in distinct(bent, label, NETWORKS):
            if all((n.positions, n.flows) != (network.positions, network.flows) for n in found):
                found.append(replace(network, name=f"network-{len(found) + 1}"))
    return found[:NETWORKS]
