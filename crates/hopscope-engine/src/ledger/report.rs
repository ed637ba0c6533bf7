//! The ledger as plain data.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Ledger;
use super::cause::{Cause, DelayPart, Diagnosis, LinkCause};
use super::flow::{Counts, Lost};
use super::link::MpduAccount;
use super::qos::PpduAccount;
use super::tracker::Kind;
use crate::record::{DropReason, NetworkView};
use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::units::Time;

/// Reason of a loss that is no drop: a receiver acknowledged a packet and kept nothing of it.
const TAKEN_FOR_DUPLICATE: &str = "taken-for-duplicate";

/// The ledger of a run. Times are nanoseconds; causes without any time are left out.
#[derive(Debug, Clone, Serialize)]
pub struct LedgerResult {
    /// Measured time: the times of each node, and of each link, add up to it.
    pub duration_ns: u64,
    /// Each node.
    pub nodes: Vec<NodeLedger>,
    /// Each link that carried, or tried to carry, a unicast packet.
    pub links: Vec<LinkLedger>,
    /// Each flow.
    pub flows: Vec<FlowLedger>,
}

/// One node.
#[derive(Debug, Clone, Serialize)]
pub struct NodeLedger {
    /// Number.
    pub id: u32,
    /// Time by [`Cause`].
    pub ns: BTreeMap<&'static str, u64>,
    /// Of what its data PPDUs to single stations consisted; none of a node that sent none as a QoS station.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ppdus: Option<PpduLedger>,
}

/// Data PPDUs that began in the measured time. Their whole airtime is the sum of the three times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PpduLedger {
    /// PPDUs.
    pub ppdus: u64,
    /// MPDUs in them.
    pub mpdus: u64,
    /// Packets in these.
    pub packets: u64,
    /// Preambles and PHY headers.
    pub preamble_ns: u64,
    /// Packets, from the network header on.
    pub payload_ns: u64,
    /// All the rest: MAC and LLC headers, FCS, delimiters, padding, and what fills the last symbol.
    pub overhead_ns: u64,
}

/// One link.
#[derive(Debug, Clone, Serialize)]
pub struct LinkLedger {
    /// Transmitter.
    pub from: u32,
    /// Receiver.
    pub to: u32,
    /// Attempts begun.
    pub attempts: u64,
    /// Attempts that got their packet across.
    pub delivered: u64,
    /// Time by [`LinkCause`].
    pub ns: BTreeMap<&'static str, u64>,
    /// Why the others failed.
    pub failures: Vec<FailureResult>,
    /// What became of its MPDUs; none of a link over which none were sent by a QoS station.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mpdus: Option<MpduLedger>,
}

/// MPDUs of a link: sent = came + lost.
#[derive(Debug, Clone, Serialize)]
pub struct MpduLedger {
    /// Sent, repetitions included.
    pub sent: u64,
    /// Received, whether or not the sender got to know.
    pub came: u64,
    /// Why the others were lost.
    pub lost: Vec<MpduLoss>,
}

/// MPDUs lost for one reason.
#[derive(Debug, Clone, Serialize)]
pub struct MpduLoss {
    /// See [`super::Failure`].
    pub cause: &'static str,
    /// Node that disturbed them.
    pub by: Option<u32>,
    /// Number of MPDUs.
    pub count: u64,
}

/// Attempts that failed for one reason.
#[derive(Debug, Clone, Serialize)]
pub struct FailureResult {
    /// See [`super::Failure`].
    pub cause: &'static str,
    /// Frame that was lost, or not answered.
    pub frame: &'static str,
    /// Node that disturbed it.
    pub by: Option<u32>,
    /// Number of attempts.
    pub count: u64,
    /// Their time.
    pub ns: u64,
}

/// One flow.
#[derive(Debug, Clone, Serialize)]
pub struct FlowLedger {
    /// Number.
    pub id: u32,
    /// Copies of data packets received.
    pub copies: u64,
    /// Time by [`DelayPart`], added up over all copies.
    pub ns: BTreeMap<&'static str, u64>,
    /// What became of its packets, by kind: `data` (of the source, SYN included) and `ack` (all the rest).
    pub packets: BTreeMap<&'static str, Balance>,
    /// Packets lost.
    pub losses: Vec<LossResult>,
    /// Packets that a node gave up though the next one had them: only the acknowledgement was lost.
    pub unconfirmed: Vec<LossResult>,
}

/// What became of packets: sent = delivered + lost + under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Balance {
    /// Handed down by the transport in the measured time, or under way when it began.
    pub sent: u64,
    /// Came to their destination.
    pub delivered: u64,
    /// No copy is left, and none has arrived.
    pub lost: u64,
    /// Held, queued or on the air at the end.
    pub under_way: u64,
    /// Came once more, another way, and count nowhere else.
    pub again: u64,
}

/// Packets lost at one place for one reason.
#[derive(Debug, Clone, Serialize)]
pub struct LossResult {
    /// `data` or `ack`.
    pub kind: &'static str,
    /// Hop not got across, from 1 at the sender of the packet.
    pub hop: u32,
    /// Node that had it last.
    pub node: u32,
    /// See [`DropReason`]; `taken-for-duplicate`: the next node acknowledged it and kept nothing.
    pub reason: &'static str,
    /// Why the last attempt had failed, for a packet that the MAC gave up.
    pub cause: Option<&'static str>,
    /// Node that disturbed it.
    pub by: Option<u32>,
    /// Packets.
    pub count: u64,
}

