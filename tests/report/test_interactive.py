"""`report --interactive`: figures that run again in the page. What the page holds is data, and gives the same runs."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope.errors import InputError
from hopscope.reporting import interactive
from hopscope.scenario import Scenario, document
from hopscope.scenario.model import changed
from hopscope.watching import bundle, carried

HOSTILE = "</script><script>alert(1)</script><!-- <script> \u2028"

SWEEP: dict[str, Any] = {
    "title": HOSTILE,
    "duration": "2s",
    "seeds": 3,
    "topology": {"kind": "chain", "hops": 2, "spacing": "200m"},
    "mac": {"queue": 20},
    "flow": [
        {"from": 0, "to": 2, "transport": "tcp-newreno", "max_window": 4},
        {"from": 2, "to": 0, "transport": "udp", "app": "cbr", "rate": "50kbps"},
    ],
    "sweep": {"flow.0.max_window": [2, 4, 8], "flow.0.transport": ["tcp-newreno", "tcp-vegas"]},
}


class Scripts(HTMLParser):
    """The scripts of a page with their attributes, and its meta elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.meta: list[dict[str, str | None]] = []
        self.figures: list[str | None] = []
        self._inside = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._inside = tag == "script"
        if tag == "script":
            self.scripts.append((given, ""))
        elif tag == "meta":
            self.meta.append(given)
        elif given.get("class") == "again":
            self.figures.append(given["data-figure"])

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            given, text = self.scripts[-1]
            self.scripts[-1] = (given, text + data)


def reported(values: dict[str, Any], folder: Path, **options: Any) -> str:
    """The page of a store with these runs."""
    hs.run(Scenario(values), out=folder / "store", progress=False)
    return hs.report(folder / "store", folder / "page", interactive=True, **options).read_text()


def data_of(page: str) -> dict[str, Any]:
    [text] = [text for given, text in Scripts(page).scripts if given.get("id") == "hopscope-again"]
    return dict(json.loads(text))


