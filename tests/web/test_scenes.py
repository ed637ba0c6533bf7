"""The scenes of the playground are scenarios that the command takes as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopscope.scenario import load

SCENES = sorted((Path(__file__).resolve().parents[2] / "web/src/playground/scenes").glob("*.toml"))


def test_there_are_eight() -> None:
    assert len(SCENES) == 8


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_a_scene_passes_the_check_without_a_warning(path: Path) -> None:
    scenario = load(path)
    assert scenario.warnings() == []
