"""Results of runs: metrics, statistics over replications, tables."""

from hopscope.results.points import Failure, PointResult
from hopscope.results.result import Result, compare
from hopscope.results.stats import Comparison, Interval, interval, jain, paired

__all__ = ["Comparison", "Failure", "Interval", "PointResult", "Result", "compare", "interval", "jain", "paired"]
