"""Scenario files: reading, checking, and lowering to what the engine runs."""

from hopscope.scenario.model import Scenario, load
from hopscope.scenario.points import Point

__all__ = ["Point", "Scenario", "load"]
