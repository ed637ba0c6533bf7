"""Verbs that look at no run of a setting: a default, a frame's airtime, a wired bottleneck, printed numbers, probes."""

from __future__ import annotations

from typing import Any

from hopscope import _core
from hopscope.models.airtime import dsss_airtime_ns, ofdm_airtime_ns
from hopscope.results.comparisons import between, exceeds
from hopscope.results.samples import NoSamplesError, Table, estimate, show
from hopscope.results.stats import jain
from hopscope.studies.verbs import Check, Evaluation, verb

NAMES = ("is_set", "airtime", "bottleneck", "jain_index", "probe")
"""The verbs of this file: none has a metric, nor anything to say of published numbers."""


@verb("is_set", "key value")
def _is_set(check: Check, _table: Table, _other: Table | None) -> Evaluation:
    """A key of the engine's configuration has this value (a default: not counted)."""
    from hopscope.scenario import Scenario

    found: Any = Scenario(check.document).points[0].config(1)
    for name in str(check.args["key"]).split("."):
        found = found[int(name)] if isinstance(found, list) else found.get(name)
    shown = "off" if found is None else found
    return shown == check.args["value"], f"{check.args['key']} = {shown}"


@verb("airtime", "bytes rate")
def _airtime(check: Check, _table: Table, _other: Table | None) -> Evaluation:
    """A frame of so many `bytes` at `rate` bit/s takes what the formulas of IEEE 802.11 give, to the nanosecond."""
    size, rate, preset = check.args["bytes"], check.args["rate"], check.document["radio"]["preset"]
    radio = _core.base_config("standard", preset)["radio"]
    expected = (ofdm_airtime_ns if preset.startswith("ofdm") else dsss_airtime_ns)(size, rate)
    found = _core.frame_airtime_ns(radio, size, rate)
    return found == expected, f"{found} ns"


@verb("bottleneck", "link from", "low high")
def _bottleneck(check: Check, _table: Table, _other: Table | None) -> Evaluation:
    """One flow over a `link` (arguments of `hopscope.bottleneck`) carries `low` to `high` kbit/s from `from` s on."""
    from hopscope.running.wired import bottleneck

    run = bottleneck(**check.args["link"])
    found = run.goodput_kbps(check.args["from"])
    low, high = check.limits
    return low <= found <= high, f"{found:.0f} kbit/s, {run.retransmissions} segments sent again"


@verb("jain_index", "numbers value share")
def _jain_index(check: Check, _table: Table, _other: Table | None) -> Evaluation:
    """Jain's index of the printed `numbers` is `value`, to `share` either way."""
    found, printed = jain(check.args["numbers"]), check.args["value"]
    words = f"{found:.4f} from the printed numbers, {printed} printed"
    return abs(found - printed) <= check.args["share"], words


@verb("probe", "method value", "low high against switches")
def _probe(check: Check, _table: Table, _other: Table | None) -> Evaluation:
    """A `value` of a `method` of `hopscope probe` lies from `low` to `high`, or is smaller than that of `against`."""
    from hopscope.probing import values

    names = [check.args[key] for key in ("method", "against") if key in check.args]
    found = [values(check.document, name, check.args["value"], check.args.get("switches", ())) for name in names]
    if not set.intersection(*(set(one) for one in found)):
        raise NoSamplesError(f"{check.args['value']}: {' or '.join(names)} has none")
    words = ", ".join(f"{name} {show(estimate(list(one.values())))}" for name, one in zip(names, found, strict=True))
    if len(found) == 1:
        return between(estimate(list(found[0].values())), *check.limits), words
    less = [abs(found[1][seed]) - abs(value) for seed, value in found[0].items() if seed in found[1]]
    return exceeds(estimate(less)), words
