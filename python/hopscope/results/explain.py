"""The airtime ledger of a result: shares of time of nodes and links, parts of the delay, losses, and what stands out.

Every share is the mean over the seeds.  In each seed the shares of a node, and of a link, add up to the measured time
to the nanosecond; so do the parts of each packet's delay to its delay.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.errors import RunFailed
from hopscope.results import display
from hopscope.results.accounts import Balance, Failed, LinkShares, Loss, LostMpdus, Mpdus, Ppdus
from hopscope.results.stats import Interval, interval
from hopscope.scenario.sweep import in_words

if TYPE_CHECKING:
    from hopscope.results.points import BaseResult, PointResult

#: Kinds of accounts -> names of their causes, in order.
CAUSES: dict[str, list[str]] = dict(_core.ledger_causes())

#: What the causes of a node are shown as together, in order.
GROUPS: dict[str, tuple[str, ...]] = {
    "data": ("data",),
    "data again": ("data-again",),
    "transport ACKs": ("transport-ack",),
    "routing": ("routing",),
    "RTS, CTS, ACK": ("rts", "cts", "mac-ack", "block-ack", "block-ack-req", "cf-end"),
    "lost: hidden": ("retry-hidden",),
    "lost: other": ("retry-collision", "retry-overlap", "retry-channel", "retry-no-answer"),
    "receive": ("receive",),
    "overheard": ("overheard",),
    "defer": ("carrier", "nav", "eifs"),
    "back-off, IFS": ("difs", "backoff", "sifs"),
    "no answer": ("response-timeout",),
    "window closed": ("window-closed",),
    "timeout": ("timeout",),
    "limited": ("sender-limited", "paced"),
    "held": ("link-timer", "route-search"),
    "nothing to send": ("nothing-to-send", "bystander", "off"),
}

#: A failure is worth a sentence from this share of its link's airtime on, a loss from this share of the losses, in %.
_NOTABLE_PCT = 5.0
#: A cause of lost MPDUs is worth a sentence from this share of the MPDUs of its link on, in %.
_NOTABLE_MPDU_PCT = 1.0
#: A source that defers for so much of its time is reported, in %.
_LOCKED_OUT_PCT = 50.0
#: Most sentences about links and about losses.
_MOST = 3


class PointExplanation:
    """The ledger of one combination of the sweep.

    Attributes:
        set: swept keys with their values; empty without a sweep.
    """

    def __init__(self, point: PointResult, chain: bool) -> None:
        self.set = point.set
        self._runs = point.runs
        self._ledgers: list[dict[str, Any]] = [run["ledger"] for run in point.runs]
        self._chain = chain

    @property
    def _flows(self) -> list[dict[str, Any]]:
        """The flows that have accounts: those over kernels have none."""
        found: list[dict[str, Any]] = self._runs[0]["flows"][: len(self._ledgers[0]["flows"])]
        return found

    def __repr__(self) -> str:
        return f"PointExplanation({self.set}, nodes={len(self.nodes)}, links={len(self.links)})"

    @functools.cached_property
    def nodes(self) -> list[dict[str, Interval]]:
        """Of each node: cause -> share of the measured time, per cent; the means add up to 100."""
        count = len(self._ledgers[0]["nodes"])
        return [
            self._shares("nodes", [ledger["nodes"][node]["ns"] for ledger in self._ledgers]) for node in range(count)
        ]

    @functools.cached_property
    def ppdus(self) -> dict[int, Ppdus]:
        """Node -> of what its data PPDUs consist; empty where no station has QoS."""
        runs = len(self._ledgers)
        found = {}
        for node in range(len(self._ledgers[0]["nodes"])):
            each = [ledger["nodes"][node].get("ppdus") for ledger in self._ledgers]
            if used := [one for one in each if one is not None]:
                sums = {key: sum(one[key] for one in used) for key in used[0]}
                whole = sum(sums[f"{part}_ns"] for part in _PPDU_PARTS)
                found[node] = Ppdus(
                    *(sums[key] / runs for key in ("ppdus", "mpdus", "packets")),
                    *(100 * sums[f"{part}_ns"] / whole for part in _PPDU_PARTS),
                )
        return found

    @functools.cached_property
    def links(self) -> list[LinkShares]:
        """Every link over which some seed sent, by transmitter and receiver."""
        found: dict[tuple[int, int], list[dict[str, Any] | None]] = {}
        for place, ledger in enumerate(self._ledgers):
            for link in ledger["links"]:
                found.setdefault((link["from"], link["to"]), [None] * len(self._ledgers))[place] = link
        return [self._link(ends, found[ends]) for ends in sorted(found)]

    @functools.cached_property
    def delays(self) -> list[dict[str, Interval]]:
        """Of each flow: part -> milliseconds in the mean delay of a packet; without samples where nothing arrived."""

        def parts(flow: int) -> dict[str, Interval]:
            accounts = [ledger["flows"][flow] for ledger in self._ledgers]
            return {
                part: interval([a["ns"].get(part, 0) / a["copies"] / 1e6 for a in accounts if a["copies"]])
                for part in CAUSES["delay"]
            }

        return [parts(flow) for flow in range(len(self._flows))]

    @functools.cached_property
    def losses(self) -> list[Loss]:
        """Packets lost by flow, hop and cause, the most frequent first."""
        return self._losses("losses")

    @functools.cached_property
    def unconfirmed(self) -> list[Loss]:
        """Packets that a node gave up though the next one had them, as only the acknowledgement was lost: no losses."""
        return self._losses("unconfirmed")

    @functools.cached_property
    def packets(self) -> list[dict[str, Balance]]:
        """Of each flow: kind (``data`` or ``ack``) -> what became of its packets; empty for older ledgers."""
        if any("packets" not in flow for ledger in self._ledgers for flow in ledger["flows"]):
            return [{} for _ in self._flows]

        def mean(flow: int, kind: str) -> Balance:
            found = [ledger["flows"][flow]["packets"][kind] for ledger in self._ledgers]
            return Balance(**{key: sum(one[key] for one in found) / len(found) for key in found[0]})

        return [{kind: mean(flow, kind) for kind in ("data", "ack")} for flow in range(len(self._flows))]

    def _losses(self, which: str) -> list[Loss]:
        found: dict[tuple[Any, ...], Loss] = {}
        for ledger in self._ledgers:
            for flow in ledger["flows"]:
                for loss in flow.get(which, []):
                    share = loss["count"] / len(self._ledgers)
                    new = Loss(flow=flow["id"], **{**loss, "count": share})
                    name = (*(value for key, value in loss.items() if key != "count"), flow["id"])
                    found[name] = replace(new, count=found[name].count + share) if name in found else new
        return sorted(found.values(), key=lambda loss: (-loss.count, loss.flow, loss.hop, loss.reason))

    def grouped(self, node: int) -> dict[str, float]:
        """Returns group of causes (see ``GROUPS``) -> share of a node's time, per cent."""
        shares = self.nodes[node]
        return {group: sum(_mean(shares[cause]) for cause in causes) for group, causes in GROUPS.items()}

    def sentences(self) -> list[str]:
        """Returns what stands out, in words: flows that failed, delays, links that lose airtime and to whom, losses."""
        words = (
            self._note_words, self._delay_words, self._ppdu_words, self._mpdu_words, self._link_words, self._idle_words,
            self._loss_words,
        )  # fmt: skip
        return [sentence for some in words for sentence in some()]

    def to_json(self) -> dict[str, Any]:
        """Returns the ledger as ``hopscope explain --json`` prints it."""
        flows = self._flows
        return {
            "nodes": [
                {"id": node, **_two(shares, "share_pct", "ci95_pct"), **self._ppdus_of(node)}
                for node, shares in enumerate(self.nodes)
            ],
            "links": [
                {
                    "from": link.source,
                    "to": link.target,
                    **_two(link.share, "share_pct", "ci95_pct"),
                    "attempts": link.attempts,
                    "delivered": link.delivered,
                    "failures": [vars(failed) for failed in link.failures],
                    **(
                        {"mpdus": {**vars(link.mpdus), "lost": [vars(lost) for lost in link.mpdus.lost]}}
                        if link.mpdus is not None
                        else {}
                    ),
                }
                for link in self.links
            ],
            "flows": [
                {
                    **{key: flow[key] for key in ("id", "from", "to", "transport")},
                    "delay_ms": {part: found.mean for part, found in parts.items()},
                    "ci95_ms": {part: found.ci95 for part, found in parts.items()},
                    "packets": {kind: vars(balance) for kind, balance in packets.items()},
                    **{
                        name: [
                            {key: value for key, value in vars(loss).items() if key != "flow"}
                            for loss in losses
                            if loss.flow == flow["id"]
                        ]
                        for name, losses in (("losses", self.losses), ("unconfirmed", self.unconfirmed))
                    },
                }
                for flow, parts, packets in zip(flows, self.delays, self.packets, strict=True)
            ],
            "sentences": self.sentences(),
        }

    # --- Parts ------------------------------------------------------------------------------------------------------

    def _shares(self, kind: str, accounts: Iterable[Mapping[str, int] | None]) -> dict[str, Interval]:
        """Shares of the causes over the seeds; a link that a seed did not use was idle in it."""
        idle = {"idle": 1}
        pairs = [
            (account, ledger["duration_ns"]) if account is not None else (idle, 1)
            for account, ledger in zip(accounts, self._ledgers, strict=True)
        ]
        return {
            cause: interval([100 * account.get(cause, 0) / duration for account, duration in pairs])
            for cause in CAUSES[kind]
        }

    def _link(self, ends: tuple[int, int], found: list[dict[str, Any] | None]) -> LinkShares:
        used = [link for link in found if link is not None]
        busy = sum(sum(ns for cause, ns in link["ns"].items() if cause not in ("idle", "contention")) for link in used)
        sums: dict[tuple[str, str, int | None], list[int]] = {}
        for failed in (failed for link in used for failed in link["failures"]):
            total = sums.setdefault((failed["cause"], failed["frame"], failed["by"]), [0, 0])
            total[0] += failed["count"]
            total[1] += failed["ns"]
        runs = len(self._ledgers)
        failures = [Failed(*name, count / runs, 100 * ns / busy) for name, (count, ns) in sums.items()]
        return LinkShares(
            *ends,
            self._shares("links", [None if link is None else link["ns"] for link in found]),
            sum(link["attempts"] for link in used) / runs,
            sum(link["delivered"] for link in used) / runs,
            sorted(failures, key=lambda failed: (-failed.airtime_pct, failed.cause, failed.frame, failed.by or -1)),
            self._mpdus([link["mpdus"] for link in used if "mpdus" in link]),
        )

    def _ppdus_of(self, node: int) -> dict[str, dict[str, float]]:
        return {"ppdus": vars(self.ppdus[node])} if node in self.ppdus else {}

    def _mpdus(self, found: list[dict[str, Any]]) -> Mpdus | None:
        """What became of the MPDUs of a link over the seeds."""
        runs, sent = len(self._ledgers), sum(one["sent"] for one in found)
        if not sent:
            return None
        counts: dict[tuple[str, int | None], int] = {}
        for lost in (lost for one in found for lost in one["lost"]):
            name = (lost["cause"], lost["by"])
            counts[name] = counts.get(name, 0) + lost["count"]
        reasons = [LostMpdus(*name, count / runs, 100 * count / sent) for name, count in counts.items()]
        return Mpdus(
            sent / runs,
            sum(one["came"] for one in found) / runs,
            sorted(reasons, key=lambda lost: (-lost.count, lost.cause, -1 if lost.by is None else lost.by)),
        )

    def _place(self, source: int, target: int) -> str:
        """A link in words; on a chain the hops have numbers."""
        return f"hop {max(source, target)}" if self._chain else f"the link {source} to {target}"

    def _delay_words(self) -> Iterator[str]:
        for flow, parts in zip(self._flows, self.delays, strict=True):
            means = {part: _mean(found) for part, found in parts.items()}
            total = sum(means.values())
            if total == 0:
                continue
            largest = sorted(means, key=lambda part: -means[part])
            shown = [
                f"{100 * means[part] / total:.0f} % {_PARTS[part]}" for part in largest if means[part] >= total / 100
            ]
            yield f"Flow {flow['id']}: a packet takes {total:.4g} ms on average: {', '.join(shown)}."

    def _ppdu_words(self) -> Iterator[str]:
        busiest = sorted(self.ppdus.items(), key=lambda found: -found[1].ppdus)[:_MOST]
        for node, found in sorted(busiest):
            packets = f" ({found.packets / found.ppdus:.1f} packets)" if found.packets > found.mpdus else ""
            yield (
                f"Node {node} sends {found.mpdus / found.ppdus:.1f} MPDUs{packets} in a data PPDU on average; "
                f"of their time {found.payload_pct:.0f} % are packets, {found.preamble_pct:.0f} % preambles, "
                f"{found.overhead_pct:.0f} % headers and filling."
            )

    def _mpdu_words(self) -> Iterator[str]:
        lossy = [(link, lost) for link in self.links if link.mpdus for lost in link.mpdus.lost]
        weighed = sorted(lossy, key=lambda found: -found[1].count)
        for link, lost in [found for found in weighed if found[1].share_pct >= _NOTABLE_MPDU_PCT][:_MOST]:
            back = f" (towards node {link.target})" if self._chain and link.target < link.source else ""
            yield (
                f"{lost.share_pct:.2g} % of the MPDUs on {self._place(link.source, link.target)}{back} are "
                f"{_CAUSES[lost.cause]}{'' if lost.by is None else f', node {lost.by}'}."
            )

    def _link_words(self) -> Iterator[str]:
        weighed = [
            (failed.airtime_pct * (100 - _mean(link.share["idle"]) - _mean(link.share["contention"])), link, failed)
            for link in self.links
            for failed in link.failures
            if failed.airtime_pct >= _NOTABLE_PCT
        ]
        for _, link, failed in sorted(weighed, key=lambda found: -found[0])[:_MOST]:
            back = f" (towards node {link.target})" if self._chain and link.target < link.source else ""
            place = self._place(link.source, link.target)
            share = f"{failed.airtime_pct:.0f} % of the time of all attempts on {place}{back}"
            yield f"{share} is lost to {_why(failed, link)}."

    def _note_words(self) -> Iterator[str]:
        for flow in self._runs[0]["flows"]:
            if note := flow.get("note"):
                yield f"Flow {flow['id']}: {note}."

    def _idle_words(self) -> Iterator[str]:
        for node in dict.fromkeys(flow["from"] for flow in self._runs[0]["flows"]):
            shares = self.nodes[node]
            reported = [f"{_mean(shares[c]):.0f} % {words}" for c, words in _IDLE.items() if _mean(shares[c]) >= 1]
            if (defers := sum(_mean(shares[cause]) for cause in GROUPS["defer"])) >= _LOCKED_OUT_PCT:
                reported.insert(0, f"{defers:.0f} % with a packet while others keep the medium busy or reserved")
            if reported:
                yield f"Of its time, node {node} (a source) spends {', '.join(reported)}."

    def _loss_words(self) -> Iterator[str]:
        totals: dict[int, float] = {}
        for loss in self.losses:
            totals[loss.flow] = totals.get(loss.flow, 0.0) + loss.count
        notable = [loss for loss in self.losses if 100 * loss.count >= _NOTABLE_PCT * totals[loss.flow]]
        for loss in notable[:_MOST]:
            share = 100 * loss.count / totals[loss.flow]
            cause = f"; last attempt {_CAUSES[loss.cause]}" if loss.cause else ""
            by = f", node {loss.by}" if loss.by is not None else ""
            what = "data packets" if loss.kind == "data" else "ACKs"
            yield (
                f"Flow {loss.flow}: {share:.0f} % of its {totals[loss.flow]:.4g} losses are {what} lost at node "
                f"{loss.node}, hop {loss.hop} of their path ({loss.reason}{cause}{by})."
            )


