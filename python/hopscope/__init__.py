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
    from hopscope.api.live import run_live, shell
    from hopscope.api.lookup import model, words
    from hopscope.api.scenarios import check, explain, import_script
    from hopscope.api.stores import pcap, report, show
    from hopscope.api.studies import readings
    from hopscope.campaign.merge import merge
    from hopscope.campaign.store import Store, open_store
    from hopscope.campaign.verify import verify
    from hopscope.cli.new import new
    from hopscope.errors import HopscopeError, InputError, Interrupted, RunFailed, ScenarioError, StoreError
    from hopscope.live.control import execute
    from hopscope.optimum import Optimization, Optimum, TradeOff, optimize, trade_off
    from hopscope.probing import probe
    from hopscope.reference.lookup import look_up
    from hopscope.reporting.segments import sequence
    from hopscope.reporting.timeline import timeline
    from hopscope.results import Comparison, Interval, Result, compare
    from hopscope.results.contrasts import Contrasts, Side, contrasts
    from hopscope.results.distributions import Distribution
    from hopscope.results.fairness import fair_shares
    from hopscope.running.runner import run, run_scenarios
    from hopscope.running.slurm import slurm
    from hopscope.running.stepping import Simulation
    from hopscope.running.wired import Bottleneck, bottleneck
    from hopscope.scenario import Point, Scenario, load
    from hopscope.scenario.keys import schema
    from hopscope.studies.reproduce import reproduce
    from hopscope.tracing import trace
    from hopscope.usercode.acks import AckPolicy
    from hopscope.usercode.congestion import CongestionControl
    from hopscope.watching import WatchPage, watch

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
    "WatchPage": "hopscope.watching",
    "bottleneck": "hopscope.running.wired",
    "check": "hopscope.api.scenarios",
    "compare": "hopscope.results",
    "contrasts": "hopscope.results.contrasts",
    "execute": "hopscope.live.control",
    "explain": "hopscope.api.scenarios",
    "fair_shares": "hopscope.results.fairness",
    "import_script": "hopscope.api.scenarios",
    "load": "hopscope.scenario",
    "look_up": "hopscope.reference.lookup",
    "merge": "hopscope.campaign.merge",
    "model": "hopscope.api.lookup",
    "new": "hopscope.cli.new",
    "open_store": "hopscope.campaign.store",
    "optimize": "hopscope.optimum",
    "pcap": "hopscope.api.stores",
    "probe": "hopscope.probing",
    "readings": "hopscope.api.studies",
    "report": "hopscope.api.stores",
    "reproduce": "hopscope.studies.reproduce",
    "run": "hopscope.running.runner",
    "run_live": "hopscope.api.live",
    "run_scenarios": "hopscope.running.runner",
    "schema": "hopscope.scenario.keys",
    "sequence": "hopscope.reporting.segments",
    "shell": "hopscope.api.live",
    "show": "hopscope.api.stores",
    "slurm": "hopscope.running.slurm",
    "timeline": "hopscope.reporting.timeline",
    "trace": "hopscope.tracing",
    "trade_off": "hopscope.optimum",
    "verify": "hopscope.campaign.verify",
    "watch": "hopscope.watching",
    "words": "hopscope.api.lookup",
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
    "WatchPage",
    "__version__",
    "bottleneck",
    "check",
    "compare",
    "contrasts",
    "execute",
    "explain",
    "fair_shares",
    "import_script",
    "load",
    "look_up",
    "merge",
    "model",
    "new",
    "open_store",
    "optimize",
    "pcap",
    "probe",
    "readings",
    "report",
    "reproduce",
    "run",
    "run_live",
    "run_scenarios",
    "schema",
    "sequence",
    "shell",
    "show",
    "slurm",
    "timeline",
    "trace",
    "trade_off",
    "verify",
    "watch",
    "words",
]


#: What notebooks draw -> (module, function) that draws it, loaded when something is drawn.
_DRAWN = {
    "contrasts": ("hopscope.reporting.contrasts", "figure"),
    "check-html": ("hopscope.cli.shown", "check"),
    "contrasts-html": ("hopscope.reporting.notebook", "contrasts"),
    "explanation-html": ("hopscope.cli.shown", "explanation"),
    "optimization": ("hopscope.optimum.words", "text"),
    "optimization-html": ("hopscope.cli.shown", "optimization"),
    "probing-html": ("hopscope.cli.shown", "probing"),
    "readings-html": ("hopscope.cli.shown", "readings"),
    "reproduction-html": ("hopscope.cli.shown", "reproduction"),
    "result": ("hopscope.reporting.notebook", "figure"),
    "result-html": ("hopscope.reporting.notebook", "result"),
    "sequence": ("hopscope.reporting.segments", "sequence"),
    "timeline": ("hopscope.reporting.timeline", "timeline"),
    "trade-off-html": ("hopscope.cli.shown", "trade_off"),
    "verification-html": ("hopscope.cli.shown", "verification"),
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
