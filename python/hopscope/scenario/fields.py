"""One key of a scenario: its kind, unit, meaning and default, and how a value is read; see ``_core.Field``.

Keys stand in the engine's tables (Rust, ``config/schema``); models and searches make keys of the same class for
arguments of their own.
"""

from __future__ import annotations

from hopscope._core import Field, FieldError

__all__ = ["NS", "Field", "FieldError"]

NS = 1_000_000_000
