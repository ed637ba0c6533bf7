"""Figures of a sweep that run again in the page: what the page needs for it, as data.

The page has the engine and ``rerun.js`` in it (``web/src/rerun``). A reader changes keys, values and seeds there; the
runs are made in the browser, and their metrics are fields of the results that the engine gives, as they are here.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError
from hopscope.reporting import again
from hopscope.reporting.axis import axis_of, missing_unit, numeric
from hopscope.results.stats import quantile
from hopscope.scenario import units
from hopscope.scenario.keys import field_of
from hopscope.scenario.naming import names
from hopscope.scenario.sweep import written
from hopscope.watching import bundle
from hopscope.watching.carried import MOST_BYTES, carried_sweep

if TYPE_CHECKING:
    from hopscope.reporting.chart import Chart
    from hopscope.reporting.heatmap import HeatMap
    from hopscope.results import Result
    from hopscope.scenario import Point, Scenario
    from hopscope.scenario.fields import Field

#: Seeds that a page runs at most: for so many it has the quantiles of Student's t.
MOST_SEEDS = 100

#: Keys besides the swept ones that a reader can change with a slider or a list, and those that come first.
_MOST_PLAIN = 8
_FIRST = ("transport", "control", "max_window", "hops", "rate", "packet", "queue", "per", "spacing", "preset")

#: A slider reaches from a part of the value to a multiple of it.
_REACH = 4

#: Kinds of keys whose values are a word of a few, or a number.
_WORDS, _NUMBERS = frozenset({"choice", "transport", "control"}), frozenset({"int", "float", "time"})

#: Keys whose other values need other keys with them.
_DECIDING = frozenset({"kind", "model", "app", "pattern", "protocol"})

#: Tops of a file that say nothing of a run, or have controls of their own in the page.
_NOT_PLAIN = frozenset({"title", "seed", "seeds", "series", "sweep", "explain", "duration", "warmup"})


@dataclass(frozen=True)
class Rerun:
    """What a page needs to run its figures again.

    Attributes:
        scenarios: one entry for each scenario of the page whose runs a browser can make.
        reasons: for each scenario of the page why it cannot; empty where it can.
    """

    scenarios: Sequence[Mapping[str, Any]]
    reasons: Sequence[str]

    def parts(self) -> dict[str, str]:
        """Returns what stands in the page: data, engine and script; nothing where no figure runs again.

        Raises:
            InputError: the browser part was not built.
        """
        if not self.scenarios:
            return {}
        quantiles = [None, *(quantile(n) for n in range(1, MOST_SEEDS))]
        return {
            "data": bundle.data({"scenarios": list(self.scenarios), "quantiles": quantiles}),
            "engine": bundle.engine(),
            "script": _inline(bundle.read(bundle.RERUN).decode()),
        }


@dataclass(frozen=True)
class Interactive:
    """A page whose figures run again.

    Attributes:
        same: whether the runs are of this build of the engine, so that a browser gives the same numbers.
    """

    same: bool

    @staticmethod
    def check() -> None:
        """Refuses before anything is drawn where the browser part was not built.

        Raises:
            InputError: it was not.
        """
        for name in (bundle.ENGINE, bundle.RERUN):
            bundle.read(name)

    def rerun(
        self,
        results: Sequence[Result],
        pictures: Sequence[Sequence[Chart | HeatMap]],
        stems: Sequence[str],
        folder: Path,
    ) -> Rerun:
        """Returns what a page needs.

        Args:
            results: one for each scenario of the page.
            pictures: the figures of each.
            stems: with what the identifiers of the figures of each begin, and the file of its scenario.
            folder: where these files are.
        """
        scenarios: list[Mapping[str, Any]] = []
        reasons, room = [], MOST_BYTES
        for result, drawn, stem in zip(results, pictures, stems, strict=True):
            reason = ""
            try:
                command = shlex.join(["hopscope", "run", str(folder / f"{stem}scenario.toml")])
                entry = {**_scenario(result, drawn, stem, command), "same": self.same}
                size = len(bundle.data(entry))
                if size > room:
                    reason = f"the page would hold more than {MOST_BYTES / 1e6:.0f} MB of scenarios"
                else:
                    room -= size
                    scenarios.append(entry)
            except InputError as error:
                reason = str(error)
            reasons.append(reason)
        return Rerun(scenarios, reasons)


def with_policy(page: str) -> str:
    """Returns a page whose browser runs the scripts in it and no other, and fetches nothing.

    Source: Content Security Policy Level 3 (W3C), 6.7.3: the hashes of inline scripts.
    """
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    hashes = dict.fromkeys(base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts)
    allowed = " ".join([*(f"'sha256-{digest}'" for digest in hashes), "'wasm-unsafe-eval'"])
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; worker-src blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    return page.replace(
        '<meta charset="utf-8">',
        f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{policy}">',
        1,
    )


# --- One scenario ---------------------------------------------------------------------------------------------------


def _scenario(result: Result, pictures: Sequence[Chart | HeatMap], stem: str, command: str) -> dict[str, Any]:
    """The runs of one scenario, the keys that a reader can change, and the figures."""
    scenario = result.scenario
    swept = carried_sweep(scenario, command)
    first = scenario.points[0]
    about: Sequence[Mapping[str, Any]] = next((run["flows"] for point in result.points for run in point.runs), [])
    return {
        "title": scenario.title,
        "seed": scenario.seed,
        "seeds": min(scenario.seeds, MOST_SEEDS),
        "duration": first.duration_s,
        "least": first.duration_s - first.measured_s,
        "texts": swept.texts,
        "files": dict(swept.files),
        "points": [
            {"text": text, "set": dict(values), "at": _places(scenario, point)}
            for (text, values), point in zip(swept.points, scenario.points, strict=True)
        ],
        "keys": _keys(scenario),
        "plain": _plain(scenario),
        "flows": [f"flow {n}: {flow['from']} → {flow['to']}" for n, flow in enumerate(about)],
        "figures": again.figures(result, pictures, stem),
    }


def _keys(scenario: Scenario) -> list[dict[str, Any]]:
    """The swept keys with their values, in words and, of numbers, with their places on an axis."""
    called = names(scenario.axes)
    found = []
    for key, values in scenario.axes.items():
        axis = axis_of(key, values) if numeric(values) else None
        found.append(
            {
                "key": key,
                "label": called[key] if axis is None else axis.label,
                "words": called[key],
                "shown": [written(value, 40) for value in values],
                "places": None if axis is None else [axis.place(value) for value in values],
                "unit": None if axis is None else axis.unit,
                "with": list(scenario.swept_with(key)),
            }
        )
    return found


def _places(scenario: Scenario, point: Point) -> list[int]:
    """The number of the value of each swept key among those that it takes."""
    return [[repr(value) for value in values].index(repr(point.set[key])) for key, values in scenario.axes.items()]


# --- Keys that are not swept ----------------------------------------------------------------------------------------


def _plain(scenario: Scenario) -> list[dict[str, Any]]:
    """Keys that the scenario gives and does not sweep, whose values a slider or a list can change."""
    values = scenario.alone(scenario.points[0])
    swept = tuple(scenario.axes)
    offered = [
        (key, made)
        for key, value in _flat(values, ())
        if not any(_overlap(key, axis) for axis in swept) and (made := _offer(key, value, field_of(key)))
    ]
    rank = {name: place for place, name in enumerate(_FIRST)}
    offered.sort(key=lambda one: rank.get(one[0].rpartition(".")[2], len(rank)))
    chosen = offered[:_MOST_PLAIN]
    called = names(key for key, _ in chosen)
    return [{"key": key, "words": called[key], **made} for key, made in chosen]


def _flat(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """The dotted keys of nested values."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if path or name not in _NOT_PLAIN:
                yield from _flat(inner, (*path, name))
    elif isinstance(value, list) and value and all(isinstance(inner, dict) for inner in value):
        for number, inner in enumerate(value):
            yield from _flat(inner, (*path, str(number)))
    elif len(path) > 1:
        yield ".".join(path), value


