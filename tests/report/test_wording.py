"""Results in words: which layout a table takes and what its cells say."""

from __future__ import annotations

import json

import pytest

from hopscope.reporting.axis import as_number, axis_of, heading, headings, numeric
from hopscope.reporting.wording import compact_json
from hopscope.results.samples import Estimate
from hopscope.scenario import keys
from hopscope.scenario.naming import spoken
from hopscope.studies.entry import Entry, Quantity
from hopscope.studies.grids import measured_grid
from hopscope.studies.reproduce import EntryOutcome, Measured

ENTRY = Entry(key="a.b", title="t", source="s", item="i", description="d")


def grid(*rows):
    return measured_grid(EntryOutcome(ENTRY, tuple(rows), (), (), {}))


def measured(published, *values, **options):
    quantity = Quantity("throughput", "kbit/s", lambda _table: None, published, "Table 1", **options)
    return Measured(quantity, tuple((label, Estimate(mean, 1.5, mean, mean, 5)) for label, mean in values))


def test_few_studies_are_columns():
    found = grid(measured(200.0, ("ns2", 210.0), ("standard", 190.0)))
    assert [c.name for c in found.columns][1:3] == ["measured, ns2", "measured, standard"]
    assert found.rows == [["throughput (kbit/s)", "210.0 ± 1.5 (+5.0 %)", "190.0 ± 1.5 (-5.0 %)", "200", "Table 1"]]


def test_many_studies_are_lines():
    found = grid(measured(200.0, *((f"setting {i}", 200.0) for i in range(6))))
    assert len(found.rows) == 6
    assert found.rows[0] == ["throughput (kbit/s)", "setting 0", "200.0 ± 1.5", "200", "+0.0 %", "Table 1"]


def test_a_difference_that_rounds_to_nothing_has_no_minus():
    assert grid(measured(200.0, ("ns2", 199.99))).rows[0][1] == "200.0 ± 1.5 (+0.0 %)"


def test_a_quantity_of_one_study_is_a_line_of_its_own():
    found = grid(measured(200.0, ("a", 1.0), ("b", 2.0)), measured(None, ("a", 3.0)))
    assert [row[1] for row in found.rows] == ["a", "b", "a"]


def test_what_is_not_published_has_no_difference():
    assert grid(measured(None, ("a", 1.0))).rows[0][1:3] == ["1.00 ± 1.50", "-"]
    assert grid(measured(0.0, ("a", 1.0))).rows[0][1] == "1.00 ± 1.50"


def test_a_published_interval_is_shown():
    assert grid(measured(200.0, ("a", 1.0), spread=0.46)).rows[0][2] == "200 ± 0.46"


def test_published_extremes_stand_beside_those_measured():
    found = grid(measured(200.0, ("a", 210.0), extremes=(150, 260.5)))
    assert found.rows[0][1:3] == ["210.0 ± 1.5 (210 to 210) (+5.0 %)", "200 (150 to 260.5)"]


def test_compact_json_is_json_with_short_parts_on_one_line():
    document = {"flow": [{"from": 0, "to": 7}], "sweep": {"x": list(range(100))}, "title": "a" * 90, "empty": {}}
    text = compact_json(document)
    assert json.loads(text) == document
    assert '"flow": [{"from": 0, "to": 7}]' in text
    assert "\n" in text


@pytest.mark.parametrize(("value", "number"), [(3, 3.0), ("290kbps", 290.0), ("1.5Mbps", 1.5), ("200m", 200.0)])
def test_swept_values_become_positions(value, number):
    assert as_number(value) == number


@pytest.mark.parametrize("values", [["ns2", "standard"], [True, False], [[1], [2]], ["off", 0]])
def test_words_flags_and_lists_are_no_positions(values):
    assert not numeric(values)


