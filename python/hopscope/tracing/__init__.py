"""The records of one run: which run, which records, and where they go."""

from hopscope.tracing.pick import OneRun, pick
from hopscope.tracing.records import follow, records, trace, write
from hopscope.tracing.wanted import Wanted

__all__ = ["OneRun", "Wanted", "follow", "pick", "records", "trace", "write"]
