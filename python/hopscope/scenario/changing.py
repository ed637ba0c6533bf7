"""What `--set` may change in scenarios with labels: nothing in which they differ, as their labels say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from hopscope.errors import InputError, shown
from hopscope.scenario.merging import at_key

#: Length and number of runs: no label is about them.
_OF_RUNS = ("title", "duration", "warmup", "seed", "seeds")


def refuse_relabelled(entry: str, scenarios: Mapping[str, Mapping[str, Any]], changes: Iterable[str]) -> None:
    """Refuse a change after which a label would stand over other values.

    Args:
        entry: what the scenarios belong to.
        scenarios: documents by label.
        changes: dotted keys that are to change in every one.

    Raises:
        InputError: the scenarios differ in a key, or one sweeps it.
    """
    for key in changes:
        if key in _OF_RUNS:
            continue
        values: list[tuple[Any, str]] = []
        for label, scenario in scenarios.items():
            swept = next((name for name in scenario.get("sweep", {}) if _overlap(name, key)), "")
            if swept:
                raise InputError(f"--set {key}: {entry} sweeps {swept} ({label!r}); {_INSTEAD}")
            value = at_key(scenario, key)
            if all(value != known for known, _ in values):
                values.append((value, label))
        if len(values) > 1:
            named = " and ".join(f"{label!r} has {_words(value)}" for value, label in values[:2])
            raise InputError(f"--set {key}: settings of {entry} differ in it: {named}; {_INSTEAD}")


_INSTEAD = "its labels would stand over other values: change a copy of the study's folder, or run one scenario of it"


def _words(value: Any) -> str:
    return "its default" if value == "" else shown(value)


def _overlap(swept: str, key: str) -> bool:
    """Whether two dotted keys mean the same place, or one is inside the other; a star is any flow or node."""
    longer, shorter = sorted((swept.split("."), key.split(".")), key=len, reverse=True)
    return all(fnmatchcase(a, b) or fnmatchcase(b, a) for a, b in zip(longer, shorter, strict=False))
