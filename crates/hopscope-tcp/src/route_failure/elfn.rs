//! TCP-ELFN (Holland and Vaidya 1999): notified of a failure, the sender stands by with its timers stopped, and sends a
//! packet from time to time; when one is acknowledged it goes on with the window and the RTO that it had.
//!
//! What was under way when the route failed is not taken for lost: the recovery of the sender finds out.

use super::super::Cx;
use super::super::core::Core;
use crate::config::TcpConfig;
use hopscope_core::units::{Span, Time};
use hopscope_packet::tcp::TcpSegment;

#[derive(Debug, Clone)]
pub(in super::super) struct Elfn {
    interval: Span,
    /// An ACK that was under way when the route failed ends the standby too.
    any_ack: bool,
    standby: Option<Standby>,
}

#[derive(Debug, Clone, Copy)]
struct Standby {
    /// When the next probe is due.
    due: Time,
    probed: bool,
}

impl Elfn {
    pub(super) fn new(cfg: &TcpConfig) -> Self {
        Elfn { interval: cfg.elfn_probe, any_ack: cfg.elfn_any_ack, standby: None }
    }

    pub(super) fn is_still(&self) -> bool {
        self.standby.is_some()
    }

    pub(super) fn on_route_failed(&mut self, core: &mut Core, cx: &mut Cx) {
        if self.standby.is_none() {
            let due = cx.now + self.interval;
            self.standby = Some(Standby { due, probed: false });
            core.stand_still(due, cx);
        }
    }

    pub(super) fn takes_ack(&mut self, core: &mut Core, seg: &TcpSegment, cx: &mut Cx) -> bool {
        let Some(standby) = self.standby else { return false };
        let answers = seg.ack > core.seq.una() && (standby.probed || self.any_ack);
        if answers || core.is_last(seg) {
            self.standby = None;
            core.timing.restart(cx);
            return false;
        }
        core.take_still(seg, standby.due, cx);
        true
    }

    pub(super) fn takes_timeout(&mut self, core: &mut Core, cx: &mut Cx) -> bool {
        let Some(standby) = &mut self.standby else { return false };
        *standby = Standby { due: cx.now + self.interval, probed: true };
        core.probe(standby.due, cx);
        true
    }
}
