"""The comparison of builds by hashes: small entries are the same with more workers, and a difference is reported."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def determinism(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "bench"))
    return __import__("determinism")


def call(determinism: ModuleType, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["determinism.py", *words])
    return int(determinism.main())


def test_more_workers_give_the_same_bits(
    determinism: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["fu2003.fig2-left", "fu2003.fig5-left", "--seconds", "1", "--builds", "", "--workers", "2,8"]
    assert call(determinism, monkeypatch, *words) == 0
    assert capsys.readouterr().out.splitlines() == [
        "installed engine, 1 worker: 2 entries",
        "2 workers: identical",
        "8 workers: identical",
    ]


def test_a_difference_is_reported_with_its_entry(
    determinism: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def hashes(path: Path | None, arguments: list[str]) -> dict[str, str]:
        return {"a": "1", "b": "1" if path is None else "2"}

    monkeypatch.setattr(determinism, "hashes", hashes)
    monkeypatch.setattr(determinism, "package", lambda build: tmp_path)
    monkeypatch.setattr(determinism, "known_levels", set)
    assert call(determinism, monkeypatch, "--workers", "2", "--builds", "debug,v3") == 1
    assert capsys.readouterr().out.splitlines()[1:] == [
        "2 workers: identical",
        "debug: DIFFERENT: b",
        "x86-64-v3: left out, this processor has it not",
    ]


@pytest.mark.parametrize(
    ("given", "reported"),
    [
        (("--seconds", "0.2"), "--seconds: found 0.2; at least 1, the interval of series"),
        (("--builds", "fast"), "found fast; allowed are debug, release, pgo, v2, v3, v4"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    determinism: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    given: tuple[str, str],
    reported: str,
) -> None:
    with pytest.raises(SystemExit) as refusal:
        call(determinism, monkeypatch, *given)
    assert refusal.value.code == 2
    assert reported in capsys.readouterr().err
