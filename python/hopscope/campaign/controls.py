"""The code of the user's in a run: one object a class and flow, and what the user reads when one of them fails."""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from hopscope import _core
from hopscope.campaign.stop import Stop
from hopscope.errors import RunFailed
from hopscope.results.columns import Tables
from hopscope.results.finished import Finished
from hopscope.scenario.controls import CONTROL, POLICY, ControlError, FlowControl

#: A method, None where it is left to the engine.
Method: TypeAlias = "Callable[[Any], object] | None"

#: Methods of a congestion control and of an ACK policy.
Code: TypeAlias = "tuple[Sequence[Method] | None, Sequence[Method] | None]"


@dataclass(frozen=True)
class Trace:
    """Records wanted of a run: stands for ``_core.run`` and writes them on the way.

    Attributes:
        form: how they are written, a word of ``_core.trace``.
        wanted: which records, as ``_core.trace`` takes it.
        write: takes some whole lines, or records as a list, and says whether it takes more.
        cut: the run may end after the last record wanted.
    """

    form: str
    wanted: Mapping[str, Any]
    write: Callable[[Any], bool]
    cut: bool = False

    def __call__(
        self,
        config: _core.Config,
        cancel: _core.CancelToken | None = None,
        progress: Callable[[float], object] | None = None,
        controls: Sequence[Code] | None = None,
    ) -> _core.Outcome:
        """Runs a configuration."""
        return _core.trace(config, self.form, self.wanted, self.write, self.cut, cancel, progress, controls)


def run(
    config: _core.Config | Mapping[str, Any],
    controls: Sequence[Sequence[FlowControl]],
    seed: int,
    stop: Stop | None = None,
    progress: Callable[[float], None] | None = None,
    *,
    engine: Callable[..., _core.Outcome] | None = None,
) -> Finished:
    """Runs a configuration with the classes that its flows have and returns what it gave.

    ``engine`` takes and gives what ``_core.run`` does, which it stands for.

    Raises:
        RunFailed: the code of a class failed; the message has its traceback, the flow and the simulated time.
    """
    stop, engine = stop or Stop(), engine or _core.run
    if not any(controls):
        return Finished(engine(config, stop.token, progress))
    try:
        with stop.user_code():
            return Finished(engine(config, stop.token, progress, code_of(controls, seed)))
    except _core.ControlError as error:
        raise _failed(error, controls[error.flow]) from None


def run_bottleneck(config: Mapping[str, Any], own: Sequence[FlowControl], seed: int) -> tuple[int, int, Tables]:
    """Runs one flow over a wired bottleneck and returns its retransmissions, timeouts, samples and drops.

    Raises:
        RunFailed: as of :func:`run`.
    """
    try:
        return _core.bottleneck(config, _code(own, seed, 0))
    except _core.ControlError as error:
        raise _failed(error, own) from None


def probing(config: Mapping[str, Any], controls: Sequence[Sequence[FlowControl]], seed: int) -> _core.Probing:
    """Returns the network of a configuration, to be probed.

    Raises:
        RunFailed: a class cannot be made.
    """
    code = [_code(own, seed, flow) for flow, own in enumerate(controls)] if any(controls) else None
    return _core.Probing(config, code)


def failed(error: _core.ControlError, controls: Sequence[Sequence[FlowControl]]) -> RunFailed:
    """What the user reads when the code of a flow has failed."""
    return _failed(error, controls[error.flow])


def _failed(error: _core.ControlError, own: Sequence[FlowControl]) -> RunFailed:
    [name] = [one.control.load().__name__ for one in own if error.hook in one.control.role.methods]
    return RunFailed(f"flow {error.flow} at {error.time_s:.9g} s: {name}.{_reported(error)}")


def code_of(controls: Sequence[Sequence[FlowControl]], seed: int) -> list[Code] | None:
    """New objects for all flows of a run: their methods; None where no flow has any."""
    return [_code(own, seed, flow) for flow, own in enumerate(controls)] if any(controls) else None


def _code(own: Sequence[FlowControl], seed: int, flow: int) -> Code:
    """New objects for a flow: their methods."""
    made = {one.control.prefix: _methods(one, seed, flow) for one in own}
    return made.get(CONTROL.prefix), made.get(POLICY.prefix)


def _methods(control: FlowControl, seed: int, flow: int) -> list[Method]:
    """A new object for a flow: its methods, those left to the engine as None."""
    try:
        cls = control.control.load()
    except ControlError as error:
        raise RunFailed(f"flow {flow}: {error}") from error
    try:
        instance = cls.__new__(cls)
        vars(instance).update(control.parameters)
        # A policy draws other numbers than the control of the same flow.
        aside = "" if control.control.role is CONTROL else ":ack"
        instance.random = random.Random(f"{seed}:{flow}{aside}")
        instance.__init__()  # type: ignore[misc]
        return [_method(instance, control.control.role.base, name) for name in control.control.role.methods]
    except Exception as error:
        raise RunFailed(f"flow {flow} at 0 s: {cls.__name__} cannot be made\n{_traceback(error)}") from None


def _method(instance: object, base: type, name: str) -> Method:
    inherited = getattr(type(instance), name) is getattr(base, name)
    method: Method = None if inherited and name not in vars(instance) else getattr(instance, name)
    return method


def _reported(error: _core.ControlError) -> str:
    cause = error.__cause__
    if cause is None or cause.__traceback__ is None:  # what was returned, judged by the engine's side
        return f"{error.hook} {cause}"
    known = ""
    if isinstance(cause, AttributeError) and isinstance(cause.obj, (_core.FlowState, _core.AckState)):
        known = (
            f"\n{type(cause.obj).__name__} has {', '.join(name for name in dir(cause.obj) if not name.startswith('_'))}"
        )
    return f"{error.hook} raised {type(cause).__name__}\n{_traceback(cause)}{known}"


def _traceback(error: BaseException) -> str:
    """The traceback in the user's code alone."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames)).rstrip()
