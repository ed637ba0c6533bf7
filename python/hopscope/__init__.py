"""Hopscope: TCP and UDP over multi-hop IEEE 802.11, simulated and compared with the published studies.

>>> import hopscope as hs
>>> result = hs.run("chain.toml", seeds=5)      # doctest: +SKIP
>>> result.summary                              # doctest: +SKIP

Names are loaded when they are first used, so that ``import hopscope`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopscope._core import AckState, FlowState
    from hopscope.campaign.store import Store, open_store
    from hopscope.errors import HopscopeError, InputError, Interrupted, RunFailed, ScenarioError, StoreError
    from hopscope.optimum import Optimization, Optimum, TradeOff, optimize, trade_off
    from hopscope.reporting.segments import sequence
    from hopscope.reporting.timeline import timeline
    from hopscope.results import Comparison, Interval, Result, compare
    from hopscope.results.contrasts import Contrasts, Side, contrasts
    from hopscope.results.distributions import Distribution
    from hopscope.results.fairness import fair_shares
    from hopscope.running.runner import run, run_scenarios
    from hopscope.running.stepping import Simulation
    from hopscope.running.wired import Bottleneck, bottleneck
    from hopscope.scenario import Point, Scenario, load
    from hopscope.tracing import trace
    from hopscope.usercode.acks import AckPolicy
    from hopscope.usercode.congestion import CongestionControl

_HOMES = {
    "AckPolicy": "hopscope.usercode.acks",
    "AckState": "hopscope._core",
    "Bottleneck": "hopscope.running.wired",
    "Comparison": "hopscope.results",
    "CongestionControl": "hopscope.usercode.congestion",
    "Contrasts": "hopscope.results.contrasts",
    "Distribution": "hopscope.results.distributions",
    "FlowState": "hopscope._core",
    "HopscopeError": "hopscope.errors",
    "InputError": "hopscope.errors",
    "Interrupted": "hopscope.errors",
    "Interval": "hopscope.results",
    "Optimization": "hopscope.optimum",
    "Optimum": "hopscope.optimum",
    "Point": "hopscope.scenario",
    "Result": "hopscope.results",
    "RunFailed": "hopscope.errors",
    "Scenario": "hopscope.scenario",
    "ScenarioError": "hopscope.errors",
    "Side": "hopscope.results.contrasts",
    "Simulation": "hopscope.running.stepping",
    "Store": "hopscope.campaign.store",
    "StoreError": "hopscope.errors",
    "TradeOff": "hopscope.optimum",
    "bottleneck": "hopscope.running.wired",
    "compare": "hopscope.results",
    "contrasts": "hopscope.results.contrasts",
    "fair_shares": "hopscope.results.fairness",
    "load": "hopscope.scenario",
    "open_store": "hopscope.campaign.store",
    "optimize": "hopscope.optimum",
    "run": "hopscope.running.runner",
    "run_scenarios": "hopscope.running.runner",
    "sequence": "hopscope.reporting.segments",
    "timeline": "hopscope.reporting.timeline",
    "trace": "hopscope.tracing",
    "trade_off": "hopscope.optimum",
}

__all__ = [
    "AckPolicy",
    "AckState",
    "Bottleneck",
    "Comparison",
    "CongestionControl",
    "Contrasts",
    "Distribution",
    "FlowState",
    "HopscopeError",
    "InputError",
    "Interrupted",
    "Interval",
    "Optimization",
    "Optimum",
    "Point",
    "Result",
    "RunFailed",
    "Scenario",
    "ScenarioError",
    "Side",
    "Simulation",
    "Store",
    "StoreError",
    "TradeOff",
    "__version__",
    "bottleneck",
    "compare",
    "contrasts",
    "fair_shares",
    "load",
    "open_store",
    "optimize",
    "run",
    "run_scenarios",
    "sequence",
    "timeline",
    "trace",
    "trade_off",
]


#: What notebooks draw -> (module, function) that draws it, loaded when something is drawn.
_DRAWN = {
    "contrasts": ("hopscope.reporting.contrasts", "figure"),
    "contrasts-html": ("hopscope.reporting.notebook", "contrasts"),
    "optimization": ("hopscope.optimum.words", "text"),
    "result": ("hopscope.reporting.notebook", "figure"),
    "result-html": ("hopscope.reporting.notebook", "result"),
    "sequence": ("hopscope.reporting.segments", "sequence"),
    "timeline": ("hopscope.reporting.timeline", "timeline"),
}


def _give_drawers() -> None:
    import functools

    from hopscope.results import display

    def draw(module: str, name: str, thing: Any, **options: Any) -> Any:
        import importlib

        return getattr(importlib.import_module(module), name)(thing, **options)

    for what, (module, name) in _DRAWN.items():
        display.give(what, functools.partial(draw, module, name))


_give_drawers()


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from hopscope import _core

        return _core.version()
    if (home := _HOMES.get(name)) is not None:
        import importlib

        value = getattr(importlib.import_module(home), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
