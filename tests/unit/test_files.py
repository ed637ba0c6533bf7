"""Files read whole: their size is a bound, not a promise."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from hopscope.io.files import read_whole


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"12345")
    assert read_whole(file, 5) == b"12345"
    with pytest.raises(OSError, match="larger than 4"):
        read_whole(file, 4)


def test_a_file_whose_size_says_nothing_is_read_whole_and_bounded() -> None:
    limits = Path("/proc/self/limits")
    if not limits.is_file():
        pytest.skip("no /proc here")
    assert limits.stat().st_size == 0
    assert read_whole(limits, 1_000_000).startswith(b"Limit")
    with pytest.raises(OSError, match="larger than 10"):
        read_whole(limits, 10)


def test_a_small_file_takes_little_memory_whatever_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"12345")
    tracemalloc.start()
    try:
        read_whole(file, 500_000_000)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
