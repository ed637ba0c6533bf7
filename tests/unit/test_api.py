"""The names a user imports."""

from __future__ import annotations

from pathlib import Path

import pytest

import hopscope as hs


def test_every_public_name_is_there() -> None:
    for name in hs.__all__:
        assert getattr(hs, name) is not None
    assert set(hs.__all__) <= set(dir(hs))
    with pytest.raises(AttributeError, match="no attribute 'bogus'"):
        hs.bogus  # noqa: B018


def test_run_takes_a_file_a_mapping_or_a_scenario(chain: Path) -> None:
    import hopscope.running.runner  # noqa: F401 (must not hide hs.run)

    scenario = hs.load(chain, {"seeds": 1})
    one = hs.run(chain, seeds=1).to_json()["points"][0]["summary"]
    assert hs.run(str(chain), set={"seeds": 1}).to_json()["points"][0]["summary"] == one
    assert hs.run(scenario).to_json()["points"][0]["summary"] == one
    assert hs.run(scenario.document).to_json()["points"][0]["summary"] == one
    with pytest.raises(hs.InputError, match="found int"):
        hs.run(3)  # type: ignore[arg-type]


def test_seeds_given_by_hand_win_over_quick(chain: Path) -> None:
    result = hs.run(chain, seeds=4, quick=True, set={"duration": "20s"})
    assert [len(p.runs) for p in result.points] == [4, 4]
    assert result.scenario.resolved["duration"] == 10
    with pytest.raises(hs.ScenarioError, match=r"^seeds: found 0; must be at least 1 and at most 1000000$"):
        hs.run(chain, seeds=0)


def test_an_offered_load_below_capacity_arrives(chain: Path) -> None:
    result = hs.run(chain, set={"duration": "20s"})
    for point, packet in zip(result.points, (500, 1000), strict=True):
        assert point.set == {"flow.0.packet": packet}
        assert point.interval("flow.0.throughput_kbps").mean == pytest.approx(100, rel=0.02)
    assert result.flows["transport"].unique().tolist() == ["udp"]
    assert result.summary["n"].max() == 2
