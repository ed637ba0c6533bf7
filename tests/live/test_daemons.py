"""Routing daemons: their settings, and what is said where one is missing."""

from __future__ import annotations

import shutil
import subprocess
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest

from hopscope.errors import InputError
from hopscope.live import daemons
from hopscope.live.daemons import DAEMONS, Place, check


def place(folder: Path) -> Place:
    return Place(IPv4Address("10.9.0.3"), IPv4Network("10.9.0.0/16"), folder)


def test_each_daemon_names_the_radio_and_writes_into_its_folder_alone(tmp_path: Path) -> None:
    for word, daemon in DAEMONS.items():
        folder = tmp_path / word
        command = daemon.prepare(place(folder))
        text = command + "".join(path.read_text() for path in folder.iterdir())
        assert '"rad0"' in text or " rad0" in text
        assert daemon.program in command
        assert "/var/" not in text


def test_babeld_announces_the_addresses_of_the_net(tmp_path: Path) -> None:
    DAEMONS["babeld"].prepare(place(tmp_path))
    assert "redistribute local ip 10.9.0.0/16 le 32\n" in (tmp_path / "settings.conf").read_text()


@pytest.mark.skipif(shutil.which("bird") is None, reason="real stacks: bird is not installed")
def test_bird_reads_its_settings(tmp_path: Path) -> None:
    DAEMONS["bird"].prepare(place(tmp_path))
    subprocess.run(["bird", "-p", "-c", str(tmp_path / "settings.conf")], check=True)


def test_a_missing_daemon_is_named_once_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _program: None)
    with pytest.raises(InputError) as refused:
        check({0: "babeld", 1: "babeld", 2: "olsrd"})
    assert str(refused.value).splitlines() == [
        'node: routing = "babeld": the program babeld is not installed (Debian: apt install babeld)',
        'node: routing = "olsrd": the program olsrd is not installed (Debian 12 has it not; its source is at olsr.org)',
    ]


def test_a_missing_module_is_said_before_the_start() -> None:
    if Path("/sys/module/batman_adv").exists():
        assert daemons.missing("batman-adv") == ""
    else:
        with pytest.raises(InputError, match="no module batman_adv; load it with: modprobe"):
            check({0: "batman-adv"})


def test_static_routes_need_nothing() -> None:
    assert daemons.missing("static") == ""
