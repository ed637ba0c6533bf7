"""Ending runs from another thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from hopscope import _core


class Stop:
    """Ends the runs that were given it: the engine by its token, a user's code by an exception in its thread.

    A congestion control that loops for ever would never come back to the engine to be notified.
    """

    def __init__(self) -> None:
        self.token = _core.CancelToken()
        self._lock = threading.Lock()
        self._threads: set[int] = set()

    @contextmanager
    def user_code(self) -> Iterator[None]:
        """While it lasts this thread may be in a user's code."""
        thread = threading.get_ident()
        with self._lock:
            self._threads.add(thread)
        try:
            yield
        finally:
            with self._lock:
                self._threads.discard(thread)

    def set(self) -> None:
        """Ends them all."""
        import ctypes  # 7 ms, which only a run that is ended pays

        self.token.set()
        with self._lock:
            for thread in self._threads:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))
