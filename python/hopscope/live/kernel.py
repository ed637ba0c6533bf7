"""Calls of Linux that Python 3.11 does not have: network namespaces and the mounts that give them names."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")

#: A network namespace (linux/sched.h).
_NEW_NET = 0x40000000
#: Bind mount, and taking away one that is in use (linux/mount.h, umount2(2)).
_BIND, _DETACH = 4096, 2

_LIBC = ctypes.CDLL(None, use_errno=True)


def new_namespace() -> int:
    """Makes a network namespace and returns a descriptor, which alone keeps it.

    Raises:
        OSError: it cannot be made, as without the right to.
    """

    def make() -> int:
        _check(_LIBC.unshare(_NEW_NET), "unshare")
        return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)

    return _in_thread(make)


def inside(namespace: int, work: Callable[[], _T]) -> _T:
    """Does some work in a network namespace and returns what it returns, or raises what it raises.

    A thread of its own enters it and ends there: the caller's threads never leave their namespace, whatever happens.
    """

    def enter() -> _T:
        _check(_LIBC.setns(namespace, _NEW_NET), "setns")
        return work()

    return _in_thread(enter)


def bind(descriptor: int, place: str) -> None:
    """Mounts a namespace on a file, as ``ip netns add`` does.

    Raises:
        OSError: the caller may not mount.
    """
    source = f"/proc/self/fd/{descriptor}"
    _check(_LIBC.mount(source.encode(), place.encode(), b"none", _BIND, None), place)


def unbind(place: str) -> None:
    """Takes a mount away, also one that is in use.

    Raises:
        OSError: nothing is mounted there, or the caller may not.
    """
    _check(_LIBC.umount2(place.encode(), _DETACH), place)


def _in_thread(work: Callable[[], _T]) -> _T:
    done: list[_T] = []
    failed: list[BaseException] = []

    def act() -> None:
        try:
            done.append(work())
        except BaseException as error:  # raised where the work was asked for
            failed.append(error)

    thread = threading.Thread(target=act)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]


def _check(status: int, what: str) -> None:
    if status != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
