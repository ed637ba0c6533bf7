"""Which Python files that a scenario names may be run.

A program that calls Hopscope runs what its scenarios name: it is code itself. The command asks first: see
:mod:`hopscope.cli.trusting`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: Takes what is about to be run, a file or a module; returns why it is not, empty to run it.
Policy = Callable[[str], str]

_POLICY: ContextVar[Policy | None] = ContextVar("policy", default=None)


@contextmanager
def under(policy: Policy) -> Iterator[None]:
    """Asks ``policy`` about every file and module that a scenario names, before it is run."""
    token = _POLICY.set(policy)
    try:
        yield
    finally:
        _POLICY.reset(token)


def refusal(code: str) -> str:
    """Returns why a file or module must not be run; empty when it may."""
    policy = _POLICY.get()
    return "" if policy is None else policy(code)