def of_kind(scenario: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [figure for figure in scenario["figures"] if figure["kind"] == kind]


def test_figures_of_a_sweep_run_again(tmp_path: Path, web: Path) -> None:
    page = Scripts(reported(SWEEP, tmp_path))
    assert [given for given, _ in page.scripts] == [
        {"type": "application/json", "id": "hopscope-again"},
        {"type": "application/octet-stream;base64", "id": "hopscope-engine"},
        {},
    ]
    report = json.loads(page.scripts[0][1])
    assert base64.b64decode(page.scripts[1][1]) == bundle.read(bundle.ENGINE)
    assert page.scripts[2][1] == bundle.read(bundle.RERUN).decode()
    [scenario] = report["scenarios"]
    assert page.figures == [figure["id"] for figure in scenario["figures"]]
    assert {figure["along"] for figure in of_kind(scenario, "curves")} == {"flow.0.max_window"}
    assert "throughput_kbps" in [figure["metric"] for figure in scenario["figures"]]
    assert scenario["flows"] == ["flow 0: 0 → 2", "flow 1: 2 → 0"]
    assert (scenario["seed"], scenario["seeds"], scenario["same"]) == (1, 3, True)


def test_the_page_has_the_means_of_the_store_and_the_quantiles_of_its_intervals(tmp_path: Path, web: Path) -> None:
    report = data_of(reported(SWEEP, tmp_path))
    result = hs.open_store(tmp_path / "store").results()[0]
    [figure] = [one for one in of_kind(report["scenarios"][0], "curves") if one["metric"] == "throughput_kbps"]
    for point, flows in zip(result.points, figure["stored"], strict=True):
        for flow, (mean, half) in enumerate(flows):
            found = point.interval(f"flow.{flow}.throughput_kbps")
            assert (mean, half) == (pytest.approx(found.mean), pytest.approx(found.ci95 or 0))
    # Abramowitz and Stegun, table 26.10: 4.303 for 2 degrees of freedom.
    assert report["quantiles"][0] is None
    assert report["quantiles"][2] == pytest.approx(4.303, abs=5e-4)
    assert len(report["quantiles"]) == interactive.MOST_SEEDS


def test_heat_maps_have_the_cell_and_the_mean_of_each_point(tmp_path: Path, web: Path) -> None:
    [scenario] = data_of(reported(SWEEP, tmp_path))["scenarios"]
    result = hs.open_store(tmp_path / "store").results()[0]
    total, jain = of_kind(scenario, "map")
    assert (total["metric"], jain["metric"]) == ("network.aggregate_kbps", "network.jain")
    assert total["id"] == "aggregate-kbps-heat-map"
    assert (total["down"]["key"], total["across"]["key"]) == ("flow.0.max_window", "flow.0.transport")
    assert (total["down"]["names"], total["across"]["names"]) == (["2", "4", "8"], ["tcp-newreno", "tcp-vegas"])
    for point, (row, column), (mean, half) in zip(result.points, total["at"], total["stored"], strict=True):
        assert [total["down"]["names"][row], total["across"]["names"][column]] == list(map(str, point.set.values()))
        found = point.interval("network.aggregate_kbps")
        assert (mean, half) == (pytest.approx(found.mean), pytest.approx(found.ci95 or 0))


def test_heat_maps_of_keys_that_change_together_have_no_key_to_type(tmp_path: Path, web: Path) -> None:
    together = [{"flow.0.max_window": [2, 2, 4], "flow.0.transport": ["tcp-newreno", "tcp-vegas", "tcp-vegas"]}]
    sweep = {"together": together, "mac.queue": [5, 50]}
    [scenario] = data_of(reported({**SWEEP, "duration": "1s", "seeds": 1, "sweep": sweep}, tmp_path))["scenarios"]
    for figure in of_kind(scenario, "map"):
        assert (figure["down"]["key"], figure["across"]["key"]) == (None, "mac.queue")
        assert len(set(map(tuple, figure["at"]))) == len(scenario["points"]) == 6
        assert len(figure["down"]["names"]) == 3


def test_distributions_have_the_counts_that_the_report_draws(tmp_path: Path, web: Path) -> None:
    values = {**SWEEP, "distributions": True}
    page = reported(values, tmp_path)
    [scenario] = data_of(page)["scenarios"]
    result = hs.open_store(tmp_path / "store").results()[0]
    figures = of_kind(scenario, "distribution")
    assert [(figure["id"], figure["metric"]) for figure in figures] == [("delay-cdf", "delay"), ("gap-cdf", "gap")]
    assert {figure["id"] for figure in figures} < set(Scripts(page).figures)
    for figure in figures:
        drawn = [counts for flows in figure["stored"] for counts in flows if counts is not None]
        assert len(drawn) == 8  # of twelve
        for point, flows in zip(result.points, figure["stored"], strict=True):
            for flow, counts in enumerate(flows):
                found = result.distribution(figure["metric"], flow=flow, point=point.index)
                exact = {"low": list(found.low_ms), "high": list(found.high_ms), "count": list(found.count)}
                assert counts in (None, exact)


def rebuilt(scenario: dict[str, Any], point: dict[str, Any], seed: int) -> dict[str, Any]:
    """The engine's configuration of a run as the page sets it up."""
    parsed = document.parse(scenario["texts"][point["text"]])
    parsed.kept = scenario["files"]
    return Scenario.from_document(changed(parsed, point["set"], "")).points[0].config(seed)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"sweep": {"routing.protocol": ["static", "aodv"]}, "routing": {"aodv": {"hello_interval": "2s"}}},
        {"sweep": {"together": [{"flow.0.max_window": [2, 4], "flow.0.transport": ["tcp-newreno", "tcp-vegas"]}]}},
        {"sweep": {"topology": [{"kind": "chain", "hops": 3}, {"kind": "grid", "rows": 2, "cols": 2}]}},
        {"sweep": {"flow.0.transport": ["tcp-newreno", "udp"], "flow.0.max_window": [2, 4]}},
    ],
)
def test_every_point_is_the_same_run_in_the_page(tmp_path: Path, web: Path, more: dict[str, Any]) -> None:
    values = {**SWEEP, "duration": "1s", "seeds": 1, **more}
    [scenario] = data_of(reported(values, tmp_path))["scenarios"]
    points = Scenario(values).points
    assert len(points) == len(scenario["points"])
    for point, given in zip(points, scenario["points"], strict=True):
        assert rebuilt(scenario, given, 1) == point.config(1)
        keys = [key["key"] for key in scenario["keys"]]
        assert [Scenario(values).axes[key][at] for key, at in zip(keys, given["at"], strict=True)] == [
            point.set[key] for key in keys
        ]


