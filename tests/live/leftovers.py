"""A scenario for real stacks, whether there can be any, and what of the system a run could leave behind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import hub

from hopscope.live import journal, kernel

#: Three hops with a flow of TCP over them and datagrams back.
CHAIN: dict[str, Any] = {
    "duration": "1s",
    "topology": {"kind": "chain", "hops": 3},
    "flow": [
        {"from": 0, "to": 3, "transport": "tcp-newreno", "max_window": 8},
        {"from": 3, "to": 0, "transport": "udp", "app": "cbr", "rate": "80kbps", "packet": 500},
    ],
}


def why_not() -> str:
    """Why no namespace with a TAP device can be made here; empty: it can."""
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "no /dev/net/tun"
    try:
        namespace = kernel.new_namespace()
    except OSError as error:
        return f"no network namespaces ({error.strerror}): run as root, or with unshare -Urn"
    try:
        kernel.inside(namespace, lambda: hub.Tap.open("rad0"))
    except OSError as error:
        return f"no TAP device ({error.strerror})"
    finally:
        os.close(namespace)
    return ""


def left_over() -> dict[str, list[str]]:
    """What runs leave if they leave anything: names of namespaces, devices of the host, folders, marked processes."""
    marked = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if f"{journal.MARK}=hs-".encode() in (entry / "environ").read_bytes():
                marked.append(entry.name)
        except OSError:
            pass
    names = [path.name for path in journal.NAMES.glob("*")] if journal.NAMES.is_dir() else []
    folders = [path.name for path in journal.home().glob("*")] if journal.home().is_dir() else []
    devices = sorted(os.listdir("/sys/class/net"))
    return {"namespaces": sorted(names), "devices": devices, "folders": sorted(folders), "processes": sorted(marked)}