@dataclass(frozen=True)
class Explanation(display.Shown):
    """Where the time went, for every combination of the sweep.

    Attributes:
        result: the result, every run with its ledger.
        points: its points in the order of the sweep.
    """

    drawn = "explanation"

    result: BaseResult
    points: list[PointExplanation]

    def __repr__(self) -> str:
        return f"Explanation({self.result.scenario.title!r}, points={len(self.points)})"

    def to_json(self) -> dict[str, Any]:
        """Returns the document of ``hopscope explain --json``; the first point stands at the top, too."""
        document: dict[str, Any] = {"hopscope": _core.version()}
        if self.result.scenario.is_quick:
            document["quick"] = True
        document["scenario"] = self.result.scenario.resolved
        points = [{"set": point.set, **point.to_json()} for point in self.points]
        document |= {key: value for key, value in points[0].items() if key != "set"}
        document["points"] = points
        return document

    def __str__(self) -> str:
        """What stands out, a line each."""
        lines = []
        for point in self.points:
            lines += [f"{in_words(point.set)}:"] if point.set else []
            lines += point.sentences()
        return "\n".join(lines)


def explain(result: BaseResult) -> Explanation:
    """Returns the explanation of a result whose runs kept their ledgers.

    Raises:
        RunFailed: a point has no finished run.
    """
    if empty := [point for point in result.points if not point.runs]:
        reasons = {failure.message for failure in result.failures if failure.point == empty[0].index}
        raise RunFailed(f"point {empty[0].index} has no finished run: {'; '.join(sorted(reasons)) or 'not run yet'}")
    return explain_present(result)


