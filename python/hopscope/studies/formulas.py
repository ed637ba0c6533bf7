"""Models a study compares with: `[model.NAME]` gives a model of `hopscope.models` its parameters, here and there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hopscope.errors import InputError
from hopscope.models.formula import Model
from hopscope.models.registry import model
from hopscope.scenario.merging import filled
from hopscope.studies.folder import Part


@dataclass(frozen=True)
class Formula:
    """A model with parameters.

    Attributes:
        label: as figures call it.
        model: what computes it.
        output: which of its numbers is meant.
        given: its parameters; `{name}` stands for the value of an axis or of a swept key.
        by: parameters that follow from the value of an axis or a key: name -> value -> parameters.
        short: short names of swept keys.
    """

    label: str
    model: Model
    output: str
    given: Mapping[str, Any]
    by: Mapping[str, Mapping[str, Mapping[str, Any]]]
    short: Mapping[str, str]

    def value(self, where: Mapping[str, Any]) -> float:
        """The number at a place: values of axes by name and of swept keys."""
        names = {self.short.get(key, key): value for key, value in where.items()}
        parameters = filled(self.given, names)
        for name, values in self.by.items():
            parameters |= values[str(names[name])]
        found = self.model(**parameters)[self.output]
        assert found is not None
        return found


def read_formulas(part: Part, keys: Mapping[str, str]) -> dict[str, Formula]:
    """`[model.NAME]` with `formula`, `given`, `[model.NAME.by.AXIS]`, `output` and `label`."""
    short = {key: name for name, key in keys.items()}
    found: dict[str, Formula] = {}
    for name, own in part.parts("model"):
        label, formula = own.text("label", "model"), own.text("formula")
        output, given, by = own.text("output", ""), own.table("given"), own.table("by")
        own.done("a model")
        try:
            known = model(formula)
            main = known.output(output).name if output else known.outputs[0].name
        except InputError as error:
            own.problem("formula", str(error))
            continue
        found[name] = Formula(label, known, main, given, by, short)
    return found
