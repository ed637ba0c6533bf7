"""Octets weigh what the engine counts on the air."""

from __future__ import annotations

import pytest
from chains import SCENARIOS, Capture


@pytest.mark.parametrize("name", SCENARIOS)
def test_under_the_standard_profile_every_frame_and_packet_does(name: str, capture: Capture) -> None:
    captured = capture(SCENARIOS[name], lost=True)
    assert captured.packets > 100
    assert captured.counted_otherwise == 0


def test_fragments_do_too(capture: Capture) -> None:
    captured = capture(SCENARIOS["static"] | {"mac": {"fragmentation_threshold": 400}})
    assert captured.tally["frames"]["data"] > 400
    assert captured.counted_otherwise == 0


def test_what_ns2_counts_otherwise_is_reported(capture: Capture) -> None:
    captured = capture(SCENARIOS["udp"] | {"profile": "ns2"})
    assert captured.counted_otherwise > 0
    # A UDP header of 8 bytes that ns-2 leaves out, around 500 bytes of payload and 20 of IP.
    assert b"counted as 520 bytes" in captured.path.read_bytes()
