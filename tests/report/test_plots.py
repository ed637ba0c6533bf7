"""Figures: every kind draws what its chart says, and the same chart gives the same file."""

from __future__ import annotations

import pytest

from hopscope.report import plots
from hopscope.report.chart import Chart, Line, Mark, Panel

LINE = Line("measured", [1.0, 2.0, 4.0], [10.0, 20.0, 15.0], [1.0, None, (2.0, 3.0)])


def chart(kind="lines", **options):
    options.setdefault("panels", [Panel("", [LINE], [Mark("published", [2.0], [90.0])], [(2.0, "here")])])
    return Chart("name", "A caption.", "window (packets)", "throughput (kbit/s)", kind=kind, **options)


def test_lines_show_labels_marks_and_guides():
    figure = plots.draw(chart())
    [ax] = figure.axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("window (packets)", "throughput (kbit/s)")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["measured", "published"]
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


def test_stacked_series_share_time_and_have_an_axis_each():
    panels = [
        Panel("kbit/s", [Line("", [0.0, 1.0, 2.0], [400.0, 0.0, 390.0])]),
        Panel("route", [Line("", [0.0], [1.0])]),
    ]
    first, second = plots.draw(chart("steps", panels=panels, stacked=True)).axes
    assert (first.get_ylabel(), second.get_ylabel()) == ("kbit/s", "route")
    assert (first.get_xlabel(), second.get_xlabel()) == ("", "window (packets)")
    assert first.get_xlim() == second.get_xlim()
    assert first.get_ylim()[1] > 300 > second.get_ylim()[1]
