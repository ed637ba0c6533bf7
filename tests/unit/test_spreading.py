"""One grammar for the values of a key: in files, behind `--sweep`, `--by` and `--over`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopscope.cli.options import parse_sweep
from hopscope.errors import InputError, ScenarioError
from hopscope.optimum.axes import parse
from hopscope.running.runner import prepare
from hopscope.scenario import Scenario
from hopscope.scenario.spreading import values_of
from hopscope.scenario.sweep import axis_values

BASE: dict[str, Any] = {"topology": {"kind": "chain", "hops": 2}, "flow": [{"from": 0, "to": "last"}]}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1..4", [1, 2, 3, 4]),
        ("1..32 by 8", [1, 9, 17, 25]),
        ("1..32:8", [1, 9, 17, 25]),
        ("4..1", [4, 3, 2, 1]),
        ("0.1..0.3 by 0.1", [0.1, 0.2, 0.3]),
        ("10ms..50ms by 20ms", ["10ms", "30ms", "50ms"]),
        ("10..50ms by 20ms", ["10ms", "30ms", "50ms"]),
        ("1,2,4", [1, 2, 4]),
        ("[1, 2, 4]", [1, 2, 4]),
        ("tcp-cubic, tcp-vegas", ["tcp-cubic", "tcp-vegas"]),
        ("true,false", [True, False]),
        ("1Mbps,2Mbps", ["1Mbps", "2Mbps"]),
        ('{ kind = "none" },{ kind = "uniform", per = 0.1 }', [{"kind": "none"}, {"kind": "uniform", "per": 0.1}]),
        ("7", [7]),
        ("../one.csv,../two.csv", ["../one.csv", "../two.csv"]),
    ],
)
def test_a_text_means_values(text: str, values: list[Any]) -> None:
    assert values_of(text) == values
    assert axis_values(text) == values


@given(st.integers(-50, 50), st.integers(1, 9), st.integers(0, 60))
def test_a_range_is_what_python_counts(low: int, step: int, more: int) -> None:
    assert values_of(f"{low}..{low + more} by {step}") == list(range(low, low + more + 1, step))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1..", "two ends"),
        ("..4", "two ends"),
        ("1..4 by", "may have a step"),
        ("1..9 by 0", "never reaches"),
        ("1..9 by -1", "never reaches"),
        ("10ms..1s by 10ms", "different units"),
        ("0.1..0.9", "needs a step"),
        ("10ms..20ms", "needs a step"),
        ("a..b", "number"),
        ("1..9999999999", "at most"),
        ("", "expected a list of values"),
    ],
)
def test_what_is_no_range_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        values_of(text)
    if text:
        with pytest.raises(InputError, match=f"--sweep mac.queue=.*{words}"):
            parse_sweep([f"mac.queue={text}"])
        with pytest.raises(ScenarioError, match=words):
            _ = Scenario({**BASE, "sweep": {"mac.queue": text}}).axes


def test_files_the_command_and_searches_read_the_same() -> None:
    scenario = Scenario({**BASE, "sweep": {"mac.queue": "10..50 by 20"}})
    assert scenario.axes == {"mac.queue": [10, 30, 50]}
    assert prepare(BASE, sweep=parse_sweep(["mac.queue=10..50 by 20"])).axes == scenario.axes
    assert list(parse("mac.queue=10..50 by 20", BASE).values) == [10, 30, 50]


def test_an_axis_of_the_command_takes_the_place_of_the_files() -> None:
    scenario = Scenario({**BASE, "sweep": {"mac.queue": [1, 2], "flow.0.max_window": [1, 2]}})
    spread = prepare(scenario, sweep=parse_sweep(["mac.queue=5,6"]))
    assert spread.axes == {"mac.queue": [5, 6], "flow.0.max_window": [1, 2]}


@pytest.mark.parametrize("item", ["mac.queue", "=1..2"])
def test_an_item_without_key_or_values_is_refused(item: str) -> None:
    with pytest.raises(InputError, match="expected key=values"):
        parse_sweep([item])
