"""The catalogue itself: keys, published data, and that every scenario is one the package accepts."""

from __future__ import annotations

import pytest
from synthetic import data

from hopscope import studies as catalog
from hopscope.errors import InputError
from hopscope.scenario import Scenario
from hopscope.studies.reproduce import Request, scenarios

ALL = catalog.entries()
SHARED: dict[str, list[int]] = {
    "anastasi2006.fig4": [1, 2, 4],
    **{f"anastasi2006.fig{number}": [1, 3, 4] for number in (5, 6, 7)},
    "fu2003.fig5-middle": [1, 2, 4],
    "fu2003.fig5-right": [3],
    "fu2003.fig8-right": [2],
    "fu2003.fig9-left": [1, 4],
    "fu2003.fig9-middle": [2],
    "fu2003.fig9-right": [3],
    "fu2003.fig10-right": [4],
}
"""Entries that share one numbering of statements with others: the panels of a figure."""


def test_the_entries_of_this_version():
    assert [entry.key for entry in ALL] == [
        "fu2003.table1",
        "fu2003.fig2-left",
        "fu2003.fig2-middle",
        "fu2003.fig2-right",
        "fu2003.fig3",
        "fu2003.table2",
        "fu2003.cross-window",
        "fu2003.grid-window",
        "fu2003.random-window",
        "fu2003.sec4.1-buffers",
        "fu2003.table3",
        "fu2003.fig5-left",
        "fu2003.fig5-middle",
        "fu2003.fig5-right",
        "fu2003.sec4.3",
        "fu2003.fig6",
        "fu2003.fig7",
        "fu2003.fig8-left",
        "fu2003.fig8-right",
        "fu2003.fig9-left",
        "fu2003.fig9-middle",
        "fu2003.fig9-right",
        "fu2003.fig10-left",
        "fu2003.fig10-middle",
        "fu2003.fig10-right",
        "fu2003.table4",
        "fu2003.table5",
        "fu2003.table6",
        "fu2003.sec6-vegas",
        "fu2003.sensitivity",
        *(f"afrakhteh2005.exp{number:02}" for number in range(1, 14)),
        "anastasi2006.fig3-left",
        "anastasi2006.fig3-right",
        "anastasi2006.sec4.1-dack",
        "anastasi2006.fig8",
        "anastasi2006.fig9",
        "anastasi2006.sec4.2-windows",
        "anastasi2006.fig10",
        "anastasi2006.fig4",
        "anastasi2006.fig5",
        "anastasi2006.fig6",
        "anastasi2006.fig7",
        "anastasi2006.fig11",
        "anastasi2006.table1",
        "anastasi2006.table2",
        "anastasi2006.table3",
        "anastasi2006.table4",
        "anastasi2006.sec4.4",
        "zhang2006.table6-1",
        "zhang2006.table6-2",
        "zhang2006.fig6-3",
        "zhang2006.table7-1",
        "zhang2006.table6-3",
        "zhang2006.fig6-5",
        "zhang2006.table6-4",
        "zhang2006.fig6-9",
        "zhang2006.table7-2",
        "zhang2006.sec7-3",
        "zhang2006.sec6-3",
        "zhang2006.table6-5",
        "zhang2006.table7-3",
        "zhang2006.fig6-15",
        "zhang2006.fig6-22",
        "zhang2006.sec4-2",
        "zhang2006.sec6-6",
        "zhang2006.sensitivity",
        "zhang2006.sensitivity-mixed",
        "zhang2006.fig2-2",
        "zhang2006.fig2-5",
        "zhang2006.appA-2-2",
        "zhang2006.appA-2-2-adhoc",
        "zhang2006.sec2-2-2",
        "zhang2006.fig3-2",
        "zhang2006.appA-2-3",
        "zhang2006.fig2-3",
        "zhang2006.appA-1",
        "zhang2006.sec3-2-2-1",
        "zhang2006.sec3-2-2-2",
        "zhang2006.sec3-2-2-3",
        "zhang2006.sec3-1-2-2",
        "zhang2006.sec3-2-2-ap",
        "zhang2006.sec4-3",
        "zhang2006.appA-1-3",
        "zhang2006.appA-1-4",
        "zhang2006.sec3-2-1",
        "armaghani2008.fig4-4",
        "armaghani2008.fig4-5",
        "armaghani2008.fig4-6",
        "armaghani2008.fig4-7",
        "armaghani2008.claim-gains",
        "armaghani2008.fig4-8",
        "armaghani2008.fig4-9",
        "armaghani2008.table4-1",
        "armaghani2008.table2-1",
        "armaghani2008.claim-optimal-dwin",
        "armaghani2008.fig4-10",
        "armaghani2008.fig2-4",
        "armaghani2008.fig2-7",
        "armaghani2008.fig3-5",
        "armaghani2008.fig3-6",
        "armaghani2008.fig4-3",
        "armaghani2008.claim-load-response",
        "armaghani2008.schemes",
        "armaghani2008.parts",
        "broch1998.delivery",
        "broch1998.overhead",
        "broch1998.optimality",
        "multihop-ht.window",
        "multihop-ht.hops",
        "multihop-ht.load",
        "multihop-ht.acks",
        "multihop-ht.rts",
        "multihop-ht.controls",
        "multihop-ht.gateway",
        "multihop-ht.parameters",
        "multihop-ht.window-linux",
        "mesh-routing.static",
        "mesh-routing.overhead",
        "mesh-routing.death",
        "mesh-routing.moving",
        "mesh-routing.loops",
        "validation.ns2",
        "validation.ns3",
        "validation.ns3-ht",
        "validation.recovery",
        "validation.recovery-field",
        "validation.wires",
        "validation.gateway",
        "validation.bianchi",
        "validation.airtime",
        "validation.models",
        "validation.bottleneck",
        "validation.tfrc",
        "validation.dccp",
        "validation.mobility",
        "validation.formulas",
        "validation.kernel",
        "validation.kernel-testbed",
    ]


