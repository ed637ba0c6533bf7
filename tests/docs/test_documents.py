"""What the documents say is tried: scenarios are good, commands exist, links lead somewhere, items are complete."""

from __future__ import annotations

import importlib.util
import pkgutil
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hopscope import _core
from hopscope.cli.main import VERBS
from hopscope.results import metrics
from hopscope.scenario import Scenario, keys, load
from hopscope.scenario.fields import Field

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = [p for p in ROOT.glob("docs/**/*.md") if not {"_build", "generated"} & set(p.parts)]
PAGES = sorted([*ROOT.glob("*.md"), *WRITTEN, *ROOT.glob("showcases/**/*.md")])
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def documents() -> list[tuple[str, str]]:
    found = [
        (name, block) for name, page in zip(NAMES, PAGES, strict=True) for block in blocks(page.read_text(), "toml")
    ]
    assert len(found) >= 4
    return found


@pytest.mark.parametrize(("page", "block"), documents())
def test_scenarios_are_good(page: str, block: str) -> None:
    values = tomllib.loads(block)
    # A page may show a part of a file; the rest is the plainest scenario.
    whole = {"topology": {"kind": "chain", "hops": 7}, "flow": [{"from": 0, "to": "last"}], **values}
    assert Scenario(whole).points, page


def test_queries_over_several_stores_match_columns_by_name() -> None:
    queries = [query for page in PAGES for block in blocks(page.read_text(), "sql") for query in block.split(";")]
    several = [query for query in queries if "*/" in query]
    assert several
    assert all("union_by_name = true" in query for query in several)


def test_the_table_of_metrics_is_what_a_run_gives() -> None:
    """The pages of results are made from the table, so they name every column."""
    flow = {"from": 0, "to": 1, "group": "all"}
    wire = {"from": 0, "to": 1, "rate": "1 Mbps", "delay": "1 ms"}
    scenario = Scenario({"duration": "1s", "topology": {"kind": "chain", "hops": 1}, "flow": [flow], "wire": [wire]})
    run = _core.run(scenario.points[0].config(1)).values()
    found = {"flow": run["flows"][0], "node": run["nodes"][0], "network": run["network"], "group": run["groups"]["all"]}
    found["wire"] = run["wires"][0]
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    for scope, entries in found.items():
        table = {metric.name: metric for metric in metrics.metrics(scope)}
        assert entries.keys() == table.keys() - {"reply_to"}
        assert f"generated/metrics-{scope}.md" in page
        numbers = {name for name, value in entries.items() if isinstance(value, (int, float))}
        assert all(table[name].kind in {"sample", "label"} for name in numbers)
        assert all(metric.doc.endswith(".") for metric in table.values())


