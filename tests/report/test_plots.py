"""Figures: every kind draws what its chart says, and the same chart gives the same file."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from itertools import pairwise

import pytest

from hopscope.errors import InputError
from hopscope.reporting import plots
from hopscope.reporting.chart import Chart, Line, Mark, Panel
from hopscope.reporting.style import read, styled_as

LINE = Line("measured", [1.0, 2.0, 4.0], [10.0, 20.0, 15.0], [1.0, None, (2.0, 3.0)])


def chart(kind="lines", **options):
    options.setdefault("panels", [Panel("", [LINE], [Mark("published", [2.0], [90.0])], [(2.0, "here")])])
    return Chart("name", "A caption.", "window (packets)", "throughput (kbit/s)", kind=kind, **options)


def test_lines_show_labels_marks_and_guides():
    figure = plots.draw(chart())
    [ax] = figure.axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("window (packets)", "throughput (kbit/s)")
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["measured", "published"]
    assert "here" in [text.get_text() for text in ax.texts]


def test_a_published_value_above_the_curves_is_inside_the_axes():
    [ax] = plots.draw(chart()).axes
    low, high = ax.get_ylim()
    assert low == 0
    assert high > 90


def test_panels_share_their_axis_and_one_legend():
    figure = plots.draw(chart(panels=[Panel("a", [LINE]), Panel("b", [LINE, Line("other", [1.0], [40.0])])]))
    first, second = figure.axes
    assert first.get_ylim() == second.get_ylim()
    assert first.get_ylim()[1] > 40
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["measured", "other"]


@pytest.mark.parametrize("count", [1, 2, 6])
def test_long_titles_and_labels_have_room(count):
    title = "RTS on, control 1M, errors on all frames"
    drawn = chart(panels=[Panel(title, [LINE])] * count)
    figure = plots.draw(replace(drawn, ylabel="routing messages sent, each hop counted (messages over the whole run)"))
    figure.canvas.draw()
    boxes = [ax._left_title.get_window_extent() for ax in figure.axes]
    assert all(box.x1 < other.x0 for box, other in pairwise(boxes))
    assert boxes[-1].x1 <= figure.bbox.width
    label = figure.axes[0].yaxis.label.get_window_extent()
    assert 0 <= label.y0 <= label.y1 <= figure.bbox.height


def test_names_of_many_bars_do_not_meet():
    names = [f"a rather long name {number}" for number in range(20)]
    bars = Line("measured", names, [1.0] * 20, [None] * 20)
    figure = plots.draw(chart("bars", panels=[Panel("left", [bars]), Panel("right", [bars])]))
    figure.canvas.draw()
    first, second = figure.axes[0].get_xticklabels()[:2]
    # Turned text takes its height over the sine of its angle, beside its neighbour.
    across = first.get_fontsize() / 72 / math.sin(math.radians(first.get_rotation()))
    apart = figure.axes[0].transData.transform([(0, 0), (1, 0)])[:, 0]
    assert (apart[1] - apart[0]) / figure.dpi >= 0.8 * across
    assert first.get_rotation() == second.get_rotation() == 60


def test_a_reference_is_dashed():
    figure = plots.draw(chart(panels=[Panel("", [LINE, Line("model", [1.0, 4.0], [5.0, 6.0], reference=True)])]))
    styles = {line.get_label(): line.get_linestyle() for line in figure.axes[0].lines}
    assert styles["model"] == "--"


def test_logarithmic_axes_keep_the_swept_values_as_ticks():
    [ax] = plots.draw(chart(log_x=True, log_y=True)).axes
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2", "4"]


def test_bars_are_grouped_by_name():
    lines = [Line("ns2", ["1", "2"], [0.4, 0.8], [0.1, None]), Line("standard", ["1", "2"], [0.5, 0.9])]
    [ax] = plots.draw(chart("bars", panels=[Panel("", lines, [Mark("Table 3", ["2"], [1.0])])])).axes
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2"]
    assert [round(patch.get_height(), 2) for patch in ax.patches] == [0.4, 0.8, 0.5, 0.9]


def test_dots_list_their_names_downwards_with_the_tolerance():
    panel = Panel("TCP", [Line("", ["first", "second"], [1.0, -2.0], [0.5, None])], band=(-3.0, 3.0))
    [ax] = plots.draw(chart("dots", panels=[panel])).axes
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["first", "second"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_steps_hold_their_value():
    [ax] = plots.draw(chart("steps", panels=[Panel("", [LINE])])).axes
    assert ax.lines[0].get_drawstyle() == "steps-post"


def test_cdf_ends_at_one():
    [ax] = plots.draw(chart("cdf", panels=[Panel("", [LINE])])).axes
    assert max(ax.lines[0].get_ydata()) == 1


def test_an_empty_chart_is_refused():
    with pytest.raises(ValueError, match="nothing to draw"):
        plots.draw(chart(panels=[Panel("", [])]))


def test_lines_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="2 positions but 1 values"):
        Line("x", [1, 2], [1])
    with pytest.raises(ValueError, match="1 values but 2 intervals"):
        Line("x", [1], [1], [1, 2])


@pytest.mark.parametrize("form", plots.FORMATS)
def test_the_same_chart_gives_the_same_file(form):
    assert plots.image(plots.draw(chart()), form) == plots.image(plots.draw(chart()), form)


def test_save_writes_every_format(tmp_path):
    written = plots.save(plots.draw(chart()), tmp_path / "figures", "stem")
    assert {path.name for path in written.values()} == {"stem.png", "stem.svg", "stem.pdf"}
    assert written["png"].read_bytes().startswith(b"\x89PNG")
    assert written["pdf"].read_bytes().startswith(b"%PDF")


def test_whole_positions_have_no_ticks_between_them():
    hops = Line("", [1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 15.0, 12.0])
    [ax] = plots.draw(chart(panels=[Panel("", [hops])])).axes
    assert all(tick == int(tick) for tick in ax.get_xticks())
    loads = Line("", [0.5, 1.0, 1.5], [10.0, 20.0, 15.0])
    [ax] = plots.draw(chart(panels=[Panel("", [loads])])).axes
    assert any(tick != int(tick) for tick in ax.get_xticks())


def test_a_series_of_whole_values_has_no_ticks_between_them():
    for heights, whole in (([0.0, 1.0, 0.0], True), ([0.0, 0.5, 1.0], False)):
        [ax] = plots.draw(chart("steps", panels=[Panel("", [Line("route", [0.0, 1.0, 2.0], heights)])])).axes
        assert all(tick == int(tick) for tick in ax.get_yticks()) == whole


def test_stacked_series_share_time_and_have_an_axis_each():
    panels = [
        Panel("kbit/s", [Line("", [0.0, 1.0, 2.0], [400.0, 0.0, 390.0])]),
        Panel("route", [Line("", [0.0], [1.0])]),
    ]
    first, second = plots.draw(replace(chart("steps", panels=panels, stacked=True), ylabel="")).axes
    assert (first.get_ylabel(), second.get_ylabel()) == ("kbit/s", "route")
    assert (first.get_xlabel(), second.get_xlabel()) == ("", "window (packets)")
    assert first.get_xlim() == second.get_xlim()
    assert first.get_ylim()[1] > 300 > second.get_ylim()[1]


def colours(ax):
    return {handle.get_label(): handle.patches[0].get_facecolor() for handle in ax.containers}


def hatches(ax):
    return {handle.get_label(): handle.patches[0].get_hatch() for handle in ax.containers}


def test_a_part_looks_the_same_in_every_panel_and_stands_in_the_legend():
    names = [f"cause {number}" for number in range(10)]
    few = [Line(name, ["0"], [1.0]) for name in names if name != "cause 1"]
    panels = [Panel("a", few), Panel("b", [Line(name, ["0"], [1.0]) for name in names])]
    for kind in ("stack", "bars"):
        figure = plots.draw(chart(kind, panels=panels))
        first, second = figure.axes
        both = {**colours(first), **colours(second)}
        assert set(both) == set(names)
        assert colours(first).items() <= colours(second).items()
        [legend] = figure.legends
        assert {text.get_text() for text in legend.get_texts()} == set(names)
        if kind == "stack":
            assert hatches(first).items() <= hatches(second).items()
            looks = {(both[name], {**hatches(first), **hatches(second)}[name]) for name in names}
            assert len(looks) == len(names)


def test_a_line_keeps_the_style_that_it_asks_for():
    lines = [Line("third", ["0"], [1.0], style=2), Line("first", ["0"], [1.0], style=0)]
    figure = plots.draw(chart("stack", panels=[Panel("", lines)]))
    assert colours(figure.axes[0])["third"] == pytest.approx(rgba(plots.COLOURS[2]))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["first", "third"]


def rgba(colour):
    from matplotlib.colors import to_rgba

    return to_rgba(colour)


@pytest.mark.parametrize("kind", ["lines", "bars", "stack", "steps", "cdf"])
def test_no_legend_covers_what_is_drawn(kind):
    lines = [Line(f"line {n}", [1.0, 2.0], [5.0, 10.0]) for n in range(4)]
    figure = plots.draw(chart(kind, panels=[Panel("", lines)]))
    plots.image(figure, "png")  # lays it out
    [legend] = figure.legends
    assert legend.get_window_extent().y1 <= figure.axes[0].get_window_extent().y0


@pytest.mark.parametrize("kind", ["lines", "bars"])
def test_an_error_bar_ends_at_zero(kind):
    line = Line("loss", [1.0, 2.0], [0.5, 3.0], [2.0, 1.0])
    [ax] = plots.draw(chart(kind, panels=[Panel("", [line])])).axes
    [bars] = [c for c in ax.collections if type(c).__name__ == "LineCollection"]
    spans = [tuple(float(y) for _, y in segment) for segment in bars.get_segments()]
    assert spans == [(0.0, 2.5), (2.0, 4.0)]


def test_a_difference_may_be_negative():
    [ax] = plots.draw(chart("dots", panels=[Panel("", [Line("", ["a"], [1.0], [4.0])])])).axes
    [bars] = [c for c in ax.collections if type(c).__name__ == "LineCollection"]
    assert [float(x) for x, _ in bars.get_segments()[0]] == [-3.0, 5.0]


def test_a_step_along_zero_is_above_the_axis_and_a_gap_is_no_number():
    line = Line("", [0.0, 1.0, 2.0, 3.0], [0.0, math.nan, 5.0, 5.0])
    [ax] = plots.draw(chart("steps", panels=[Panel("", [line])], limits=(0.0, 60.0))).axes
    low, high = ax.get_ylim()
    assert -0.1 * high < low < 0
    assert ax.get_xlim() == (0, 60)


def test_outages_are_shaded_and_named_once():
    panel = Panel("", [LINE], spans=[(1.0, 2.0, "node 1 off"), (3.0, 4.0, "node 1 off")])
    figure = plots.draw(chart("steps", panels=[panel]))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["measured", "node 1 off"]
    [ax] = figure.axes
    assert sorted(patch.get_x() for patch in ax.patches) == [1.0, 3.0]


def test_a_wide_interval_runs_out_of_the_figure_and_leaves_the_values_room():
    lines = [Line("few seeds", [1.0, 2.0], [100.0, 120.0], [5000.0, 5.0])]
    [ax] = plots.draw(chart(panels=[Panel("", lines)])).axes
    assert 120 < ax.get_ylim()[1] <= 240
    [ax] = plots.draw(chart("bars", panels=[Panel("", lines, [Mark("published", [2.0], [400.0])])])).axes
    assert 400 < ax.get_ylim()[1] <= 800


def test_grey_print_reports_bars_and_curves_apart():
    lines = [Line(name, [1.0, 2.0], [1.0, 2.0]) for name in "abcdefgh"]
    [ax] = plots.draw(chart("bars", panels=[Panel("", lines)])).axes
    assert len({patch.get_hatch() for patch in ax.patches}) == len(lines)
    [ax] = plots.draw(chart("steps", panels=[Panel("", lines)])).axes
    assert len({repr(line._dash_pattern) for line in ax.lines}) == len(lines)


@pytest.mark.parametrize(
    ("places", "marked"),
    [
        (range(1, 11), True),
        ([4, 7, 12], True),
        ([1, 2, 3, 4, 8, 16, 32], False),
        (range(10_000, 22_000, 1000), False),
    ],
)
def test_each_whole_position_is_marked_where_there_is_room(places, marked):
    [ax] = plots.draw(chart(panels=[Panel("", [Line("", list(map(float, places)), [1.0] * len(places))])])).axes
    assert (list(ax.get_xticks()) == list(places)) == marked


def test_what_is_left_over_in_a_stack_is_pale():
    lines = [Line("sending", ["0"], [30.0], style=0), Line("idle", ["0"], [70.0], style=2 * len(plots.COLOURS))]
    [ax] = plots.draw(chart("stack", panels=[Panel("", lines)])).axes
    assert min(colours(ax)["idle"][:3]) > 0.8
    assert hatches(ax)["idle"] == ""


def paper(**more):
    """Four panels of one line."""
    line = Line("a line", [1, 2, 4], [10.0, 40.0, 160.0])
    return Chart(
        "c", "c", "window (packets)", "throughput (kbit/s)", [Panel(f"panel {n}", [line]) for n in range(4)], **more
    )


def test_a_figure_for_a_paper_has_the_width_of_its_column_and_smaller_letters():
    with styled_as(read("single", None, "")):
        figure = plots.draw(paper())
        assert figure.get_figwidth() == pytest.approx(3.5)
        assert [ax.get_xlabel() != "" for ax in figure.axes] == [False, False, True, True]  # two by two
        assert figure.axes[0].xaxis.label.get_size() == pytest.approx(0.8 * 10.5)
        assert struct.unpack(">I", plots.image(figure, "png")[16:20])[0] == 700
    assert plots.draw(paper()).get_figwidth() == 13.0
    with styled_as(read("5.5in", 9.0, "")):
        assert plots.draw(paper()).get_figwidth() == 5.5


def test_axes_are_logarithmic_where_all_numbers_are_above_zero():
    with styled_as(read(None, None, "xy")):
        figure = plots.draw(paper())
        assert (figure.axes[0].get_xscale(), figure.axes[0].get_yscale()) == ("log", "log")
        assert all("$" not in label.get_text() for label in figure.axes[0].get_yticklabels())
        zero = plots.draw(Chart("c", "c", "x", "y", [Panel("", [Line("a", [0, 1], [1.0, 2.0])])]))
        assert (zero.axes[0].get_xscale(), zero.axes[0].get_yscale()) == ("linear", "log")
        assert plots.draw(Chart("c", "c", "", "y", [Panel("", [Line("a", ["u"], [1.0])])], kind="bars")).axes


@pytest.mark.parametrize(("width", "font"), [("wide", None), ("0.5", None), ("99", None), (None, 1.0)])
def test_a_width_or_size_that_cannot_be_drawn_is_refused(width, font):
    with pytest.raises(InputError, match="expected") as refused:
        read(width, font, "")
    assert "\n" not in str(refused.value)
