"""``hopscope schema``: the JSON Schema of the scenario file, for editors."""

from __future__ import annotations

import json

import typer


def command() -> None:
    """Print the JSON Schema (2020-12) of the scenario file."""
    from hopscope.scenario.keys import schema

    typer.echo(json.dumps(schema(), indent=2, ensure_ascii=False))
