"""Damaged input for everything that reads: scenarios, files of nodes and frames, raw configurations, Rust's parsers.

    python bench/fuzz.py [--scenario N] [--nodes N] [--frames N] [--configuration N] [--rust N] [--seed S] [--jobs J]

A case is an input of the corpus with a few mutations. It is accepted or refused with a reason; nothing else may happen:
no other exception, no panic, no case that takes longer than 20 s of CPU time, and what runs ends with sound numbers.
Prints how many cases of each kind were accepted and refused. A case that breaks this is kept in tests/fuzz, where
`make test` tries it again for ever; the exit status is 1 then.

The corpus: the scenarios of the showcases and of the training of the release wheel, and the files below.
"""

from __future__ import annotations

import argparse
import collections
import copy
import hashlib
import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any

from hopscope import _core
from hopscope.errors import HopscopeError
from hopscope.scenario import Scenario
from hopscope.scenario.document import parse
from hopscope.scenario.toml_writer import to_toml
from train import SCENARIOS

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "tests" / "fuzz"

#: Longer than any case needs, in seconds of CPU time.
LONGEST_S = 20
#: Runs that are begun, by their estimated cost in seconds, and how long they last in simulated time.
CHEAP_S, RUN_S = 0.5, 0.05

#: Broken cases of a kind that are kept.
MOST_SHOWN = 10

NODES = "node,x,y\n0,0,0\n1,200,0\n2,400,0\n3,200.5,150\n"
POSITIONS = "0 0\n200 0\n# a comment\n400 0\n"
FRAMES = "time,type,bytes\n0.0,I,4000\n0.04,P,900\n0.08,P,1100\n0.12,B,0\n"

#: What a number, a word or a line is replaced by.
WEIRD = [
    "0", "-1", "1e309", "-1e-320", "nan", "inf", "18446744073709551616", "-9223372036854775809", "1e18", "0.1", "65536",
    '""', '"off"', "true", "[]", "{}", "[[]]", "'''", '"""', "\\", "\x00", "\ufeff", "é", "😀", "\u202e", "#", "=", "[",
    "]", "[[flow]]", '"last"', '"first"', '"5s"', '"-5s"', '"1e400Mbps"', '"10MB"', "1_000", "0x7fffffff", "2001-01-01",
]  # fmt: skip


class BrokenPromiseError(Exception):
    """What no input may bring about."""


# --- Corpora ----------------------------------------------------------------------------------------------------------


def scenarios() -> list[str]:
    """Texts of scenarios that name no code and no other file."""
    texts = [path.read_text() for path in sorted((ROOT / "showcases").glob("*/scenario.toml"))]
    for title, document in SCENARIOS.items():
        plain = copy.deepcopy(document)
        for values in plain.get("sweep", {}).values():
            values[:] = [value for value in values if not isinstance(value, type)]
        texts.append(to_toml({"title": title, **plain}))
    return [text for text in texts if ".py:" not in text and ".csv" not in text]


def configurations() -> list[str]:
    """Configurations as the engine reads them."""
    return [json.dumps(Scenario.from_document(parse(text)).points[-1].config(1)) for text in scenarios()]


# --- Mutations --------------------------------------------------------------------------------------------------------


def tokens(text: str) -> list[str]:
    """Words, numbers, white space and single signs of a text, in order."""
    parts, kind = [], ""
    for sign in text:
        same = "word" if sign.isalnum() or sign in "._-" else "space" if sign in " \t" else ""
        if parts and same and same == kind:
            parts[-1] += sign
        else:
            parts.append(sign)
        kind = same
    return parts


