"""What notebooks show: tables, and figures as pictures also where pyplot was never imported."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import hopscope as hs

SCENARIO: dict[str, Any] = {
    "duration": "1s",
    "topology": {"kind": "chain", "hops": 1},
    "flow": [{"from": 0, "to": 1}],
    "sweep": {"flow.0.max_window": [1, 4]},
}


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A notebook's shell: what it can show, and what it was asked to show as a picture."""
    formatters: dict[str, set[type]] = {"image/png": set(), "image/svg+xml": set()}
    found = SimpleNamespace(display_formatter=SimpleNamespace(formatters=formatters), chosen=[])

    def select(shell: SimpleNamespace, forms: set[str]) -> None:
        from matplotlib.figure import Figure

        shell.chosen.append(forms)
        shell.display_formatter.formatters["image/png"].add(Figure)

    top, tools = ModuleType("IPython"), ModuleType("IPython.core.pylabtools")
    top.get_ipython = lambda: found  # type: ignore[attr-defined]
    tools.select_figure_formats = select  # type: ignore[attr-defined]
    for name, module in (("ipykernel", ModuleType("ipykernel")), ("IPython", top), ("IPython.core.pylabtools", tools)):
        monkeypatch.setitem(sys.modules, name, module)
    return found


def test_a_figure_is_a_picture_and_what_the_reader_chose_stays(shell: SimpleNamespace) -> None:
    result = hs.run(SCENARIO, seeds=2, progress=False)
    figure = result.plot()
    assert shell.chosen == [{"png"}]
    assert type(figure) in shell.display_formatter.formatters["image/png"]
    result.plot("delay_ms")
    result.across("flow.0.max_window").plot()
    assert shell.chosen == [{"png"}]


def test_elsewhere_a_figure_is_a_figure() -> None:
    from matplotlib.figure import Figure

    assert isinstance(hs.run(SCENARIO, progress=False).plot(), Figure)


def test_a_table_of_a_notebook_has_words_and_keys() -> None:
    page = hs.run(SCENARIO, seeds=2, progress=False)._repr_html_()
    assert '<th title="flow.0.max_window">receiver&#39;s window (packets)</th>' in page
    assert "±" in page
