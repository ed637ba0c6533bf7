"""``hopscope list``: what there is to choose from, one line each."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from hopscope.cli.console import out


def command(
    as_json: Annotated[
        bool, typer.Option("--json", metavar="", help="As JSON: section -> {name: description}.")
    ] = False,
) -> None:
    """List the catalogue and every word a scenario may use: profiles, presets, transports, routings and so on."""
    sections = listing()
    if as_json:
        typer.echo(json.dumps(sections, indent=2))
        return
    from rich.table import Table
    from rich.text import Text

    console = out()
    for section, entries in sections.items():
        console.print(Text(section, style="bold"))
        table = Table.grid(padding=(0, 2))
        for name, text in entries.items():
            table.add_row(Text("  " + name), Text(text))
        console.print(table)
        console.print()


def listing() -> dict[str, dict[str, str]]:
    """Returns section -> name -> one line."""
    from hopscope import _core, studies
    from hopscope.results import metrics
    from hopscope.scenario import keys
    from hopscope.scenario.controls import FORM

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


_PROFILES = {
    "standard": "behaviour of IEEE 802.11 and the RFCs",
    "ns2": "the documented behaviour of ns-2.35",
    "as-ns3": "the measured behaviour of ns-3.44",
}
