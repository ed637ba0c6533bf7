"""The other verbs, and how fast the command starts."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hopscope import studies as catalog
from hopscope.cli.main import VERBS


def test_help_names_every_verb(hopscope: Any) -> None:
    done = hopscope("--help")
    assert done.returncode == 0
    for verb in VERBS:
        assert f" {verb} " in done.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(hopscope: Any, verb: str) -> None:
    done = hopscope(verb, "--help")
    assert done.returncode == 0
    assert "Usage" in done.stdout


def test_version(hopscope: Any) -> None:
    import hopscope as hs

    assert hopscope("--version").stdout.startswith(f"hopscope {hs.__version__} ")


def test_check_counts_and_resolves(hopscope: Any, folder: Path) -> None:
    done = hopscope("check", "chain.toml", "--set", "mac.queue=10")
    assert "chain.toml: good: 2 points x 2 seeds" in done.stdout
    resolved = hopscope("check", "chain.toml", "--resolved", "--set", "mac.queue=10").stdout
    document = tomllib.loads(resolved)
    assert document["mac"]["queue"] == 10
    assert document["flow"][0]["rate"] == 100_000
    assert json.loads(hopscope("check", "chain.toml", "--json", "--set", "mac.queue=10").stdout) == document
    (folder / "full.toml").write_text(resolved)
    assert tomllib.loads(hopscope("check", "full.toml", "--resolved").stdout) == document


def test_list_shows_what_there_is(hopscope: Any) -> None:
    sections = json.loads(hopscope("list", "--json").stdout)
    parameters = [f"{protocol}-parameters" for protocol in sections["routings"] if protocol != "static"]
    assert list(sections) == [
        "catalogue", "profiles", "presets", "transports", "controls", "recoveries", "ack",
        "link-layers", "routings", *parameters, "topologies",
        "patterns", "apps", "series",
    ]  # fmt: skip
    assert all(text for entries in sections.values() for text in entries.values())
    assert "wavelan-2M" in sections["presets"]
    assert "fu2003.fig2-left" in sections["catalogue"]
    for key in sections["catalogue"]:
        assert catalog.find([key]), key
    assert {"afrakhteh2005.exp12.case3", "fu2003.table2.grid4"} <= sections["catalogue"].keys()
    assert {"static", "aodv", "dsdv", "olsr"} <= sections["routings"].keys()
    assert {"rfc3561", "aodv-uu", "aodv-uu-ll", "ns2"} <= sections["aodv-parameters"].keys()
    assert {"perkins1994", "ns2"} <= sections["dsdv-parameters"].keys()
    assert list(sections["olsr-parameters"]) == ["rfc3626", "olsr-unik", "olsr-etx", "olsrd"]
    plain = hopscope("list").stdout
    for entries in sections.values():
        for name in entries:
            assert name in plain


def test_schema_is_json(hopscope: Any) -> None:
    document = json.loads(hopscope("schema").stdout)
    assert document["$schema"].endswith("2020-12/schema")


def test_show_prints_the_table_of_the_run(hopscope: Any) -> None:
    ran = hopscope("run", "chain.toml", "--out", "store")
    shown = hopscope("show", "store")
    assert shown.stdout == ran.stdout
    assert shown.stderr == ""


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, hopscope, hopscope.cli.main as m; m.build(); print(' '.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"pandas", "numpy", "scipy", "matplotlib", "pyarrow", "jinja2"} & set(loaded)