def mutated(text: str, dice: random.Random, others: list[str]) -> str:
    """The text with one to four mutations of signs, words or lines."""
    for _ in range(dice.choice((1, 1, 1, 2, 2, 3, 4))):
        by = dice.random()
        parts = list(text) if by < 0.2 else text.splitlines(keepends=True) if by < 0.5 else tokens(text)
        if not parts:
            return dice.choice(WEIRD)
        at = dice.randrange(len(parts))
        kind = dice.randrange(10)
        if kind >= 7:
            numbers = [index for index, part in enumerate(parts) if part[:1].isdigit()]
            at = dice.choice(numbers or [at])
            parts[at] = dice.choice(("0", "1", "2", "3", "7", "0.5", "100", parts[dice.choice(numbers or [at])]))
        elif kind == 0:
            del parts[at]
        elif kind == 1:
            parts.insert(at, parts[dice.randrange(len(parts))])
        elif kind == 2:
            parts[at] = dice.choice(WEIRD)
        elif kind == 3:
            parts.insert(at, dice.choice(WEIRD))
        elif kind == 4:
            other = dice.choice(others)
            parts[at] = dice.choice(tokens(other) if by >= 0.5 else other.splitlines(keepends=True) or [""])
        elif kind == 5:
            parts[at] *= dice.choice((2, 3, 50))
        else:
            end = min(len(parts), at + dice.randrange(1, 6))
            parts[at:end] = reversed(parts[at:end])
        text = "".join(parts)
    return text


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container of a value with each of its keys or positions."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, found in list(inner):
        yield value, key
        yield from places(found)


def other_tree(text: str, dice: random.Random, _others: list[str]) -> str:
    """JSON with one to four values replaced, removed or taken from elsewhere in it."""
    tree = json.loads(text)
    for _ in range(dice.randrange(1, 5)):
        at = list(places(tree))
        if not at:
            break
        (where, key), (there, other) = dice.choice(at), dice.choice(at)
        kind = dice.randrange(5)
        if kind == 0:
            del where[key]
        elif kind == 1:
            where[key] = copy.deepcopy(there[other])
        elif kind == 2 and isinstance(where[key], (int, float)) and not isinstance(where[key], bool):
            where[key] = where[key] * dice.choice((0, -1, 2, 1000, 1e9, 1e-9)) + dice.choice((0, 1, -1))
        elif kind == 3 and isinstance(where, list):
            where.insert(key, copy.deepcopy(where[key]))
        else:
            where[key] = dice.choice((0, 1, -1, 2**32, 2**63, 2**64, 1e308, 0.5, "", "x", None, True, [], {}, [[]]))
    return json.dumps(tree)


# --- Cases ------------------------------------------------------------------------------------------------------------


def sound(value: Any) -> bool:
    """No number of a result is infinite or none."""
    if isinstance(value, dict):
        return all(map(sound, value.values()))
    if isinstance(value, list):
        return all(map(sound, value))
    return not isinstance(value, float) or math.isfinite(value)


def run(config: dict[str, Any]) -> None:
    """Runs a configuration for a moment if it is cheap, and looks at its numbers."""
    _core.validate(config)
    config["duration"] = min(config["duration"], int(RUN_S * 1e9))
    config["warmup"] = 0  # what was sent before it would count as received alone
    if _core.estimate(config)["wall_s"] > CHEAP_S:
        return
    result = _core.run(config).values()
    if not sound(result):
        raise BrokenPromiseError("a number of the result is not finite")
    for flow in result["flows"]:
        if flow["received_packets"] - flow["duplicate_packets"] > flow["sent_packets"]:
            raise BrokenPromiseError(f"flow {flow['id']} received more than was sent")


def try_scenario(text: str) -> None:
    scenario = Scenario.from_document(parse(text, "fuzz.toml"))
    point = scenario.points[len(scenario.points) // 2]
    run(point.config(scenario.seed))


def try_configuration(text: str) -> None:
    run(json.loads(text))


def _with_file(text: str, document: Callable[[str], dict[str, Any]]) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".csv", errors="surrogatepass") as file:
        file.write(text)
        file.flush()
        scenario = Scenario({"duration": "1s", **document(file.name)})
        run(scenario.points[0].config(1))


def try_nodes(text: str) -> None:
    flow = {"from": 0, "to": "last"}
    _with_file(text, lambda name: {"topology": {"kind": "file", "path": name}, "flow": [flow]})


def try_frames(text: str) -> None:
    flow = {"from": 0, "to": "last", "transport": "udp", "app": "video"}
    chain = {"kind": "chain", "hops": 2}
    _with_file(text, lambda name: {"topology": chain, "flow": [{**flow, "trace": name}]})


#: Kind of case -> its corpus, its mutations, what is done with it.
KINDS: dict[str, tuple[Callable[[], list[str]], Callable[..., str], Callable[[str], None]]] = {
    "scenario": (scenarios, mutated, try_scenario),
    "nodes": (lambda: [NODES, POSITIONS], mutated, try_nodes),
    "frames": (lambda: [FRAMES], mutated, try_frames),
    "configuration": (configurations, other_tree, try_configuration),
}


