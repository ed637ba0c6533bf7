"""Routing daemons over five hops: how long until the ends reach each other, and until a cut link is healed.

    python bench/daemons.py [--runs 5] [--only babeld]

Six nodes stand in a row; a seventh next to the link of nodes 2 and 3 is the way around it.  Times are those of the run,
from the start of the daemons, and from the cut; a ping each 200 ms looks whether there is a way.  Exit status: 0 all
daemons have converged and healed, 1 one has not, 2 it cannot be measured here.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hopscope.errors import HopscopeError, InputError
from hopscope.live import LiveOptions, Session, daemons
from hopscope.results.stats import interval, interval_text
from hopscope.tracing import pick
from measure import note, table

PLACES = [[200 * node, 0] for node in range(6)] + [[500, 150]]
"""Metres; nodes hear each other up to 250 m."""
ENDS = (0, 5)
CUT = (2, 3)
PATIENCE_S = 60
"""A daemon that takes longer has not converged."""


def scenario(word: str) -> dict[str, Any]:
    return {
        "duration": f"{3 * PATIENCE_S}s",
        "topology": {"kind": "positions", "positions": PLACES},
        "node": [{"routing": word}],
    }


def reaches(held: Session) -> bool:
    """Whether a packet goes from end to end and back within 200 ms."""
    to = held.addresses.of(ENDS[1])
    return held.command(ENDS[0], f"ping -c 1 -W 0.2 {to}").returncode == 0


def wait_for_way(held: Session) -> float | None:
    """Seconds of the run until there is a way; None: there was none in time."""
    begun = held.now_s
    while held.now_s - begun < PATIENCE_S:
        held.check_radio()
        tried = time.monotonic()
        if reaches(held):
            return held.now_s - begun
        time.sleep(max(0.0, tried + 0.2 - time.monotonic()))
    return None


def measure(word: str, seed: int) -> tuple[float | None, float | None]:
    """Seconds until the ends reach each other, and until they do again behind a cut."""
    with Session(pick(scenario(word), seed=seed, needs_flows=False), LiveOptions()) as held:
        held.start()
        converged = wait_for_way(held)
        if converged is None:
            return None, None
        held.change("link-cut", **{"from": CUT[0], "to": CUT[1]})
        return converged, wait_for_way(held)


def shown(times: list[float | None]) -> str:
    found = [one for one in times if one is not None]
    if len(found) < len(times):
        return f"{len(found)} of {len(times)}"
    return f"{interval_text(interval(found).as_dict())} (at most {max(found):.1f})"


def main() -> int:
    parser = argparse.ArgumentParser(description="Routing daemons over five hops.")
    parser.add_argument("--runs", type=int, default=5, help="runs of each daemon (5)")
    parser.add_argument("--only", choices=sorted(daemons.DAEMONS), action="append", help="only this one (repeatable)")
    options = parser.parse_args()
    rows, sound = [], True
    for word in options.only or list(daemons.DAEMONS):
        if lacking := daemons.missing(word):
            note(f"{word}: left out: {lacking}")
            continue
        note(f"measuring {word}")
        try:
            times = [measure(word, seed) for seed in range(1, options.runs + 1)]
        except InputError as error:
            note(str(error))
            return 2
        except HopscopeError as error:
            note(f"{word}: {error}")
            return 1
        converged, healed = ([one[place] for one in times] for place in (0, 1))
        sound &= None not in converged and None not in healed
        rows.append([word, str(options.runs), shown(converged), shown(healed)])
    if not rows:
        note("no routing daemon is installed")
        return 2
    print(table(["daemon", "runs", "a way over five hops after s", "again behind a cut link after s"], rows))
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
