"""Pages in which the engine itself runs: one file holds the engine, a scenario and the view of it."""

from hopscope.watching.page import WatchPage, watch

__all__ = ["WatchPage", "watch"]
