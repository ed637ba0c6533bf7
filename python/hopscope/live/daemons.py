"""Routing daemons: what each needs, its settings for one node, and the command that runs it.

Intervals are those of a wireless interface in each daemon, but for Babel's hello in BIRD, which is set to a second.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

from hopscope.errors import InputError

#: The radio of a node.
RADIO = "rad0"
#: The interface of batman-adv, which stands above the radio.
MESH = "bat0"


@dataclass(frozen=True)
class Place:
    """What a daemon has to know of its node.

    Attributes:
        address: the node's address.
        net: the net of all nodes.
        folder: where it may write.
    """

    address: IPv4Address
    net: IPv4Network
    folder: Path


@dataclass(frozen=True)
class Daemon:
    """A routing daemon.

    Attributes:
        word: value of ``routing``.
        program: the program; empty: the kernel does it.
        ipv6: it needs IPv6 on the radio.
        whole_net: the radio has the prefix of the net, so that it has a broadcast address; else that of one host.
        settings: text of its settings; None: it has none.
        command: its command line.
        hint: how the program comes to a system; for the message where it is missing.
    """

    word: str
    program: str
    ipv6: bool
    whole_net: bool
    settings: Callable[[Place], str] | None
    command: Callable[[Place], str]
    hint: str

    def prepare(self, place: Place) -> str:
        """Writes the settings of a node into its folder and returns the command."""
        place.folder.mkdir(parents=True, exist_ok=True)
        if self.settings is not None:
            _settings(place).write_text(self.settings(place))
        return self.command(place)


def _settings(place: Place) -> Path:
    return place.folder / "settings.conf"


def _babeld(place: Place) -> str:
    return (
        f"interface {RADIO} type wireless hello-interval 2\n"
        f"redistribute local ip {place.net} le 32\n"
        "redistribute local deny\n"
    )


def _run_babeld(place: Place) -> str:
    folder = shlex.quote(str(place.folder))
    return f"exec babeld -c {shlex.quote(str(_settings(place)))} -I {folder}/pid -S {folder}/state {RADIO}"


def _bird(place: Place) -> str:
    return f"""router id {place.address};
log stderr all;
protocol device {{ scan time 5; }}
protocol direct {{ ipv4; interface "{RADIO}"; }}
protocol kernel {{ ipv4 {{ import none; export where source = RTS_BABEL; }}; }}
protocol babel {{
  ipv4 {{ import all; export all; }};
  interface "{RADIO}" {{ type wireless; hello interval 1 s; next hop ipv4 {place.address}; }};
}}
"""


def _run_bird(place: Place) -> str:
    folder = shlex.quote(str(place.folder))
    # A socket has at most 107 octets in its path: one in the folder of a run is short, under --out it may not be.
    return f"cd {folder} && exec bird -f -c settings.conf -s control -P pid"


def _run_batmand(place: Place) -> str:
    del place
    # All its instances use one socket below /run, so each has a /run of its own. From a debug level on it stays here.
    return f"exec unshare --mount sh -c 'mount -t tmpfs none /run && exec batmand -d 1 {RADIO}'"


def _olsrd(place: Place) -> str:
    return f'IpVersion 4\nDebugLevel 1\nLockFile "{place.folder}/lock"\nInterface "{RADIO}" {{ }}\n'


def _run_olsrd(place: Place) -> str:
    return f"exec olsrd -nofork -f {shlex.quote(str(_settings(place)))}"


DAEMONS = {
    daemon.word: daemon
    for daemon in (
        Daemon("babeld", "babeld", True, False, _babeld, _run_babeld, "Debian: apt install babeld"),
        Daemon("bird", "bird", True, False, _bird, _run_bird, "Debian: apt install bird2"),
        Daemon("batmand", "batmand", False, True, None, _run_batmand, "Debian: apt install batmand"),
        Daemon("olsrd", "olsrd", False, True, _olsrd, _run_olsrd, "Debian 12 has it not; its source is at olsr.org"),
    )
}

#: The routing that is a module of the kernel.
IN_KERNEL = "batman-adv"


def missing(word: str) -> str:
    """What a routing needs and the system has not, in words; empty: nothing."""
    if word == IN_KERNEL:
        # Loaded or built in: a namespace cannot load it.
        there = Path("/sys/module/batman_adv").exists()
        return "" if there else "this kernel has no module batman_adv; load it with: modprobe batman-adv"
    daemon = DAEMONS.get(word)
    if daemon is None or shutil.which(daemon.program):
        return ""
    return f"the program {daemon.program} is not installed ({daemon.hint})"


def check(routings: dict[int, str]) -> None:
    """Refuses routings for which the system lacks something, each once.

    Args:
        routings: node -> word.

    Raises:
        InputError: something is missing.
    """
    lacking = {word: text for word in dict.fromkeys(routings.values()) if (text := missing(word))}
    if lacking:
        raise InputError("\n".join(f'node: routing = "{word}": {text}' for word, text in lacking.items()))
