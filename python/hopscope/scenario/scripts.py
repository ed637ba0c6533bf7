"""Scripts of other simulators as scenario files."""

from __future__ import annotations

from pathlib import Path

from hopscope import _core
from hopscope.errors import InputError
from hopscope.scenario import files

#: What a script should be, for messages.
_WANTED = "an ns-2 Tcl script"


def of_ns2(path: Path) -> tuple[str, list[str]]:
    """Returns the scenario file of an ns-2 script, and what of the script is not followed.

    The script is read, not executed. Files that it names with ``source`` are read too where they lie in its folder or
    below.

    Args:
        path: the script.

    Raises:
        InputError: it cannot be read, or no scenario can be made of it.
    """
    folder = path.parent

    def opened(name: str) -> tuple[str, str]:
        """Name and text of a file of the script."""
        if "\0" in name:
            raise ValueError(f"source {name}: is no name of a file")
        wanted = folder / name
        if not wanted.resolve().is_relative_to(folder.resolve()):
            raise ValueError(f"source {name}: lies outside of the folder of the script")
        return str(wanted), files.text(wanted, _WANTED)

    try:
        return _core.import_ns2(files.script(path, _WANTED), str(path), path.name.partition(".")[0], opened)
    except ValueError as error:
        raise InputError(str(error)) from error
