"""What a model is: its parameters, which are read and checked like keys of a scenario, its outputs, its source."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.errors import InputError, did_you_mean, listed, shown
from hopscope.scenario.fields import Field, FieldError

#: More combinations of parameters in one call are refused.
MAX_ROWS = 100_000

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Output:
    """One number of a model.

    Attributes:
        name: as in tables and JSON; ends with its unit where the results' metrics do.
        unit: unit, empty for a plain number.
        doc: one line of meaning.
    """

    name: str
    unit: str
    doc: str


@dataclass(frozen=True)
class Model:
    """A formula with a name.

    Attributes:
        name: as typed after ``hopscope model``.
        title: one line.
        source: publication with section or equation.
        parameters: what it takes; without a default a parameter is required.
        outputs: what it gives, the main one first.
        compute: takes the parameters by name and returns the outputs by name.
        remark: assumptions and oddities a user should know.
        exemplary: optional parameters that its example gives, where those required do not suffice.
    """

    name: str
    title: str
    source: str
    parameters: tuple[Field, ...]
    outputs: tuple[Output, ...]
    compute: Callable[..., Mapping[str, float | None]]
    remark: str = ""
    exemplary: tuple[str, ...] = ()

    def __repr__(self) -> str:
        parameters, outputs = ([one.name for one in of] for of in (self.parameters, self.outputs))
        return f"Model({self.name!r}, parameters={parameters}, outputs={outputs})"

    def example(self) -> dict[str, str]:
        """Returns parameters that make a call, as a user could type them."""
        given = [field for field in self.parameters if field.required or field.name in self.exemplary]
        return {field.name: _example_of(field) for field in given or self.parameters[:1]}

    def complete(self, values: Values) -> dict[str, Any]:
        """Returns the parameters as checked values, defaults filled in.

        Args:
            values: numbers, or text with a unit such as ``"2Mbps"``.

        Raises:
            InputError: an unknown parameter, one that is missing, or a value that does not fit.
        """
        known = {field.name: field for field in self.parameters}
        found: dict[str, Any] = {}
        for name, value in values.items():
            if (field := known.get(name)) is None:
                raise InputError(
                    f"model {self.name}: unknown parameter {shown(name)}; allowed: {', '.join(known)}"
                    f"{did_you_mean(name, known)}"
                )
            found[name] = self.read(field, value)
        for field in self.parameters:
            if field.name not in found:
                if field.required:
                    raise InputError(
                        f"model {self.name}: {field.name} is missing ({field.doc.rstrip('.')}); "
                        f"expected {field.expected()}, for example {field.name}={_example_of(field)}"
                    )
                found[field.name] = field.default
        return {field.name: found[field.name] for field in self.parameters}

    def read(self, field: Field, value: object) -> Any:
        """Returns one parameter as a checked value.

        Raises:
            InputError: it does not fit.
        """
        if field.kind == "flag" and value in ("true", "false"):
            value = value == "true"
        try:
            return field.read(value)
        except FieldError as error:
            raise InputError(f"model {self.name}: {field.name}: {error}") from error

    def __call__(self, **values: Any) -> dict[str, float | None]:
        """Evaluates the model.

        Raises:
            InputError: parameters that do not fit, or that do not fit together.
        """
        complete = self.complete(values)
        try:
            found = self.compute(**complete)
        except (ValueError, OverflowError, ZeroDivisionError) as error:
            raise InputError(f"model {self.name}: {error}") from error
        return {output.name: found[output.name] for output in self.outputs}

    def table(self, axes: Mapping[str, Sequence[Any]]) -> Iterator[tuple[dict[str, Any], dict[str, float | None]]]:
        """Evaluates every combination of values, the last parameter fastest: (the combination, the outputs).

        Raises:
            InputError: too many combinations, or values that do not fit.
        """
        size = 1
        for values in axes.values():
            size *= len(values)
        if size > MAX_ROWS:
            raise InputError(f"model {self.name}: {size} combinations; at most {MAX_ROWS}")
        for combination in itertools.product(*axes.values()):
            chosen = dict(zip(axes, combination, strict=True))
            yield chosen, self(**chosen)

    def output(self, name: str) -> Output:
        """Returns the output of this name.

        Raises:
            InputError: no such output.
        """
        for output in self.outputs:
            if output.name == name:
                return output
        names = [output.name for output in self.outputs]
        raise InputError(
            f"model {self.name}: no output {shown(name)}; it has {listed(names)}{did_you_mean(name, names)}"
        )


def _example_of(field: Field) -> str:
    """Returns a value a user could type for a parameter."""
    return _EXAMPLES.get(field.name) or (field.choices[0] if field.choices else "1")


_EXAMPLES = {
    "hops": "7", "stations": "10", "rtt": "100ms", "queueing": "20ms", "loss": "0.01", "backlogged": "5",
    "concurrent": "1", "initiating": "3", "rate": "2Mbps",
}  # fmt: skip
