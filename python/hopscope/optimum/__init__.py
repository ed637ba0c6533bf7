"""Finding the best value of a key with far fewer runs than a full sweep: ``hopscope optimize``."""

from hopscope.optimum.driver import Optimization, Optimum, optimize

__all__ = ["Optimization", "Optimum", "optimize"]
