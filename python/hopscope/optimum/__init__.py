"""Finding the best value of a key with far fewer runs than a full sweep, and trade-offs: ``hopscope optimize``."""

from hopscope.optimum.driver import Optimization, Optimum, optimize
from hopscope.optimum.front import TradeOff, trade_off

__all__ = ["Optimization", "Optimum", "TradeOff", "optimize", "trade_off"]
