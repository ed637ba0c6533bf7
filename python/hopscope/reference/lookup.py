"""What one word means: a key, a metric, a word of a choice, an entry of the catalogue, a model or a verb."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hopscope.errors import InputError, instead
from hopscope.models.registry import MODELS
from hopscope.reference.keys import Key, every_key, meaning
from hopscope.reference.words import KEYS, SCOPES, Sections, choices, words
from hopscope.results import metrics
from hopscope.results.metrics import Metric


@dataclass(frozen=True)
class Entry:
    """One thing that has a name.

    Attributes:
        name: as it is typed.
        kind: what it is: "key", "metric of a flow", "preset".
        text: what it means, in sentences.
        facts: what else is to say of it: label and text.
    """

    name: str
    kind: str
    text: str
    facts: tuple[tuple[str, str], ...] = ()


def entries() -> list[Entry]:
    """Everything that can be looked up."""
    return [*_keys(), *_metrics(), *_choices(words()), *_models()]


def look_up(word: str, verbs: Sequence[str] = ()) -> list[Entry]:
    """The entries of a name, and those of which it is the last part.

    Args:
        word: `mac.queue`, `queue`, `flow.0.rate`, `delay_ms`, `cubic`; of the catalogue only what fits nothing else.
        verbs: of the command; a nearest word may be one of them.

    Raises:
        InputError: nothing has that name; the message names the nearest ones.
    """
    wanted = re.sub(r"\.\d+(?=\.)", ".*", word.strip())
    every = [*_keys(), *_metrics(), *_choices(choices()), *_models()]
    found = _named(wanted, every)
    if not found:  # in the catalogue, which takes longer to read
        every = entries()
        found = _named(wanted, every)
    if not found:
        names = dict.fromkeys([*verbs, *(name for one in every for name in _names(one))])
        raise InputError(
            f"help {word}: no key, metric, model or word of a choice has this name"
            f"{instead(wanted, names, 'hopscope list has all of them')}"
        )
    return found


def _named(wanted: str, every: Sequence[Entry]) -> list[Entry]:
    """The entries of a name; those that differ in upper and lower case where there is no other."""
    return [one for one in every if wanted in _names(one)] or [
        one for one in every if wanted.casefold() in (name.casefold() for name in _names(one))
    ]


def _names(one: Entry) -> tuple[str, str, str]:
    return one.name, one.name.replace(".*", ""), one.name.rpartition(".")[2]


def _keys() -> Iterator[Entry]:
    for key in every_key():
        yield Entry(key.name, "key", meaning(key.field, ""), tuple(_facts(key)))


def _facts(key: Key) -> Iterator[tuple[str, str]]:
    field = key.field
    if not field.choices:
        yield "takes", field.expected()
    if key.default:
        yield "default", key.default
    elif field.required:
        yield "default", "none: it is required"
    if key.where:
        yield "with", key.where
    if field.source:
        yield "source", field.source
    setting = f"{key.name.replace('.*', '.0')}={_example(key)}"
    yield "example", f"hopscope run FILE --set {shlex.quote(setting)}"


def _example(key: Key) -> str:
    """A value that the key takes: another than the default where it is a choice."""
    field, default = key.field, key.default.partition(",")[0].strip('"')
    if field.kind == "flag":
        return "false" if default == "true" else "true"
    others = [choice for choice in field.choices if choice != default]
    if field.kind == "words":
        return json.dumps(others[:1])
    return others[0] if others else default or "VALUE"


def _metrics() -> Iterator[Entry]:
    for scope in SCOPES:
        for metric in metrics.metrics(scope):
            if metric.kind != "label":
                whose = "the network" if scope == "network" else f"a {scope}"
                yield Entry(f"{scope}.{metric.name}", f"metric of {whose}", metric.doc, tuple(_of_metric(metric)))


def _of_metric(metric: Metric) -> Iterator[tuple[str, str]]:
    if metric.unit:
        yield "unit", metric.unit
    if metric.kind == "sample":
        place = metric.name if metric.scope == "flow" else f"{metric.scope}.{metric.name}"
        yield "example", f"hopscope show STORE --metric {place}"


def _choices(sections: Sections) -> Iterator[Entry]:
    for section, found in sections.items():
        for name, text in found.items():
            kind = "entry of the catalogue" if section == "catalogue" else f"word of {section}"
            example = f"hopscope reproduce {name}" if section == "catalogue" else KEYS[section].format(name)
            yield Entry(name, kind, text, (("example", example),))


def _models() -> Iterator[Entry]:
    for name, model in MODELS.items():
        facts = (("source", model.source), ("example", f"hopscope model {name} --about"))
        yield Entry(name, "model", model.title, facts)
