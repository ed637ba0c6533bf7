"""Sequence charts: what their lines say, and that all of it is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopscope.reporting.plots import image
from hopscope.reporting.sequence import Message, Moment, read_exchange, sequence_chart

WALKS = sorted((Path(__file__).parents[2] / "crates").glob("hopscope-*/src/**/tests/walks/*.txt"))

EXCHANGE = """# Two packets
0 > Data 1 100 B
0 > Data 2 100 B lost
10 < Ack 1 ack 1
15 = later; 2?; 1 |
"""


def test_lines_say_who_sends_what_and_when() -> None:
    exchange = read_exchange(EXCHANGE)
    assert exchange.title == "Two packets"
    assert exchange.messages == (
        Message(0, False, "Data 1 100 B", False),
        Message(0, False, "Data 2 100 B", True),
        Message(10, True, "Ack 1 ack 1", False),
    )
    assert exchange.moments == (Moment(15, "later", "2?", "1 |"),)


@pytest.mark.parametrize("line", ["Data", "x > Data", "3 ? Data", "3 >", "3 = later; 1"])
def test_a_line_that_is_none_is_named(line: str) -> None:
    with pytest.raises(ValueError, match="line 1: found"):
        read_exchange(line)


def test_everything_is_drawn_and_packets_that_leave_together_apart() -> None:
    figure = sequence_chart(read_exchange(EXCHANGE), ("left", "right"), 10)
    [axes] = figure.axes
    texts = {text.get_text() for text in axes.texts}
    assert texts >= {
        "Two packets",
        "left",
        "right",
        "Data 1 100 B",
        "Data 2 100 B",
        "Ack 1 ack 1",
        "2?",
        "1 |",
        "later",
    }
    starts = [text.get_position()[1] for text in axes.texts if text.get_text().startswith("Data")]
    assert starts[1] - starts[0] >= 1
    with pytest.raises(ValueError, match="no messages"):
        sequence_chart(read_exchange("5 = later; 1; 2"), ("left", "right"), 10)


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: f"{walk.parts[-4]}-{walk.stem}")
def test_the_walks_of_the_engine_are_drawn(walk: Path) -> None:
    exchange = read_exchange(walk.read_text(encoding="utf-8"))
    assert exchange.title.startswith("Figure")
    assert image(sequence_chart(exchange, ("sender", "receiver"), 10), "svg").startswith(b"<?xml")
