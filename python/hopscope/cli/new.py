"""``hopscope new NAME``: a scenario or study to begin with, in which comments explain each key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from hopscope.cli import options
from hopscope.cli.console import note, out
from hopscope.errors import InputError, instead

#: Template -> the question that it answers as written.
TEMPLATES = {
    "chain": "How large should the window of a TCP receiver be over seven hops?",
    "grid": "Do four flows that cross each other share a grid of nodes fairly?",
    "field": "Which routing protocol delivers more over random fields of nodes?",
    "gateway": "What does a queue at a gateway do to a telephone call that shares it with a download?",
    "mesh": "What does a mesh carry whose nodes stand where a file says?",
    "moving": "Which routing protocol follows nodes that move?",
    "control": "Is a congestion control of your own, in Python, better than NewReno on a lossy path?",
    "study": "Do the statements of a published study hold? A folder of data for hopscope reproduce",
}

#: Where the templates are: `TEMPLATE.*`, or a folder of that name. NAME in them stands for the new name.
FOLDER = Path(__file__).with_name("templates")

#: Ends the names of templates that are Python, so that nothing takes them for modules of the package.
_TEXT = ".txt"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


def _templates(incomplete: str) -> list[tuple[str, str]]:
    """Templates for completion in the shell."""
    return [(name, question) for name, question in TEMPLATES.items() if name.startswith(incomplete)]


def command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Name of the new scenario or study, with a folder before it if wanted."),
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(
            "--template",
            metavar="TEMPLATE",
            autocompletion=_templates,
            help=f"{', '.join(TEMPLATES)}; default: chain.",
        ),
    ] = None,
    force: options.Force = False,
) -> None:
    """Write a scenario or study to begin with, its keys explained; without NAME list the templates."""
    if template is not None:
        _check(template, "--template ")
    if name is None:
        if template is not None or force:
            raise InputError("new: expected a name before the options, as in: hopscope new mychain --template chain")
        _list()
        return
    chosen, target = template or "chain", _target(name)
    written = write(chosen, target, force=force)
    note(f"wrote {', '.join(str(path) for path in written)} (template {chosen})")
    for line in _next(chosen, target):
        note(f"next: {line}")
    if template is None:
        note("other templates: hopscope new")


def new(name: str | Path, template: str = "chain", *, force: bool = False) -> list[Path]:
    """Writes a scenario or study to begin with; returns the new files.

    Args:
        name: of the new scenario or study, with a folder before it if wanted.
        template: ``"chain"``, ``"grid"``, ``"field"``, ``"gateway"``, ``"mesh"``, ``"moving"``, ``"control"`` or
            ``"study"``.
        force: replace files that are there.

    Raises:
        InputError: no such template, no name, or a file that is there.
    """
    _check(template, "template ")
    return write(template, _target(str(name)), force=force)


def _check(template: str, place: str) -> None:
    if template not in TEMPLATES:
        raise InputError(f"{place}{template}: no such template{instead(template, TEMPLATES, 'templates: {}')}")


def _target(name: str) -> Path:
    """The new file without its ending, or the new folder."""
    target = Path(name.removesuffix(".toml").rstrip("/"))
    if not _NAME.fullmatch(target.name):
        raise InputError(f"new {name}: expected a name of letters, digits, - and _, as in: hopscope new mychain")
    return target


def write(template: str, target: Path, *, force: bool = False) -> list[Path]:
    """Write a template and return the new files.

    Args:
        template: one of `TEMPLATES`.
        target: the new file without its ending, or the new folder; its last part is the new name.
        force: whether files that are there are replaced.

    Raises:
        InputError: a file is there, or cannot be written; then none was written.
        RunFailed: the disk is full.
    """
    from hopscope.io import output
    from hopscope.io.files import make_way, not_written, write_whole

    texts = {path: text.replace("NAME", target.name) for path, text in _files(template, target).items()}
    for path in texts:
        output.check(path, force=force)
        make_way(str(path), path)
    for path, text in texts.items():
        try:
            write_whole(path, text.encode())
        except OSError as error:
            raise not_written(f"{path}: cannot be written", error) from error
    return list(texts)


def _files(template: str, target: Path) -> dict[Path, str]:
    """New path -> text of the template."""
    folder = FOLDER / template
    if folder.is_dir():
        return {target / path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir(), reverse=True)}
    return {
        target.with_name(f"{target.name}{Path(path.name.removesuffix(_TEXT)).suffix}"): path.read_text(encoding="utf-8")
        for path in sorted(FOLDER.glob(f"{template}.*"), reverse=True)
    }


def _next(template: str, target: Path) -> list[str]:
    """The commands to go on with."""
    if (FOLDER / template).is_dir():
        folder = target if target.is_absolute() else f"./{target}"
        return [f"hopscope reproduce {folder}"]
    return [f"hopscope check {target}.toml --picture {target}.svg", f"hopscope run {target}.toml"]


def _list() -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for name, question in TEMPLATES.items():
        table.add_row(Text(name, style="bold"), Text(question))
    console = out()
    console.print(table)
    note("write one: hopscope new NAME --template TEMPLATE")