def generator() -> Any:
    """The program that makes the generated pages."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "tools" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    return generate


def test_every_record_is_on_its_page_with_class_and_fields() -> None:
    generate = generator()
    found = generate.records()
    assert [record.name for record in found] == _core.record_kinds()
    assert all(record.meaning and record.layer and record.kind for record in found)
    assert all(meaning for record in found for _, _, meaning in record.fields)
    window = next(record for record in found if record.name == "Window")
    assert [name for name, _, _ in window.fields] == ["flow", "cwnd", "ssthresh", "flight"]
    assert window.kind == "WINDOWS"
    offered = generate.declared(
        "//! Records of x.\n/// It is so.\nSo in MAC about node {\n/// Which.\nslot: u8 as form(a),\n"
    )
    assert offered == [generate.Record("x", "So", "It is so.", [("slot", "u8", "Which.")], "MAC")]


def test_showcases_are_good() -> None:
    files = sorted(ROOT.glob("showcases/*/scenario.toml"))
    assert files
    for file in files:
        assert load(file).points
        assert file.with_name("index.md").exists()


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_commands_exist(page: Path) -> None:
    lines = [line for block in blocks(page.read_text(), "console") for line in block.splitlines()]
    for line in lines:
        words = line.split("#")[0].split()
        if words[:1] == ["hopscope"] and not words[1].startswith("-"):
            assert words[1] in VERBS, line
        if words[:1] == ["make"]:
            makefile = (ROOT / "Makefile").read_text()
            assert re.search(rf"^{words[1]}:", makefile, flags=re.MULTILINE), line


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
        # What is generated is there once the documentation is built, which fails on an image that is missing.
        if not target.startswith(("http:", "https:", "generated/")):
            assert (page.parent / target).exists(), target


def test_pages_of_the_site_link_to_pages_of_the_site() -> None:
    """Sphinx knows no document outside of docs/: a link to one is a warning, and warnings are errors."""
    for page in WRITTEN:
        for target in re.findall(r"\]\(([^)#]+?\.md)(?:#[^)]*)?\)", page.read_text()):
            if not target.startswith(("http:", "https:")):
                assert (page.parent / target).resolve().is_relative_to(ROOT / "docs"), f"{page}: {target}"


def parameters() -> list[Field]:
    """Every parameter of the engine."""
    return [
        field for section in (*keys.ENGINE_SECTIONS, *keys.routing_protocols()) for field in keys.parameters(section)
    ]


def test_what_the_api_page_names_exists() -> None:
    page = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    found = re.findall(r"^\.\. auto(\w+):: (\S+)\n((?:   :.*\n)*)", page, flags=re.MULTILINE)
    named = [(target, option) for _, target, options in found for option in re.findall(r"members: (.+)", options)]
    assert len(found) > 20
    for kind, target, _ in found:
        assert pkgutil.resolve_name(target) is not None, f"{kind} {target}"
    absent = [
        f"{at}.{name}"
        for at, names in named
        for name in names.split(", ")
        if not hasattr(pkgutil.resolve_name(at), name)
    ]
    assert absent == []


def test_every_item_of_the_ns2_profile_that_a_parameter_names_is_described() -> None:
    items = {int(n) for field in parameters() for n in re.findall(r"ns2-facts items? (\d+)", field.source + field.doc)}
    assert items
    page = (ROOT / "docs" / "models" / "ns2.md").read_text()
    described = {int(n) for n in re.findall(r"^(\d+)\. \*\*", page, flags=re.MULTILINE)}
    assert items <= described
    assert described == set(range(1, 49))


def test_every_engine_key_the_ns2_page_names_exists() -> None:
    known = {field.name for field in parameters()}
    page = (ROOT / "docs" / "models" / "ns2.md").read_text()
    named = {key for key in re.findall(r"`([a-z]\w+) = ", page) if key != "profile"}
    assert len(named) > 20
    assert named <= known


@pytest.mark.parametrize("protocol", ["aodv", "olsr"])
def test_a_routing_page_lists_the_parameter_sets_and_names_parameters_that_exist(protocol: str) -> None:
    page = (ROOT / "docs" / "models" / f"{protocol}.md").read_text()
    sets = [name for name, _ in _core.routing_sets(protocol)]
    assert re.findall(r"^\| `([\w-]+)` \|", page, flags=re.MULTILINE) == sets
    known = {field.name for field in keys.parameters(protocol)}
    named = set(re.findall(r"\(`(\w+)`\)|`(\w+_\w+)`", page))
    words = {first or second for first, second in named}
    measured = {key for key in result_keys() if key in words}
    assert len(measured) >= 6
    assert words - measured <= known


def result_keys() -> set[str]:
    """Metrics of the network and of a flow in a real run."""
    scenario = Scenario({"duration": "1s", "topology": {"kind": "chain", "hops": 1}, "flow": [{"from": 0, "to": 1}]})
    run = _core.run(scenario.points[0].config(1)).values()
    return {*run["network"], *run["flows"][0]}


def test_the_page_of_causes_has_every_cause_with_its_meaning_and_its_group() -> None:
    from hopscope.results.explain import GROUPS

    generate = generator()
    sets = generate.enums(generate.CAUSES)
    for scope, name in (("nodes", "Cause"), ("links", "LinkCause"), ("delay", "DelayPart"), ("failures", "Failure")):
        assert [word for word, _ in sets[name]] == dict(_core.ledger_causes())[scope]
        assert all(meaning for _, meaning in sets[name])
    shown = dict(re.findall(r"^\| `([\w-]+)` \| .* \| ([^|]+) \|$", generate.causes_page(), flags=re.MULTILINE))
    groups = {cause: name for name, causes in GROUPS.items() for cause in causes}
    assert {cause: shown[cause] for cause in groups} == groups
    assert sorted(groups) == sorted(dict(_core.ledger_causes())["nodes"])
