"""The campaign of damaged input: kept cases again, ten thousand new ones, and that it finds what it looks for."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
KEPT = sorted((ROOT / "tests" / "fuzz").glob("*.txt"))


@pytest.fixture
def fuzz(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    return __import__("fuzz")


@pytest.mark.parametrize("case", KEPT, ids=lambda case: case.stem)
def test_a_kept_case_is_accepted_or_refused(fuzz: ModuleType, case: Path) -> None:
    kind = case.stem.partition("-")[0]
    text = case.read_bytes().decode(errors="surrogatepass")
    assert fuzz.verdict(kind, text) in {"accepted", "refused"}


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize(
    ("kind", "cases"), [("scenario", 1500), ("nodes", 250), ("frames", 250), ("configuration", 500)]
)
def test_new_cases_are_accepted_or_refused(fuzz: ModuleType, kind: str, cases: int, part: int) -> None:
    ends, broken = fuzz.batch(kind, seed=7_000 + part, count=cases)
    assert broken == []
    assert ends["accepted"] > cases / 100
    assert ends["refused"] > cases / 10


def test_what_breaks_a_promise_is_reported(fuzz: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_text: str) -> None:
        raise ValueError("not thought of")

    corpus, mutate, _ = fuzz.KINDS["nodes"]
    monkeypatch.setitem(fuzz.KINDS, "nodes", (corpus, mutate, broken))
    ends, found = fuzz.batch("nodes", seed=1, count=3)
    assert ends == {"broken": 3}
    assert {reason for _text, reason in found} == {"ValueError: not thought of"}
