"""fu2003, Table 1: the default parameters, looked up in the resolved scenario."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hopscope.catalog.fu2003.shared import (
    ACK_NOTE,
    SOURCE,
)
from hopscope.results.samples import Data
from hopscope.studies.entry import Entry, Statement
from hopscope.studies.verdict import Finding, Outcome


def _default(key: str, expected: Any) -> Callable[[Data], Sequence[Finding]]:
    """A judge that looks one default up in the resolved engine configuration of both profiles."""

    def judge(_data: Data) -> list[Finding]:
        from hopscope.scenario import Scenario

        findings = []
        for profile in ("ns2", "standard"):
            document = {"profile": profile, "topology": {"kind": "chain", "hops": 7}, "flow": [{"from": 0, "to": 7}]}
            config = Scenario(document).points[0].config(1)
            found = _look_up(config, key)
            outcome = Outcome.REPRODUCED if found == expected else Outcome.NOT_REPRODUCED
            findings.append(Finding(outcome, f"{key} = {_word(found)}", profile))
        return findings

    return judge


def _look_up(config: Any, key: str) -> Any:
    for part in key.split("."):
        config = config[int(part)] if part.isdigit() else config[part]
    return config


def _word(value: Any) -> str:
    return "off" if value is None else str(value)


_DEFAULTS: tuple[tuple[str, str, Any], ...] = (
    ("2 Mbit/s raw channel", "radio.data_rate", 2_000_000),
    ("transmission range 250 m", "radio.tx_range", 250.0),
    ("carrier-sense range 550 m", "radio.cs_range", 550.0),
    ("interference range 550 m", "radio.interference_range", 550.0),
    ("no channel errors", "radio.error_kind", "none"),
    ("RTS/CTS before every data packet", "mac.rts_threshold", 0),
    ("a packet is dropped after seven unanswered RTS", "mac.short_retry_limit", 7),
    ("a packet is dropped after four unanswered data frames", "mac.long_retry_limit", 4),
    ("50 packets of buffer in every node", "mac.queue", 50),
    ("neighbours 200 m apart (second node of the chain)", "nodes.1", [200.0, 0.0]),
    ("pre-configured routes", "routing.protocol", "static"),
    ("TCP NewReno", "flows.0.transport", "tcp-newreno"),
    ("1460 B packets", "flows.0.packet", 1460),
    ("receiver window of 32 packets", "flows.0.max_window", 32),
    ("long-lived transfer", "flows.0.app.kind", "bulk"),
    ("300 s (in nanoseconds)", "duration", 300_000_000_000),
)

TABLE1 = Entry(
    key="fu2003.table1",
    title="Default parameters",
    source=SOURCE,
    item="Table 1 and section 2",
    description="The defaults of the paper are the defaults of a Hopscope scenario: a chain with one flow and no "
    "other key resolves to them in both profiles.",
    statements=[
        Statement(f"c{number_}", text[0].upper() + text[1:], _default(key, value))
        for number_, (text, key, value) in enumerate(_DEFAULTS, 1)
    ],
    notes=[
        "Retry limits count attempts: seven RTS or four data frames in all. The paper leaves open whether the first "
        "attempt counts; ns-2 counts it.",
        ACK_NOTE,
    ],
)
