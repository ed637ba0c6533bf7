"""The engine, compiled from Rust.  Configurations and results are JSON text; times are integer nanoseconds."""

from collections.abc import Callable
from typing import final

class EngineError(ValueError):
    """A configuration is refused.

    Attributes:
        key: dotted engine key, such as ``flows.0.to`` or ``radio.cs_range``.
        message: what was found and what is allowed.
    """

    key: str
    message: str

class Cancelled(Exception):
    """The run was stopped by its :class:`CancelToken`."""

@final
class CancelToken:
    """Stops runs from another thread."""

    def __init__(self) -> None: ...
    def set(self) -> None:
        """Stops every run that was given this token."""

    def is_set(self) -> bool:
        """Whether the runs are to stop."""

def version() -> str:
    """Version of the package."""

def build_id() -> str:
    """Hash that changes with the code of the engine; part of the key of a stored run."""

def profiles() -> list[str]:
    """Names of the behaviour profiles."""

def presets() -> list[tuple[str, str]]:
    """Radio presets, each with one line of description."""

def transports() -> list[tuple[str, str]]:
    """Transport protocols, each with one line of description."""

def ack_policies() -> list[tuple[str, str]]:
    """ACK policies of TCP receivers, each with one line of description."""

def routings() -> list[tuple[str, str]]:
    """Routing protocols, each with one line of description."""

def routing_sets(protocol: str) -> list[tuple[str, str]]:
    """Parameter sets of a routing protocol, each with one line of description; empty for one without parameters."""

def routing_set(protocol: str, name: str) -> str:
    """Constants of a parameter set of a routing protocol as JSON: {name: value}.

    Raises:
        ValueError: unknown protocol or set.
    """

def parameters() -> str:
    """Every parameter as JSON: section -> list of {name, doc, unit, kind, choices, source}."""

def base_config(profile: str, preset: str) -> str:
    """Defaults of a profile with a radio preset as JSON: section -> {name: value}.

    Raises:
        ValueError: unknown profile or preset.
    """

def validate(config_json: str) -> None:
    """Builds a run without running it.

    Raises:
        EngineError: the configuration is refused.
    """

def estimate(config_json: str) -> str:
    """Rough cost of a run as JSON: events, wall_s, memory_bytes.

    Raises:
        EngineError: the configuration is refused.
    """

def static_hops(config_json: str) -> list[int]:
    """Hops of each flow under static routing.

    Raises:
        EngineError: the configuration is refused.
    """

def frame_airtime_ns(radio_json: str, bytes: int, rate: int) -> int:  # noqa: A002
    """Duration of a frame of so many MAC bytes at a rate in bit/s, in nanoseconds.

    Raises:
        EngineError: the radio section is refused.
    """

def trajectory(config_json: str, eager: bool = False) -> int:
    """Hash of every frame a configuration sends; equal hashes mean equal runs.

    Args:
        config_json: the configuration.
        eager: make every edge of a frame at every station an event of its own; the hash must not change.

    Raises:
        EngineError: the configuration is refused.
    """

def run(config_json: str, cancel: CancelToken | None = None, progress: Callable[[float], object] | None = None) -> str:
    """Runs a configuration and returns its result as JSON; other Python threads go on meanwhile.

    Args:
        config_json: the configuration.
        cancel: stops the run when it is set.
        progress: called a few times a second at most with the simulated seconds so far.

    Raises:
        EngineError: the configuration is refused.
        Cancelled: ``cancel`` was set.
    """
