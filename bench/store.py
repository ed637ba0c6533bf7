"""What a result store costs: the same short runs with one and without, and a second start into the finished store.

    python bench/store.py [--runs N] [--pairs N] [--folder DIR]

Runs of one simulated second at ten points are done in turn without a store and with a new one. Prints the medians of
processor time and time, and of the quotients of each pair, which a busy machine moves less.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import hopscope as hs
from measure import machine, note, table

POINTS = 10


def scenario(runs: int) -> dict[str, Any]:
    chain = {"topology": {"kind": "chain", "hops": 4}, "flow": [{"from": 0, "to": "last"}]}
    sweep = {"mac.queue": list(range(5, 5 + POINTS))}
    return {"title": "short runs", "duration": "1s", "seeds": runs // POINTS, **chain, "sweep": sweep}


def took(document: dict[str, Any], store: Path | None) -> tuple[float, float]:
    """Processor time and time of a start, in seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    hs.run(document, out=store, progress=False)
    return time.process_time() - cpu, time.perf_counter() - wall


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000, help="runs of a start, at least 100 (1000)")
    parser.add_argument("--pairs", type=int, default=5, help="starts with and without a store, at least 1 (5)")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="where stores are made")
    chosen = parser.parse_args()
    for name, least in (("runs", 100), ("pairs", 1)):
        if getattr(chosen, name) < least:
            parser.error(f"--{name}: found {getattr(chosen, name)}; expected at least {least}")
    document = scenario(chosen.runs)
    took(document, None)  # what is loaded by need is there now
    without, with_store, again = [], [], []
    for pair in range(chosen.pairs):
        note(f"pair {pair + 1} of {chosen.pairs}")
        folder = Path(tempfile.mkdtemp(prefix="hopscope-store-", dir=chosen.folder))
        without.append(took(document, None))
        with_store.append(took(document, folder / "store"))
        again.append(took(document, folder / "store"))
        shutil.rmtree(folder)
    titles = ("without a store", "with one", "into the finished store")
    rows = []
    for title, found in zip(titles, (without, with_store, again), strict=True):
        seconds = [f"{statistics.median(column):.2f} s" for column in zip(*found, strict=True)]
        quotients = [[one[of] / other[of] for one, other in zip(found, without, strict=True)] for of in (0, 1)]
        rows.append([title, *seconds, *(f"{statistics.median(quotient):.2f}" for quotient in quotients)])
    print(f"{machine()}\n")
    print(table([f"{chosen.runs} runs of 1 s", "processor", "time", "processor, quotient", "time, quotient"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
