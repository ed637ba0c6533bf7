"""The loader meets arbitrary scenarios: it accepts or refuses them, and never fails in another way."""

from __future__ import annotations

import operator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hopscope import AckPolicy, AckState, CongestionControl, _core
from hopscope.errors import HopscopeError
from hopscope.scenario import Scenario, keys
from hopscope.scenario.document import parse
from hopscope.scenario.fields import Field
from hopscope.scenario.toml_writer import to_toml

NUMBERS = st.one_of(
    st.integers(-3, 50),
    st.integers(0, 5000),
    st.sampled_from([2**31, 2**32, 2**63, 2**64, -(2**63), 10**30]),
    st.floats(-10, 3000),
    st.sampled_from([float("inf"), float("nan"), 1e308, -1e308, 5e-324]),
)
UNITS = st.sampled_from(
    ["", "s", "ms", "us", "ns", "m", "km", "bps", "kbps", "Mbps", "B", "MB", "%", "dB", "dBm", "W", "Hz", "?"]
)
QUANTITIES = st.builds(lambda n, u: f"{n}{u}", NUMBERS, UNITS)
JUNK: st.SearchStrategy[Any] = st.recursive(
    st.one_of(NUMBERS, QUANTITIES, st.booleans(), st.text(max_size=8), st.sampled_from(["off", "last", "first"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=6,
)


class Fuzzed(CongestionControl):
    """A congestion control of this process."""

    share = 0.5


class Thinned(AckPolicy):
    """A policy to name."""

    d = 2

    def on_data(self, receiver: AckState) -> float | None:
        return 0.0 if receiver.held >= self.d else None


def value_of(field: Field, flawed: bool) -> st.SearchStrategy[Any]:
    """A fitting value; in a flawed scenario sometimes anything."""
    fitting: dict[str, st.SearchStrategy[Any]] = {
        "time": st.one_of(st.integers(1, 2), st.sampled_from(["10ms", "1s", "20us"])),
        "int": st.integers(2, 60),
        "int-or-off": st.one_of(st.integers(0, 3000), st.just("off")),
        "seed": st.one_of(st.integers(0, 60), st.just("run")),
        "float": st.floats(*{"probability": (0.001, 1), "m": (150, 250), "dB": (0, 12)}.get(field.unit, (1, 1000))),
        "flag": st.booleans(),
        "flag-or-own": st.sampled_from([True, False, "own"]),
        "text": st.text(max_size=10),
        "name": st.sampled_from(["a", "b-1"]),
        "node": st.sampled_from([0, "first"] if field.name == "from" else [1, "last"]),
        "nodes": st.sampled_from([[0], [1], ["first"], ["last"], [0, "last"], [1, 0]]),
        "parts": st.sampled_from([("lred", "pacing"), ("red", "nred", "codel", "timer"), ("fq-codel", "lred")])
        .flatmap(lambda parts: st.lists(st.sampled_from(parts), min_size=1, unique=True))
        .map("+".join)
        | st.just("plain"),
        "point": st.tuples(st.floats(1, 400), st.floats(1, 400)).map(list),
        "points": st.lists(st.tuples(st.integers(0, 150), st.integers(0, 150)).map(list), min_size=2, max_size=8),
        "int-list": st.lists(st.sampled_from([1_000_000, 2_000_000] if field.unit else [0, 1]), max_size=2),
        "float-list": st.lists(st.floats(0, 1), max_size=3),
        "float-rows": st.sampled_from([[], [[1.0]], [[0.9, 0.1], [0.25, 0.75]], [[0, 1], ["50%", 0.5]]]),
        "node-pairs": st.lists(st.sampled_from([[0, 1], [1, 0]]), max_size=2),
        "choice": st.sampled_from(field.choices or ("",)),
        "transport": st.sampled_from([*field.choices, "tcp:Fuzzed"]),
        "control": st.sampled_from([*field.choices, "Fuzzed", "Fuzed"])
        | st.dictionaries(
            st.sampled_from(["share", "shar", "class"]), st.sampled_from([0.5, 1, True, "x", "Fuzzed"]), max_size=3
        ),
        "policy": st.sampled_from([*field.choices, "Thinned", "Thined"])
        | st.dictionaries(
            st.sampled_from(["d", "e", "class"]), st.sampled_from([0.5, 1, True, "x", "Thinned"]), max_size=3
        ),
        "words": st.lists(st.sampled_from(field.choices or ("",)), max_size=2),
        "table": table(field.fields, 0.2, flawed) if field.fields else st.just({}),
    }
    if not flawed:
        return fitting[field.kind]
    return st.integers(0, 14).flatmap(lambda roll: JUNK if roll == 0 else fitting[field.kind])


def table(
    fields: tuple[Field, ...], share: float, flawed: bool, needed: tuple[str, ...] = ()
) -> st.SearchStrategy[dict[str, Any]]:
    """A table with its required keys and a few of the others; a flawed one may lack a key or have a foreign one."""
    required = [f for f in fields if f.required or f.name in needed]
    others = [f for f in fields if f not in required]
    size = max(1, int(len(others) * share))
    chosen = st.lists(st.sampled_from(others), max_size=size, unique_by=lambda f: f.name) if others else st.just([])
    flaw = st.integers(0, 19) if flawed else st.just(9)
    return st.tuples(chosen, flaw).flatmap(
        lambda drawn: st.fixed_dictionaries(
            {
                **{f.name: value_of(f, flawed) for f in [*(required if drawn[1] else required[1:]), *drawn[0]]},
                **({"quue": JUNK} if drawn[1] == 1 else {}),
            }
        )
    )


def routings(flawed: bool) -> st.SearchStrategy[dict[str, Any]]:
    """A protocol with one of its sets and a few of its parameters; a flawed one may name what is another's."""

    def of_protocol(protocol: str) -> st.SearchStrategy[dict[str, Any]]:
        optional = {
            "parameters": st.sampled_from(keys.routing_sets(protocol)),
            protocol: table(keys.engine(protocol), 0.2, flawed),
        }
        return st.fixed_dictionaries({"protocol": st.just(protocol)}, optional=optional)

    sound = st.sampled_from(keys.routing_protocols()).flatmap(of_protocol)
    return st.one_of(sound, table(keys.engine("routing"), 0.4, flawed)) if flawed else sound


def topologies(flawed: bool) -> st.SearchStrategy[dict[str, Any]]:
    kinds = sorted(keys.TOPOLOGIES.keys() - (set() if flawed else {"file"}))
    return st.sampled_from(kinds).flatmap(
        lambda kind: table(keys.TOPOLOGIES[kind][1], 1.0, flawed).map(lambda values: {"kind": kind, **values})
    )


def flows(flawed: bool) -> st.SearchStrategy[dict[str, Any]]:
    app_keys = {name for _, names in keys.APPS.values() for name in names}

    def of_kind(kind: tuple[str, tuple[str, ...]]) -> st.SearchStrategy[dict[str, Any]]:
        app, ends = kind
        needed = (*keys.APPS[app][1], *ends)
        others = app_keys | {"app", "from", "to", "pattern", "pattern_seed", "control"}
        fields = tuple(f for f in keys.flow() if flawed or f.name in needed or f.name not in others)
        return table(fields, 0.3, flawed, needed).map(lambda values: {**values, "app": app})

    ends = st.sampled_from([("from", "to"), ("pattern",), ("pattern", "pattern_seed")])
    return st.tuples(st.sampled_from(sorted(keys.APPS)), ends).flatmap(of_kind)


SWEEP_KEYS = st.sampled_from(
    ["flow.0.packet", "flow.*.max_window", "mac.queue", "radio.tx_range", "radio.error.per", "topology.hops", "profile",
     "flow.9.to", "tcp.min_rto", "mac.link", "link.red_min",
     "layer.0.link", "layer.*.nodes", "nonsense", "mac", "topology", "flow.0.transport", "flow.x.to", "seeds", ""]
)  # fmt: skip
AXIS = st.one_of(
    st.lists(st.one_of(st.integers(1, 9), JUNK), max_size=3),
    st.fixed_dictionaries({"start": NUMBERS, "stop": NUMBERS, "step": NUMBERS}),
    JUNK,
)


def documents(flawed: bool) -> st.SearchStrategy[dict[str, Any]]:
    optional: dict[str, st.SearchStrategy[Any]] = {
        **{f.name: value_of(f, flawed) for f in keys.top() if f.name not in {"duration", "warmup"} or flawed},
        **{section: table(keys.engine(section), 0.2, flawed) for section in keys.ENGINE_SECTIONS},
        "routing": routings(flawed),
        "series": table(keys.series(), 1.0, flawed),
        "layer": st.lists(table(keys.table("layer"), 0.2, flawed), min_size=1, max_size=2 if flawed else 1),
        "sweep": st.one_of(
            st.dictionaries(st.sampled_from(["flow.0.packet", "flow.*.max_window", "mac.queue"]),
                            st.lists(st.integers(1, 99), min_size=1, max_size=3, unique=True), max_size=2),
            st.lists(st.tuples(st.integers(1, 99), st.integers(1, 99)), min_size=1, max_size=3, unique=True).map(
                lambda rows: {"together": [{"flow.0.packet": [a for a, _ in rows], "mac.queue": [b for _, b in rows]}]}
            ),
        ),
    }  # fmt: skip
    if flawed:
        axes = st.dictionaries(SWEEP_KEYS, AXIS, max_size=2)
        together = st.one_of(st.lists(axes, max_size=2).map(lambda tables: {"together": tables}), st.just({}))
        optional |= {"sweep": st.builds(operator.or_, axes, together), "extra": JUNK}
    required = {"topology": topologies(flawed), "flow": st.lists(flows(flawed), min_size=1, max_size=2)}
    return st.fixed_dictionaries(required, optional=optional)


DOCUMENTS = st.one_of(documents(flawed=False), documents(flawed=True))


def evaluate(build: Any) -> Scenario | None:
    """Builds a scenario; a refusal must be a readable one of the package."""
    try:
        return build()  # type: ignore[no-any-return]
    except HopscopeError as error:
        refusal = error
    assert str(refusal).strip()
    assert refusal.exit_status == 2
    return None


@given(DOCUMENTS)
def test_any_document_is_accepted_or_refused(document: dict[str, Any]) -> None:
    scenario = evaluate(lambda: Scenario(document))
    if scenario is not None:
        again = Scenario.from_document(parse(to_toml(scenario.resolved)))
        assert len(again.points) == len(scenario.points)
        for point, same in zip(scenario.points[:2], again.points[:2], strict=True):
            assert same.config(1) == point.config(1)
            _core.validate(point.config(scenario.seed))


@given(DOCUMENTS, st.data())
def test_any_text_is_accepted_or_refused(document: dict[str, Any], data: st.DataObject) -> None:
    text = to_toml(document)
    at = data.draw(st.integers(0, max(0, len(text) - 1)))
    cut = data.draw(st.integers(0, 3))
    text = text[:at] + data.draw(st.text(max_size=3)) + text[at + cut :]
    evaluate(lambda: Scenario.from_document(parse(text, "fuzz.toml")))


@given(st.text(max_size=200))
def test_any_string_is_accepted_or_refused(text: str) -> None:
    evaluate(lambda: Scenario.from_document(parse(text, "fuzz.toml")))
