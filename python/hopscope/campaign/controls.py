"""The congestion controls of a run: one object a flow, and what the user reads when one of them fails."""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable, Sequence
from typing import TypeAlias

from hopscope import _core
from hopscope.campaign.stop import Stop
from hopscope.congestion import CongestionControl
from hopscope.errors import RunFailed
from hopscope.scenario.controls import METHODS, ControlError, FlowControl

Method: TypeAlias = "Callable[[_core.FlowState], object] | None"


def run(
    config_json: str,
    controls: Sequence[FlowControl | None],
    seed: int,
    stop: Stop | None = None,
    progress: Callable[[float], None] | None = None,
) -> str:
    """Runs a configuration with the congestion controls of its flows and returns its result as JSON.

    Raises:
        RunFailed: the code of a control failed; the message has its traceback, the flow and the simulated time.
    """
    stop = stop or Stop()
    if not any(controls):
        return _core.run(config_json, stop.token, progress)
    try:
        with stop.user_code():
            methods = [
                None if control is None else _methods(control, seed, flow) for flow, control in enumerate(controls)
            ]
            return _core.run(config_json, stop.token, progress, methods)
    except _core.ControlError as error:
        raise _failed(error, controls[error.flow]) from None


def run_bottleneck(config_json: str, control: FlowControl | None, seed: int) -> str:
    """Runs one flow over a wired bottleneck and returns its samples as JSON.

    Raises:
        RunFailed: as of :func:`run`.
    """
    methods = None if control is None else _methods(control, seed, 0)
    try:
        return _core.bottleneck(config_json, methods)
    except _core.ControlError as error:
        raise _failed(error, control) from None


def _failed(error: _core.ControlError, control: FlowControl | None) -> RunFailed:
    name = control.control.load().__name__ if control is not None else ""
    return RunFailed(f"flow {error.flow} at {error.time_s:.9g} s: {name}.{_told(error)}")


def _methods(control: FlowControl, seed: int, flow: int) -> tuple[Method, Method, Method, Method]:
    """A new object for a flow: its methods, those left to the engine as None."""
    try:
        cls = control.control.load()
    except ControlError as error:
        raise RunFailed(f"flow {flow}: {error}") from error
    try:
        instance = cls.__new__(cls)
        vars(instance).update(control.parameters)
        instance.random = random.Random(f"{seed}:{flow}")
        instance.__init__()  # type: ignore[misc]
        found = [_method(instance, name) for name in METHODS]
    except Exception as error:
        raise RunFailed(f"flow {flow} at 0 s: {cls.__name__} cannot be made\n{_traceback(error)}") from None
    return found[0], found[1], found[2], found[3]


def _method(instance: CongestionControl, name: str) -> Method:
    inherited = getattr(type(instance), name) is getattr(CongestionControl, name)
    method: Method = None if inherited and name not in vars(instance) else getattr(instance, name)
    return method


def _told(error: _core.ControlError) -> str:
    cause = error.__cause__
    if cause is None or cause.__traceback__ is None:  # what was returned, judged by the engine's side
        return f"{error.hook} {cause}"
    known = ""
    if isinstance(cause, AttributeError) and isinstance(cause.obj, _core.FlowState):
        known = f"\nFlowState has {', '.join(name for name in dir(cause.obj) if not name.startswith('_'))}"
    return f"{error.hook} raised {type(cause).__name__}\n{_traceback(cause)}{known}"


def _traceback(error: BaseException) -> str:
    """The traceback in the user's code alone."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames)).rstrip()
