"""tcptrace measures in a capture what Hopscope measures itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chains import Capture, chain

CONTROLS = ("tcp-newreno", "tcp-sack", "tcp-cubic", "tcp-vegas")


def figures(text: str) -> dict[str, float]:
    """What tcptrace says of the direction a to b, which is the left column, and of the number of packets of both."""
    found = {}
    for name in (
        *("actual data pkts", "unique bytes sent", "rexmt data pkts", "rexmt data bytes", "throughput"),
        *("RTT samples", "RTT min", "RTT max", "RTT avg"),
    ):
        match = re.search(rf"^ *{name}: +([0-9.]+)", text, flags=re.MULTILINE)
        assert match, f"tcptrace says nothing of {name}:\n{text}"
        found[name] = float(match[1])
    [packets] = re.findall(r"^ *total packets: +([0-9]+) +total packets: +([0-9]+)", text, flags=re.MULTILINE)
    found["sent"], found["received"] = map(float, packets)
    return found


@pytest.mark.parametrize("name", CONTROLS)
@pytest.mark.parametrize("extra", [{}, {"ack": "delayed"}], ids=["every", "delayed"])
def test_figures_of_a_connection(
    name: str, extra: dict[str, Any], capture: Capture, tcptrace: Callable[[Path], str]
) -> None:
    scenario = chain(7, flow={"transport": name, "max_window": 32, **extra}, duration="60s")
    captured = capture(scenario, node=0, radio=False)
    [own] = captured.connections
    found = figures(tcptrace(captured.path))
    assert found["sent"] == own["sent_packets"]
    assert found["received"] == own["received_packets"]
    assert found["actual data pkts"] == own["data_packets"]
    assert found["unique bytes sent"] == own["unique_bytes"]
    assert found["rexmt data pkts"] == own["retransmitted_packets"]
    assert found["rexmt data bytes"] == own["retransmitted_bytes"]
    # It rounds to 1 byte/s and to 0.1 ms, and cuts stamps to microseconds.
    assert found["throughput"] == pytest.approx(own["throughput_kbps"] * 125, abs=1)
    assert found["RTT samples"] == own["rtt_samples"] > 100
    for tool, ours in (("RTT min", "rtt_min_ms"), ("RTT avg", "rtt_avg_ms"), ("RTT max", "rtt_max_ms")):
        assert found[tool] == pytest.approx(own[ours], abs=0.0501 + 0.001), tool


def test_it_knows_the_options_of_both_ends(capture: Capture, tcptrace: Callable[[Path], str]) -> None:
    scenario = chain(2, flow={"transport": "tcp-sack", "max_window": 200, "packet": 1000}, duration="5s")
    captured = capture(scenario, node=0, radio=False)
    text = tcptrace(captured.path)
    assert re.findall(r"^ *req sack: +(\w+) +req sack: +(\w+)", text, flags=re.MULTILINE) == [("Y", "Y")]
    assert re.findall(r"^ *adv wind scale: +(\d+) +adv wind scale: +(\d+)", text, flags=re.MULTILINE) == [("2", "2")]
    assert re.findall(r"^ *mss requested: +(\d+) bytes +mss requested: +(\d+)", text, flags=re.MULTILINE) == [
        ("1000",) * 2
    ]
    # Its largest window is that of 200 packets and not what 16 bits hold.
    assert re.findall(r"^ *max win adv: +(\d+) bytes +max win adv: +(\d+)", text, flags=re.MULTILINE) == [
        ("200000",) * 2
    ]


def test_the_results_of_the_run_say_the_same(capture: Capture) -> None:
    import hopscope as hs

    scenario = chain(7, flow={"transport": "tcp-newreno", "max_window": 32}, duration="60s")
    result = hs.run(scenario, seeds=1)
    flow = result.points[0].runs[0]["flows"][0]
    sender = capture(scenario, node=0, radio=False).connections[0]
    assert sender["retransmitted_packets"] == flow["retransmitted_packets"] > 0
    assert sender["data_packets"] + 1 == flow["sent_packets"], "the SYN counts there"
