"""Numbers that another simulator gave, as the validation entries read them: means over runs with their spread."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from importlib import resources

T975 = {3: 4.303, 4: 3.182, 5: 2.776, 10: 2.262}
"""The two-sided 97.5 % points of Student's t for the numbers of runs in the reference files."""


@dataclass(frozen=True)
class Reference:
    """The mean of one metric over n runs, with its sample standard deviation."""

    mean: float
    sd: float
    n: int

    @property
    def ci95(self) -> float:
        """Half width of the 95 % interval of the mean."""
        return T975[self.n] * self.sd / math.sqrt(self.n)


def rows_of(name: str) -> list[dict[str, str]]:
    """The rows of a reference file as text; lines that begin with # are remarks."""
    text = resources.files("hopscope.catalog").joinpath(f"data/{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def grouped(name: str, keys: tuple[str, ...]) -> dict[tuple[str, ...], dict[str, Reference]]:
    """Every cell of a reference file in its order: the columns that name it -> metric -> what was measured."""
    found: dict[tuple[str, ...], dict[str, Reference]] = {}
    for row in rows_of(name):
        measured = Reference(float(row["mean"]), float(row["sd"]), int(row["n"]))
        found.setdefault(tuple(row[column] for column in keys), {})[row["metric"]] = measured
    return found
