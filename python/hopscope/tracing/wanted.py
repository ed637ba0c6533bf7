"""Which records a trace has: by node, flow, kind and time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import Any

from hopscope import _core
from hopscope.errors import InputError, did_you_mean, listed

NS = 1_000_000_000


@dataclass(frozen=True)
class Wanted:
    """A filter of records; a record has to pass every part that is given.

    Attributes:
        nodes: nodes at which it happens, or that a frame goes to.
        flows: flows, by number.
        kinds: names of records.
        start_ns: first instant, in ns.
        stop_ns: last instant, in ns; None: the end of the run.
    """

    nodes: tuple[int, ...] | None = None
    flows: tuple[int, ...] | None = None
    kinds: tuple[str, ...] | None = None
    start_ns: int = 0
    stop_ns: int | None = None

    @classmethod
    def of(
        cls,
        *,
        nodes: Sequence[int] | None = None,
        flows: Sequence[int] | None = None,
        kinds: Sequence[str] | None = None,
        start: str | float | None = None,
        stop: str | float | None = None,
    ) -> Wanted:
        """Returns the filter that a user describes.

        Args:
            nodes: numbers of nodes.
            flows: numbers of flows.
            kinds: names of records, upper or lower case, with ``*`` for any letters.
            start: first instant, in seconds or with a unit ("1.05s", "20ms").
            stop: last instant.

        Raises:
            InputError: a kind that no record has, or no time.
        """
        first, last = _instant("from", start), _instant("to", stop)
        if last is not None and last < (first or 0):
            raise InputError(f"to {stop}: lies before from {start}")
        return cls(
            None if nodes is None else tuple(nodes),
            None if flows is None else tuple(flows),
            None if kinds is None else _kinds(kinds),
            first or 0,
            last,
        )

    def for_engine(self) -> dict[str, Any]:
        """Returns what the engine takes."""
        return {
            "nodes": self.nodes and list(self.nodes),
            "flows": self.flows and list(self.flows),
            "kinds": self.kinds and list(self.kinds),
            "from_ns": self.start_ns,
            "until_ns": self.stop_ns,
        }

    def __str__(self) -> str:
        parts = []
        for noun, values in (("node", self.nodes), ("flow", self.flows), ("kind", self.kinds)):
            if values is not None:
                parts.append(f"{noun} {', '.join(map(str, values))}")
        if self.start_ns:
            parts.append(f"from {self.start_ns / NS:.9g} s")
        if self.stop_ns is not None:
            parts.append(f"to {self.stop_ns / NS:.9g} s")
        return "; ".join(parts)


def _kinds(patterns: Sequence[str]) -> tuple[str, ...]:
    names = _core.record_kinds()
    found = []
    for pattern in patterns:
        plain = pattern.replace("-", "").lower()
        fitting = [name for name in names if fnmatchcase(name.lower(), plain)]
        if not fitting:
            raise InputError(
                f"kind {pattern}: no record has that name{did_you_mean(pattern, names)}; there are {listed(names)}"
            )
        found += [name for name in fitting if name not in found]
    return tuple(found)


def _instant(word: str, value: str | float | None) -> int | None:
    if value is None:
        return None
    try:
        seconds = Decimal(_core.quantity(value, "s")) if isinstance(value, str) else Decimal(str(value))
    except (_core.QuantityError, ArithmeticError) as error:
        raise InputError(f"{word} {value}: {error}") from None
    if not seconds.is_finite() or seconds < 0:
        raise InputError(f"{word} {value}: expected a time of at least 0 s")
    return min(int(seconds * NS), 2**63)
