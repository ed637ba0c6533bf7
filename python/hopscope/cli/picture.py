"""Pictures that a verb writes where its user wants them: the ending of the file names the format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hopscope.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def check(option: str, path: Path) -> None:
    """Refuses what names no picture, before anything is run for it.

    Args:
        option: the option that names the file, for the message.
        path: the file.

    Raises:
        InputError: the ending is that of no format.
    """
    from hopscope.io.extras import need
    from hopscope.reporting.plots import FORMATS

    need("matplotlib")

    if _form(path) not in FORMATS:
        allowed = ", ".join(f".{form}" for form in FORMATS)
        raise InputError(f"{option} {path}: the ending names the format; allowed: {allowed}")


def write(option: str, path: Path, figure: Figure) -> None:
    """Writes a figure, and makes the folder it goes to.

    Raises:
        InputError: the place cannot be written.
        RunFailed: the disk is full.
    """
    from hopscope.io.files import make_folder, not_written, write_whole
    from hopscope.reporting.plots import image

    try:
        make_folder(path.parent)
        write_whole(path, image(figure, _form(path)))
    except OSError as error:
        raise not_written(f"{option} {path}: cannot be written", error) from error


def _form(path: Path) -> str:
    return path.suffix.removeprefix(".").lower()
