"""The workers of a Dask scheduler as an executor of runs, with progress from the workers."""

from __future__ import annotations

import contextlib
import logging
import secrets
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from typing import Any

from hopscope import _core
from hopscope.errors import InputError
from hopscope.io.extras import need

#: How long a scheduler has to answer (s).
PATIENCE_S = 10.0

#: A worker reports progress so often (s).
REPORT_S = 0.5

_LOG = logging.getLogger("hopscope")


class Cluster(Executor):
    """The workers of a scheduler.

    A batch whose worker ends is done again by another, which the scheduler sees to.

    Attributes:
        slots: runs that they do at a time; 0: no worker is there yet.
    """

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._pool = client.get_executor(pure=False)
        self.slots = sum(client.nthreads().values())
        _check_builds(client, address)
        if not self.slots:
            _LOG.warning("%s: no worker is there yet; runs begin when one comes", address)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hands a call to a worker."""
        future: Future[Any] = self._pool.submit(fn, *args, **kwargs)
        return future

    @contextlib.contextmanager
    def reporting(self, advanced: Callable[[str, float], None]) -> Iterator[Reporter]:
        """What workers report progress to while the body works; ``advanced`` gets it, in a thread of the client."""
        topic = f"hopscope-{secrets.token_hex(8)}"
        self._client.subscribe_topic(topic, lambda event: advanced(*event[1]))
        try:
            yield Reporter(topic)
        finally:
            with contextlib.suppress(Exception):  # the scheduler may be gone, and the topic with it
                self._client.unsubscribe_topic(topic)


class Reporter:
    """Reports to the client how far a run is, from within a worker."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._last = 0.0
        self._is_wanted = True

    def __call__(self, key: str, seconds: float) -> bool:
        """A run has simulated so many seconds in total; false: the client has taken back what the worker does."""
        now = time.monotonic()
        if now - self._last >= REPORT_S:
            from distributed import get_worker

            self._last, worker = now, get_worker()
            worker.log_event(self._topic, (key, seconds))
            task = worker.state.tasks.get(worker.get_current_task())
            self._is_wanted = task is not None and task.state != "cancelled"
        return self._is_wanted


@contextlib.contextmanager
def cluster(address: str, origin: str = "") -> Iterator[Cluster]:
    """Connects to the scheduler at an address; messages about it begin with ``origin``.

    Raises:
        MissingLibrary: Dask's ``distributed`` is not installed.
        InputError: no scheduler answers, or a worker has another build of the engine.
    """
    need("distributed")
    import distributed
    from distributed.comm.addressing import parse_address, parse_host_port
    from distributed.comm.registry import get_backend

    place = f"{origin} {address}".strip()
    connect: Any = distributed.Client  # which has no types
    with _quiet():
        try:
            scheme, rest = parse_address(address)
            get_backend(scheme)
            parse_host_port(rest)  # a client of an address that cannot be would end with a traceback of its own
            client = connect(address, timeout=PATIENCE_S, set_as_default=False)
        except (OSError, ValueError, RuntimeError, TypeError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(
                f"{place}: no Dask scheduler answers there ({reason}); expected an address as `dask scheduler` prints "
                "it, such as tcp://HOST:8786"
            ) from error
        try:
            yield Cluster(client, place)
        finally:
            client.close()


@contextlib.contextmanager
def opened(executor: Executor | str | Any) -> Iterator[Executor | None]:
    """The executor that is meant: one, the address of a Dask scheduler, a client of Dask, or none.

    Raises:
        InputError: as of :func:`cluster`, or something else was given.
    """
    if executor is None or isinstance(executor, Executor):
        yield executor
    elif isinstance(executor, str):
        with cluster(executor, "executor:") as found:
            yield found
    elif hasattr(executor, "get_executor"):
        yield Cluster(executor, "executor")
    else:
        raise InputError(
            f"executor: found {type(executor).__name__}; expected an executor of concurrent.futures, a client of Dask, "
            "or the address of its scheduler"
        )


def _check_builds(client: Any, address: str) -> None:
    """Refuses workers whose results would be those of another engine.

    Raises:
        InputError: such a worker, or one without Hopscope.
    """
    for worker, build in client.run(_core.build_id, on_error="return").items():
        if isinstance(build, Exception):
            raise InputError(f"{address}: the worker {worker} cannot load Hopscope: {build}; install it there")
        if build != _core.build_id():
            raise InputError(
                f"{address}: the worker {worker} has engine build {build}, not {_core.build_id()}; "
                "install the same version of Hopscope there"
            )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keeps what Dask logs about a lost scheduler from the terminal: errors say it."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
