//! What transports do: why the source of a flow was idle, and of what the delay of its data consists.

use super::{Arriving, Cause, DelayPart, Ledger};
use crate::record::{Header, NetworkView};
use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::units::{Span, Time};
use hopscope_tcp::endpoint::Timer;

impl Ledger {
    /// A segment or datagram leaves its transport.
    #[inline]
    pub(super) fn on_segment(&mut self, now: Time, node: NodeId, flow: FlowId, header: &Header) {
        if !self.is_source(node, flow) {
            return;
        }
        // The event of the timer sends this segment: the timer is what the source has waited for.
        if self.expired == flow {
            self.expired = FlowId::NONE;
            self.explain_idle(now, flow, Cause::Timeout);
        }
        if header.is_data {
            self.flows[flow.index()].sent(now, header.seq, header.retransmission);
        }
    }

    /// A segment has reached the transport that sends a flow, or another one.
    #[inline]
    pub(super) fn on_segment_received(
        &mut self,
        now: Time,
        node: NodeId,
        answers: FlowId,
        header: &Header,
        view: &impl NetworkView,
    ) {
        self.arriving.seq = header.seq;
        if self.is_source(node, answers) {
            // The transport has not acted on the ACK yet: the limit is that of the time until now.
            self.on_source_event(now, answers, view);
            self.flows[answers.index()].acknowledged(header);
        }
    }

    /// A copy of a data packet was received.
    #[inline]
    pub(super) fn on_data(&mut self, flow: FlowId, delay: Span, is_new: bool, retransmission: bool) {
        let Arriving { mut parts, seq, sent } = self.arriving;
        debug_assert_eq!(parts.iter().sum::<u64>(), delay.0, "the parts of a delay are the delay");
        let account = &mut self.flows[flow.index()];
        // This wait comes on top of the delay of the copy, which begins when the copy leaves. Data that had come before
        // has waited for no repetition.
        if retransmission && is_new {
            parts[DelayPart::Timeout as usize] = account.wait_until(seq, sent);
        }
        account.received(&parts);
    }

    /// True where a flow begins.
    #[inline]
    fn is_source(&self, node: NodeId, flow: FlowId) -> bool {
        self.flows[flow.index()].source == node
    }

    /// Something comes to the source of a flow: what it has not sent until now, its window has held back.
    pub(super) fn on_source_event(&mut self, now: Time, flow: FlowId, view: &impl NetworkView) {
        self.expired = FlowId::NONE;
        self.explain_idle(now, flow, limit(flow, view));
    }

    /// A timer of a source has expired; whether that makes it send has still to be seen.
    pub(super) fn on_timer(&mut self, now: Time, node: NodeId, flow: FlowId, timer: Timer) {
        self.expired = FlowId::NONE;
        if !self.is_source(node, flow) {
            return;
        }
        match timer {
            // They may only move on to a later deadline: a segment has to follow first.
            Timer::Rto | Timer::Probe => self.expired = flow,
            Timer::Pacing => self.explain_idle(now, flow, Cause::Paced),
            Timer::DelayedAck | Timer::TimeWait | Timer::Reorder | Timer::Refill | Timer::Wake | Timer::Read => {}
        }
    }

    /// The source of a flow was idle for this reason.
    fn explain_idle(&mut self, now: Time, flow: FlowId, cause: Cause) {
        let source = self.flows[flow.index()].source;
        self.nodes[source.index()].explain_idle(now, cause);
    }
}

/// What keeps the source of a flow from sending.
pub(super) fn limit(flow: FlowId, view: &impl NetworkView) -> Cause {
    if view.backlog(flow) > 0 { Cause::WindowClosed } else { Cause::SenderLimited }
}
