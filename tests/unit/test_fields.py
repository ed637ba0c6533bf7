"""Random fields: ``topology.seed = "run"`` draws one for each seed of the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope.campaign.plan import make_plan

FIELD: dict[str, Any] = {
    "duration": "3s",
    "seeds": 3,
    "topology": {"kind": "random", "nodes": 12, "area": [600, 600], "seed": "run", "connected": True},
    "flow": [{"pattern": "random", "copies": 2}],
}


def places(scenario: hs.Scenario, seed: int) -> list[list[float]]:
    return scenario.points[0].config(seed)["nodes"]


def test_each_seed_has_the_field_of_its_number() -> None:
    scenario = hs.Scenario(FIELD)
    fields = [places(scenario, seed) for seed in (1, 2, 3)]
    assert fields[0] != fields[1] != fields[2]
    for seed, field in zip((1, 2, 3), fields, strict=True):
        alone = hs.Scenario(FIELD).replace({"topology.seed": seed})
        assert places(alone, 9) == field
        ends = [(flow["from"], flow["to"]) for flow in scenario.points[0].config(seed)["flows"]]
        assert ends == [(flow["from"], flow["to"]) for flow in alone.points[0].config(9)["flows"]]
    assert scenario.resolved["topology"]["seed"] == "run"


def test_results_are_those_of_the_fields_one_by_one_and_pair() -> None:
    whole = hs.run(FIELD)
    for run in whole.points[0].runs:
        seed = run["seed"]
        alone = hs.run(FIELD, set={"topology.seed": seed, "seed": seed, "seeds": 1}).points[0].runs[0]
        assert alone["flows"] == run["flows"]
    other = hs.run(FIELD, set={"flow.0.transport": "tcp-vegas"})
    [row] = hs.contrasts(whole, other, ["network.aggregate_kbps"]).rows
    assert row.n == 3


def test_the_keys_of_runs_distinguish_fields() -> None:
    def keys(**changes: Any) -> set[str]:
        return {run.key for run in make_plan([hs.Scenario(FIELD).replace(changes)]).unique()}

    assert len(keys()) == 3
    assert keys() <= keys(seeds=5)
    # A field that is connected anyway is the same run; where it had to be drawn again it is another.
    loose = keys(**{"topology.connected": False, "topology.area": [900, 900], "flow": [{"from": 0, "to": 1, "transport": "udp", "app": "cbr", "rate": 1e4}], "routing.protocol": "aodv"})  # fmt: skip # noqa: E501
    assert not loose & keys()


def test_a_store_goes_on_and_proves_itself(tmp_path: Path) -> None:
    from hopscope.campaign.store import open_store

    hs.run(FIELD, seeds=2, out=tmp_path / "store")
    again = hs.run(FIELD, seeds=3, out=tmp_path / "store")
    [stored] = open_store(tmp_path / "store").results()
    assert [run["flows"] for run in stored.points[0].runs] == [run["flows"] for run in again.points[0].runs]


@pytest.mark.parametrize(
    ("topology", "message"),
    [
        ({"seed": "runs"}, r'topology.seed: "runs" is no number with a unit; expected a whole number or "run"'),
        ({"seed": 1.5}, r'topology.seed: found 1.5; expected a whole number or "run"'),
        ({"nodes": 3, "area": [3000, 3000]}, r"topology.connected: seed [1-3]: no connected field in"),
    ],
)
def test_a_bad_field_is_refused(topology: dict[str, Any], message: str) -> None:
    with pytest.raises(hs.ScenarioError, match=message):
        hs.Scenario({**FIELD, "topology": {**FIELD["topology"], **topology}})


def test_seeds_whose_field_cuts_a_flow_off_are_reported() -> None:
    sparse = {**FIELD, "topology": {**FIELD["topology"], "connected": False, "area": [900, 900]}}
    sparse["flow"] = [{"from": 0, "to": 1}]
    scenario = None
    for first in range(1, 60):
        try:
            scenario = hs.Scenario({**sparse, "seed": first, "seeds": 12})
            break
        except hs.ScenarioError:
            continue
    assert scenario is not None
    [reported] = [text for text in scenario.warnings() if "cannot run" in text]
    assert " of 12 seeds cannot run" in reported
