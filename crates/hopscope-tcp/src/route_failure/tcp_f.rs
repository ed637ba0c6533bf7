//! TCP-F (Chandran et al. 2001): notified of a failure, the sender snoozes; notified of a new route, it sends again
//! what is not acknowledged, with the window and the RTO that it had. A timer bounds the wait, and its end is that of
//! an RTO.
//!
//! The notice of the new route is given by the node that learns of it, with on-demand routing that of the sender. Such
//! a routing searches only for a packet: the sender leaves it the first segment that is not acknowledged.

use super::super::Cx;
use super::super::core::Core;
use super::super::recovery::LossRecovery;
use crate::config::TcpConfig;
use hopscope_core::units::{Span, Time};
use hopscope_packet::tcp::TcpSegment;

#[derive(Debug, Clone)]
pub(in super::super) struct TcpF {
    longest: Span,
    /// It snoozes until then at most.
    until: Option<Time>,
}

impl TcpF {
    pub(super) fn new(cfg: &TcpConfig) -> Self {
        TcpF { longest: cfg.tcp_f_timer, until: None }
    }

    pub(super) fn is_still(&self) -> bool {
        self.until.is_some()
    }

    pub(super) fn on_route_failed(&mut self, core: &mut Core, cx: &mut Cx) {
        if self.until.is_none() {
            let until = cx.now + self.longest;
            self.until = Some(until);
            core.stand_still(until, cx);
            core.probe(until, cx);
        }
    }

    pub(super) fn on_route_found(&mut self, recovery: &mut LossRecovery, core: &mut Core, cx: &mut Cx) {
        if self.until.take().is_some() {
            recovery.resume(core, cx);
        }
    }

    pub(super) fn takes_ack(&mut self, core: &mut Core, seg: &TcpSegment, cx: &mut Cx) -> bool {
        let Some(until) = self.until else { return false };
        if core.is_last(seg) {
            self.until = None;
            core.timing.restart(cx);
            return false;
        }
        core.take_still(seg, until, cx);
        true
    }

    pub(super) fn takes_timeout(&mut self, recovery: &mut LossRecovery, core: &mut Core, cx: &mut Cx) -> bool {
        let snoozed = self.until.take().is_some();
        let is_done = snoozed && core.seq.is_idle();
        if is_done {
            recovery.send(core, cx);
        }
        is_done
    }
}
