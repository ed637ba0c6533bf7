"""What there is to choose from, and closed-form models by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError, instead
from hopscope.io.extras import need
from hopscope.models import registry
from hopscope.reference import words as known
from hopscope.scenario import ranges

if TYPE_CHECKING:
    import pandas as pd


def words(section: str | None = None) -> Mapping[str, Any]:
    """Returns what a scenario may use: name -> one line of meaning, of a section; without one all, by section.

    Args:
        section: ``"keys"``, ``"metrics"``, ``"presets"``, ``"transports"`` and so on.

    Raises:
        InputError: no such section.
    """
    if section is None:
        return {name: known.section(name) for name in known.sections()}
    if section not in known.sections():
        raise InputError(f"words: no section {section!r}{instead(section, known.sections(), 'sections: {}')}")
    return known.section(section)


def model(name: str, **values: Any) -> dict[str, float | None] | pd.DataFrame:
    """Evaluates a closed-form model.

    Args:
        name: of the model; ``hs.words("models")`` has all.
        values: its parameters: numbers, or text with a unit. A list, a ``range``, or text such as ``"1..48"`` or
            ``"1,2,4"`` gives several.

    Returns:
        Its outputs by name; with several values of a parameter a pandas table, one row a combination.

    Raises:
        InputError: no such model, or parameters that do not fit.
    """
    found = registry.model(name)
    fields = {field.name: field for field in found.parameters}
    axes: dict[str, list[Any]] = {}
    for key, value in values.items():
        if isinstance(value, str) and key in fields:
            several = ranges.parse(value, fields[key], f"model {name}: {key}")
            axes[key] = several.values() if isinstance(several, ranges.Span) else several
        else:
            axes[key] = list(value) if isinstance(value, (list, tuple, range)) else [value]
    if all(len(several) == 1 for several in axes.values()):
        return found(**{key: several[0] for key, several in axes.items()})
    need("pandas")
    import pandas as pd

    return pd.DataFrame([{**chosen, **outputs} for chosen, outputs in found.table(axes)])
