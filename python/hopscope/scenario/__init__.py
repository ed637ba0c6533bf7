"""Scenario files: reading, checking, and lowering to what the engine runs."""

from hopscope.scenario.model import Point, Scenario, load

__all__ = ["Point", "Scenario", "load"]
