//! One ACK for so many segments: the static delayed ACK of Altman and Jimenez (2003), for any number.
//!
//! Numbers above 2 are beyond what RFC 5681 4.2 allows. With fewer segments in flight than the number, the timer has to
//! send every ACK.

use super::{AckDecision, Arrival};
use crate::config::TcpConfig;
use hopscope_core::units::Span;

/// State of the policy.
#[derive(Debug, Clone)]
pub(in super::super) struct Fixed {
    every: u32,
    held: u32,
    longest: Span,
}

impl Fixed {
    pub(super) fn new(cfg: &TcpConfig, longest: Span) -> Self {
        Fixed { every: cfg.ack_every, held: 0, longest }
    }

    pub(super) fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        if !arrival.in_order {
            return AckDecision::Now;
        }
        self.held += 1;
        if self.held >= self.every { AckDecision::Now } else { AckDecision::Hold }
    }

    /// Segments that one ACK is to stand for.
    pub(super) fn window(&self) -> f64 {
        f64::from(self.every)
    }

    pub(super) fn hold(&self) -> Span {
        self.longest
    }

    pub(super) fn on_ack_sent(&mut self) {
        self.held = 0;
    }
}