def explain_present(result: BaseResult) -> Explanation:
    """Returns the explanation of the runs that a result has; each must have kept its ledger."""
    chain = result.scenario.resolved["topology"]["kind"] == "chain" and "topology.kind" not in result.scenario.axes
    return Explanation(result, [PointExplanation(point, chain) for point in result.points if point.runs])


def has_ledger(result: BaseResult) -> bool:
    """Whether every run of a result kept its airtime ledger."""
    return all("ledger" in run for point in result.points for run in point.runs)


#: Parts of the time of a PPDU.
_PPDU_PARTS = ("preamble", "payload", "overhead")
_PARTS = {
    "queueing": "in queues",
    "contention": "contending for the medium",
    "airtime": "on the air",
    "retries": "in attempts that failed",
    "timeout": "until it was sent again",
    "route-search": "waiting for a route",
    "processing": "inside nodes",
    "reordering": "behind MPDUs that were missing",
}
_IDLE = {
    "window-closed": "with its window closed and nothing in its queue",
    "timeout": "waiting for a retransmission timeout",
    "paced": "pacing its segments",
    "sender-limited": "with nothing to send",
    "route-search": "waiting for a route",
    "link-timer": "held back by its link layer",
}
_CAUSES = {
    "hidden": "lost to a hidden terminal",
    "collision": "lost to a collision in the same slot",
    "overlap": "lost to an answer that nobody had listened for",
    "channel": "lost by the channel",
    "no-answer": "not answered",
}
_FRAMES = {
    "rts": "RTS retries",
    "cts": "RTS retries after lost CTS",
    "data": "retries of data frames",
    "ack": "retries of data frames after lost ACKs",
    "block-ack": "exchanges whose Block Ack was lost",
    "block-ack-req": "repeated Block Ack requests",
}


