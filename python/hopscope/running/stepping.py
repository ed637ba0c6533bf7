"""A run that is advanced step by step and changed in between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.campaign.controls import code_of
from hopscope.campaign.work import again
from hopscope.errors import InputError
from hopscope.results import PointResult, Result
from hopscope.results.finished import Finished
from hopscope.running.runner import prepare
from hopscope.scenario import Scenario, keys, units
from hopscope.scenario.fields import NS


class Simulation:
    """One run of a scenario, under way.

    It does between two :meth:`run_until` what ``[[event]]`` tables do at an instant: the same changes made at the same
    instants give the same results.  Nothing is stored.

    Args:
        what: a scenario file, its keys as a mapping, or a :class:`Scenario`; without a sweep.
        seed: of the run; default: the scenario's first.
        set: dotted keys to change, as with ``--set``.

    Raises:
        InputError: a scenario that cannot be run, has a sweep, or asks for the airtime ledger.
    """

    def __init__(
        self,
        what: str | Path | Mapping[str, Any] | Scenario,
        *,
        seed: int | None = None,
        set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    ) -> None:
        changes: dict[str, Any] = {"seeds": 1} if seed is None else {"seeds": 1, "seed": seed}
        self.scenario = prepare(what, set=set).replace(changes)
        if self.scenario.axes:
            raise InputError(f"sweep: found {', '.join(self.scenario.axes)}; a run step by step has no sweep")
        [point] = self.scenario.points
        self._point = point
        self.seed = int(self.scenario.resolved["seed"])
        config = point.config(self.seed)
        if config.get("explain"):
            raise InputError("explain: the airtime ledger is kept by hopscope.run alone; leave it out")
        self._steps = _core.Steps(config, code_of(point.controls(), self.seed))

    def __repr__(self) -> str:
        return f"Simulation({self.scenario.title!r}, seed={self.seed}, now={self.now:g})"

    @property
    def now(self) -> float:
        """Simulated seconds so far."""
        return self._steps.now / NS

    @property
    def is_over(self) -> bool:
        """Whether the end of the run has come."""
        return self.now >= self._point.duration_s

    @property
    def positions(self) -> list[tuple[float, float]]:
        """Where each node is now, in metres."""
        return [(x, y) for x, y in self._steps.positions()]

    def run_until(self, time: float | str) -> None:
        """Advances to an instant, seconds or text with a unit; everything that happens then has happened.

        Raises:
            InputError: it has passed, or lies behind the end of the run.
        """
        seconds = units.parse(time, "s") if isinstance(time, str) else time
        instant = round(seconds * NS)
        end = round(self._point.duration_s * NS)
        if not self._steps.now <= instant <= end:
            raise InputError(
                f"time: found {float(seconds):g} s; it is {self.now:g} s, and the run ends at {end / NS:g} s"
            )
        self._steps.run_until(instant)

    def down(self, node: int) -> None:
        """The radio of a node goes off."""
        self.change("node-down", node=node)

    def up(self, node: int) -> None:
        """The radio of a node comes back."""
        self.change("node-up", node=node)

    def move(self, node: int, position: Sequence[float], speed: float | str | None = None) -> None:
        """A node is at a position (metres), or goes there at a speed (m/s), and stays there."""
        self.change("move", node=node, position=position, speed=speed)

    def power(self, node: int, power: float | str) -> None:
        """A node sends with another power, watts or text with a unit."""
        self.change("power", node=node, power=power)

    def cut(self, node: int, peer: int) -> None:
        """Nothing arrives over a link any more, both ways."""
        self.change("link-cut", **{"from": node, "to": peer})

    def degrade(self, node: int, peer: int, *, attenuation: float | None = None, loss: float | None = None) -> None:
        """A radio link loses power (dB), or a wire packets (probability), both ways."""
        self.change("link-degrade", **{"from": node, "to": peer, "attenuation": attenuation, "loss": loss})

    def restore(self, node: int, peer: int) -> None:
        """A link is as at the beginning."""
        self.change("link-restore", **{"from": node, "to": peer})

    def start(self, flow: int) -> None:
        """A flow starts before its time, or again where it runs over UDP and was stopped."""
        self.change("flow-start", flow=flow)

    def stop(self, flow: int) -> None:
        """The application of a flow offers nothing more."""
        self.change("flow-stop", flow=flow)

    def rate(self, flow: int, rate: float | str) -> None:
        """The application of a flow sends at another rate, bit/s of payload or text with a unit."""
        self.change("flow-rate", flow=flow, rate=rate)

    def set(self, key: str, value: float, *, node: int | None = None) -> None:
        """A parameter, such as ``mac.queue``, has another value at a node, or at all that have none of their own."""
        self.change("set", key=key, value=value, node=node)

    def change(self, kind: str, **values: Any) -> None:
        """Does what an ``[[event]]`` of this kind does.

        Raises:
            InputError: a value is missing, does not belong, or names what does not exist.
        """
        try:
            self._steps.change(change_of(kind, values))
        except _core.EngineError as error:
            raise InputError(str(error)) from None

    def result(self) -> Result:
        """Results from the end of the warm-up to now."""
        run = Finished(self._steps.results()).values()
        return Result(self.scenario, [PointResult(self._point.index, self._point.set, [run])], [], again)


def change_of(kind: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a change of this kind as the engine takes it; values that are None are not given.

    Raises:
        InputError: a value does not belong, or cannot be read.
    """
    fields = {field.name: field for field in keys.table("event")}
    change: dict[str, Any] = {"kind": kind}
    for name, value in values.items():
        if value is None:
            continue
        if name not in fields:
            raise InputError(f"{name}: unknown; an event has {', '.join(fields)}")
        try:
            change[name] = fields[name].read(list(value) if isinstance(value, tuple) else value)
        except _core.FieldError as error:
            raise InputError(f"{name}: {error}") from None
    return change
