"""Bandwidth estimation: the methods of the literature over a simulated path, compared with what it really carries."""

from hopscope.probing.driver import METHODS, VALUES, Probed, Probing, probe, values
from hopscope.probing.trains import Estimate

__all__ = ["METHODS", "VALUES", "Estimate", "Probed", "Probing", "probe", "values"]