#: Frames that ask for an answer.
_ASKING = ("rts", "data", "block-ack-req")


def _why(failed: Failed, link: LinkShares) -> str:
    """The cause of failed attempts in words, with the node at fault."""
    what = _FRAMES[failed.frame]
    sender, receiver = (link.source, link.target) if failed.frame in _ASKING else (link.target, link.source)
    reasons: dict[str, Callable[[], str]] = {
        "hidden": lambda: f" caused by node {failed.by}, out of {_its(sender, link)} carrier-sense range",
        "collision": lambda: f" after collisions with node {failed.by}, which began in the same slot",
        "overlap": lambda: f" disturbed by node {failed.by}, which answers without listening",
        "channel": lambda: ", the channel's fault",
        "no-answer": lambda: (
            f": node {receiver} did not answer" + (", it was sending itself" if failed.by is not None else "")
        ),
    }
    return what + reasons[failed.cause]()


def _its(sender: int, link: LinkShares) -> str:
    return "its" if sender == link.source else f"node {sender}'s"


def _mean(found: Interval) -> float:
    return found.mean or 0.0


def _two(shares: Mapping[str, Interval], mean: str, width: str) -> dict[str, dict[str, float | None]]:
    return {mean: {c: found.mean for c, found in shares.items()}, width: {c: found.ci95 for c, found in shares.items()}}
