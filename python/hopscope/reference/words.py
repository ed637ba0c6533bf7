"""The words that a scenario may use, by section: what `hopscope list` prints."""

from __future__ import annotations

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
    from hopscope import studies

    return {
        "catalogue": {
            key: text
            for entry in studies.entries()
            for key, text in [
                (entry.key, entry.title),
                *((f"{entry.key}.{part}", f"{part} of it alone") for part in entry.parts),
            ]
        },
        "profiles": {name: _PROFILES.get(name, "") for name in _core.profiles()},
        "presets": dict(_core.presets()),
        "transports": {
            **dict(_core.transports()),
            FORM.strip('"'): "TCP with a congestion control of your own in Python",
        },
        "controls": dict(_core.controls()),
        "recoveries": dict(_core.recoveries()),
        "ack": dict(_core.ack_policies()),
        "link-layers": dict(_core.link_layers()),
        "routings": dict(_core.routings()),
        **{f"{protocol}-parameters": dict(_core.routing_sets(protocol)) for protocol in keys.routing_protocols()},
        "topologies": {name: text for name, (text, _) in keys.TOPOLOGIES.items()},
        "patterns": dict(keys.PATTERNS),
        "apps": {name: text for name, (text, _) in keys.APPS.items()},
        "series": {one.name: one.doc for one in metrics.all_series()},
    }


def more_words() -> Sections:
    """What is too long to be listed unasked: keys, metrics and models."""
    return {
        "keys": {key.name: first_sentence(key.field.doc) for key in every_key()},
        "metrics": {
            f"{scope}.{metric.name}": first_sentence(metric.doc)
            for scope in SCOPES
            for metric in metrics.metrics(scope)
            if metric.kind != "label"
        },
        "models": {name: model.title for name, model in MODELS.items()},
    }


def first_sentence(text: str) -> str:
    """Text up to its first full stop that ends a sentence."""
    return text.partition(". ")[0].rstrip(".")
