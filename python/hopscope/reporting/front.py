"""The trade-off between two objectives as sentences, a table and a figure, from what ``--json`` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hopscope.reporting.axis import headings
from hopscope.reporting.chart import Chart, Line, Panel
from hopscope.reporting.search import plain
from hopscope.reporting.wording import Column, Grid
from hopscope.results.stats import interval_text
from hopscope.scenario.naming import in_words, spoken

Case = Mapping[str, Any]

#: Verdicts in words.
VERDICTS = {"front": "on the front", "within noise": "within noise of the front"}


def title(reported: Mapping[str, Any]) -> str:
    """What is traded for what."""
    first, second = (f"{_sense(one)} {one['name']}" for one in reported["objectives"])
    return f"{first} against {second}"


def on_front(case: Case) -> list[Mapping[str, Any]]:
    """The values on the front, in the order of the second objective."""
    return sorted(
        (v for v in case["values"] if v["verdict"] == "front"), key=lambda v: float(v["objectives"][1]["mean"])
    )


def sentence(case: Case) -> str:
    """The front in one line."""
    front = on_front(case)
    ends = " to ".join(dict.fromkeys(spoken(value["set"]) for value in (front[0], front[-1])))
    return f"{len(front)} of {len(case['values'])} values are on the front: {ends}"


def grid(case: Case, reported: Mapping[str, Any]) -> Grid:
    """Every value with both objectives and its verdict."""
    keys = list(case["values"][0]["set"])
    names = headings({key: [value["set"][key] for value in case["values"]] for key in keys})
    rows = [
        [
            *(plain(value["set"][key]) for key in keys),
            *(interval_text(objective) for objective in value["objectives"]),
            VERDICTS.get(value["verdict"]) or f"dominated by {', '.join(plain(x) for x in value['by'].values())}",
        ]
        for value in case["values"]
    ]
    columns = [Column(name, number=True, key=key) for key, name in names.items()]
    return Grid(
        [*columns, *(Column(_label(one), number=True) for one in reported["objectives"]), Column("verdict")], rows, ""
    )


def chart(reported: Mapping[str, Any]) -> Chart:
    """The first objective over the second: the front as a line, the other values as points."""
    first, second = reported["objectives"]
    panels = []
    for case in reported["cases"]:
        front = on_front(case)
        rest = [v for v in case["values"] if v["verdict"] != "front" and all(o["n"] for o in v["objectives"])]
        lines = [_line("front", front, joined=True), *([_line("other values", rest, joined=False)] if rest else [])]
        panels.append(Panel(spoken(case["set"]) if case["set"] else "", lines))
    over = ", ".join(map(in_words, reported["over"]))
    caption = (
        f"{title(reported)[:1].upper()}{title(reported)[1:]} over {over}: means, with 95 % intervals of the first."
    )
    return Chart("trade-off", caption, _label(second), _label(first), panels)


def _line(label: str, values: list[Mapping[str, Any]], *, joined: bool) -> Line:
    first, second = ([value["objectives"][place] for value in values] for place in (0, 1))
    return Line(
        label, [o["mean"] for o in second], [o["mean"] for o in first], [o["ci95"] for o in first], joined=joined
    )


def _label(one: Mapping[str, Any]) -> str:
    return f"{one['name']} ({one['unit']})" if one["unit"] else one["name"]


def _sense(one: Mapping[str, Any]) -> str:
    return "smallest" if one["goal"] == "minimize" else "largest"