impl LedgerResult {
    /// Share of the time on the air of all frames that attempts with segments without data took, in those that got them
    /// across; none where nothing was sent. Their RTS, CTS and MAC ACKs count among all frames only.
    pub fn ack_airtime_pct(&self) -> Option<f64> {
        let sum = |of: fn(&str) -> bool| -> u64 {
            self.nodes.iter().flat_map(|node| &node.ns).filter(|(cause, _)| of(cause)).map(|(_, ns)| ns).sum()
        };
        let on_air = sum(|cause| Cause::ON_AIR.iter().any(|sent| sent.name() == cause));
        (on_air > 0).then(|| 100.0 * sum(|cause| cause == Cause::TransportAck.name()) as f64 / on_air as f64)
    }
}

impl Ledger {
    /// The ledger of the measured time up to `now`.
    pub fn result(&mut self, now: Time, view: &mut impl NetworkView) -> LedgerResult {
        // Nodes are accounted late: most stand at an earlier instant.
        self.settle_all(now, view);
        let duration_ns = now.saturating_since(self.start).0;
        let nodes = self.nodes.iter().zip((0..).map(NodeId)).map(|(line, node)| {
            let flows = self.flows.iter().zip((0..).map(FlowId));
            let mut limits =
                flows.filter(|(account, _)| account.source == node).map(|(_, flow)| super::source::limit(flow, view));
            // One source that its window holds back is enough: with room there, the node would have sent.
            let idle = limits.find(|&cause| cause != Cause::SenderLimited).unwrap_or(Cause::SenderLimited);
            let mut totals = line.totals_at(now, idle);
            // Frames are not announced to such a node: nobody knows which part of its quiet time was busy.
            if !view.listens(node) {
                totals[Cause::Bystander as usize] = std::mem::take(&mut totals[Cause::NothingToSend as usize]);
            }
            debug_assert_eq!(totals.iter().sum::<u64>(), duration_ns, "node {node}: every nanosecond has one cause");
            let ppdus = line.qos.as_ref().map(|qos| qos.ppdus).filter(|found| found.ppdus > 0).map(ppdus);
            NodeLedger { id: node.0, ns: named(&totals, |place| Cause::ALL[place].name()), ppdus }
        });
        let nodes = nodes.collect();
        let links = self.nodes.iter().zip(0..).flat_map(|(line, from)| {
            line.links.totals(now, duration_ns, line.attempt.open).map(move |(link, totals)| LinkLedger {
                from,
                to: link.to.0,
                attempts: link.attempts,
                delivered: link.delivered,
                ns: named(&totals, |place| LinkCause::ALL[place].name()),
                failures: link
                    .failed
                    .iter()
                    .map(|failed| failure(&failed.diagnosis, failed.count, failed.ns))
                    .collect(),
                mpdus: (link.mpdus.sent > 0).then(|| mpdus(&link.mpdus)),
            })
        });
        LedgerResult { duration_ns, nodes, links: links.collect(), flows: self.flow_results() }
    }

    fn flow_results(&self) -> Vec<FlowLedger> {
        let flow = |(account, id): (&super::FlowAccount, u32)| FlowLedger {
            id,
            copies: account.copies,
            ns: named(&account.parts.map(|part| part as u64), |place| DelayPart::ALL[place].name()),
            packets: Kind::ALL.iter().map(|&kind| (kind.name(), self.balance(FlowId(id), kind))).collect(),
            losses: account.losses.iter().map(loss).collect(),
            unconfirmed: account.unconfirmed.iter().map(loss).collect(),
        };
        self.flows.iter().zip(0..).map(flow).collect()
    }

    fn balance(&self, flow: FlowId, kind: Kind) -> Balance {
        let Counts { sent, delivered, lost, again } = self.flows[flow.index()].counts[kind as usize];
        Balance { sent, delivered, lost, under_way: self.tracker.under_way(flow, kind), again }
    }
}

fn loss(&(kind, lost, count): &(Kind, Lost, u64)) -> LossResult {
    LossResult {
        kind: kind.name(),
        hop: lost.hop,
        node: lost.node.0,
        reason: lost.reason.map_or(TAKEN_FOR_DUPLICATE, DropReason::name),
        cause: lost.diagnosis.map(|diagnosis| diagnosis.failure.name()),
        by: lost.diagnosis.and_then(|diagnosis| diagnosis.by).map(|node| node.0),
        count,
    }
}

fn ppdus(found: PpduAccount) -> PpduLedger {
    let PpduAccount { ppdus, mpdus, packets, preamble, payload, overhead } = found;
    PpduLedger { ppdus, mpdus, packets, preamble_ns: preamble, payload_ns: payload, overhead_ns: overhead }
}

fn mpdus(found: &MpduAccount) -> MpduLedger {
    // By cause and culprit alone: whether header or body of the PPDU was lost does not matter here.
    let mut lost: Vec<MpduLoss> = Vec::new();
    for &(Diagnosis { failure, by, .. }, count) in &found.lost {
        let (cause, by) = (failure.name(), by.map(|node| node.0));
        match lost.iter_mut().find(|known| (known.cause, known.by) == (cause, by)) {
            Some(known) => known.count += count,
            None => lost.push(MpduLoss { cause, by, count }),
        }
    }
    MpduLedger { sent: found.sent, came: found.came, lost }
}

fn failure(diagnosis: &Diagnosis, count: u64, ns: u64) -> FailureResult {
    let Diagnosis { failure, frame, by } = diagnosis;
    FailureResult { cause: failure.name(), frame: frame.name(), by: by.map(|node| node.0), count, ns }
}

/// What is not zero, by name.
fn named(totals: &[u64], name: impl Fn(usize) -> &'static str) -> BTreeMap<&'static str, u64> {
    totals.iter().enumerate().filter(|(_, ns)| **ns > 0).map(|(place, ns)| (name(place), *ns)).collect()
}
