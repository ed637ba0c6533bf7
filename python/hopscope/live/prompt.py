"""The prompt of ``hopscope shell``: commands at nodes, and changes of the network under way."""

from __future__ import annotations

import contextlib
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from typing import TextIO

from hopscope.errors import HopscopeError, InputError
from hopscope.live import programs, report
from hopscope.live.session import Session

#: Word -> (what follows it, what it does).
WORDS = {
    "node": ("N", "go to another node (nN does, too; nN COMMAND runs one command there)"),
    "nodes": ("", "the nodes with their addresses and places"),
    "cut": ("A B", "nothing arrives over a link any more"),
    "degrade": ("A B DB", "a link loses power"),
    "restore": ("A B", "a link is as at the beginning"),
    "move": ("N X Y [SPEED]", "a node is at a place in metres, or goes there"),
    "down": ("N", "the radio of a node goes off"),
    "up": ("N", "it comes back"),
    "power": ("N POWER", "a node sends with another power"),
    "set": (
        "KEY VALUE [N]",
        "a parameter, such as mac.queue or radio.data_rate, has another value, of all or of N",
    ),
    "report": ("", "lateness and frames so far"),
    "help": ("", "this list"),
    "exit": ("", "end the run"),
}


class Prompt:
    """Reads lines and does what they say, until there are none left or the run is over.

    Args:
        session: the run.
        lines: where lines come from.
    """

    def __init__(self, session: Session, lines: TextIO) -> None:
        self._session = session
        self._lines = lines
        self._node = 0
        self._kinds: dict[str, Callable[[list[str]], None]] = {
            "node": self._go,
            "nodes": self._nodes,
            "report": self._report,
            "help": self._help,
            "cut": lambda words: self._link("link-cut", words),
            "restore": lambda words: self._link("link-restore", words),
            "degrade": self._degrade,
            "move": self._move,
            "down": lambda words: self._change("node-down", node=_node(words)),
            "up": lambda words: self._change("node-up", node=_node(words)),
            "power": lambda words: self._change("power", node=_node(words[:1]), power=_text(words, 1, "power")),
            "set": self._set,
        }

    def serve(self) -> None:
        """Does line after line; an error is shown, and the next line is read.

        A program that has ended is named: the network stays as long as its user does.
        """
        for line in self._read():
            self._session.check_radio()
            for program in self._session.newly_ended():
                print(program.in_words(), file=sys.stderr)
            if line.strip() in {"exit", "quit"}:
                return
            try:
                self.do(line)
            except HopscopeError as error:
                print(error, file=sys.stderr)

    def do(self, line: str) -> None:
        """Does what a line says.

        Raises:
            InputError: it cannot be done.
        """
        first, _, rest = line.strip().partition(" ")
        if not first or first.startswith("#"):
            return
        node = self._named(first)
        if node is not None and not rest.strip():
            self._node = node
        elif node is not None:
            self._run(node, rest)
        elif first in self._kinds:
            try:
                words = shlex.split(rest)
            except ValueError as error:
                raise InputError(f"{first}: {error}") from None
            self._kinds[first](words)
        else:
            self._run(self._node, line)

    def _read(self) -> Iterator[str]:
        if self._lines is sys.stdin and sys.stdin.isatty():
            import readline  # noqa: F401 (input has its history by it)

            while True:
                try:
                    yield input(f"n{self._node}$ ")
                except EOFError:
                    print()
                    return
                except KeyboardInterrupt:
                    print()
        yield from self._lines

    def _run(self, node: int, line: str) -> None:
        """Runs a line in a shell at a node; Ctrl-C ends it, and not the network."""
        namespace = self._session.inside(node)
        with _deaf():
            process = programs.attached(namespace, ["sh", "-c", line], self._session.environment(node), None)
            process.wait()

    def _named(self, word: str) -> int | None:
        """The node that a word such as n3 names; None: another word."""
        if word[:1] != "n" or not word[1:].isdecimal():
            return None
        return self._there(int(word[1:]))

    def _there(self, node: int) -> int:
        if node >= self._session.real.nodes:
            raise InputError(f"node {node} does not exist; nodes are 0 to {self._session.real.nodes - 1}")
        return node

    def _go(self, words: list[str]) -> None:
        self._node = self._there(_node(words))

    def _change(self, kind: str, **values: object) -> None:
        self._session.change(kind, **values)

    def _link(self, kind: str, words: list[str]) -> None:
        self._change(kind, **{"from": _node(words[:1]), "to": _node(words[1:])})

    def _degrade(self, words: list[str]) -> None:
        loss = _text(words, 2, "attenuation in dB")
        self._change("link-degrade", **{"from": _node(words[:1]), "to": _node(words[1:2]), "attenuation": loss})

    def _move(self, words: list[str]) -> None:
        place = [_text(words, 1, "x"), _text(words, 2, "y")]
        self._change("move", node=_node(words[:1]), position=place, speed=words[3] if len(words) > 3 else None)

    def _set(self, words: list[str]) -> None:
        key, value = _text(words, 0, "key"), _text(words, 1, "value")
        self._change("set", key=key, value=value, node=_node(words[2:]) if len(words) > 2 else None)

    def _nodes(self, words: list[str]) -> None:
        del words
        for node, (x, y) in enumerate(self._session.positions):
            print(f"n{node}  {self._session.addresses.of(node)}  at {x:.0f}, {y:.0f} m")

    def _report(self, words: list[str]) -> None:
        del words
        radio = self._session.radio()
        print(f"{self._session.now_s:.1f} s; {report.lateness(radio)}\n{report.books(radio)}")

    def _help(self, words: list[str]) -> None:
        del words
        for word, (what, text) in WORDS.items():
            print(f"{f'{word} {what}'.strip():20}  {text}")
        print("anything else runs in a shell at the node of the prompt; $n3 is the address of node 3")


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """Ctrl-C is for the command in the foreground."""
    # Not ignored: a command would take that over.
    before = signal.signal(signal.SIGINT, lambda _signal, _frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _text(words: list[str], at: int, what: str) -> str:
    if at >= len(words):
        raise InputError(f"expected {what}; help says what each word takes")
    return words[at]


def _node(words: list[str]) -> int:
    text = _text(words, 0, "the number of a node").removeprefix("n")
    if not text.isdecimal():
        raise InputError(f"{text}: is no number of a node")
    return int(text)
