"""Where nodes stand: from the keys of ``[topology]``, placed in Rust, and from the file that it names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope._core import PlaceError
from hopscope.scenario.files import read_positions

Positions = list[list[float]]


@dataclass(frozen=True)
class Placed:
    """Nodes in their places.

    Attributes:
        nodes: position of every node in metres; their order gives the node numbers.
        wired: how many of them, the last ones, have no radio.
        wires: the wires that the kind of topology brings along, in engine form.
    """

    nodes: Positions
    wired: int
    wires: list[dict[str, Any]]


def place(topology: Mapping[str, Any], folder: Path, tx_range: float) -> Placed:
    """Places the nodes.

    Args:
        topology: the read ``[topology]`` table.
        folder: where a relative file path starts.
        tx_range: receive range in metres, for ``connected``.

    Raises:
        PlaceError: too many or no nodes, an unreadable file, no connected placement; ``key`` is the key at fault.
    """
    found: Positions = []
    if topology["kind"] == "file":
        try:
            found = read_positions(folder / topology["path"], topology["format"])
        except ValueError as error:
            fault = PlaceError(str(error))
            fault.key = "path"
            raise fault from error
    nodes, wired, wires = _core.place(dict(topology), tx_range, found)
    return Placed(nodes, wired, json.loads(wires))
