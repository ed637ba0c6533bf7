"""Where keys stand in a file."""

from __future__ import annotations

import copy
import math
import pickle
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hopscope.errors import InputError, ScenarioError
from hopscope.scenario.document import parse, read

TEXT = '''\
title = "a # no comment \\" ] }" # comment [x]
"quoted key" = 1
[topology]   # [[flow]]
  kind = 'chain'
positions = [ [0, 1], # one
   [2,
    3], ]
[radio]
error = { kind = "uniform", per = { a = 1 }, x.y = [1] }
a.b.c = """
[not.a.table]
key = 1 \\"""
""""
[[flow]]
from = 0
[flow.tcp]
min_rto = 1
[[flow]]
from = 1
when = 2020-01-01T00:00:00Z
last = \'\'\'x
]\'\'\'
[sweep]
"flow.0.to" = [1]
'''


@pytest.mark.parametrize(
    ("path", "position"),
    [
        (("title",), (1, 1)),
        (("quoted key",), (2, 1)),
        (("topology",), (3, 1)),
        (("topology", "kind"), (4, 3)),
        (("topology", "positions", "1"), (6, 4)),
        (("topology", "positions", "1", "1"), (7, 5)),
        (("radio", "error", "per", "a"), (9, 37)),
        (("radio", "error", "x", "y"), (9, 48)),
        (("radio", "a"), (10, 1)),
        (("radio", "a", "b", "c"), (10, 5)),
        (("flow",), (14, 1)),
        (("flow", "0", "from"), (15, 1)),
        (("flow", "0", "tcp", "min_rto"), (17, 1)),
        (("flow", "1"), (18, 1)),
        (("flow", "1", "when"), (20, 1)),
        (("sweep", "flow.0.to"), (24, 1)),
    ],
)
def test_every_key_has_its_position(path: tuple[str, ...], position: tuple[int, int]) -> None:
    assert parse(TEXT).places.at(path) == position


def paths(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(p for name, item in items for p in paths(item, (*path, str(name))))]


def test_windows_line_ends_do_not_move_positions() -> None:
    plain, windows = parse(TEXT), parse(TEXT.replace("\n", "\r\n"))
    assert windows.values == plain.values
    for path in paths(plain.values):
        assert windows.places.at(path) == plain.places.at(path)


def test_every_value_has_a_position() -> None:
    document = parse(TEXT)
    assert [path for path in paths(document.values) if document.places.at(path) is None] == []


ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted(path for folder in ("showcases", "python", "studies") for path in (ROOT / folder).rglob("*.toml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_values_and_their_order_are_those_that_another_reader_finds(path: Path) -> None:
    found, expected = read(path).values, tomllib.loads(path.read_text(encoding="utf-8"))
    assert found == expected
    assert paths(found) == paths(expected)


def test_numbers_and_dates_are_kept_as_they_were_written() -> None:
    text = (
        "a = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff\nb = 1_000\nc = 1e400\nd = 2020-01-01T00:00:00Z\ne = -0.0\n"
    )
    values = parse(text).values
    assert (values["a"], values["b"], values["c"]) == (2**144 - 1, 1000, math.inf)
    assert repr(values["e"]) == "-0.0"
    date = values["d"]
    assert str(date) == "2020-01-01T00:00:00Z"
    assert copy.deepcopy(date) == pickle.loads(pickle.dumps(date)) == date


def test_every_line_that_is_no_toml_is_named() -> None:
    with pytest.raises(ScenarioError) as caught:
        parse('a = fast\nb = 1\nb = 2\nc = ["x" "y"]\n', "f.toml")
    assert [line.split(": is no TOML")[0] for line in str(caught.value).splitlines()] == [
        "f.toml:1:5",
        "f.toml:3:1",
        "f.toml:4:10",
    ]


def test_a_key_that_stands_twice_is_named() -> None:
    with pytest.raises(ScenarioError, match=r"^f.toml:3:1: is no TOML: the key mac.queue stands twice"):
        parse('title = "a"\nmac.queue = 1\nmac.queue = 2\n', "f.toml")


@pytest.mark.parametrize(
    ("text", "place"),
    [("a = ", "f.toml:1:5"), ("a = 1\nb = = 2", "f.toml:2:5"), ("[a\n", "f.toml:1:3"), ('a = "x', "f.toml:1:7")],
)
def test_what_is_no_toml_is_placed(text: str, place: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse(text, "f.toml")
    assert str(caught.value).startswith(place)


def test_hostile_texts_are_refused_as_such() -> None:
    for text in ("a = " + "[" * 100_000, "a = " + "9" * 10_000):
        with pytest.raises(ScenarioError, match="is no TOML"):
            parse(text, "f.toml")


def test_unreadable_files_are_named(tmp_path: Any) -> None:
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"a = 1\nb = '\xff'")
    with pytest.raises(ScenarioError, match=r"binary\.toml:2:6: is no UTF-8"):
        read(binary)
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "absent.toml")
    with pytest.raises(InputError, match="is a folder"):
        read(tmp_path)
