"""The words that a scenario may use, by section: what `hopscope list` prints."""

from __future__ import annotations

import functools
from collections.abc import Callable

from hopscope import _core
from hopscope.models.registry import MODELS
from hopscope.reference.keys import every_key
from hopscope.results import metrics
from hopscope.scenario import keys
from hopscope.scenario.controls import FORM

#: What metrics are of.
SCOPES = ("flow", "node", "wire", "network", "group")

_PROFILES = {
    "standard": "behaviour of IEEE 802.11 and the RFCs",
    "ns2": "the documented behaviour of ns-2.35",
    "as-ns3": "the measured behaviour of ns-3.44",
}

#: Section -> the key that takes its words; `{}` stands for one.
KEYS = {
    "profiles": 'profile = "{}"',
    "presets": 'radio.preset = "{}"',
    "transports": 'flow.0.transport = "{}"',
    "controls": 'flow.0.control = "{}"',
    "recoveries": 'flow.0.recovery = "{}"',
    "ack": 'flow.0.ack = "{}"',
    "link-layers": 'mac.link = "{}"',
    "routings": 'routing.protocol = "{}"',
    **{f"{protocol}-parameters": 'routing.parameters = "{}"' for protocol in keys.routing_protocols()},
    "topologies": 'topology.kind = "{}"',
    "patterns": 'flow.0.pattern = "{}"',
    "apps": 'flow.0.app = "{}"',
    "series": 'series.keep = ["{}"]',
}

Sections = dict[str, dict[str, str]]
"""Section -> name -> one line."""


def words() -> Sections:
    """The catalogue and the words of choices."""
    return {name: section(name) for name in _USUAL}


def more_words() -> Sections:
    """What is too long to be listed unasked: keys, metrics and models."""
    return {name: section(name) for name in _MORE}


def choices() -> Sections:
    """The words of choices alone, which are there at once: the catalogue is read from the folders of studies."""
    return {name: section(name) for name in _USUAL if name != "catalogue"}


def sections() -> list[str]:
    """The names of all sections."""
    return [*_USUAL, *_MORE]


def section(name: str) -> dict[str, str]:
    """The names in a section, each with one line."""
    return {**_USUAL, **_MORE}[name]()


def _catalogue() -> dict[str, str]:
    from hopscope import studies

    return {
        key: text
        for entry in studies.entries()
        for key, text in [
            (entry.key, entry.title),
            *((f"{entry.key}.{part}", f"{part} of it alone") for part in entry.parts),
        ]
    }


def _transports() -> dict[str, str]:
    return {**dict(_core.transports()), FORM.strip('"'): "TCP with a congestion control of your own in Python"}


def _of_routing(protocol: str) -> dict[str, str]:
    return dict(_core.routing_sets(protocol))


def _keys() -> dict[str, str]:
    return {key.name: first_sentence(key.field.doc) for key in every_key()}


def _metrics() -> dict[str, str]:
    return {
        f"{scope}.{metric.name}": first_sentence(metric.doc)
        for scope in SCOPES
        for metric in metrics.metrics(scope)
        if metric.kind != "label"
    }


def first_sentence(text: str) -> str:
    """Text up to its first full stop that ends a sentence."""
    return text.partition(". ")[0].rstrip(".")


#: Section -> what makes it, for those that are listed unasked.
_USUAL: dict[str, Callable[[], dict[str, str]]] = {
    "catalogue": _catalogue,
    "profiles": lambda: {name: _PROFILES.get(name, "") for name in _core.profiles()},
    "presets": lambda: dict(_core.presets()),
    "transports": _transports,
    "controls": lambda: dict(_core.controls()),
    "recoveries": lambda: dict(_core.recoveries()),
    "ack": lambda: dict(_core.ack_policies()),
    "link-layers": lambda: dict(_core.link_layers()),
    "routings": lambda: dict(_core.routings()),
    **{f"{protocol}-parameters": functools.partial(_of_routing, protocol) for protocol in keys.routing_protocols()},
    "topologies": lambda: {name: text for name, (text, _) in keys.TOPOLOGIES.items()},
    "patterns": lambda: dict(keys.PATTERNS),
    "apps": lambda: {name: text for name, (text, _) in keys.APPS.items()},
    "series": lambda: {one.name: one.doc for one in metrics.all_series()},
}

_MORE: dict[str, Callable[[], dict[str, str]]] = {
    "keys": _keys,
    "metrics": _metrics,
    "models": lambda: {name: model.title for name, model in MODELS.items()},
}
