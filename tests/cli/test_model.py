"""``hopscope model``: list, tables over ranges, JSON, plots, messages."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest

from hopscope.cli.model import parse
from hopscope.errors import InputError
from hopscope.models.registry import MODELS, model


def test_the_list_names_every_model(hopscope: Any) -> None:
    done = hopscope("model", "list")
    assert done.returncode == 0, done.stderr
    assert all(any(line.startswith(f"{name} ") for line in done.stdout.splitlines()) for name in MODELS)
    assert hopscope("model").stdout == done.stdout
    assert set(json.loads(hopscope("model", "list", "--json").stdout)) == set(MODELS)


def test_one_value_and_a_range(hopscope: Any) -> None:
    one = hopscope("model", "optimal-window", "hops=7")
    assert "window  1.75 packets" in one.stdout
    document = json.loads(hopscope("model", "optimal-window", "hops=1..48", "--json").stdout)
    assert [row["outputs"]["window"] for row in document["rows"]] == [h / 4 for h in range(1, 49)]
    assert document["units"] == {"window": "packets"}


def test_two_ranges_make_a_product(hopscope: Any) -> None:
    done = hopscope("model", "bianchi", "stations=5,10", "rate=2Mbps,11Mbps", "control_rate=2Mbps", "--json")
    document = json.loads(done.stdout)
    assert [tuple(row["set"].values()) for row in document["rows"]] == [
        (5, 2_000_000), (5, 11_000_000), (10, 2_000_000), (10, 11_000_000)
    ]  # fmt: skip
    assert document["parameters"]["control_rate"] == 2_000_000
    assert "stations" not in document["parameters"]


def test_about_reports_source_parameters_and_outputs(hopscope: Any) -> None:
    text = hopscope("model", "drop-probability", "--about").stdout
    assert "section 4" in text
    assert all(field.name in text for field in MODELS["drop-probability"].parameters)
    document = json.loads(hopscope("model", "drop-probability", "--about", "--json").stdout)
    assert document["parameters"]["backlogged"]["required"] is True


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_a_plot(hopscope: Any, folder: Path, ending: str, magic: bytes) -> None:
    done = hopscope(
        "model", "drop-probability", "hops=12", "backlogged=1..20", "form=smooth,floor", "--plot", f"a.{ending}"
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == f"plot: a.{ending}\n"
    assert (folder / f"a.{ending}").read_bytes().startswith(magic)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["optimal-window", "hops=9..3"], "runs backwards"),
        (["list", "hops=1"], "list takes no"),
        (["optimal-window", "hops=3", "--plot", "a.png"], "give one parameter a range"),
        (["optimal-window", "hops=1..3", "--plot", "a.gif"], "allowed: .png, .svg, .pdf"),
        (
            ["optimal-window", "hops=1..3", "--font-size", "8"],
            "--font-size 8: is for a figure",
        ),
    ],
)
def test_bad_input(hopscope: Any, folder: Path, arguments: list[str], message: str) -> None:
    done = hopscope("model", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert [p.name for p in folder.iterdir()] == ["chain.toml"]


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        ("optimal-window", ["hop=3"], 'did you mean "hops"?'),
        ("optimal-window", ["hops"], "expected key=value, such as hops=7"),
        ("optimal-window", ["hops=1", "hops=2"], "given twice"),
        ("mathis", ["rtt=1..2:0.0001", "loss=0.1..0.9:0.001"], "combinations; at most"),
    ],
)
def test_bad_parameters(name: str, words: list[str], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        list(model(name).table(parse(model(name), words)))


def test_a_plot_for_a_paper_has_the_width_of_its_column(hopscope: Any, folder: Path) -> None:
    done = hopscope("model", "optimal-window", "hops=1..48", "--plot", "a.png", "--figure-width", "single")
    assert done.returncode == 0, done.stderr
    assert struct.unpack(">I", (folder / "a.png").read_bytes()[16:20])[0] == 700  # at 200 dots an inch


def test_a_plot_that_cannot_be_written(hopscope: Any) -> None:
    done = hopscope("model", "optimal-window", "hops=1..3", "--plot", "/proc/x.png")
    assert done.returncode == 2
    assert "--plot /proc/x.png: cannot be written: " in done.stderr


def test_the_lines_of_a_plot_are_named_with_their_units() -> None:
    from hopscope.cli.model import _chart
    from hopscope.models.registry import model

    bianchi = model("bianchi")
    rows = list(bianchi.table({"stations": [5, 10], "rate": [2_000_000, 11_000_000]}))
    chart = _chart(bianchi, rows, ["stations", "rate"], "throughput_kbps")
    assert [line.label for line in chart.panels[0].lines] == ["rate = 2 Mbit/s", "rate = 11 Mbit/s"]