def test_files_come_along(tmp_path: Path, web: Path) -> None:
    (tmp_path / "a.csv").write_text("time,bytes\n0,2000\n0.04,900\n")
    (tmp_path / "b.csv").write_text("time,bytes\n0,3000\n0.04,100\n")
    paths = [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    flow = {"from": 0, "to": 2, "transport": "udp", "app": "video", "trace": paths[0]}
    values = {"duration": "1s", "topology": SWEEP["topology"], "flow": [flow], "sweep": {"flow.0.trace": paths}}
    page = reported(values, tmp_path)
    [scenario] = data_of(page)["scenarios"]
    assert scenario["files"] == {Path(path).name: Path(path).read_text() for path in paths}
    assert [point["set"] for point in scenario["points"]] == [{"flow.0.trace": "a.csv"}, {"flow.0.trace": "b.csv"}]
    for point, given in zip(Scenario(values).points, scenario["points"], strict=True):
        assert rebuilt(scenario, given, 1) == point.config(1)


def test_keys_that_are_not_swept_can_be_changed(tmp_path: Path, web: Path) -> None:
    [scenario] = data_of(reported(SWEEP, tmp_path))["scenarios"]
    plain = {one["key"]: one for one in scenario["plain"]}
    assert set(plain) == {"topology.hops", "topology.spacing", "mac.queue", "flow.1.transport", "flow.1.rate"}
    assert plain["mac.queue"] == {
        "key": "mac.queue", "words": "queue length", "value": 20.0, "low": 5.0, "high": 80.0, "whole": True, "unit": "",
        "shown": "packets",
    }  # fmt: skip
    assert (plain["flow.1.rate"]["value"], plain["flow.1.rate"]["unit"]) == (50.0, "kbps")
    assert plain["topology.hops"]["low"] == 1.0
    assert "tcp-cubic" in plain["flow.1.transport"]["choices"]
    assert plain["flow.1.transport"]["value"] == "udp"


def test_a_store_without_numbers_on_its_axis_runs_again_too(tmp_path: Path, web: Path) -> None:
    values = {**SWEEP, "sweep": {"flow.0.transport": ["tcp-newreno", "tcp-vegas"]}}
    page = reported(values, tmp_path)
    [scenario] = data_of(page)["scenarios"]
    assert {figure["along"] for figure in of_kind(scenario, "curves")} == {None}
    assert len(scenario["figures"]) == len(Scripts(page).figures) > 0


def test_the_browser_runs_no_script_but_those_of_the_page(tmp_path: Path, web: Path) -> None:
    (web / "rerun.js").write_bytes(b'const a = "</script><!-- <SCRIPT>", b = /<\\/script>/;\r\n')
    text = reported(SWEEP, tmp_path, timelines=["0.5s"])
    page = Scripts(text)
    [policy] = [meta["content"] for meta in page.meta if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    own = [text for given, text in page.scripts if not given]
    assert len(own) == 2  # that of the timeline, too
    for script in own:
        assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
    assert "http" not in policy
    assert own[1].startswith('const a = "\\x3c/script>\\x3c!-- <SCRIPT>"')
    assert not re.search(r'(?:src|href)="(?!data:|#)', text)


def test_a_hostile_title_stays_data(tmp_path: Path, web: Path) -> None:
    page = reported(SWEEP, tmp_path)
    assert len(Scripts(page).scripts) == 3
    [scenario] = data_of(page)["scenarios"]
    assert document.parse(scenario["texts"][0]).values["title"] == HOSTILE


OWN = """from hopscope import CongestionControl


class Mine(CongestionControl):
    def on_ack(self, flow):
        return flow.cwnd + 1 / flow.cwnd
"""


def test_what_no_page_can_run_is_said_and_its_figures_stay(
    tmp_path: Path, web: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "own.toml").write_text(
        'duration = "1s"\n[topology]\nkind = "chain"\nhops = 2\n[[flow]]\nfrom = 0\nto = 2\n'
        'transport = "tcp:own.py:Mine"\n[sweep]\n"flow.0.max_window" = [2, 4]\n'
    )
    hs.run(tmp_path / "own.toml", out=tmp_path / "store", progress=False)
    page = hs.report(tmp_path / "store", tmp_path / "page", interactive=True).read_text()
    assert Scripts(page).scripts == []
    assert "Content-Security-Policy" not in page
    assert f"own: Mine is code in Python, which no page runs; use: hopscope run {tmp_path}/page/scenario.toml." in page
    assert "<img src=" in page
    monkeypatch.setattr(carried, "MOST_MEMORY", 1)
    assert "GB of memory; a page has at most 0 GB" in reported(SWEEP, tmp_path / "large")


def test_the_scenarios_of_a_page_are_bounded(tmp_path: Path, web: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interactive, "MOST_BYTES", 1000)
    page = reported(SWEEP, tmp_path)
    assert "These figures do not run again here: the page would hold more than 0 MB of scenarios." in page
    assert Scripts(page).scripts == []


def test_runs_of_another_build_are_said_to_be(tmp_path: Path, web: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hs.run(Scenario(SWEEP), out=tmp_path / "store", progress=False)
    store = hs.open_store(tmp_path / "store")
    store.manifest["engine"] = "another"
    page = hs.report(store, tmp_path / "page", interactive=True).read_text()
    assert data_of(page)["scenarios"][0]["same"] is False


@pytest.mark.parametrize("name", ["engine.wasm.gz", "rerun.js"])
def test_without_the_bundle_nothing_is_written(tmp_path: Path, web: Path, name: str) -> None:
    (web / name).unlink()
    with pytest.raises(InputError, match=rf"{name}: is not there; `make web` builds"):
        reported({**SWEEP, "duration": "1s", "seeds": 1}, tmp_path)
    assert not (tmp_path / "page").exists()


def test_a_plain_report_stays_without_scripts(tmp_path: Path) -> None:
    hs.run(Scenario(SWEEP), out=tmp_path / "store", progress=False)
    page = hs.report(tmp_path / "store", tmp_path / "page").read_text()
    assert Scripts(page).scripts == []
    assert "again" not in re.findall(r'class="([^"]*)"', page)


def test_the_same_store_gives_the_same_bytes(tmp_path: Path, web: Path) -> None:
    first = data_of(reported(SWEEP, tmp_path))
    assert data_of(reported(SWEEP, tmp_path)) == first
