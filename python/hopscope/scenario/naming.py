"""Dotted keys and swept values in words, as sentences, legends and axes name them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from hopscope.scenario.sweep import written

#: Keys whose names are not words.
_WORDS = {
    "max_window": "receiver's window", "packet": "packet size", "rate": "offered rate", "per": "frame error rate",
    "ber": "bit error rate", "tx_range": "transmission range", "cs_range": "carrier-sense range",
    "seed": "seed", "queue": "queue length", "cw_min": "smallest contention window",
    "cw_max": "largest contention window", "ack_every": "packets per ACK",
    "error": "channel errors", "link": "link layer", "protocol": "routing protocol",
}  # fmt: skip
#: Words that are written in capitals.
_LETTERS = {
    "rts": "RTS", "cts": "CTS", "ack": "ACK", "mac": "MAC", "tcp": "TCP", "rto": "RTO", "rtt": "RTT", "ttl": "TTL",
    "eifs": "EIFS", "nav": "NAV", "red": "RED", "codel": "CoDel", "aodv": "AODV", "dsr": "DSR", "olsr": "OLSR",
    "babel": "Babel", "dsdv": "DSDV", "dccp": "DCCP", "lred": "LRED", "mda": "MDA", "daa": "DAA", "cwnd": "cwnd",
    "arp": "ARP", "atp": "ATP", "sack": "SACK", "elp": "ELP", "ogm": "OGM", "hwmp": "HWMP",
    "batman_iv": "BATMAN_IV", "batman_v": "BATMAN_V",
}  # fmt: skip
#: Sections that say what a key is of.
_PREFIXED = frozenset({"tcp", "dccp", "atp", "aodv", "dsr", "olsr", "dsdv", "babel", "batman_iv", "batman_v", "hwmp"})


def in_words(key: str) -> str:
    """A dotted key as an axis names it: ``flow.3.max_window`` is "receiver's window of flow 3".

    Flow 0, whose keys most sweeps vary, and all flows together (``flow.*``) need no number.
    """
    *sections, name = key.split(".")
    words = _WORDS.get(name, name.replace("_", " "))
    words = " ".join(_LETTERS.get(word, word) for word in words.split(" "))
    numbers = [part for part in sections if part.isdigit() and part != "0"]
    owner = f" of {sections[0]} {numbers[0]}" if numbers else ""
    section = sections[-1] if sections and not sections[-1].isdigit() and sections[-1] != "*" else ""
    prefix = f"{_LETTERS.get(section, section)} " if section in _PREFIXED else ""
    return f"{prefix}{words}{owner}"


def names(keys: Iterable[str]) -> dict[str, str]:
    """Keys in words; those whose words are the same stand as they are."""
    words = {key: in_words(key) for key in keys}
    count = Counter(words.values())
    return {key: word if count[word] == 1 else key for key, word in words.items()}


def spoken(values: Mapping[str, Any]) -> str:
    """Swept values as a sentence or a legend names them: a single word for itself, others behind their keys in words.

    ``flow.0.max_window = 8`` is "receiver's window 8", ``profile = ns2`` is "ns2".  Keys whose words are the same stand
    as they are.
    """
    called = names(values)
    alone = sum(map(_is_word, values.values())) == 1
    return ", ".join(_spoken("" if alone and _is_word(v) else called[key], v) for key, v in values.items())


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and not value[:1].isdigit()


def _spoken(name: str, value: Any) -> str:
    text = written(value, 40)
    return f"{name}{':' * name[-1:].isdigit()} {text}" if name else text
