"""Real stacks: left out, visibly, where there are none; a hub in the place of the engine; and nothing left behind."""

from __future__ import annotations

import fcntl
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import hub
import pytest
from leftovers import left_over, why_not

from hopscope import _core

#: How long killed processes may take to end, seconds: more than a busy machine needs.
_PATIENCE_S = 5.0


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """One of these tests at a time, in whatever process: namespaces and devices are those of the whole system."""
    with (Path(tempfile.gettempdir()) / "hopscope-tests-live.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def stacks() -> None:
    """Leaves a test out, visibly, where there are no namespaces."""
    if why := why_not():
        pytest.skip(f"real stacks: {why}")


@pytest.fixture
def radio(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub in the place of the engine."""
    monkeypatch.setattr(_core, "Live", hub.Live, raising=False)
    monkeypatch.setattr(_core, "Tap", hub.Tap, raising=False)
    monkeypatch.setattr(_core, "LiveError", hub.LiveError, raising=False)


@pytest.fixture
def nothing_left(stacks: None) -> Iterator[None]:
    """After the test the system is as it was."""
    before = left_over()
    yield
    last = time.monotonic() + _PATIENCE_S
    while left_over() != before and time.monotonic() < last:
        time.sleep(0.02)  # processes that were killed are still ending
    assert left_over() == before
