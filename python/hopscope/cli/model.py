"""``hopscope model NAME KEY=VALUE...``: closed-form models, over ranges, as a table, JSON or a plot."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopscope.cli import options, picture
from hopscope.cli.console import note, out
from hopscope.errors import InputError, did_you_mean, listed, shown

if TYPE_CHECKING:
    from hopscope.models.formula import Model
    from hopscope.reporting.chart import Chart

Rows = Sequence[tuple[dict[str, Any], dict[str, float | None]]]


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help='A model, or "list" for all of them.')] = "list",
    values: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY=VALUE...", help="Parameters: hops=7, hops=1..48, rate=1Mbps,2Mbps, rtt=100ms."),
    ] = None,
    about: Annotated[
        bool, typer.Option("--about", metavar="", help="Print source, parameters and outputs of the model.")
    ] = False,
    as_json: options.Json = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Also draw the main output: .png, .svg or .pdf.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", metavar="NAME", help="Draw this output instead of the main one.")
    ] = None,
    figure_width: options.FigureWidth = None,
    font_size: options.FontSize = None,
    log: options.LogAxes = None,
) -> None:
    """Evaluate a closed-form model."""
    from hopscope.models import registry

    if name == "list":
        if values:
            raise InputError(f"list takes no {shown(values[0])}; a model's parameters: hopscope model NAME --about")
        _print_list(registry.MODELS.values(), as_json)
        return
    model = registry.model(name)
    if about:
        _print_about(model, as_json)
        return
    axes = parse(model, values or [])
    swept = [key for key, found in axes.items() if len(found) > 1]
    drawn = model.output(output) if output else model.outputs[0]
    style = options.parse_style(figure_width, font_size, log, without="" if plot is not None else "--plot FILE")
    if plot is not None:
        picture.check("--plot", plot)
        if not swept:
            raise InputError(f"--plot {plot}: give one parameter a range, such as hops=1..48")
    rows = list(model.table(axes))
    if plot is not None:
        from hopscope.reporting import plots
        from hopscope.reporting.style import styled_as

        with styled_as(style):
            picture.write("--plot", plot, plots.draw(_chart(model, rows, swept, drawn.name)))
    if as_json:
        typer.echo(json.dumps(_document(model, axes, rows, swept)))
    else:
        _print_rows(model, rows, swept)
    if plot is not None:
        note(f"plot: {plot}")


def parse(model: Model, words: Sequence[str]) -> dict[str, list[Any]]:
    """Reads ``key=value`` words; a range or list gives several values.

    Raises:
        InputError: no ``key=value``, an unknown or repeated parameter, or values that do not fit.
    """
    from hopscope.scenario import ranges

    known = {field.name: field for field in model.parameters}
    axes: dict[str, list[Any]] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals:
            raise InputError(f"model {model.name}: found {shown(word)}; expected key=value, such as {_usage(model)}")
        if key not in known:
            allowed = f"allowed: {', '.join(known)}"
            raise InputError(f"model {model.name}: unknown parameter {shown(key)}; {allowed}{did_you_mean(key, known)}")
        if key in axes:
            raise InputError(f"model {model.name}: {key} is given twice; several values: {key}=1,2 or {key}=1..9")
        found = ranges.parse(text, known[key], f"model {model.name}: {key}")
        axes[key] = found.values() if isinstance(found, ranges.Span) else found
    return axes


def _usage(model: Model) -> str:
    name, value = next(iter(model.example().items()))
    return f"{name}={value}"


def _print_list(models: Any, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({model.name: _about(model) for model in models}, indent=2))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for model in models:
        table.add_row(Text(model.name, style="bold"), Text(model.title))
    console = out()
    console.print(table)
    console.print(Text("\nParameters, outputs and source of one: hopscope model NAME --about"))


def _about(model: Model) -> dict[str, Any]:
    return {
        "title": model.title,
        "source": model.source,
        "remark": model.remark,
        "parameters": {
            f.name: {"doc": f.doc, "unit": f.unit, "required": f.required, "default": f.default,
                     "choices": list(f.choices)}
            for f in model.parameters
        },
        "outputs": {o.name: {"doc": o.doc, "unit": o.unit} for o in model.outputs},
    }  # fmt: skip


def _print_about(model: Model, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"model": model.name, **_about(model)}, indent=2))
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from hopscope.reporting.terminal import print_table

    console = out()
    console.print(Text(f"{model.name}: {model.title}", style="bold"))
    console.print(Text(f"Source: {model.source}"))
    if model.remark:
        console.print(Text(model.remark))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("parameter", "unit", "default", "meaning"):
        table.add_column(heading)
    for field in model.parameters:
        default = "required" if field.required else "" if field.default is None else _plain(field.default)
        words = f" One of {listed(field.choices)}." if field.choices else ""
        table.add_row(field.name, field.unit, default, Text(field.doc + words))
    print_table(console, table)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("output", "unit", "meaning"):
        table.add_column(heading)
    for entry in model.outputs:
        table.add_row(entry.name, entry.unit, Text(entry.doc))
    print_table(console, table)
    example = " ".join(f"{name}={value}" for name, value in model.example().items())
    console.print(Text(f"Example: hopscope model {model.name} {example}"))


def _print_rows(model: Model, rows: Rows, swept: Sequence[str]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from hopscope.reporting.terminal import print_table

    console = out()
    console.print(Text(f"{model.name}: {model.title}", style="bold"))
    units = {field.name: field.unit for field in model.parameters}
    if not swept:
        table = Table.grid(padding=(0, 2))
        [(_, found)] = rows
        for entry in model.outputs:
            table.add_row(Text(entry.name), Text(f"{_plain(found[entry.name])} {entry.unit}".strip()), Text(entry.doc))
        console.print(table)
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for key in swept:
        table.add_column(f"{key}\n{units[key]}", justify="right")
    for entry in model.outputs:
        table.add_column(f"{entry.name}\n{entry.unit}", justify="right")
    for chosen, found in rows:
        table.add_row(*(_plain(chosen[key]) for key in swept), *(_plain(found[o.name]) for o in model.outputs))
    print_table(console, table)


def _document(model: Model, axes: Mapping[str, Sequence[Any]], rows: Rows, swept: Sequence[str]) -> dict[str, Any]:
    from hopscope import _core

    first = {key: found[0] for key, found in axes.items()}
    fixed = {key: value for key, value in model.complete(first).items() if key not in swept}
    return {
        "hopscope": _core.version(),
        "model": model.name,
        "source": model.source,
        "parameters": fixed,
        "units": {o.name: o.unit for o in model.outputs},
        "rows": [{"set": {key: chosen[key] for key in swept}, "outputs": found} for chosen, found in rows],
    }


def _plain(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


# --- Plot -----------------------------------------------------------------------------------------------------------


def _chart(model: Model, rows: Rows, swept: Sequence[str], output: str) -> Chart:
    """The output over the parameter with most values; the others make the lines."""
    from hopscope.reporting.chart import Chart, Line, Panel

    def numeric(key: str) -> bool:
        return all(isinstance(chosen[key], (int, float)) and not isinstance(chosen[key], bool) for chosen, _ in rows)

    along = max((key for key in swept if numeric(key)), key=lambda k: len({row[0][k] for row in rows}), default=None)
    if along is None:
        raise InputError(f"model {model.name}: a plot needs a parameter with several numbers")
    others = [key for key in swept if key != along]
    units = {field.name: field.unit for field in model.parameters}
    lines: dict[str, tuple[list[float], list[float]]] = {}
    for chosen, found in rows:
        label = ", ".join(f"{key} = {_with_unit(chosen[key], units[key])}" for key in others)
        value = found[output]
        if value is not None:
            places, heights = lines.setdefault(label, ([], []))
            places.append(float(chosen[along]))
            heights.append(value)
    entry = model.output(output)
    return Chart(
        model.name,
        f"{model.title}. Source: {model.source}.",
        _label(along, units[along]),
        _label(entry.name.removesuffix(f"_{entry.unit}"), entry.unit),
        [Panel("", [Line(label, xs, ys) for label, (xs, ys) in lines.items()])],
    )


def _with_unit(value: Any, unit: str) -> str:
    """A value as a legend shows it; rates in Mbit/s."""
    if unit == "bit/s" and not isinstance(value, str):
        return f"{value / 1e6:g} Mbit/s"
    return f"{_plain(value)} {unit}" if unit and unit != "probability" else _plain(value)


def _label(name: str, unit: str) -> str:
    words = name.removesuffix("_kbps").replace("_", " ")
    return f"{words} ({unit})" if unit and unit != "probability" else words
