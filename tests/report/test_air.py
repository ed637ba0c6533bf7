"""Frames on the air: what their lines say, and that all of it is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopscope.reporting.air import OnAir, air_chart, read_air
from hopscope.reporting.plots import image

FRAMES = Path(__file__).parents[2] / "crates" / "hopscope-engine" / "tests" / "it" / "air.txt"


def test_lines_say_who_sends_what_and_what_became_of_it() -> None:
    title, frames = read_air("# Two frames\n0 4000 0 1 data received\n10 500 2 1 tcp-ack collided\n")
    assert title == "Two frames"
    assert frames == [OnAir(0, 4000, 0, 1, "data", "received"), OnAir(10, 500, 2, 1, "tcp-ack", "collided")]
    assert [frame.is_lost for frame in frames] == [False, True]


@pytest.mark.parametrize("line", ["data", "0 1 0 x data received", "0 1 0 1 beacon received", "0 1 0 1 data"])
def test_a_line_that_is_none_is_named(line: str) -> None:
    with pytest.raises(ValueError, match="line 1: found"):
        read_air(line)


def test_nothing_is_no_picture() -> None:
    with pytest.raises(ValueError, match="no frames to draw"):
        air_chart("# Nothing\n")


def test_the_frames_of_the_engines_test_are_drawn_with_what_is_lost() -> None:
    title, frames = read_air(FRAMES.read_text())
    assert "fig2-7" in title
    lost = {frame.what for frame in frames if frame.is_lost}
    assert "data" in lost
    assert "tcp-ack" in {frame.what for frame in frames}
    figure = air_chart(FRAMES.read_text())
    [ax] = figure.axes
    assert len(ax.patches) == len(frames)
    assert len(ax.lines) == sum(frame.is_lost for frame in frames)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["node 0", "node 1", "node 2"]
    assert image(figure, "svg").startswith(b"<?xml")
