"""One run out of a scenario or a store."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.campaign.manifest import not_again
from hopscope.campaign.store import open_store
from hopscope.errors import InputError, ranges
from hopscope.results.points import point_words
from hopscope.running.runner import prepare
from hopscope.scenario import Point, Scenario
from hopscope.scenario.sweep import is_named

if TYPE_CHECKING:
    from hopscope.results.stored import RunResult


@dataclass(frozen=True)
class OneRun:
    """A point of a scenario with a seed.

    Attributes:
        scenario: the scenario.
        point: the point.
        seed: the seed.
        remark: what a user should know, such as that the store is of another engine; empty.
        stored: what the store holds of it; None where it was not run yet, or is of a scenario file.
    """

    scenario: Scenario
    point: Point
    seed: int
    remark: str = ""
    stored: RunResult | None = None

    @property
    def title(self) -> str:
        """Title, point and seed in words."""
        point = f", {point_words(self.point.index, self.point.set)}" if self.point.set else ""
        return f"{self.scenario.title}{point}, seed {self.seed}"


def pick(
    what: str | Path | Mapping[str, Any] | Scenario,
    *,
    point: int | str = 0,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    code: bool = True,
    needs_flows: bool = True,
) -> OneRun:
    """Returns one run.

    Args:
        what: a scenario file, its keys as a mapping, a :class:`Scenario`, or the folder of a store.
        point: the point of the sweep, by its number from 0 or as ``key=value``; those of a store with several scenarios
            are counted through.
        seed: the seed, of a store one that its plan has; default: the scenario's first.
        set: dotted keys to change.
        code: False leaves code that a file names a name: neither loaded nor checked, and not to be run.
        needs_flows: a scenario without flows is refused, as only programs on real stacks could use its network.

    Raises:
        InputError: there is no such point or seed, or the scenario cannot be run.
    """
    if not isinstance(what, (str, Path)) or not os.path.isdir(what):
        scenario = prepare(what, set=set, code=code, needs_flows=needs_flows)
        chosen = _chosen([scenario], point)[1]
        return OneRun(scenario, chosen, scenario.seed if seed is None else seed)
    store = open_store(what)
    if "live" in store.manifest:
        raise InputError(not_again(what))
    if set:
        raise InputError(f"{what}: is a store, whose runs are as they are; --set changes a scenario file")
    results = store.results(lazily=True)
    place, chosen = _chosen([result.scenario for result in results], point)
    scenario = results[place].scenario
    seeds = range(scenario.seed, scenario.seed + scenario.seeds)
    number = scenario.seed if seed is None else seed
    if number not in seeds:
        raise InputError(f"seed {number}: found no such run; allowed: {ranges(seeds)}")
    remark = ""
    if store.manifest.get("engine") != _core.build_id():
        remark = f"{what}: was made by another build of the engine; this run can differ from the one that is kept"
    kept = next((found for found in results[place].points if found.index == chosen.index), None)
    stored = kept.runs[kept.seeds.index(number)] if kept is not None and number in kept.seeds else None
    return OneRun(scenario, chosen, number, remark, stored)


def _chosen(scenarios: list[Scenario], wanted: int | str) -> tuple[int, Point]:
    """The point that is named by its number or by one of its values, with the place of its scenario."""
    text = str(wanted)
    points = [(place, point) for place, scenario in enumerate(scenarios) for point in scenario.points]
    fits = [found for number, found in enumerate(points) if is_named(text, number, found[1].set)]
    if len(fits) == 1:
        return fits[0]
    count = f"found {len(fits)} such points" if fits else "there is none"
    swept = list(dict.fromkeys(key for _, point in points for key in point.set))
    keys = f", which differ in {', '.join(swept)}" if swept else ""
    raise InputError(f"point {text}: {count}; the points are 0 to {len(points) - 1}{keys}")
