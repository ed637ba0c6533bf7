//! ATCP (Liu and Singh 2001): a layer below the sender that distinguishes losses and failed routes from congestion.
//!
//! | state | begins | TCP |
//! |---|---|---|
//! | normal | | sees everything but what begins another state |
//! | loss | the duplicate ACK that would start a recovery, or a timeout, without a mark | is still; the layer repeats the first segment after each RTO, until new data is acknowledged |
//! | congested | a mark is echoed | sees everything, until it has sent new data |
//! | disconnected | the route has failed | is still; the layer probes, each time after twice the wait from one RTO on, until anything comes from the other end |
//!
//! After a disconnection what is not acknowledged is sent again, from a window of one segment. Without ECN a sender
//! below this layer never learns of congestion.

use super::super::Cx;
use super::super::core::Core;
use super::super::recovery::LossRecovery;
use crate::config::TcpConfig;
use hopscope_core::units::{Span, Time};
use hopscope_packet::tcp::TcpSegment;

#[derive(Debug, Clone)]
pub(in super::super) struct Atcp {
    /// Longest wait between probes.
    longest: Span,
    state: State,
    dupacks: u32,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Normal,
    Loss,
    /// First number not sent when the mark came.
    Congested {
        max: u64,
    },
    /// The last wait, and when it ends.
    Disconnected {
        wait: Span,
        due: Time,
    },
}

impl Atcp {
    pub(super) fn new(cfg: &TcpConfig) -> Self {
        Atcp { longest: cfg.max_rto, state: State::Normal, dupacks: 0 }
    }

    pub(super) fn is_still(&self) -> bool {
        matches!(self.state, State::Loss | State::Disconnected { .. })
    }

    pub(super) fn on_route_failed(&mut self, core: &mut Core, cx: &mut Cx) {
        if !matches!(self.state, State::Disconnected { .. }) {
            let wait = core.timing.rtt.rto();
            let due = cx.now + wait;
            self.state = State::Disconnected { wait, due };
            core.stand_still(due, cx);
        }
    }

    pub(super) fn takes_ack(
        &mut self,
        recovery: &mut LossRecovery,
        core: &mut Core,
        seg: &TcpSegment,
        cx: &mut Cx,
    ) -> bool {
        self.settle(core);
        let is_new = seg.ack > core.seq.una();
        if is_new {
            self.dupacks = 0;
        }
        match self.state {
            State::Disconnected { due, .. } => {
                self.state = State::Normal;
                if core.is_last(seg) {
                    core.timing.restart(cx);
                    return false;
                }
                core.take_still(seg, due, cx);
                // The new route may be another one, of which nothing is known.
                core.window.cwnd = 1.0;
                recovery.resume(core, cx);
                true
            }
            State::Loss if is_new => {
                self.state = State::Normal;
                core.timing.restart(cx);
                false
            }
            // Further duplicates belong to the same loss, and TCP must not cut its window for it.
            State::Loss => true,
            // Congestion is TCP's to answer: until new data has been sent, duplicates and timeouts go to it.
            State::Normal if core.ecn.is_on() && seg.flags.ece => {
                self.state = State::Congested { max: core.seq.max() };
                false
            }
            State::Normal if is_new || core.loss.is_recovering() => false,
            State::Normal => {
                self.dupacks += 1;
                let is_loss = self.dupacks >= core.loss.threshold();
                if is_loss {
                    self.repeat(core, cx);
                }
                is_loss
            }
            State::Congested { .. } => false,
        }
    }

    pub(super) fn takes_timeout(&mut self, core: &mut Core, cx: &mut Cx) -> bool {
        self.settle(core);
        match &mut self.state {
            State::Congested { .. } => false,
            State::Normal if core.seq.is_idle() => false,
            State::Normal | State::Loss => {
                self.repeat(core, cx);
                true
            }
            State::Disconnected { wait, due } => {
                *wait = (*wait * 2).min(self.longest);
                *due = cx.now + *wait;
                core.probe(*due, cx);
                true
            }
        }
    }

    /// The layer repeats the first segment itself.
    fn repeat(&mut self, core: &mut Core, cx: &mut Cx) {
        self.state = State::Loss;
        self.dupacks = 0;
        core.stand_still(cx.now + core.timing.rtt.rto(), cx);
        core.probe(cx.now + core.timing.rtt.rto(), cx);
    }

    /// New data has been sent since the mark.
    fn settle(&mut self, core: &Core) {
        if matches!(self.state, State::Congested { max } if core.seq.max() > max) {
            self.state = State::Normal;
        }
    }
}
