//! What senders of TCP repeat for nothing, found by who sees both ends.
//!
//! A retransmission is needless when its receiver has all of it already, whatever the sender can know. A timeout is
//! spurious when nothing that it stands for was lost (RFC 5682 1): the receiver held the ACK of the segment back when
//! it timed out, or that ACK comes without the repetition, because it left its receiver before anything came there that
//! was sent from the timeout on. Where the segment or its ACK was lost, the timeout is not spurious.

use super::{FlowCx, RunCx, RunFamily, SeriesSet};
use crate::config::Config;
use crate::record::{Header, NetworkView, Record};
use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::units::Time;
use hopscope_tcp::Receipt;

/// A timeout that may prove spurious (RFC 5682).
#[derive(Debug, Clone, Copy)]
struct TimeoutCandidate {
    /// Number of the segment that timed out.
    seq: u64,
    /// When its repetition left.
    at: Time,
    /// When something sent from then on first came to the receiver.
    answered: Option<Time>,
}

/// Repetitions of one flow.
#[derive(Debug, Clone)]
struct Sender {
    node: NodeId,
    /// Timeouts that the sender has reported.
    timeouts: u64,
    candidates: Vec<TimeoutCandidate>,
    spurious: u64,
    needless: u64,
}

/// Repetitions of all flows.
#[derive(Debug, Clone)]
pub(crate) struct SpuriousRetransmissions {
    senders: Vec<Sender>,
    /// Open candidates of all flows.
    open: usize,
}

impl RunFamily for SpuriousRetransmissions {
    fn begin(config: &Config, _series: &mut SeriesSet) -> Self {
        let sender = |node| Sender { node, timeouts: 0, candidates: Vec::new(), spurious: 0, needless: 0 };
        SpuriousRetransmissions {
            senders: config.flows.iter().map(|flow| sender(NodeId(flow.from))).collect(),
            open: 0,
        }
    }

    #[inline(always)]
    fn record(&mut self, record: &Record, cx: &mut RunCx<'_, impl NetworkView>) {
        match *record {
            Record::SegmentSent { flow, ref header, .. } if header.is_data && header.retransmission => {
                self.on_again(cx.now, flow, header, cx.view);
            }
            Record::SegmentReceived { node, flow, answers, ref header, delay } => {
                self.on_segment((cx.now, Time(cx.now.0 - delay.0)), node, (flow, answers), header);
            }
            _ => {}
        }
    }

    fn restart(&mut self, _now: Time, _view: &mut impl NetworkView) {
        for sender in &mut self.senders {
            (sender.spurious, sender.needless) = (0, 0);
            // A timeout of the warm-up counts nowhere, even if it proves spurious later.
            sender.candidates.clear();
        }
        self.open = 0;
    }
}

/// The metrics. What the sender counts itself is read from its counters.
impl SpuriousRetransmissions {
    pub(super) fn timeouts(&self, cx: &FlowCx<'_>) -> u64 {
        cx.counted(|stats| stats.timeouts + stats.syn_retransmissions)
    }

    pub(super) fn fast_retransmits(&self, cx: &FlowCx<'_>) -> u64 {
        cx.counted(|stats| stats.fast_retransmits)
    }

    pub(super) fn spurious_timeouts(&self, cx: &FlowCx<'_>) -> u64 {
        self.senders[cx.id().index()].spurious
    }

    pub(super) fn undone_timeouts(&self, cx: &FlowCx<'_>) -> u64 {
        cx.counted(|stats| stats.spurious_timeouts)
    }

    pub(super) fn undone_recoveries(&self, cx: &FlowCx<'_>) -> u64 {
        cx.counted(|stats| stats.undone_recoveries)
    }

    pub(super) fn needless_retransmissions(&self, cx: &FlowCx<'_>) -> u64 {
        self.senders[cx.id().index()].needless
    }

    pub(super) fn tail_loss_probes(&self, cx: &FlowCx<'_>) -> u64 {
        cx.counted(|stats| stats.probes)
    }
}

impl SpuriousRetransmissions {
    /// A segment with this header leaves its source again.
    #[cold]
    fn on_again(&mut self, now: Time, flow: FlowId, header: &Header, view: &impl NetworkView) {
        let Some(receipt) = view.receipt(flow, header) else { return };
        let sender = &mut self.senders[flow.index()];
        sender.needless += u64::from(receipt != Receipt::Missing);
        let timeouts = view.sender_stats(flow).map_or(0, |stats| stats.timeouts + stats.syn_retransmissions);
        // The sender counts a timeout before it repeats, so the first repetition after it is the timeout's own.
        let has_timed_out = std::mem::replace(&mut sender.timeouts, timeouts) != timeouts;
        if has_timed_out && receipt == Receipt::Owed {
            sender.spurious += 1;
        } else if has_timed_out {
            sender.candidates.push(TimeoutCandidate { seq: header.seq, at: now, answered: None });
            self.open += 1;
        }
    }

    /// A segment that was sent at `sent` has come to a node: of one flow, with an acknowledgement for another or the
    /// same.
    #[inline]
    fn on_segment(&mut self, (now, sent): (Time, Time), node: NodeId, flows: (FlowId, FlowId), header: &Header) {
        if self.open > 0 {
            self.resolve((now, sent), node, flows, header);
        }
    }

    #[cold]
    fn resolve(&mut self, (now, sent): (Time, Time), node: NodeId, (flow, answers): (FlowId, FlowId), header: &Header) {
        let sender = &mut self.senders[flow.index()];
        if header.is_data && node != sender.node {
            // What left before the timeout answers nothing of it.
            for candidate in sender.candidates.iter_mut().filter(|candidate| sent >= candidate.at) {
                candidate.answered.get_or_insert(now);
            }
        }
        let sender = &mut self.senders[answers.index()];
        if header.flags.ack && node == sender.node {
            let before = sender.candidates.len();
            let spurious = &mut sender.spurious;
            sender.candidates.retain(|candidate| {
                // The segment that timed out is acknowledged. If this ACK left before anything sent from the timeout
                // on had come, it is that of the original.
                let is_over = header.ack > candidate.seq;
                *spurious += u64::from(is_over && candidate.answered.is_none_or(|at| sent < at));
                !is_over
            });
            self.open -= before - sender.candidates.len();
        }
    }
}
