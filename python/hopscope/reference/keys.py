"""The keys of scenario files for readers: dotted names, meanings, and defaults as a file would hold them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope import _core
from hopscope.scenario import keys, units
from hopscope.scenario.fields import Field


@dataclass(frozen=True)
class Key:
    """One key.

    Attributes:
        name: dotted; `flow.*.rate` is a key of every flow.
        field: what it takes and means.
        defaults: its default by profile, as a file would hold it; empty where there is none.
        where: what else its table needs, such as the kind of topology; empty for none.
    """

    name: str
    field: Field
    defaults: Mapping[str, str]
    where: str = ""

    @property
    def default(self) -> str:
        """The default, with those of profiles that differ."""
        first, *others = self.defaults.items()
        differing = [f"{value or 'none'} in profile {name}" for name, value in others if value != first[1]]
        return ", ".join([first[1] or ("none" if differing else ""), *differing])


def every_key() -> list[Key]:
    """Every key of a scenario file, in the order of the reference."""
    found = [_own(field.name, field) for field in keys.top() if field.kind != "table"]
    for kind, (_, fields) in keys.TOPOLOGIES.items():
        found += [_own(f"topology.{field.name}", field, f'topology.kind = "{kind}"') for field in fields]
    for name in keys.NUMBERED:
        found += [_own(f"{name}.*.{field.name}", field) for field in keys.table(name)]
    found += [_own(f"series.{field.name}", field) for field in keys.series()]
    for section in (*keys.ENGINE_SECTIONS, *(f"routing.{protocol}" for protocol in keys.routing_protocols())):
        found += engine_keys(section)
    return found


def engine_keys(section: str) -> list[Key]:
    """The keys of a section of the engine (`mac`), or of a routing protocol (`routing.aodv`)."""
    name = section.rpartition(".")[2]
    bases = {profile: _core.base_config(profile, "wavelan-2M").get(name, {}) for profile in _core.profiles()}
    found = []
    for dotted, field in _flat(keys.engine(name)):
        engine_name = keys.to_engine_key(name, tuple(dotted.split(".")))
        defaults = {
            profile: as_written(base.get(engine_name, field.default), field.kind, field.unit)
            for profile, base in bases.items()
        }
        found.append(Key(f"{section}.{dotted}", field, defaults))
    return found


def _own(name: str, field: Field, where: str = "") -> Key:
    default = "" if field.default in (None, "", []) else as_written(field.default, field.kind, field.unit)
    return Key(name, field, dict.fromkeys(_core.profiles(), default), where)


def _flat(fields: Iterable[Field]) -> Iterator[tuple[str, Field]]:
    """Keys with their dotted names; those of channel errors too, those of protocols have tables of their own."""
    for field in fields:
        if field.name == "error":
            yield from ((f"error.{inner.name}", inner) for inner in field.fields)
        elif field.kind != "table":
            yield field.name, field


def as_written(value: Any, kind: str, unit: str) -> str:
    """A default as a user would write it."""
    if value is None:
        return {"int-or-off": '"off"', "flag-or-own": '"own"'}.get(kind, "")
    if kind == "time":
        return f'"{units.whole(value)}"' if value else "0"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"' if value else ""
    if unit == "bit/s" and isinstance(value, list):
        return str([f"{rate / 1e6:g}Mbps" for rate in value]).replace("'", '"')
    if unit == "bit/s":
        return f'"{value / 1e6:g}Mbps"'
    return f"{value:g}" if isinstance(value, float) else str(value)


def meaning(field: Field, code: str = "`") -> str:
    """What a key means, its words, and when it does; `code` stands around what can be typed."""
    text = field.doc + (_allowed(field.kind, field.choices, code) if field.choices else "")
    return text if field.when is None else f"{text} With {code}{field.when}{code}."


def _allowed(kind: str, choices: Sequence[str], code: str) -> str:
    """The words of a choice, or of the parts that a value is joined of."""
    words = [f"{code}{word}{code}" for word in choices]
    if kind == "parts":
        return f" {words[0]}, or one or more of {', '.join(words[1:])} with `+` between them."
    return f" One of {', '.join(words)}."
