"""What the shell offers: keys with their values, metrics, entries, stores, words; and that a shell gets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hopscope import studies
from hopscope.cli import completing
from hopscope.reference.lookup import look_up


def offered(offers: completing.Offers) -> list[str]:
    assert all(text is not None for _, text in offers)
    return [name for name, _ in offers]


def test_keys_are_offered_with_the_numbers_typed() -> None:
    assert offered(completing.assignments("mac.queue_re")) == ["mac.queue_reserve="]
    assert offered(completing.assignments("flow.0.max_w")) == ["flow.0.max_window="]
    assert offered(completing.assignments("flow.*.max_w")) == ["flow.*.max_window="]
    assert offered(completing.assignments("flow.3.max_w")) == ["flow.3.max_window="]
    assert "profile=" in offered(completing.assignments(""))
    assert completing.assignments("warp") == []


def test_values_of_choices_and_flags_are_offered() -> None:
    assert offered(completing.assignments("profile=")) == ["profile=standard", "profile=ns2", "profile=as-ns3"]
    assert offered(completing.assignments("flow.2.transport=tcp-new")) == ["flow.2.transport=tcp-newreno"]
    assert offered(completing.assignments("explain=")) == ["explain=true", "explain=false"]
    assert completing.assignments("mac.queue=") == []


def test_metrics_are_offered_as_tables_take_them() -> None:
    assert "throughput_kbps" in offered(completing.metrics("through"))
    assert "network.jain" in offered(completing.metrics("network.ja"))


def test_entries_studies_and_sections_are_those_that_are_there() -> None:
    assert set(offered(completing.entries("fu2003.fig2"))) == {
        e.key for e in studies.find(["fu2003"]) if "fig2" in e.key
    }
    assert "fu2003" in offered(completing.entries("fu"))
    assert "armaghani2008" in offered(completing.studies(""))
    assert {"keys", "metrics", "presets"} <= set(offered(completing.sections("")))


def test_what_help_offers_it_explains() -> None:
    for name in offered(completing.names("mac.ei")):
        assert look_up(name)
    assert "run" in offered(completing.names("ru"))


def test_stores_and_folders_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results" / "chain").mkdir(parents=True)
    assert offered(completing.stores("la")) == []
    (tmp_path / "results" / "chain" / "manifest.json").write_text("{}")
    assert offered(completing.stores("la")) == ["last"]
    assert offered(completing.stores("results/")) == ["results/chain"]


def test_a_shell_is_answered(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "_HOPSCOPE_COMPLETE": "complete_zsh",
        "_TYPER_COMPLETE_ARGS": "hopscope run chain.toml --set mac.que",
    }
    code = "from hopscope.cli.main import build; build()(prog_name='hopscope')"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "mac.queue=" in done.stdout, json.dumps([done.stdout, done.stderr])