def _too_long(_signal: int, _frame: FrameType | None) -> None:
    raise BrokenPromiseError(f"not decided after {LONGEST_S} s of CPU time")


def verdict(kind: str, text: str) -> str:
    """Tries a case: `accepted` or `refused`, or what is wrong with how it was met."""
    before = signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, LONGEST_S)
    try:
        KINDS[kind][2](text)
    except HopscopeError as refusal:
        readable = refusal.exit_status == 2 and str(refusal).strip() and "panicked" not in str(refusal)
        return "refused" if readable else f"refused without a readable reason: {refusal!r}"
    except _core.EngineError as refusal:
        return "refused" if str(refusal).strip() else "refused without a reason"
    except BaseException as error:  # a panic of Rust is no Exception
        return f"{type(error).__name__}: {error}"[:500]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return "accepted"


def batch(kind: str, seed: int, count: int) -> tuple[collections.Counter[str], list[tuple[str, str]]]:
    """Tries so many cases of a kind; how they ended, and those that broke a promise with the reason."""
    corpus, mutate, _ = KINDS[kind]
    texts, dice = corpus(), random.Random(f"{kind} {seed}")
    ends: collections.Counter[str] = collections.Counter()
    broken = []
    for _ in range(count):
        text = mutate(dice.choice(texts), dice, texts)
        found = verdict(kind, text)
        ends[found if found in {"accepted", "refused"} else "broken"] += 1
        if found not in {"accepted", "refused"}:
            broken.append((text, found))
    return ends, broken


def keep(kind: str, text: str) -> Path:
    """Keeps a case, for `make test` to try again."""
    KEPT.mkdir(parents=True, exist_ok=True)
    octets = text.encode(errors="surrogatepass")
    path = KEPT / f"{kind}-{hashlib.sha256(octets).hexdigest()[:12]}.txt"
    path.write_bytes(octets)
    return path


def campaign(kind: str, count: int, seed: int, pool: ProcessPoolExecutor) -> bool:
    """Tries so many cases on all cores; True where none broke a promise."""
    size = 500
    starts = range(0, count, size)
    jobs = [pool.submit(batch, kind, seed * 1_000_003 + k, min(size, count - k)) for k in starts]
    ends: collections.Counter[str] = collections.Counter()
    for job in jobs:
        found, broken = job.result()
        for text, reason in broken[: max(0, MOST_SHOWN - ends["broken"])]:
            print(f"{keep(kind, text)}: {reason}", file=sys.stderr)
        ends += found
    print(f"{kind}: {count} cases, {ends['accepted']} accepted, {ends['refused']} refused, {ends['broken']} broken")
    return not ends["broken"]


def rust(cases: int) -> bool:
    """Octets, op-lists and state machines: the engine's properties and the parsers of octets, so many cases each."""
    manifests = sorted((ROOT / "crates").glob("*/Cargo.toml"))
    crates = [path.parent.name for path in manifests if "\nproptest = " in path.read_text(encoding="utf-8")]
    # The scripts of packetdrill need a newer Rust; `make nightly` runs them where there is one.
    tested = [word for crate in crates if crate != "hopscope-conformance" for word in ("-p", crate)]
    words = ["cargo", "test", "--quiet", "--release", "--locked", *tested]
    done = subprocess.run(words, cwd=ROOT, env={**os.environ, "PROPTEST_CASES": str(cases)}, check=False)
    print(f"Rust: {cases} cases of each property, {'none failed' if done.returncode == 0 else 'some failed'}")
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    counts = {"scenario": 1_000_000, "nodes": 100_000, "frames": 100_000, "configuration": 200_000}
    for kind, count in counts.items():
        parser.add_argument(f"--{kind}", type=int, default=count, help=f"cases of this kind ({count})")
    parser.add_argument("--rust", type=int, default=10_000, help="cases of each property in Rust (10000)")
    parser.add_argument("--seed", type=int, default=1, help="of the mutations (1)")
    parser.add_argument("--jobs", type=int, help="cases that are tried at the same time (processors)")
    chosen = parser.parse_args()
    sys.set_int_max_str_digits(0)
    with ProcessPoolExecutor(chosen.jobs) as pool:
        fine = [campaign(kind, getattr(chosen, kind), chosen.seed, pool) for kind in counts]
    fine.append(chosen.rust == 0 or rust(chosen.rust))
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
