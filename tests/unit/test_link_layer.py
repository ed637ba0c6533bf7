"""MAC fragmentation, Neighborhood RED and window gateways in scenario files."""

from __future__ import annotations

from typing import Any

import pytest

import hopscope as hs
from hopscope.errors import ScenarioError
from hopscope.scenario import Scenario

BASE: dict[str, Any] = {
    "duration": "5s",
    "topology": {"kind": "chain", "hops": 2},
    "flow": [{"from": 0, "to": "last", "transport": "udp", "app": "cbr", "rate": "100kbps", "packet": 1400}],
}


def test_the_threshold_is_off_unless_given_and_kept_by_the_resolved_scenario() -> None:
    assert Scenario(BASE).resolved["mac"]["fragmentation_threshold"] == "off"
    cut = Scenario({**BASE, "mac": {"fragmentation_threshold": 600}})
    assert cut.points[0].config(1)["mac"]["fragmentation_threshold"] == 600
    assert Scenario(cut.resolved).points[0].config(1) == cut.points[0].config(1)


def test_fragments_are_frames_of_their_own() -> None:
    def frames(threshold: int | str) -> int:
        result = hs.run(Scenario({**BASE, "mac": {"fragmentation_threshold": threshold}}))
        assert result.points[0].runs[0]["flows"][0]["loss_pct"] == 0
        return int(result.points[0].runs[0]["engine"]["frames"])

    # RTS, CTS, data and ACK; with three fragments two data frames and ACKs more.
    whole, cut = frames("off"), frames(600)
    assert cut == pytest.approx(2 * whole, rel=0.02)


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        (
            {"mac": {"fragmentation_threshold": 100}},
            r"mac\.fragmentation_threshold: found 100; must be at least 256 bytes and at most 8000",
        ),
        ({"mac": {"fragmentation_threshold": "of"}}, r"mac\.fragmentation_threshold: "),
        (
            {"mac": {"receive_lifetime": 0, "fragmentation_threshold": 600}},
            r"mac\.receive_lifetime: found 0; must be above 0 s",
        ),
        (
            {"mac": {"link": "nred"}, "link": {"nred_min": 0.9}},
            r"link\.nred_max: found 0\.9; it must be more than nred_min, 0\.9",
        ),
        ({"link": {"nred_max_p": 1.5}}, r"link\.nred_max_p: found 1\.5; must be at most 1"),
        (
            {"net": {"window_gateways": [3]}, "flow": [{"from": 0, "to": 2}]},
            r"net\.window_gateways: node 3 does not exist; nodes are 0 to 2",
        ),
    ],
)
def test_what_does_not_fit_is_refused(sections: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        Scenario({**BASE, **sections})


def test_more_than_sixteen_fragments_are_refused() -> None:
    flow = {**BASE["flow"][0], "packet": 4000}
    with pytest.raises(ScenarioError, match=r"flow\.0\.packet: .*fragmentation_threshold = 256 .*more than 16"):
        Scenario({**BASE, "flow": [flow], "mac": {"fragmentation_threshold": 256, "max_msdu": 8000}})