@pytest.mark.parametrize(
    ("keys", "count"),
    [
        (["all"], len(ALL)),
        (["anastasi2006"], 17),
        (["zhang2006"], 37),
        (["broch1998"], 3),
        (["multihop-ht"], 9),
        (["mesh-routing"], 5),
        (["armaghani2008"], 19),
        (["fu2003"], 30),
        (["afrakhteh2005"], 13),
        (["validation"], 17),
        (["fu2003.table1", "fu2003"], 30),
        (["fu2003.sec4.1-buffers"], 1),
    ],
)
def test_keys_are_prefixes_up_to_a_dot(keys, count):
    assert len(catalog.find(keys)) == count


@pytest.mark.parametrize(
    ("key", "statements"),
    [
        ("afrakhteh2005.exp12.case1", ["c1"]),
        ("afrakhteh2005.exp12.case3", []),
        ("afrakhteh2005.exp13.case1", ["c1", "c2"]),
        ("afrakhteh2005.exp13.case3", ["c4"]),
    ],
)
def test_a_case_runs_alone(key, statements):
    [entry] = catalog.find([key])
    assert entry.key == key
    assert [statement.id for statement in entry.statements] == statements
    case = f"case {key[-1]}, "
    assert {study.label.startswith(case) or "one flow" in study.label for study in entry.settings} == {True}
    assert {f"case{key[-1]}" in quantity.label for quantity in entry.quantities} == {True}
    found = data(entry, lambda _l, _w: {})
    for statement in entry.statements:
        assert statement.evaluate(found)
    assert any(not chart.is_empty for chart in entry.charts(found))


def test_a_whole_entry_has_its_cases_in_it():
    found = catalog.find(["afrakhteh2005.exp12.case1", "afrakhteh2005.exp12", "afrakhteh2005.exp13.case2"])
    assert [entry.key for entry in found] == ["afrakhteh2005.exp12", "afrakhteh2005.exp13.case2"]
    with pytest.raises(InputError, match=r"did you mean 'afrakhteh2005\.exp12\.case1'"):
        catalog.find(["afrakhteh2005.exp12.cas1"])


@pytest.mark.parametrize(
    ("key", "close"),
    [("fu2003.fig2-leftt", "fu2003.fig2-left"), ("validaton", "validation"), ("fu2003.fig2", "fu2003.fig2-left")],
)
def test_an_unknown_key_names_the_closest(key, close):
    with pytest.raises(InputError, match=f"did you mean '{close}'"):
        catalog.find([key])


