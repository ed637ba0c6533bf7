"""The names a user imports."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope.cli.main import VERBS

#: Verbs whose functions have another name: words of Python, of its built-in functions, or of a package of Hopscope.
FUNCTIONS = {"list": "words", "help": "look_up", "import": "import_script", "exec": "execute", "live": "run_live"}

ROOT = Path(__file__).resolve().parents[2]

CHAIN: dict[str, Any] = {
    "title": "pair",
    "duration": "2s",
    "topology": {"kind": "chain", "hops": 2},
    "flow": [{"from": 0, "to": 2, "max_window": 4}],
}


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


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_a_function_that_the_guide_names(verb: str) -> None:
    name = FUNCTIONS.get(verb, verb)
    assert name in hs.__all__
    function = getattr(hs, name)
    assert callable(function)
    assert inspect.getdoc(function)
    rows = re.findall(
        rf"^\| `hopscope {verb}` \| (.*?) \|", (ROOT / "docs/guide/python.md").read_text(), flags=re.MULTILINE
    )
    assert len(rows) == 1, "the table of docs/guide/python.md lacks it"
    assert f"`hs.{name}(" in rows[0]


def test_functions_win_over_packages_whatever_was_imported_before() -> None:
    names = [FUNCTIONS.get(verb, verb) for verb in VERBS]
    code = "import hopscope.reporting.page, hopscope.probing, hopscope.assuming.search, hopscope.cli.main\n"
    code += f"import hopscope as hs\nprint([name for name in {names} if not callable(getattr(hs, name))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_results_show_themselves_without_addresses(tmp_path: Path) -> None:
    result = hs.run(CHAIN, seeds=2, out=tmp_path / "s", progress=False)
    store = hs.open_store(tmp_path / "s")
    over = ["flow.0.max_window=1..2"]
    shown: list[Any] = [
        result,
        hs.explain(CHAIN, progress=False),
        hs.optimize(CHAIN, over[0], seeds=2, progress=False),
        hs.trade_off(CHAIN, over, ("throughput", "delay"), seeds=2, progress=False),
        hs.probe({**CHAIN, "duration": "30s"}, "packet-pair", seeds=2),
        hs.verify(store, sample=1),
        hs.check(CHAIN),
        hs.contrasts(result, hs.run(CHAIN, seeds=2, set={"mac.queue": 3}, progress=False)),
    ]
    for one in shown:
        assert "<" in one._repr_html_()
    plain = [result.scenario, result.scenario.points[0], result.points[0], result.explain().points[0], store,
             hs.Simulation(CHAIN), result.distribution()]  # fmt: skip
    for thing in [*shown, *plain]:
        assert " at 0x" not in repr(thing), type(thing)
        assert len(repr(thing)) < 1000, type(thing)


def test_the_functions_do_what_their_verbs_do(tmp_path: Path) -> None:
    scenario = {**CHAIN, "sweep": {"flow.0.max_window": [1, 4]}}
    hs.run(scenario, seeds=2, out=tmp_path / "s", progress=False)
    assert hs.report(tmp_path / "s", tmp_path / "r").read_text().count("<h2>") == 1
    table = hs.show(tmp_path / "s", ["delay_ms", "network.jain"])
    assert table["flow.0.max_window"].tolist() == [1, 4]
    assert {"delay_ms", "delay_ms.ci95", "network.jain"} <= set(table.columns)
    assert hs.verify(tmp_path / "s").is_proved
    assert hs.pcap(scenario, tmp_path / "x.pcapng", point="flow.0.max_window=4").is_whole
    checked = hs.check(scenario, seeds=3)
    assert (checked.delivers, len(checked.scenario.points), checked.scenario.seeds) == (True, 2, 3)
    assert hs.explain(CHAIN, progress=False).points[0].nodes
    assert [path.name for path in hs.new(tmp_path / "begun", "grid")] == ["begun.toml"]
    assert hs.schema()["type"] == "object"
    with pytest.raises(hs.InputError, match="columns: are those of what was measured"):
        hs.report(tmp_path / "s", columns={"a": "b"})
    with pytest.raises(hs.InputError, match=r'template chian: no such template \(did you mean "chain"\?\)'):
        hs.new(tmp_path / "other", "chian")


def test_words_and_models_are_found_by_name() -> None:
    assert set(hs.words()) > {"keys", "metrics", "presets"}
    assert "mac.queue" in hs.words("keys")
    with pytest.raises(hs.InputError, match=r'no section .keyz. \(did you mean "keys"\?\)'):
        hs.words("keyz")
    assert hs.look_up("mac.queue")[0].kind == "key"
    one: Any = hs.model("optimal-window", hops=7)
    several: Any = hs.model("optimal-window", hops="4..8 by 4")
    listed: Any = hs.model("optimal-window", hops=range(7, 9))
    assert several["hops"].tolist() == [4, 8]
    assert listed["window"].tolist()[0] == one["window"]
    with pytest.raises(hs.InputError, match="unknown parameter"):
        hs.model("optimal-window", hopz=7)


def test_a_study_of_the_catalogue_is_one_call() -> None:
    found = hs.reproduce("fu2003.fig2-left", quick=True, seeds=1, set={"duration": "4s"}, progress=False)
    assert [entry.entry.key for entry in found.entries] == ["fu2003.fig2-left"]
    assert repr(found).startswith("Reproduction(fu2003.fig2-left: ")
    assert "<pre" in found._repr_html_()
