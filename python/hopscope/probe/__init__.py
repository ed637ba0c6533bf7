"""Bandwidth estimation: the methods of the literature over a simulated path, compared with what it really carries."""

from hopscope.probe.driver import METHODS, Probed, Probing, probe
from hopscope.probe.trains import Estimate

__all__ = ["METHODS", "Estimate", "Probed", "Probing", "probe"]