def test_a_key_stays_one_where_a_folder_has_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("fu2003", "fu2003.fig3"):  # as `--out fu2003` makes them
        (tmp_path / name).mkdir()
        assert {entry.key.partition(".")[0] for entry in catalog.find([name])} == {"fu2003"}


def test_half_a_word_is_no_key():
    with pytest.raises(InputError, match="no such entry") as caught:
        catalog.find(["fu2003.fig2"])
    assert "beginning with it: fu2003.fig2-left, fu2003.fig2-middle, fu2003.fig2-right;" in str(caught.value)
    with pytest.raises(InputError, match="no such entry") as caught:
        catalog.find(["fu2003.figure9"])
    assert "fu2003.fig10-left" in str(caught.value)
    assert "afrakhteh2005" not in str(caught.value)


@pytest.mark.parametrize("entry", ALL, ids=lambda e: e.key)
def test_an_entry_is_complete(entry):
    assert entry.title
    assert entry.source
    assert entry.item
    assert entry.description
    ids = [statement.id for statement in entry.statements]
    assert ids == [f"c{i}" for i in SHARED.get(entry.key, range(1, len(ids) + 1))]
    labels = [study.label for study in entry.settings]
    assert len(set(labels)) == len(labels)
    for quantity in entry.quantities:
        assert quantity.source
        assert any(quantity.settings(label) for label in labels), quantity.label


def test_a_mean_window_is_in_segments():
    units = {quantity.unit for entry in ALL for quantity in entry.quantities if "mean window" in quantity.label}
    assert units == {"segments"}


@pytest.mark.parametrize("entry", ALL, ids=lambda e: e.key)
@pytest.mark.parametrize("quick", [False, True], ids=["full", "quick"])
def test_every_scenario_is_accepted(entry, quick):
    for study in entry.settings:
        scenario = Scenario(study.document(quick=quick))
        assert scenario.points
        if quick:
            assert scenario.quick().seeds <= min(10, scenario.seeds)


@pytest.mark.parametrize(
    ("key", "duration", "warmup", "starts"),
    [
        ("broch1998.delivery", 60, 20, {0}),  # its quick form says both
        ("anastasi2006.fig4", 60, 60 * 20 / 140, {60 * 20 / 140}),  # only its duration, of 140 s in full
        ("validation.recovery", 1039.9, 0, {100, 300, 480, 643.7, 806.1, 964.9}),  # in full length
    ],
)
def test_times_of_a_study_shrink_to_its_own_quick_duration(key, duration, warmup, starts):
    for scenario in scenarios(catalog.find([key]), Request((key,), quick=True)).values():
        config = scenario.points[0].config(1)
        assert (config["duration"] / 1e9, config["warmup"] / 1e9) == pytest.approx((duration, warmup))
        assert sorted({flow["start"] / 1e9 for flow in config["flows"]}) == pytest.approx(sorted(starts))


def test_cells_are_circles_around_their_receiver():
    [entry] = catalog.find(["validation.bianchi"])
    [cell] = [study for study in entry.settings if study.label == "10 stations, 2 Mbit/s"]
    (cx, cy), *stations = cell.scenario["topology"]["positions"]
    distances = [((x - cx) ** 2 + (y - cy) ** 2) ** 0.5 for x, y in stations]
    assert len(stations) == 10
    assert distances == pytest.approx([5.0] * 10, abs=1e-5)
    assert [(flow["from"], flow["to"]) for flow in cell.scenario["flow"]] == [(i, 0) for i in range(1, 11)]


def test_figures_that_share_scenarios_run_them_once():
    def runs(*keys):
        return len(scenarios(catalog.find(keys), Request(keys)))

    assert runs("fu2003.fig2-middle", "fu2003.fig2-right") == 2
    windows = ["fu2003.cross-window", "fu2003.grid-window", "fu2003.random-window", "fu2003.sec4.3"]
    assert runs("fu2003.table2", *windows) == runs("fu2003.table2")


def test_panels_of_metrics_have_units_and_the_published_points():
    [entry] = catalog.find(["anastasi2006.fig4"])
    [chart] = entry.charts(data(entry, lambda _l, _w: {}))
    assert [panel.title for panel in chart.panels] == ["throughput (kbit/s)", "retransmission index (%)"]
    assert all([mark.label for mark in panel.marks] == ["published"] for panel in chart.panels)
