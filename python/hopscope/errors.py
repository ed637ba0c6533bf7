"""The errors of the package: whose fault it is, where it is, and the exit status of the command.

Everything a user can cause is a :class:`HopscopeError`; any other exception is a bug.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope import _core

#: Controls of ASCII and Latin-1 but for tab and line end, and what overrides the direction of writing (Unicode UAX 9).
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class HopscopeError(Exception):
    """Base of every error the package raises on purpose."""

    exit_status = 1

    def _render_traceback_(self) -> list[str]:
        """What IPython shows: the message alone, as every error on purpose says what to do."""
        return [f"{type(self).__name__}: {line}" if not n else line for n, line in enumerate(str(self).splitlines())]


class InputError(HopscopeError):
    """The caller asked for something that cannot be done; nothing was run or written."""

    exit_status = 2


class NotFound(InputError, KeyError):
    """A result has nothing of that name or number; the message says what it has."""

    def __str__(self) -> str:
        return Exception.__str__(self)  # a KeyError shows its message in quotes


class StoreError(InputError):
    """A result store cannot be read or written; the message names the path and the reason."""


class RunFailed(HopscopeError):
    """Runs failed, or what was made could not be written, as on a full disk; finished runs are kept."""


class PartialResult(HopscopeError):
    """Some replications failed; the result of the others is complete."""

    exit_status = 3


class Interrupted(HopscopeError):
    """The user stopped the work; finished runs are kept and a second start goes on."""

    exit_status = 130


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a scenario.

    Attributes:
        key: dotted key, such as ``flow.0.to``; empty for the file as a whole.
        message: what was found and what is allowed.
        place: ``file:line:column`` or the option the value came from; empty when unknown.
        order: sort position (line, column).
    """

    key: str
    message: str
    place: str = ""
    order: tuple[int, int] = (0, 0)

    def __str__(self) -> str:
        return ": ".join(part for part in (self.place, self.key, self.message) if part)


class ScenarioError(InputError):
    """A scenario is refused; ``problems`` holds everything that was found at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = sorted(dict.fromkeys(problems), key=lambda p: p.order)
        super().__init__("\n".join(str(p) for p in self.problems))


def did_you_mean(word: object, choices: Iterable[str]) -> str:
    """Returns ``' (did you mean "x"?)'`` for the choice that is meant, or an empty string.

    Words of ns-2, ns-3, INET, Mininet-WiFi and the literature count (:func:`hopscope._core.brought_words`).
    """
    return _core.did_you_mean(word, list(choices)) if isinstance(word, str) else ""


def instead(word: object, choices: Iterable[str], allowed: str) -> str:
    """Returns what a message says after a word that is none of the choices.

    The one that is meant stands first, and alone where there are many; else what the word means elsewhere; else
    ``allowed``, in which ``{}`` stands for the choices.
    """
    names = list(choices)
    allowed = allowed.replace("{}", ", ".join(names))
    return _core.instead(word, names, allowed) if isinstance(word, str) else f"; {allowed}"


def listed(choices: Iterable[str]) -> str:
    """Returns the choices as readable text for a message."""
    return ", ".join(f'"{choice}"' for choice in choices)


def ranges(values: Sequence[Any]) -> str:
    """Returns values as text, three and more consecutive whole numbers as a range: "2, 4 to 7"."""
    groups: list[list[Any]] = []
    for value in values:
        if groups and isinstance(value, int) and value == groups[-1][-1] + 1:
            groups[-1].append(value)
        else:
            groups.append([value])
    words = []
    for group in groups:
        words += [f"{group[0]} to {group[-1]}"] if len(group) > 2 else [str(value) for value in group]
    return ", ".join(words)


def counted(number: int, noun: str) -> str:
    """Returns a number with its noun: ``1 seed``, ``5 seeds``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def visible(text: str) -> str:
    """Returns a text with escapes for what steers a terminal or turns the direction of writing."""
    return _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def printable(text: str) -> str:
    """Returns a text without what steers a terminal or turns the direction of writing, for pages and pictures."""
    return _STEERING.sub("", text)


def shown(value: object, limit: int = 60) -> str:
    """Returns a value as a user would have typed it, shortened for a message."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = '"' + value.encode("unicode_escape").decode("ascii") + '"'
    elif isinstance(value, int) and value.bit_length() > 200:
        text = "a number of more than 60 digits"
    elif isinstance(value, (list, dict)):
        text = f"a table of {len(value)} keys" if isinstance(value, dict) else f"a list of {len(value)} values"
    else:
        text = str(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
