//! The ACK frequency of QUIC (draft-ietf-quic-ack-frequency 4 and 6), on TCP segments: an ACK when more than
//! `quic_threshold` segments wait, after `ack_delay` at the latest, and at once when `quic_reordering` segments have
//! come above a gap (1: the first one; 0: never for that).
//!
//! QUIC reports a gap once. A TCP sender without SACK counts duplicate ACKs, so here every further segment above the
//! gap is acknowledged at once too. Repeated and gap-filling segments are acknowledged at once, as RFC 5681 4.2 has it.

use super::{AckDecision, Arrival};
use crate::config::TcpConfig;
use hopscope_core::units::Span;

/// State of the policy.
#[derive(Debug, Clone)]
pub(in super::super) struct Quic {
    threshold: u32,
    reordering: u32,
    held: u32,
    /// Segments above a gap since the last one in order or filling it.
    above: u32,
    longest: Span,
}

impl Quic {
    pub(super) fn new(cfg: &TcpConfig, longest: Span) -> Self {
        Quic { threshold: cfg.quic_threshold, reordering: cfg.quic_reordering, held: 0, above: 0, longest }
    }

    pub(super) fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        self.held += 1;
        let is_above = !arrival.in_order && !arrival.duplicate && arrival.bytes == 0;
        if is_above {
            self.above += 1;
            let is_reported = self.reordering > 0 && self.above >= self.reordering;
            return if is_reported || self.held > self.threshold { AckDecision::Now } else { AckDecision::Hold };
        }
        self.above = 0;
        if arrival.in_order && self.held <= self.threshold { AckDecision::Hold } else { AckDecision::Now }
    }

    /// Segments that one ACK is to stand for.
    pub(super) fn window(&self) -> f64 {
        f64::from(self.threshold) + 1.0
    }

    pub(super) fn hold(&self) -> Span {
        self.longest
    }

    pub(super) fn on_ack_sent(&mut self) {
        self.held = 0;
    }
}
