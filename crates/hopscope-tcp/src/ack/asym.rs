//! Congestion control of ACKs as ns-2's `TCPSink/Asym` does it (Balakrishnan, Padmanabhan and Katz, "The effects of
//! asymmetry on TCP performance", 1997): a factor that doubles with a mark and falls by one in each round trip without.
//!
//! An ACK stands for as many segments as the factor says, but never for more than half of what the sender may have in
//! flight (ns-2's safety factor), nor for more than `asym_most`. Readings: ns-2's sender repeats the marks that its
//! ACKs have met, while here, where ACKs cannot be marked, those of data count (`ecn`); and a round trip is over,
//! instead of by echoed timestamps, once as many segments have come as the sender may have in flight. Without marks
//! every segment is acknowledged.

use super::{AckDecision, Arrival};
use crate::config::TcpConfig;
use hopscope_core::units::Span;

/// State of the policy.
#[derive(Debug, Clone)]
pub(in super::super) struct Asym {
    most: u32,
    factor: u32,
    /// Segments since the factor was doubled, and since it fell.
    since_mark: u32,
    since_fall: u32,
    /// Segments that the next ACK is to stand for.
    limit: u32,
    held: u32,
    longest: Span,
}

impl Asym {
    pub(super) fn new(cfg: &TcpConfig, longest: Span) -> Self {
        let (since_mark, since_fall) = (u32::MAX, u32::MAX);
        Asym { most: cfg.asym_most, factor: 1, since_mark, since_fall, limit: 1, held: 0, longest }
    }

    pub(super) fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        self.since_mark = self.since_mark.saturating_add(1);
        self.since_fall = self.since_fall.saturating_add(1);
        // A sender that does not say is not a reason to hold nothing.
        let window = if arrival.sender_window == 0 { u32::MAX } else { u32::from(arrival.sender_window) };
        if self.since_mark >= window && arrival.marked {
            self.factor = (2 * self.factor).min(self.most);
            self.since_mark = 0;
        } else if self.since_mark >= window && self.since_fall >= window {
            self.factor = (self.factor - 1).max(1);
            self.since_fall = 0;
        }
        if !arrival.in_order {
            return AckDecision::Now;
        }
        self.limit = self.factor.min(window / 2).max(1);
        self.held += 1;
        if self.held >= self.limit { AckDecision::Now } else { AckDecision::Hold }
    }

    /// Segments that one ACK is to stand for.
    pub(super) fn window(&self) -> f64 {
        f64::from(self.limit)
    }

    pub(super) fn hold(&self) -> Span {
        self.longest
    }

    pub(super) fn on_ack_sent(&mut self) {
        self.held = 0;
    }
}
