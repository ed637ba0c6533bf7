"""A resolved scenario as TOML, readable as a scenario file again; it is written in Rust."""

from __future__ import annotations

from hopscope._core import inline, to_toml

__all__ = ["inline", "to_toml"]
