"""`--set` on an entry: a label never stands over values that it does not mean."""

from __future__ import annotations

import pytest

from hopscope.errors import InputError
from hopscope.scenario.changing import refuse_relabelled

FLOW = {"from": 0, "to": 1, "max_window": 8}


def refuse(key, *scenarios):
    refuse_relabelled("study.table", {f"setting {n}": scenario for n, scenario in enumerate(scenarios, 1)}, [key])


TWO = ({"mac": {"queue": 50}, "flow": [FLOW]}, {"mac": {"queue": 20}, "flow": [FLOW]})


def test_settings_that_differ_in_the_key_are_both_named():
    with pytest.raises(InputError) as refused:
        refuse("mac.queue", *TWO)
    assert "--set mac.queue: settings of study.table differ in it" in str(refused.value)
    assert "'setting 1' has 50 and 'setting 2' has 20" in str(refused.value)


def test_a_key_that_only_some_settings_give_differs_too():
    with pytest.raises(InputError, match=r"'setting 1' has its default and 'setting 2' has \"aodv\""):
        refuse("routing.protocol", {}, {"routing": {"protocol": "aodv"}})


@pytest.mark.parametrize("key", ["flow.0.max_window", "flow.*.max_window", "flow.0"])
def test_a_swept_key_is_named(key):
    with pytest.raises(InputError, match=r"sweeps flow\.\*\.max_window \('setting 1'\)"):
        refuse(key, {"flow": [FLOW], "sweep": {"flow.*.max_window": [1, 2]}})


@pytest.mark.parametrize("key", ["flow.0.max_window", "flow.0.packet", "radio.data_rate", "duration", "seeds"])
def test_what_no_label_is_about_may_change(key):
    refuse(key, {"duration": "10s", "flow": [FLOW]}, {"duration": "20s", "flow": [FLOW]})


def test_a_star_means_each_flow():
    with pytest.raises(InputError, match=r"settings of study\.table differ in it"):
        refuse("flow.*.max_window", {"flow": [FLOW, FLOW]}, {"flow": [FLOW, {**FLOW, "max_window": 9}]})
    refuse("flow.*.max_window", {"flow": [FLOW, FLOW]}, {"flow": [FLOW, FLOW]})


def test_tables_that_differ_where_a_message_no_longer_shows_it():
    long = {"kind": "trace", "file": "a" * 80}
    with pytest.raises(InputError, match=r"settings of study\.table differ in it"):
        refuse("radio.error", {"radio": {"error": long}}, {"radio": {"error": {**long, "file": "a" * 80 + "b"}}})
