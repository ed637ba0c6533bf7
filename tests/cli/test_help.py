"""`hopscope help WORD` and `hopscope list SECTION`: every name is explained, an unknown one led to the nearest."""

from __future__ import annotations

import json
import shlex

import pytest
from typer.testing import CliRunner

from hopscope.cli.main import build
from hopscope.errors import InputError
from hopscope.reference.keys import every_key
from hopscope.reference.lookup import entries, look_up
from hopscope.scenario.sweep import parse_set


def hopscope(*words: str) -> str:
    """What the command prints; raises what it refuses."""
    result = CliRunner().invoke(build(), list(words), env={"COLUMNS": "160"}, prog_name="hopscope")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


def test_a_key_has_its_meaning_default_source_and_an_example() -> None:
    text = hopscope("help", "mac.queue")
    assert text.splitlines()[0].split() == ["mac.queue", "key"]
    assert "Interface queue length." in text
    assert "packets" in text
    assert "default  50" in text
    assert "source" in text
    assert "--set mac.queue=50" in text


def test_the_last_part_of_a_name_is_enough_and_several_are_listed() -> None:
    found = {one["name"]: one["kind"] for one in json.loads(hopscope("help", "queue", "--json"))}
    assert found["mac.queue"] == "key"
    assert found["queue"] == "word of series"
    assert len(hopscope("help", "queue").splitlines()) <= 25


def test_a_flow_may_be_named_by_its_number() -> None:
    assert [one.name for one in look_up("flow.3.max_window")] == ["flow.*.max_window"]
    assert [one.kind for one in look_up("throughput_kbps")] == ["metric of a flow"]
    assert "profile ns2" in dict(look_up("mac.eifs")[0].facts)["default"]


def test_a_verb_shows_its_own_help() -> None:
    assert hopscope("help", "run") == hopscope("run", "--help")
    assert hopscope("help") == hopscope("--help")


@pytest.mark.parametrize(("word", "meant"), [("thruput", "throughput_kbps"), ("max_windw", "max_window")])
def test_an_unknown_word_is_refused_with_the_nearest(word: str, meant: str) -> None:
    with pytest.raises(InputError, match=meant) as refused:
        hopscope("help", word)
    assert "\n" not in str(refused.value)


def test_every_entry_says_something_and_no_name_of_a_kind_twice() -> None:
    every = entries()
    assert all(one.text for one in every)
    keys = [(one.name, one.kind, dict(one.facts).get("with")) for one in every]
    assert len(keys) == len(set(keys))
    assert {one.name for one in every} >= {key.name for key in every_key()}


def test_the_examples_of_choices_and_flags_are_values_of_their_keys() -> None:
    shown = {(one.name, dict(one.facts).get("with", "")): dict(one.facts).get("example", "") for one in entries()}
    for key in every_key():
        if key.field.choices or key.field.kind == "flag":
            command = shlex.split(shown[key.name, key.where])
            key.field.read(parse_set(command[-1])[1])


def test_list_shows_one_section_or_what_holds_a_text() -> None:
    keys = json.loads(hopscope("list", "keys", "--json"))
    assert list(keys) == ["keys"]
    assert set(keys["keys"]) == {key.name for key in every_key()}
    assert "network.jain" in hopscope("list", "metrics")
    found = json.loads(hopscope("list", "--search", "EIFS", "--json"))
    assert "mac.eifs_rate" in found["keys"]
    assert all("eifs" in f"{name} {text}".lower() for entries in found.values() for name, text in entries.items())
    with pytest.raises(InputError, match='did you mean "keys"'):
        hopscope("list", "key")
    with pytest.raises(InputError, match="no name or line holds it"):
        hopscope("list", "--search", "warp drive")
