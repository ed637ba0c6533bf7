//! What a sender does about a route that fails: parts that go with any congestion control and any loss recovery.
//!
//! | file | idea |
//! |---|---|
//! | `elfn.rs` | stands by and probes (TCP-ELFN) |
//! | `tcp_f.rs` | snoozes until there is a route again (TCP-F) |
//! | `atcp.rs` | a layer below that keeps losses from the congestion control (ATCP) |
//! | `../timed.rs` | the RTO is doubled once only (Fixed RTO) |
//! | `door.rs` | packets that overtake each other indicate a new route (TCP-DOOR); goes with each of the others |
//!
//! No notice has a packet of its own. The news of a failure comes with what the routing protocol sends anyway: a link
//! that fails at the sender's own node is known there, one farther off when the error of AODV or DSR, or the update of
//! DSDV or OLSR, has come over the air. The news of a new route is the answer to the search, at the node that asked for
//! it. A lifetime that ends without traffic is no failure, and static routes never fail.
//!
//! While a part keeps the sender still the retransmission timer runs for the part: its RTO, its window and the counters
//! of its recovery are frozen.

mod atcp;
pub(super) mod door;
mod elfn;
mod tcp_f;

use super::Cx;
use super::core::Core;
use super::recovery::LossRecovery;
use crate::config::TcpConfig;
use crate::config::tcp::RouteFailure;
use hopscope_core::units::Time;
use hopscope_packet::tcp::TcpSegment;

/// The part that a sender has.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Elfn(elfn::Elfn),
    TcpF(tcp_f::TcpF),
    Atcp(atcp::Atcp),
}

impl Part {
    /// The one that the configuration names, if any.
    pub(super) fn new(cfg: &TcpConfig) -> Option<Self> {
        match cfg.route_failure {
            RouteFailure::Ignore => None,
            RouteFailure::Elfn => Some(Part::Elfn(elfn::Elfn::new(cfg))),
            RouteFailure::TcpF => Some(Part::TcpF(tcp_f::TcpF::new(cfg))),
            RouteFailure::Atcp => Some(Part::Atcp(atcp::Atcp::new(cfg))),
        }
    }

    /// TCP sends nothing by itself.
    pub(super) fn is_still(&self) -> bool {
        match self {
            Part::Elfn(part) => part.is_still(),
            Part::TcpF(part) => part.is_still(),
            Part::Atcp(part) => part.is_still(),
        }
    }

    /// The route has failed.
    pub(super) fn on_route_failed(&mut self, core: &mut Core, cx: &mut Cx) {
        if !core.has_work() {
            return;
        }
        match self {
            Part::Elfn(part) => part.on_route_failed(core, cx),
            Part::TcpF(part) => part.on_route_failed(core, cx),
            Part::Atcp(part) => part.on_route_failed(core, cx),
        }
    }

    /// There is a route again.
    pub(super) fn on_route_found(&mut self, recovery: &mut LossRecovery, core: &mut Core, cx: &mut Cx) {
        match self {
            Part::TcpF(part) => part.on_route_found(recovery, core, cx),
            // Their probes find out.
            Part::Elfn(_) | Part::Atcp(_) => {}
        }
    }

    /// An ACK of new data, or a duplicate; true: TCP does not see it.
    pub(super) fn takes_ack(
        &mut self,
        recovery: &mut LossRecovery,
        core: &mut Core,
        seg: &TcpSegment,
        cx: &mut Cx,
    ) -> bool {
        match self {
            Part::Elfn(part) => part.takes_ack(core, seg, cx),
            Part::TcpF(part) => part.takes_ack(core, seg, cx),
            Part::Atcp(part) => part.takes_ack(recovery, core, seg, cx),
        }
    }

    /// The retransmission timer has expired; true: TCP does not see it.
    pub(super) fn takes_timeout(&mut self, recovery: &mut LossRecovery, core: &mut Core, cx: &mut Cx) -> bool {
        match self {
            Part::Elfn(part) => part.takes_timeout(core, cx),
            Part::TcpF(part) => part.takes_timeout(recovery, core, cx),
            Part::Atcp(part) => part.takes_timeout(core, cx),
        }
    }
}

/// Steps that the parts share.
impl Core {
    /// Something is to be sent, or to be sent again.
    fn has_work(&self) -> bool {
        !self.seq.is_idle() || self.seq.has_more()
    }

    /// This ACK leaves nothing to send: whatever keeps the sender still has no use any more.
    fn is_last(&self, seg: &TcpSegment) -> bool {
        seg.ack >= self.seq.end()
    }

    /// The sender stands still until `until`. What is under way is not timed: the wait would count as its round trip.
    fn stand_still(&mut self, until: Time, cx: &mut Cx) {
        self.timing.forget();
        self.loss.frto.forget();
        self.keep_cut();
        self.timing.run_until(until, cx);
    }

    /// Sends the first segment that is not acknowledged, and stands still until `until`.
    fn probe(&mut self, until: Time, cx: &mut Cx) {
        let after = self.transmit(self.seq.una(), u64::MAX, cx);
        self.seq.move_past(after);
        self.timing.run_until(until, cx); // in place of the RTO that the transmission has set
    }

    /// Takes what an ACK acknowledges while the sender stands still until `until`: no growth, nothing is sent.
    fn take_still(&mut self, seg: &TcpSegment, until: Time, cx: &mut Cx) {
        if seg.ack > self.seq.una() {
            if let Some(sent) = &mut self.sent {
                self.report = sent.on_ack(seg.ack, seg.ack >= self.seq.max(), seg.sack_blocks(), cx.now);
            }
            self.accept(seg.ack, cx);
            self.timing.run_until(until, cx);
        }
    }
}
