"""Code that scenarios name: it is named on the terminal, and run only where the user wants it.

A file runs without further ado when it is the user's own: it lies in the current folder or below, belongs to the user,
and nobody else can write it. So does a module that an installed package declares for this in the entry point group
``hopscope``. Any other code needs ``--trust``, or a yes at the terminal.
"""

from __future__ import annotations

import importlib.util
import os
import stat
import sys
import sysconfig
from contextlib import AbstractContextManager
from pathlib import Path

from hopscope.cli.console import note
from hopscope.usercode import trust

#: Entry points by which an installed package declares the modules whose classes scenarios may name.
ENTRY_POINTS = "hopscope"


def asking(trusted: bool) -> AbstractContextManager[None]:
    """Names every file and module before it is run, and asks about those that are not the user's own."""
    answers: dict[str, str] = {}

    def policy(code: str) -> str:
        if code not in answers:
            answers[code] = "" if trusted or is_trusted(code) else _asked(code)
            if not answers[code]:
                note(f"runs code: {code}")
        return answers[code]

    return trust.under(policy)


def is_trusted(code: str) -> bool:
    """Whether code runs without asking: a file of the user's own, or a module that its package declares.

    That a module is installed says nothing: to import any of them has effects that its author meant for others.
    """
    if code.endswith(".py"):
        return is_own(Path(code))
    try:
        found = importlib.util.find_spec(code.partition(".")[0])
    except (ImportError, ValueError):
        return True  # there is none: nothing is run
    if found is None:
        return True
    if found.origin is None or found.origin in ("built-in", "frozen"):  # or folders without an __init__.py
        return False
    installed = [Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")]
    origin = Path(found.origin).resolve()
    if any(origin.is_relative_to(folder) for folder in installed):
        from importlib.metadata import entry_points

        return code in {entry.module for entry in entry_points(group=ENTRY_POINTS)}
    return is_own(origin)


def is_own(file: Path) -> bool:
    """Whether a file and the folders from the current one down to it are the user's alone."""
    try:
        file, here = file.resolve(strict=True), Path.cwd()
        if not file.is_relative_to(here):
            return False
        above = [folder for folder in file.parents if folder.is_relative_to(here)]
        return all(_is_private(path.stat()) for path in (file, *above))
    except OSError:
        return False


def _is_private(status: os.stat_result) -> bool:
    mine = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return mine and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _asked(code: str) -> str:
    if _answer(code).strip().lower() in ("y", "yes"):
        return ""
    return "is code that is not below your current folder, or not yours alone; it runs with --trust"


def _answer(code: str) -> str:
    """What the user says at a terminal; nothing without one."""
    if sys.stdin is None or not sys.stdin.isatty() or not sys.stderr.isatty():
        return ""
    note(f"The scenario runs code that is not below your current folder, or not yours alone: {code}")
    print("Run it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline()
