"""One key of a scenario: its kind, unit, meaning and default, and how a value is read; see ``_core.Field``.

Keys stand in the engine's tables (Rust, ``config/schema``); models and searches make keys of the same class for
arguments of their own.
"""

from __future__ import annotations

from hopscope._core import Field, FieldError

__all__ = ["MAX_NODES", "NS", "TIME_MAX_NS", "U32_MAX", "Field", "FieldError"]

U32_MAX = 2**32 - 1
NS = 1_000_000_000

#: Longest time a scenario can name: 200 years, within the engine's 64-bit nanoseconds.
TIME_MAX_NS = 200 * 366 * 86_400 * NS

#: More nodes are refused: their positions alone would fill the memory of an ordinary machine.
MAX_NODES = 2_000_000
