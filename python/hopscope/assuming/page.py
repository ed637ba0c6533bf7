"""The HTML page of a search for readings: the front, what each assumption does, and what acts together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hopscope.assuming import words
from hopscope.assuming.search import Found
from hopscope.reporting import page
from hopscope.reporting.chart import Chart, Line, Panel
from hopscope.reporting.wording import Column, Grid
from hopscope.scenario.assumptions import Assumption


def write_page(found: Found, assumptions: Sequence[Assumption], title: str, folder: Path) -> Path:
    """Write `report.html` with its figure into `folder`; return the path of the page.

    Raises:
        StoreError: the folder cannot be written.
        RunFailed: the disk is full.
    """
    names, rows = words.effects(found)
    context = {
        "title": f"Readings: {title}",
        "sentence": words.sentence(found),
        "difference": words.difference(found).splitlines(),
        "front": words.front(found),
        "images": page.Gallery(folder, quick=False).images([front_chart(found)], ""),
        "assumptions": _grounds(assumptions, found),
        "statements": names,
        "effects": rows,
        "interactions": words.interactions(found),
        "share": f"{len(found.joint)} of {found.combinations} combinations of the assumptions that act",
    }
    return page.write_page(folder / "report.html", "readings.html.j2", context)


def front_chart(found: Found) -> Chart:
    """Statements that hold over the weight of the departures, for both halves of the front."""
    others = frozenset(found.plain.states) - found.chosen
    weights = [one.reading.weight for one in found.front]
    lines = [
        Line(label, weights, [one.count("holds", half) for one in found.front])
        for label, half in (("chosen half", found.chosen), ("other half", others))
    ]
    caption = "The front of readings: statements that hold over the weight of what is assumed beyond the plain reading."
    return Chart("front", caption, "weight of the departures", "statements that hold", [Panel("", lines)])


def _grounds(assumptions: Sequence[Assumption], found: Found) -> Grid:
    inert = {assumption.name for assumption in found.inert}
    rows = [
        [
            a.question,
            "the plain value" if c is a.plain else c.ground,
            c.name,
            f"{c.weight:g}",
            c.because or ("changes no chosen verdict, whatever its value" if a.name in inert else ""),
        ]
        for a in assumptions
        for c in a.choices
    ]
    return Grid(
        [Column("question"), Column("ground"), Column("value"), Column("weight", number=True), Column("")], rows
    )