def _overlap(key: str, axis: str) -> bool:
    """Whether a key is swept, lies in what is swept, or has something swept in it."""
    pairs = zip(key.split("."), axis.split("."), strict=False)
    return all(a == b or "*" in (a, b) for a, b in pairs)


def _offer(key: str, value: Any, field: Field | None) -> dict[str, Any] | None:
    """How a page changes a value: a list of words, a box to tick, or a slider; None for other values."""
    if field is None or field.name in _DECIDING:
        return None
    if isinstance(value, bool):
        return {"value": value} if field.kind == "flag" else None
    if isinstance(value, str) and field.kind in _WORDS and value in field.choices:
        return {"value": value, "choices": list(field.choices)}
    if field.kind not in _NUMBERS or not numeric([value]):
        return None
    number, unit = units.split(value) if isinstance(value, str) else (value, "")
    low, high = float(number) / _REACH, float(number) * _REACH
    if low <= 0:
        return None
    whole = field.kind == "int"
    least = (field.minimum or 0.0) if not unit and field.kind != "time" else 0.0
    most = field.maximum if not unit and field.maximum is not None else high
    shown = unit or missing_unit(key, [value])
    low, high = max(low, least, 1.0 if whole else 0.0), min(high, most)
    return {"value": float(number), "low": low, "high": high, "whole": whole, "unit": unit, "shown": shown}


def _inline(script: str) -> str:
    """A script as it can stand in a page: no text of it ends its element or opens a comment of HTML."""
    script = script.replace("\r\n", "\n").replace("\r", "\n")  # as a browser reads lines, whose hash is allowed
    return re.sub(r"<(?=/script|!--)", r"\\x3c", script, flags=re.IGNORECASE)
