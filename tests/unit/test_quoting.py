"""Messages about the data files of a scenario: what is quoted, and what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hopscope as hs

#: Beginnings of files that nobody wants in a message, and that are no data.
SECRETS = [
    "root:x:0:0:root:/root:/bin/bash\n",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE\n",
    "machine example.org login me password hunter2\n",
    "1 hunter2\n",
    "API_TOKEN=hunter2\n",
    "# a comment\n\nhunter2\n",
]
FLOW = {"from": 0, "to": 1}
CHAIN = {"kind": "chain", "hops": 1}


def naming(file: Path) -> list[dict[str, Any]]:
    """Scenarios that name a file in each way there is."""
    video = {**FLOW, "transport": "udp", "app": "video", "trace": str(file)}
    nodes = {"kind": "file", "path": str(file)}
    positions = {"kind": "positions", "positions": [[0, 0], [100, 0]]}
    return [
        {"topology": nodes, "flow": [FLOW]},
        {"topology": positions, "mobility": {"model": "file", "path": str(file)}, "flow": [FLOW]},
        {"topology": CHAIN, "radio": {"rssi_trace": str(file)}, "flow": [FLOW]},
        {"topology": CHAIN, "radio": {"loss_trace": str(file)}, "flow": [FLOW]},
        {"topology": CHAIN, "flow": [video]},
        {"topology": CHAIN, "flow": [{"pattern": "file", "path": str(file)}]},
    ]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_file_of_no_format_is_not_quoted(tmp_path: Path, secret: str) -> None:
    file = tmp_path / "private"
    file.write_text(secret)
    for scenario in naming(file):
        with pytest.raises(hs.ScenarioError) as refused:
            hs.Scenario(scenario)
        said = str(refused.value).replace(str(file), "")
        quoted = [word for word in secret.replace(":", " ").split() if len(word) > 3 and word in said]
        assert not quoted, said
        assert "its first line is none of" in said, said


def test_what_is_wrong_in_a_file_of_the_format_is_quoted(tmp_path: Path) -> None:
    file = tmp_path / "rssi.csv"
    file.write_text("time,from,to,rssi\n0,0,1,-6O\n")
    with pytest.raises(hs.ScenarioError, match="-6O"):
        hs.Scenario({"topology": CHAIN, "radio": {"rssi_trace": str(file)}, "flow": [FLOW]})