@pytest.mark.parametrize(
    ("key", "values", "label", "places"),
    [
        ("flow.0.max_window", [1, 32], "receiver's window (packets)", [1.0, 32.0]),
        ("topology.hops", [3, 7], "hops", [3.0, 7.0]),
        ("flow.*.rate", ["290kbps", "500kbps"], "offered rate (kbit/s)", [290.0, 500.0]),
        ("flow.0.rate", ["500kbps", "2Mbps"], "offered rate (bit/s)", [5e5, 2e6]),
        ("flow.0.rate", [1000, "2kbps"], "offered rate (bit/s)", [1000.0, 2000.0]),
        ("radio.error.per", [0.01, 0.04], "frame error rate", [0.01, 0.04]),
        ("radio.error.per", ["1%", "4%"], "frame error rate (%)", [1.0, 4.0]),
        ("flow.0.tcp.min_rto", ["200ms"], "TCP min RTO (ms)", [200.0]),
        ("routing.aodv.net_diameter", [35], "AODV net diameter (hops)", [35.0]),
        ("layer.0.codel_target", ["5ms", "20ms"], "CoDel target (ms)", [5.0, 20.0]),
        ("outage.0.node", [1, 2], "node", [1.0, 2.0]),
    ],
)
def test_an_axis_has_the_unit_of_its_values_or_of_the_key(key, values, label, places):
    axis = axis_of(key, values)
    assert axis.label == label
    assert [axis.place(value) for value in values] == places


@pytest.mark.parametrize(
    ("key", "values", "name"),
    [
        ("flow.0.packet", [500, 1000], "flow.0.packet (bytes)"),
        ("flow.0.start", ["100ms", 2], "flow.0.start (s)"),
        ("flow.0.rate", ["290kbps", "1Mbps"], "flow.0.rate"),
        ("flow.0.rate", [290000.0, "500000"], "flow.0.rate (bit/s)"),
        ("mac.rts_threshold", ["off", 0], "mac.rts_threshold (bytes)"),
        ("mac.rts_threshold", ["off", "256B"], "mac.rts_threshold"),
        ("topology.area", [[500, 500], [500, "1km"]], "topology.area (m)"),
        ("flow.0.ack", ["every", "delayed"], "flow.0.ack"),
        ("explain", [True, False], "explain"),
        ("radio.error.per", [0.1], "radio.error.per"),
        ("flow.0.control.alpha", [1, 2], "flow.0.control.alpha"),
    ],
)
def test_the_heading_of_a_column_has_the_unit_that_its_values_lack(key, values, name):
    assert heading(key, values) == name


@pytest.mark.parametrize("table", keys.NUMBERED)
def test_every_key_of_a_numbered_table_is_its_field(table):
    for field in keys.table(table):
        assert keys.field_of(f"{table}.0.{field.name}") == field


def test_a_key_that_no_table_has_is_no_field():
    assert keys.field_of("flow.0.pakket") is None
    assert keys.field_of("flow.0.packet").unit == "bytes"


def test_headings_of_keys_are_words_and_keep_the_key_where_two_would_be_the_same():
    axes = {"flow.0.packet": [500, 1000], "mac.queue": [5, 50], "wire.0.queue": [5, 50], "profile": ["ns2", "standard"]}
    assert list(headings(axes).values()) == [
        "packet size (bytes)",
        "mac.queue (packets)",
        "wire.0.queue (packets)",
        "profile",
    ]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"flow.0.max_window": 8, "profile": "ns2"}, "receiver's window 8, ns2"),
        ({"profile": "ns2", "routing.protocol": "aodv"}, "profile ns2, routing protocol aodv"),
        ({"flow.3.max_window": 8}, "receiver's window of flow 3: 8"),
        ({"flow.0.rate": "290kbps"}, "offered rate 290kbps"),
        ({"mac.queue": 5, "wire.0.queue": 7}, "mac.queue 5, wire.0.queue 7"),
        ({"radio.error": {"kind": "none"}}, 'channel errors { kind = "none" }'),
        ({}, ""),
    ],
)
def test_swept_values_are_reported_in_words(values, words):
    assert spoken(values) == words
