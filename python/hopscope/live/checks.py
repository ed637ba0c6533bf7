"""What real stacks ask of the system and of the machine, looked at before anything is made."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.errors import InputError
from hopscope.io.extras import need
from hopscope.live import daemons, guest, kernel, programs
from hopscope.live.plan import RealNetwork

#: The device that makes TAP devices.
_TUN = Path("/dev/net/tun")

#: Shares of a core from which on a run is refused, or said to be much.
_TOO_MUCH, _MUCH = 1.0, 0.25


def system() -> None:
    """Refuses a system on which no namespace or TAP device can be made.

    Raises:
        InputError: it is such a system; the message says what to do.
    """
    if sys.platform != "linux":
        raise InputError("hopscope live needs Linux: its nodes are network namespaces")
    need("pyroute2")
    try:
        os.close(kernel.new_namespace())
    except PermissionError:
        raise InputError(
            "hopscope live makes network namespaces: run it as root (sudo), or in a user namespace: "
            "unshare -Urn hopscope live FILE"
        ) from None
    except OSError as error:
        raise InputError(f"hopscope live: this kernel makes no network namespace ({error.strerror})") from None
    if not os.access(_TUN, os.R_OK | os.W_OK):
        why = "may not be opened" if _TUN.exists() else "is not there"
        raise InputError(
            f"{_TUN}: {why}; the radio of a node is a TAP device (modprobe tun, or the container's --device)"
        )
    programs.check_tools()


def network(real: RealNetwork) -> None:
    """Refuses a network whose daemons the system has not.

    Raises:
        InputError: something is missing.
    """
    daemons.check(real.routings)


def speed(config: Mapping[str, Any]) -> str:
    """What the engine takes of a core by the announced cost of the scenario, if that is much; else empty.

    Virtual time waits for the engine.

    Raises:
        InputError: more than a core: this machine is too slow for the scenario.
    """
    if guest.is_virtual():
        return ""
    cost = _core.estimate(config)
    share = cost["wall_s"] / (config["duration"] / 1e9)
    if share >= _TOO_MUCH:
        raise InputError(
            f"this machine is too slow for the scenario: a second of it takes about {share:.2g} s; fewer nodes, a "
            "lower rate or less traffic would do"
        )
    return f"the radio takes about {100 * share:.0f} % of a core: expect frames to be late" if share >= _MUCH else ""
