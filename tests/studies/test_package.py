"""The package of the studies' data: what it names is there, and an installed wheel has all of it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import hopscope_studies
from hopscope.cli.new import FOLDER as TEMPLATES
from hopscope.studies.folder import STUDY
from hopscope.studies.registry import studies

ROOT = Path(__file__).resolve().parents[2]


def test_every_study_of_the_package_stands_in_the_catalogue_once() -> None:
    there = {file.parent.name for file in hopscope_studies.FOLDER.glob(f"*/{STUDY}")}
    assert sorted(hopscope_studies.ORDER) == sorted(there)
    assert [study.key for study in studies()] == list(hopscope_studies.ORDER)


def test_the_package_of_the_engine_has_no_study_and_the_wheel_has_both() -> None:
    package = ROOT / "python" / "hopscope"
    data = [file for file in package.rglob("*") if file.suffix in {".toml", ".csv"}]
    # What `hopscope new` copies is data of no study that ships.
    assert not [file for file in data if TEMPLATES not in file.parents]
    own, *pages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["maturin"]["include"]
    assert all(page["path"].startswith("python/hopscope/web/") for page in pages)
    packed = {file.resolve() for file in ROOT.glob(own["path"]) if file.is_file()}
    assert packed == {file for file in (ROOT / "studies").rglob("*") if file.is_file()}
    assert own["format"] == "wheel"
